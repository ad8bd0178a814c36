//! Code and stack in other pages of the machine's memory. What caches hold depends on physical addresses: bitsliced AES on 64-bit
//! registers takes 10,000 cycles where its code lies in some pages and 28,000 in others, and a process has one draw.

pub use system::{Copies, Stack};

#[cfg(target_os = "linux")]
mod system {
    use libc::{c_int, c_void, dl_phdr_info, size_t};
    use std::fs::File;
    use std::hint::black_box;
    use std::mem::MaybeUninit;
    use std::ops::Range;
    use std::os::fd::{AsRawFd, FromRawFd};
    use std::os::unix::fs::FileExt;

    /// Pieces of memory of one size. One at a time is mapped at an address.
    #[derive(Debug)]
    struct Pool {
        file: File,
        /// Of a piece: whole pages.
        bytes: usize,
        count: usize,
    }

    impl Pool {
        /// Zeroed pieces, if the system has such memory.
        fn new(bytes: usize, count: usize) -> Option<Pool> {
            // SAFETY: the name is a string that ends with zero; the descriptor is new and owned by the file.
            let file = unsafe {
                let descriptor = libc::memfd_create(c"places".as_ptr(), libc::MFD_CLOEXEC);
                (descriptor >= 0).then(|| File::from_raw_fd(descriptor))?
            };
            file.set_len((bytes * count) as u64).ok()?;
            Some(Pool { file, bytes, count })
        }

        /// Puts a part of a piece at an address: of that of this number, counted round.
        ///
        /// # Safety
        /// What lay there is whole pages of this process, and nobody misses it.
        unsafe fn put(&self, number: usize, part: Range<usize>, start: usize, access: c_int) {
            let offset = (number % self.count * self.bytes + part.start) as libc::off_t;
            let (kind, file) = (libc::MAP_SHARED | libc::MAP_FIXED, self.file.as_raw_fd());
            // SAFETY: the caller's promise. If it fails, what lay there stays.
            unsafe { libc::mmap(start as *mut c_void, part.len(), access, kind, file, offset) };
        }
    }

    /// Copies of a loaded object: its code, its constants and its data, as they are now.
    #[derive(Debug)]
    pub struct Copies {
        pool: Pool,
        segments: Vec<Segment>,
    }

    impl Copies {
        /// Copies of the object that holds a function; nothing if the system refuses.
        pub fn of(function: *const c_void) -> Option<Copies> {
            /// The bytes of all copies together, as far as a few copies have no more.
            const ROOM: usize = 8 << 20;
            let segments = Segment::around(function);
            let (first, last) = (segments.first()?, segments.last()?);
            let bytes = last.start + last.bytes - first.start;
            let pool = Pool::new(bytes, (ROOM / bytes).clamp(8, 128))?;
            for Segment { start, bytes: length, .. } in &segments {
                // SAFETY: it is mapped for reading as long as the object is loaded.
                let text = unsafe { std::slice::from_raw_parts(*start as *const u8, *length) };
                for copy in 0..pool.count {
                    let offset = copy * bytes + start - first.start;
                    pool.file.write_all_at(text, offset as u64).ok()?;
                }
            }
            Some(Copies { pool, segments })
        }

        /// Puts the copy of a number into the object's place.
        ///
        /// # Safety
        /// The object is still loaded, and no thread runs its code meanwhile. Its data becomes that of the copy.
        pub unsafe fn put(&mut self, number: usize) {
            let first = self.segments[0].start;
            for Segment { start, bytes, access } in &self.segments {
                // SAFETY: the same bytes take the place of the segment.
                unsafe {
                    self.pool.put(number, start - first..start - first + bytes, *start, *access)
                };
            }
        }
    }

    /// Whole pages of a loaded object.
    #[derive(Clone, Copy, Debug)]
    struct Segment {
        start: usize,
        bytes: usize,
        access: c_int,
    }

    impl Segment {
        /// The segments of the object that holds a function.
        fn around(function: *const c_void) -> Vec<Segment> {
            let mut search = (function as usize, Vec::new());
            // SAFETY: the callback gets what it expects, and no longer than the call lasts.
            unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
            search.1
        }

        /// The pages that some addresses lie in, with the flags of a segment.
        fn of(addresses: Range<usize>, flags: u32) -> Segment {
            // SAFETY: it asks for a number.
            let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
            let start = addresses.start / page * page;
            let write = if flags & libc::PF_W != 0 { libc::PROT_WRITE } else { 0 };
            let run = if flags & libc::PF_X != 0 { libc::PROT_EXEC } else { 0 };
            let access = libc::PROT_READ | write | run;
            Segment { start, bytes: (addresses.end - start).next_multiple_of(page), access }
        }
    }

