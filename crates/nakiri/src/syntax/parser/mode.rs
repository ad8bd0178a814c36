//! Modes: nodes around streams of bytes.

use super::{Outcome, Parser};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{Each, Group, Ident, Last, Mode, Padding, Part};
use crate::syntax::lexer::{Keyword, Symbol, TokenKind};
use num_bigint::BigUint;

/// What a mode begins with; a name everywhere else.
const MODE: &str = "mode";
const PAD: &str = "pad";
const LENGTH: &str = "length";

const HEADER_HELP: &str = "a mode begins like `mode F (message:bytes) returns (digest:u32[8])`";
const LOOP_HELP: &str =
    "a loop over a stream is written like `forall block:u32[16] @be in pad(message, 0x80) { … }`";
const PAD_HELP: &str =
    "padding is written like `pad(message, 0x80)`, `pad(message, 0x06, 0x80)` or `pad(message, 0x80, length:u64 @be)`";

impl Parser<'_> {
    /// Whether a mode begins here.
    pub(super) fn at_mode(&self) -> bool {
        self.at_word(MODE) && self.peek() == TokenKind::Ident
    }

    /// `mode id (params) returns (results) vars … let … tel`
    pub(super) fn mode(&mut self) -> Outcome<Mode> {
        let start = self.advance().span;
        let name = self.ident("the name of the mode")?;
        let params = self.parameters("before the parameters")?;
        if !self.eat_keyword(Keyword::Returns) {
            return Err(self.unexpected("`returns` after the parameters", HEADER_HELP));
        }
        let returns = self.parameters("before the results")?;
        let body = self.token.span;
        let (vars, state) = self.declarations()?;
        if let Some(register) = state.first() {
            let error = Diagnostic::error("E0036", register.name.span, "a mode has no registers")
                .label("declared under `state`")
                .help(
                    "what goes from block to block is a variable that the loop updates with `:=`",
                );
            return Err(self.fail(error));
        }
        let opening = self.advance().span;
        let parts = self.parts()?;
        self.tel(opening, "mode")?;
        let body = self.since(body);
        Ok(Mode { name, params, returns, vars, parts, body, span: self.since(start) })
    }

    fn parts(&mut self) -> Outcome<Vec<Part>> {
        let mut parts = Vec::new();
        loop {
            let equations = self.equations(None);
            if !equations.is_empty() {
                parts.push(Part::Equations(equations));
            }
            if !self.at_stream_loop() {
                return Ok(parts);
            }
            parts.push(Part::Each(Box::new(self.each()?)));
            self.eat(Symbol::Semicolon);
        }
    }

    /// Whether a `forall` over a stream begins here: it declares its block, with a type.
    pub(super) fn at_stream_loop(&self) -> bool {
        let mut ahead = self.lexer.lookahead();
        let mut is_next = |kind| ahead.next_token().kind == kind;
        self.at_keyword(Keyword::Forall)
            && is_next(TokenKind::Ident)
            && is_next(TokenKind::Symbol(Symbol::Colon))
    }

    /// `forall id : type @layout in stream { … }`
    fn each(&mut self) -> Outcome<Each> {
        let start = self.advance().span;
        let block = self.block()?;
        if !self.at_word("in") {
            return Err(self.unexpected("`in` after the block", LOOP_HELP));
        }
        self.advance();
        let (stream, padding) = self.stream()?;
        let body = self.repeated(LOOP_HELP)?;
        Ok(Each { block, stream, padding, body, span: self.since(start) })
    }

    /// `id : type @layout`
    fn block(&mut self) -> Outcome<Group> {
        let name = self.ident("the name of the block")?;
        let start = self.advance().span;
        let ty = self.type_()?;
        let layout = self.layout()?;
        let span = name.span.to(self.since(start));
        Ok(Group { names: vec![name], is_const: false, ty, layout, span })
    }

    /// `id` or `pad(id, …)`
    fn stream(&mut self) -> Outcome<(Ident, Option<Padding>)> {
        let start = self.token.span;
        let padded = self.at_word(PAD) && self.peek() == TokenKind::Symbol(Symbol::OpenParen);
        if !padded {
            return Ok((self.ident("the name of a stream")?, None));
        }
        self.advance();
        let open = self.advance().span;
        let stream = self.ident("the name of a stream")?;
        self.expect(Symbol::Comma, "before the byte that follows the stream", PAD_HELP)?;
        let first = self.byte()?;
        let last = match self.eat(Symbol::Comma) {
            true => Some(self.last()?),
            false => None,
        };
        self.close(Symbol::CloseParen, open)?;
        Ok((stream, Some(Padding { first, last, span: self.since(start) })))
    }

    /// `n` or `length : type @layout`
    fn last(&mut self) -> Outcome<Last> {
        if !self.at_word(LENGTH) {
            let (value, span) = self.byte()?;
            return Ok(Last::Byte(value, span));
        }
        self.advance();
        self.expect(Symbol::Colon, "and the type of the length", PAD_HELP)?;
        let ty = self.type_()?;
        Ok(Last::Length(ty, self.layout()?))
    }

    fn byte(&mut self) -> Outcome<(BigUint, Span)> {
        let (value, span) = self.number("a byte", PAD_HELP)?;
        if value > BigUint::from(0xffu32) {
            let error = Diagnostic::error("E0036", span, "this is no byte")
                .label("more than 255")
                .help(PAD_HELP);
            self.report(error);
        }
        Ok((value, span))
    }
}
