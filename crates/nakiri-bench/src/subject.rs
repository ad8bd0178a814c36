//! What is timed: functions of shared objects.

use libloading::Library;
use std::path::Path;

/// What a program that is linked with musl for good can't do.
const STATIC: &str = match cfg!(all(target_env = "musl", target_feature = "crt-static")) {
    true => "; this nakiri is linked statically and can load nothing: measure by one that `cargo install` or a package of your system made",
    false => "",
};

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
            .map_err(|error| format!("can't load `{}`: {error}{STATIC}", path.display()))
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

/// What a large page is aligned to and has in bytes: 2 MiB, on x86-64 and on AArch64 with small pages of 4 KiB.
const LARGE: usize = 2 << 20;

/// Asks for large pages for memory of this process that nothing was written to yet: a cache of the second level chooses its sets
/// by physical addresses.
fn ask_for_large_pages(start: *mut u8, bytes: usize) {
    #[cfg(target_os = "linux")]
    // SAFETY: it is this process's memory, and the advice changes nothing that is in it.
    unsafe {
        libc::madvise(start.cast(), bytes, libc::MADV_HUGEPAGE);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (start, bytes);
}

/// The places of a buffer: one page after another. Their number is prime, so that buffers that move by different steps meet in
/// all ways.
const PLACES: usize = 61;
/// From place to place, in bytes: a page and a line.
const STEP: usize = 4096 + 64;

/// Zeroed memory.
#[derive(Debug)]
pub struct Buffer {
    start: std::ptr::NonNull<u8>,
    layout: std::alloc::Layout,
    offset: usize,
    /// How many bytes it was moved by.
    moved: usize,
}

impl Buffer {
    /// Memory of this many bytes that begins at an offset from the beginning of a page: a multiple of 64, so that it is
    /// aligned for every register. Buffers that are used together should have different ones: loads wait for stores to
    /// addresses that differ in the page alone.
    pub fn new(bytes: usize, offset: usize) -> Buffer {
        let size = (offset + bytes.max(1) + PLACES * STEP).next_multiple_of(LARGE);
        let layout = std::alloc::Layout::from_size_align(size, LARGE).expect("a size");
        // SAFETY: the size is not zero.
        let start = unsafe { std::alloc::alloc(layout) };
        let start =
            std::ptr::NonNull::new(start).unwrap_or_else(|| std::alloc::handle_alloc_error(layout));
        ask_for_large_pages(start.as_ptr(), size);
        // SAFETY: it has so many bytes.
        unsafe { start.write_bytes(0, size) };
        Buffer { start, layout, offset, moved: 0 }
    }

    /// Has it begin in another page: that of this number, counted round. What it holds there is not what it held before.
    pub fn move_to(&mut self, place: usize) {
        self.moved = place % PLACES * STEP;
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: it owns that many initialized bytes.
        let all = unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.layout.size()) };
        &all[self.offset + self.moved..]
    }

    /// Its bytes, to be written.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        let (start, size) = (self.start.as_ptr(), self.layout.size());
        // SAFETY: it owns that many initialized bytes, and is borrowed alone.
        let all = unsafe { std::slice::from_raw_parts_mut(start, size) };
        &mut all[self.offset + self.moved..]
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: allocated so in `new`.
        unsafe { std::alloc::dealloc(self.start.as_ptr(), self.layout) }
    }
}
