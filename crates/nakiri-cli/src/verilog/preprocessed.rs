//! The sources as Yosys' preprocessor leaves them: macros and included files are in their places.

use super::assignments::{self, Mixed};
use crate::session::Session;
use std::path::{Path, PathBuf};

/// What stands before and behind each preprocessed file in Yosys' log.
const BEGIN: &str = "-- Verilog code after preprocessor --";
const END: &str = "-- END OF DUMP --";

/// What stands before the name of a file, where its text begins.
const INCLUDED: &str = "`file_push";

/// The preprocessed files of a log.
fn texts(log: &str) -> impl Iterator<Item = &str> {
    log.split(BEGIN).skip(1).map(|rest| rest.split(END).next().unwrap_or(rest))
}

/// Adds every file that the sources name in quotes to those of the session: included ones, and those that memories are read
/// from. What they say is a part of the design.
pub fn add_named_files(session: &mut Session, log: &str) {
    let known = session.sources.files().iter().map(|file| PathBuf::from(&file.path));
    let mut known: Vec<PathBuf> = known.collect();
    let beside = known.iter().filter_map(|path| path.parent().map(Path::to_path_buf));
    let mut folders: Vec<PathBuf> = [PathBuf::new()].into_iter().chain(beside).collect();
    folders.dedup();
    for text in texts(log) {
        let included = text.lines().filter_map(|line| line.strip_prefix(INCLUDED));
        let strings =
            Tokens::new(text).map(|token| token.text).filter(|text| text.starts_with('"'));
        for name in included.chain(strings) {
            let name = name.trim().trim_matches('"');
            let mut paths = folders.iter().map(|folder| folder.join(name));
            let found = paths.find(|path| !name.is_empty() && path.is_file());
            let Some(path) = found.filter(|path| !known.contains(path)) else { continue };
            if let Ok(bytes) = std::fs::read(&path) {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                session.sources.add(path.display().to_string(), text);
            }
            known.push(path);
        }
    }
}

/// The place `FILE:LINE` of the first statement that begins with a delay, in a module that is used. Delays of assignments
/// (`q <= #1 d`) mean nothing to hardware.
pub fn first_wait(log: &str, is_used: &dyn Fn(&str) -> bool) -> Option<String> {
    texts(log)
        .find_map(|text| waits(text, is_used).map(|token| format!("{}:{}", token.file, token.line)))
}

/// What is assigned by `=` and by `<=` in one block, in modules that are used.
pub fn mixed_assignments(log: &str, is_used: &dyn Fn(&str) -> bool) -> Vec<Mixed> {
    texts(log).flat_map(|text| assignments::mixed(Tokens::new(text), is_used)).collect()
}

/// The token `#` that begins the first statement which waits.
fn waits<'a>(text: &'a str, is_used: &dyn Fn(&str) -> bool) -> Option<Token<'a>> {
    /// After these words and signs a statement begins.
    const BEFORE: [&str; 15] = [
        ";",
        ")",
        ":",
        "begin",
        "always",
        "always_comb",
        "always_ff",
        "always_latch",
        "initial",
        "final",
        "end",
        "else",
        "forever",
        "fork",
        "join",
    ];
    let mut before = ["", "", ""];
    // Outside of modules all is used.
    let mut module = None;
    // The parameters of a module follow `#` too.
    let (mut in_head, mut in_import) = (false, false);
    for token in Tokens::new(text) {
        let labelled = before[1] == ":" && ["begin", "end", "fork", "join"].contains(&before[0]);
        if token.text == "#"
            && !in_head
            && (BEFORE.contains(&before[2]) || labelled)
            && module.is_none_or(is_used)
        {
            return Some(token);
        }
        match before[2] {
            "module" | "macromodule" if !["automatic", "static"].contains(&token.text) => {
                module = Some(token.text.trim_start_matches('\\'));
            }
            "endmodule" => module = None,
            _ => {}
        }
        match token.text {
            "module" | "macromodule" => in_head = true,
            "import" => in_import = true,
            ";" if in_import => in_import = false,
            ";" => in_head = false,
            _ => {}
        }
        before = [before[1], before[2], token.text];
    }
    None
}

/// A word, a string with its quotes, or a sign.
#[derive(Clone, Debug)]
pub(super) struct Token<'t> {
    pub(super) text: &'t str,
    pub(super) file: &'t str,
    pub(super) line: usize,
}

