//! What Yosys says, with places in the sources.

use super::json;
use super::places::Places;
use super::preprocessed;
use crate::session::{Failure, Session};
use nakiri::diagnostic::Diagnostic;
use nakiri::source::{FileId, Span};
use nakiri::verilog;

/// What Yosys says without a place, and the word that it is about.
const WORDS: [(&str, &str); 2] = [("While loops", "while"), ("forever", "forever")];

/// What begins an error of Yosys' own.
const ERROR: &str = "ERROR: ";

/// The error that ended Yosys: the last of its log, which has the sources as well, where a state may be called `ERROR`.
fn error(log: &str) -> Option<&str> {
    log.lines().rev().find(|line| line.contains(ERROR))
}

/// Whether the error of a log is one of syntax.
pub fn is_syntax(log: &str) -> bool {
    error(log).is_some_and(|line| line.contains("syntax error"))
}

/// Reports the error that ended Yosys. `hierarchy` is the text of the modules with their instances, if it came so far.
pub fn of_log(
    session: &mut Session,
    files: &[FileId],
    log: &str,
    hierarchy: Option<&str>,
) -> Option<Failure> {
    let (at, message) = error(log)?.split_once(ERROR)?;
    let message = message.trim().replace('\\', "");
    if let Some((module, cell)) = instance(&message) {
        let mut places = Places::new(session);
        let place = hierarchy.and_then(|text| json::instance(text, module, cell));
        if let Some((kind, place)) = place.map(|(kind, src)| (kind, places.span(&src))) {
            let diagnostic = match message.contains("not part of the design") {
                true => verilog::missing_module(&kind, cell, place),
                false => of_yosys(place, &message),
            };
            return Some(session.refuse(&[diagnostic]));
        }
    }
    let place = place(session, files, at)
        .or_else(|| place(session, files, &message))
        .or_else(|| quoted(session, files, &message))
        .or_else(|| {
            let (_, word) = WORDS.iter().find(|(said, _)| message.contains(said))?;
            find_word(session, files, word)
        });
    Some(match place {
        Some(span) => session.refuse(&[of_yosys(span, &message)]),
        None if message.starts_with("Assert ") => Failure::Wrong(format!(
            "Yosys fails on these files by an error of its own: {message}; a newer one may not, `yosys -V` says its version"
        )),
        None => Failure::Wrong(format!("Yosys says: {message}{}", modules(log))),
    })
}

fn of_yosys(span: Span, message: &str) -> Diagnostic {
    let help = match message {
        _ if message.contains("Can not open file") => {
            "memories are read from files here, or beside the source that names them"
        }
        _ if message.contains("syntax error") => {
            "this is what Yosys says, which knows a part of SystemVerilog; if it is right otherwise, sv2v makes Verilog of it"
        }
        _ => "this is what Yosys says; what it can't synthesize can't be compiled",
    };
    Diagnostic::error("E0405", span, message).help(help)
}

/// The module and the instance in it that a message is about.
fn instance(message: &str) -> Option<(&str, &str)> {
    let module = message.split_once("in module `")?.1.split_once('\'')?.0;
    let cell = message.split_once("in cell `")?.1.split_once('\'')?.0;
    Some((module, cell))
}

/// The place `FILE:LINE` in a text.
fn place(session: &Session, files: &[FileId], text: &str) -> Option<Span> {
    files.iter().find_map(|file| {
        let source = session.sources.file(*file);
        let rest = text.split_once(&format!("{}:", source.path))?.1;
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '-');
        let place = rest[..end.unwrap_or(rest.len())].trim_end_matches('.');
        Some(Span::new(*file, verilog::range(&source.text, place)?))
    })
}

/// Where what a message quotes stands first.
fn quoted(session: &Session, files: &[FileId], message: &str) -> Option<Span> {
    let (said, word) = message.split_once('`')?;
    let (word, after) = word.split_once(['\'', '`'])?;
    // A module that is not there stands nowhere.
    if said == "Module " && after.starts_with(" not found") {
        return None;
    }
    find_word(session, files, word.trim_start_matches('\\'))
}

fn find_word(session: &Session, files: &[FileId], word: &str) -> Option<Span> {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    files.iter().filter(|_| !word.is_empty()).find_map(|file| {
        let text = &session.sources.file(*file).text;
        let whole = |&(at, _): &(usize, &str)| {
            !text[..at].ends_with(part) && !text[at + word.len()..].starts_with(part)
        };
        let (at, _) = text.match_indices(word).find(whole)?;
        Some(Span::new(*file, at..at + word.len()))
    })
}

/// What Yosys says of each module that it has read, before its name.
pub const READ: &str = "Generating RTLIL representation for module `\\";

/// Which modules Yosys has read.
fn modules(log: &str) -> String {
    let names: Vec<&str> = log
        .lines()
        .filter_map(|line| line.strip_prefix(READ)?.strip_suffix("'."))
        .map(|name| name.trim_end_matches('\''))
        .collect();
    match names.is_empty() {
        true => String::new(),
        false => format!("; the modules are `{}`", names.join("`, `")),
    }
}

/// Refuses files of which several modules could be the top: Yosys takes any of those that have the most levels below them.
pub fn of_tops(log: &str) -> Option<Failure> {
    let root = |line: &str| -> Option<(usize, String)> {
        let (levels, name) = line.strip_prefix("root of ")?.split_once(" design levels: ")?;
        Some((levels.trim().parse().ok()?, name.trim().to_string()))
    };
    let mut roots: Vec<(usize, String)> = log.lines().filter_map(root).collect();
    let most = roots.iter().map(|(levels, _)| *levels).max()?;
    roots.retain(|(levels, _)| *levels == most);
    roots.sort();
    let names: Vec<&str> = roots.iter().map(|(_, name)| &**name).collect();
    (names.len() > 1).then(|| {
        Failure::Wrong(format!(
            "no module instantiates `{}`: say with `--top` which one is compiled",
            names.join("`, nor `")
        ))
    })
}

/// Refuses statements that wait, which Yosys leaves out without a word, in modules that are a part of the design.
pub fn of_delays(session: &mut Session, log: &str, hierarchy: Option<&str>) -> Option<Failure> {
    let modules = hierarchy.and_then(json::modules);
    let is_used = |name: &str| modules.as_ref().is_none_or(|used| used.contains(name));
    let place = preprocessed::first_wait(log, &is_used)?;
    let line = Places::new(session).span(&place);
    let delay = session.sources.text(line).find('#');
    let at = delay.map_or(line, |at| {
        let start = line.start as usize + at;
        Span::new(line.file, start..start + 1)
    });
    let diagnostic = Diagnostic::error("E0406", at, "a statement waits")
        .label("hardware has no such delay")
        .help("count ticks of a clock in a register; leave what is for simulation alone out, or between `ifdef and `endif");
    Some(session.refuse(&[diagnostic]))
}
