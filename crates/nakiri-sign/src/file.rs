//! Files that appear whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Who may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Its owner.
    Owner,
    /// Whoever else may, as the user's mask has it.
    Others,
}

/// Writes a file, which replaces one that is there.
///
/// # Errors
/// If it can't be written. What was there stays then.
pub fn write(path: &Path, bytes: &[u8], readers: Readers) -> io::Result<()> {
    replace(&System, path, bytes, readers)
}

/// Writes a file where there must be none.
///
/// # Errors
/// If there is one, or it can't be written.
pub fn write_new(path: &Path, bytes: &[u8], readers: Readers) -> io::Result<()> {
    add(&System, path, bytes, readers)
}

/// A disk. After a power cut, bytes are there for certain if their file was synced, and names if their folder was.
pub(crate) trait Disk {
    /// A file that is written.
    type Open;
    /// The bytes of a file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// Begins a file where there must be none.
    fn create(&self, path: &Path, readers: Readers) -> io::Result<Self::Open>;
    /// Writes bytes at the end of a file.
    fn append(&self, file: &mut Self::Open, bytes: &[u8]) -> io::Result<()>;
    /// Makes the bytes of a file last.
    fn sync(&self, file: &Self::Open) -> io::Result<()>;
    /// Gives a file another name, and takes that from who has it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Gives a file one more name, which nobody must have.
    fn link(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Takes a name away.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Makes the names last that are in the folder of a file.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
}

/// As [`write`], on a disk.
pub(crate) fn replace<D: Disk>(
    disk: &D,
    path: &Path,
    bytes: &[u8],
    readers: Readers,
) -> io::Result<()> {
    through_another(disk, path, bytes, readers, |from| disk.rename(from, path))
}

/// As [`write_new`], on a disk.
pub(crate) fn add<D: Disk>(
    disk: &D,
    path: &Path,
    bytes: &[u8],
    readers: Readers,
) -> io::Result<()> {
    through_another(disk, path, bytes, readers, |from| disk.link(from, path))
}

/// Writes a file beside the one that is meant, and moves it there when all of it is on the disk. Its name is a new one: what was
/// left of another by a power cut must be in nobody's way.
fn through_another<D: Disk>(
    disk: &D,
    path: &Path,
    bytes: &[u8],
    readers: Readers,
    appear: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<()> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    let number = getrandom::u64().map_err(|_| io::Error::other("there are no random numbers"))?;
    let beside = path.with_file_name(format!(".{}.{number:016x}", name.to_string_lossy()));
    let written = disk.create(&beside, readers).and_then(|mut file| {
        disk.append(&mut file, bytes)?;
        disk.sync(&file)
    });
    let done = written.and_then(|()| appear(&beside));
    // After a rename there is nothing to remove.
    let _ = disk.remove(&beside);
    done.and_then(|()| disk.sync_folder(path))
}

/// What the operating system has.
pub(crate) struct System;

impl Disk for System {
    type Open = File;

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        std::fs::read(path)
    }

    fn create(&self, path: &Path, readers: Readers) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if readers == Readers::Owner {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        options.open(path)
    }

    fn append(&self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        file.write_all(bytes)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::hard_link(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }

    /// Nothing where folders can't be synced.
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.map_or(PathBuf::from("."), Path::to_path_buf);
        match cfg!(unix) {
            true => File::open(folder)?.sync_all(),
            false => Ok(()),
        }
    }
}
