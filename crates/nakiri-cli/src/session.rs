//! One run of the command: the files that it has read, and how it says what is wrong with them.

use crate::compiled::Compiled;
use crate::listener::{self, Said};
use crate::output::{self, say};
use nakiri::check::{self, Checked, Loader};
use nakiri::diagnostic::Diagnostic;
use nakiri::source::{FileId, SourceMap, Span};
use nakiri_library::diagnostics;
use std::io::{IsTerminal, Read};
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

/// Why a command did not do what it was asked.
#[derive(Debug)]
pub enum Failure {
    /// The command line asks for what can't be, or names a file that can't be read or written: exit 2.
    Usage(String),
    /// What was read is wrong, and no place in a file says it better: exit 1.
    Wrong(String),
    /// What was read is wrong and its diagnostics have been printed: exit 1.
    Reported,
    /// What was asked stays open, which has been printed: exit 3.
    Open,
    /// A signal has ended it, which has been printed: this exit code.
    Interrupted(u8),
}

impl Failure {
    /// What is wrong, as far as it has not been printed yet.
    pub fn message(&self) -> &str {
        match self {
            Failure::Usage(message) | Failure::Wrong(message) => message,
            Failure::Reported | Failure::Open | Failure::Interrupted(_) => "",
        }
    }

    /// Prints what has not been printed yet and gives the exit code.
    pub fn exit(&self) -> ExitCode {
        match self {
            Failure::Usage(message) => {
                say!("error: {message}");
                ExitCode::from(2)
            }
            Failure::Wrong(message) => {
                say!("error: {message}");
                ExitCode::from(1)
            }
            Failure::Reported => ExitCode::from(1),
            Failure::Open => ExitCode::from(3),
            Failure::Interrupted(code) => ExitCode::from(*code),
        }
    }
}

/// How diagnostics are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// With their source lines, on standard error.
    #[default]
    Human,
    /// As one JSON document on standard output.
    Json,
}

/// The files of one run.
#[derive(Debug, Default)]
pub struct Session {
    /// Everything read so far.
    pub sources: SourceMap,
    /// Where included files are looked for after the folder of the including file.
    pub include: Vec<PathBuf>,
    /// What was compiled for more than one use.
    pub compiled: Compiled,
}

impl Session {
    /// A session that looks for included files in these folders.
    pub fn new(include: &[PathBuf]) -> Session {
        Session { include: include.to_vec(), ..Session::default() }
    }

    /// Reads a text file, or standard input if the path is `-`.
    ///
    /// # Errors
    /// [`Failure::Usage`] if it can't be read; [`Failure::Reported`] if it isn't UTF-8.
    pub fn read(&mut self, path: &Path) -> Result<FileId, Failure> {
        let (name, bytes) = if path == Path::new("-") {
            let mut bytes = Vec::new();
            let read = std::io::stdin().read_to_end(&mut bytes);
            ("standard input".to_string(), read.map(|_| bytes))
        } else if path.is_dir() {
            let message = format!("`{}` is a folder, a file is needed here", path.display());
            return Err(Failure::Usage(message));
        } else {
            (normal(path).display().to_string(), std::fs::read(path))
        };
        let bytes = bytes.map_err(|error| Failure::Usage(unreadable(&name, &error)))?;
        match String::from_utf8(bytes) {
            Ok(text) => Ok(self.sources.add(name, text)),
            Err(error) => {
                let offset = error.utf8_error().valid_up_to();
                let byte = error.as_bytes()[offset];
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                let file = self.sources.add(name, text);
                let place = Span::new(file, offset..offset + '\u{fffd}'.len_utf8());
                let diagnostic = Diagnostic::error("E0401", place, "this file is not UTF-8")
                    .label(format!("the byte {byte:#04x} at offset {offset}"))
                    .help("save it as UTF-8 in your editor, or convert it with iconv");
                self.report(&[diagnostic]);
                Err(Failure::Reported)
            }
        }
    }

    /// Checks the program that starts in a file and reports what is wrong with it, warnings too.
    ///
    /// # Errors
    /// [`Failure::Reported`] if it has errors, or those of [`Session::read`].
    pub fn check(&mut self, path: &Path, options: &check::Options) -> Result<Checked, Failure> {
        let (checked, diagnostics) = self.diagnose(path, options)?;
        self.report(&diagnostics);
        checked.ok_or(Failure::Reported)
    }

