//! Modes.

use super::definition::Header;
use super::words::Words;
use super::Printer;
use crate::syntax::ast::{Each, Last, Mode, Padding, Part};
use crate::syntax::lexer::{Symbol, TokenKind};

impl Printer<'_> {
    pub(super) fn mode(&mut self, mode: &Mode) {
        self.header_of(Header {
            introduction: format!("mode {}", mode.name.name),
            start: mode.span.start,
            name: mode.name.span,
            params: &mode.params,
            returns: &mode.returns,
            bracket: None,
        });
        let from = self.variables(&mode.vars, mode.body.start);
        self.opening(from);
        for part in &mode.parts {
            match part {
                Part::Equations(equations) => self.equations(equations),
                Part::Each(each) => self.each(each),
            }
        }
        let end = mode.body.end;
        self.closing_line(Words::one("tel"), self.span(end - 3, end));
    }

    fn each(&mut self, each: &Each) {
        let block = self.group(&each.block).unbroken();
        let stream = match &each.padding {
            Some(padding) => self.padding(&each.stream.name, padding),
            None => each.stream.name.clone(),
        };
        let named = each.padding.as_ref().map_or(each.stream.span, |padding| padding.span);
        let brace = self.find(TokenKind::Symbol(Symbol::OpenBrace), named.end);
        let header = format!("forall {block} in {stream} {{");
        self.opening_line(Words::one(header), self.span(each.span.start, brace.end));
        self.equations(&each.body);
        self.closing_line(Words::one("}"), self.span(each.span.end - 1, each.span.end));
    }

    fn padding(&self, stream: &str, padding: &Padding) -> String {
        let first = self.number(padding.first.1);
        let last = match &padding.last {
            None => String::new(),
            Some(Last::Byte(_, span)) => format!(", {}", self.number(*span)),
            Some(Last::Length(ty, layout)) => {
                let layout =
                    layout.as_ref().map_or(String::new(), |name| format!(" @{}", name.name));
                format!(", length:{}{layout}", self.type_(ty))
            }
        };
        format!("pad({stream}, {first}{last})")
    }
}
