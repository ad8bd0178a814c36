//! Tokens to syntax tree, by recursive descent with one token of lookahead.
//!
//! After an error nothing more is reported until the parser is in step again: at the next equation
//! or definition. What could not be read is [`ExpKind::Error`](super::ast::ExpKind::Error) in the
//! tree or left out of it. Nesting, the length of expressions and the number of messages are
//! limited, so that no input exhausts the stack or the memory.

mod definition;
mod equation;
mod expression;
mod family;
mod field;
mod foreign;
mod listing;
mod mode;
mod number;
mod statics;
mod tree;
mod types;

use super::ast;
use super::lexer::{Keyword, Lexer, Symbol, Token, TokenKind};
use super::Dialect;
use crate::diagnostic::{Diagnostic, Severity};
use crate::source::{FileId, SourceMap, Span};

/// How deep brackets, `~` and `forall` may nest.
const MAX_NESTING: usize = 256;
/// How many operators one expression may have, not counting the other elements of tuples around it.
const MAX_OPERATORS: usize = 1000;
/// How many errors, and how many warnings, one file may have.
const MAX_MESSAGES: usize = 50;

/// What came of a file.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The tree, complete if no diagnostic is an error.
    pub file: ast::File,
    /// Errors and warnings in the order of their discovery.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads one file. Any text gives a tree and diagnostics; the tree of an erroneous text may miss
/// what could not be read.
pub fn parse(sources: &SourceMap, file: FileId, dialect: Dialect) -> Parsed {
    let text = sources.file(file).text.as_str();
    if u32::try_from(text.len()).is_err() {
        let error = Diagnostic::error("E0006", Span::new(file, 0..0), "this file is too large")
            .help("a source may have at most 4 GiB; split it and `include` the parts");
        let file = ast::File { is_partial: true, ..ast::File::default() };
        return Parsed { file, diagnostics: vec![error] };
    }
    let mut parser = Parser::new(text, file, dialect);
    let (items, all) = parser.items();
    let is_partial = !all || parser.is_stopped();
    let (comments, unread) = (parser.lexer.comments, parser.unread);
    let file = ast::File { items, comments, is_partial, unread };
    Parsed { file, diagnostics: parser.diagnostics }
}

/// An error has been reported and the construct can't be completed.
#[derive(Clone, Copy, Debug)]
struct Stop;

type Outcome<T> = Result<T, Stop>;

