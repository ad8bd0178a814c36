//! Printers of kernels, and what is counted of them.

pub mod c;
pub mod count;
