//! How fast emitted code is, how fast it could be, and why.
//!
//! Code is compiled into shared objects, loaded ([`subject`]), checked, and timed against others in the same run
//! ([`measure`]). A machine model ([`machine`]) says what the CPU can do at best with the same instructions; `bound`
//! computes that limit, `tune` searches for the configuration that comes nearest, `report` draws it all.

pub mod against;
pub mod bench;
pub mod bound;
pub mod calibrate;
pub mod machine;
pub mod measure;
pub mod metrics;
pub mod mix;
pub mod object;
pub mod parallel;
pub mod report;
pub mod results;
pub mod subject;
pub mod suite;
pub mod tune;

pub use nakiri_machine::sequence;
