//! Lists the ciphers and modes that binaries carry (`src/embedded.rs`): those of the repository, or of a package of this crate, for
//! which links stand beside this file.

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The folders of a library.
const SHELVES: [&str; 2] = ["ciphers", "modes"];
/// What the files are that a library is made of.
const ENDINGS: [&str; 3] = ["ua", "toml", "md"];

fn main() {
    let variable = |name| PathBuf::from(std::env::var_os(name).expect("cargo sets it"));
    let package = variable("CARGO_MANIFEST_DIR");
    let mut roots = [package.join("../.."), package].into_iter();
    let has_shelves = |root: &PathBuf| SHELVES.iter().all(|shelf| root.join(shelf).is_dir());
    let root = roots
        .find(has_shelves)
        .expect("`ciphers` and `modes` are in the repository and in packages");
    let mut files = Vec::new();
    for shelf in SHELVES {
        println!("cargo::rerun-if-changed={}", root.join(shelf).display());
        collect(&root, Path::new(shelf), &mut files);
    }
    files.sort();
    let mut text = "&[\n".to_string();
    for file in files {
        let path = root.join(&file).canonicalize().expect("it was listed");
        let name = file.display().to_string().replace(std::path::MAIN_SEPARATOR, "/");
        let _ = writeln!(text, "    ({name:?}, include_str!({path:?})),");
    }
    text += "]\n";
    std::fs::write(variable("OUT_DIR").join("embedded.rs"), text).expect("cargo's own folder");
}

/// The files in a folder and below it, by their paths from the root.
fn collect(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(root.join(folder)).expect("a folder can be read");
    for entry in entries {
        let path = folder.join(entry.expect("a folder can be read").file_name());
        if root.join(&path).is_dir() {
            collect(root, &path, files);
        } else if path.extension().is_some_and(|ending| ENDINGS.iter().any(|e| *e == ending)) {
            files.push(path);
        }
    }
}
