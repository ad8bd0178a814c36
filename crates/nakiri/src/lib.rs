//! The Nakiri compiler. No I/O, no processes, no unsafe code.
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
pub mod pass;
pub mod registers;
pub mod run;
pub mod source;
pub mod syntax;
pub mod verilog;
