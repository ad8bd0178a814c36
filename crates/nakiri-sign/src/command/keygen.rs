//! `nakiri-sign keygen`: new keys.

use super::file::{write_new, Readers};
use super::{at, EngineArgs, Failure};
use nakiri_sign::slh::{Set, SigningKey};
use std::path::{Path, PathBuf};

/// Makes a private key and its public key
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The parameter set, such as SLH-DSA-SHA2-128s
    #[arg(value_name = "SET", value_parser = set)]
    set: Set,
    /// The file of the private key, which must not be there; the public key is beside it, with `.pub` behind the name
    #[arg(short = 'o', value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    engine: EngineArgs,
}

fn set(name: &str) -> Result<Set, String> {
    Set::named(name).ok_or(format!("there are {}", Set::ALL.map(|set| set.name).join(", ")))
}

/// Runs the command.
///
/// # Errors
/// If there are no random numbers, or a file can't be written.
pub fn run(args: &Args) -> Result<(), Failure> {
    let wrong = |problem| at(&args.out, problem);
    let key = SigningKey::generate(args.set, &args.engine.engine()).map_err(wrong)?;
    let public = key.verifying_key().to_pem().map_err(wrong)?;
    let beside = public_path(&args.out);
    write_new(&args.out, key.to_pem().map_err(wrong)?.as_bytes(), Readers::Owner)?;
    write_new(&beside, public.as_bytes(), Readers::Others).inspect_err(|_| {
        // A key of which half is missing is none, and nobody has used it.
        let _ = std::fs::remove_file(&args.out);
    })
}

/// Where the public key is.
fn public_path(private: &Path) -> PathBuf {
    let mut name = private.as_os_str().to_os_string();
    name.push(".pub");
    PathBuf::from(name)
}
