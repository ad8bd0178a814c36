//! Ciphers' folders ([`nakiri_library::manifest`]), from their files.

use crate::session::{Failure, Session};
use nakiri::diagnostic::{instead_of, Diagnostic};
use nakiri::source::{FileId, Span};
pub use nakiri_library::manifest::*;
use std::path::Path;

/// Reads a folder.
///
/// # Errors
/// [`Failure::Usage`] if it has no `cipher.toml`, [`Failure::Reported`] if a file is not as it should be.
pub fn read(session: &mut Session, path: &Path) -> Result<Folder, Failure> {
    let manifest_path = path.join("cipher.toml");
    if !manifest_path.is_file() {
        let message = format!("`{}` is a folder without a cipher.toml", path.display());
        return Err(Failure::Usage(message));
    }
    let manifest_file = session.read(&manifest_path)?;
    let manifest = Manifest::parse(&session.sources.file(manifest_file).text, manifest_file);
    let manifest = manifest.map_err(|problem| session.refuse(&[problem]))?;
    let mut problems = manifest.problems(manifest_file);
    problems.extend(no_source(&manifest, path, manifest_file));
    if !problems.is_empty() {
        return Err(session.refuse(&problems));
    }
    let vectors_path = path.join("vectors.toml");
    let (mut vectors, mut vectors_file) = (Vectors::default(), None);
    if vectors_path.is_file() {
        let file = session.read(&vectors_path)?;
        let read = Vectors::parse(&session.sources.file(file).text, file, &manifest);
        vectors = read.map_err(|problems| session.refuse(&problems))?;
        vectors_file = Some(file);
    }
    Ok(Folder { path: path.to_path_buf(), manifest, vectors, manifest_file, vectors_file })
}

/// That the source is not beside the manifest.
fn no_source(manifest: &Manifest, folder: &Path, file: FileId) -> Option<Diagnostic> {
    let name = manifest.source.get_ref();
    if folder.join(name).exists() {
        return None;
    }
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut sources: Vec<String> = names.filter(|name| name.ends_with(".ua")).collect();
    sources.sort();
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    let place = Span::new(file, manifest.source.span());
    let message = format!("there is no file `{name}` in this folder");
    Some(Diagnostic::error("E0402", place, message).help(instead_of(name, &sources)))
}