struct Parser<'a> {
    text: &'a str,
    file: FileId,
    dialect: Dialect,
    lexer: Lexer<'a>,
    /// The next token, not yet consumed.
    token: Token,
    /// The end of the last consumed token.
    last_end: usize,
    diagnostics: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
    /// Whether an error was reported since the parser was last in step.
    quiet: bool,
    nesting: usize,
    operators: usize,
    /// Where `+ - *` of the sum that is read first met `& | ^` without parentheses.
    mixed: Option<Span>,
    /// The constants whose names are all that could be read of them.
    unread: Vec<ast::Ident>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, file: FileId, dialect: Dialect) -> Parser<'a> {
        let start = Token { kind: TokenKind::End, span: Span::new(file, 0..0) };
        let mut parser = Parser {
            text,
            file,
            dialect,
            lexer: Lexer::new(text, file, dialect),
            token: start,
            last_end: 0,
            diagnostics: Vec::new(),
            errors: 0,
            warnings: 0,
            quiet: false,
            nesting: 0,
            operators: 0,
            mixed: None,
            unread: Vec::new(),
        };
        parser.advance();
        parser.last_end = 0;
        parser
    }

    // ---- tokens ----

    /// Consumes the next token and returns it.
    fn advance(&mut self) -> Token {
        let token = self.token;
        self.last_end = token.span.end as usize;
        self.token = self.lexer.next_token();
        for problem in std::mem::take(&mut self.lexer.problems) {
            self.report(problem);
        }
        if self.dialect == Dialect::Usubac
            && matches!(self.token.kind, TokenKind::Keyword(Keyword::State | Keyword::Next))
        {
            self.token.kind = TokenKind::Ident;
        }
        token
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.token.kind == kind
    }

    fn at_symbol(&self, symbol: Symbol) -> bool {
        self.at(TokenKind::Symbol(symbol))
    }

    fn at_keyword(&self, keyword: Keyword) -> bool {
        self.at(TokenKind::Keyword(keyword))
    }

    /// The kind of the token after the next one.
    fn peek(&self) -> TokenKind {
        self.lexer.lookahead().next_token().kind
    }

    /// Consumes the next token if it is this symbol.
    fn eat(&mut self, symbol: Symbol) -> bool {
        let found = self.at_symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    /// Consumes the next token if it is this keyword.
    fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        let found = self.at_keyword(keyword);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, symbol: Symbol, purpose: &str, help: &str) -> Outcome<Span> {
        if self.at_symbol(symbol) {
            return Ok(self.advance().span);
        }
        Err(self.unexpected(&format!("`{}` {purpose}", symbol.text()), help))
    }

    /// Consumes the bracket that closes the one at `open`.
    fn close(&mut self, symbol: Symbol, open: Span) -> Outcome<Span> {
        if self.at_symbol(symbol) {
            return Ok(self.advance().span);
        }
        let opened = self.source(open).to_string();
        let message = format!("expected `{}`, found {}", symbol.text(), self.found());
        let error = Diagnostic::error("E0015", self.token.span, message)
            .label(format!("expected `{}` before this", symbol.text()))
            .also(open, format!("to close this `{opened}`"))
            .help(match self.at_symbol(Symbol::Semicolon) && opened == "(" {
                true => "between parentheses, groups and values are separated by `,`".to_string(),
                false => format!(
                    "close the bracket with `{}`, or delete what doesn't belong inside",
                    symbol.text()
                ),
            });
        Err(self.fail(error))
    }

    /// Consumes a name; keywords are none.
    fn ident(&mut self, purpose: &str) -> Outcome<ast::Ident> {
        match self.token.kind {
            TokenKind::Ident => {
                let span = self.advance().span;
                Ok(ast::Ident { name: self.source(span).to_string(), span })
            }
            TokenKind::Keyword(keyword) => {
                Err(self.keyword_as_name(keyword, self.token.span, purpose))
            }
            _ => Err(self.unexpected(purpose, "names begin with a letter or `_`")),
        }
    }

    /// Whether the next token is this name.
    fn at_word(&self, word: &str) -> bool {
        self.token.kind == TokenKind::Ident && self.source(self.token.span) == word
    }

    /// Reports a keyword where a name belongs.
    fn keyword_as_name(&mut self, keyword: Keyword, span: Span, purpose: &str) -> Stop {
        let word = keyword.text();
        let message = format!("expected {purpose}, found the keyword `{word}`");
        let old = match keyword {
            Keyword::State | Keyword::Next => {
                "; old files that use it compile with `--compat usubac`"
            }
            _ => "",
        };
        let error = Diagnostic::error("E0011", span, message)
            .label("a keyword can't be a name")
            .help(format!("if a name is meant, choose another one, such as `{word}_`{old}"));
        self.fail(error)
    }

    // ---- places ----

    fn source(&self, span: Span) -> &'a str {
        &self.text[span.range()]
    }

    /// From `start` to the end of the last consumed token.
    fn since(&self, start: Span) -> Span {
        let first = start.start as usize;
        Span::new(self.file, first..self.last_end.max(first))
    }

    /// The place right after the last consumed token.
    fn after_last(&self) -> Span {
        Span::new(self.file, self.last_end..self.last_end)
    }

    /// Whether the next token stands on another line than the last one.
    fn on_new_line(&self) -> bool {
        self.text[self.last_end..self.token.span.start as usize].contains('\n')
    }

    // ---- messages ----

    /// The next token, described for a message.
    fn found(&self) -> String {
        match self.token.kind {
            TokenKind::End => "the end of the file".into(),
            TokenKind::Keyword(keyword) => format!("the keyword `{}`", keyword.text()),
            _ => format!("`{}`", shorten(self.source(self.token.span))),
        }
    }

    /// Reports that the next token is not `wanted`.
    fn unexpected(&mut self, wanted: &str, help: &str) -> Stop {
        let message = format!("expected {wanted}, found {}", self.found());
        let error = Diagnostic::error("E0010", self.token.span, message);
        self.fail(error.label(format!("expected {wanted}")).help(help))
    }

    /// Reports an error after which the construct can't be completed.
    fn fail(&mut self, error: Diagnostic) -> Stop {
        self.report(error);
        Stop
    }

    /// Adds a diagnostic unless it may only follow from an earlier one.
    fn report(&mut self, diagnostic: Diagnostic) {
        if self.quiet {
            return;
        }
        let diagnostic = self.in_usuba(diagnostic);
        let count = match diagnostic.severity {
            Severity::Error => {
                self.quiet = true;
                &mut self.errors
            }
            Severity::Warning => &mut self.warnings,
        };
        *count += 1;
        let (count, span) = (*count, diagnostic.span());
        match diagnostic.severity {
            _ if count < MAX_MESSAGES => self.diagnostics.push(diagnostic),
            Severity::Error => {
                self.diagnostics.push(diagnostic);
                self.diagnostics.push(
                    Diagnostic::error("E0029", span, "too many errors")
                        .label("the file was read up to here")
                        .help("mend the errors above first"),
                );
                self.stop();
            }
            Severity::Warning if count == MAX_MESSAGES => self.diagnostics.push(
                Diagnostic::warning("E0030", span, "too many warnings")
                    .label("no warning is shown from here on")
                    .help("mend those above first"),
            ),
            Severity::Warning => {}
        }
    }

    /// Gives up on the rest of the file.
    fn stop(&mut self) {
        self.quiet = true;
        self.lexer.finish();
        self.token = Token {
            kind: TokenKind::End,
            span: Span::new(self.file, self.text.len()..self.text.len()),
        };
    }

    /// Whether the rest of the file has been given up on.
    fn is_stopped(&self) -> bool {
        self.quiet && self.at(TokenKind::End)
    }

    /// Declares the parser in step: errors are reported again.
    fn in_step(&mut self) {
        if !self.is_stopped() {
            self.quiet = false;
        }
    }

    // ---- limits ----

    /// Parses something one level deeper.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        if self.nesting == MAX_NESTING {
            let error = Diagnostic::error("E0027", self.token.span, "nested too deeply")
                .label(format!("more than {MAX_NESTING} levels"))
                .help("name intermediate results in equations of their own");
            let stop = self.fail(error);
            self.stop();
            return Err(stop);
        }
        self.nesting += 1;
        let outcome = inner(self);
        self.nesting -= 1;
        outcome
    }

    /// Counts an operator of the current expression.
    fn count_operator(&mut self, span: Span) -> Outcome<()> {
        self.operators += 1;
        if self.operators <= MAX_OPERATORS {
            return Ok(());
        }
        let error = Diagnostic::error("E0028", span, "this expression is too long")
            .label(format!("more than {MAX_OPERATORS} operators up to here"))
            .help("name intermediate results in equations of their own");
        Err(self.fail(error))
    }

    /// Parses one of several expressions side by side; their operators don't add up.
    fn alternative<T>(
        &mut self,
        before: usize,
        inner: impl FnOnce(&mut Self) -> Outcome<T>,
    ) -> Outcome<T> {
        let most = std::mem::replace(&mut self.operators, before);
        let outcome = inner(self);
        self.operators = self.operators.max(most);
        outcome
    }
}

/// A piece of source for a message: at most 40 characters of one line.
fn shorten(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(40).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
