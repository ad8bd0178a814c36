//! Measuring emitted libraries: they are compiled in a folder that is kept, loaded in a process of their own, checked,
//! and timed part by part.

pub mod cache;
pub mod csv;
pub mod probed;
mod processes;
pub mod table;
pub mod worker;
