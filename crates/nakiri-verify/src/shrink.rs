//! Makes a failing program small: a person should see at once what is wrong.

use nakiri::diagnostic::has_errors;
use nakiri::source::{SourceMap, Span};
use nakiri::syntax::ast::*;
use nakiri::syntax::{parser, Dialect};

/// A piece of text and what may stand there instead.
type Edit = (std::ops::Range<usize>, String);

/// The smallest text that can be reached from this one by dropping definitions, equations, variables, operands and white
/// space and by smaller numbers, each step of which `fails` as well. The result is this very text if it doesn't parse.
pub fn shrink(text: &str, fails: &mut dyn FnMut(&str) -> bool) -> String {
    let mut text = text.to_string();
    loop {
        let mut improved = false;
        let mut at = 0;
        // Edits are in the order of how much they remove; after a success the same position is tried again.
        loop {
            let edits = edits(&text);
            let Some((range, with)) = edits.get(at) else { break };
            let mut smaller = text.clone();
            smaller.replace_range(range.clone(), with);
            if smaller.len() < text.len() && fails(&smaller) {
                text = smaller;
                improved = true;
            } else {
                at += 1;
            }
        }
        if !improved {
            return text;
        }
    }
}

/// What can be tried on a text, large pieces first.
fn edits(text: &str) -> Vec<Edit> {
    let mut sources = SourceMap::default();
    let id = sources.add("shrink", text);
    let parsed = parser::parse(&sources, id, Dialect::Nakiri);
    if has_errors(&parsed.diagnostics) {
        return Vec::new();
    }
    let mut edits = Edits { text, list: Vec::new() };
    parsed.file.comments.iter().for_each(|comment| edits.drop(*comment));
    edits.white_space();
    for item in &parsed.file.items {
        if let Item::Def(def) = item {
            edits.definition(def);
        }
    }
    edits.list.sort_by_key(|(range, with)| (with.len() as i64 - range.len() as i64, range.start));
    edits.list
}

struct Edits<'a> {
    text: &'a str,
    list: Vec<Edit>,
}

