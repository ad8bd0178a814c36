//! The search for the configuration that makes a cipher fastest on a machine.

pub mod journal;
pub mod judge;
pub mod search;
pub mod space;
pub mod store;
