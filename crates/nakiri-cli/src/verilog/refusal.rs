//! What Yosys says, with places in the sources.

use super::json;
use super::places::Places;
use crate::session::{Failure, Session};
use nakiri::diagnostic::Diagnostic;
use nakiri::source::{FileId, Span};
use nakiri::verilog;

/// What Yosys says without a place, and the word that it is about.
const WORDS: [(&str, &str); 2] = [("While loops", "while"), ("forever", "forever")];

/// Reports the error of a log, if there is one. `hierarchy` is the text of the modules with their instances, if Yosys came so far.
pub fn of_log(
    session: &mut Session,
    files: &[FileId],
    log: &str,
    hierarchy: Option<&str>,
) -> Option<Failure> {
    let line = log.lines().find(|line| line.contains("ERROR: "))?;
    let (at, message) = line.split_once("ERROR: ")?;
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
        None => Failure::Wrong(format!("Yosys says: {message}{}", modules(log))),
    })
}

fn of_yosys(span: Span, message: &str) -> Diagnostic {
    Diagnostic::error("E0405", span, message)
        .help("this is what Yosys says; what it can't synthesize can't be compiled")
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
    let (word, after) = word.split_once('\'')?;
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

/// Refuses statements that wait, which Yosys leaves out without a word. Delays of assignments (`q <= #1 d`) mean nothing to
/// hardware and may stay.
pub fn of_delays(session: &Session, files: &[FileId], log: &str) -> Option<Failure> {
    let (_, dump) = log.split_once("-- Verilog code after preprocessor --")?;
    let live = dump.split_once("-- END OF DUMP --").map_or(dump, |(dump, _)| dump);
    waits(live)?;
    let found = files.iter().find_map(|file| {
        let at = waits(&session.sources.file(*file).text)?;
        Some(Span::new(*file, at..at + 1))
    });
    let diagnostic = Diagnostic::error("E0406", found?, "a statement waits")
        .label("hardware has no such delay")
        .help("count ticks of a clock in a register; leave what is for simulation alone out, or between `ifdef and `endif");
    Some(session.refuse(&[diagnostic]))
}

/// Where the first statement begins with a delay.
fn waits(text: &str) -> Option<usize> {
    let mut before = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let at = text.len() - rest.len();
        let token = match c {
            _ if rest.starts_with("//") => {
                rest = rest.find('\n').map_or("", |end| &rest[end..]);
                continue;
            }
            _ if rest.starts_with("/*") => {
                rest = rest.find("*/").map_or("", |end| &rest[end + 2..]);
                continue;
            }
            '"' => {
                let end = rest[1..].find('"').map_or(rest.len(), |end| end + 2);
                &rest[..end]
            }
            c if c.is_ascii_alphanumeric() || c == '_' => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                &rest[..end.unwrap_or(rest.len())]
            }
            c => &rest[..c.len_utf8()],
        };
        rest = &rest[token.len()..];
        if token == "#" && rest.trim_start().starts_with(|c: char| c.is_ascii_digit()) {
            let statement = [";", "begin", "always", "initial", "end", "else", ")", "forever"];
            if statement.contains(&before.as_str()) {
                return Some(at);
            }
        }
        if !token.trim().is_empty() {
            before = token.to_string();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::waits;

    #[test]
    fn statements_that_wait_are_found() {
        for text in ["initial begin #10 q = 1; end", "always #5 clk = ~clk;", "a = 1; # 3 b = 2;"] {
            assert!(waits(text).is_some(), "{text}");
        }
        for text in [
            "q <= #1 d;",
            "assign #2 y = a;",
            "adder #(.W(8)) a(.x(x));",
            "adder #(8) a(x);",
            "y = 1; // ; #5 q",
            "/* ; #5 */ $display(\"; #5\");",
        ] {
            assert_eq!(waits(text), None, "{text}");
        }
    }
}
