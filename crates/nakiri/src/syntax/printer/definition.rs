//! Definitions, declarations and equations.

use super::words::{Words, MAX_COLUMNS};
use super::Printer;
use crate::source::Span;
use crate::syntax::ast::{Assign, Body, Def, DefKind, Eqn, Group, Ints, Opt, OptKind, StateInit};
use crate::syntax::lexer::{Keyword, Symbol, TokenKind};
use num_bigint::BigUint;

/// Entries of a table on one line, where they fit.
const ENTRIES_PER_LINE: usize = 16;

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
                let widths = elements.iter().flat_map(|e| &e.values).map(|(_, s)| s.range().len());
                let width = if elements.len() > 1 { widths.max().unwrap_or(0) } else { 0 };
                for (i, element) in elements.iter().enumerate() {
                    let more = i + 1 < elements.len();
                    self.array_element(element, width, if more { "};" } else { "}" });
                }
            }
            DefKind::Table(elements) | DefKind::Perm(elements) => {
                self.indent += 1;
                self.last_end = None;
                for element in elements {
                    self.entries(element, "}");
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
        let bracket = match def.kind {
            _ if def.is_array => Some((" [", Symbol::OpenBracket)),
            DefKind::Node(_) => None,
            _ => Some((" {", Symbol::OpenBrace)),
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
            Some((text, open)) => (text, symbol(self, open, second_close.end).end),
            None => ("", second_close.end),
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
    fn options(&self, options: &[Opt]) -> String {
        options.iter().map(|option| self.option(option) + " ").collect()
    }

    fn option(&self, option: &Opt) -> String {
        match option.kind {
            OptKind::Inline => "_inline".into(),
            OptKind::NoInline => "_no_inline".into(),
            OptKind::Interleave(_) => format!("_interleave({})", self.number(option.span)),
            OptKind::Instruction => "_instruction".into(),
            OptKind::Lsb => "_lsb".into(),
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

    // ---- entries ----

    /// `{ 1, 2 };` on one line with entries of this width, or with the entries on lines of their own.
    fn array_element(&mut self, ints: &Ints, width: usize, closing: &str) {
        let row = self.row(&ints.values, width);
        let is_short = ints.values.len() <= ENTRIES_PER_LINE && row.len() + 10 <= MAX_COLUMNS;
        if is_short && !self.has_comment(ints.span) {
            return self.line(Words::one(format!("{{ {row} {closing}")), ints.span);
        }
        let start = ints.span.start;
        self.opening_line(Words::one("{"), self.span(start, start + 1));
        self.entries(ints, closing);
    }

    /// The entries of a table or permutation and the `}` after them.
    fn entries(&mut self, ints: &Ints, closing: &str) {
        let widths = ints.values.iter().map(|(_, span)| span.range().len());
        let width = widths.max().unwrap_or(0);
        let available = MAX_COLUMNS - 2 * self.indent;
        let mut per_line = self.row_length(ints).unwrap_or(ENTRIES_PER_LINE);
        while per_line > 1 && per_line * (width + 2) > available {
            per_line /= 2;
        }
        let width = if ints.values.len() > per_line { width } else { 0 };
        let mut rows = ints.values.chunks(per_line).peekable();
        while let Some(entries) = rows.next() {
            let comma = if rows.peek().is_some() { "," } else { "" };
            let span = entries[0].1.to(entries[entries.len() - 1].1);
            self.line(Words::one(self.row(entries, width) + comma), span);
        }
        self.closing_line(Words::one(closing), self.span(ints.span.end - 1, ints.span.end));
    }

    /// The entries of each line of the source, if all lines but the last have as many: specifications give tables
    /// shapes that mean something.
    fn row_length(&self, ints: &Ints) -> Option<usize> {
        let mut rows = vec![1];
        for pair in ints.values.windows(2) {
            let between = self.span(pair[0].1.end, pair[1].1.start);
            if self.source(between).contains('\n') {
                rows.push(1);
            } else {
                *rows.last_mut()? += 1;
            }
        }
        let (last, full) = rows.split_last()?;
        let first = *full.first()?;
        (full.iter().all(|&row| row == first) && *last <= first).then_some(first)
    }

    /// Entries between commas, each at least `width` characters wide.
    fn row(&self, entries: &[(BigUint, Span)], width: usize) -> String {
        let texts: Vec<String> =
            entries.iter().map(|(_, span)| format!("{:>width$}", self.source(*span))).collect();
        texts.join(", ")
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
    /// The bracket that opens the body, as it is written and as a symbol.
    pub bracket: Option<(&'static str, Symbol)>,
}

fn register_span(register: &StateInit) -> Span {
    let last = register.init.as_ref().map_or(register.ty.span, |init| init.span);
    register.name.span.to(last)
}
