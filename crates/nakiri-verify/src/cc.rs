//! C compilers, and the folders in which they work.

use crate::process::{self, Group};
use crate::Error;
use nakiri::isa::{self, Architecture, Extension, Target, Tool};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The flags under which every emitted file must compile.
pub const STRICT: &[&str] = &["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"];

/// Flags for gcc's and clang's sanitizers. What they watch for is there before optimizing, which only takes time and leaves
/// them less to watch.
pub const SANITIZE: &[&str] =
    &["-O0", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

/// The programs that are looked for, one list for each compiler, preferred names first.
const PROGRAMS: &[&[&str]] = &[&["gcc", "gcc-14", "gcc-13", "gcc-12"], &["clang-19", "clang"]];

/// The Debian package of a compiler for this machine.
pub const PACKAGE: &str = "clang-19";

/// A C compiler on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    /// Its name, looked up in `PATH`, or its path.
    pub program: String,
    /// Its first arguments: for which machine it compiles, if it does for several.
    arguments: &'static [&'static str],
    /// What it is told to use.
    extension: Option<&'static Extension>,
}

impl Compiler {
    /// The compiler of this name or path, which may not be there.
    pub fn new(program: impl Into<String>) -> Compiler {
        Compiler { program: program.into(), arguments: &[], extension: None }
    }

    /// The compiler to use when any will do: that of the environment variable `CC`, or else the first found.
    ///
    /// # Errors
    /// [`Error::NoCompiler`] if there is none.
    pub fn find() -> Result<Compiler, Error> {
        let chosen = std::env::var("CC").ok().filter(|program| works(program));
        let found = chosen.map(Compiler::new).or_else(|| all().into_iter().next());
        found.ok_or_else(|| Error::NoCompiler {
            tried: PROGRAMS.iter().copied().flatten().map(|p| p.to_string()).collect(),
            package: PACKAGE,
        })
    }

    /// The compiler to use for a target: that of [`Compiler::find`], or for another architecture a cross compiler. C that is for
    /// every machine is compiled for this one if there is none.
    ///
    /// # Errors
    /// [`Error::NoCompiler`] if there is none.
    pub fn for_target(target: &Target) -> Result<Compiler, Error> {
        let compiler = match Compiler::cross(target.architecture) {
            _ if is_host(target.architecture) => Compiler::find(),
            Err(_) if target.guard().is_none() => Compiler::find(),
            cross => cross,
        };
        compiler.map(|compiler| compiler.told(target))
    }

    /// The compiler for an architecture that is not this CPU's.
    ///
    /// # Errors
    /// [`Error::NoCompiler`] if it is missing, or what it needs for a program.
    pub fn cross(architecture: &Architecture) -> Result<Compiler, Error> {
        let Tool { program, arguments, package } = architecture.compiler;
        let compiler = Compiler { arguments, ..Compiler::new(program) };
        match works(program) && (arguments.is_empty() || compiler.links()) {
            true => Ok(compiler),
            false => {
                let tried = vec![[&[program], arguments].concat().join(" ")];
                Err(Error::NoCompiler { tried, package })
            }
        }
    }

    /// The same compiler, told to use what a target needs; the one that is meant where the target names it.
    pub fn told(self, target: &Target) -> Compiler {
        let tool = target.architecture.compiler;
        let named = self.program == tool.program && !is_host(target.architecture);
        let arguments = if named { tool.arguments } else { self.arguments };
        Compiler { arguments, extension: target.extension, ..self }
    }

    /// Whether it can make programs: libraries and a linker are packages of their own.
    fn links(&self) -> bool {
        static KNOWN: Mutex<BTreeMap<&[&str], bool>> = Mutex::new(BTreeMap::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        *known.entry(self.arguments).or_insert_with(|| {
            let linked = Work::new().and_then(|work| {
                let source = work.write("empty.c", b"int main(void)\n{\n    return 0;\n}\n")?;
                self.compile(&[&source], &["-static"], &work.path("empty"))
            });
            linked.is_ok()
        })
    }

    /// What it is told to use.
    pub fn extension(&self) -> Option<&'static Extension> {
        self.extension
    }

    /// The machine that it compiles for, as it says: `x86_64-linux-gnu`. Empty if it doesn't say.
    pub fn machine(&self) -> String {
        type Machines = BTreeMap<(String, &'static [&'static str]), String>;
        static KNOWN: Mutex<Machines> = Mutex::new(BTreeMap::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let machine = known.entry((self.program.clone(), self.arguments)).or_insert_with(|| {
            let asked =
                Command::new(&self.program).args(self.arguments).arg("-dumpmachine").output();
            let said = asked.ok().filter(|done| done.status.success()).map(|done| done.stdout);
            String::from_utf8_lossy(&said.unwrap_or_default()).trim().to_string()
        });
        machine.clone()
    }

