//! Why emitted code could not be compiled or run.

use std::fmt;
use std::path::PathBuf;

/// Why emitted code could not be compiled or run.
#[derive(Debug)]
pub enum Error {
    /// There is no such C compiler on this machine.
    NoCompiler {
        /// The programs that were looked for.
        tried: Vec<String>,
    },
    /// The compiler refused the text.
    Refused {
        /// The compiler's command line.
        command: String,
        /// What it said.
        message: String,
    },
    /// The compiler was ended because it took too long.
    Late {
        /// Its program.
        program: String,
    },
    /// This CPU lacks a feature that the target needs: the code was compiled, but not run.
    NotRunnable {
        /// The target.
        target: &'static str,
        /// The feature, as `__builtin_cpu_supports` names it.
        feature: &'static str,
    },
    /// The program that was built failed.
    Failed {
        /// How it ended, and what it wrote to its standard error.
        message: String,
    },
    /// Blocks that don't fit the kernel's parameters.
    Blocks(String),
    /// A file or a process could not be made or read.
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Error::NoCompiler { tried } => write!(
                f,
                "no C compiler found (looked for {}); install one: apt-get install clang-19",
                tried.join(", ")
            ),
            Error::Refused { command, message } => {
                write!(f, "the C compiler refused emitted code\n  {command}\n{message}")
            }
            Error::Late { program } => write!(f, "{program} took too long and was ended"),
            Error::NotRunnable { target, feature } => {
                write!(f, "not run: target {target} needs {feature}, which this CPU lacks")
            }
            Error::Failed { message } => write!(f, "compiled code failed: {message}"),
            Error::Blocks(message) => write!(f, "{message}"),
            Error::Io { path, error } => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for Error {}
