//! The Nakiri compiler: from a dataflow description of a cipher to constant-time code for a slicing and a target. It makes texts
//! of texts: no I/O, no processes, no unsafe code.
//!
//! ```text
//! text ─ syntax ─ tree ─ check ─ generic core ─ compile (specialize, passes) ─ Kernel ─ emit ─ C, Rust
//! ```
//!
//! A program is checked once, compiled for each slicing and target, and printed:
//!
//! ```
//! use nakiri::check::{self, check, NoFiles};
//! use nakiri::compile::{compile, Options};
//! use nakiri::core::Direction;
//! use nakiri::emit::c::kernel_file;
//! use nakiri::isa;
//! use nakiri::source::SourceMap;
//!
//! let mut sources = SourceMap::default();
//! let file = sources.add(
//!     "mix.ua",
//!     "node Mix (x:u32[2], k:const u32) returns (y:u32[2])
//!      let
//!        y[0] = (x[0] + x[1]) ^ k;
//!        y[1] = (x[1] <<< 7) ^ y[0]
//!      tel",
//! );
//! let (checked, diagnostics) = check(&mut sources, file, &mut NoFiles, &check::Options::default());
//! assert!(diagnostics.is_empty());
//! let program = checked.expect("a program without errors").program;
//!
//! let avx2 = isa::find("avx2").expect("a target");
//! let kernel = compile(&program, &Options::new(Direction::V, avx2), &mut |_pass, _program| {});
//! let kernel = kernel.expect("what it asks for is in AVX2");
//! assert_eq!(kernel.blocks(), 8);
//! assert!(kernel_file(&kernel).contains("_mm256_add_epi32"));
//! ```
#![forbid(unsafe_code)]

#[macro_use]
mod named;

pub mod check;
pub mod circuit;
pub mod compile;
pub mod core;
pub mod cost;
pub mod diagnostic;
pub mod emit;
pub mod isa;
pub mod layout;
pub mod map;
pub mod memo;
pub mod mir;
pub mod mode;
pub mod pass;
pub mod registers;
pub mod run;
pub mod semantic;
pub mod source;
pub mod syntax;
pub mod verilog;
