//! Every `usuba` block of the book and the README is compiled.
//!
//! Blocks marked `usuba` have no errors, those marked `usuba,fails=E0123` exactly this one (warnings don't count);
//! `compat` selects the old dialect.

use nakiri::check::{check, Loader, Options};
use nakiri::diagnostic::Severity;
use nakiri::source::SourceMap;
use nakiri::syntax::Dialect;
use std::path::{Path, PathBuf};

/// A fenced block: where it begins, what its mark says after `usuba`, and its text.
struct Block {
    place: String,
    marks: Vec<String>,
    text: String,
}

/// Blocks of the book stand alone.
struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, path: &str, _: &str) -> Result<(String, String), String> {
        Err(format!("`{path}`: blocks of the book include nothing"))
    }
}

/// The files whose blocks are compiled.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let entries = std::fs::read_dir(root.join("docs/src")).expect("the book exists");
    let mut pages: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    pages.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    pages.push(root.join("README.md"));
    pages.sort();
    pages
}

/// The `usuba` blocks of a page.
fn blocks(page: &Path) -> Vec<Block> {
    let text = std::fs::read_to_string(page).expect("the page can be read");
    let name = page.file_name().unwrap_or_default().to_string_lossy();
    let mut found = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(mark) = line.strip_prefix("```").filter(|mark| !mark.is_empty()) else { continue };
        let body: Vec<&str> =
            lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
        let mut marks = mark.split(',').map(str::to_string);
        if marks.next().as_deref() == Some("usuba") {
            let place = format!("{name}:{}", number + 1);
            found.push(Block { place, marks: marks.collect(), text: body.join("\n") + "\n" });
        }
    }
    found
}

/// What is wrong with a block.
fn failure(block: &Block) -> Option<String> {
    let mut expected = Vec::new();
    let mut options = Options::default();
    for mark in &block.marks {
        match (mark.as_str(), mark.strip_prefix("fails=")) {
            (_, Some(code)) => expected.push(code),
            ("compat", _) => options.dialect = Dialect::Usubac,
            _ => return Some(format!("{}: unknown mark `{mark}`", block.place)),
        }
    }
    let mut sources = SourceMap::default();
    let file = sources.add(block.place.clone(), block.text.clone());
    let (checked, diagnostics) = check(&mut sources, file, &mut NoFiles, &options);
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let mut codes: Vec<&str> = errors.map(|d| d.code).collect();
    codes.dedup();
    if codes == expected && checked.is_some() == expected.is_empty() {
        return None;
    }
    let shown: Vec<String> = diagnostics.iter().map(|d| d.render(&sources, false)).collect();
    Some(format!("{}: expected {expected:?}\n{}", block.place, shown.join("\n")))
}

#[test]
fn blocks_of_the_book_compile() {
    let blocks: Vec<Block> = pages().iter().flat_map(|page| blocks(page)).collect();
    assert!(blocks.len() > 20, "only {} blocks were found", blocks.len());
    let failures: Vec<String> = blocks.iter().filter_map(failure).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn the_book_has_every_target() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("docs/src/slicing.md")).expect("the page");
    for target in nakiri::target::all() {
        assert!(text.contains(&format!("\n| `{}` | ", target.name)), "{}", target.name);
    }
}
