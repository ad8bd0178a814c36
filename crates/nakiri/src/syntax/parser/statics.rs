//! Static expressions: indices, bounds, dimensions and shift amounts.

use super::{Outcome, Parser};
use crate::syntax::ast::{ABinOp, AExp, AExpKind};
use crate::syntax::lexer::{Symbol, TokenKind};

const STATIC_HELP: &str =
    "indices, bounds and shift amounts are made of numbers, constants, `nat` parameters and iterators by `+ - * / %`";

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
                match self.at_symbol(Symbol::OpenBracket) {
                    true => AExpKind::Element(name, self.static_indices()?),
                    false => AExpKind::Var(name.name),
                }
            }
            _ => return Err(self.unexpected("a static expression", STATIC_HELP)),
        };
        Ok(AExp { kind, span: self.since(start) })
    }

    /// `[i][j]…` of a list of static numbers.
    fn static_indices(&mut self) -> Outcome<Vec<AExp>> {
        let mut indices = Vec::new();
        while self.at_symbol(Symbol::OpenBracket) {
            let open = self.advance().span;
            indices.push(self.nested(Self::static_expression)?);
            self.close(Symbol::CloseBracket, open)?;
        }
        Ok(indices)
    }
}
