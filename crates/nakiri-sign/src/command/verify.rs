//! `nakiri-sign verify`: whether signatures are those of files.

use super::{at, read, say, with_ending, EngineArgs, Failure, MessageArgs};
use nakiri_sign::slh::Message;
use nakiri_sign::PublicKey;
use std::path::PathBuf;

/// Says whether signatures are those of files: the exit code is 0 if all are, and 1 if not
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What was signed; several files are verified at once, which takes less time
    #[arg(value_name = "FILE", required = true)]
    messages: Vec<PathBuf>,
    /// The public key, PEM or DER of SubjectPublicKeyInfo
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// The files of the signatures, in the same order; without it each FILE with `.sig` behind the name
    #[arg(long, value_name = "FILE", num_args = 1)]
    signature: Vec<PathBuf>,
    #[command(flatten)]
    what: MessageArgs,
    #[command(flatten)]
    engine: EngineArgs,
}

/// Runs the command.
///
/// # Errors
/// If a file can't be read, the key is none, there are fewer or more signatures than files, or a signature is none.
pub fn run(args: &Args) -> Result<(), Failure> {
    let key = PublicKey::from_pem(&read(&args.key)?).map_err(|problem| at(&args.key, problem))?;
    let beside = || args.messages.iter().map(|file| with_ending(file, ".sig")).collect();
    let files = if args.signature.is_empty() { beside() } else { args.signature.clone() };
    let count = args.messages.len();
    if files.len() != count {
        return Err(format!("there are {} signatures of {count} files", files.len()));
    }
    let read_all = |files: &[PathBuf]| -> Result<Vec<Vec<u8>>, Failure> {
        files.iter().map(|file| read(file)).collect()
    };
    let (messages, signatures) = (read_all(&args.messages)?, read_all(&files)?);
    let signed: Vec<(Message, &[u8])> = (messages.iter().zip(&signatures))
        .map(|(message, signature)| (args.what.message(message), &signature[..]))
        .collect();
    let verdicts = key.verify_many(&signed, &args.engine.engine());
    let wrong: Vec<Failure> = (args.messages.iter().zip(&files).zip(verdicts))
        .filter(|(_, right)| !right)
        .map(|((message, signature), _)| {
            at(signature, format!("it is no signature of {} by this key", message.display()))
        })
        .collect();
    match (wrong.is_empty(), count) {
        (true, 1) => say("the signature is right"),
        (true, _) => say(format!("all {count} signatures are right")),
        (false, _) => Err(wrong.join("\n")),
    }
}