    /// What tells it from others: the program with its version, the machine, its own arguments, and what runs its programs.
    pub fn identity(&self) -> String {
        static KNOWN: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let said = |program: &str| {
            let said = Command::new(program).arg("--version").output();
            said.map(|done| String::from_utf8_lossy(&done.stdout).into_owned()).unwrap_or_default()
        };
        let mut version = |program: &str| {
            known.entry(program.to_string()).or_insert_with(|| said(program)).clone()
        };
        let emulator = self.foreign().map(|foreign| version(foreign.emulator.program));
        let program = version(&self.program);
        format!("{program}{}{:?}{:?}{emulator:?}", self.machine(), self.arguments, self.extension)
    }

    /// The architecture that it compiles for, if that is another than this CPU's.
    pub fn foreign(&self) -> Option<&'static Architecture> {
        let machine = self.machine();
        let architectures = isa::architectures().into_iter();
        architectures.filter(|a| !is_host(a)).find(|a| a.has_machine(&machine))
    }

    /// Whether it can compile a target's C.
    ///
    /// # Errors
    /// [`Error::WrongCompiler`] if the target is for another architecture.
    pub fn compiles_for(&self, target: &Target) -> Result<(), Error> {
        let fits = match self.foreign() {
            Some(architecture) => architecture == target.architecture,
            None => is_host(target.architecture),
        };
        let told = target.extension.is_none() || self.extension == target.extension;
        if fits && told || target.guard().is_none() {
            return Ok(());
        }
        Err(Error::WrongCompiler {
            program: self.program.clone(),
            machine: self.machine(),
            target: target.name,
            instead: target.architecture.compiler,
        })
    }

    /// The compiler of this name; `gcc` and `clang` mean any of their family.
    ///
    /// # Errors
    /// [`Error::NoCompiler`] if there is no such program or it doesn't run.
    pub fn named(program: &str) -> Result<Compiler, Error> {
        let family = PROGRAMS.iter().find(|names| names.contains(&program));
        let versions = match (program, family) {
            ("gcc" | "clang", Some(names)) => names,
            _ => &[][..],
        };
        let names: Vec<&str> = std::iter::once(program).chain(versions.iter().copied()).collect();
        let mut cross = isa::architectures().into_iter().map(|a| a.compiler);
        let package = cross.find(|tool| tool.program == program);
        let package = package.map_or(PACKAGE, |tool| tool.package);
        match names.iter().find(|name| works(name)) {
            Some(name) => Ok(Compiler::new(*name)),
            None => Err(Error::NoCompiler { tried: vec![program.to_string()], package }),
        }
    }

    /// Its family and version, such as `gcc 12.2.0`: what it prints about itself.
    pub fn version(&self) -> String {
        let said = Command::new(&self.program).arg("--version").output();
        let said = said.map(|done| String::from_utf8_lossy(&done.stdout).into_owned());
        let line = said.unwrap_or_default().lines().next().unwrap_or_default().to_string();
        let family = if line.contains("clang") { "clang" } else { "gcc" };
        let number = |word: &&str| {
            word.contains('.') && word.chars().all(|c| c.is_ascii_digit() || c == '.')
        };
        match line.split_whitespace().rfind(number) {
            Some(version) => format!("{family} {version}"),
            None => line,
        }
    }

    /// Compiles C files with [`STRICT`] and more flags to `output`: an executable, or an object file if `-c` is among
    /// the flags.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the compiler said; warnings are errors.
    pub fn compile(&self, sources: &[&Path], flags: &[&str], output: &Path) -> Result<(), Error> {
        self.compile_within(sources, flags, output, None)
    }

    /// Like [`Compiler::compile`], but ends the compiler and all that it started after some time.
    ///
    /// # Errors
    /// [`Error::Late`] if it took longer.
    pub fn compile_within(
        &self,
        sources: &[&Path],
        flags: &[&str],
        output: &Path,
        limit: Option<Duration>,
    ) -> Result<(), Error> {
        let mut command = Command::new(&self.program);
        let told = self.extension.map_or(&[][..], |extension| extension.flags);
        command.args(self.arguments).args(STRICT).args(told).args(flags).args(sources);
        command.arg("-o").arg(output);
        let failed = |error| Error::Io { path: PathBuf::from(&self.program), error };
        let child = Group::spawn(command.stdout(Stdio::null()).stderr(Stdio::piped()));
        let child = child.map_err(failed)?;
        let (succeeded, message) = watch(child, limit).map_err(failed)?;
        match succeeded {
            Some(true) => Ok(()),
            Some(false) => Err(Error::Refused { command: format!("{command:?}"), message }),
            None => Err(Error::Late { program: self.program.clone() }),
        }
    }
}

