//! Fields: `field F = 2^255 - 19`.

use super::{Outcome, Parser};
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{FieldDef, Formula, FormulaKind, FormulaOp};
use crate::syntax::lexer::{Symbol, TokenKind};

/// A word only where a definition begins; a name everywhere else.
const FIELD: &str = "field";
const FIELD_HELP: &str = "a field is defined like `field F = 2^255 - 19`";

impl Parser<'_> {
    /// Whether a field is defined here.
    pub(super) fn at_field(&self) -> bool {
        self.at_word(FIELD) && self.peek() == TokenKind::Ident
    }

    pub(super) fn field(&mut self) -> Outcome<FieldDef> {
        let start = self.advance().span;
        let name = self.ident("the name of the field")?;
        if !name.name.starts_with(|c: char| c.is_ascii_uppercase()) {
            let message = format!("the field `{}` has no name of a type", name.name);
            let error = Diagnostic::error("E0039", name.span, message)
                .label("begins with a small letter")
                .help(FIELD_HELP);
            return Err(self.fail(error));
        }
        self.expect(Symbol::Equals, "before the prime of the field", FIELD_HELP)?;
        let modulus = self.formula()?;
        Ok(FieldDef { name, modulus, span: self.since(start) })
    }

    /// A number by sums, differences, products and powers.
    pub(super) fn formula(&mut self) -> Outcome<Formula> {
        let start = self.token.span;
        let mut left = self.formula_product()?;
        loop {
            let kind = match self.token.kind {
                TokenKind::Symbol(Symbol::Plus) => FormulaOp::Sum,
                TokenKind::Symbol(Symbol::Minus) => FormulaOp::Difference,
                _ => return Ok(left),
            };
            self.advance();
            let right = self.formula_product()?;
            let kind = FormulaKind::Of(kind, Box::new([left, right]));
            left = Formula { kind, span: self.since(start) };
        }
    }

    fn formula_product(&mut self) -> Outcome<Formula> {
        let start = self.token.span;
        let mut left = self.formula_power()?;
        while self.eat(Symbol::Star) {
            let right = self.formula_power()?;
            let kind = FormulaKind::Of(FormulaOp::Product, Box::new([left, right]));
            left = Formula { kind, span: self.since(start) };
        }
        Ok(left)
    }

    fn formula_power(&mut self) -> Outcome<Formula> {
        let start = self.token.span;
        let base = self.formula_factor()?;
        if !self.eat(Symbol::Xor) {
            return Ok(base);
        }
        let exponent = self.formula_factor()?;
        let kind = FormulaKind::Of(FormulaOp::Power, Box::new([base, exponent]));
        Ok(Formula { kind, span: self.since(start) })
    }

    fn formula_factor(&mut self) -> Outcome<Formula> {
        let span = self.token.span;
        if self.at_symbol(Symbol::OpenParen) {
            let open = self.advance().span;
            let inner = self.nested(Self::formula)?;
            self.close(Symbol::CloseParen, open)?;
            let kind = FormulaKind::Paren(Box::new(inner));
            return Ok(Formula { kind, span: self.since(span) });
        }
        if !self.at(TokenKind::Number) {
            let message = format!("expected a number, found {}", self.found());
            let error = Diagnostic::error("E0039", span, message)
                .label("no number")
                .help("numbers here are made of digits by `+`, `-`, `*`, `^` (a power) and parentheses: `2^255 - 19`");
            return Err(self.fail(error));
        }
        self.advance();
        let number = self.value(span, self.source(span));
        Ok(Formula { kind: FormulaKind::Number(number), span })
    }
}
