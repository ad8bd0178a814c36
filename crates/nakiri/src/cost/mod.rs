//! What a kernel costs on a machine.

mod class;
pub mod ports;

pub use class::Class;
pub use ports::{Busy, Ports};
