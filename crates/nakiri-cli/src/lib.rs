//! The parts of the `nakiri` command: the compiler crate does no input or output, all of that is here.

// These macros panic where nobody reads: `output` writes.
#![warn(clippy::print_stderr, clippy::print_stdout)]

pub mod against;
pub mod asked;
pub mod budget;
pub mod choice;
pub mod circuits;
pub mod codes;
pub mod commands;
pub mod compiled;
mod elements;
pub mod embedded;
pub mod handshake;
pub mod interrupt;
pub mod jobs;
pub mod library;
pub mod listener;
pub mod lsp;
pub mod manifest;
pub mod multikey;
pub mod output;
pub mod package;
pub mod parallel;
pub mod program;
pub mod schedule;
pub mod session;
pub mod shared;
pub mod shell;
pub mod shelves;
pub mod stretch;
pub mod subjects;
pub mod tuned;
pub mod values;
pub mod vcd;
pub mod vectors;
pub mod verilog;
