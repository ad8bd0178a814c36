//! Reading machine code of x86-64: what class of operation each instruction is ([`classify`]), which instructions a
//! function executes ([`path`]), and how many loads, stores and spills that makes ([`count`]).

pub mod classify;
pub mod count;
pub mod decode;
pub mod path;
pub mod values;

pub use count::count;
