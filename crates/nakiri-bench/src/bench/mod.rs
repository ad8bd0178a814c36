//! Measuring emitted libraries: they are compiled in a folder that is kept, loaded in a process of their own, checked,
//! and timed part by part.

pub mod cache;
pub mod csv;
pub(crate) mod functions;
pub mod messages;
pub mod probed;
pub mod processes;
pub mod table;
mod table_of_functions;
pub mod worker;

use crate::bound::{self, Bound, Repeated};
use crate::machine::Machine;
use crate::object::{count, path};
use crate::results::Code;
use nakiri_verify::image::Image;
use std::path::Path;

/// The function of a library made by `nakiri::emit::c::probed` that runs its kernel once.
pub const KERNEL: &str = "probe_once";

/// What one run of the kernel of a compiled library executes.
fn kernel(object: &Path) -> Result<path::Path, String> {
    let bytes =
        std::fs::read(object).map_err(|error| format!("`{}`: {error}", object.display()))?;
    path::path(&Image::read(&bytes)?, KERNEL, &[]).map_err(|error| error.to_string())
}

/// Counts of the kernel of a compiled library.
///
/// # Errors
/// If the object can't be read or followed.
pub fn code(object: &Path) -> Result<Code, String> {
    Ok(count::of_path(&kernel(object)?))
}

/// The lower bound of the kernel of a compiled library, in core cycles of one run.
///
/// # Errors
/// If the object can't be read or followed, or the machine lacks an operation.
pub fn bound(object: &Path, machine: &Machine) -> Result<Bound, String> {
    bound::of_sequence(machine, &kernel(object)?.sequence, Repeated::Independently)
        .map_err(|missing| missing.to_string())
}
