//! The formatter behind `nakiri fmt`: the syntax tree in one canonical style, with all comments.
//!
//! Output is made of *lines*, each of which stands for a piece of the source: a header, a group of
//! variables, an equation, a row of a table. A comment goes where it is among these pieces: on a
//! line of its own before the piece that follows it or that it interrupts, or at the end of the
//! piece that ends on its source line. So no comment is lost and their order never changes.

mod definition;
mod expression;
mod family;
mod listing;
mod mode;
mod words;

use super::ast::Item;
use super::lexer::{Lexer, Token, TokenKind};
use super::parser::{parse, Parsed};
use super::Dialect;
use crate::diagnostic::{has_errors, Diagnostic};
use crate::source::{FileId, SourceMap, Span};
use words::Words;

/// How often a text is formatted at the most. A line break between elements is kept as one of the source's, which may leave
/// room elsewhere: texts settle by the third time.
const TIMES: usize = 8;

/// Formats a file. One that only the older dialect can read is formatted in that dialect. What is formatted already stays.
///
/// # Errors
/// The errors of a file that neither dialect can read.
pub fn format(sources: &SourceMap, file: FileId) -> Result<String, Vec<Diagnostic>> {
    let path = sources.file(file).path.clone();
    let mut formatted = once(sources, file)?;
    for _ in 1..TIMES {
        let mut sources = SourceMap::default();
        let file = sources.add(&path, &formatted);
        let again = once(&sources, file)?;
        if again == formatted {
            break;
        }
        formatted = again;
    }
    Ok(formatted)
}

fn once(sources: &SourceMap, file: FileId) -> Result<String, Vec<Diagnostic>> {
    let mut parsed = parse(sources, file, Dialect::Nakiri);
    let mut dialect = Dialect::Nakiri;
    if has_errors(&parsed.diagnostics) {
        dialect = Dialect::Usubac;
        let old = parse(sources, file, dialect);
        if has_errors(&old.diagnostics) {
            return Err(parsed.diagnostics);
        }
        parsed = old;
    }
    let mut printer = Printer::new(&sources.file(file).text, file, dialect, &parsed);
    printer.file(&parsed.file.items);
    Ok(printer.out)
}

struct Printer<'a> {
    text: &'a str,
    file: FileId,
    tokens: Vec<Token>,
    /// The comments that are not yet written.
    comments: &'a [Span],
    out: String,
    /// In levels of two blanks.
    indent: usize,
    /// Where the last written line ends in the source; none where no blank line may follow it.
    last_end: Option<u32>,
}

impl<'a> Printer<'a> {
    fn new(text: &'a str, file: FileId, dialect: Dialect, parsed: &'a Parsed) -> Printer<'a> {
        let mut lexer = Lexer::new(text, file, dialect);
        let tokens = std::iter::from_fn(|| Some(lexer.next_token()))
            .take_while(|token| token.kind != TokenKind::End)
            .collect();
        let comments = &parsed.file.comments;
        Printer { text, file, tokens, comments, out: String::new(), indent: 0, last_end: None }
    }

    fn file(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Include { path, span } => {
                    self.line(Words::one(format!("include \"{path}\"")), *span);
                }
                Item::Def(def) => self.definition(def),
                Item::Mode(mode) => self.mode(mode),
                Item::Constant(constant) => self.constant(constant),
                Item::Member(member) => self.member(member),
                Item::Field(field) => {
                    let order = self.formula(&field.order);
                    let mut text = format!("field {} = {order}", field.name.name);
                    if let Some(polynomial) = &field.polynomial {
                        text += &format!(" by {}", self.polynomial(polynomial));
                    }
                    self.line(Words::one(text), field.span);
                }
            }
        }
        let end = self.text.len() as u32;
        self.comments_before(self.span(end, end));
        self.out.push('\n');
    }

    // ---- places ----

    fn source(&self, span: Span) -> &'a str {
        &self.text[span.range()]
    }

    fn span(&self, start: u32, end: u32) -> Span {
        Span { file: self.file, start, end }
    }

    /// The first token of a kind that begins at a place or after it.
    fn find(&self, kind: TokenKind, from: u32) -> Span {
        let first = self.tokens.partition_point(|token| token.span.start < from);
        let found = self.tokens[first..].iter().find(|token| token.kind == kind);
        found.map_or(self.span(from, from), |token| token.span)
    }

    /// Whether a comment that is not yet written begins inside.
    fn has_comment(&self, span: Span) -> bool {
        let first = self.comments.partition_point(|comment| comment.start < span.start);
        self.comments.get(first).is_some_and(|comment| comment.start < span.end)
    }

    // ---- lines ----

    /// Writes the line that stands for `span`, with the comments before, inside and after it.
    fn line(&mut self, words: Words, span: Span) {
        self.comments_before(span);
        self.begin_line(span.start);
        words.write(2 * self.indent, &mut self.out);
        self.last_end = Some(span.end);
        self.trailing_comment(span.end);
    }

    /// Like [`Printer::line`]; then goes one level deeper.
    fn opening_line(&mut self, words: Words, span: Span) {
        self.line(words, span);
        self.last_end = None;
        self.indent += 1;
    }

    /// Leaves a level, then is like [`Printer::line`].
    fn closing_line(&mut self, words: Words, span: Span) {
        self.comments_before(span);
        self.indent -= 1;
        self.last_end = None;
        self.line(words, span);
    }

    /// Begins a line for what begins at `start` in the source, after a blank line if there is one.
    fn begin_line(&mut self, start: u32) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        if let Some(last) = self.last_end {
            let between = &self.text[last as usize..start as usize];
            if between.matches('\n').count() > 1 {
                self.out.push('\n');
            }
        }
    }

    /// Writes the comments before a piece of the source, and those inside it.
    fn comments_before(&mut self, span: Span) {
        while let Some(&comment) = self.comments.first() {
            if comment.start >= span.end.max(span.start) {
                return;
            }
            let is_inside = comment.start >= span.start;
            self.comments = &self.comments[1..];
            self.begin_line(comment.start.min(span.start));
            self.out.push_str(&" ".repeat(2 * self.indent));
            self.out.push_str(&self.comment(comment));
            self.last_end = (!is_inside).then_some(comment.end);
        }
    }

    /// The text of a comment; that of what follows the end of an old file has several lines.
    fn comment(&self, comment: Span) -> String {
        self.source(comment).trim_end().replace("\r\n", "\n")
    }

    /// Writes the comment that follows on the same source line, if there is one.
    fn trailing_comment(&mut self, end: u32) {
        let Some(&comment) = self.comments.first() else { return };
        let between = &self.text[end as usize..comment.start as usize];
        if between.bytes().all(|c| matches!(c, b' ' | b'\t' | b';' | b',')) {
            self.comments = &self.comments[1..];
            self.out.push_str("  ");
            self.out.push_str(&self.comment(comment));
            self.last_end = Some(comment.end);
        }
    }
}