    /// Looks at one loaded object for the address in a pair; if it is there its segments are the other part.
    unsafe extern "C" fn visit(info: *mut dl_phdr_info, _: size_t, search: *mut c_void) -> c_int {
        // SAFETY: the loader's description, and what `around` handed over.
        let (info, search) = unsafe { (&*info, &mut *search.cast::<(usize, Vec<Segment>)>()) };
        // SAFETY: so many headers are there.
        let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
        let loaded = headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
        let segments = loaded.map(|header| {
            let start = (info.dlpi_addr + header.p_vaddr) as usize;
            Segment::of(start..start + header.p_memsz as usize, header.p_flags)
        });
        let segments: Vec<Segment> = segments.collect();
        let holds =
            |segment: &Segment| (segment.start..segment.start + segment.bytes).contains(&search.0);
        if !segments.iter().any(holds) {
            return 0;
        }
        search.1 = segments;
        1
    }

    /// The part of this thread's stack below its present end. That of the first thread stays as it is: the system lets a stack
    /// that grows not come near other memory.
    #[derive(Debug)]
    pub struct Stack {
        pool: Option<Pool>,
        /// Where the part ends, in the gap.
        end: usize,
    }

    /// What is left free between what calls and what is called on another part of the stack.
    const GAP: usize = 128 << 10;

    impl Stack {
        /// That of the caller, who alone may use it.
        pub fn here() -> Stack {
            /// As much as emitted code uses; what lies deeper stays.
            const BYTES: usize = 512 << 10;
            /// A power of two, so that it shares no factor with the number of places of memory.
            const COUNT: usize = 64;
            let gap = below(&mut || ());
            // SAFETY: both ask for a number.
            let grows = unsafe { libc::gettid() == libc::getpid() };
            let pool = if grows { None } else { Pool::new(BYTES, COUNT) };
            Stack { pool, end: (gap + GAP / 2).next_multiple_of(1 << 16) }
        }

        /// Runs work on the part of a number. Both this and [`Stack::here`] are called from functions that have less than half a
        /// gap between them.
        pub fn run(&mut self, number: usize, work: &mut dyn FnMut()) {
            if let Some(pool) = &self.pool {
                let access = libc::PROT_READ | libc::PROT_WRITE;
                // SAFETY: it lies below the frames of all that is running, and the thread has so much stack.
                unsafe { pool.put(number, 0..pool.bytes, self.end - pool.bytes, access) };
            }
            below(work);
        }
    }

    /// Runs work below a gap in the stack. Where the gap begins.
    #[inline(never)]
    fn below(work: &mut dyn FnMut()) -> usize {
        let mut gap = MaybeUninit::<[u8; GAP]>::uninit();
        let start = black_box(gap.as_mut_ptr()) as usize;
        work();
        black_box(gap.as_mut_ptr());
        start
    }
}

/// Other systems have no such calls.
#[cfg(not(target_os = "linux"))]
mod system {
    use std::ffi::c_void;

    /// No copies.
    #[derive(Debug)]
    pub enum Copies {}

    impl Copies {
        /// Nothing.
        pub fn of(_: *const c_void) -> Option<Copies> {
            None
        }

        /// Never called.
        ///
        /// # Safety
        /// None is needed.
        pub unsafe fn put(&mut self, _: usize) {
            match *self {}
        }
    }

    /// The stack as it is.
    #[derive(Debug)]
    pub struct Stack;

    impl Stack {
        /// That of the caller.
        pub fn here() -> Stack {
            Stack
        }

        /// Runs work.
        pub fn run(&mut self, _: usize, work: &mut dyn FnMut()) {
            work();
        }
    }
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
    fn copies_have_the_addresses_the_constants_and_the_data_of_the_object() {
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
        // SAFETY: no other thread runs it.
        let mut sums = vec![unsafe { next() }];
        let mut copies = Copies::of(next as *const c_void).expect("copies");
        let mut seen = std::collections::BTreeSet::new();
        for number in [0, 1, 1, 1000] {
            // SAFETY: as above; the data of each copy is its own.
            unsafe {
                copies.put(number);
                sums.push(next());
            }
            assert!(mapping(next as usize).contains("r-xs"), "{}", mapping(next as usize));
            seen.insert(mapping(next as usize));
        }
        assert_eq!(sums, [1, 11, 11, 111, 11]);
        assert_eq!(seen.len(), 3, "{seen:?}");
        drop(object);
    }

    #[test]
    fn work_runs_on_other_parts_of_the_stack() {
        let run = || {
            let (mut stack, mut sum, mut here) = (Stack::here(), 0, Vec::new());
            for number in [1, 2, 65] {
                stack.run(number, &mut || {
                    let mut numbers = std::hint::black_box([number; 10_000]);
                    sum += numbers.iter().sum::<usize>();
                    here.push(mapping(numbers.as_mut_ptr() as usize));
                });
            }
            (sum, here)
        };
        let thread = std::thread::Builder::new().stack_size(4 << 20);
        let (sum, here) = thread.spawn(run).expect("a thread").join().expect("it doesn't panic");
        assert_eq!(sum, 68 * 10_000);
        assert!(here[0] != here[1] && here[0] == here[2], "{here:?}");
    }
}
