//! Every `usuba` block of the book and the README is compiled.
//!
//! Blocks marked `usuba` have no errors, those marked `usuba,fails=E0123` exactly this one (warnings don't count);
//! `compat` selects the old dialect.

use nakiri::check::{check, NoFiles, Options};
use nakiri::core::{Direction, OpKind, MAX_WIDTH};
use nakiri::diagnostic::Severity;
use nakiri::isa::{self, Target};
use nakiri::source::SourceMap;
use nakiri::syntax::Dialect;
use std::path::{Path, PathBuf};

/// A fenced block: where it begins, what its mark says after `usuba`, and its text.
struct Block {
    place: String,
    marks: Vec<String>,
    text: String,
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

/// The word sizes that a target has in a direction, and what is missing of the classes that go with it.
fn word_sizes(target: &Target, direction: Direction) -> String {
    let third = if direction == Direction::H { OpKind::Shuffle } else { OpKind::Add };
    let held: Vec<u16> = (1..=MAX_WIDTH).filter(|&w| target.holds(direction, w)).collect();
    let has = |op| held.iter().all(|&width| target.instance(op, direction, width).is_some());
    let sizes: Vec<String> = held.iter().map(u16::to_string).collect();
    let sizes = sizes.join(", ");
    match (has(OpKind::Rotl), has(third)) {
        _ if held.is_empty() => "–".to_string(),
        (true, true) => sizes,
        (true, false) => format!("{sizes}: no `{:?}`", third.class().expect("a class")),
        (false, _) => format!("{sizes}: `Logic` alone"),
    }
}

/// The word sizes of tables that are indexed by a word, direction by direction.
fn lookups(target: &Target) -> String {
    let sizes = |direction| {
        let has = |w: &u16| {
            OpKind::LOOKUPS.into_iter().any(|op| target.instance(op, direction, *w).is_some())
        };
        let sizes: Vec<String> = (1..=MAX_WIDTH).filter(has).map(|w| w.to_string()).collect();
        (!sizes.is_empty()).then(|| format!("`-{direction:?}` {}", sizes.join(", ")))
    };
    let all = [Direction::V, Direction::P, Direction::H].into_iter().filter_map(sizes);
    match all.collect::<Vec<_>>().join("; ") {
        none if none.is_empty() => "–".to_string(),
        some => some,
    }
}

/// The book's table of targets is made from theirs: `NAKIRI_BLESS=1` writes it.
#[test]
fn the_book_has_every_target() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/slicing.md");
    let text = std::fs::read_to_string(&page).expect("the page");
    let head =
        "| target | registers | `-V` | `-P` | `-H` | `Lookup` |\n|---|---|---|---|---|---|\n";
    let row = |target: &&Target| {
        let sizes = |direction| word_sizes(target, direction);
        let [v, p, h] = [Direction::V, Direction::P, Direction::H].map(sizes);
        format!(
            "| `{}` | {} | {v} | {p} | {h} | {} |\n",
            target.name,
            target.title,
            lookups(target)
        )
    };
    let table: String = isa::all().iter().map(row).collect();
    let start = text.find(head).expect("the table") + head.len();
    let end = start + text[start..].find("\n\n").expect("its end") + 1;
    if std::env::var_os("NAKIRI_BLESS").is_some() {
        let text = format!("{}{table}{}", &text[..start], &text[end..]);
        return std::fs::write(&page, text).expect("the page can be written");
    }
    assert_eq!(text[start..end], table, "NAKIRI_BLESS=1 writes it");
}
