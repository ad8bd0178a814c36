//! Why emitted code could not be compiled or run.

use nakiri::isa::Tool;
use std::fmt;
use std::path::PathBuf;

/// Why emitted code could not be compiled or run.
#[derive(Debug)]
pub enum Error {
    /// There is no such C compiler on this machine.
    NoCompiler {
        /// The programs that were looked for.
        tried: Vec<String>,
        /// A Debian package that would do.
        package: &'static str,
    },
    /// The compiler is for another architecture than the target.
    WrongCompiler {
        /// Its program.
        program: String,
        /// The machine that it compiles for, as it says.
        machine: String,
        /// The target.
        target: &'static str,
        /// A compiler that would do.
        instead: Tool,
    },
    /// The program that was built is for another architecture than this CPU, and nothing here runs it.
    NoEmulator(Tool),
    /// There is no simulator of hardware on this machine.
    NoSimulator(Tool),
    /// The simulator doesn't take a design, or ended early.
    Simulator {
        /// Its command line.
        command: String,
        /// What it said.
        message: String,
    },
    /// The compiler refused the text.
    Refused {
        /// The compiler's command line.
        command: String,
        /// What it said.
        message: String,
    },
    /// The compiler was ended because it took too long.
    Late {
        /// Its program.
        program: String,
    },
    /// This CPU lacks a feature that the target needs, or is of another architecture.
    NotRunnable {
        /// The target.
        target: &'static str,
        /// The feature, as `__builtin_cpu_supports` names it, or the architecture.
        feature: &'static str,
    },
    /// The program that was built failed.
    Failed {
        /// How it ended, and what it wrote to its standard error.
        message: String,
    },
    /// Blocks that don't fit the kernel's parameters.
    Blocks(String),
    /// A file or a process could not be made or read.
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
}

impl Error {
    /// Whether nothing is wrong but that this machine lacks a CPU feature, a compiler or an emulator.
    pub fn is_lack(&self) -> bool {
        matches!(
            self,
            Error::NoCompiler { .. }
                | Error::NoEmulator(_)
                | Error::NoSimulator(_)
                | Error::NotRunnable { .. }
        )
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Error::NoCompiler { tried, package } => write!(
                f,
                "no C compiler found (looked for {}); install one: apt-get install {package}",
                tried.join(", ")
            ),
            Error::WrongCompiler { program, machine, target, instead } => write!(
                f,
                "{program} compiles for {machine}, not for the target {target}; use --cc {} (apt-get install {})",
                instead.program, instead.package
            ),
            Error::NoEmulator(Tool { program, package, .. }) => write!(
                f,
                "not run: {program}, which runs such programs here, is missing; apt-get install {package}"
            ),
            Error::NoSimulator(Tool { program, package, .. }) => write!(
                f,
                "the simulator {program} is missing; install it: apt-get install {package}"
            ),
            Error::Simulator { command, message } => {
                write!(f, "the simulation failed\n  {command}\n{message}")
            }
            Error::Refused { command, message } => {
                write!(f, "the C compiler refused emitted code\n  {command}\n{message}")
            }
            Error::Late { program } => write!(f, "{program} took too long and was ended"),
            Error::NotRunnable { target, feature } => {
                write!(f, "not run: target {target} needs {feature}, which this CPU lacks")
            }
            Error::Failed { message } => write!(f, "compiled code failed: {message}"),
            Error::Blocks(message) => write!(f, "{message}"),
            Error::Io { path, error } => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for Error {}
