//! Numbers of a program as constants of its file, and its entry as a member of a family: other texts of the same program.

use nakiri::source::{FileId, SourceMap};
use nakiri::syntax::lexer::{Keyword, Lexer, Symbol, Token, TokenKind};
use nakiri::syntax::Dialect;
use std::fmt::Write;

/// The program with its numbers in brackets as static numbers of the whole program, and those with a type as constants.
pub fn named(text: &str) -> String {
    let tokens = tokens(text);
    let (mut constants, mut body, mut at) = (String::new(), String::new(), 0);
    let is = |k: usize, symbol| {
        tokens.get(k).is_some_and(|token: &Token| token.kind == TokenKind::Symbol(symbol))
    };
    for k in 1..tokens.len().saturating_sub(2) {
        if tokens[k].kind != TokenKind::Number {
            continue;
        }
        let range = tokens[k].span.range();
        let number = &text[range.clone()];
        let name = format!("c{k}_");
        let end = if is(k - 1, Symbol::OpenBracket) && is(k + 1, Symbol::CloseBracket) {
            let _ = writeln!(constants, "const {name}:nat = {number}");
            range.end
        } else if is(k + 1, Symbol::Colon) {
            let ty = tokens[k + 2].span.range();
            let _ = writeln!(constants, "const {name}:{} = {number}", &text[ty.clone()]);
            ty.end
        } else {
            continue;
        };
        body += &text[at..range.start];
        body += &name;
        at = end;
    }
    constants + &body + &text[at..]
}

/// The program with a `nat` parameter of its last node, which is another name then, and the member with a number for it as the last
/// node.
pub fn member(text: &str) -> String {
    let tokens = tokens(text);
    let last = tokens.iter().rposition(|token| token.kind == TokenKind::Keyword(Keyword::Node));
    let last = last.expect("a program has a node");
    let (name, open) = (tokens[last + 1].span.range(), tokens[last + 2].span.range());
    let own = &text[name.clone()];
    let (before, after) = (&text[..name.end], &text[open.end..]);
    format!("{before}_ (n_:nat, {after}\nnode {own} = {own}_(3)\n")
}

fn tokens(text: &str) -> Vec<Token> {
    let mut sources = SourceMap::default();
    let file: FileId = sources.add("random.ua", text);
    let mut lexer = Lexer::new(text, file, Dialect::Nakiri);
    std::iter::from_fn(|| Some(lexer.next_token()))
        .take_while(|token| token.kind != TokenKind::End)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::program;
    use nakiri::check::{check, NoFiles, Options};

    fn core(text: &str) -> String {
        let mut sources = SourceMap::default();
        let file = sources.add("random.ua", text);
        let (checked, problems) = check(&mut sources, file, &mut NoFiles, &Options::default());
        let problems: String = problems.iter().map(|p| p.render(&sources, false)).collect();
        checked.unwrap_or_else(|| panic!("{text}\n{problems}")).program.to_string()
    }

    #[test]
    fn a_program_with_constants_is_the_same_program() {
        let mut changed = 0;
        for seed in 0..200 {
            let text = program(seed).text;
            let other = named(&text);
            changed += usize::from(other.contains(":nat = ") && other != text);
            assert_eq!(core(&text), core(&other), "{other}");
        }
        assert!(changed > 100, "{changed} programs have static numbers");
    }

    #[test]
    fn a_member_calls_its_family() {
        for seed in 0..100 {
            let text = program(seed).text;
            let (own, other) = (core(&text), core(&member(&text)));
            let entry = own.split_once("entry func").expect("an entry").1;
            let (header, body) = entry.split_once('\n').expect("a body");
            let body = body.split_once("\n}\n").expect("its end").0;
            assert!(other.contains(body), "{header}\n{other}");
            assert_eq!(
                other.matches(" call ").count(),
                own.matches(" call ").count() + 1,
                "{other}"
            );
        }
    }
}
