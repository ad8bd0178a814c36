//! `nakiri-sign sign`: detached signatures.

use super::{at, read, tell, with_ending, EngineArgs, Failure, MessageArgs};
use nakiri_sign::file::{write, Readers};
use nakiri_sign::slh::{Randomness, SigningKey};
use nakiri_sign::stateful::Signer;
use std::path::PathBuf;
use zeroize::Zeroizing;

/// Signs a file: the signature is a file of its own
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What is signed
    #[arg(value_name = "FILE")]
    message: PathBuf,
    /// The private key, as `keygen` wrote it, or PEM or DER of PKCS#8
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
/// If a file can't be read or written, or the key is none, or is used up.
pub fn run(args: &Args) -> Result<(), Failure> {
    let message = read(&args.message)?;
    let signature = match with_ending(&args.key, ".state").exists() {
        true => stateful(args, &message),
        false => stateless(args, &message),
    }?;
    let out = args.out.clone().unwrap_or_else(|| with_ending(&args.message, ".sig"));
    write(&out, &signature, Readers::Others).map_err(|problem| at(&out, problem))
}

fn stateless(args: &Args, message: &[u8]) -> Result<Vec<u8>, Failure> {
    let pem = Zeroizing::new(read(&args.key)?);
    let key = SigningKey::from_pem(&pem).map_err(|problem| at(&args.key, problem))?;
    let randomness = match args.deterministic {
        true => Randomness::Deterministic,
        false => Randomness::Hedged,
    };
    let signature = key.sign(&args.what.message(message), randomness, &args.engine.engine());
    signature.map_err(|problem| at(&args.key, problem))
}

fn stateful(args: &Args, message: &[u8]) -> Result<Vec<u8>, Failure> {
    if !args.what.is_plain() {
        return Err(at(&args.key, "only keys of SLH-DSA sign with --context or --prehash"));
    }
    let signer = Signer::open(&args.key, &args.engine.engine());
    let mut signer = signer.map_err(|problem| problem.to_string())?;
    let signature = signer.sign(message).map_err(|problem| at(&args.key, problem))?;
    tell(at(&args.key, format!("{} signatures are left", signer.remaining())));
    Ok(signature)
}
