//! `nakiri-sign inspect`: what a file is.

use super::file::read;
use super::{at, Failure};
use nakiri_sign::slh::{Set, SigningKey, VerifyingKey};
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
    if let Ok(key) = SigningKey::from_pem(&bytes) {
        println!("private key");
        return Ok(print_key(key.verifying_key()));
    }
    match VerifyingKey::from_pem(&bytes) {
        Ok(key) => {
            println!("public key");
            Ok(print_key(&key))
        }
        Err(problem) => print_signature(bytes.len()).ok_or_else(|| at(&args.file, problem)),
    }
}

fn print_key(key: &VerifyingKey) {
    let set = key.set();
    let hex: String = key.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    println!("parameter set     {}", set.name);
    println!("object identifier 2.16.840.1.101.3.4.3.{}", set.identifier());
    println!("signatures        {} bytes", set.signature_bytes());
    println!("public key        {hex}");
}

/// Names the sets whose signatures have so many bytes, if there are any.
fn print_signature(bytes: usize) -> Option<()> {
    let is_it = |set: &Set| set.signature_bytes() == bytes;
    let names: Vec<&str> = Set::ALL.into_iter().filter(is_it).map(|set| set.name).collect();
    (!names.is_empty()).then(|| println!("as long as a signature of {}", names.join(" or ")))
}