impl Edits<'_> {
    fn drop(&mut self, span: Span) {
        self.list.push((span.range(), String::new()));
    }

    fn replace(&mut self, span: Span, with: impl Into<String>) {
        self.list.push((span.range(), with.into()));
    }

    /// Blank lines, and more than one space between words.
    fn white_space(&mut self) {
        let mut lines = Vec::new();
        for line in self.text.lines() {
            let indentation = &line[..line.len() - line.trim_start().len()];
            let words: Vec<&str> = line.split_whitespace().collect();
            if !words.is_empty() {
                lines.push(format!("{indentation}{}", words.join(" ")));
            }
        }
        self.list.push((0..self.text.len(), lines.join("\n")));
    }

    /// A variable of a body at once with what is assigned to it; where it is used stands 0.
    fn variable(&mut self, body: &Body, name: &str) {
        let mut whole = Edits { text: self.text, list: Vec::new() };
        for group in &body.vars {
            match &group.names[..] {
                [only] if only.name == name => whole.drop_element(group.span, ','),
                names => names
                    .iter()
                    .filter(|other| other.name == name)
                    .for_each(|other| whole.drop_element(other.span, ',')),
            }
        }
        body.eqns.iter().for_each(|eqn| whole.unassign(eqn, name));
        // Larger edits hold those inside.
        whole.list.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
        let range = body.span.range();
        let (mut text, mut from) = (String::new(), range.start);
        for (edited, with) in whole.list {
            if edited.start >= from {
                text += &self.text[from..edited.start];
                text += &with;
                from = edited.end;
            }
        }
        text += &self.text[from..range.end];
        self.list.push((range, text));
    }

    /// Drops what is assigned to a variable and uses 0 for it.
    fn unassign(&mut self, eqn: &Eqn, name: &str) {
        match eqn {
            Eqn::Define { pat, exp, span, .. } => {
                let own = pat.iter().filter(|var| var.name.name == name);
                if own.clone().count() == pat.len() {
                    self.drop_element(*span, ';');
                }
                own.for_each(|var| self.drop_element(var.span, ','));
                self.unuse(exp, name);
            }
            Eqn::Next { exp, .. } => self.unuse(exp, name),
            Eqn::Forall { body, span, .. } => {
                let assigned = |eqn: &Eqn| matches!(eqn, Eqn::Define { pat, .. } if pat.iter().all(|var| var.name.name == name));
                if body.iter().all(assigned) {
                    self.drop(*span);
                }
                body.iter().for_each(|eqn| self.unassign(eqn, name));
            }
        }
    }

    fn unuse(&mut self, exp: &Exp, name: &str) {
        match &exp.kind {
            ExpKind::Var(var) if var.name.name == name => self.replace(exp.span, "0"),
            _ => operands(exp).into_iter().for_each(|part| self.unuse(part, name)),
        }
    }

    /// Drops something from a list, with the separator after it or, at the end, before it.
    fn drop_element(&mut self, span: Span, separator: char) {
        let range = span.range();
        let after = &self.text[range.end..];
        let trimmed = after.trim_start();
        if trimmed.starts_with(separator) {
            let end = range.end + (after.len() - trimmed.len()) + 1;
            self.list.push((range.start..end, String::new()));
            return;
        }
        let before = self.text[..range.start].trim_end();
        let start = before.strip_suffix(separator).map_or(range.start, str::len);
        self.list.push((start..range.end, String::new()));
    }

    fn definition(&mut self, def: &Def) {
        self.drop(def.span);
        def.options.iter().for_each(|option| self.drop(option.span));
        def.params.iter().chain(&def.returns).for_each(|group| self.group(group));
        match &def.kind {
            DefKind::Node(bodies) => {
                for body in bodies {
                    if bodies.len() > 1 {
                        self.drop_element(body.span, ';');
                    }
                    body.vars.iter().for_each(|group| self.group(group));
                    let names = body.vars.iter().flat_map(|group| &group.names);
                    names.for_each(|name| self.variable(body, &name.name));
                    body.state.iter().for_each(|register| self.register(register));
                    body.eqns.iter().for_each(|eqn| self.equation(eqn));
                    if let [register] = &body.state[..] {
                        self.last_register(register);
                    }
                    self.empty_keyword(body, def);
                }
            }
            DefKind::Table(elements) | DefKind::Perm(elements) => {
                for listing in elements {
                    if elements.len() > 1 {
                        self.drop_element(listing.span(), ';');
                    }
                    let Listing::Entries(list) = listing else { continue };
                    for entry in &list.entries {
                        if self.text[entry.span().range()].len() > 1 {
                            self.replace(entry.span(), "0");
                        }
                    }
                }
            }
        }
    }

    /// `vars` without variables.
    fn empty_keyword(&mut self, body: &Body, def: &Def) {
        if body.vars.is_empty() {
            let range = def.span.range();
            if let Some(at) = self.text[range.clone()].find("vars") {
                let start = range.start + at;
                self.list.push((start..start + 4, String::new()));
            }
        }
    }

    /// The only register, with the keyword.
    fn last_register(&mut self, register: &StateInit) {
        let end = register.init.as_ref().map_or(register.ty.span, |init| init.span).range().end;
        if let Some(start) = self.text[..register.name.span.range().start].rfind("state") {
            self.list.push((start..end, String::new()));
        }
    }

    /// A register, or its reset value alone.
    fn register(&mut self, register: &StateInit) {
        let span = register.name.span.to(register.ty.span);
        match &register.init {
            Some(init) => {
                self.drop_element(span.to(init.span), ',');
                self.list.push((span.range().end..init.span.range().end, String::new()));
            }
            None => self.drop_element(span, ','),
        }
    }

    fn group(&mut self, group: &Group) {
        self.drop_element(group.span, ',');
        if group.names.len() > 1 {
            group.names.iter().for_each(|name| self.drop_element(name.span, ','));
        }
        group.ty.dims.iter().for_each(|dim| self.number(dim));
        if let Some(layout) = &group.layout {
            let start = self.text[..layout.span.range().start].trim_end_matches(['@', ' ']).len();
            self.list.push((start..layout.span.range().end, String::new()));
        }
    }

    fn equation(&mut self, eqn: &Eqn) {
        match eqn {
            Eqn::Define { pat, exp, span, .. } => {
                self.drop_element(*span, ';');
                if pat.len() > 1 {
                    pat.iter().for_each(|var| self.drop_element(var.span, ','));
                }
                self.expression(exp);
            }
            Eqn::Next { exp, span, .. } => {
                self.drop_element(*span, ';');
                self.expression(exp);
            }
            Eqn::Forall { options, from, to, body, span, .. } => {
                self.drop(*span);
                options.iter().for_each(|option| self.drop(option.span));
                self.number(from);
                self.number(to);
                body.iter().for_each(|eqn| self.equation(eqn));
            }
        }
    }

    /// An expression becomes 0 or one of its operands.
    fn expression(&mut self, exp: &Exp) {
        if self.text[exp.span.range()].len() > 1 {
            self.replace(exp.span, "0");
        }
        match &exp.kind {
            ExpKind::Tuple(parts) | ExpKind::Call { args: parts, .. } if parts.len() > 1 => {
                parts.iter().for_each(|part| self.drop_element(part.span, ','));
            }
            ExpKind::Shift(_, _, amount) => self.number(amount),
            ExpKind::Var(var) => {
                for selector in &var.selectors {
                    match selector {
                        Selector::Index(e) => self.number(e),
                        Selector::Range(a, b) => [a, b].into_iter().for_each(|e| self.number(e)),
                        Selector::List(list) => list.iter().for_each(|e| self.number(e)),
                    }
                }
            }
            _ => {}
        }
        for part in operands(exp) {
            let text = self.text[part.span.range()].to_string();
            self.replace(exp.span, text);
            self.expression(part);
        }
    }

    fn number(&mut self, number: &AExp) {
        if self.text[number.span.range()].len() > 1 {
            self.replace(number.span, "1");
            self.replace(number.span, "0");
        }
    }
}

