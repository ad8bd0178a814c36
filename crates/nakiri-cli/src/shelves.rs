//! Where ciphers and modes lie that are called by name: in `ciphers` and `modes` of the working folder; of `NAKIRI_LIBRARY`, if that is
//! set; of a folder above the program, or of its `share/nakiri`; and last in the library that the program carries. So it knows them
//! everywhere, and takes those of its own tree, or of an installed library, where there are some.

use crate::embedded;
use crate::session::Failure;
use nakiri::diagnostic::suggestion;
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
///
/// # Errors
/// Those of [`embedded::unpacked`].
pub fn find(name: &Path, kinds: &[&str]) -> Result<Option<PathBuf>, Failure> {
    let mut parts = name.components();
    let (Some(Component::Normal(_)), None) = (parts.next(), parts.next()) else { return Ok(None) };
    let on_shelf = |root: &Path| {
        shelves(root, kinds).map(|shelf| shelf.join(name)).find(|folder| has_manifest(folder))
    };
    let found = roots().iter().find_map(|root| on_shelf(root));
    let is_embedded = || embedded_names(kinds).any(|known| Path::new(known) == name);
    match found.is_none() && is_embedded() {
        true => Ok(on_shelf(embedded::unpacked()?)),
        false => Ok(found),
    }
}

/// All folders on shelves of these kinds, of the first place that has some.
///
/// # Errors
/// Those of [`embedded::unpacked`].
pub fn all(kinds: &[&str]) -> Result<Vec<PathBuf>, Failure> {
    match found(kinds) {
        found if found.is_empty() && embedded_names(kinds).next().is_some() => {
            Ok(on_shelves(embedded::unpacked()?, kinds))
        }
        found => Ok(found),
    }
}

/// What is said of a name that means nothing.
pub fn unknown(path: &Path, kinds: &[&str]) -> Failure {
    let name = path.display().to_string();
    let names = |folder: PathBuf| Some(folder.file_name()?.to_str()?.to_string());
    let mut known: Vec<String> = found(kinds).into_iter().filter_map(names).collect();
    if known.is_empty() {
        known = embedded_names(kinds).map(str::to_string).collect();
    }
    let last = path.file_name().unwrap_or_default().to_string_lossy();
    let help = match suggestion(&last, known.iter().map(|known| &**known)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`nakiri ciphers` lists what there is".to_string(),
    };
    Failure::Usage(format!(
        "there is no cipher `{name}`: it is neither a file, nor a folder with a cipher.toml, nor the name of one in \
         `{}`; {help}",
        kinds.join("` and `")
    ))
}

fn embedded_names<'a>(kinds: &'a [&str]) -> impl Iterator<Item = &'static str> + 'a {
    kinds.iter().flat_map(|kind| embedded::names(kind))
}

/// All folders on shelves of these kinds that lie in files already.
fn found(kinds: &[&str]) -> Vec<PathBuf> {
    let all = roots().into_iter().map(|root| on_shelves(&root, kinds));
    all.into_iter().find(|all| !all.is_empty()).unwrap_or_default()
}

/// All folders on shelves of these kinds in a place.
fn on_shelves(root: &Path, kinds: &[&str]) -> Vec<PathBuf> {
    let on_shelf = |shelf: PathBuf| {
        let entries = std::fs::read_dir(shelf).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|folder| has_manifest(folder))
    };
    let mut all: Vec<PathBuf> = shelves(root, kinds).flat_map(on_shelf).collect();
    all.sort();
    all
}

fn shelves<'a>(root: &'a Path, kinds: &'a [&str]) -> impl Iterator<Item = PathBuf> + 'a {
    kinds.iter().map(|kind| root.join(kind))
}

/// Folders that may have shelves, the working folder first, without what the program carries.
fn roots() -> Vec<PathBuf> {
    let set = std::env::var_os("NAKIRI_LIBRARY").map(PathBuf::from);
    let program = std::env::current_exe().and_then(|program| program.canonicalize()).ok();
    let above = program.iter().flat_map(|program| program.ancestors().skip(1));
    let above = above.flat_map(|folder| [folder.join("share/nakiri"), folder.to_path_buf()]);
    std::iter::once(PathBuf::new()).chain(set).chain(above).collect()
}
