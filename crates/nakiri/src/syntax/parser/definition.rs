//! The top level of a file: includes, and definitions with their headers and bodies.

use super::equation::Within;
use super::{Outcome, Parser};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::{
    Body, Def, DefKind, Group, Ident, Item, MemberKind, Opt, OptKind, StateInit,
};
use crate::syntax::lexer::{Keyword, Symbol, TokenKind, END_MARK};

const HEADER_HELP: &str = "a definition begins like `node f (x:u16) returns (y:u16)`";
/// The longest header that is repeated in a message.
const MAX_HEADER: usize = 60;
const ARRAY_HELP: &str =
    "the elements of an array stand in brackets with `;` between them: `[ … ; … ]`";
const OPTIONS_HELP: &str = "an option stands right before the definition that it describes";

impl Parser<'_> {
    /// The whole file, and whether nothing is left out of it.
    pub(super) fn items(&mut self) -> (Vec<Item>, bool) {
        let (mut items, mut all) = (Vec::new(), true);
        loop {
            self.in_step();
            let item = match self.token.kind {
                TokenKind::End => break,
                TokenKind::Keyword(Keyword::Include) => self.include(),
                TokenKind::Keyword(keyword) if begins_definition(keyword) || is_option(keyword) => {
                    self.definition()
                }
                _ if self.at_mode() => self.mode(),
                _ if self.at_field() => self.field().map(Item::Field),
                TokenKind::Keyword(Keyword::Const) => {
                    self.constant().map(|constant| Item::Constant(Box::new(constant)))
                }
                _ => {
                    let message = format!("expected a definition, found {}", self.found());
                    let help = match self.at_word(END_MARK) {
                        true => "old files end so; they compile with `--compat usubac`",
                        false => "a file consists of `node`, `table`, `perm`, `mode`, `field`, `const` and `include`",
                    };
                    let error = Diagnostic::error("E0017", self.token.span, message)
                        .label("no definition begins so")
                        .help(help);
                    Err(self.fail(error))
                }
            };
            match item {
                Ok(item) => items.push(item),
                Err(_) => {
                    all = false;
                    self.skip_to_definition();
                }
            }
        }
        if items.is_empty() && self.errors == 0 {
            let error = Diagnostic::error("E0016", self.token.span, "nothing is defined here")
                .label("the file ends without a definition")
                .help("define a node, as in `node f (x:u16) returns (y:u16) let y = ~x tel`");
            self.report(error);
        }
        (items, all)
    }

    /// Passes everything up to the next definition.
    pub(super) fn skip_to_definition(&mut self) {
        while !self.at(TokenKind::End) && !self.at_definition() {
            self.advance();
        }
    }

    /// Whether the next token can only stand at the top level.
    pub(super) fn at_definition(&self) -> bool {
        match self.token.kind {
            TokenKind::Keyword(Keyword::Include) => true,
            TokenKind::Keyword(Keyword::Unroll | Keyword::NoUnroll) => false,
            TokenKind::Keyword(keyword) if is_option(keyword) => {
                self.peek() != TokenKind::Keyword(Keyword::Forall)
            }
            TokenKind::Keyword(keyword) if begins_definition(keyword) => true,
            _ => self.at_mode() || self.at_field() || self.at_constant(),
        }
    }

    fn include(&mut self) -> Outcome<Item> {
        let start = self.advance().span;
        if !self.at(TokenKind::String) {
            return Err(self.unexpected(
                "the name of a file in double quotes",
                "write it like `include \"aes.ua\"`",
            ));
        }
        let name = self.advance().span;
        let quoted = self.source(name);
        let path = quoted.strip_prefix('"').unwrap_or(quoted);
        let path = path.strip_suffix('"').unwrap_or(path).to_string();
        Ok(Item::Include { path, span: self.since(start) })
    }

    /// A definition, or `node id = family(n, …)`
    fn definition(&mut self) -> Outcome<Item> {
        let (start, errors) = (self.token.span, self.errors);
        let options = self.options()?;
        let TokenKind::Keyword(keyword) = self.token.kind else {
            return Err(
                self.unexpected("`node`, `table` or `perm` after the options", OPTIONS_HELP)
            );
        };
        if !begins_definition(keyword) {
            return Err(self.unexpected("`node`, `table` or `perm`", OPTIONS_HELP));
        }
        self.advance();
        self.check_definition_options(&options, keyword);
        let marked = self.array_mark()?;
        let name = self.definition_name(keyword)?;
        let is_array = match marked {
            Some(_) => true,
            None => self.array_mark_after(keyword, &name)?,
        };
        if keyword == Keyword::Node && !is_array && self.eat(Symbol::Equals) {
            return self.member(MemberKind::Node, options, start, name).map(Item::Member);
        }
        let (params, returns) = self.ports(start);
        let kind = match keyword {
            Keyword::Node => DefKind::Node(self.elements(is_array, Self::body)),
            Keyword::Table => DefKind::Table(self.elements(is_array, |p| p.listing(is_array))),
            _ => DefKind::Perm(self.elements(is_array, |p| p.listing(is_array))),
        };
        let (span, is_faulty) = (self.since(start), self.errors > errors);
        Ok(Item::Def(Def { options, name, params, returns, kind, is_array, span, is_faulty }))
    }

    /// The inputs and outputs of a header that begins at `start`. After an error there are none, and a line that begins a body
    /// is the next thing, or the next definition.
    pub(super) fn ports(&mut self, start: Span) -> (Vec<Group>, Vec<Group>) {
        let params = self.parameters("before the parameters");
        let ports = params.and_then(|params| Ok((params, self.results(start)?)));
        ports.unwrap_or_else(|_| {
            while !self.at(TokenKind::End) && !self.at_definition() && !self.at_body_line() {
                self.advance();
            }
            Default::default()
        })
    }

    /// Whether a line begins here as bodies do: elsewhere these words may be meant as names.
    fn at_body_line(&self) -> bool {
        use Keyword::{Let, State, Vars};
        let begins = matches!(self.token.kind, TokenKind::Keyword(Let | State | Vars));
        begins && self.on_new_line()
    }

    /// `[]`, if it is the next thing.
    fn array_mark(&mut self) -> Outcome<Option<Span>> {
        if !self.at_symbol(Symbol::OpenBracket) {
            return Ok(None);
        }
        let open = self.advance().span;
        self.close(Symbol::CloseBracket, open)?;
        Ok(Some(self.since(open)))
    }

    /// Whether `[]` follows the name, where this language once had it.
    fn array_mark_after(&mut self, keyword: Keyword, name: &Ident) -> Outcome<bool> {
        let Some(mark) = self.array_mark()? else { return Ok(false) };
        let (keyword, name) = (keyword.text(), &name.name);
        let message = format!("the `[]` of an array stands before its name `{name}`");
        self.report(
            Diagnostic::warning("E0034", mark, message)
                .label("read as if it stood there")
                .help(format!("write `{keyword}[] {name} (…)`, or let `nakiri fmt` do it")),
        );
        Ok(true)
    }

    fn definition_name(&mut self, keyword: Keyword) -> Outcome<Ident> {
        let purpose = format!("the name of the {}", keyword.text());
        let name = self.ident(&purpose);
        if name.is_err() && matches!(self.token.kind, TokenKind::Keyword(_)) && !self.on_new_line()
        {
            let span = self.advance().span;
            return Ok(Ident { name: self.source(span).to_string(), span });
        }
        name
    }

    /// One element, or `[ element ; … ]`. After an error those before it, and the next definition is the next thing.
    fn elements<T>(&mut self, is_array: bool, element: impl Fn(&mut Self) -> Outcome<T>) -> Vec<T> {
        let mut elements = Vec::new();
        let read = match is_array {
            true => self.array(&mut elements, element),
            false => element(self).map(|element| elements.push(element)),
        };
        if read.is_err() {
            self.skip_to_definition();
        }
        elements
    }

    /// `[ element ; … ]`
    fn array<T>(
        &mut self,
        elements: &mut Vec<T>,
        element: impl Fn(&mut Self) -> Outcome<T>,
    ) -> Outcome<()> {
        let open =
            self.expect(Symbol::OpenBracket, "before the elements of the array", ARRAY_HELP)?;
        elements.push(element(self)?);
        while self.eat(Symbol::Semicolon) {
            elements.push(element(self)?);
        }
        self.close(Symbol::CloseBracket, open).map(|_| ())
    }

    // ---- options ----

    /// All options before a definition or a `forall`.
    pub(super) fn options(&mut self) -> Outcome<Vec<Opt>> {
        let mut options = Vec::new();
        while let TokenKind::Keyword(keyword) = self.token.kind {
            if !is_option(keyword) {
                break;
            }
            let start = self.advance().span;
            let kind = match keyword {
                Keyword::Inline => OptKind::Inline,
                Keyword::NoInline => OptKind::NoInline,
                Keyword::Instruction => OptKind::Instruction,
                Keyword::Lsb => OptKind::Lsb,
                Keyword::TableOption => OptKind::Table,
                Keyword::Unroll => OptKind::Unroll,
                Keyword::NoUnroll => OptKind::NoUnroll,
                Keyword::Interleave => {
                    let open = self.expect(
                        Symbol::OpenParen,
                        "after the option",
                        "write it like `_interleave(2)`",
                    )?;
                    let count = self.number("a number", "write it like `_interleave(2)`")?.0;
                    self.close(Symbol::CloseParen, open)?;
                    OptKind::Interleave(count)
                }
                _ => {
                    let message = format!("`{}` has no effect", keyword.text());
                    self.report(
                        Diagnostic::warning("E0024", start, message)
                            .label("accepted for old files only")
                            .help("delete it"),
                    );
                    OptKind::Obsolete(keyword.text())
                }
            };
            options.push(Opt { kind, span: self.since(start) });
        }
        Ok(options)
    }

    fn check_definition_options(&mut self, options: &[Opt], keyword: Keyword) {
        for option in options {
            let belongs = match option.kind {
                OptKind::Unroll | OptKind::NoUnroll => "a `forall`",
                OptKind::Lsb if keyword != Keyword::Table => "a `table`",
                OptKind::Instruction | OptKind::Table if keyword != Keyword::Node => "a `node`",
                _ => continue,
            };
            self.misplaced_option(option, belongs);
        }
    }

    /// Reports an option that stands before something it says nothing about.
    pub(super) fn misplaced_option(&mut self, option: &Opt, belongs: &str) {
        let name = self.source(option.span);
        let error = Diagnostic::error("E0023", option.span, format!("misplaced option `{name}`"))
            .label(format!("this option belongs before {belongs}"))
            .help("delete it or move it there");
        self.report(error);
    }

    // ---- parameters and variables ----

    pub(super) fn parameters(&mut self, purpose: &str) -> Outcome<Vec<Group>> {
        let open = self.expect(Symbol::OpenParen, purpose, HEADER_HELP)?;
        let groups = if self.at_symbol(Symbol::CloseParen) { Vec::new() } else { self.groups()? };
        self.close(Symbol::CloseParen, open)?;
        Ok(groups)
    }

    fn groups(&mut self) -> Outcome<Vec<Group>> {
        let mut groups = vec![self.group()?];
        while self.eat(Symbol::Comma) {
            groups.push(self.group()?);
        }
        Ok(groups)
    }

    /// `a, b : const type @layout`
    fn group(&mut self) -> Outcome<Group> {
        self.operators = 0;
        let start = self.token.span;
        let mut names = vec![self.ident("the name of a variable")?];
        while self.eat(Symbol::Comma) {
            names.push(self.ident("the name of a variable")?);
        }
        self.expect(
            Symbol::Colon,
            "and the type of the variable",
            "variables are declared like `a, b:u16, c:u8[4]`",
        )?;
        let mut is_const = false;
        while self.eat_keyword(Keyword::Const) {
            is_const = true;
        }
        let ty = self.type_()?;
        let layout = self.layout()?;
        Ok(Group { names, is_const, ty, layout, span: self.since(start) })
    }

    /// `@layout`, if it is the next thing.
    pub(super) fn layout(&mut self) -> Outcome<Option<Ident>> {
        match self.eat(Symbol::At) {
            true => self.ident("the name of a layout").map(Some),
            false => Ok(None),
        }
    }

    /// `returns ( … )` after a header that begins at `start`.
    pub(super) fn results(&mut self, start: Span) -> Outcome<Vec<Group>> {
        let header = self.source(self.since(start));
        let is_short = header.len() <= MAX_HEADER && !header.contains('\n');
        let header = if is_short { header } else { "node f (x:u32)" };
        let help = format!("results have names and types, as in `{header} returns (y:u32)`");
        if self.at_keyword(Keyword::Returns) && self.peek() == TokenKind::Symbol(Symbol::OpenParen)
        {
            self.advance();
            return self.parameters("before the results");
        }
        let wanted = match self.eat_keyword(Keyword::Returns) {
            true => "`(` and the results",
            false => "`returns` after the parameters",
        };
        let message = format!("expected {wanted}, found {}", self.found());
        let error = Diagnostic::error("E0038", self.token.span, message)
            .label(format!("expected {wanted}"))
            .help(help);
        Err(self.fail(error))
    }

    // ---- bodies ----

    /// `vars … state … let … tel`
    fn body(&mut self) -> Outcome<Body> {
        let start = self.token.span;
        let (vars, state) = match self.declarations() {
            Ok(declarations) => declarations,
            Err(stop) => {
                self.skip_to_let();
                if !self.at_keyword(Keyword::Let) {
                    return Err(stop);
                }
                self.in_step();
                Default::default()
            }
        };
        let opening = self.advance().span;
        let eqns = self.equations(Within::Definition);
        if self.at_stream_loop() {
            let error = Diagnostic::error("E0036", self.token.span, "a node has no streams")
                .label("this loop is over a stream")
                .help("write `mode` instead of `node`, with a parameter of type `bytes`");
            self.report(error);
            self.skip_to_definition();
        } else {
            self.tel(opening, "node");
        }
        Ok(Body { vars, state, eqns, span: self.since(start) })
    }

    /// The `tel` that ends the equations of a node or a mode. Where it is missing, the equations go to the next definition.
    pub(super) fn tel(&mut self, opening: Span, what: &str) {
        if self.eat_keyword(Keyword::Tel) {
            return;
        }
        let message = format!("the `tel` of this {what} is missing");
        let error = Diagnostic::error("E0013", self.after_last(), message)
            .label("expected `tel` here")
            .also(opening, "the equations begin here")
            .help("end the equations with `tel`");
        self.report(error);
        self.skip_to_definition();
    }

    /// What stands before the `let`, which is the next token afterwards.
    pub(super) fn declarations(&mut self) -> Outcome<(Vec<Group>, Vec<StateInit>)> {
        let mut wanted = "`vars`, `state` or `let`";
        let mut vars = Vec::new();
        if self.eat_keyword(Keyword::Vars) {
            if self.at_keyword(Keyword::State) && self.peek() == TokenKind::Symbol(Symbol::Colon) {
                let span = self.token.span;
                return Err(self.keyword_as_name(Keyword::State, span, "the name of a variable"));
            }
            if !self.at_keyword(Keyword::Let) && !self.at_keyword(Keyword::State) {
                vars = self.groups()?;
            }
            wanted = "`,` or `let`";
        }
        let mut state = Vec::new();
        if self.eat_keyword(Keyword::State) {
            state.push(self.register()?);
            while self.eat(Symbol::Comma) {
                state.push(self.register()?);
            }
            wanted = "`,` or `let`";
        }
        if self.at_keyword(Keyword::Let) {
            return Ok((vars, state));
        }
        let message = format!("expected {wanted}, found {}", self.found());
        let error = Diagnostic::error("E0014", self.token.span, message)
            .label(format!("expected {wanted} before this"))
            .help(match self.token.kind {
                TokenKind::Symbol(Symbol::OpenBrace) => "write `let` in place of `{` and `tel` in place of `}`",
                TokenKind::Symbol(Symbol::Semicolon) => "groups of variables are separated by `,`: `vars a:u32, b, c:u16`",
                TokenKind::Ident if wanted.contains("state") => "equations begin after `let`, local variables after `vars`",
                _ => "the body of a node is `vars …` where there are local variables, then `let …` and `tel`",
            });
        Err(self.fail(error))
    }

    fn register(&mut self) -> Outcome<StateInit> {
        self.operators = 0;
        let name = self.ident("the name of a register")?;
        self.expect(
            Symbol::Colon,
            "and the type of the register",
            "registers are declared like `state s:u16 = 0, t:u8`",
        )?;
        let ty = self.type_()?;
        let init = if self.eat(Symbol::Equals) { Some(self.expression()?) } else { None };
        Ok(StateInit { name, ty, init })
    }

    fn skip_to_let(&mut self) {
        let is_end =
            |kind| matches!(kind, TokenKind::End | TokenKind::Keyword(Keyword::Let | Keyword::Tel));
        while !is_end(self.token.kind) && !self.at_definition() {
            self.advance();
        }
    }
}

fn begins_definition(keyword: Keyword) -> bool {
    matches!(keyword, Keyword::Node | Keyword::Table | Keyword::Perm)
}

/// Whether the keyword is an option, of whatever construct.
pub(super) fn is_option(keyword: Keyword) -> bool {
    use Keyword::*;
    matches!(
        keyword,
        Inline
            | NoInline
            | Interleave
            | Lsb
            | TableOption
            | Instruction
            | Unroll
            | NoUnroll
            | LazyLift
            | NoOpt
            | Pipelined
            | SafeExit
    )
}
