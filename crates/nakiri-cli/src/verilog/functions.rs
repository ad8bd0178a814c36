//! Functions that call themselves. Yosys writes calls out, so that one of which the depth depends on data has no end.

use super::tokens::{bracketed, split, Token, Tokens};
use std::collections::BTreeSet;

/// A function that calls itself, perhaps through others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recursive {
    /// Its name.
    pub name: String,
    /// Where it is defined.
    pub place: String,
    /// Whether there is a call of which each argument that decides how deep it goes is data.
    pub endless: bool,
}

/// A function or a task.
struct Function<'a, 't> {
    module: &'t str,
    name: Token<'t>,
    parameters: Vec<&'t str>,
    body: &'a [Token<'t>],
    /// Where it stands among all tokens.
    range: std::ops::Range<usize>,
}

/// The functions of some texts that call themselves.
pub fn recursive<'t>(texts: impl Iterator<Item = Tokens<'t>>) -> Vec<Recursive> {
    let mut found = Vec::new();
    for text in texts {
        let tokens: Vec<Token> = text.collect();
        let functions = functions(&tokens);
        for (number, function) in functions.iter().enumerate() {
            if reaches(&functions, number, number) {
                let endless = is_endless(&tokens, &functions, number);
                let (name, place) = (function.name.name().to_string(), function.name.place());
                found.push(Recursive { name, place, endless });
            }
        }
    }
    found
}

fn functions<'a, 't>(tokens: &'a [Token<'t>]) -> Vec<Function<'a, 't>> {
    let mut functions = Vec::new();
    let (mut module, mut at) = ("", 0);
    while at < tokens.len() {
        let token = tokens[at];
        let declared_elsewhere =
            at > 0 && ["import", "extern", "pure", "virtual"].contains(&tokens[at - 1].text);
        match token.text {
            "module" | "macromodule" | "package" | "interface" => {
                module = tokens.get(at + 1).map_or("", |token| token.text);
            }
            "function" | "task" if !declared_elsewhere => {
                let end = if token.text == "task" { "endtask" } else { "endfunction" };
                let rest = &tokens[at + 1..];
                let length = rest.iter().position(|token| token.text == end);
                let inside = &rest[..length.unwrap_or(rest.len())];
                functions.extend(function(module, inside, at..at + 1 + inside.len()));
                at += inside.len();
            }
            _ => {}
        }
        at += 1;
    }
    functions
}

/// A function of its tokens behind the keyword.
fn function<'a, 't>(
    module: &'t str,
    inside: &'a [Token<'t>],
    range: std::ops::Range<usize>,
) -> Option<Function<'a, 't>> {
    let head = split(inside, ";")[0];
    // The brackets of the type may have calls in them.
    let open = (1..head.len()).find(|&at| {
        let count = |sign: &str| head[..at].iter().filter(|token| token.text == sign).count();
        head[at].text == "(" && count("[") == count("]")
    });
    let name = open.map_or(head.last(), |open| head.get(open - 1))?;
    let mut parameters = Vec::new();
    let listed = open.map_or(&[][..], |open| bracketed(&head[open..]));
    parameters.extend(split(listed, ",").into_iter().filter_map(declared));
    let body = &inside[head.len().min(inside.len())..];
    // Declared in statements, as in Verilog of 1995.
    for statement in split(body, ";") {
        if let Some(start) = statement.iter().position(|token| token.text == "input") {
            parameters.extend(split(&statement[start..], ",").into_iter().filter_map(declared));
        }
    }
    Some(Function { module, name: *name, parameters, body, range })
}

/// The name that a declaration declares.
fn declared<'t>(tokens: &[Token<'t>]) -> Option<&'t str> {
    let before_value = split(tokens, "=")[0];
    before_value.iter().rev().find(|token| token.is_word()).map(|token| token.text)
}

/// The numbers of the functions that a function calls.
fn called<'a>(functions: &'a [Function], number: usize) -> impl Iterator<Item = usize> + 'a {
    let function = &functions[number];
    let calls = function.body.windows(2).filter(|pair| pair[1].text == "(");
    calls.filter_map(move |pair| {
        let same =
            |other: &Function| other.module == function.module && other.name.text == pair[0].text;
        functions.iter().position(same)
    })
}

/// Whether a function calls another, perhaps through others.
fn reaches(functions: &[Function], from: usize, to: usize) -> bool {
    let (mut known, mut waiting) = (BTreeSet::new(), vec![from]);
    while let Some(number) = waiting.pop() {
        for next in called(functions, number) {
            if next == to {
                return true;
            }
            if known.insert(next) {
                waiting.push(next);
            }
        }
    }
    false
}

