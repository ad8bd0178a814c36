//! Checks of what Nakiri emits: it is compiled by real C compilers and run on this machine, its object code is
//! inspected, and the whole compiler is tried on random programs.

pub mod cc;
pub mod constant_time;
pub mod differential;
pub mod error;
pub mod exec;
pub mod hardware;
pub mod image;
pub mod netlist;
pub mod preset;
pub mod process;
pub mod random;
pub mod scheduled;
pub mod shrink;
pub mod simulate;
pub mod stimuli;
pub mod variables;
pub mod verdict;
pub mod waveform;

pub use error::Error;
