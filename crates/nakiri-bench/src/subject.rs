//! What is timed: functions of shared objects.

use crate::measure::pages::{self, LARGE};
use libloading::Library;
use std::path::Path;

/// A shared object that was compiled for this run.
#[derive(Debug)]
pub struct Object {
    library: Library,
}

impl Object {
    /// Loads a shared object.
    ///
    /// # Errors
    /// What the loader says.
    ///
    /// # Safety
    /// Loading runs its initializers: it must be one that was compiled for this process.
    pub unsafe fn load(path: &Path) -> Result<Object, String> {
        // SAFETY: the caller's promise.
        let library = unsafe { Library::new(path) };
        library
            .map(|library| Object { library })
            .map_err(|error| format!("can't load `{}`: {error}", path.display()))
    }

    /// A function of it.
    ///
    /// # Errors
    /// If there is none of this name.
    ///
    /// # Safety
    /// `F` must be the function's type, and the object must stay loaded while it is called.
    pub unsafe fn function<F: Copy>(&self, name: &str) -> Result<F, String> {
        // SAFETY: the caller's promise.
        let symbol = unsafe { self.library.get::<F>(name.as_bytes()) };
        symbol.map(|symbol| *symbol).map_err(|error| format!("no function `{name}`: {error}"))
    }
}

/// Zeroed memory.
#[derive(Debug)]
pub struct Buffer {
    start: std::ptr::NonNull<u8>,
    layout: std::alloc::Layout,
    offset: usize,
}

impl Buffer {
    /// Memory of this many bytes that begins at an offset from the beginning of a page: a multiple of 64, so that it is
    /// aligned for every register. Buffers that are used together should have different ones: loads wait for stores to
    /// addresses that differ in the page alone.
    pub fn new(bytes: usize, offset: usize) -> Buffer {
        let size = (offset + bytes.max(1)).next_multiple_of(LARGE);
        let layout = std::alloc::Layout::from_size_align(size, LARGE).expect("a size");
        // SAFETY: the size is not zero.
        let start = unsafe { std::alloc::alloc(layout) };
        let start =
            std::ptr::NonNull::new(start).unwrap_or_else(|| std::alloc::handle_alloc_error(layout));
        pages::of_memory(start.as_ptr(), size);
        // SAFETY: it has so many bytes.
        unsafe { start.write_bytes(0, size) };
        Buffer { start, layout, offset }
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: it owns that many initialized bytes.
        let all = unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.layout.size()) };
        &all[self.offset..]
    }

    /// Its bytes, to be written.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        let (start, size) = (self.start.as_ptr(), self.layout.size());
        // SAFETY: it owns that many initialized bytes, and is borrowed alone.
        let all = unsafe { std::slice::from_raw_parts_mut(start, size) };
        &mut all[self.offset..]
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: allocated so in `new`.
        unsafe { std::alloc::dealloc(self.start.as_ptr(), self.layout) }
    }
}
