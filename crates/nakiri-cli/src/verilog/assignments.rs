//! Assignments of both kinds, `=` and `<=`, to one variable in one block.

use super::tokens::Token;
use std::collections::BTreeMap;

/// A variable that is assigned in both ways in one block, and where each way is first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mixed {
    /// What it is called.
    pub name: String,
    /// `FILE:LINE` of the first assignment by `=`.
    pub blocking: String,
    /// `FILE:LINE` of the first by `<=`.
    pub nonblocking: String,
}

/// Begins a block, unlike what stands in one.
const BEGINS: [&str; 4] = ["always", "always_ff", "always_comb", "always_latch"];

/// Ends a block, because it stands in none.
const ENDS: [&str; 14] = [
    "initial",
    "final",
    "assign",
    "endmodule",
    "module",
    "function",
    "task",
    "wire",
    "generate",
    "endgenerate",
    "genvar",
    "localparam",
    "parameter",
    "defparam",
];

/// Those of a text, in the modules that are used.
pub fn mixed<'t>(
    tokens: impl Iterator<Item = Token<'t>>,
    is_used: &dyn Fn(&str) -> bool,
) -> Vec<Mixed> {
    let mut found = Vec::new();
    let mut module = None;
    let mut block: Option<Block> = None;
    let mut before = "";
    for token in tokens {
        if ["module", "macromodule"].contains(&before) {
            module = Some(token.text.trim_start_matches('\\'));
        }
        if BEGINS.contains(&token.text) || ENDS.contains(&token.text) {
            found.extend(block.take().into_iter().flat_map(Block::mixed));
            let begins = BEGINS.contains(&token.text) && module.is_none_or(is_used);
            block = begins.then(Block::default);
        } else if let Some(block) = &mut block {
            block.read(&token);
        }
        before = token.text;
    }
    found.extend(block.into_iter().flat_map(Block::mixed));
    found
}

/// What was read of a block.
#[derive(Default)]
struct Block<'t> {
    /// Where each variable is first assigned, by `=` and by `<=`.
    assigned: BTreeMap<&'t str, [Option<String>; 2]>,
    /// What may be variables that the statement assigns.
    names: Vec<&'t str>,
    /// How many parentheses and brackets are open.
    depth: usize,
    /// Whether it is behind the sign of an assignment.
    is_value: bool,
    before: &'t str,
}

impl<'t> Block<'t> {
    fn read(&mut self, token: &Token<'t>) {
        match token.text {
            "(" | "[" => self.depth += 1,
            ")" | "]" => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 && token.text == ")" && !self.is_value {
                    self.names.clear();
                }
            }
            _ if self.depth > 0 => {}
            ";" | "begin" | "end" | "else" | "endcase" => {
                self.names.clear();
                self.is_value = false;
            }
            _ if self.is_value => {}
            ":" => self.names.clear(),
            "=" => {
                let kind = usize::from(self.before == "<");
                for name in self.names.drain(..) {
                    let place = || format!("{}:{}", token.file, token.line);
                    let first = &mut self.assigned.entry(name).or_default()[kind];
                    *first = first.take().or_else(|| Some(place()));
                }
                self.is_value = true;
            }
            // A member of a variable is a part of it.
            name if is_name(name) && self.before != "." => self.names.push(name),
            _ => {}
        }
        self.before = token.text;
    }

    fn mixed(self) -> impl Iterator<Item = Mixed> + use<'t> {
        self.assigned.into_iter().filter_map(|(name, [blocking, nonblocking])| {
            let name = name.trim_start_matches('\\').to_string();
            Some(Mixed { name, blocking: blocking?, nonblocking: nonblocking? })
        })
    }
}

/// Whether a token may be a name.
fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_alphabetic() || "_\\".contains(c))
}

#[cfg(test)]
mod tests {
    use super::mixed;
    use crate::verilog::tokens::Tokens;

    fn names(text: &str) -> Vec<String> {
        let text = format!("module m; {text} endmodule");
        mixed(Tokens::new(&text), &|_| true).into_iter().map(|mixed| mixed.name).collect()
    }

    #[test]
    fn both_kinds_of_assignments_in_a_block_are_found() {
        for text in [
            "always @(posedge c) begin y <= x; y = ~x; end",
            "always @(posedge c) if (a) y[3:0] = x; else y <= ~x;",
            "always @(posedge c) case (s) 0, 1: y = x; default: y <= 0; endcase",
            "always @(posedge c) begin : named {y, z} <= x; for (i = 0; i <= 3; i = i + 1) y[i] = x[i]; end",
            "always_ff @(posedge c) begin s.y <= a <= b; s = #1 x; end",
            "always @(posedge c) begin y <= x; y += 1; end",
        ] {
            let names = names(text);
            assert!(names == ["y"] || names == ["s"], "{text}: {names:?}");
        }
    }

    #[test]
    fn one_kind_alone_is_none() {
        for text in [
            "always @(posedge c) y <= x; always @* y = x;",
            "always @(posedge c) begin t = a <= b; y <= t; end",
            "always @(posedge c) begin t = s ? a : t <= b; y <= (t == x); end",
            "always @(posedge c) for (y = 0; y <= 3; y = y + 1) z[y] <= x[y];",
            "always @(posedge c) if (y <= 3) y = y + 1;",
            "always @(posedge c) y <= x; initial y = 0;",
            "always @(posedge c) case (y) 0: y = t <= x; endcase assign y = x;",
            "always @(posedge c) a[y = 1] <= x;",
        ] {
            assert!(names(text).is_empty(), "{text}: {:?}", names(text));
        }
    }

    #[test]
    fn other_modules_don_t_matter() {
        let text = "module other; always @(posedge c) begin y <= x; y = x; end endmodule module m; endmodule";
        assert!(mixed(Tokens::new(text), &|name| name == "m").is_empty());
    }
}
