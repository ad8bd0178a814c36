//! Searches for small circuits: exact synthesis by SAT, local search, tower fields, linear layers.

pub mod basis;
pub mod effort;
pub mod exact;
pub mod walk;

pub use basis::Basis;
pub use effort::Effort;
