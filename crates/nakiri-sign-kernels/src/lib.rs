//! Hash functions on rows of words, one word of every lane in a row: SHA-256, SHA-512 and SHAKE256, and what hash-based
//! signatures make of them, for each kind of CPU. Nakiri compiles them of `kernels/*.ua` (`build.rs`).
//!
//! They ask no CPU what it has: whoever calls one of a module does.

pub mod memory;

#[allow(
    missing_docs,
    clippy::all,
    dead_code,
    unused_imports,
    unused_parens,
    unused_unsafe,
    unused_qualifications,
    non_upper_case_globals
)]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
}

pub use generated::gp64;
#[cfg(target_arch = "x86_64")]
pub use generated::{avx2, avx512, ssse3_sha};
