//! `nakiri-sign sign`: detached signatures.

use super::file::{read, write, Readers};
use super::{at, EngineArgs, Failure, MessageArgs};
use nakiri_sign::slh::{Randomness, SigningKey};
use std::path::PathBuf;
use zeroize::Zeroizing;

/// Signs a file: the signature is a file of its own
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What is signed
    #[arg(value_name = "FILE")]
    message: PathBuf,
    /// The private key, PEM or DER of PKCS#8
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// The file of the signature; without it FILE with `.sig` behind the name
    #[arg(short = 'o', value_name = "FILE")]
    out: Option<PathBuf>,
    /// Make the one signature that the message has without random numbers
    #[arg(long)]
    deterministic: bool,
    #[command(flatten)]
    what: MessageArgs,
    #[command(flatten)]
    engine: EngineArgs,
}

/// Runs the command.
///
/// # Errors
/// If a file can't be read or written, or the key is none.
pub fn run(args: &Args) -> Result<(), Failure> {
    let pem = Zeroizing::new(read(&args.key)?);
    let key = SigningKey::from_pem(&pem).map_err(|problem| at(&args.key, problem))?;
    let message = read(&args.message)?;
    let randomness = match args.deterministic {
        true => Randomness::Deterministic,
        false => Randomness::Hedged,
    };
    let signature = key.sign(&args.what.message(&message), randomness, &args.engine.engine());
    let signature = signature.map_err(|problem| at(&args.key, problem))?;
    write(&signature_path(args), &signature, Readers::Others)
}

fn signature_path(args: &Args) -> PathBuf {
    args.out.clone().unwrap_or_else(|| {
        let mut name = args.message.as_os_str().to_os_string();
        name.push(".sig");
        PathBuf::from(name)
    })
}
