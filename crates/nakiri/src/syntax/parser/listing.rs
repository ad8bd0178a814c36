//! Constants, and what tables and permutations list: static numbers, written or counted.

use super::{Outcome, Parser};
use crate::source::Span;
use crate::syntax::ast::{BaseType, Constant, ConstantValue, Entries, Entry, Ident, Listing};
use crate::syntax::lexer::{Keyword, Symbol, TokenKind};

/// A word only where a table or permutation is listed; a name everywhere else.
const INVERSE: &str = "inverse";

const CONSTANT_HELP: &str =
    "a constant is defined like `const shifts:nat[4] = { 1, 3, 6, 11 }` or `const first:u32 = 0x6a09e667`";
const ENTRIES_HELP: &str = "entries stand in braces with `,` between them: `{ 6, 5, 12, 10 }`";
const NUMBERS_HELP: &str = "numbers are separated by `,`, as in `{ 3, 2, 1, 0 }`";
const REPEATED_HELP: &str = "entries are repeated like `forall i in [0,7] { 8 - i }`";
const INVERSE_HELP: &str =
    "a table that undoes another is written like `table T (x:v4) returns (y:v4) = inverse(S)`";

impl Parser<'_> {
    /// Whether a constant is defined here.
    pub(super) fn at_constant(&self) -> bool {
        self.at_keyword(Keyword::Const) && (self.last_end == 0 || self.on_new_line())
    }

    /// `const id : type = value`
    pub(super) fn constant(&mut self) -> Outcome<Constant> {
        self.operators = 0;
        let start = self.advance().span;
        let name = self.ident("the name of the constant")?;
        let constant = self.constant_named(name.clone(), start);
        if constant.is_err() {
            self.unread.push(name);
        }
        constant
    }

    fn constant_named(&mut self, name: Ident, start: Span) -> Outcome<Constant> {
        self.expect(Symbol::Colon, "and the type of the constant", CONSTANT_HELP)?;
        let ty = self.type_()?;
        self.expect(Symbol::Equals, "before what the constant is", CONSTANT_HELP)?;
        let value = match &ty.base {
            BaseType::Nat if ty.dims.is_empty() => ConstantValue::Number(self.static_expression()?),
            BaseType::Nat => ConstantValue::Numbers(self.entries()?),
            _ => ConstantValue::Atoms(self.expression()?),
        };
        Ok(Constant { name, ty, value, span: self.since(start) })
    }

    /// The entries of a table or permutation, or which it undoes; that stands behind a `=`, unless it is an element of an array.
    pub(super) fn listing(&mut self, is_array: bool) -> Outcome<Listing> {
        let is_inverse = match is_array {
            true => self.at_word(INVERSE),
            false => self.at_symbol(Symbol::Equals),
        };
        if !is_inverse {
            return self.entries().map(Listing::Entries);
        }
        if !is_array {
            self.advance();
        }
        if !self.at_word(INVERSE) {
            return Err(self.unexpected("`inverse(…)` after the `=`", INVERSE_HELP));
        }
        let start = self.advance().span;
        let open = self.expect(Symbol::OpenParen, "after `inverse`", INVERSE_HELP)?;
        let of = self.ident("the name of what is undone")?;
        let element = self.element()?;
        self.close(Symbol::CloseParen, open)?;
        Ok(Listing::Inverse { of, element, span: self.since(start) })
    }

    /// `{ 1, 2, … }`
    pub(super) fn entries(&mut self) -> Outcome<Entries> {
        let open = self.expect(Symbol::OpenBrace, "before the entries", ENTRIES_HELP)?;
        let entries = self.listed()?;
        self.close(Symbol::CloseBrace, open)?;
        Ok(Entries { entries, span: self.since(open) })
    }

    /// One or more entries between commas.
    pub(super) fn listed(&mut self) -> Outcome<Vec<Entry>> {
        let mut entries = vec![self.entry("a number")?];
        while self.eat(Symbol::Comma) {
            entries.push(self.entry("a number after the `,`")?);
        }
        if self.at_entry() {
            return Err(self.unexpected("`,` between two numbers", NUMBERS_HELP));
        }
        Ok(entries)
    }

    fn at_entry(&self) -> bool {
        let begins = [TokenKind::Number, TokenKind::Keyword(Keyword::Forall), TokenKind::Ident];
        begins.contains(&self.token.kind)
    }

    fn entry(&mut self, wanted: &str) -> Outcome<Entry> {
        self.operators = 0;
        if self.at_keyword(Keyword::Forall) {
            return self.repeated_entries();
        }
        if !self.at_entry() && !self.at_symbol(Symbol::OpenParen) {
            return Err(self.unexpected(wanted, NUMBERS_HELP));
        }
        self.static_expression().map(Entry::Number)
    }

    fn repeated_entries(&mut self) -> Outcome<Entry> {
        let start = self.token.span;
        let (iter, from, to) = self.forall_header()?;
        let entries = self.nested(|parser| {
            let open =
                parser.expect(Symbol::OpenBrace, "before what is repeated", REPEATED_HELP)?;
            let entries = parser.listed()?;
            parser.close(Symbol::CloseBrace, open)?;
            Ok(Entries { entries, span: parser.since(open) })
        })?;
        Ok(Entry::Forall { iter, from, to, entries, span: self.since(start) })
    }
}
