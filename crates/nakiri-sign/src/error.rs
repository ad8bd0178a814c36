//! What can go wrong.

use std::fmt;
use std::path::{Path, PathBuf};

/// Why something can't be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// A key has another length.
    KeyLength {
        /// How many bytes it must have.
        expected: usize,
        /// How many it has.
        found: usize,
    },
    /// A key is written in no form that is known.
    Encoding(String),
    /// A file can't be read or written, or its contents are wrong.
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// All indices of a key have been used.
    Exhausted,
    /// A context has more than 255 bytes.
    LongContext,
    /// There are no random numbers, or not as many as are needed.
    NoRandomness,
    /// The root that a private key says it has is not that of its seeds.
    WrongRoot,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Error::KeyLength { expected, found } => {
                write!(f, "the key has {found} bytes, not {expected}")
            }
            Error::Encoding(problem) => write!(f, "no key that is known: {problem}"),
            Error::File { path, problem } => write!(f, "{}: {problem}", path.display()),
            Error::Exhausted => f.write_str("all signatures of this key have been made"),
            Error::LongContext => f.write_str("the context has more than 255 bytes"),
            Error::NoRandomness => f.write_str("there are no random numbers"),
            Error::WrongRoot => f.write_str("the private key's root is not that of its seeds"),
        }
    }
}

impl std::error::Error for Error {}

impl Error {
    /// What is wrong with a file.
    pub(crate) fn file(path: &Path, problem: impl fmt::Display) -> Error {
        Error::File { path: path.to_path_buf(), problem: problem.to_string() }
    }
}
