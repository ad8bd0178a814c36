//! A machine model of the host, from micro-benchmarks.
//!
//! Instructions that stand for classes of operations ([`probes`]) become loops ([`assembly`]) that are timed ([`rig`]):
//! chains for latencies, streams of independent ones for throughputs, and streams of two classes, from which the sets of
//! ports follow ([`ports`]). The front end is measured by code of growing length ([`front_end`]).

pub mod assembly;
pub mod file;
pub mod front_end;
pub mod ports;
pub mod probes;
pub mod rig;

pub use rig::Effort;
