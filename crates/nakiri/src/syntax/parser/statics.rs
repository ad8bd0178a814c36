//! Static expressions: indices, bounds, dimensions and shift amounts.

use super::{Outcome, Parser};
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{ABinOp, AExp, AExpKind, Ident};
use crate::syntax::lexer::{Symbol, TokenKind};

const STATIC_HELP: &str =
    "indices, bounds and shift amounts are made of numbers, `nat` parameters and iterators by `+ - * / %`";

const WRITTEN_OUT: &str =
    "write the equations out, number by number, or make an array of definitions, one for each number, and call its element: \
     `f<i>(x)`";

impl Parser<'_> {
    /// `+` and `-`, the loosest operators of static expressions.
    pub(super) fn static_expression(&mut self) -> Outcome<AExp> {
        self.static_chain(Self::static_product, |symbol| match symbol {
            Symbol::Plus => Some(ABinOp::Add),
            Symbol::Minus => Some(ABinOp::Sub),
            _ => None,
        })
    }

    fn static_product(&mut self) -> Outcome<AExp> {
        self.static_chain(Self::static_atom, |symbol| match symbol {
            Symbol::Star => Some(ABinOp::Mul),
            Symbol::Slash => Some(ABinOp::Div),
            Symbol::Percent => Some(ABinOp::Rem),
            _ => None,
        })
    }

    fn static_chain(
        &mut self,
        operand: impl Fn(&mut Self) -> Outcome<AExp>,
        operator: impl Fn(Symbol) -> Option<ABinOp>,
    ) -> Outcome<AExp> {
        let mut left = operand(self)?;
        while let TokenKind::Symbol(symbol) = self.token.kind {
            let Some(op) = operator(symbol) else { break };
            self.count_operator(self.token.span)?;
            self.advance();
            let right = operand(self)?;
            let span = left.span.to(right.span);
            left = AExp { kind: AExpKind::Bin(op, Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    fn static_atom(&mut self) -> Outcome<AExp> {
        let start = self.token.span;
        let kind = match self.token.kind {
            TokenKind::Number => AExpKind::Int(self.number("a number", STATIC_HELP)?.0),
            TokenKind::Symbol(Symbol::OpenParen) => {
                self.advance();
                let inner = self.nested(Self::static_expression)?;
                self.close(Symbol::CloseParen, start)?;
                AExpKind::Paren(Box::new(inner))
            }
            TokenKind::Ident | TokenKind::Keyword(_) => {
                let name = self.ident("a `nat` parameter or an iterator")?;
                if self.at_symbol(Symbol::OpenBracket) {
                    return Err(self.list_of_static_numbers(&name));
                }
                AExpKind::Var(name.name)
            }
            _ => return Err(self.unexpected("a static expression", STATIC_HELP)),
        };
        Ok(AExp { kind, span: self.since(start) })
    }

    /// Reports `r[i]` where a static number belongs; the `[` is the next token.
    fn list_of_static_numbers(&mut self, name: &Ident) -> super::Stop {
        let message = format!("`{}[…]` is no static number", name.name);
        let before = self.text[..name.span.range().start].trim_end();
        let table = before.strip_suffix('[').map(|before| {
            before
                .rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .next()
                .unwrap_or_default()
        });
        let index = self.text[name.span.range().start..].split_inclusive(']').next();
        let help = match (table, index) {
            (Some(table), Some(index)) if !table.is_empty() && index.len() < 40 => {
                format!("if `{table}` is a table, call it: `{table}({index})`; of numbers, {WRITTEN_OUT}")
            }
            _ => WRITTEN_OUT.to_string(),
        };
        let error = Diagnostic::error("E0035", self.token.span, message)
            .label("there are no lists of static numbers")
            .also(name.span, "here stands a number, a `nat` parameter or an iterator")
            .help(help);
        self.fail(error)
    }
}