/// Whether nothing ends some call of a function from without: each argument that stands in a condition of it is data. Of `?` both
/// sides are written out, unless the whole call is a constant.
fn is_endless(tokens: &[Token], functions: &[Function], number: usize) -> bool {
    let function = &functions[number];
    let constants = constants(tokens);
    let deciding = deciding(function);
    let is_outside = |at: usize| functions.iter().all(|function| !function.range.contains(&at));
    let calls = (0..tokens.len()).filter(|&at| {
        tokens[at].text == function.name.text
            && tokens.get(at + 1).is_some_and(|next| next.text == "(")
            && !(at > 0 && ["module", "macromodule"].contains(&tokens[at - 1].text))
            && is_outside(at)
    });
    let data = |argument: &[Token]| {
        let words = argument.iter().filter(|token| token.is_word());
        words.filter(|word| !word.text.starts_with('$')).any(|word| !constants.contains(word.text))
    };
    calls.into_iter().any(|at| {
        let arguments = split(bracketed(&tokens[at + 1..]), ",");
        let mut decide = arguments.iter().zip(&function.parameters);
        match function.body.iter().any(|token| token.text == "?") {
            true => decide.any(|(argument, _)| data(argument)),
            false => decide.all(|(argument, name)| !deciding.contains(name) || data(argument)),
        }
    })
}

/// The parameters of a function that stand in its conditions.
fn deciding<'t>(function: &Function<'_, 't>) -> BTreeSet<&'t str> {
    let all: BTreeSet<&str> = function.parameters.iter().copied().collect();
    let body = function.body;
    let conditions = (0..body.len()).filter(|&at| ["if", "case", "casez"].contains(&body[at].text));
    let words = conditions.flat_map(|at| bracketed(&body[at + 1..])).map(|token| token.text);
    words.filter(|word| all.contains(word)).collect()
}

/// Names of what has a value when a design is elaborated: parameters, and variables of loops.
fn constants<'t>(tokens: &[Token<'t>]) -> BTreeSet<&'t str> {
    const KINDS: [&str; 5] = ["parameter", "localparam", "genvar", "integer", "int"];
    let mut constants = BTreeSet::new();
    for at in (0..tokens.len()).filter(|&at| KINDS.contains(&tokens[at].text)) {
        let statement = split(&tokens[at..], ";")[0];
        let end = statement.iter().position(|token| token.text == ")").unwrap_or(statement.len());
        constants.extend(split(&statement[..end], ",").into_iter().filter_map(declared));
    }
    constants
}

#[cfg(test)]
mod tests {
    use super::recursive;
    use crate::verilog::tokens::Tokens;

    #[test]
    fn functions_that_call_themselves_are_found() {
        let steps = "function automatic [7:0] steps(input [7:0] v, input [7:0] n);
            if (n == 0) steps = v; else steps = steps(v ^ 8'h1d, n - 1); endfunction";
        let old = "function [log(8)-1:0] steps; input [7:0] v; input [7:0] n;
            begin if (n == 0) steps = v; else steps = other(v, n - 1); end endfunction
            function [7:0] other; input [7:0] v, n; other = steps(v, n); endfunction";
        for (functions, rest, expected) in [
            (steps, "always @(posedge clk) y <= steps(a, a);", &[("steps", true)][..]),
            (steps, "always @(posedge clk) y <= steps(a, 8'd3);", &[("steps", false)]),
            (steps, "parameter N = 3; assign y = steps(a, N);", &[("steps", false)]),
            (steps, "endmodule module steps(input a);", &[("steps", false)]),
            (steps, "integer i; always @* for (i = 0; i < 4; i = i + 1) y = steps(y, i);", &[("steps", false)]),
            (steps, "localparam A = 1, B = steps(A, A);", &[("steps", false)]),
            ("function f(input v, input [7:0] n); f = n == 0 ? v : f(~v, n - 1); endfunction", "assign y = f(a, 3);", &[("f", true)]),
            ("function f(input v, input [7:0] n); f = n == 0 ? v : f(~v, n - 1); endfunction", "assign y = f(1, 3);", &[("f", false)]),
            (old, "assign y = steps(3, a);", &[("steps", true), ("other", false)]),
            ("function f(input a); f = g(a); endfunction function g(input a); g = a; endfunction", "assign y = f(a);", &[]),
        ] {
            let text = format!("module m(input clk, input [7:0] a);\n{functions}\n{rest}\nendmodule\n");
            let found = recursive([Tokens::of_file("m.v", &text)].into_iter());
            let found: Vec<(&str, bool)> =
                found.iter().map(|f| (f.name.as_str(), f.endless)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
