//! The checker survives damaged programs: each case of the other tests with one token removed, doubled, or
//! exchanged with another of the same file. Tokens have one of these in turn, and all with `NAKIRI_FULL=1`.

use crate::common;

use common::source::open;
use nakiri::check::check;
use nakiri::diagnostic::has_errors;
use nakiri::source::SourceMap;
use std::path::Path;

/// Words, numbers and signs of a text.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = match word(first) {
            true => rest.find(|c| !word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        tokens.push(token);
        rest = after;
    }
    tokens
}

/// Variants of a text with one token changed.
fn damaged(text: &str) -> Vec<String> {
    let is_full = std::env::var_os("NAKIRI_FULL").is_some();
    let tokens = tokens(text);
    let mut variants = Vec::new();
    for (i, token) in tokens.iter().enumerate().filter(|(_, t)| !t.trim().is_empty()) {
        let other = tokens[(i * 7 + 3) % tokens.len()];
        let all = [String::new(), token.repeat(2), other.to_string()];
        let in_turn = all.into_iter().enumerate().filter(|(k, _)| is_full || *k == i / 2 % 3);
        for (_, replacement) in in_turn {
            let before = tokens[..i].concat();
            variants.push(before + &replacement + &tokens[i + 1..].concat());
        }
    }
    variants
}

#[test]
fn damaged_programs_are_refused_or_checked() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let (mut refused, mut accepted) = (0, 0);
    for folder in ["ui/check", "elaborate"] {
        for entry in std::fs::read_dir(root.join(folder)).expect("the folder exists") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            if !name.ends_with(".ua") || name.starts_with("endless") {
                continue;
            }
            let (sources, file, options, _) = open(&path);
            for text in damaged(&sources.file(file).text) {
                let (_, _, _, mut loader) = open(&path);
                let mut sources = SourceMap::default();
                let file = sources.add(name.as_str(), text);
                let (checked, diagnostics) = check(&mut sources, file, &mut loader, &options);
                assert_eq!(
                    checked.is_none(),
                    has_errors(&diagnostics),
                    "{}",
                    sources.file(file).text
                );
                diagnostics.iter().for_each(|d| assert!(!d.render(&sources, false).is_empty()));
                match checked {
                    Some(_) => accepted += 1,
                    None => refused += 1,
                }
            }
        }
    }
    assert!(refused > 1000 && accepted > 100, "{refused} refused, {accepted} accepted");
}
