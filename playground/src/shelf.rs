//! The library that the module carries, and what else there is to choose from.

use nakiri::check::Loader;
use nakiri::isa;
use nakiri::source::FileId;
use nakiri::{check, diagnostic, pass, run, syntax};
use nakiri_library::embedded::{self, FILES};
use nakiri_library::manifest::Manifest;
use nakiri_machine::machine;
use serde_json::{json, Value};

/// Finds included files in the library.
pub struct Shelf;

impl Loader for Shelf {
    fn load(&mut self, path: &str, from: &str) -> Result<(String, String), String> {
        let path = joined(from, path);
        match embedded::text(&path) {
            Some(text) => Ok((path, text.to_string())),
            None => Err(format!("the library has no `{path}`")),
        }
    }
}

/// A path as it is named from a file.
fn joined(from: &str, path: &str) -> String {
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Ciphers, targets and machines.
pub fn library() -> Value {
    let shelves = ["ciphers", "modes"];
    let examples =
        shelves.iter().flat_map(|shelf| embedded::names(shelf).map(|name| (*shelf, name)));
    let targets = isa::all().iter().map(|target| {
        json!({
            "name": target.name,
            "title": target.title,
            "machine": target.machine,
            "simd": target.simd,
        })
    });
    let machines = machine::all().iter().map(|own| json!({ "name": own.name, "title": own.title }));
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "examples": examples.filter_map(|(shelf, name)| example(shelf, name)).collect::<Vec<_>>(),
        "targets": targets.collect::<Vec<_>>(),
        "machines": machines.collect::<Vec<_>>(),
    })
}

fn example(shelf: &str, name: &str) -> Option<Value> {
    let text = embedded::text(&format!("{shelf}/{name}/cipher.toml"))?;
    let manifest = Manifest::parse(text, FileId(0)).ok()?;
    Some(json!({
        "name": name,
        "shelf": shelf,
        "title": manifest.title,
        "specification": manifest.specification,
        "status": manifest.status.name(),
        "security": manifest.security,
        "path": format!("{shelf}/{name}/{}", manifest.source.get_ref()),
        "slicing": format!("{:?}", manifest.direction()),
        "entry": manifest.instances.first()?.forward().map(|node| node.get_ref()),
    }))
}

/// The text of a file.
///
/// # Errors
/// That there is none.
pub fn file(path: &str) -> Result<Value, String> {
    let names: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
    let near = || diagnostic::suggestion(path, names.iter().copied());
    let lacking = || format!("The library has no `{path}`; the nearest is {:?}.", near());
    embedded::text(path).map(|text| json!(text)).ok_or_else(lacking)
}

/// What `nakiri explain` says about a code.
///
/// # Errors
/// That there is no such code.
pub fn explanation(code: &str) -> Result<Value, String> {
    let all = [syntax::codes::CODES, check::codes::CODES, pass::codes::CODES, run::codes::CODES];
    let found = all.into_iter().flatten().find(|(known, _)| *known == code);
    found.map(|(_, text)| json!(text)).ok_or_else(|| format!("There is no code {code}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_named_from_files() {
        assert_eq!(joined("modes/gcm/gcm.ua", "../../ciphers/aes128/a.ua"), "ciphers/aes128/a.ua");
        assert_eq!(joined("program.ua", "ciphers/x.ua"), "ciphers/x.ua");
    }
}
