//! A library with entry points for measuring, loaded: see `nakiri::emit::c::probes`.

use crate::against::Mode;
use crate::measure::places::Copies;
use crate::subject::{Buffer, Object};
use nakiri::emit::c::probes::Sizes;
use std::ffi::c_void;
use std::path::Path;

type Key = unsafe extern "C" fn(*const u8);
type Kernel = unsafe extern "C" fn(*mut u8, *const u8, usize);
type Transposition = unsafe extern "C" fn(*mut u8, *mut u8, *const u8, usize);
type Blocks = unsafe extern "C" fn(*mut u8, *const u8, usize);
type Counter = unsafe extern "C" fn(*const u8, *mut u8, *const u8, usize);
type SelfTest = unsafe extern "C" fn() -> i32;

/// A loaded library and the memory that its parts work on.
#[derive(Debug)]
pub struct Probed {
    set_key: Key,
    key: Vec<u8>,
    kernel: Kernel,
    transposition: Transposition,
    blocks: Blocks,
    ctr: Option<Counter>,
    self_test: SelfTest,
    /// What its functions need to know of memory.
    pub sizes: Sizes,
    registers: Buffer,
    input: Buffer,
    output: Buffer,
    counter: Vec<u8>,
    copies: Option<Copies>,
    // Dropped last: the functions above live in it.
    _object: Object,
}

impl Probed {
    /// Loads a library and sets its key. Messages may have up to this many bytes.
    ///
    /// # Errors
    /// What the loader says, or which size doesn't fit.
    ///
    /// # Safety
    /// The file must be one made from `nakiri::emit::c::probed`, and this CPU must have its target's features.
    pub unsafe fn load(
        path: &Path,
        key: &[u8],
        counter: &[u8],
        message: usize,
    ) -> Result<Probed, String> {
        // SAFETY: the caller's promise; the types are those of the entry points.
        let (object, array, set_key, kernel, transposition, blocks, ctr, self_test) = unsafe {
            let object = Object::load(path)?;
            let array: *const [usize; Sizes::COUNT] = object.function("probe_sizes")?;
            let set_key: Key = object.function("probe_key")?;
            let kernel: Kernel = object.function("probe_kernel")?;
            let transposition: Transposition = object.function("probe_transposition")?;
            let blocks: Blocks = object.function("probe_blocks")?;
            let ctr: Option<Counter> = object.function("probe_ctr").ok();
            let self_test: SelfTest = object.function("probe_self_test")?;
            (object, *array, set_key, kernel, transposition, blocks, ctr, self_test)
        };
        let sizes = Sizes::of(array);
        if key.len() != sizes.key {
            return Err(format!("a key of {} bytes, not {}", key.len(), sizes.key));
        }
        if ctr.is_some() && counter.len() != sizes.block_in {
            return Err(format!("a counter of {} bytes, not {}", counter.len(), sizes.block_in));
        }
        // SAFETY: the key has the size that it reads.
        unsafe { set_key(key.as_ptr()) };
        let mut probed = Probed {
            set_key,
            key: key.to_vec(),
            kernel,
            transposition,
            blocks,
            ctr,
            self_test,
            sizes,
            registers: Buffer::new(sizes.registers_in + sizes.registers_out, 1024 + 64),
            input: Buffer::new(0, 0),
            output: Buffer::new(0, 0),
            counter: counter.to_vec(),
            copies: Copies::of(kernel as *const c_void),
            _object: object,
        };
        probed.reserve(message.max(sizes.blocks * probed.block_bytes()));
        Ok(probed)
    }

    /// Has its code and the memory that it works on lie in the places of a number.
    pub fn move_to(&mut self, place: usize) {
        self.registers.move_to(place);
        self.input.move_to(2 * place);
        self.output.move_to(3 * place);
        if let Some(copies) = &mut self.copies {
            // SAFETY: the object lives as long as this, and this thread, which runs its code, is here.
            unsafe { copies.put(place) };
        }
    }

    /// Makes room for messages of this many bytes.
    pub fn reserve(&mut self, message: usize) {
        let bytes = message + self.block_bytes();
        if bytes <= self.input.bytes().len() {
            return;
        }
        self.input = Buffer::new(bytes, 0);
        self.output = Buffer::new(bytes, 2048 + 128);
        // Any text will do: the time doesn't depend on it.
        for (byte, k) in self.input.bytes_mut().iter_mut().zip(0u32..) {
            *byte = ((k * 167) >> 3) as u8;
        }
    }