/// The tokens of a preprocessed file with their places in the sources. The preprocessor marks where a file begins and ends
/// in it, and keeps lines.
pub(super) struct Tokens<'t> {
    rest: &'t str,
    file: &'t str,
    line: usize,
    /// The files that include this one, with the line that they have reached.
    outer: Vec<(&'t str, usize)>,
}

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str) -> Tokens<'t> {
        Tokens { rest: text, file: "", line: 0, outer: Vec::new() }
    }

    /// Goes on behind so many bytes.
    fn skip(&mut self, bytes: usize) -> &'t str {
        let (skipped, rest) = self.rest.split_at(bytes.min(self.rest.len()));
        self.line += skipped.matches('\n').count();
        self.rest = rest;
        skipped
    }

    /// Goes on behind a mark, if one is next.
    fn mark(&mut self) -> bool {
        if let Some(path) = self.rest.strip_prefix(INCLUDED) {
            let path = path.split('\n').next().unwrap_or(path);
            self.outer.push((self.file, self.line));
            (self.file, self.line) = (path.trim().trim_matches('"'), 0);
            self.rest = &self.rest[self.rest.find('\n').unwrap_or(self.rest.len())..];
            return true;
        }
        if self.rest.starts_with("`file_pop") {
            let end = self.rest.find('\n').map_or(self.rest.len(), |end| end + 1);
            self.rest = &self.rest[end..];
            (self.file, self.line) = self.outer.pop().unwrap_or((self.file, self.line));
            return true;
        }
        false
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        loop {
            let first = self.rest.chars().next()?;
            let bytes =
                |found: Option<usize>, more: usize| found.map_or(usize::MAX, |at| at + more);
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
            let length = match first {
                '`' if self.mark() => continue,
                c if c.is_whitespace() => {
                    self.skip(c.len_utf8());
                    continue;
                }
                '/' if self.rest.starts_with("//") => {
                    self.skip(bytes(self.rest.find('\n'), 0));
                    continue;
                }
                '/' if self.rest.starts_with("/*") => {
                    self.skip(bytes(self.rest.find("*/"), 2));
                    continue;
                }
                '"' => string(self.rest),
                '\\' => bytes(self.rest.find(char::is_whitespace), 0),
                c if word(c) => bytes(self.rest.find(|c| !word(c)), 0),
                c => c.len_utf8(),
            };
            let (file, line) = (self.file, self.line);
            return Some(Token { text: self.skip(length), file, line });
        }
    }
}

/// The length of the string that a text begins with.
fn string(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}

#[cfg(test)]
mod tests {
    use super::{waits, Tokens};

    #[test]
    fn statements_that_wait_are_found() {
        for text in [
            "initial begin #10 q = 1; end",
            "always #5 clk = ~clk;",
            "a = 1; # 3 b = 2;",
            "a = 1; #HALF b = 2;",
            "if (a) #(2 * T) b = 2;",
            "case (a) 0: #T b = 1; endcase",
            "begin : wait_here #T b = 1; end",
        ] {
            assert!(waits(text, &|_| true).is_some(), "{text}");
        }
        for text in [
            "q <= #1 d;",
            "q <= #(T) d;",
            "assign #2 y = a;",
            "assign #(T) y = a;",
            "adder #(.W(8)) a(.x(x));",
            "adder #(8) a(x);",
            "module m import p::*; #(parameter W = 8) (input a);",
            "y = 1; // ; #5 q",
            "/* ; #5 */ $display(\"; #5\", \"\\\"; #5\");",
        ] {
            assert!(waits(text, &|_| true).is_none(), "{text}");
        }
    }

    /// Whatever is no module of another name is used.
    #[test]
    fn statements_that_wait_are_found_in_modules_that_are_used() {
        for (text, found) in [
            ("module other; initial #5 a = 1; endmodule module m; endmodule", false),
            ("module other; endmodule module m; initial #5 a = 1; endmodule", true),
            ("module automatic m; initial #5 a = 1; endmodule", true),
            ("module \\m ; initial #5 a = 1; endmodule", true),
            ("module other; endmodule interface i; initial #5 a = 1; endinterface", true),
        ] {
            assert_eq!(waits(text, &|name| name == "m").is_some(), found, "{text}");
        }
    }

    #[test]
    fn tokens_have_their_places() {
        let text = "`file_push \"a.v\"\nmodule m;\n`file_push \"b.vh\"\n\nwire \"x\ny\";\n`file_pop\n\nendmodule\n";
        let places: Vec<(&str, &str, usize)> =
            Tokens::new(text).map(|token| (token.text, token.file, token.line)).collect();
        let (a, b) = ("a.v", "b.vh");
        assert_eq!(
            places,
            [
                ("module", a, 1),
                ("m", a, 1),
                (";", a, 1),
                ("wire", b, 2),
                ("\"x\ny\"", b, 2),
                (";", b, 3),
                ("endmodule", a, 3)
            ]
        );
    }
}
