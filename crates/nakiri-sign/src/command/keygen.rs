//! `nakiri-sign keygen`: new keys.

use super::{at, progress, with_ending, EngineArgs, Failure};
use nakiri_sign::file::{write_new, Readers};
use nakiri_sign::slh::{Set, SigningKey};
use nakiri_sign::stateful::{Scheme, Signer};
use nakiri_sign::PublicKey;
use std::path::{Path, PathBuf};

/// Makes a private key and its public key
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The parameter set: SLH-DSA-SHA2-128s and so on; or one of keys that must remember what they signed, XMSS-SHA2_10_256,
    /// XMSSMT-SHA2_20/2_256, LMS-SHA256_H10_W4, HSS-SHA256_H10_W4/H5_W8 and so on
    #[arg(value_name = "SET", value_parser = parameters)]
    set: Parameters,
    /// The file of the private key, which must not be there; the public key is beside it, with `.pub` behind the name
    #[arg(short = 'o', value_name = "FILE")]
    out: PathBuf,
    /// Say how far it is even if standard error is no terminal
    #[arg(long)]
    progress: bool,
    #[command(flatten)]
    engine: EngineArgs,
}

/// What a key is made of.
#[derive(Clone, Debug)]
enum Parameters {
    Slh(Set),
    Stateful(Scheme),
}

fn parameters(name: &str) -> Result<Parameters, String> {
    let stateful = || Scheme::named(name).map(Parameters::Stateful);
    let known = || {
        format!(
            "there are {}, and XMSS…, XMSSMT…, LMS… and HSS…",
            Set::ALL.map(|set| set.name).join(", ")
        )
    };
    Set::named(name).map(Parameters::Slh).or_else(stateful).ok_or_else(known)
}

/// Runs the command.
///
/// # Errors
/// If there are no random numbers, or a file is there already or can't be written.
pub fn run(args: &Args) -> Result<(), Failure> {
    let wrong = |problem| at(&args.out, problem);
    let engine = args.engine.engine();
    let beside = with_ending(&args.out, ".pub");
    // Later it would be found out, too, but trees may take hours.
    if let Some(file) = [&args.out, &beside].into_iter().find(|file| file.exists()) {
        return Err(at(file, "File exists, and no key is replaced"));
    }
    match &args.set {
        Parameters::Slh(set) => {
            let make = |engine| SigningKey::generate(*set, &engine);
            let key = progress::told(set.top_leaves(), args.progress, engine, make);
            let key = key.map_err(wrong)?;
            let pem = key.to_pem().map_err(wrong)?;
            write_new(&args.out, pem.as_bytes(), Readers::Owner)
                .map_err(|problem| at(&args.out, problem))?;
            let public = PublicKey::Slh(key.verifying_key().clone());
            write_public(&public, &beside).inspect_err(|_| remove(&args.out))
        }
        Parameters::Stateful(scheme) => {
            let make = |engine| Signer::create(&args.out, scheme, &engine);
            let signer = progress::told(scheme.top_leaves(), args.progress, engine, make);
            let signer = signer.map_err(|problem| problem.to_string())?;
            write_public(signer.public_key(), &beside).inspect_err(|_| {
                for ending in ["", ".state", ".seen", ".trees"] {
                    remove(&with_ending(&args.out, ending));
                }
            })
        }
    }
}

fn write_public(key: &PublicKey, path: &Path) -> Result<(), Failure> {
    let pem = key.to_pem().map_err(|problem| at(path, problem))?;
    write_new(path, pem.as_bytes(), Readers::Others).map_err(|problem| at(path, problem))
}

/// Removes a file of a key of which half is missing, and which nobody has used.
fn remove(path: &Path) {
    let _ = std::fs::remove_file(path);
}