    /// Bytes of a block: of its parameters, or of its results if these are more.
    pub fn block_bytes(&self) -> usize {
        self.sizes.block_in.max(self.sizes.block_out)
    }

    /// How [`Probed::message`] makes a message of blocks.
    pub fn mode(&self) -> Mode {
        match (self.ctr, self.sizes.key) {
            (Some(_), _) => Mode::Ctr,
            (None, 0) => Mode::Blocks,
            (None, _) => Mode::Ecb,
        }
    }

    /// Runs its self test and compares its parts, put together, with the whole.
    ///
    /// # Errors
    /// What came out wrong.
    pub fn check(&mut self) -> Result<(), String> {
        // SAFETY: it takes nothing.
        let failed = unsafe { (self.self_test)() };
        if failed != 0 {
            return Err("its self test fails: it computes other than its vectors say".to_string());
        }
        let (batch, size) = (self.sizes.blocks, self.sizes.blocks * self.sizes.block_out);
        self.blocks(batch);
        let whole = self.output.bytes()[..size].to_vec();
        self.output.bytes_mut().fill(0);
        self.transposition(1);
        self.kernel(1);
        self.transposition(1);
        match self.output.bytes()[..size] == whole {
            true => Ok(()),
            false => Err("its kernel and transpositions don't compute what it does".to_string()),
        }
    }

    /// Runs the kernel some times on the registers of its parameters.
    pub fn kernel(&mut self, times: usize) {
        let (input, output) = self.registers.bytes_mut().split_at_mut(self.sizes.registers_in);
        // SAFETY: both are as large as it says, and aligned: registers' sizes are multiples of their alignment.
        unsafe { (self.kernel)(output.as_mut_ptr(), input.as_ptr(), times) }
    }

    /// Sets its key again.
    pub fn set_key(&mut self) {
        // SAFETY: the key has the size that it reads.
        unsafe { (self.set_key)(self.key.as_ptr()) }
    }

    /// Transposes a batch in and one out, some times.
    pub fn transposition(&mut self, times: usize) {
        let registers = self.registers.bytes_mut().as_mut_ptr();
        let (output, input) = (self.output.bytes_mut().as_mut_ptr(), self.input.bytes().as_ptr());
        // SAFETY: the memory holds a batch on both sides.
        unsafe { (self.transposition)(registers, output, input, times) }
    }

    /// Processes whole blocks, which must be no more than the message that it was loaded for or one batch.
    pub fn blocks(&mut self, blocks: usize) {
        assert!(blocks * self.block_bytes() <= self.input.bytes().len(), "{blocks} blocks");
        let (output, input) = (self.output.bytes_mut().as_mut_ptr(), self.input.bytes().as_ptr());
        // SAFETY: the memory holds them.
        unsafe { (self.blocks)(output, input, blocks) }
    }

    /// Processes a message of a number of bytes in counter mode, or else as many whole blocks as it has.
    pub fn message(&mut self, bytes: usize) {
        assert!(bytes <= self.input.bytes().len(), "{bytes} bytes");
        let Some(ctr) = self.ctr else {
            return self.blocks(bytes / self.block_bytes());
        };
        let (output, input) = (self.output.bytes_mut().as_mut_ptr(), self.input.bytes().as_ptr());
        // SAFETY: the memory holds the message, and the counter has a block's size.
        unsafe { ctr(self.counter.as_ptr(), output, input, bytes) }
    }

    /// Encrypts a message with a counter block in counter mode, or else its whole blocks; to memory of the same size.
    pub fn encrypt(&mut self, counter: &[u8], output: &mut [u8], message: &[u8]) {
        assert_eq!(output.len(), message.len(), "one length");
        let (output, input) = (output.as_mut_ptr(), message.as_ptr());
        match self.ctr {
            Some(ctr) => {
                assert_eq!(counter.len(), self.sizes.block_in, "a counter block");
                // SAFETY: the counter has a block's size, and both texts have as many bytes.
                unsafe { ctr(counter.as_ptr(), output, input, message.len()) }
            }
            None => {
                let blocks = message.len() / self.block_bytes();
                // SAFETY: both texts have as many blocks.
                unsafe { (self.blocks)(output, input, blocks) }
            }
        }
    }

    /// What the last message became.
    pub fn output(&self) -> &[u8] {
        self.output.bytes()
    }
}
