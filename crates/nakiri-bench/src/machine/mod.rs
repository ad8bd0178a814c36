//! Machine models ([`nakiri_machine::machine`]), and which of them fits this CPU.

pub mod find;

pub use find::{find, host};
pub use nakiri_machine::machine::*;
