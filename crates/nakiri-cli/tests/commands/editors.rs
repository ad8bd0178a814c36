//! The grammars of `editors/`, and the colours of the book: they have the words of the lexer, and cut every source as it does.

use fancy_regex::Regex;
use nakiri::check::preludes;
use nakiri::semantic::words;
use nakiri::source::{FileId, Span};
use nakiri::syntax::lexer::{Keyword, Lexer, TokenKind};
use nakiri::syntax::Dialect;
use serde_json::Value;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

const TEXTMATE: &str = include_str!("../../../../editors/vscode/syntaxes/usuba.tmLanguage.json");
const BOOK: &str = include_str!("../../../../docs/usuba.js");
const TREE_SITTER: &str = include_str!("../../../../editors/tree-sitter-usuba/grammar.js");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The scope and the expression of each pattern.
fn patterns() -> Vec<(String, String)> {
    let grammar: Value = serde_json::from_str(TEXTMATE).expect("JSON");
    let text = |value: &Value| value.as_str().expect("a text").to_string();
    let patterns = grammar["patterns"].as_array().expect("patterns").iter();
    patterns.map(|pattern| (text(&pattern["name"]), text(&pattern["match"]))).collect()
}

/// The words of the patterns for words: `(?:a|b)` and what has to follow.
fn textmate_words(contextual: bool) -> BTreeSet<String> {
    let patterns = patterns().into_iter();
    let wanted = patterns.filter(|(name, _)| name.contains(".contextual.") == contextual);
    let lists = wanted.filter_map(|(_, pattern)| {
        let (words, _) = pattern.strip_prefix("(?:")?.split_once(')')?;
        words
            .bytes()
            .all(|b| b.is_ascii_alphabetic() || b"_|".contains(&b))
            .then(|| words.to_string())
    });
    lists.flat_map(|words| words.split('|').map(str::to_string).collect::<Vec<_>>()).collect()
}

fn keywords() -> BTreeSet<String> {
    Keyword::ALL.iter().map(|keyword| keyword.text().to_string()).collect()
}

fn contextual() -> BTreeSet<String> {
    words::CONTEXTUAL.iter().map(|(word, _)| word.to_string()).collect()
}

#[test]
fn words_of_the_textmate_grammar_are_those_of_the_language() {
    assert_eq!(textmate_words(false), keywords());
    assert_eq!(textmate_words(true), contextual());
}

#[test]
fn words_of_the_book_are_those_of_the_language() {
    let (_, rest) = BOOK.split_once("const WORDS =").expect("its words");
    let (list, _) = rest.split_once(';').expect("their end");
    let words = list.split(['"', ' ', '+', '\n']).filter(|word| !word.is_empty());
    assert_eq!(words.map(str::to_string).collect::<BTreeSet<String>>(), keywords());
}

