//! The parser and the formatter on well-formed programs, and on damaged ones.

use nakiri::diagnostic::has_errors;
use nakiri::source::{FileId, SourceMap};
use nakiri::syntax::{parser::parse, printer::format, Dialect};

/// Well-formed programs, all constructs of the grammar among them.
const PROGRAMS: [&str; 4] = [
    include_str!("syntax/rectangle.ua"),
    include_str!("syntax/everything.ua"),
    include_str!("syntax/comments.ua"),
    include_str!("syntax/old.ua"),
];

fn source(text: &str) -> (SourceMap, FileId) {
    let mut sources = SourceMap::default();
    let file = sources.add("test.ua", text);
    (sources, file)
}

fn dialect_of(text: &str) -> Dialect {
    if text.starts_with("# flags: --compat usubac") {
        Dialect::Usubac
    } else {
        Dialect::Nakiri
    }
}

/// The tree without its spans, and the comments.
fn shape(text: &str) -> (String, Vec<String>) {
    let (sources, file) = source(text);
    let parsed = parse(&sources, file, dialect_of(text));
    let messages: Vec<String> =
        parsed.diagnostics.iter().map(|d| d.render(&sources, false)).collect();
    assert!(!has_errors(&parsed.diagnostics), "{}", messages.join("\n"));
    let comments =
        parsed.file.comments.iter().map(|c| sources.text(*c).trim_end().to_string()).collect();
    let tree = format!("{:?}", parsed.file.items);
    let mut parts = tree.split("Span {");
    let mut stripped = parts.next().unwrap().to_string();
    for part in parts {
        stripped.push_str(part.split_once(" }").unwrap().1);
    }
    (stripped, comments)
}

fn formatted(text: &str) -> String {
    let (sources, file) = source(text);
    format(&sources, file).expect("the program is well-formed")
}

#[test]
fn formatting_keeps_meaning_and_comments_and_is_idempotent() {
    for text in PROGRAMS {
        let once = formatted(text);
        assert_eq!(shape(text), shape(&once), "{once}");
        assert_eq!(once, formatted(&once));
        assert_eq!(once, formatted(&text.replace('\n', "\r\n")));
        assert!(once.lines().all(|line| line.chars().count() <= 100), "{once}");
        println!("{once}");
    }
}
