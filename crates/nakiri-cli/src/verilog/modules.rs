//! What the text of modules says: their instances, their parameters, and which of them no other instantiates.

use super::tokens::{bracketed, split, Token, Tokens};
use std::collections::BTreeSet;

/// The tokens of each module behind its keyword, and its name.
fn modules<'t>(text: Tokens<'t>) -> Vec<(&'t str, Vec<Token<'t>>)> {
    let tokens: Vec<Token> = text.collect();
    let mut modules = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if ["module", "macromodule"].contains(&token.text) {
            let rest = &tokens[at + 1..];
            let rest = match rest.first().map(|token| token.text) {
                Some("automatic" | "static") => &rest[1..],
                _ => rest,
            };
            let end = rest.iter().position(|token| token.text == "endmodule");
            let inside = rest[..end.unwrap_or(rest.len())].to_vec();
            if let Some(name) = rest.first() {
                modules.push((name.text.trim_start_matches('\\'), inside));
            }
        }
    }
    modules
}

/// The place of an instance of this kind in a module: of this name, if there is one.
pub fn instance<'t>(
    texts: impl Iterator<Item = Tokens<'t>>,
    module: &str,
    kind: &str,
    name: &str,
) -> Option<String> {
    let of_module = texts.flat_map(modules).filter(|(of, _)| *of == module);
    let tokens: Vec<Token> = of_module.flat_map(|(_, tokens)| tokens).collect();
    let mut found: Vec<(bool, String)> = Vec::new();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.name() == kind) {
        let mut rest = &tokens[at + 1..];
        if let [hash, open, ..] = rest {
            if (hash.text, open.text) == ("#", "(") {
                rest = &rest[bracketed(&rest[1..]).len() + 3..];
            }
        }
        if let Some(called) = rest.first().filter(|next| next.is_word()) {
            found.push((called.name() != name, token.place()));
        }
    }
    found.sort_by_key(|(differs, _)| *differs);
    found.into_iter().next().map(|(_, place)| place)
}

/// The only module of some texts which no other names. `Err` has all of them, if they are not one.
pub fn top<'t>(texts: impl Iterator<Item = Tokens<'t>>) -> Result<&'t str, Vec<&'t str>> {
    let modules: Vec<(&str, Vec<Token>)> = texts.flat_map(modules).collect();
    let named = |name: &str| {
        let others = modules.iter().filter(|(other, _)| *other != name);
        others.flat_map(|(_, tokens)| tokens).any(|token| token.name() == name)
    };
    let names: BTreeSet<&str> = modules.iter().map(|(name, _)| *name).collect();
    let tops: Vec<&str> = names.into_iter().filter(|name| !named(name)).collect();
    match tops[..] {
        [top] => Ok(top),
        _ => Err(tops),
    }
}

/// The parameters of a module, in the order of the source; `None` if no text defines it.
pub fn parameters<'t>(
    mut texts: impl Iterator<Item = Tokens<'t>>,
    module: &str,
) -> Option<Vec<&'t str>> {
    let (_, tokens) =
        texts.find_map(|text| modules(text).into_iter().find(|(of, _)| *of == module))?;
    let mut parameters = Vec::new();
    // In the head all are between one pair of brackets, and the keyword holds on behind commas.
    let head = tokens.iter().position(|token| ["#", ";"].contains(&token.text)).unwrap_or(0);
    if tokens.get(head).is_some_and(|token| token.text == "#") {
        let mut local = false;
        for part in split(bracketed(&tokens[head + 1..]), ",") {
            let has = |word: &str| part.iter().any(|token| token.text == word);
            local = has("localparam") || local && !has("parameter");
            parameters.extend(assigned(part).filter(|_| !local));
        }
    }
    let body = split(&tokens[head..], ";").into_iter().skip(1);
    for statement in body {
        let Some(start) = statement.iter().position(|token| token.text == "parameter") else {
            continue;
        };
        parameters.extend(split(&statement[start..], ",").into_iter().filter_map(assigned));
    }
    Some(parameters)
}

/// The name that stands before the first `=`.
fn assigned<'t>(part: &[Token<'t>]) -> Option<&'t str> {
    let at = part.iter().position(|token| token.text == "=")?;
    part[..at].iter().rev().find(|token| token.is_word()).map(|token| token.text)
}

#[cfg(test)]
mod tests {
    use super::{instance, parameters, top};
    use crate::verilog::tokens::Tokens;

    const TEXT: &str = "module low(input a);\nleaf one(.a(a));\nendmodule
        module automatic \\high #(parameter W = 4, type T = logic [W-1:0], localparam L = f(W, 2), parameter int unsigned D = {1, 2})
        (input a); parameter [3:0] E = 4'd1, F = 2; localparam G = 3;
        leaf #(.P((1)))\n two[3:0] (.a(a));\nlow low(.a(a)); endmodule";

    #[test]
    fn parameters_of_a_module() {
        let texts = || [Tokens::of_file("x.v", TEXT)].into_iter();
        assert_eq!(parameters(texts(), "high"), Some(vec!["W", "T", "D", "E", "F"]));
        assert_eq!(parameters(texts(), "low"), Some(vec![]));
        assert_eq!(parameters(texts(), "none"), None);
        assert_eq!(top(texts()), Ok("high"));
    }

    #[test]
    fn instances_of_a_module() {
        let found = |module, name| {
            instance([Tokens::of_file("x.v", TEXT)].into_iter(), module, "leaf", name)
        };
        assert_eq!(found("low", "one").as_deref(), Some("x.v:2"));
        assert_eq!(found("high", "two").as_deref(), Some("x.v:6"));
        assert_eq!(found("high", "three").as_deref(), Some("x.v:6"));
        assert_eq!(found("none", "one"), None);
    }
}
