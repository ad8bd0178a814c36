//! The passes, one file each. [`pipeline`] lists them in order.

pub mod bitslice;
pub mod inline;
pub mod instances;
pub mod monomorphize;
pub mod roll;
