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
    through_another(path, bytes, readers, |from, to| std::fs::rename(from, to))
}

/// Writes a file where there must be none.
///
/// # Errors
/// If there is one, or it can't be written.
pub fn write_new(path: &Path, bytes: &[u8], readers: Readers) -> io::Result<()> {
    through_another(path, bytes, readers, |from, to| std::fs::hard_link(from, to))
}

/// Writes a file beside the one that is meant, and moves it there when all of it is on the disk.
fn through_another(
    path: &Path,
    bytes: &[u8],
    readers: Readers,
    appear: impl FnOnce(&Path, &Path) -> io::Result<()>,
) -> io::Result<()> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    let own = format!(".{}.{}", name.to_string_lossy(), std::process::id());
    let beside = path.with_file_name(own);
    let done = write_all(&beside, bytes, readers).and_then(|()| appear(&beside, path));
    // After a rename there is nothing to remove.
    let _ = std::fs::remove_file(&beside);
    done.and_then(|()| sync_folder(path))
}

fn write_all(path: &Path, bytes: &[u8], readers: Readers) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if readers == Readers::Owner {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Makes a file's name last, where folders can be synced.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.map_or(PathBuf::from("."), Path::to_path_buf);
    match cfg!(unix) {
        true => File::open(folder)?.sync_all(),
        false => Ok(()),
    }
}
