//! Libraries in C and C++, reached by the functions of an adapter.

use super::build::Build;
use super::{Request, Run, Unavailable};
use crate::subject::Object;
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::rc::Rc;

type Text = unsafe extern "C" fn() -> *const c_char;
type New = unsafe extern "C" fn(*const c_char, *const c_char, *const u8, usize) -> *mut c_void;
type Encrypt = unsafe extern "C" fn(*mut c_void, *const u8, *mut u8, *const u8, usize) -> c_int;
type Free = unsafe extern "C" fn(*mut c_void);
type Function = unsafe extern "C" fn(*const c_char, *const c_char) -> *mut c_void;
type Call = unsafe extern "C" fn(*mut c_void, *const Message) -> c_int;

/// `struct against_message`: what a function is called with.
#[repr(C)]
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) key: *const u8,
    pub(super) key_bytes: usize,
    pub(super) nonce: *const u8,
    pub(super) nonce_bytes: usize,
    pub(super) input: *const u8,
    pub(super) output: *mut u8,
    pub(super) bytes: usize,
    pub(super) tag: *mut u8,
    pub(super) tag_bytes: usize,
}

/// A loaded adapter.
pub(super) struct Adapter {
    /// What the functions are part of.
    _object: Object,
    version: Text,
    features: Text,
    new: New,
    encrypt: Encrypt,
    free: Free,
    functions: Option<Functions>,
}

/// What an adapter with functions on messages has besides.
#[derive(Clone, Copy)]
struct Functions {
    function: Function,
    call: Call,
    done: Free,
}

/// A function on messages, inside the library.
pub(super) struct OnMessages {
    functions: Functions,
    state: *mut c_void,
    // Dropped last: the functions live in it.
    _adapter: Rc<Adapter>,
}

impl OnMessages {
    /// Calls it. What the library refuses is not written, which a comparison finds.
    ///
    /// # Safety
    /// The memory of the message is as large as it says.
    pub(super) unsafe fn call(&self, message: &Message) {
        // SAFETY: the state is of this adapter, which is still loaded; the caller's promise.
        unsafe { (self.functions.call)(self.state, message) };
    }
}

impl Drop for OnMessages {
    fn drop(&mut self) {
        // SAFETY: `state` is of this adapter, which is still loaded, and is not used again.
        unsafe { (self.functions.done)(self.state) }
    }
}

/// A cipher with its key, inside the library.
struct Cipher {
    adapter: Rc<Adapter>,
    state: *mut c_void,
    block_bytes: usize,
}

impl Cipher {
    /// What the library refuses is not written, which a comparison finds.
    fn encrypt(&self, counter: &[u8], out: &mut [u8], message: &[u8]) {
        assert!(counter.len() >= self.block_bytes, "a counter is a whole block");
        let bytes = message.len().min(out.len());
        // SAFETY: the state is of this adapter, which is still loaded; the counter has a block's bytes; both texts have
        // as many as told.
        unsafe {
            (self.adapter.encrypt)(
                self.state,
                counter.as_ptr(),
                out.as_mut_ptr(),
                message.as_ptr(),
                bytes,
            );
        }
    }
}

impl Drop for Cipher {
    fn drop(&mut self) {
        // SAFETY: `state` is of this adapter, which is still loaded, and is not used again.
        unsafe { (self.adapter.free)(self.state) }
    }
}

impl Adapter {
    /// The library's version.
    pub(super) fn version(&self) -> String {
        text(self.version)
    }

    /// What the library says it uses.
    pub(super) fn features(&self) -> String {
        text(self.features)
    }

    /// The cipher of a request, by the library's name for it.
    ///
    /// # Errors
    /// If the library was built without it.
    pub(super) fn run(
        self: &Rc<Adapter>,
        algorithm: &str,
        request: &Request,
    ) -> Result<Box<Run>, String> {
        let string = |text: &str| CString::new(text).map_err(|error| error.to_string());
        let (name, mode, key) = (string(algorithm)?, string(request.mode.name())?, &request.key);
        // SAFETY: two strings that end with a zero, and as many bytes of key as are told.
        let state = unsafe { (self.new)(name.as_ptr(), mode.as_ptr(), key.as_ptr(), key.len()) };
        if state.is_null() {
            return Err(format!("this build of it offers no {algorithm}"));
        }
        let cipher = Cipher { adapter: self.clone(), state, block_bytes: request.block_bytes };
        Ok(Box::new(move |counter, out, message| cipher.encrypt(counter, out, message)))
    }

    /// A function on messages, by the library's name for it and by what is done.
    ///
    /// # Errors
    /// If the library was built without it.
    pub(super) fn function(
        self: &Rc<Adapter>,
        algorithm: &str,
        what: &str,
    ) -> Result<OnMessages, String> {
        let missing = || format!("this build of it offers no {algorithm}");
        let functions = self.functions.ok_or_else(missing)?;
        let string = |text: &str| CString::new(text).map_err(|error| error.to_string());
        let (name, what) = (string(algorithm)?, string(what)?);
        // SAFETY: two strings that end with a zero.
        let state = unsafe { (functions.function)(name.as_ptr(), what.as_ptr()) };
        match state.is_null() {
            true => Err(missing()),
            false => Ok(OnMessages { functions, state, _adapter: self.clone() }),
        }
    }
}

/// Compiles a library's adapter, unless it has been, and loads it.
///
/// # Errors
/// If the library is not there, or its adapter can't be compiled or loaded.
pub(super) fn load(build: &Build) -> Result<Adapter, Unavailable> {
    let path = build.object()?;
    // SAFETY: an adapter for this process; the library that it pulls in is the user's own.
    let object = unsafe { Object::load(&path) }.map_err(|reason| build.fails(reason))?;
    functions(object).map_err(|reason| build.fails(reason))
}

fn functions(object: Object) -> Result<Adapter, String> {
    // SAFETY: the types are those of `against.h`, against which the adapter was compiled; the adapter keeps the object.
    unsafe {
        Ok(Adapter {
            version: object.function("against_version")?,
            features: object.function("against_features")?,
            new: object.function("against_new")?,
            encrypt: object.function("against_run")?,
            free: object.function("against_free")?,
            functions: on_messages(&object),
            _object: object,
        })
    }
}

/// What an adapter has for messages, if it has.
///
/// # Safety
/// The object must be one made of an adapter.
unsafe fn on_messages(object: &Object) -> Option<Functions> {
    // SAFETY: the types are those of `against.h`.
    unsafe {
        Some(Functions {
            function: object.function("against_function").ok()?,
            call: object.function("against_call").ok()?,
            done: object.function("against_done").ok()?,
        })
    }
}

fn text(of: Text) -> String {
    // SAFETY: these functions give strings that end with a zero and stay.
    unsafe { CStr::from_ptr(of()) }.to_string_lossy().into_owned()
}
