//! Where ciphers and modes lie that are called by name: in `ciphers` and `modes` of the working folder; of `NAKIRI_LIBRARY`, if that is
//! set; and of a folder above the program, or of its `share/nakiri`. So a program that was built in its own tree, or installed with the
//! library, knows them everywhere.

use crate::session::Failure;
use nakiri::check::suggestion;
use std::path::{Component, Path, PathBuf};

/// The folder of ciphers.
pub const CIPHERS: &str = "ciphers";
/// Those of ciphers and of modes.
pub const ALL: [&str; 2] = [CIPHERS, "modes"];

/// Whether a folder is a cipher's or a mode's.
pub fn has_manifest(folder: &Path) -> bool {
    folder.join("cipher.toml").is_file()
}

/// The folder that a name means on shelves of these kinds; none if it is no plain name, or not there.
pub fn find(name: &Path, kinds: &[&str]) -> Option<PathBuf> {
    let mut parts = name.components();
    let (Some(Component::Normal(_)), None) = (parts.next(), parts.next()) else { return None };
    let folders = roots().into_iter().flat_map(|root| shelves(&root, kinds));
    folders.map(|shelf| shelf.join(name)).find(|folder| has_manifest(folder))
}

/// All folders on shelves of these kinds, of the first place that has some.
pub fn all(kinds: &[&str]) -> Vec<PathBuf> {
    let on_shelf = |shelf: PathBuf| {
        let entries = std::fs::read_dir(shelf).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|folder| has_manifest(folder))
    };
    let of_root = |root: PathBuf| {
        let mut all: Vec<PathBuf> = shelves(&root, kinds).into_iter().flat_map(on_shelf).collect();
        all.sort();
        all
    };
    roots().into_iter().map(of_root).find(|all| !all.is_empty()).unwrap_or_default()
}

/// What is said of a name that means nothing.
pub fn unknown(path: &Path, kinds: &[&str]) -> Failure {
    let name = path.display().to_string();
    let names = |folder: PathBuf| Some(folder.file_name()?.to_str()?.to_string());
    let known: Vec<String> = all(kinds).into_iter().filter_map(names).collect();
    let help = match suggestion(&name, known.iter().map(|known| &**known)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`nakiri ciphers` lists what there is".to_string(),
    };
    Failure::Usage(format!(
        "there is no cipher `{name}`: it is neither a file, nor a folder with a cipher.toml, nor the name of one in \
         `{}`; {help}",
        kinds.join("` and `")
    ))
}

fn shelves(root: &Path, kinds: &[&str]) -> Vec<PathBuf> {
    kinds.iter().map(|kind| root.join(kind)).collect()
}

/// Folders that may have shelves, the working folder first.
fn roots() -> Vec<PathBuf> {
    let set = std::env::var_os("NAKIRI_LIBRARY").map(PathBuf::from);
    let program = std::env::current_exe().and_then(|program| program.canonicalize()).ok();
    let above = program.iter().flat_map(|program| program.ancestors().skip(1));
    let above = above.flat_map(|folder| [folder.join("share/nakiri"), folder.to_path_buf()]);
    std::iter::once(PathBuf::new()).chain(set).chain(above).collect()
}
