//! `nakiri-sign verify`: whether a signature is one of a file.

use super::{at, read, EngineArgs, Failure, MessageArgs};
use nakiri_sign::PublicKey;
use std::path::PathBuf;

/// Says whether a signature is one of a file: the exit code is 0 if it is, and 1 if not
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What was signed
    #[arg(value_name = "FILE")]
    message: PathBuf,
    /// The public key, PEM or DER of SubjectPublicKeyInfo
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// The file of the signature
    #[arg(long, value_name = "FILE")]
    signature: PathBuf,
    #[command(flatten)]
    what: MessageArgs,
    #[command(flatten)]
    engine: EngineArgs,
}

/// Runs the command.
///
/// # Errors
/// If a file can't be read, the key is none, or the signature is none.
pub fn run(args: &Args) -> Result<(), Failure> {
    let key = PublicKey::from_pem(&read(&args.key)?).map_err(|problem| at(&args.key, problem))?;
    let (message, signature) = (read(&args.message)?, read(&args.signature)?);
    match key.verify(&args.what.message(&message), &signature, &args.engine.engine()) {
        true => {
            println!("the signature is right");
            Ok(())
        }
        false => {
            let of = args.message.display();
            Err(at(&args.signature, format!("it is no signature of {of} by this key")))
        }
    }
}
