//! Timing: time-stamp cycles of code that runs pinned to one core, next to a chain of dependent additions whose length
//! in core cycles is known, so that the clock's drift cancels out.

pub mod clock;
pub mod pin;
pub mod sample;

pub use sample::{interleaved, Plan, Statistics};
