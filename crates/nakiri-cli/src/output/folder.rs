//! Folders that commands make, and make again.

use super::{beside, say};
use crate::session::Failure;
use std::io::{self, Read};
use std::path::Path;

/// How a folder that a command made is known from others: a file in it begins like this.
pub struct Mark {
    /// The file's path in the folder.
    pub file: &'static str,
    /// How it begins.
    pub begin: &'static str,
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
/// Of an older folder with the mark what a command made is replaced, and the rest kept; any other one stays, unless it is empty.
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
    let written = fill(&new, files).and_then(|()| match path.exists() {
        true => std::fs::rename(path, &old)
            .and_then(|()| std::fs::rename(&new, path))
            .and_then(|()| keep(&old, path))
            .and_then(|()| std::fs::remove_dir_all(&old)),
        false => std::fs::rename(&new, path),
    });
    if written.is_err() {
        // What could not be finished must not stay; if even that fails, the first error tells more.
        let _ = std::fs::remove_dir_all(&new);
    }
    written.map_err(|error| not_written(path, &error))
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

/// Moves what no command made from an old folder to the new one: versions' histories, builds, notes, tests of somebody's own.
fn keep(old: &Path, new: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(old)? {
        let entry = entry?;
        let (from, to) = (entry.path(), new.join(entry.file_name()));
        let is_folder = entry.file_type()?.is_dir();
        let is_replaced = to.symlink_metadata().is_ok();
        if is_folder && (is_replaced || is_made(&from)) {
            keep(&from, &to)?;
        } else if !is_replaced && (is_folder || !is_made_file(&from)) {
            std::fs::create_dir_all(new)?;
            std::fs::rename(&from, &to)?;
            say!("note: `{}` is kept: Nakiri did not make it", to.display());
        }
    }
    Ok(())
}

/// Whether a folder is one that a command made: files lie in it, or in folders in it, that one made.
fn is_made(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let (folders, files): (Vec<_>, Vec<_>) =
        entries.partition(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    match files.is_empty() {
        true => folders.iter().any(|entry| is_made(&entry.path())),
        false => files.iter().any(|entry| is_made_file(&entry.path())),
    }
}

/// Whether a file begins like those that commands make.
fn is_made_file(file: &Path) -> bool {
    const HEAD: u64 = 120;
    let mut head = Vec::new();
    let read = std::fs::File::open(file).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    let head = String::from_utf8_lossy(&head);
    let first = head.lines().next().unwrap_or_default();
    read.is_ok()
        && (head.contains("Made by Nakiri") || first.contains("SPDX-License-Identifier: 0BSD"))
}
