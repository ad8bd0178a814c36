//! Modes: nodes around streams of bytes.

use super::equation::Within;
use super::{Outcome, Parser};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{
    AExp, BaseType, Each, Given, Group, Ident, Item, Last, MemberKind, Mode, Padding, Part, Prefix,
    Short,
};
use crate::syntax::lexer::{Keyword, Symbol, TokenKind};

/// What a mode begins with; a name everywhere else.
const MODE: &str = "mode";
const PAD: &str = "pad";
const WHOLE: &str = "whole";
const LENGTH: &str = "length";
const BYTES: &str = "bytes";
const LEFT: &str = "left";
const UNLESS: &str = "unless";
const EMPTY: &str = "empty";
const LAST: &str = "last";
const SHORT: &str = "short";
const BACK: &str = "back";

const LOOP_HELP: &str =
    "a loop over a stream is written like `forall block:u32[16] @be in pad(message, 0x80) { … }`";
const SECTIONS_HELP: &str =
    "a loop with all of its sections is written like `forall … { … } last { … } short { … } back { … }`";
const GIVEN_HELP: &str =
    "a stream that is made of another one is written like `forall p:u64[2] in pad(message, 0x01), c:u64[2] in sealed { … }`";
const PAD_HELP: &str =
    "padding is written like `pad(message)`, `pad(message, 0x80)`, `pad(message, 0x06, 0x80)` or `pad(message, 0x80, length:u64 @be)`";

const PREFIX_HELP: &str =
    "what stands in front of a stream is written like `pad(bytes:u16 @be, ad)` or `pad(0x01, 0xa8, length:left, text)`";

