//! What a CPU can do at best: machine models ([`machine`]), and lower bounds of code on them ([`bound`]). Nothing is measured here, and
//! nothing read but what is handed in.
#![forbid(unsafe_code)]

pub mod bound;
pub mod machine;
pub mod sequence;
