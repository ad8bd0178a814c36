//! Every `tests/ui/**/NAME.ua` gives exactly the messages of its `NAME.txt`.
//!
//! `NAKIRI_BLESS=1 cargo test -p nakiri --test stages ui` rewrites the expectations. A first line
//! `# flags: --compat usubac` selects the old dialect; one with a slicing, `# flags: -H --target gp64`, slices what has
//! been checked, and warns of loops that can't be.

use crate::common;

use common::source::{open, slicing};
use nakiri::check::check;
use nakiri::compile::{specialize, written_out};
use nakiri::syntax::parser;
use std::path::{Path, PathBuf};

/// All messages about one file, as the user sees them: of the parser alone for `tests/ui/syntax`.
fn diagnose(path: &Path) -> String {
    let (mut sources, file, options, mut folder) = open(path);
    let slicing = slicing(&sources.file(file).text);
    let diagnostics = match path.parent().is_some_and(|p| p.ends_with("ui/syntax")) {
        true => parser::parse(&sources, file, options.dialect).diagnostics,
        false => {
            let (checked, mut diagnostics) = check(&mut sources, file, &mut folder, &options);
            if let (Some(checked), Some(slicing)) = (checked, slicing) {
                diagnostics
                    .extend(specialize(&checked.program, &slicing).err().unwrap_or_default());
                let warnings = written_out(&checked.program, &slicing, slicing.unroll);
                diagnostics.extend(warnings.unwrap_or_default());
            }
            diagnostics
        }
    };
    let rendered: Vec<String> = diagnostics.iter().map(|d| d.render(&sources, false)).collect();
    rendered.join("\n\n") + "\n"
}

/// All files below a folder, in order.
fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).expect("the folder exists").map(|e| e.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            files_below(&entry, found);
        } else {
            found.push(entry);
        }
    }
}

/// Why a file of the folder is not as it should be.
fn failure(path: &Path, bless: bool) -> Option<String> {
    let expectation = path.with_extension("txt");
    match path.extension().and_then(|e| e.to_str()) {
        Some("ua") => {}
        Some("txt") if path.with_extension("ua").exists() => return None,
        _ => return Some(format!("{} belongs to no .ua", path.display())),
    }
    let actual = diagnose(path);
    if bless {
        std::fs::write(&expectation, &actual).expect("the expectation can be written");
    }
    match std::fs::read_to_string(&expectation) {
        Ok(expected) if expected == actual => None,
        Ok(expected) => {
            Some(format!("{}\n--- expected\n{expected}--- actual\n{actual}", path.display()))
        }
        Err(_) => Some(format!("{} has no .txt", path.display())),
    }
}

#[test]
fn messages_are_as_expected() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ui");
    let bless = std::env::var_os("NAKIRI_BLESS").is_some();
    let mut files = Vec::new();
    files_below(&root, &mut files);
    let failures: Vec<String> = files.iter().filter_map(|path| failure(path, bless)).collect();
    assert!(!files.is_empty(), "no case below {}", root.display());
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}
