//! Modes.

use super::definition::Header;
use super::words::Words;
use super::Printer;
use crate::source::Span;
use crate::syntax::ast::{
    Each, Eqn, Given, Ident, Last, Mode, Padding, Pair, Part, Prefix, Short, Tree, Type,
};
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
        self.parts(&mode.parts);
        let end = mode.body.end;
        self.closing_line(Words::one("tel"), self.span(end - 3, end));
    }

    fn parts(&mut self, parts: &[Part]) {
        for part in parts {
            match part {
                Part::Equations(equations) => self.equations(equations),
                Part::Each(each) => self.each(each),
                Part::Tree(tree) => self.tree(tree),
            }
        }
    }

    fn tree(&mut self, tree: &Tree) {
        let (chunk, stream) = (self.group(&tree.chunk).unbroken(), &tree.stream);
        let header = format!("forall {chunk} in {} {{", stream.name);
        let opening = self.span(tree.span.start, self.brace(stream.span.end).end);
        self.opening_line(Words::one(header), opening);
        self.parts(&tree.parts);
        let Pair { opening, vertices: [left, right], of, body } = &tree.pair;
        let words = format!("}} pair {}, {} in {} {{", left.name, right.name, of.name);
        self.section(words, *opening, body);
        self.closing_line(Words::one("}"), self.span(tree.span.end - 1, tree.span.end));
    }

    fn each(&mut self, each: &Each) {
        let block = self.group(&each.block).unbroken();
        let name = &each.stream.name;
        let (mut stream, mut named) = match (&each.padding, each.whole) {
            (Some(padding), _) => (self.padding(name, padding), padding.span),
            (None, Some(span)) => (format!("whole({name})"), span),
            (None, None) => (name.clone(), each.stream.span),
        };
        if let Some(Given { block, stream: of, padding }) = &each.given {
            let (of, span) = match padding {
                Some(padding) => (self.padding(&of.name, padding), padding.span),
                None => (of.name.clone(), of.span),
            };
            stream = format!("{stream}, {} in {of}", self.group(block).unbroken());
            named = span;
        }
        if let Some(span) = each.unless_empty {
            stream.push_str(" unless empty");
            named = span;
        }
        let header = format!("forall {block} in {stream} {{");
        let opening = self.span(each.span.start, self.brace(named.end).end);
        self.opening_line(Words::one(header), opening);
        self.equations(&each.body);
        if let Some((opening, last)) = &each.last {
            let words = match &each.short {
                Some(Short::Same(_)) => "} last, short {",
                _ => "} last {",
            };
            self.section(words, *opening, last);
        }
        if let Some(Short::Own(opening, short)) = &each.short {
            self.section("} short {", *opening, short);
        }
        if let Some((opening, back)) = &each.back {
            self.section("} back {", *opening, back);
        }
        self.closing_line(Words::one("}"), self.span(each.span.end - 1, each.span.end));
    }

    /// What is done with a last block, or with two vertices.
    fn section(&mut self, words: impl Into<String>, opening: Span, equations: &[Eqn]) {
        let opening = self.span(opening.start, self.brace(opening.end).end);
        self.closing_line(Words::one(words), opening);
        self.indent += 1;
        self.last_end = None;
        self.equations(equations);
    }

    /// The first `{` from a place on.
    fn brace(&self, from: u32) -> Span {
        self.find(TokenKind::Symbol(Symbol::OpenBrace), from)
    }

    fn padding(&self, stream: &str, padding: &Padding) -> String {
        let behind = padding.suffix.iter().chain(&padding.first);
        let behind: String =
            behind.map(|byte| format!(", {}", self.static_expression(byte))).collect();
        let front = padding.front.iter().map(|byte| format!("{}, ", self.static_expression(byte)));
        let front: String = front.collect();
        let number = |ty: &Type, layout: &Option<Ident>| {
            let layout = layout.as_ref().map_or(String::new(), |name| format!(" @{}", name.name));
            format!("{}{layout}", self.type_(ty))
        };
        let last = match &padding.last {
            None => String::new(),
            Some(Last::Byte(byte)) => format!(", {}", self.static_expression(byte)),
            Some(Last::Length(ty, layout)) => format!(", length:{}", number(ty, layout)),
        };
        let prefix = match &padding.prefix {
            None => String::new(),
            Some(Prefix::Bytes(ty, layout)) => format!("bytes:{}, ", number(ty, layout)),
            Some(Prefix::Bits(_)) => "length:left, ".to_string(),
        };
        format!("pad({front}{prefix}{stream}{behind}{last})")
    }
}
