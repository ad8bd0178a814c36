//! What a kernel takes, to be compared with its bound.

use crate::measure::{interleaved, Plan, Statistics};
use crate::subject::{Buffer, Object};
use std::path::Path;

/// A kernel as [`nakiri::emit::c::kernels_file`] exports it: output, input, constants.
type Kernel = unsafe extern "C" fn(*mut u8, *const u8, *const u8);

/// Times calls of a kernel that follow one another, on data that are zero: core cycles of a call.
///
/// # Errors
/// If the file can't be loaded or has no such function.
///
/// # Safety
/// The file is a shared object that was compiled for this process from
/// [`kernels_file`](nakiri::emit::c::kernels_file); this CPU can run it; no part of the kernel's data is larger than
/// `bytes`.
pub unsafe fn kernel(path: &Path, symbol: &str, bytes: usize) -> Result<Statistics, String> {
    // SAFETY: the caller's promise.
    let object = unsafe { Object::load(path)? };
    // SAFETY: such files export functions of this type, and the object stays loaded until the end.
    let kernel: Kernel = unsafe { object.function(symbol)? };
    let (mut out, input) = (Buffer::new(bytes, 0), Buffer::new(bytes, 1024 + 64));
    let constants = Buffer::new(bytes, 2048 + 128);
    let out = out.bytes_mut().as_mut_ptr();
    let (input, constants) = (input.bytes().as_ptr(), constants.bytes().as_ptr());
    let mut run = || {
        // SAFETY: the buffers are as large as the caller says that the kernel needs.
        unsafe { kernel(out, input, constants) }
    };
    let statistics = interleaved(&mut [&mut run], &Plan::default());
    Ok(statistics.first().copied().unwrap_or_default())
}
