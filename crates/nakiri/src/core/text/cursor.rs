//! Reading tokens.

use super::lex::TokenKind;
use super::parse::Parser;

/// A message about the token at a byte.
pub(super) type Error = (usize, String);

pub(super) const TOO_LARGE: &str = "this number is too large here";

impl Parser {
    /// Some with commas between, up to a closing mark that stays.
    pub(super) fn list<T>(
        &mut self,
        close: char,
        item: impl FnMut(&mut Parser) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        if *self.peek() == TokenKind::Punct(close) {
            return Ok(vec![]);
        }
        self.list_of_one_or_more(item)
    }

    pub(super) fn list_of_one_or_more<T>(
        &mut self,
        mut item: impl FnMut(&mut Parser) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let mut items = vec![item(self)?];
        while self.eat(',') {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// One of two words, or neither.
    pub(super) fn choice(&mut self, yes: &str, no: &str) -> Option<bool> {
        if self.eat_word(yes) {
            Some(true)
        } else if self.eat_word(no) {
            Some(false)
        } else {
            None
        }
    }

    pub(super) fn name(&mut self) -> Result<String, Error> {
        let place = self.place();
        match self.take() {
            TokenKind::Word(name) | TokenKind::Quoted(name) => Ok(name),
            _ => Err((place, "expected a name".into())),
        }
    }

    pub(super) fn param(&mut self) -> Result<String, Error> {
        let place = self.place();
        match self.take() {
            TokenKind::Param(name) => Ok(name),
            _ => Err((place, "expected a parameter like 'm".into())),
        }
    }

    pub(super) fn number<T: TryFrom<u128>>(&mut self) -> Result<T, Error> {
        let place = self.place();
        match self.take() {
            TokenKind::Number(number) => T::try_from(number).map_err(|_| (place, TOO_LARGE.into())),
            _ => Err((place, "expected a number".into())),
        }
    }

    pub(super) fn eat(&mut self, mark: char) -> bool {
        let found = *self.peek() == TokenKind::Punct(mark);
        if found {
            self.take();
        }
        found
    }

    pub(super) fn expect(&mut self, mark: char) -> Result<(), Error> {
        match self.eat(mark) {
            true => Ok(()),
            false => Err(self.error(&format!("expected `{mark}`"))),
        }
    }

    pub(super) fn eat_word(&mut self, wanted: &str) -> bool {
        let found = self.at_word(wanted);
        if found {
            self.take();
        }
        found
    }

    pub(super) fn at_word(&self, wanted: &str) -> bool {
        matches!(self.peek(), TokenKind::Word(word) if word == wanted)
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Result<(), Error> {
        match self.eat_word(word) {
            true => Ok(()),
            false => Err(self.error(&format!("expected `{word}`"))),
        }
    }

    pub(super) fn peek(&self) -> &TokenKind {
        &self.tokens[self.next].kind
    }

    /// The next token; the last one, `End`, stays.
    pub(super) fn take(&mut self) -> TokenKind {
        let kind = self.peek().clone();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        kind
    }

    pub(super) fn place(&self) -> usize {
        self.tokens[self.next].start
    }

    pub(super) fn error(&self, message: &str) -> Error {
        (self.place(), message.into())
    }
}
