//! Trees over the chunks of a stream.

use super::equation::Within;
use super::{Outcome, Parser};
use crate::source::Span;
use crate::syntax::ast::{Group, Pair, Tree};
use crate::syntax::lexer::{Symbol, TokenKind};

/// Between the brace that closes what is done with a chunk and what is done with two vertices; a name everywhere else.
const PAIR: &str = "pair";

const TREE_HELP: &str =
    "a tree is written like `forall chunk:bytes[1024] in message { … } pair left, right in top { … }`";

impl Parser<'_> {
    /// `forall id : bytes[n] in id { … } pair id, id in id { … }`, behind the chunk
    pub(super) fn tree(&mut self, start: Span, chunk: Group) -> Outcome<Tree> {
        self.word_in("after the chunk", TREE_HELP)?;
        let stream = self.ident("the name of a stream")?;
        let mut parts = Vec::new();
        let open = self.expect(Symbol::OpenBrace, "before what is done with a chunk", TREE_HELP)?;
        self.nested(|parser| parser.parts(Within::Tree, &mut parts))?;
        self.close(Symbol::CloseBrace, open)?;
        let pair = self.pair()?;
        Ok(Tree { chunk, stream, parts, pair, span: self.since(start) })
    }

    /// `pair id, id in id { … }`
    fn pair(&mut self) -> Outcome<Pair> {
        if !(self.at_word(PAIR) && self.peek() == TokenKind::Ident) {
            return Err(self.unexpected("`pair` behind what is done with a chunk", TREE_HELP));
        }
        let brace = Span { start: self.after_last().start - 1, ..self.advance().span };
        let left = self.ident("the name of the first vertex")?;
        self.expect(Symbol::Comma, "and the second vertex", TREE_HELP)?;
        let right = self.ident("the name of the second vertex")?;
        self.word_in("after the vertices", TREE_HELP)?;
        let of = self.ident("the variable that vertices are values of")?;
        let opening = Span { end: of.span.end, ..brace };
        let body = self.repeated(TREE_HELP)?;
        Ok(Pair { opening, vertices: [left, right], of, body })
    }
}
