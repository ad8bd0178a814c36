//! Large pages for what is timed. A cache of the second level chooses its sets by physical addresses: in small pages, which
//! differ from process to process, the same code may or may not fit. Where the system grants none, figures scatter more.

/// What a large page is aligned to and has in bytes: 2 MiB, on x86-64 and on AArch64 with small pages of 4 KiB.
pub const LARGE: usize = 2 << 20;

/// Linker flags of a shared object whose code [`of_code`] can move to large pages: its constants beside its code, its data
/// beyond the large pages of both.
pub const LINKER_FLAGS: &[&str] = match cfg!(target_os = "linux") {
    true => &["-Wl,-z,noseparate-code,-z,max-page-size=0x200000"],
    false => &[],
};

#[cfg(target_os = "linux")]
pub use linux::{elsewhere, of_code, of_memory, on_stack};
#[cfg(not(target_os = "linux"))]
pub use other::{elsewhere, of_code, of_memory, on_stack};

#[cfg(target_os = "linux")]
mod linux {
    use super::LARGE;
    use libc::{c_int, c_void, dl_phdr_info, size_t};
    use std::hint::black_box;
    use std::mem::MaybeUninit;

    /// Asks for large pages for memory of this process that nothing was written to yet, as far as whole ones lie in it.
    pub fn of_memory(start: *mut u8, bytes: usize) {
        let from = (start as usize).next_multiple_of(LARGE);
        let to = (start as usize + bytes) / LARGE * LARGE;
        if from < to {
            // SAFETY: it is this process's memory, and the advice changes nothing that is in it.
            unsafe { libc::madvise(from as *mut c_void, to - from, libc::MADV_HUGEPAGE) };
        }
    }

    /// Takes some large pages and keeps them, another number in each process: otherwise it would get those that the last
    /// process has freed, and with them its luck.
    pub fn elsewhere() {
        const MOST: usize = 32;
        let pages = std::process::id() as usize % MOST;
        let Some(start) = new(pages * LARGE) else { return };
        for page in 0..pages {
            // SAFETY: it lies in the new memory, which nothing else knows.
            unsafe { start.add(page * LARGE).write_volatile(1) };
        }
    }

    /// New memory that begins at a large page, for so many bytes, if the system has it; large pages are asked for.
    fn new(bytes: usize) -> Option<*mut u8> {
        let (access, kind) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: nothing that is mapped is replaced.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes + LARGE, access, kind, -1, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        let start = (start as usize).next_multiple_of(LARGE) as *mut u8;
        of_memory(start, bytes);
        Some(start)
    }

    /// Runs work in a thread of its own, on a stack of large pages, which begins at the same offset in one every time.
    pub fn on_stack<T: Send>(work: impl FnOnce() -> T + Send) -> std::thread::Result<T> {
        const STACK: usize = 16 * LARGE;
        let deep = move || {
            let here = 0u8;
            let top = &raw const here as usize;
            of_memory((top - 12 * LARGE) as *mut u8, 12 * LARGE);
            below(work)
        };
        let thread = std::thread::Builder::new().stack_size(STACK);
        std::thread::scope(|scope| {
            thread.spawn_scoped(scope, deep).expect("the system has room for a thread").join()
        })
    }

    /// Runs work below the part of the stack that is in use already.
    #[inline(never)]
    fn below<T>(work: impl FnOnce() -> T) -> T {
        let mut room = MaybeUninit::<[u8; 2 * LARGE]>::uninit();
        black_box(room.as_mut_ptr());
        let result = work();
        black_box(room.as_mut_ptr());
        result
    }

