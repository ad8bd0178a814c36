//! A package's Rust: a workspace with a crate for each primitive.

use super::{File, Package};
use nakiri::emit::rust::PROFILE;

/// The files of the workspace, if there is Rust.
pub fn files(package: &Package) -> Vec<File> {
    let in_rust = |p: &'_ super::Primitive| p.rust.as_ref().is_some_and(Result::is_ok);
    let members: Vec<&str> =
        package.primitives.iter().filter(|p| in_rust(p)).map(|p| &*p.name).collect();
    if members.is_empty() {
        return Vec::new();
    }
    let list: Vec<String> = members.iter().map(|name| format!("    \"{name}\",\n")).collect();
    // A workspace has the profiles of its members.
    let root = format!(
        "# {}\n# SPDX-License-Identifier: 0BSD\n\n[workspace]\nresolver = \"3\"\nmembers = [\n{}]\n{PROFILE}",
        package.maker(),
        list.concat()
    );
    let mut files = vec![("rust/Cargo.toml".to_string(), root)];
    for primitive in &package.primitives {
        let Some(Ok(own)) = &primitive.rust else { continue };
        files.extend(own.iter().map(|file| {
            let text = file.text.strip_suffix(PROFILE).unwrap_or(&file.text);
            (format!("rust/{}/{}", primitive.name, file.path), text.to_string())
        }));
    }
    files
}
