//! A library with a table of its functions on messages, loaded: see `nakiri::emit::c::timed`.

use crate::measure::places::Copies;
use crate::measure::Workload;
use crate::subject::{Buffer, Object};
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::path::Path;
use std::rc::Rc;

/// The most messages that are processed at once: `BENCH_MANY`.
pub const MANY: usize = 64;

type Function = unsafe extern "C" fn(*const Call);

/// `struct bench`: what a function is called with.
#[repr(C)]
struct Call {
    length: usize,
    count: usize,
    input: *const u8,
    output: *mut u8,
    inputs: *const u8,
    results: *mut u8,
    texts: [*mut u8; MANY],
    lengths: [usize; MANY],
    none: [usize; MANY],
}

/// `struct measured`: a row of the table.
#[repr(C)]
#[derive(Clone, Copy)]
struct Row {
    name: *const c_char,
    supported: Option<unsafe extern "C" fn() -> c_int>,
    variants: Option<unsafe extern "C" fn() -> *const *const c_char>,
    use_variant: Option<unsafe extern "C" fn(*const c_char) -> c_int>,
    before: Option<Function>,
    alone: Option<Function>,
    many: Option<Function>,
    back: c_int,
    unit: usize,
    most: usize,
}

/// A loaded library.
pub struct Functions {
    rows: Vec<(String, Row)>,
    /// The most bytes that a call takes beside messages, or gives as a result.
    largest: usize,
    object: Rc<Object>,
}

impl Functions {
    /// Loads a library and runs its self test.
    ///
    /// # Errors
    /// What the loader says, or that the self test fails.
    ///
    /// # Safety
    /// The file must be one made from `nakiri::emit::c::timed`.
    pub unsafe fn load(path: &Path) -> Result<Functions, String> {
        type Table = unsafe extern "C" fn() -> *const Row;
        type Size = unsafe extern "C" fn() -> usize;
        type SelfTest = unsafe extern "C" fn() -> c_int;
        // SAFETY: the caller's promise; the types are those of the entry points, which take nothing.
        unsafe {
            let object = Object::load(path)?;
            let table: Table = object.function("timed_functions")?;
            let largest: Size = object.function("timed_largest")?;
            let self_test: SelfTest = object.function("timed_self_test")?;
            if self_test() != 0 {
                let message = "its self test fails: it computes other than its vectors say";
                return Err(message.to_string());
            }
            let (mut rows, mut row) = (Vec::new(), table());
            while !(*row).name.is_null() {
                rows.push((CStr::from_ptr((*row).name).to_string_lossy().into_owned(), *row));
                row = row.add(1);
            }
            Ok(Functions { rows, largest: largest(), object: Rc::new(object) })
        }
    }

    /// The names of the functions that this CPU runs.
    pub fn names(&self) -> Vec<String> {
        // SAFETY: a function of the loaded object that takes nothing.
        let runs = |row: &Row| row.supported.is_none_or(|supported| unsafe { supported() } != 0);
        self.rows.iter().filter(|(_, row)| runs(row)).map(|(name, _)| name.clone()).collect()
    }

    /// The variants of a function that this CPU runs, best first.
    pub fn variants(&self, name: &str) -> Vec<CString> {
        let Some(variants) = self.row(name).and_then(|row| row.variants) else { return Vec::new() };
        let mut all = Vec::new();
        // SAFETY: a function of the loaded object that takes nothing and gives strings, of which the last is null.
        unsafe {
            let mut variant = variants();
            while !(*variant).is_null() {
                all.push(CStr::from_ptr(*variant).to_owned());
                variant = variant.add(1);
            }
        }
        all.retain(|variant| self.use_variant(name, Some(variant)));
        self.use_variant(name, None);
        all
    }

    /// Has a function go by a variant, or by what is best again; whether the CPU runs that.
    pub fn use_variant(&self, name: &str, variant: Option<&CStr>) -> bool {
        let Some(use_variant) = self.row(name).and_then(|row| row.use_variant) else {
            return false;
        };
        // SAFETY: a function of the loaded object that takes a string or null.
        unsafe { use_variant(variant.map_or(std::ptr::null(), CStr::as_ptr)) == 0 }
    }

    fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|(own, _)| own == name).map(|(_, row)| row)
    }

    /// A function with what it is called with: one message of some bytes, or several at once. Nothing if there is no such
    /// function, if it takes one message at a time, or no message of this length.
    pub fn called(&self, name: &str, bytes: usize, messages: usize) -> Option<Called> {
        let row = self.row(name)?;
        let bytes = bytes - bytes % row.unit.max(1);
        let function = if messages == 1 { row.alone } else { row.many }?;
        (bytes > 0 && bytes <= row.most && (1..=MANY).contains(&messages))
            .then(|| Called::new(row, function, [bytes, messages, self.largest], &self.object))
    }
}

/// A function and the memory that it works on.
pub struct Called {
    function: Function,
    call: Box<Call>,
    /// Messages that are changed in place, or one that is read.
    texts: Buffer,
    output: Buffer,
    inputs: Vec<u8>,
    results: Vec<u8>,
    /// What a function that goes back reads: it may not be moved, since it must be right.
    made: Vec<u8>,
    copies: Option<Copies>,
    // Dropped last: the function lives in it.
    _object: Rc<Object>,
}

impl Called {
    fn new(
        row: &Row,
        function: Function,
        [bytes, messages, largest]: [usize; 3],
        object: &Rc<Object>,
    ) -> Called {
        let call = Call {
            length: bytes,
            count: messages,
            input: std::ptr::null(),
            output: std::ptr::null_mut(),
            inputs: std::ptr::null(),
            results: std::ptr::null_mut(),
            texts: [std::ptr::null_mut(); MANY],
            lengths: [bytes; MANY],
            none: [0; MANY],
        };
        let mut called = Called {
            function,
            call: Box::new(call),
            texts: Buffer::new(bytes * messages, 0),
            output: Buffer::new(bytes, 2048 + 128),
            // No two bytes of a key are the same, nor its halves: some libraries refuse those.
            inputs: (0..MANY * largest).map(|k| (k * 37 + 27) as u8).collect(),
            results: vec![0; MANY * largest],
            made: Vec::new(),
            copies: None,
            _object: object.clone(),
        };
        for (byte, k) in called.texts.bytes_mut().iter_mut().zip(0u32..) {
            *byte = ((k * 167) >> 3) as u8;
        }
        called.place();
        if let Some(before) = row.before {
            // SAFETY: the call describes memory of this function's, which is as large as it says.
            unsafe { before(&*called.call) };
        }
        if row.back != 0 {
            called.made = called.output.bytes()[..bytes].to_vec();
            called.place();
        }
        called.copies = Copies::of(function as *const c_void);
        called
    }

    /// Says in the call where everything lies.
    fn place(&mut self) {
        let (length, texts) = (self.call.length, self.texts.bytes_mut().as_mut_ptr());
        let count = self.call.count;
        let input = if self.made.is_empty() { texts.cast_const() } else { self.made.as_ptr() };
        let call = &mut *self.call;
        (call.input, call.output) = (input, self.output.bytes_mut().as_mut_ptr());
        (call.inputs, call.results) = (self.inputs.as_ptr(), self.results.as_mut_ptr());
        for (k, text) in call.texts[..count].iter_mut().enumerate() {
            *text = texts.wrapping_add(k * length);
        }
    }

    /// Bytes of a message.
    pub fn length(&self) -> usize {
        self.call.length
    }

    /// The message that it reads, where it is one.
    pub fn message(&self) -> &[u8] {
        let own = if self.made.is_empty() { self.texts.bytes() } else { &self.made };
        &own[..self.call.length]
    }

    /// Keys and the like: each of them begins at the first byte.
    pub fn inputs(&self) -> &[u8] {
        &self.inputs
    }

    /// What became of the message, and the digest or the tag.
    pub fn results(&self) -> (&[u8], &[u8]) {
        (&self.output.bytes()[..self.call.length], &self.results)
    }
}

impl Workload for Called {
    fn move_to(&mut self, place: usize) {
        self.texts.move_to(2 * place);
        self.output.move_to(3 * place);
        self.place();
        if let Some(copies) = &mut self.copies {
            // SAFETY: the object lives as long as this, and this thread, which runs its code, is here.
            unsafe { copies.put(place) };
        }
    }

    fn run(&mut self) {
        // SAFETY: the call describes memory of this, which is as large as it says.
        unsafe { (self.function)(&*self.call) }
    }
}
