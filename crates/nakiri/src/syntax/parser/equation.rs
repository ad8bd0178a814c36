//! Equations and loops.

use super::definition::is_option;
use super::{Outcome, Parser};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{AExp, AExpKind, Assign, BinOp, Eqn, Exp, ExpKind, Ident, OptKind, Var};
use crate::syntax::lexer::{Keyword, Symbol, TokenKind};

const LOOP_HELP: &str =
    "a loop is written like `forall i in [0,3] { … }`; both bounds are included";

/// What equations stand in, which says what ends them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    /// Between `let` and `tel`: a loop over a stream does, too.
    Definition,
    /// In the braces of a loop.
    Braces,
    /// In those of a tree: both do.
    Tree,
}

impl Parser<'_> {
    /// Equations up to `tel` or a loop over a stream, or up to the `}` of the loop whose `{` is given.
    pub(super) fn equations(&mut self, within: Within) -> Vec<Eqn> {
        let mut equations = Vec::new();
        loop {
            self.in_step();
            let is_loop = within != Within::Braces && self.at_stream_loop();
            if self.at_end_of_equations() || is_loop {
                return equations;
            }
            if self.at_symbol(Symbol::CloseBrace) {
                if within != Within::Definition {
                    return equations;
                }
                self.unmatched();
                self.advance();
                continue;
            }
            match self.equation() {
                Ok(equation) => {
                    self.end_of_equation(matches!(equation, Eqn::Forall { .. }));
                    equations.push(equation);
                }
                Err(_) => self.skip_equation(),
            }
        }
    }

    fn at_end_of_equations(&self) -> bool {
        matches!(self.token.kind, TokenKind::End | TokenKind::Keyword(Keyword::Tel))
            || self.at_definition()
    }

    fn at_equation(&self) -> bool {
        use Keyword::{Forall, Next, NoUnroll, Unroll};
        matches!(
            self.token.kind,
            TokenKind::Ident
                | TokenKind::Symbol(Symbol::OpenParen)
                | TokenKind::Keyword(Forall | Next | Unroll | NoUnroll)
        )
    }

    /// Consumes the `;` after an equation where it is needed or allowed.
    fn end_of_equation(&mut self, is_loop: bool) {
        let ends = self.at_end_of_equations() || self.at_symbol(Symbol::CloseBrace);
        if self.eat(Symbol::Semicolon) || ends || is_loop {
            return;
        }
        if !self.quiet && self.on_new_line() && self.at_equation() {
            let error =
                Diagnostic::error("E0012", self.after_last(), "expected `;` between two equations")
                    .label("a `;` is missing here")
                    .also(self.token.span, "the next equation begins here");
            return self.report(error);
        }
        self.superfluous();
        self.skip_equation();
    }

    /// Reports that the next token does not continue the equation before it.
    pub(super) fn superfluous(&mut self) {
        let closing = [Symbol::CloseParen, Symbol::CloseBracket];
        if closing.iter().any(|&symbol| self.at_symbol(symbol)) {
            return self.unmatched();
        }
        let message = format!("expected an operator or `;`, found {}", self.found());
        let error = Diagnostic::error("E0012", self.token.span, message)
            .label("expected an operator or `;` before this");
        let error = match self.token.kind {
            TokenKind::Symbol(Symbol::Comma) => {
                error.help("put a tuple in parentheses, as in `(a, b)`")
            }
            TokenKind::Quoted => error.help("a number is written like `0xff` or `0xff_ff`"),
            TokenKind::Symbol(Symbol::OpenParen) => {
                error.help("an element of an array of nodes or tables is called like `f<0>(x)`")
            }
            TokenKind::Symbol(Symbol::OpenBracket) => error
                .help("only a variable can be indexed; name the value in an equation of its own"),
            _ => error,
        };
        self.report(error);
    }

    fn unmatched(&mut self) {
        let message = format!("unmatched {}", self.found());
        let error = Diagnostic::error("E0015", self.token.span, message)
            .label("closes nothing")
            .help("delete it, or open the bracket that it should close");
        self.report(error);
    }

    /// Passes the rest of an equation, its `;` included.
    fn skip_equation(&mut self) {
        self.skip_before_semicolon();
        self.eat(Symbol::Semicolon);
    }

    fn equation(&mut self) -> Outcome<Eqn> {
        self.operators = 0;
        match self.token.kind {
            TokenKind::Keyword(Keyword::Next) => self.next_equation(),
            TokenKind::Keyword(Keyword::Forall) => self.forall(),
            TokenKind::Keyword(keyword) if is_option(keyword) => self.forall(),
            TokenKind::Ident | TokenKind::Symbol(Symbol::OpenParen) => {
                self.definition_of_variables()
            }
            TokenKind::Keyword(keyword) if !self.at_declaration(keyword) => {
                Err(self.keyword_as_name(keyword, self.token.span, "an equation"))
            }
            _ => {
                let message = format!("expected an equation, found {}", self.found());
                let error = Diagnostic::error("E0010", self.token.span, message)
                    .label("no equation begins so")
                    .help(match self.token.kind {
                        TokenKind::Keyword(_) => {
                            "variables are declared once, between `vars` and `let`: `vars t:u32`"
                        }
                        TokenKind::Symbol(Symbol::OpenBrace) => {
                            "equations stand between `let` and `tel` without braces"
                        }
                        _ => "an equation is written like `x = a ^ b`",
                    });
                Err(self.fail(error))
            }
        }
    }

    /// Whether a keyword here begins a declaration, as it may elsewhere.
    fn at_declaration(&self, keyword: Keyword) -> bool {
        let before_name = matches!(keyword, Keyword::Const | Keyword::Nat);
        matches!(keyword, Keyword::Vars | Keyword::Let)
            || (before_name && self.peek() == TokenKind::Ident)
    }

    /// `next var = exp`
    fn next_equation(&mut self) -> Outcome<Eqn> {
        let start = self.advance().span;
        if self.at_symbol(Symbol::Equals) || self.at_symbol(Symbol::Colon) {
            return Err(self.keyword_as_name(Keyword::Next, start, "a variable"));
        }
        let var = self.variable("the register to define")?;
        if !self.eat(Symbol::Equals) {
            return Err(self.no_equals_sign());
        }
        let exp = self.right_hand_side();
        Ok(Eqn::Next { var, exp, span: self.since(start) })
    }

    /// `pat [op][:]= exp`
    fn definition_of_variables(&mut self) -> Outcome<Eqn> {
        let start = self.token.span;
        let parenthesized = self.at_symbol(Symbol::OpenParen);
        let pat = if parenthesized { self.pattern()? } else { vec![self.variable("a variable")?] };
        let assign = self.assignment()?;
        let exp = self.right_hand_side();
        Ok(Eqn::Define { pat, parenthesized, assign, exp, span: self.since(start) })
    }

    /// `( var, … )`
    fn pattern(&mut self) -> Outcome<Vec<Var>> {
        let open = self.advance().span;
        let mut variables = Vec::new();
        let before = self.operators;
        loop {
            if !self.at(TokenKind::Ident) && !matches!(self.token.kind, TokenKind::Keyword(_)) {
                return Err(self.no_left_hand_side());
            }
            variables.push(self.alternative(before, |parser| parser.variable("a variable"))?);
            if self.at_symbol(Symbol::OpenParen) {
                return Err(self.no_left_hand_side());
            }
            if !self.eat(Symbol::Comma) {
                break;
            }
        }
        self.close(Symbol::CloseParen, open)?;
        Ok(variables)
    }

    fn assignment(&mut self) -> Outcome<Assign> {
        let op = match self.token.kind {
            TokenKind::Symbol(Symbol::And) => Some(BinOp::And),
            TokenKind::Symbol(Symbol::Or) => Some(BinOp::Or),
            TokenKind::Symbol(Symbol::Xor) => Some(BinOp::Xor),
            TokenKind::Symbol(Symbol::Plus) => Some(BinOp::Add),
            TokenKind::Symbol(Symbol::Minus) => Some(BinOp::Sub),
            TokenKind::Symbol(Symbol::Star) => Some(BinOp::Mul),
            TokenKind::Symbol(Symbol::OpenParen | Symbol::Comma | Symbol::CloseBracket) => {
                return Err(self.no_left_hand_side());
            }
            _ => None,
        };
        if op.is_some() {
            self.advance();
        }
        let updates = self.eat(Symbol::Colon);
        if !self.eat(Symbol::Equals) || self.at_symbol(Symbol::Equals) {
            return Err(self.no_equals_sign());
        }
        Ok(match op {
            Some(op) => Assign::UpdateWith(op),
            None if updates => Assign::Update,
            None => Assign::Define,
        })
    }

    fn no_equals_sign(&mut self) -> super::Stop {
        let message = match self.found().as_str() {
            "`=`" => "expected one `=`, found two".to_string(),
            found => format!("expected `=`, found {found}"),
        };
        let error = Diagnostic::error("E0032", self.token.span, message)
            .label("an equation defines what stands on its left with `=`")
            .help("write `x = e` to define, `x := e` or `x ^= e` to update");
        self.fail(error)
    }

    fn no_left_hand_side(&mut self) -> super::Stop {
        let message = format!("{} on the left of an equation", self.found());
        let error = Diagnostic::error("E0031", self.token.span, message)
            .label("not part of a variable or a selection")
            .help(match self.at_symbol(Symbol::Comma) {
                true => "several stand in parentheses: `(a, b[1]) = …`",
                false => "on the left stands a variable, a selection such as `x[0..3]`, or several as in `(a, b[1])`",
            });
        self.fail(error)
    }

    /// The expression after `=`; what can't be read is marked in the tree and passed.
    fn right_hand_side(&mut self) -> Exp {
        let start = self.token.span;
        self.expression().unwrap_or_else(|_| {
            self.skip_before_semicolon();
            Exp { kind: ExpKind::Error, span: self.since(start) }
        })
    }

    /// Passes the rest of an equation up to its `;`.
    fn skip_before_semicolon(&mut self) {
        let (mut braces, mut parentheses) = (0, 0);
        while !self.at_end_of_equations() {
            match self.token.kind {
                TokenKind::Symbol(Symbol::OpenParen) => parentheses += 1,
                TokenKind::Symbol(Symbol::CloseParen) if parentheses > 0 => parentheses -= 1,
                TokenKind::Symbol(Symbol::OpenBrace) => braces += 1,
                TokenKind::Symbol(Symbol::CloseBrace | Symbol::Semicolon)
                    if (braces, parentheses) == (0, 0) =>
                {
                    return
                }
                TokenKind::Symbol(Symbol::CloseBrace) if braces > 0 => braces -= 1,
                _ => {}
            }
            self.advance();
        }
    }

    // ---- loops ----

    /// `_unroll forall i in [a,b] { … }`
    fn forall(&mut self) -> Outcome<Eqn> {
        let start = self.token.span;
        let options = self.options()?;
        for option in &options {
            let fits =
                matches!(option.kind, OptKind::Unroll | OptKind::NoUnroll | OptKind::Obsolete(_));
            if !fits {
                self.misplaced_option(option, "a definition");
            }
        }
        let header = self.forall_header().or_else(|stop| self.rejoin_at_brace(start).ok_or(stop));
        let (iter, from, to) = header?;
        let body = self.repeated(LOOP_HELP)?;
        Ok(Eqn::Forall { options, iter, from, to, body, span: self.since(start) })
    }

    /// `{ … }`: the equations of a loop.
    pub(super) fn repeated(&mut self, help: &str) -> Outcome<Vec<Eqn>> {
        self.nested(|parser| {
            let open = parser.expect(Symbol::OpenBrace, "before the repeated equations", help)?;
            let body = parser.equations(Within::Braces);
            parser.close(Symbol::CloseBrace, open)?;
            Ok(body)
        })
    }

    /// `forall i in [a,b]`
    pub(super) fn forall_header(&mut self) -> Outcome<(Ident, AExp, AExp)> {
        if !self.eat_keyword(Keyword::Forall) {
            return Err(self.malformed_header("`forall` after the options"));
        }
        let iter = self.ident("the iterator of the loop")?;
        // `in` is a name everywhere else: the paper's own programs call parameters so.
        if !self.at_word("in") {
            return Err(self.malformed_header("`in` after the iterator"));
        }
        self.advance();
        if !self.at_symbol(Symbol::OpenBracket) {
            return Err(self.malformed_header("`[` before the bounds"));
        }
        let open = self.advance().span;
        let from = self.static_expression()?;
        if !self.eat(Symbol::Comma) {
            return Err(self.malformed_header("`,` between the bounds"));
        }
        let to = self.static_expression()?;
        self.close(Symbol::CloseBracket, open)?;
        Ok((iter, from, to))
    }

    fn malformed_header(&mut self, wanted: &str) -> super::Stop {
        let message = format!("expected {wanted}, found {}", self.found());
        let error = Diagnostic::error("E0033", self.token.span, message)
            .label(format!("expected {wanted}"))
            .help(LOOP_HELP);
        self.fail(error)
    }

    /// After a faulty header: goes on at the `{`, if there is one, with bounds unknown.
    fn rejoin_at_brace(&mut self, start: Span) -> Option<(Ident, AExp, AExp)> {
        while !self.at_symbol(Symbol::OpenBrace) {
            let is_past = self.at_symbol(Symbol::Semicolon) || self.at_symbol(Symbol::CloseBrace);
            if is_past || self.at_end_of_equations() {
                return None;
            }
            self.advance();
        }
        let span = self.since(start);
        let unknown = AExp { kind: AExpKind::Error, span };
        Some((Ident { name: String::new(), span }, unknown.clone(), unknown))
    }
}
