//! Libraries in C and C++: an adapter is compiled on the user's machine, with the user's headers, into a shared object.

use super::table::{Adapter as Source, Language};
use super::{Request, Run, Unavailable};
use crate::subject::Object;
use nakiri_verify::cc::Compiler;
use sha2::{Digest, Sha256};
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

/// The interface of all adapters.
const HEADER: &str = include_str!("adapters/against.h");

/// Flags of both languages. Warnings about the user's headers are not ours to judge.
const FLAGS: &[&str] = &["-O2", "-fPIC", "-shared", "-w", "-Wl,--no-as-needed"];

type Text = unsafe extern "C" fn() -> *const c_char;
type New = unsafe extern "C" fn(*const c_char, *const c_char, *const u8, usize) -> *mut c_void;
type Encrypt = unsafe extern "C" fn(*mut c_void, *const u8, *mut u8, *const u8, usize) -> c_int;
type Free = unsafe extern "C" fn(*mut c_void);

/// A loaded adapter.
pub(super) struct Adapter {
    /// What the functions are part of.
    _object: Object,
    version: Text,
    features: Text,
    new: New,
    encrypt: Encrypt,
    free: Free,
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
        // SAFETY: the state is of this adapter, which is still loaded; the counter has a block's bytes; the texts have as many as told.
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
}

/// Compiles a library's adapter, unless it has been, and loads it.
///
/// # Errors
/// If the library is not there, or its adapter can't be compiled or loaded.
pub(super) fn load(
    title: &'static str,
    name: &str,
    source: &Source,
    work: &Path,
    cc: &Compiler,
) -> Result<Adapter, Unavailable> {
    let fails = |reason: String| Unavailable::Fails { title, reason };
    let file = write_sources(name, source, work).map_err(fails)?;
    let path = compile(title, source, &file, cc)?;
    // SAFETY: an adapter for this process; the library that it pulls in is the user's own.
    let object = unsafe { Object::load(&path) }.map_err(fails)?;
    functions(object).map_err(fails)
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
            _object: object,
        })
    }
}

fn text(of: Text) -> String {
    // SAFETY: these functions give strings that end with a zero and stay.
    unsafe { CStr::from_ptr(of()) }.to_string_lossy().into_owned()
}

fn write_sources(name: &str, source: &Source, work: &Path) -> Result<PathBuf, String> {
    let suffix = match source.language {
        Language::C => "c",
        Language::Cpp => "cpp",
    };
    let file = work.join(format!("{name}.{suffix}"));
    let failed = |error| format!("can't write its adapter in `{}`: {error}", work.display());
    std::fs::create_dir_all(work).map_err(failed)?;
    write(&work.join("against.h"), HEADER).map_err(failed)?;
    write(&file, source.text).map_err(failed)?;
    Ok(file)
}

/// Writes a file at once: another process may be compiling it.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if std::fs::read(path).is_ok_and(|there| there == text.as_bytes()) {
        return Ok(());
    }
    let unfinished = unfinished(path);
    std::fs::write(&unfinished, text)?;
    std::fs::rename(unfinished, path)
}

fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}", std::process::id()));
    PathBuf::from(name)
}

/// The shared object of an adapter. Its name is the hash of what the preprocessor made of it, so that it is compiled again
/// when the library's headers have changed.
fn compile(
    title: &'static str,
    source: &Source,
    file: &Path,
    cc: &Compiler,
) -> Result<PathBuf, Unavailable> {
    let (program, standard) = match source.language {
        Language::C => (cc.program.clone(), "-std=gnu11"),
        Language::Cpp => (cpp(cc), "-std=c++17"),
    };
    let command = || {
        let mut command = Command::new(&program);
        command.env("LC_ALL", "C").arg(standard).args(FLAGS).args(source.flags).arg(file);
        command
    };
    let run = |mut command: Command| {
        command.output().map_err(|error| Unavailable::Fails {
            title,
            reason: format!(
                "can't run the compiler `{program}` for its adapter: {error}; {HOW_TO_GET_ONE}"
            ),
        })
    };
    let mut preprocess = command();
    preprocess.args(["-E", "-P"]);
    let text = run(preprocess)?;
    if !text.status.success() {
        let message = first_error(&text.stderr);
        return Err(Unavailable::Missing { title, package: source.package, message });
    }
    let hash = Sha256::new().chain_update(format!("{:?}", command())).chain_update(&text.stdout);
    let digits: String = hash.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    let object = file.with_extension(format!("{digits}.so"));
    if object.exists() {
        return Ok(object);
    }
    let unfinished = unfinished(&object);
    let mut build = command();
    build.arg("-o").arg(&unfinished);
    let said = format!("{build:?}");
    let done = run(build)?;
    if !done.status.success() {
        let message = String::from_utf8_lossy(&done.stderr).into_owned();
        return Err(Unavailable::Adapter { title, command: said, message });
    }
    match std::fs::rename(&unfinished, &object) {
        Ok(()) => Ok(object),
        Err(error) => {
            Err(Unavailable::Fails { title, reason: format!("{}: {error}", object.display()) })
        }
    }
}

const HOW_TO_GET_ONE: &str = "install one (apt-get install gcc g++), or name yours in CC and CXX";

/// The C++ compiler that belongs to a C compiler.
fn cpp(cc: &Compiler) -> String {
    std::env::var("CXX").unwrap_or_else(|_| match &cc.program {
        clang if clang.contains("clang") => clang.replace("clang", "clang++"),
        gcc if gcc.contains("gcc") => gcc.replace("gcc", "g++"),
        _ => "c++".to_string(),
    })
}

/// What the compiler missed, without the place in our file.
fn first_error(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let line = text.lines().find_map(|line| line.split_once("error: "));
    line.map_or_else(|| text.trim().to_string(), |(_, message)| message.to_string())
}
