//! The names of a crate, each of which is one thing's.

use super::instance::Api;
use crate::emit::identifier;
use crate::emit::library::LibraryError;
use crate::emit::names::{Names, OF_RUST};
use crate::isa::rust;

/// Crates, and modules beside those of instances and targets.
const MODULES: &str = "aead alloc cipher core cpufeatures digest lib main memory std zeroize";

/// Types and traits that need no import.
const PRELUDE: &str = "
    AsMut AsRef Clone Copy Default DoubleEndedIterator Drop Eq Err ExactSizeIterator Extend Fn FnMut FnOnce From FromIterator Into
    IntoIterator Iterator None Ok Option Ord PartialEq PartialOrd Result Send Sized Some Sync TryFrom TryInto Unpin
";

/// The module of an instance: as its functions' names begin, unless something else is called so.
pub fn module(stem: &str) -> String {
    let words = MODULES.split_whitespace().chain(OF_RUST.split_whitespace());
    let is_target = || rust::names().iter().any(|name| identifier(name) == stem);
    match words.into_iter().any(|word| word == stem) || is_target() {
        true => format!("{stem}_"),
        false => stem.to_string(),
    }
}

/// Refuses names that two instances export, or that are taken: by the language, or by what `root` declares, a part of the crate's root.
///
/// # Errors
/// Which, and whose.
pub fn check(apis: &[Api], root: &str) -> Result<(), LibraryError> {
    let words = OF_RUST.split_whitespace().chain(PRELUDE.split_whitespace());
    let mut exports = Names::of("Rust", words.chain(declared(root)));
    let mut modules = Names::of::<&str>("Rust", []);
    for api in apis {
        let prefix = &api.instance.prefix;
        names(api).try_for_each(|name| exports.give(prefix, &name))?;
        modules.give(prefix, &api.module)?;
    }
    Ok(())
}

/// Refuses names of an instance that the text of its module imports, or declares for itself.
///
/// # Errors
/// Which.
pub fn check_text(api: &Api, text: &str) -> Result<(), LibraryError> {
    let lines = text.lines().filter_map(|line| line.trim_start().strip_prefix("use "));
    let words = lines.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
    let mut taken = Names::of("Rust", words.chain(private(text)));
    names(api).try_for_each(|name| taken.give(&api.instance.prefix, &name))
}

fn names<'a>(api: &'a Api) -> impl Iterator<Item = String> + use<'a> {
    let of_traits = api.messages().and_then(|own| own.trait_export(api)).map(|(_, name)| name);
    let exports = api.exports();
    let more = of_traits.filter(|name| !exports.contains(name));
    exports.into_iter().chain(more)
}

/// What a text declares in the first column, for others or not.
fn declared(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| item(line.strip_prefix("pub ").unwrap_or(line)))
}

/// What it declares for itself.
fn private(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(item)
}

/// The name of the item that begins with a line.
fn item(line: &str) -> Option<&str> {
    let kinds = ["fn ", "struct ", "enum ", "type ", "const ", "static "];
    let rest = kinds.iter().find_map(|kind| line.strip_prefix(kind))?;
    rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}
