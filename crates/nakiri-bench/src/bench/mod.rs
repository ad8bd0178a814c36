//! Measuring emitted libraries: they are compiled in a folder that is kept, loaded in a process of their own, checked,
//! and timed part by part.

pub mod cache;
pub mod probed;
pub mod table;
pub mod worker;

use crate::bound::{self, Bound, Repeated};
use crate::machine::Machine;
use crate::object::path::path;
use nakiri_verify::image::Image;
use std::path::Path;

/// The function of a library made by `nakiri::emit::c::probed` that runs its kernel once.
pub const KERNEL: &str = "probe_once";

/// The lower bound of the kernel of a compiled library, in core cycles of one run.
///
/// # Errors
/// If the object can't be read or followed, or the machine lacks an operation.
pub fn bound(object: &Path, machine: &Machine) -> Result<Bound, String> {
    let bytes =
        std::fs::read(object).map_err(|error| format!("`{}`: {error}", object.display()))?;
    let path = path(&Image::read(&bytes)?, KERNEL, &[]).map_err(|error| error.to_string())?;
    bound::of_sequence(machine, &path.sequence, Repeated::Independently)
        .map_err(|missing| missing.to_string())
}
