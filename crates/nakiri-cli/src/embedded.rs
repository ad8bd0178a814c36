//! The library that the binary carries ([`nakiri_library::embedded`]), as files.
//!
//! What reads a cipher reads files, so the library is unpacked when it is first needed, into a folder of the user's caches that its
//! digest names. Each file appears there whole or not at all: several processes may do so at once, and what was removed comes back.

use crate::output;
use crate::session::Failure;
use nakiri_library::digest;
pub use nakiri_library::embedded::names;
use nakiri_library::embedded::FILES;
use nakiri_verify::verdict;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The folder with the shelves, in which every file is there.
///
/// # Errors
/// [`Failure::Usage`] if a file can't be written.
pub fn unpacked() -> Result<&'static Path, Failure> {
    static ROOT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let unpacked = ROOT.get_or_init(|| {
        let cache = verdict::cache_folder().ok_or("neither HOME nor XDG_CACHE_HOME is set")?;
        unpack(&cache.join("library"))
    });
    unpacked.as_deref().map_err(|why| {
        Failure::Usage(format!(
            "the library that nakiri carries can't be unpacked into the user's folder for caches: {why}; set NAKIRI_CACHE \
             to a folder that can be written, or NAKIRI_LIBRARY to one that has `ciphers` and `modes`"
        ))
    })
}

fn unpack(folder: &Path) -> Result<PathBuf, String> {
    let all: Vec<&str> = FILES.iter().flat_map(|(path, text)| [*path, "\0", *text, "\0"]).collect();
    let root = folder.join(digest::short(all.concat()));
    for (path, text) in FILES {
        let file = root.join(path);
        if !file.exists() {
            output::write(&file, text).map_err(|failure| failure.message().to_string())?;
        }
    }
    Ok(root)
}