/// Waits for a process, or ends it after some time: whether it succeeded, if it ended by itself, and what it wrote to
/// standard error.
fn watch(mut group: Group, limit: Option<Duration>) -> io::Result<(Option<bool>, String)> {
    let errors = group.child.stderr.take();
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        let read = errors.map_or(Ok(0), |mut errors| errors.read_to_end(&mut text));
        read.map(|_| String::from_utf8_lossy(&text).into_owned())
    });
    let Some(status) = group.wait(limit)? else {
        // What it started may hold its standard error open: that is not waited for.
        return Ok((None, String::new()));
    };
    let message = reader.join().unwrap_or_else(|_| Ok(String::new()))?;
    Ok((Some(status.success()), message))
}

/// The compilers for this machine: at most one gcc and one clang.
pub fn all() -> Vec<Compiler> {
    let found = |names: &&'static [&'static str]| names.iter().copied().find(|name| works(name));
    PROGRAMS.iter().filter_map(found).map(Compiler::new).collect()
}

/// The compilers for a target: those for this machine if it is of the target's architecture, else a cross compiler.
///
/// # Errors
/// [`Error::NoCompiler`] if there is none.
pub fn all_for(target: &Target) -> Result<Vec<Compiler>, Error> {
    let compilers = match is_host(target.architecture) {
        true => Compiler::find().map(|_| all())?,
        false => vec![Compiler::cross(target.architecture)?],
    };
    Ok(compilers.into_iter().map(|compiler| compiler.told(target)).collect())
}

/// Whether this CPU is of an architecture.
pub fn is_host(architecture: &Architecture) -> bool {
    architecture.name == std::env::consts::ARCH
}

/// Whether a program is there and says its version. What did once is not asked again.
pub fn works(program: &str) -> bool {
    static KNOWN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if known().contains(program) {
        return true;
    }
    let said = Command::new(program).arg("--version").output();
    let works = said.is_ok_and(|done| done.status.success());
    if works {
        known().insert(program.to_string());
    }
    works
}

/// A folder for temporary files, removed when dropped.
#[derive(Debug)]
pub struct Work {
    folder: PathBuf,
}

impl Work {
    /// A new folder in the system's temporary folder.
    ///
    /// # Errors
    /// [`Error::Io`] if it can't be made.
    pub fn new() -> Result<Work, Error> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("nakiri-{}-{number}", std::process::id());
            let folder = std::env::temp_dir().join(name);
            match std::fs::create_dir(&folder) {
                Ok(()) => {
                    process::made(&folder);
                    return Ok(Work { folder });
                }
                // A process of the same number was killed and left it.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(Error::Io { path: folder, error }),
            }
        }
    }

    /// The path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes a file.
    ///
    /// # Errors
    /// [`Error::Io`] if it can't be written.
    pub fn write(&self, name: &str, content: &[u8]) -> Result<PathBuf, Error> {
        let path = self.path(name);
        match std::fs::write(&path, content) {
            Ok(()) => Ok(path),
            Err(error) => Err(Error::Io { path, error }),
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`Error::Io`] if it can't be read.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, Error> {
        let path = self.path(name);
        std::fs::read(&path).map_err(|error| Error::Io { path, error })
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        // Nothing can be done about a folder that stays.
        let _ = std::fs::remove_dir_all(&self.folder);
        process::removed(&self.folder);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn what_a_compiler_has_started_ends_with_it() {
        let work = Work::new().expect("a folder");
        let number = work.path("number");
        let text = format!("#!/bin/sh\nsleep 600 &\necho $! > {}\nwait\n", number.display());
        let driver = work.write("driver", text.as_bytes()).expect("a script");
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&driver, executable).expect("it may run");
        let compiler = Compiler::new(driver.display().to_string());
        let limit = Some(Duration::from_secs(1));
        let ended = compiler.compile_within(&[], &[], &work.path("out"), limit);
        assert!(matches!(ended, Err(Error::Late { .. })), "{ended:?}");
        let number = std::fs::read_to_string(number).expect("it has started something");
        let alive = || {
            let listed = Command::new("ps").args(["-o", "stat=", "-p", number.trim()]).output();
            let state = listed.expect("ps").stdout;
            !state.is_empty() && !state.starts_with(b"Z")
        };
        let ends = (0..100).any(|_| {
            std::thread::sleep(Duration::from_millis(20));
            !alive()
        });
        assert!(ends, "process {number} goes on");
    }
}
