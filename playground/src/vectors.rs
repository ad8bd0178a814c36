//! The vectors of a folder, by the interpreter, of the program as it is in the editor.

use crate::document::{Document, Read};
use nakiri_library::embedded;
use nakiri_library::manifest::{Folder, Manifest, Vectors};
use nakiri_library::vectors::{check, Agreed};
use serde_json::{json, Value};
use std::path::PathBuf;

/// Computes every vector of the folder in which the document stands.
///
/// # Errors
/// That there are no vectors, or the program has errors.
pub fn run(document: Document) -> Result<Value, String> {
    let folder = document.path.rsplit_once('/').map_or("", |(folder, _)| folder).to_string();
    let text = |name: &str| {
        let path = format!("{folder}/{name}");
        let text = embedded::text(&path);
        let lacking = || "This program has no vectors: it is none of the library's.".to_string();
        text.map(|text| (path, text)).ok_or_else(lacking)
    };
    let (manifest, vectors) = (text("cipher.toml")?, text("vectors.toml")?);
    let mut read = document.read(None);
    read.program()?;
    let folder = self::folder(&mut read, folder, manifest, vectors)?;
    let Some(checked) = &read.analysis.checked else { return Err(String::new()) };
    let result = check(&read.sources, &folder, checked);
    let origins = folder.vectors.block.iter().map(|vector| &vector.origin);
    let origins = origins.chain(folder.vectors.message.iter().map(|vector| &vector.origin));
    let origins = origins.chain(folder.vectors.ctr.iter().map(|vector| &vector.origin));
    let mut origins: Vec<&String> = origins.collect();
    origins.dedup();
    let problems = result.as_ref().err().map_or(Vec::new(), |problems| read.diagnostics(problems));
    let Agreed { blocks, messages, ticks } = result.unwrap_or_default();
    Ok(json!({
        "blocks": blocks,
        "messages": messages,
        "ticks": ticks,
        "problems": problems,
        "origins": origins,
    }))
}

/// A file's path and its text.
type File<'a> = (String, &'a str);

fn folder(read: &mut Read, path: String, manifest: File, vectors: File) -> Result<Folder, String> {
    let manifest_file = read.sources.add(manifest.0, manifest.1);
    let vectors_file = read.sources.add(vectors.0, vectors.1);
    let refuse = |problems: Vec<_>| read.refusal(&problems);
    let parsed = Manifest::parse(manifest.1, manifest_file);
    let parsed = parsed.map_err(|problem| refuse(vec![problem]))?;
    let vectors = Vectors::parse(vectors.1, vectors_file, &parsed).map_err(refuse)?;
    let vectors_file = Some(vectors_file);
    Ok(Folder { path: PathBuf::from(path), manifest: parsed, vectors, manifest_file, vectors_file })
}
