//! What a library is made of: the manifest and the vectors of a cipher's folder, what nodes compute on bytes, a node as a library of its
//! own. Texts are handed in, so that a browser has all of it.
#![forbid(unsafe_code)]

pub mod diagnostics;
pub mod digest;
pub mod embedded;
pub mod entry;
pub mod manifest;
pub mod vectors;

/// The version of all that is made.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