    /// Checks the program that starts in a file and reports nothing.
    ///
    /// # Errors
    /// Those of [`Session::read`].
    pub fn diagnose(
        &mut self,
        path: &Path,
        options: &check::Options,
    ) -> Result<(Option<Checked>, Vec<Diagnostic>), Failure> {
        let root = self.read(path)?;
        let mut files = Files { include: &self.include, open: &|_| None };
        Ok(check::check(&mut self.sources, root, &mut files, options))
    }

    /// Prints diagnostics with their source lines on standard error.
    pub fn report(&self, diagnostics: &[Diagnostic]) {
        let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        for diagnostic in diagnostics {
            let said =
                || Said::Diagnostic(self.json(diagnostic), diagnostic.render(&self.sources, false));
            if !listener::told(said) {
                say!("{}\n", diagnostic.render(&self.sources, colour));
            }
        }
    }

    /// Reports diagnostics that refuse the program.
    pub fn refuse(&self, diagnostics: &[Diagnostic]) -> Failure {
        self.report(diagnostics);
        Failure::Reported
    }

    /// A diagnostic for other programs.
    pub fn json(&self, diagnostic: &Diagnostic) -> serde_json::Value {
        diagnostics::json(&self.sources, diagnostic)
    }

    /// Where a span begins, for tables and one-line messages.
    pub fn place(&self, span: Span) -> String {
        let (line, column) = self.sources.position(span);
        format!("{}:{line}:{column}", self.sources.file(span.file).path)
    }
}

/// Finds included files beside the including one, then in the given folders.
pub struct Files<'a> {
    /// The folders.
    pub include: &'a [PathBuf],
    /// The text of a file that is being edited, which is taken instead of what is on the disk.
    pub open: &'a dyn Fn(&Path) -> Option<String>,
}

impl Loader for Files<'_> {
    fn load(&mut self, path: &str, from: &str) -> Result<(String, String), String> {
        let beside = Path::new(from).parent().unwrap_or(Path::new(""));
        let folders = std::iter::once(beside).chain(self.include.iter().map(PathBuf::as_path));
        let mut tried = Vec::new();
        for folder in folders {
            let candidate = folder.join(path);
            if let Some(text) = (self.open)(&normal(&candidate)) {
                return Ok((normal(&candidate).display().to_string(), text));
            }
            if candidate.is_file() {
                let name = normal(&candidate).display().to_string();
                let bytes = std::fs::read(&candidate).map_err(|e| unreadable(&name, &e))?;
                return match String::from_utf8(bytes) {
                    Ok(text) => Ok((name, text)),
                    Err(error) => {
                        let offset = error.utf8_error().valid_up_to();
                        Err(format!("`{name}` is not UTF-8 at offset {offset}"))
                    }
                };
            }
            tried.push(match folder.as_os_str().is_empty() {
                true => "here".to_string(),
                false => format!("in `{}`", folder.display()),
            });
        }
        Err(format!("not found {}", tried.join(" or ")))
    }
}

/// The path without `.` and `a/..`, so that a file that is included twice has one name.
pub fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match (part, out.components().next_back()) {
            (Component::CurDir, _) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => {
                out.pop();
            }
            (part, _) => out.push(part),
        }
    }
    out
}

/// What is said about a file that can't be read.
pub fn unreadable(name: &str, error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => format!("there is no file `{name}`"),
        std::io::ErrorKind::PermissionDenied => format!("no permission to read `{name}`"),
        _ => format!("can't read `{name}`: {error}"),
    }
}

/// Makes a panic say that it is our bug and how to report it.
pub fn install_panic_hook() {
    std::panic::set_hook(Box::new(|info| {
        let version = env!("CARGO_PKG_VERSION");
        let command: Vec<_> = std::env::args().collect();
        say!(
            "nakiri {version}: internal error: {info}\n\n\
             This is a bug in Nakiri, not in your program. Please report it at\n    {}/issues\n\
             with the source, the text above and this command:\n    {}",
            env!("CARGO_PKG_REPOSITORY"),
            command.join(" "),
        );
    }));
}

/// Prints one JSON document on standard output.
///
/// # Errors
/// Those of [`output::print`].
pub fn print_json(value: &serde_json::Value) -> Result<(), Failure> {
    output::print(&format!("{value:#}\n"))
}
