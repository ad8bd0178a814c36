//! Members of families.

use super::{Outcome, Parser};
use crate::source::Span;
use crate::syntax::ast::{Ident, Member, MemberKind, Opt};
use crate::syntax::lexer::Symbol;

const NODE_HELP: &str = "a node of a family is written like `node Encrypt96 = Forth(26)`";
const MODE_HELP: &str = "a mode of a family is written like `mode Shake128 = Shake(21)`";

impl Parser<'_> {
    /// `family(n, …)`, behind the `=`
    pub(super) fn member(
        &mut self,
        kind: MemberKind,
        options: Vec<Opt>,
        start: Span,
        name: Ident,
    ) -> Outcome<Member> {
        let (wanted, help) = match kind {
            MemberKind::Node => ("the name of a node that has `nat` parameters", NODE_HELP),
            MemberKind::Mode => ("the name of a mode that has `nat` parameters", MODE_HELP),
        };
        let family = self.ident(wanted)?;
        let open = self.token.span;
        self.expect(Symbol::OpenParen, "before its numbers", help)?;
        let mut choices = vec![self.static_expression()?];
        while self.eat(Symbol::Comma) {
            choices.push(self.static_expression()?);
        }
        self.close(Symbol::CloseParen, open)?;
        Ok(Member { kind, options, name, family, choices, span: self.since(start) })
    }
}
