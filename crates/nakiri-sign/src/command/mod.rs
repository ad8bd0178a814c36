//! The sub-commands, one file each, and what they share.

pub mod inspect;
pub mod keygen;
mod progress;
pub mod sign;
pub mod verify;

use nakiri_sign::slh::Message;
use nakiri_sign::{Engine, Function};
use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Why a command failed, for those who called it: where, and what.
pub type Failure = String;

/// What is wrong with a file.
pub fn at(path: &Path, problem: impl Display) -> Failure {
    format!("{}: {problem}", path.display())
}

/// Prints a line.
///
/// # Errors
/// If standard output is full or closed.
pub fn say(line: impl Display) -> Result<(), Failure> {
    writeln!(std::io::stdout(), "{line}").map_err(|problem| format!("standard output: {problem}"))
}

/// Prints a line on standard error, if somebody is there.
pub fn tell(line: impl Display) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// The bytes of a file.
///
/// # Errors
/// If it can't be read.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|problem| at(path, problem))
}

/// A file's name with an ending more.
pub fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(ending);
    PathBuf::from(name)
}

/// How many threads work, and on what.
#[derive(Debug, clap::Args)]
pub struct EngineArgs {
    /// How many threads may work; all cores without it
    #[arg(long, value_name = "N")]
    threads: Option<std::num::NonZero<usize>>,
    /// The kernels that hash, instead of the widest that this CPU runs
    #[arg(long, value_name = "NAME", value_parser = Engine::names())]
    kernels: Option<String>,
}

impl EngineArgs {
    /// What was asked for.
    pub fn engine(&self) -> Engine {
        let named = self.kernels.as_deref().and_then(Engine::named);
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        named.unwrap_or_default().with_threads(self.threads.map_or_else(all, usize::from))
    }
}

/// What is signed beside the message's bytes.
#[derive(Debug, clap::Args)]
pub struct MessageArgs {
    /// What the signature is for, at most 255 bytes; whoever verifies must give the same
    #[arg(long, value_name = "TEXT", default_value = "")]
    context: String,
    /// Sign a digest by this hash function, such as SHA-256, in place of the message
    #[arg(long, value_name = "HASH", value_parser = function)]
    prehash: Option<Function>,
}

impl MessageArgs {
    /// Whether the message is signed as it is.
    pub fn is_plain(&self) -> bool {
        self.context.is_empty() && self.prehash.is_none()
    }

    /// The message of a file's bytes.
    pub fn message<'a>(&'a self, bytes: &'a [u8]) -> Message<'a> {
        Message { bytes, context: self.context.as_bytes(), prehash: self.prehash }
    }
}

fn function(name: &str) -> Result<Function, String> {
    let names = Function::ALL.map(Function::name).join(", ");
    Function::named(name).ok_or(format!("there are {names}"))
}
