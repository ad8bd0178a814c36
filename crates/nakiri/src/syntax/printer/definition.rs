//! Definitions, declarations and equations.

use super::words::{Words, MAX_COLUMNS};
use super::Printer;
use crate::source::Span;
use crate::syntax::ast::{
    Assign, Body, Def, DefKind, Eqn, Group, Listing, Opt, OptKind, StateInit,
};
use crate::syntax::lexer::{Keyword, Symbol, TokenKind};

impl Printer<'_> {
    pub(super) fn definition(&mut self, def: &Def) {
        self.header(def);
        match &def.kind {
            DefKind::Node(bodies) => {
                for (i, body) in bodies.iter().enumerate() {
                    let more = i + 1 < bodies.len();
                    self.body(body, if more { "tel;" } else { "tel" });
                }
            }
            DefKind::Table(elements) | DefKind::Perm(elements) if def.is_array => {
                self.array_elements(elements);
            }
            DefKind::Table(elements) | DefKind::Perm(elements) => {
                for element in elements {
                    if let Listing::Entries(entries) = element {
                        self.indent += 1;
                        self.last_end = None;
                        self.entries(entries, "}");
                    }
                }
            }
        }
        if def.is_array {
            self.closing_line(Words::one("]"), self.span(def.span.end - 1, def.span.end));
        }
    }

    // ---- headers ----

    /// Everything up to the body, or up to and with the bracket that opens it.
    fn header(&mut self, def: &Def) {
        let bracket = match &def.kind {
            _ if def.is_array => Some((" [".to_string(), Symbol::OpenBracket)),
            DefKind::Node(_) => None,
            DefKind::Table(elements) | DefKind::Perm(elements) => match elements.first() {
                Some(Listing::Inverse { of, element, .. }) => {
                    let text = format!(" = {}", self.inverse(of, element.as_ref()));
                    Some((text, Symbol::CloseParen))
                }
                _ => Some((" {".to_string(), Symbol::OpenBrace)),
            },
        };
        self.header_of(Header {
            introduction: self.introduction(def),
            start: def.span.start,
            name: def.name.span,
            params: &def.params,
            returns: &def.returns,
            bracket,
        });
        if def.is_array {
            self.indent += 1;
            self.last_end = None;
        }
    }

    pub(super) fn header_of(&mut self, header: Header) {
        let Header { introduction, start, name, params, returns, bracket } = header;
        let symbol = |printer: &Self, symbol, from| printer.find(TokenKind::Symbol(symbol), from);
        let first_open = symbol(self, Symbol::OpenParen, name.end);
        let params_end = params.last().map_or(first_open.end, |group| group.span.end);
        let first_close = symbol(self, Symbol::CloseParen, params_end);
        let second_open = symbol(self, Symbol::OpenParen, first_close.end);
        let returns_end = returns.last().map_or(second_open.end, |group| group.span.end);
        let second_close = symbol(self, Symbol::CloseParen, returns_end);
        let (bracket, end) = match bracket {
            Some((text, last)) => (text, symbol(self, last, second_close.end).end),
            None => (String::new(), second_close.end),
        };
        let mut words = Words::one(format!("{introduction} ("));
        words.push(&self.group_list(params));
        words.push(")");
        words.space();
        words.push(&format!("returns ({}){bracket}", self.group_list(returns)));
        let lists = self.span(first_open.end, end);
        if !self.has_comment(lists) && words.longest_piece() + 4 <= MAX_COLUMNS {
            return self.line(words, self.span(start, end));
        }
        let opening = self.span(start, first_open.end);
        self.opening_line(Words::one(format!("{introduction} (")), opening);
        self.group_lines(params);
        self.closing_line(Words::one(") returns ("), first_close.to(second_open));
        self.indent += 1;
        self.last_end = None;
        self.group_lines(returns);
        let closing = self.span(second_close.start, end);
        self.closing_line(Words::one(format!("){bracket}")), closing);
    }

    /// Options, keyword and name.
    fn introduction(&self, def: &Def) -> String {
        let keyword = match def.kind {
            DefKind::Node(_) => "node",
            DefKind::Table(_) => "table",
            DefKind::Perm(_) => "perm",
        };
        let brackets = if def.is_array { "[]" } else { "" };
        format!("{}{keyword}{brackets} {}", self.options(&def.options), def.name.name)
    }

    /// Each option with a blank after it.
    pub(super) fn options(&self, options: &[Opt]) -> String {
        options.iter().map(|option| self.option(option) + " ").collect()
    }

    fn option(&self, option: &Opt) -> String {
        match option.kind {
            OptKind::Inline => "_inline".into(),
            OptKind::NoInline => "_no_inline".into(),
            OptKind::Interleave(_) => format!("_interleave({})", self.number(option.span)),
            OptKind::Instruction => "_instruction".into(),
            OptKind::Lsb => "_lsb".into(),
            OptKind::Table => "_table".into(),
            OptKind::Unroll => "_unroll".into(),
            OptKind::NoUnroll => "_no_unroll".into(),
            OptKind::Obsolete(name) => name.into(),
        }
    }

    pub(super) fn group(&self, group: &Group) -> Words {
        let mut words = Words::default();
        for (i, name) in group.names.iter().enumerate() {
            if i > 0 {
                words.push(",");
                words.space();
            }
            words.push(&name.name);
        }
        words.push(if group.is_const { ":const " } else { ":" });
        words.push(&self.type_(&group.ty));
        if let Some(layout) = &group.layout {
            words.push(&format!(" @{}", layout.name));
        }
        words
    }

    fn group_list(&self, groups: &[Group]) -> String {
        let groups: Vec<String> = groups.iter().map(|group| self.group(group).unbroken()).collect();
        groups.join(", ")
    }

    fn group_lines(&mut self, groups: &[Group]) {
        let lines = groups.iter().map(|group| (self.group(group), group.span)).collect();
        self.list_lines(lines);
    }

    /// Elements of a list between commas, each on its line.
    fn list_lines(&mut self, lines: Vec<(Words, Span)>) {
        let count = lines.len();
        for (i, (mut words, span)) in lines.into_iter().enumerate() {
            if i + 1 < count {
                words.push(",");
            }
            self.line(words, span);
        }
    }

    // ---- bodies ----

    fn body(&mut self, body: &Body, closing: &str) {
        let mut from = self.variables(&body.vars, body.span.start);
        if let Some(last) = body.state.last() {
            let registers =
                body.state.iter().map(|r| (self.register(r), register_span(r))).collect();
            self.declarations(Keyword::State, from, registers);
            from = register_span(last).end;
        }
        self.opening(from);
        self.equations(&body.eqns);
        self.closing_line(Words::one(closing), self.span(body.span.end - 3, body.span.end));
    }

    /// The local variables, if there are any, and where they end.
    pub(super) fn variables(&mut self, vars: &[Group], from: u32) -> u32 {
        let Some(last) = vars.last() else { return from };
        let groups = vars.iter().map(|group| (self.group(group), group.span)).collect();
        self.declarations(Keyword::Vars, from, groups);
        last.span.end
    }

    /// The `let` that follows.
    pub(super) fn opening(&mut self, from: u32) {
        let opening = self.find(TokenKind::Keyword(Keyword::Let), from);
        self.comments_before(self.span(opening.start, opening.start));
        self.last_end = None;
        self.opening_line(Words::one("let"), opening);
    }

    /// `vars` or `state` with what is declared: on one line, or each on its own.
    fn declarations(&mut self, keyword: Keyword, from: u32, declared: Vec<(Words, Span)>) {
        let place = self.find(TokenKind::Keyword(keyword), from);
        let span = declared.last().map_or(place, |(_, last)| place.to(*last));
        let columns: usize = declared.iter().map(|(words, _)| words.columns() + 2).sum();
        let fits = 2 * self.indent + keyword.text().len() + columns <= MAX_COLUMNS;
        self.comments_before(self.span(place.start, place.start));
        self.last_end = None;
        if fits && !self.has_comment(span) {
            let declared: Vec<String> =
                declared.iter().map(|(words, _)| words.unbroken()).collect();
            self.line(Words::one(format!("{} {}", keyword.text(), declared.join(", "))), span);
        } else {
            self.opening_line(Words::one(keyword.text()), place);
            self.list_lines(declared);
            self.indent -= 1;
        }
    }

    fn register(&self, register: &StateInit) -> Words {
        let mut words = Words::one(format!("{}:{}", register.name.name, self.type_(&register.ty)));
        if let Some(init) = &register.init {
            words.push(" = ");
            words.append(self.expression(init));
        }
        words
    }

    // ---- equations ----

    pub(super) fn equations(&mut self, equations: &[Eqn]) {
        for equation in equations {
            match equation {
                Eqn::Define { pat, parenthesized, assign, exp, span } => {
                    let mut words = self.pattern(span.start, pat, *parenthesized);
                    words.push(&match assign {
                        Assign::Define => " = ".to_string(),
                        Assign::Update => " := ".to_string(),
                        Assign::UpdateWith(op) => format!(" {}= ", op.symbol()),
                    });
                    words.append(self.expression(exp));
                    words.push(";");
                    self.line(words, *span);
                }
                Eqn::Next { var, exp, span } => {
                    let mut words = Words::one("next ");
                    words.append(self.variable(var));
                    words.push(" = ");
                    words.append(self.expression(exp));
                    words.push(";");
                    self.line(words, *span);
                }
                Eqn::Forall { options, iter, from, to, body, span } => {
                    let (first, last) = (self.static_expression(from), self.static_expression(to));
                    let options = self.options(options);
                    let header = format!("{options}forall {} in [{first},{last}] {{", iter.name);
                    let brace = self.find(TokenKind::Symbol(Symbol::OpenBrace), to.span.end);
                    self.opening_line(Words::one(header), self.span(span.start, brace.end));
                    self.equations(body);
                    self.closing_line(Words::one("}"), self.span(span.end - 1, span.end));
                }
            }
        }
    }
}

/// What a definition begins with.
pub(super) struct Header<'a> {
    /// Options, keyword and name.
    pub introduction: String,
    pub start: u32,
    pub name: Span,
    pub params: &'a [Group],
    pub returns: &'a [Group],
    /// What else stands in its line, as it is written, and the symbol that ends it.
    pub bracket: Option<(String, Symbol)>,
}

fn register_span(register: &StateInit) -> Span {
    let last = register.init.as_ref().map_or(register.ty.span, |init| init.span);
    register.name.span.to(last)
}
