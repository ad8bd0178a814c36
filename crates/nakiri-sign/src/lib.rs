//! x
mod memory;
#[allow(missing_docs, clippy::all, unused_parens, unused_imports, non_upper_case_globals)]
pub mod k { use super::memory;
include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
}
