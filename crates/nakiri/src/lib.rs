//! The Nakiri compiler. No I/O, no processes, no unsafe code.
#![forbid(unsafe_code)]

pub mod circuit;
pub mod diagnostic;
pub mod source;
pub mod syntax;
