//! Checks of what Nakiri emits: it is compiled by real C compilers and run on this machine.

pub mod cc;
pub mod error;
pub mod exec;

pub use error::Error;
