//! Lists the repository's ciphers and modes, which the binary carries (`src/embedded.rs`).

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What the files are that a library is made of.
const ENDINGS: [&str; 3] = ["ua", "toml", "md"];

fn main() {
    let variable = |name| PathBuf::from(std::env::var_os(name).expect("cargo sets it"));
    let root = variable("CARGO_MANIFEST_DIR").join("../..");
    let mut files = Vec::new();
    for shelf in ["ciphers", "modes"] {
        // A package of this crate alone has none.
        if root.join(shelf).is_dir() {
            println!("cargo::rerun-if-changed=../../{shelf}");
            collect(&root, Path::new(shelf), &mut files);
        }
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
