//! Whether two circuits compute the same, output by output.
//!
//! Both stand in one network with common leaves. [`sweep`] finds nodes that behave alike on random values, proves them equal
//! from the leaves upwards, and lets what comes above read one of them (Kuehlmann, Krohm: "Equivalence checking using cuts
//! and heaps", DAC 1997; Mishchenko, Chatterjee, Brayton, Een: "Improvements to combinational equivalence checking",
//! ICCAD 2006). Circuits that were made from one another have equal nodes everywhere, so that each proof is small.

mod cut;
mod hardware;
mod netlist;
mod program;
mod sat;
mod sweep;

pub use hardware::{prove, prove_divided, prove_run, Divided, Proof, Wanted};
pub use program::{leaves, symbols, Symbols};
pub use sweep::{sweep, End, Verdict};
