//! Why a library is not timed.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a library is not timed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unavailable {
    /// It doesn't have it.
    Lacks {
        /// The library.
        title: String,
        /// Our name of a function, or of a cipher with a mode.
        what: String,
    },
    /// Its headers are not there.
    Missing {
        /// The library.
        title: String,
        /// The Debian package that has them.
        package: String,
        /// What the compiler missed.
        message: String,
    },
    /// Its adapter does not compile with the headers that are there.
    Adapter {
        /// The library.
        title: String,
        /// The compiler's command line.
        command: String,
        /// What it said.
        message: String,
    },
    /// It, or its adapter, can't be used.
    Fails {
        /// The library.
        title: String,
        /// Why.
        reason: String,
    },
    /// Its ciphertext is not ours.
    Differs {
        /// The library.
        library: String,
        /// What was compared.
        what: String,
        /// The first byte that differs.
        byte: usize,
    },
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Unavailable::Lacks { title, what } => write!(f, "{title} has no {what}"),
            Unavailable::Missing { title, package, message } => write!(
                f,
                "{title} is not installed with its headers ({message}); install it: apt-get install {package}"
            ),
            Unavailable::Adapter { title, command, message } => {
                write!(f, "the adapter to {title} does not compile\n  {command}\n{message}")
            }
            Unavailable::Fails { title, reason } => write!(f, "{title}: {reason}"),
            Unavailable::Differs { library, what, byte } => write!(
                f,
                "{library} computes another ciphertext than the emitted code: {what}, byte {byte}; not timed"
            ),
        }
    }
}

impl std::error::Error for Unavailable {}