#[test]
fn words_of_the_tree_sitter_grammar_are_those_of_the_language() {
    let names = Regex::new(r#"field\("\w+"|name: "\w+""#).expect("an expression");
    let rules = names.replace_all(TREE_SITTER, "");
    let literal = Regex::new(r#""([A-Za-z_]+)""#).expect("an expression");
    let found = literal.captures_iter(&*rules).map(|found| found.expect("a match")[1].to_string());
    let found: BTreeSet<String> = found.collect();
    assert!(keywords().is_subset(&found), "{:?}", keywords().difference(&found));
    let of_types = ["u", "b", "v", "H", "V", "B", "P"].map(str::to_string);
    let known: BTreeSet<String> =
        keywords().into_iter().chain(contextual()).chain(of_types).collect();
    assert!(found.is_subset(&known), "{:?}", found.difference(&known));
}

/// A piece of a text and its scope.
type Piece = (Range<usize>, String);

/// The pieces of a text as an editor cuts it: line by line, of all patterns the first that matches.
fn pieces(patterns: &[(String, Regex)], text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        let mut at = 0;
        while at < content.len() {
            if content[at..].starts_with([' ', '\t']) {
                at += 1;
                continue;
            }
            let matched = patterns.iter().find_map(|(name, pattern)| {
                let found = pattern.find_from_pos(content, at).expect("it ends")?;
                Some((found.end(), name.clone()))
            });
            let (end, name) =
                matched.unwrap_or_else(|| panic!("nothing matches `{}`", &content[at..]));
            pieces.push((start + at..start + end, name));
            at = end;
        }
        start += line.len();
    }
    pieces
}

/// The same as the lexer cuts it, with what the scope of each begins with.
fn expected(text: &str) -> Vec<(Range<usize>, Vec<&'static str>)> {
    let mut lexer = Lexer::new(text, FileId(0), Dialect::Nakiri);
    let mut pieces = Vec::new();
    loop {
        let token = lexer.next_token();
        let scopes: &[&str] = match token.kind {
            TokenKind::End => break,
            TokenKind::Keyword(_) => &["keyword.control.usuba", "storage.", "support.", "invalid."],
            TokenKind::Ident => &["variable.", "entity.", "storage.type.usuba", "contextual"],
            TokenKind::Number => &["constant.numeric."],
            TokenKind::Quoted => &["storage.type.parameter."],
            TokenKind::String => &["string."],
            TokenKind::Symbol(_) => &["keyword.operator.", "punctuation."],
        };
        pieces.push((token.span.range(), scopes.to_vec()));
    }
    let comments = lexer.comments.iter().map(|span: &Span| (span.range(), vec!["comment."]));
    pieces.extend(comments.collect::<Vec<_>>());
    pieces.sort_by_key(|(range, _)| range.start);
    pieces
}

/// The sources of `ciphers` and `modes`, and the preludes.
fn sources() -> Vec<(String, String)> {
    let mut sources: Vec<(String, String)> =
        preludes::ALL.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect();
    for shelf in ["ciphers", "modes"] {
        let folders = std::fs::read_dir(root().join(shelf)).expect("a folder").flatten();
        for folder in folders.filter(|folder| folder.path().is_dir()) {
            for file in std::fs::read_dir(folder.path()).expect("a folder").flatten() {
                if file.path().extension().is_some_and(|extension| extension == "ua") {
                    let text = std::fs::read_to_string(file.path()).expect("text");
                    sources.push((file.path().display().to_string(), text));
                }
            }
        }
    }
    assert!(sources.len() > 60, "{} sources", sources.len());
    sources
}

#[test]
fn the_textmate_grammar_cuts_sources_as_the_lexer_does() {
    let compiled = patterns().into_iter().map(|(name, pattern)| {
        let anchored = Regex::new(&format!(r"\G(?:{pattern})")).expect("an expression");
        (name, anchored)
    });
    let compiled: Vec<(String, Regex)> = compiled.collect();
    for (name, text) in sources() {
        let (found, expected) = (pieces(&compiled, &text), expected(&text));
        for ((range, scope), (wanted, scopes)) in found.iter().zip(&expected) {
            let piece = &text[wanted.clone()];
            assert_eq!(range, wanted, "{name}: `{piece}`");
            assert!(
                scopes.iter().any(|own| scope.starts_with(own) || scope.contains(own)),
                "{name}: `{piece}` is {scope}"
            );
        }
        assert_eq!(found.len(), expected.len(), "{name}");
    }
}

#[test]
fn the_tree_sitter_grammar_reads_every_source() {
    if Command::new("tree-sitter").arg("--version").output().is_err() {
        eprintln!("not tested: there is no tree-sitter");
        return;
    }
    let folder = super::Folder::new("tree-sitter");
    let grammar = root().join("editors/tree-sitter-usuba");
    let copied = Command::new("cp").arg("-r").arg(&grammar).arg(&folder.0).status();
    assert!(copied.is_ok_and(|status| status.success()), "the grammar can be copied");
    let grammar = folder.0.join("tree-sitter-usuba");
    let output = |args: &[&str]| {
        let mut command = Command::new("tree-sitter");
        command.args(args).current_dir(&grammar).env("TREE_SITTER_LIBDIR", &folder.0);
        command.output().expect("tree-sitter runs")
    };
    let run = |args: &[&str]| {
        let done = output(args);
        let text = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(done.status.success(), "{args:?}: {text}{}", String::from_utf8_lossy(&done.stderr));
    };
    run(&["generate"]);
    run(&["test"]);
    let texts = sources().into_iter().enumerate();
    let files: Vec<String> =
        texts.map(|(k, (_, text))| folder.write(&format!("{k}.ua"), text)).collect();
    let files: Vec<&str> = files.iter().map(|file| &**file).collect();
    run(&[&["parse", "--quiet"], &files[..]].concat());
    let broken = folder.write("broken.ua", "node f (x:u8) returns (y:u8)\nlet\n  y = (x ^\ntel\n");
    assert!(!output(&["parse", "--quiet", &broken]).status.success(), "it sees no error");
    run(&["query", "queries/highlights.scm", files[0]]);
}