impl Parser<'_> {
    /// Whether a mode begins here.
    pub(super) fn at_mode(&self) -> bool {
        self.at_word(MODE) && self.peek() == TokenKind::Ident
    }

    /// `mode id (params) returns (results) vars … let … tel` or `mode id = family(n, …)`
    pub(super) fn mode(&mut self) -> Outcome<Item> {
        let start = self.advance().span;
        let name = self.ident("the name of the mode")?;
        match self.eat(Symbol::Equals) {
            true => self.member(MemberKind::Mode, Vec::new(), start, name).map(Item::Member),
            false => Ok(Item::Mode(self.own_mode(start, name))),
        }
    }

    fn own_mode(&mut self, start: Span, name: Ident) -> Mode {
        let errors = self.errors;
        let (params, returns) = self.ports(start);
        let body = self.token.span;
        let (mut vars, mut parts) = (Vec::new(), Vec::new());
        if self.mode_body(&mut vars, &mut parts).is_err() {
            self.skip_to_definition();
        }
        let (body, span, is_faulty) = (self.since(body), self.since(start), self.errors > errors);
        Mode { name, params, returns, vars, parts, body, span, is_faulty }
    }

    /// `vars … let … tel`
    fn mode_body(&mut self, vars: &mut Vec<Group>, parts: &mut Vec<Part>) -> Outcome<()> {
        let (declared, state) = self.declarations()?;
        *vars = declared;
        if let Some(register) = state.first() {
            let error = Diagnostic::error("E0036", register.name.span, "a mode has no registers")
                .label("declared under `state`")
                .help(
                    "what goes from block to block is a variable that the loop updates with `:=`",
                );
            return Err(self.fail(error));
        }
        let opening = self.advance().span;
        self.parts(Within::Definition, parts)?;
        self.tel(opening, "mode");
        Ok(())
    }

    /// Equations and loops over streams, up to what ends them.
    pub(super) fn parts(&mut self, within: Within, parts: &mut Vec<Part>) -> Outcome<()> {
        loop {
            let equations = self.equations(within);
            if !equations.is_empty() {
                parts.push(Part::Equations(equations));
            }
            if !self.at_stream_loop() {
                return Ok(());
            }
            parts.push(self.stream_loop()?);
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

    /// A loop over blocks, or a tree over chunks, whose type is `bytes`.
    fn stream_loop(&mut self) -> Outcome<Part> {
        let start = self.advance().span;
        let block = self.block()?;
        match block.ty.base {
            BaseType::Bytes => Ok(Part::Tree(Box::new(self.tree(start, block)?))),
            _ => Ok(Part::Each(Box::new(self.each(start, block)?))),
        }
    }

    /// `forall id : type @layout in stream, id : type @layout in stream unless empty { … } last { … } short { … } back { … }`, behind
    /// the block
    fn each(&mut self, start: Span, block: Group) -> Outcome<Each> {
        self.word_in("after the block", LOOP_HELP)?;
        let (stream, padding, whole) = self.stream()?;
        let given = match self.eat(Symbol::Comma) {
            true => Some(self.given()?),
            false => None,
        };
        let unless_empty = self.unless_empty()?;
        let body = self.repeated(LOOP_HELP)?;
        let (last, same) = match self.behind_brace(LAST, &[Symbol::OpenBrace, Symbol::Comma]) {
            Some(opening) => {
                let same = self.same_if_short()?;
                (Some((opening, self.repeated(LOOP_HELP)?)), same)
            }
            None => (None, None),
        };
        let short = match self.behind_brace(SHORT, &[Symbol::OpenBrace]) {
            Some(opening) if same.is_none() => Some(Short::Own(opening, self.repeated(LOOP_HELP)?)),
            _ => same.map(Short::Same),
        };
        let back = match self.behind_brace(BACK, &[Symbol::OpenBrace]) {
            Some(opening) => Some((opening, self.repeated(LOOP_HELP)?)),
            None => None,
        };
        if self.at(TokenKind::Ident) && self.peek() == TokenKind::Symbol(Symbol::OpenBrace) {
            let wanted = "a section of the loop, which are `last`, `short` and `back` in this order, or what follows it";
            return Err(self.unexpected(wanted, SECTIONS_HELP));
        }
        let span = self.since(start);
        Ok(Each {
            block,
            stream,
            padding,
            whole,
            given,
            unless_empty,
            body,
            last,
            short,
            back,
            span,
        })
    }

    /// A word between the brace that closes one section of a loop and what opens the next: from that brace on.
    fn behind_brace(&mut self, word: &str, before: &[Symbol]) -> Option<Span> {
        let is_here = before.iter().any(|symbol| self.peek() == TokenKind::Symbol(*symbol));
        (self.at_word(word) && is_here).then(|| {
            let brace = self.after_last().start - 1;
            Span { start: brace, ..self.advance().span }
        })
    }

    /// `, short`
    fn same_if_short(&mut self) -> Outcome<Option<Span>> {
        if !self.eat(Symbol::Comma) {
            return Ok(None);
        }
        if !self.at_word(SHORT) {
            return Err(self.unexpected("`short` after `last,`", LOOP_HELP));
        }
        Ok(Some(self.advance().span))
    }

    /// `id : type @layout in id` or `… in pad(id, …)`, behind the comma
    fn given(&mut self) -> Outcome<Given> {
        if !(self.at(TokenKind::Ident) && self.peek() == TokenKind::Symbol(Symbol::Colon)) {
            return Err(self.unexpected("a block and its type after the `,`", GIVEN_HELP));
        }
        let block = self.block()?;
        self.word_in("after the block", GIVEN_HELP)?;
        match self.stream()? {
            (stream, padding, None) => Ok(Given { block, stream, padding }),
            (stream, _, Some(span)) => {
                let error =
                    Diagnostic::error("E0036", span, "what is given is as long as what is taken")
                        .label("`whole` says which streams are taken")
                        .help(format!("write `in {}`", stream.name));
                Err(self.fail(error))
            }
        }
    }

    /// `in`, which is a name everywhere else
    pub(super) fn word_in(&mut self, wanted: &str, help: &str) -> Outcome<()> {
        if !self.at_word("in") {
            return Err(self.unexpected(&format!("`in` {wanted}"), help));
        }
        self.advance();
        Ok(())
    }

    /// `unless empty`
    fn unless_empty(&mut self) -> Outcome<Option<Span>> {
        if !self.at_word(UNLESS) {
            return Ok(None);
        }
        let start = self.advance().span;
        if !self.at_word(EMPTY) {
            return Err(self.unexpected("`empty` after `unless`", LOOP_HELP));
        }
        self.advance();
        Ok(Some(self.since(start)))
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

    /// `id`, `whole(id)` or `pad(id, …)`
    fn stream(&mut self) -> Outcome<(Ident, Option<Padding>, Option<Span>)> {
        let start = self.token.span;
        let (padded, whole) = (self.at_word(PAD), self.at_word(WHOLE));
        if !(padded || whole) || self.peek() != TokenKind::Symbol(Symbol::OpenParen) {
            return Ok((self.ident("the name of a stream")?, None, None));
        }
        self.advance();
        let open = self.advance().span;
        let (front, prefix) = if whole { (vec![], None) } else { (self.front()?, self.prefix()?) };
        let stream = self.ident("the name of a stream")?;
        if whole {
            self.close(Symbol::CloseParen, open)?;
            return Ok((stream, None, Some(self.since(start))));
        }
        let (mut suffix, mut last) = (Vec::new(), None);
        while last.is_none() && self.eat(Symbol::Comma) {
            match suffix.is_empty() || !self.at_word(LENGTH) {
                true => suffix.push(self.static_expression()?),
                false => last = Some(self.length()?),
            }
        }
        // Of several bytes the last one ends the block, and that before it comes in front of the zeros.
        if last.is_none() && suffix.len() > 1 {
            last = suffix.pop().map(Last::Byte);
        }
        let first = suffix.pop();
        self.close(Symbol::CloseParen, open)?;
        let span = self.since(start);
        Ok((stream, Some(Padding { front, prefix, suffix, first, last, span }), None))
    }

    /// `n ,`, any number of times
    fn front(&mut self) -> Outcome<Vec<AExp>> {
        let mut front = Vec::new();
        while self.at(TokenKind::Number) {
            front.push(self.static_expression()?);
            self.expect(Symbol::Comma, "and the stream", PREFIX_HELP)?;
        }
        Ok(front)
    }

    /// `bytes : type @layout ,` or `length : left ,`
    fn prefix(&mut self) -> Outcome<Option<Prefix>> {
        let (bytes, length) = (self.at_word(BYTES), self.at_word(LENGTH));
        if !(bytes || length) || self.peek() != TokenKind::Symbol(Symbol::Colon) {
            return Ok(None);
        }
        self.advance();
        self.advance();
        let prefix = match bytes {
            true => Prefix::Bytes(self.type_()?, self.layout()?),
            false if self.at_word(LEFT) => Prefix::Bits(self.advance().span),
            false => return Err(self.unexpected("`left` after `length:`", PREFIX_HELP)),
        };
        self.expect(Symbol::Comma, "and the stream", PREFIX_HELP)?;
        Ok(Some(prefix))
    }

    /// `length : type @layout`
    fn length(&mut self) -> Outcome<Last> {
        self.advance();
        self.expect(Symbol::Colon, "and the type of the length", PAD_HELP)?;
        let ty = self.type_()?;
        Ok(Last::Length(ty, self.layout()?))
    }
}
