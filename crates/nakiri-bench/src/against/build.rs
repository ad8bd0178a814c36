//! Compiling a library's adapter on the user's machine, with the user's headers, into a shared object.

use super::table::{Adapter, Language};
use super::Unavailable;
use nakiri_verify::cc::Compiler;
use sha2::{Digest, Sha256};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The interface of all adapters.
const HEADER: &str = include_str!("adapters/against.h");

/// Flags of both languages. Warnings about the user's headers are not ours to judge.
const FLAGS: &[&str] = &["-O2", "-fPIC", "-shared", "-w", "-Wl,--no-as-needed"];

/// What is compiled, and how.
pub(super) struct Build<'a> {
    /// The library's name for people.
    pub(super) title: &'a str,
    /// Its name in file names.
    pub(super) name: &'a str,
    /// The adapter.
    pub(super) adapter: &'a Adapter,
    /// The folder for the files.
    pub(super) folder: &'a Path,
    /// The C compiler.
    pub(super) cc: &'a Compiler,
}

impl Build<'_> {
    /// The shared object. Its name has a hash of what the preprocessor makes of the adapter, so that it is compiled again
    /// when the library's headers have changed, and only then.
    ///
    /// # Errors
    /// If the library is not there, or its adapter can't be compiled.
    pub(super) fn object(&self) -> Result<PathBuf, Unavailable> {
        let file = self.write_sources().map_err(|error| {
            let folder = self.folder.display();
            self.fails(format!("can't write its adapter in `{folder}`: {error}"))
        })?;
        let command = || self.command(&file);
        let text = self.preprocessed(command())?;
        let hash = Sha256::new().chain_update(format!("{:?}", command())).chain_update(text);
        let digits: String = hash.finalize()[..8].iter().map(|b| format!("{b:02x}")).collect();
        let object = file.with_extension(format!("{digits}.so"));
        if !object.exists() {
            self.compile(command(), &object)?;
        }
        Ok(object)
    }

    pub(super) fn fails(&self, reason: String) -> Unavailable {
        Unavailable::Fails { title: self.title.to_string(), reason }
    }

    fn write_sources(&self) -> io::Result<PathBuf> {
        let suffix = match self.adapter.language {
            Language::C => "c",
            Language::Cpp => "cpp",
        };
        let file = self.folder.join(format!("{}.{suffix}", self.name));
        std::fs::create_dir_all(self.folder)?;
        write(&self.folder.join("against.h"), HEADER)?;
        write(&file, self.adapter.text)?;
        Ok(file)
    }

    fn command(&self, file: &Path) -> Command {
        let (program, standard) = match self.adapter.language {
            Language::C => (self.cc.program.clone(), "-std=gnu11"),
            Language::Cpp => (cpp(self.cc), "-std=c++17"),
        };
        let mut command = Command::new(program);
        command.env("LC_ALL", "C").arg(standard).args(FLAGS).args(self.adapter.flags).arg(file);
        command
    }

    fn run(&self, mut command: Command) -> Result<Output, Unavailable> {
        command.output().map_err(|error| {
            let program = command.get_program().to_string_lossy();
            self.fails(format!(
                "can't run the compiler `{program}` for its adapter: {error}; install one \
                 (apt-get install gcc g++), or name yours in CC and CXX"
            ))
        })
    }

    /// The preprocessor has nothing to refuse but a header that is not there.
    fn preprocessed(&self, mut command: Command) -> Result<Vec<u8>, Unavailable> {
        command.args(["-E", "-P"]);
        let done = self.run(command)?;
        if done.status.success() {
            return Ok(done.stdout);
        }
        Err(Unavailable::Missing {
            title: self.title.to_string(),
            package: self.adapter.package.to_string(),
            message: first_error(&done.stderr),
        })
    }

    fn compile(&self, mut command: Command, object: &Path) -> Result<(), Unavailable> {
        let unfinished = unfinished(object);
        command.arg("-o").arg(&unfinished);
        let said = format!("{command:?}");
        let done = self.run(command)?;
        if !done.status.success() {
            return Err(Unavailable::Adapter {
                title: self.title.to_string(),
                command: said,
                message: String::from_utf8_lossy(&done.stderr).into_owned(),
            });
        }
        std::fs::rename(&unfinished, object)
            .map_err(|error| self.fails(format!("can't write `{}`: {error}", object.display())))
    }
}

/// Writes a file at once: another process may be compiling it.
fn write(path: &Path, text: &str) -> io::Result<()> {
    if std::fs::read(path).is_ok_and(|there| there == text.as_bytes()) {
        return Ok(());
    }
    let unfinished = unfinished(path);
    std::fs::write(&unfinished, text)?;
    std::fs::rename(unfinished, path)
}

/// The name of a file while it is being written by this process.
fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}", std::process::id()));
    PathBuf::from(name)
}

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
