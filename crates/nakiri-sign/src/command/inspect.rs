//! `nakiri-sign inspect`: what a file is.

use super::{at, read, say, with_ending, Failure};
use nakiri_sign::slh::{Set, SigningKey};
use nakiri_sign::stateful::Signer;
use nakiri_sign::{Engine, PublicKey};
use std::path::PathBuf;
use zeroize::Zeroizing;

/// Says what a key or a signature is; of a private key nothing that is secret
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A key or a signature
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// If the file can't be read, or is neither a key nor as long as a signature.
pub fn run(args: &Args) -> Result<(), Failure> {
    let bytes = Zeroizing::new(read(&args.file)?);
    if with_ending(&args.file, ".state").exists() {
        let signer = Signer::open(&args.file, &Engine::default());
        let signer = signer.map_err(|problem| problem.to_string())?;
        say(format!("private key, of which {} signatures are left", signer.remaining()))?;
        return say_key(signer.public_key(), &signer.scheme().name());
    }
    if let Ok(key) = SigningKey::from_pem(&bytes) {
        say("private key")?;
        let name = key.verifying_key().set().name;
        return say_key(&PublicKey::Slh(key.verifying_key().clone()), name);
    }
    match PublicKey::from_pem(&bytes) {
        Ok(key) => {
            say("public key")?;
            say_key(&key, &name(&key))
        }
        Err(problem) => match sets_of(bytes.len()) {
            names if names.is_empty() => Err(at(&args.file, problem)),
            names => say(format!("as long as a signature of {}", names.join(" or "))),
        },
    }
}

/// What a public key says of its parameters.
fn name(key: &PublicKey) -> String {
    match key {
        PublicKey::Slh(key) => key.set().name.to_string(),
        PublicKey::Xmss(key) => key.set().name(),
        PublicKey::Hss(key) => {
            let (levels, tree, keys) = (key.levels(), key.tree(), key.one_time());
            let hash = if tree.shake { "SHAKE256" } else { "SHA256" };
            let (height, bits) = (tree.height, keys.bits);
            format!(
                "HSS of {levels} levels, the top one {hash} of {} bytes, H{height}, W{bits}",
                tree.n
            )
        }
    }
}

fn say_key(key: &PublicKey, name: &str) -> Result<(), Failure> {
    let hex: String = key.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    say(format!("parameters {name}\npublic key {hex}"))
}

/// The sets whose signatures have so many bytes.
fn sets_of(bytes: usize) -> Vec<&'static str> {
    let is_it = |set: &Set| set.signature_bytes() == bytes;
    Set::ALL.into_iter().filter(is_it).map(|set| set.name).collect()
}
