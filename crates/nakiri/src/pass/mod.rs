//! The passes, one file each. [`crate::compile::pipeline`] lists them in order.

pub mod bitslice;
pub mod bytes;
pub mod chain;
pub mod codes;
pub mod dead;
pub mod fields;
pub mod halves;
pub mod horner;
pub mod inline;
pub mod instances;
pub mod interleave;
mod joiner;
pub mod leap;
pub mod limbs;
pub mod monomorphize;
pub mod operands;
mod outline;
pub mod pack;
pub mod roll;
pub mod rounds;
pub mod schedule;
pub mod select;
pub mod simplify;
pub mod split;
pub mod stagger;
pub mod tables;
mod weight;
