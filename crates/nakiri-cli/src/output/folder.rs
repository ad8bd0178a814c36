//! Folders that commands make, and make again.

use super::{beside, say};
use crate::session::Failure;
use std::io;
use std::path::{Path, PathBuf};

/// How a folder that a command made is known from others: a file in it begins like this.
pub struct Mark {
    /// The file's path in the folder.
    pub file: &'static str,
    /// How it begins.
    pub begin: &'static str,
    /// The paths of the files that it says were written with it. What else lies in the folder is somebody's own.
    pub listed: fn(&str) -> Vec<PathBuf>,
}

/// Tries whether [`write_folder`] will succeed, for what takes long to compute.
///
/// # Errors
/// [`Failure::Usage`] if it won't.
pub fn try_write_folder(path: &Path, mark: &Mark) -> Result<(), Failure> {
    replaceable(path, mark)?;
    let trial = beside(path);
    std::fs::create_dir_all(&trial)
        .and_then(|()| std::fs::remove_dir(&trial))
        .map_err(|error| not_written(path, &error))
}

/// Writes files into a folder, which appears whole or not at all: they go to a new folder beside it, which is then renamed.
/// Of an older folder with the mark what was written before is replaced, and the rest kept; any other one stays, unless it is empty.
///
/// # Errors
/// [`Failure::Usage`] if the folder can't be written.
pub fn write_folder<'a>(
    path: &Path,
    mark: &Mark,
    files: impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<(), Failure> {
    replaceable(path, mark)?;
    let (new, old) = (beside(path), beside(path).with_extension("old"));
    let listed =
        std::fs::read_to_string(path.join(mark.file)).map_or(vec![], |text| (mark.listed)(&text));
    let written = fill(&new, files).and_then(|()| match path.exists() {
        true => std::fs::rename(path, &old)
            .and_then(|()| std::fs::rename(&new, path))
            .and_then(|()| keep(&old, path, Path::new(""), &listed))
            .and_then(|()| std::fs::remove_dir_all(&old)),
        false => std::fs::rename(&new, path),
    });
    if written.is_err() {
        // What could not be finished must not stay; if even that fails, the first error tells more.
        let _ = std::fs::remove_dir_all(&new);
    }
    written.map_err(|error| match old.exists() {
        true => Failure::Usage(format!(
            "can't write `{}`: {error}; what was there is in `{}`",
            path.display(),
            old.display()
        )),
        false => not_written(path, &error),
    })
}

/// Writes files into a folder, and makes the folders that they lie in.
///
/// # Errors
/// The first of the system's.
pub fn fill<'a>(
    folder: &Path,
    files: impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<(), io::Error> {
    for (name, text) in files {
        let file = folder.join(name);
        std::fs::create_dir_all(file.parent().unwrap_or(folder))?;
        std::fs::write(file, text)?;
    }
    Ok(())
}

fn replaceable(path: &Path, mark: &Mark) -> Result<(), Failure> {
    let marked = || {
        let text = std::fs::read_to_string(path.join(mark.file));
        text.is_ok_and(|text| text.starts_with(mark.begin))
    };
    let empty = || std::fs::read_dir(path).is_ok_and(|mut files| files.next().is_none());
    if !path.exists() || marked() || empty() {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "can't write `{}`: there is something that Nakiri did not make; name another folder with -o",
        path.display()
    )))
}

fn not_written(path: &Path, error: &io::Error) -> Failure {
    Failure::Usage(format!("can't write `{}`: {error}", path.display()))
}

/// Moves what lies in an old folder, at a path `within` it, and is neither written now nor listed as written before, to the new one:
/// histories of versions, builds, notes, tests of somebody's own.
fn keep(old: &Path, new: &Path, within: &Path, listed: &[PathBuf]) -> io::Result<()> {
    for entry in std::fs::read_dir(old.join(within))? {
        let entry = entry?;
        let own = within.join(entry.file_name());
        let (from, to) = (old.join(&own), new.join(&own));
        let is_written = to.symlink_metadata().is_ok();
        let is_folder = entry.file_type()?.is_dir();
        if is_folder && (is_written || listed.iter().any(|file| file.starts_with(&own))) {
            keep(old, new, &own, listed)?;
        } else if !is_written && !listed.contains(&own) {
            std::fs::create_dir_all(new.join(within))?;
            std::fs::rename(&from, &to)?;
            say!("note: `{}` is kept: nothing is written there now", to.display());
        }
    }
    Ok(())
}
