//! Writing: to files that are never half-written, and to pipes that may close.

mod folder;

use crate::budget::Budget;
use crate::listener::{self, Said};
use crate::session::Failure;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub use folder::{fill, try_write_folder, write_folder, Mark};

/// Whether something could not be said on standard error.
static UNSAID: AtomicBool = AtomicBool::new(false);

/// Says a line on standard error, written like those of `println!`: if nobody hears it, the command goes on, and
/// [`unheard`] knows.
macro_rules! say {
    ($($format:tt)*) => { $crate::output::to_standard_error(format_args!($($format)*)) };
}
pub(crate) use say;

/// What [`say!`] does.
pub(crate) fn to_standard_error(line: std::fmt::Arguments) {
    if listener::told(|| Said::Line(line.to_string())) {
        return;
    }
    let mut err = io::stderr().lock();
    if writeln!(err, "{line}").and_then(|()| err.flush()).is_err() {
        UNSAID.store(true, Ordering::Relaxed);
    }
}

/// Whether something could not be said, because standard error is closed or full.
pub fn unheard() -> bool {
    UNSAID.load(Ordering::Relaxed)
}

/// Writes to standard output. A reader that has seen enough and closed the pipe ends the process quietly.
///
/// # Errors
/// [`Failure::Usage`] if standard output can't be written.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => Err(Failure::Usage(format!("can't write to standard output: {error}"))),
    }
}

/// A bar on standard error for work of this many steps, with an estimate of the time that is left; nothing where standard
/// error is no terminal.
pub fn progress(steps: usize, doing: &'static str) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {bar:30} {pos} of {len}, {eta} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(steps as u64).with_style(style).with_message(doing)
}

/// A bar on standard error for a file of so many bytes that is read; nothing where standard error is no terminal.
pub fn reading_bar(bytes: u64, name: &str) -> ProgressBar {
    let style =
        ProgressStyle::with_template("reading {msg} {bar:30} {bytes} of {total_bytes}, {eta} left")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(bytes).with_style(style).with_message(name.to_string())
}

/// A bar on standard error for work that does this much at most; nothing where standard error is no terminal.
pub fn search_bar(limit: impl Into<Budget>, doing: &str) -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {msg} ({elapsed} of at most {prefix})")
        .unwrap_or_else(|_| ProgressStyle::default_spinner());
    let bar = ProgressBar::new_spinner().with_style(style).with_message(doing.to_string());
    bar.set_prefix(match limit.into() {
        Budget::Time(time) => format!("{:.0} s", time.as_secs_f64()),
        Budget::Configurations(count) => format!("{count} configurations"),
    });
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// Writes a text to a file, or to standard output if the path is `-`. The file appears whole or not at all: the text
/// goes to a new file beside it, which is then renamed. Links are followed; devices and pipes are written to. The file's
/// folder is made if there is none.
///
/// # Errors
/// [`Failure::Usage`] if the file can't be written.
pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    if path == Path::new("-") {
        return print(text);
    }
    let refused =
        |error: io::Error| Failure::Usage(format!("can't write `{}`: {error}", path.display()));
    if path.is_dir() {
        return Err(Failure::Usage(format!("can't write `{}`: it is a folder", path.display())));
    }
    if is_special(path) {
        return std::fs::write(path, text).map_err(refused);
    }
    make_folder_of(path)?;
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let temporary = beside(&real);
    let written = std::fs::write(&temporary, text)
        .and_then(|()| keep_permissions(&real, &temporary))
        .and_then(|()| std::fs::rename(&temporary, &real));
    if written.is_err() {
        // What could not be finished must not stay; if even that fails, the first error tells more.
        let _ = std::fs::remove_file(&temporary);
    }
    written.map_err(refused)
}

/// Makes the folder in which a file will be.
fn make_folder_of(path: &Path) -> Result<(), Failure> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else {
        return Ok(());
    };
    std::fs::create_dir_all(folder).map_err(|error| {
        Failure::Usage(format!("can't make the folder `{}`: {error}", folder.display()))
    })
}

/// Tries whether [`write`] will succeed, for what takes long to compute.
///
/// # Errors
/// [`Failure::Usage`] if it won't.
pub fn try_write(path: &Path) -> Result<(), Failure> {
    if path == Path::new("-") {
        return Ok(());
    }
    if path.is_dir() {
        return Err(Failure::Usage(format!("can't write `{}`: it is a folder", path.display())));
    }
    if is_special(path) {
        return Ok(());
    }
    make_folder_of(path)?;
    let trial = beside(&std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf()));
    std::fs::write(&trial, "")
        .and_then(|()| std::fs::remove_file(&trial))
        .map_err(|error| Failure::Usage(format!("can't write `{}`: {error}", path.display())))
}

/// Whether this is a device, pipe or socket, such as `/dev/null`: renaming a file over it would destroy it.
fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// A name for a temporary file in the folder of `path`.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.new", std::process::id()))
}

fn keep_permissions(old: &Path, new: &Path) -> io::Result<()> {
    match std::fs::metadata(old) {
        Ok(metadata) => std::fs::set_permissions(new, metadata.permissions()),
        Err(_) => Ok(()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn links_stay_links_and_devices_stay_devices() {
        let folder = std::env::temp_dir().join(format!("nakiri-output-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let (file, link, sink) = (folder.join("file"), folder.join("link"), folder.join("sink"));
        std::fs::write(&file, "old").expect("written");
        std::os::unix::fs::symlink(&file, &link).expect("linked");
        std::os::unix::fs::symlink("/dev/null", &sink).expect("linked");

        for path in [&link, &sink] {
            try_write(path).expect("can be written");
            write(path, "new").expect("written");
            assert!(path.is_symlink(), "{} was replaced", path.display());
        }
        assert_eq!(std::fs::read_to_string(&file).expect("read"), "new");
        assert!(is_special(&sink), "the device is still one");
        std::fs::remove_dir_all(folder).expect("removed");
    }
}

/// `1 figure`, `2 figures`.
pub fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
