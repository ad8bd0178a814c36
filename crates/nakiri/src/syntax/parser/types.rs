//! Types. The lexer knows nothing of them: `u16x4`, `u<V>16x4` and `u 16 x 4` arrive as names and
//! numbers, which are split and joined here.

use super::{Outcome, Parser, Stop};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{BaseType, Dir, Spelling, Type, Width};
use crate::syntax::lexer::{Keyword, Symbol, TokenKind};
use num_bigint::BigUint;

/// The type of a stream; a name everywhere else.
const STREAM: &str = "bytes";

impl Parser<'_> {
    /// A base and its array dimensions.
    pub(super) fn type_(&mut self) -> Outcome<Type> {
        let start = self.token.span;
        let base = if self.eat_keyword(Keyword::Nat) {
            BaseType::Nat
        } else if self.at_keyword(Keyword::Node) && !self.begins_node() {
            self.advance();
            BaseType::Node
        } else if self.at_word(STREAM) {
            self.advance();
            BaseType::Bytes
        } else if self.at_name_of_type() {
            BaseType::Field(self.ident("the name of a type")?)
        } else {
            self.atoms()?
        };
        let mut dims = Vec::new();
        while self.at_symbol(Symbol::OpenBracket) {
            let open = self.advance().span;
            dims.push(self.nested(Self::static_expression)?);
            self.close(Symbol::CloseBracket, open)?;
        }
        Ok(Type { base, dims, span: self.since(start) })
    }

    /// Whether a name is next that can't be meant as a type of atoms.
    fn at_name_of_type(&self) -> bool {
        let word = self.source(self.token.span);
        let begins = word.starts_with(|c: char| c.is_ascii_uppercase());
        self.at(TokenKind::Ident) && begins
    }

    /// Whether `node` is here what a definition begins with: a type is missing in front of it.
    fn begins_node(&self) -> bool {
        matches!(self.peek(), TokenKind::Ident | TokenKind::Symbol(Symbol::OpenBracket))
    }

    fn atoms(&mut self) -> Outcome<BaseType> {
        if !self.at(TokenKind::Ident) {
            return Err(self.no_type());
        }
        let word = self.source(self.token.span);
        let spelling = match word.as_bytes()[0] {
            b'u' => Spelling::U,
            b'b' => Spelling::B,
            b'v' => Spelling::V,
            _ => return Err(self.no_type()),
        };
        let start = self.token.span;
        let rest = &word[1..];
        if !(rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_digit() || c == '\'')) {
            return Err(self.no_type());
        }
        self.advance();
        let (dir, sizes, sizes_span) = if rest.is_empty() {
            let dir = self.direction()?;
            if !matches!(self.token.kind, TokenKind::Number | TokenKind::Quoted) {
                let message =
                    format!("the type `{}` lacks its size", self.source(self.since(start)));
                return Err(self.malformed_at(
                    self.after_last(),
                    message,
                    "a size is missing here",
                ));
            }
            let span = self.advance().span;
            (dir, self.source(span), span)
        } else {
            (None, rest, start)
        };
        match spelling {
            Spelling::U => {
                let (width, count) = self.width_and_count(sizes, sizes_span, start)?;
                Ok(BaseType::Atoms { spelling, dir, width, count })
            }
            Spelling::B | Spelling::V => {
                let count = Some(self.size(sizes, sizes_span, start)?);
                let one_bit = Width::Bits(BigUint::from(1u32));
                let width = if spelling == Spelling::B { one_bit } else { Width::Implicit };
                Ok(BaseType::Atoms { spelling, dir, width, count })
            }
        }
    }

    /// `<H>`, `<'D>` and so on, if there is one.
    fn direction(&mut self) -> Outcome<Option<(Dir, Span)>> {
        if !self.at_symbol(Symbol::Less) {
            return Ok(None);
        }
        let open = self.advance().span;
        let word = self.source(self.token.span);
        let dir = match (self.token.kind, word) {
            (TokenKind::Quoted, _) => Dir::Var(word[1..].to_string()),
            (TokenKind::Ident, "H") => Dir::Horizontal,
            (TokenKind::Ident, "V") => Dir::Vertical,
            (TokenKind::Ident, "B") => Dir::Bitslice,
            (TokenKind::Ident, "P") => Dir::Packed,
            _ => {
                let message = format!("expected a direction, found {}", self.found());
                let error = Diagnostic::error("E0019", self.token.span, message)
                    .label("not a direction")
                    .help(
                        "a direction is `<H>`, `<V>`, `<B>`, `<P>` or a parameter such as `<'D>`",
                    );
                return Err(self.fail(error));
            }
        };
        let span = self.advance().span;
        self.close(Symbol::Greater, open)?;
        Ok(Some((dir, span)))
    }

    /// The `M [x N]` of an atom type; `sizes` is its first token, already consumed.
    fn width_and_count(
        &mut self,
        sizes: &str,
        span: Span,
        start: Span,
    ) -> Outcome<(Width, Option<BigUint>)> {
        let shortest_width = if sizes.starts_with('\'') { 2 } else { 1 };
        let (width, count) = match sizes.rsplit_once('x') {
            Some((width, count))
                if width.len() >= shortest_width && count.bytes().all(|c| c.is_ascii_digit()) =>
            {
                (width, Some(count))
            }
            _ => (sizes, None),
        };
        let width = match width.strip_prefix('\'') {
            Some(name) if !name.is_empty() => Width::Var(name.to_string()),
            _ => Width::Bits(self.size(width, span, start)?),
        };
        let count = match count {
            Some("") => Some(self.separate_count(start)?),
            Some(digits) => Some(self.size(digits, span, start)?),
            None => self.separate_x(start)?,
        };
        Ok((width, count))
    }

    /// `x N` or `xN` after the word size, with blanks before.
    fn separate_x(&mut self, start: Span) -> Outcome<Option<BigUint>> {
        if !self.at(TokenKind::Ident) {
            return Ok(None);
        }
        let span = self.token.span;
        let Some(digits) = self.source(span).strip_prefix('x') else { return Ok(None) };
        // On a new line, it may also be a variable after a forgotten `;`.
        let is_count = match digits {
            "" => !self.on_new_line() || self.peek() == TokenKind::Number,
            _ => !self.on_new_line() || self.peek() != TokenKind::Symbol(Symbol::Equals),
        };
        if !is_count || !digits.bytes().all(|c| c.is_ascii_digit()) {
            return Ok(None);
        }
        self.advance();
        if digits.is_empty() {
            return self.separate_count(start).map(Some);
        }
        self.size(digits, span, start).map(Some)
    }

    /// The number after an `x` that stands apart from it.
    fn separate_count(&mut self, start: Span) -> Outcome<BigUint> {
        if !self.at(TokenKind::Number) {
            let message =
                format!("the type `{}` lacks its number of atoms", self.source(self.since(start)));
            return Err(self.malformed_at(self.after_last(), message, "a number is missing here"));
        }
        let span = self.advance().span;
        self.size(self.source(span), span, start)
    }

    /// A decimal size of at least 1.
    fn size(&mut self, digits: &str, span: Span, start: Span) -> Outcome<BigUint> {
        let is_decimal = !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit());
        if !is_decimal {
            let message =
                format!("malformed type `{}`", super::shorten(self.source(self.since(start))));
            let label = format!("`{}` is no size", super::shorten(digits));
            return Err(self.malformed_at(span, message, &label));
        }
        let size = self.value(span, digits);
        if size == BigUint::default() {
            let message = format!(
                "the type `{}` has a size of zero",
                super::shorten(self.source(self.since(start)))
            );
            return Err(self.malformed_at(span, message, "sizes begin at 1"));
        }
        Ok(size)
    }

    fn malformed_at(&mut self, span: Span, message: String, label: &str) -> Stop {
        let error = Diagnostic::error("E0018", span, message).label(label).help(TYPE_HELP);
        self.fail(error)
    }

    fn no_type(&mut self) -> Stop {
        let message = format!("expected a type, found {}", self.found());
        let error = Diagnostic::error("E0018", self.token.span, message)
            .label("not a type")
            .help(TYPE_HELP);
        self.fail(error)
    }
}

const TYPE_HELP: &str =
    "types are `u16`, `u16x4`, `u<V>32`, `u'm x 4`, `b64`, `v4` and `nat`, each with array \
     dimensions such as `[26]` where needed";
