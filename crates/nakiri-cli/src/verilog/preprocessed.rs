//! The sources as Yosys' preprocessor leaves them: macros and included files are in their places.

use super::assignments::{self, Mixed};
use super::tokens::{Token, Tokens, INCLUDED};
use crate::session::Session;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What stands before and behind each preprocessed file in Yosys' log.
const BEGIN: &str = "-- Verilog code after preprocessor --";
const END: &str = "-- END OF DUMP --";

/// The preprocessed files of a log.
pub fn texts(log: &str) -> impl Iterator<Item = &str> {
    log.split(BEGIN).skip(1).map(|rest| rest.split(END).next().unwrap_or(rest))
}

/// Adds every file that the sources name in quotes to those of the session: included ones, and those that memories are read
/// from. What they say is a part of the design.
pub fn add_named_files(session: &mut Session, log: &str) {
    add_named(session, texts(log).map(Tokens::new).collect());
}

/// The same for texts.
pub fn add_named(session: &mut Session, texts: Vec<Tokens>) {
    let known = session.sources.files().iter().map(|file| PathBuf::from(&file.path));
    let mut known: Vec<PathBuf> = known.collect();
    let beside = known.iter().filter_map(|path| path.parent().map(Path::to_path_buf));
    let mut folders: Vec<PathBuf> = [PathBuf::new()].into_iter().chain(beside).collect();
    folders.dedup();
    for text in texts {
        let included: Vec<&str> =
            text.rest().lines().filter_map(|line| line.strip_prefix(INCLUDED)).collect();
        let strings = text.map(|token| token.text).filter(|text| text.starts_with('"'));
        for name in included.into_iter().chain(strings) {
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
    texts(log).find_map(|text| waits(Tokens::new(text), is_used).next().map(|token| token.place()))
}

/// What is assigned by `=` and by `<=` in one block, in modules that are used.
pub fn mixed_assignments(log: &str, is_used: &dyn Fn(&str) -> bool) -> Vec<Mixed> {
    texts(log).flat_map(|text| assignments::mixed(Tokens::new(text), is_used)).collect()
}

/// The places of all statements of some texts that begin with a delay.
pub fn waits_in<'t>(texts: impl Iterator<Item = Tokens<'t>>) -> BTreeSet<String> {
    texts
        .flat_map(|text| waits(text, &|_| true).map(|token| token.place()).collect::<Vec<_>>())
        .collect()
}

/// The tokens `#` that begin statements which wait.
fn waits<'a, 'u: 'a>(
    text: Tokens<'a>,
    is_used: &'u dyn Fn(&str) -> bool,
) -> impl Iterator<Item = Token<'a>> + use<'a, 'u> {
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
    text.filter(move |token| {
        let labelled = before[1] == ":" && ["begin", "end", "fork", "join"].contains(&before[0]);
        let waits = token.text == "#"
            && !in_head
            && (BEFORE.contains(&before[2]) || labelled)
            && module.is_none_or(is_used);
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
        waits
    })
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
            assert!(waits(Tokens::new(text), &|_| true).next().is_some(), "{text}");
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
            assert!(waits(Tokens::new(text), &|_| true).next().is_none(), "{text}");
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
            assert_eq!(
                waits(Tokens::new(text), &|name| name == "m").next().is_some(),
                found,
                "{text}"
            );
        }
    }
}