    /// Moves the code and the constants of the loaded object that holds a function to large pages, at the addresses where
    /// they are. Objects that were not linked with [`super::LINKER_FLAGS`] stay as they are.
    ///
    /// # Safety
    /// No other thread may run the object's code meanwhile.
    pub unsafe fn of_code(function: *const c_void) {
        let mut object = Search { function: function as usize, code: None };
        // SAFETY: the callback gets what it expects, and no longer than the call lasts.
        unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut object).cast()) };
        if let Some((start, bytes)) = object.code {
            // SAFETY: the caller's promise; nothing but the segment lies in these pages.
            unsafe { replace(start, bytes) };
        }
    }

    /// A search for the segment of code around an address.
    struct Search {
        function: usize,
        /// Where it begins, and how many bytes it has.
        code: Option<(usize, usize)>,
    }

    /// Looks at one loaded object.
    unsafe extern "C" fn visit(info: *mut dl_phdr_info, _: size_t, search: *mut c_void) -> c_int {
        // SAFETY: the loader's description, and what `of_code` handed over.
        let (info, search) = unsafe { (&*info, &mut *search.cast::<Search>()) };
        // SAFETY: so many headers are there.
        let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
        let loaded = headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
        let mut segments = loaded.map(|header| {
            let start = (info.dlpi_addr + header.p_vaddr) as usize;
            (start, header.p_memsz as usize)
        });
        let holds =
            |&(start, bytes): &(usize, usize)| (start..start + bytes).contains(&search.function);
        let found = segments.clone().find(holds);
        let Some((start, bytes)) = found else { return 0 };
        let pages = start..start + bytes.next_multiple_of(LARGE);
        let alone = segments.all(|(other, _)| other == start || !pages.contains(&other));
        if start % LARGE == 0 && alone {
            search.code = Some((start, bytes));
        }
        1
    }

    /// Replaces memory by large pages with the same bytes, to be read and executed.
    unsafe fn replace(start: usize, bytes: usize) {
        let whole = bytes.next_multiple_of(LARGE);
        let Some(new) = new(whole) else { return };
        // SAFETY: new memory, aligned and large enough; it takes the place of the old in one step.
        unsafe {
            std::ptr::copy_nonoverlapping(start as *const u8, new, bytes);
            if libc::mprotect(new.cast(), whole, libc::PROT_READ | libc::PROT_EXEC) == 0 {
                let moves = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
                libc::mremap(new.cast(), whole, whole, moves, start as *mut c_void);
            }
        }
    }
}

/// Other systems have no such calls.
#[cfg(not(target_os = "linux"))]
mod other {
    pub fn elsewhere() {}

    pub fn of_memory(_: *mut u8, _: usize) {}

    pub fn on_stack<T: Send>(work: impl FnOnce() -> T + Send) -> std::thread::Result<T> {
        std::thread::scope(|scope| scope.spawn(work).join())
    }

    /// # Safety
    /// None is needed.
    pub unsafe fn of_code(_: *const std::ffi::c_void) {}
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::bench::cache::Cache;
    use crate::subject::Object;
    use nakiri_verify::cc::{Compiler, Work};
    use std::ffi::c_void;

    type Next = unsafe extern "C" fn() -> i32;

    /// The line of this process's memory map for an address.
    fn mapping(address: usize) -> String {
        let maps = std::fs::read_to_string("/proc/self/maps").expect("a map of the memory");
        let holds = |line: &&str| {
            let range = line.split(' ').next().and_then(|range| range.split_once('-'));
            let number = |text| usize::from_str_radix(text, 16).unwrap_or(0);
            range.is_some_and(|(from, to)| (number(from)..number(to)).contains(&address))
        };
        maps.lines().find(holds).expect("it is mapped").to_string()
    }

    #[test]
    fn code_on_large_pages_keeps_its_address_its_constants_and_its_data() {
        let work = Work::new().expect("folder");
        let cache = Cache::open(Some(&work.path("cache"))).expect("cache");
        let compiler = Compiler::find().expect("a C compiler");
        let source = "static const int steps[4] = {1, 10, 100, 1000};\nstatic int at, sum;\n\
                      int next(void);\nint next(void) { return sum += steps[at++ & 3]; }\n";
        let built = cache.build(source, &compiler, &["-O0".to_string()], None).expect("built");
        // SAFETY: it was compiled above, and has a function of this type.
        let (object, next) = unsafe {
            let object = Object::load(&built.shared).expect("an object");
            let next: Next = object.function("next").expect("a function");
            (object, next)
        };
        // SAFETY: as above; no other thread runs it.
        let sums = unsafe {
            let first = next();
            assert!(mapping(next as usize).ends_with(".so"));
            of_code(next as *const c_void);
            assert!(mapping(next as usize).contains("r-xp"), "{}", mapping(next as usize));
            assert!(!mapping(next as usize).ends_with(".so"), "{}", mapping(next as usize));
            [first, next(), next(), next(), next()]
        };
        assert_eq!(sums, [1, 11, 111, 1111, 1112]);
        drop(object);
    }

    #[test]
    fn what_runs_on_a_stack_of_large_pages_gives_its_result_or_its_panic() {
        assert_eq!(on_stack(|| 42).expect("it doesn't panic"), 42);
        assert!(on_stack(|| panic!("on purpose")).is_err());
    }
}
