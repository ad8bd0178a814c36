//! Fields: `field F = 2^255 - 19`, `field F = 2^8 by x^8 + x^4 + x^3 + x + 1`.

use super::{Outcome, Parser};
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{FieldDef, Formula, FormulaKind, FormulaOp, Ident, Polynomial, Term};
use crate::syntax::lexer::{Symbol, TokenKind};
use num_bigint::BigUint;
use num_traits::{One, Zero};

/// A word only where a definition begins; a name everywhere else.
const FIELD: &str = "field";
const FIELD_HELP: &str = "a field is defined like `field F = 2^255 - 19`";
/// A word only behind the number of a field's elements.
const BY: &str = "by";
const POLYNOMIAL_HELP: &str =
    "a polynomial is a sum of powers of a variable: `x^8 + x^4 + x^3 + x + 1`";

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
        self.expect(Symbol::Equals, "before the number of the field", FIELD_HELP)?;
        let order = self.formula()?;
        let polynomial = match self.at_word(BY) {
            true => {
                self.advance();
                Some(self.polynomial()?)
            }
            false => None,
        };
        Ok(FieldDef { name, order, polynomial, span: self.since(start) })
    }

    /// A sum of powers of one variable.
    fn polynomial(&mut self) -> Outcome<Polynomial> {
        let start = self.token.span;
        let mut terms: Vec<Term> = Vec::new();
        loop {
            let variable = terms.iter().find_map(|term| term.variable.clone());
            terms.push(self.term(variable.as_ref())?);
            if !self.eat(Symbol::Plus) {
                return Ok(Polynomial { terms, span: self.since(start) });
            }
        }
    }

    /// A power of the variable of the terms before, if these have any.
    fn term(&mut self, known: Option<&Ident>) -> Outcome<Term> {
        let span = self.token.span;
        if self.at(TokenKind::Number) && self.source(span) == "1" {
            self.advance();
            let (exponent, number) = (BigUint::zero(), Some(span));
            return Ok(Term { variable: None, exponent, number, span });
        }
        if !self.at(TokenKind::Ident) {
            let message = format!("expected a power of a variable, found {}", self.found());
            let error = Diagnostic::error("E0039", span, message)
                .label("no term of a polynomial")
                .help(POLYNOMIAL_HELP);
            return Err(self.fail(error));
        }
        let variable = self.ident("the variable of the polynomial")?;
        if let Some(known) = known.filter(|known| known.name != variable.name) {
            let message = format!("the polynomial has a second variable, `{}`", variable.name);
            let error = Diagnostic::error("E0039", variable.span, message)
                .label("another one")
                .also(known.span, format!("the first is `{}`", known.name))
                .help(POLYNOMIAL_HELP);
            return Err(self.fail(error));
        }
        let (mut exponent, mut number) = (BigUint::one(), None);
        if self.eat(Symbol::Xor) {
            let place = self.token.span;
            if !self.at(TokenKind::Number) {
                let message = format!("expected an exponent, found {}", self.found());
                let error = Diagnostic::error("E0039", place, message)
                    .label("no number")
                    .help(POLYNOMIAL_HELP);
                return Err(self.fail(error));
            }
            self.advance();
            exponent = self.value(place, self.source(place));
            number = Some(place);
        }
        Ok(Term { variable: Some(variable), exponent, number, span: self.since(span) })
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