/// The expressions of which one is made.
fn operands(exp: &Exp) -> Vec<&Exp> {
    match &exp.kind {
        ExpKind::Tuple(parts) | ExpKind::Call { args: parts, .. } => parts.iter().collect(),
        ExpKind::Not(a)
        | ExpKind::Bitmask(a, _)
        | ExpKind::Shuffle(a, _)
        | ExpKind::Shift(_, a, _) => vec![a],
        ExpKind::Bin(_, a, b) | ExpKind::Pack(a, b, _) => vec![a, b],
        ExpKind::Var(..) | ExpKind::Int(..) | ExpKind::Error => vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;
    use nakiri::check::{check, NoFiles, Options};

    fn is_legal(text: &str) -> bool {
        let mut sources = SourceMap::default();
        let root = sources.add("shrink", text);
        check(&mut sources, root, &mut NoFiles, &Options::default()).0.is_some()
    }

    #[test]
    fn an_artificial_bug_becomes_small() {
        let mut fails =
            |text: &str| text.contains(">>!") && text.contains("forall") && is_legal(text);
        let programs = (0..4000).map(random::program).filter(|p| fails(&p.text)).take(3);
        let programs: Vec<_> = programs.collect();
        assert_eq!(programs.len(), 3);
        for program in programs {
            let small = shrink(&program.text, &mut fails);
            assert!(fails(&small));
            assert!(small.len() < 400, "still {} bytes:\n{small}", small.len());
        }
    }

    #[test]
    fn what_does_not_parse_stays() {
        assert_eq!(shrink("node node", &mut |_| true), "node node");
    }
}
