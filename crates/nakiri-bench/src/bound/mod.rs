//! Lower bounds ([`nakiri_machine::bound`]) of what compilers made, beside what was measured of it.

pub mod measured;
pub mod object;

pub use nakiri_machine::bound::*;
