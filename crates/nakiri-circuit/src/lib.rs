//! Searches for small circuits: exact synthesis by SAT, local search, linear layers.
//!
//! [`search::Search`] finds a circuit for a table with all of these, [`linear`] one for a matrix.

pub mod basis;

pub mod effort;
pub mod equivalence;
pub mod exact;
pub mod gates;
pub mod linear;
pub mod search;
pub mod walk;
pub mod window;
pub mod write;

pub use basis::Basis;
pub use effort::Effort;
pub use walk::Objective;
