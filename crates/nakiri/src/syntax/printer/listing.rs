//! Constants, and the entries of tables and permutations.

use super::words::{Words, MAX_COLUMNS};
use super::Printer;
use crate::syntax::ast::{AExp, Constant, ConstantValue, Entries, Entry, Ident, Listing};

/// Entries of a table on one line, where they fit.
const ENTRIES_PER_LINE: usize = 16;

impl Printer<'_> {
    pub(super) fn constant(&mut self, constant: &Constant) {
        let head = format!("const {}:{} = ", constant.name.name, self.type_(&constant.ty));
        let mut words = Words::one(head);
        match &constant.value {
            ConstantValue::Number(number) => words.push(&self.static_expression(number)),
            ConstantValue::Atoms(value) => words.append(self.expression(value)),
            ConstantValue::Numbers(entries) => {
                let row = self.row(&entries.entries, 0);
                let fits = words.columns() + row.len() + 4 <= MAX_COLUMNS;
                if fits && !self.has_comment(entries.span) && self.row_length(entries).is_some() {
                    words.push(&format!("{{ {row} }}"));
                } else {
                    words.push("{");
                    let opening = self.span(constant.span.start, entries.span.start + 1);
                    self.opening_line(words, opening);
                    return self.entries(entries, "}");
                }
            }
        }
        self.line(words, constant.span);
    }

    /// The elements of an array, each on a line if it fits there.
    pub(super) fn array_elements(&mut self, elements: &[Listing]) {
        let entries = elements.iter().flat_map(|element| match element {
            Listing::Entries(entries) => &entries.entries[..],
            Listing::Inverse { .. } => &[],
        });
        let widths = entries.map(|entry| self.entry(entry).len());
        let width = if elements.len() > 1 { widths.max().unwrap_or(0) } else { 0 };
        for (i, element) in elements.iter().enumerate() {
            let end = if i + 1 < elements.len() { ";" } else { "" };
            match element {
                Listing::Entries(entries) => self.array_element(entries, width, end),
                Listing::Inverse { of, element, span } => {
                    let text = self.inverse(of, element.as_ref()) + end;
                    self.line(Words::one(text), *span);
                }
            }
        }
    }

    /// `inverse(f<i>)`
    pub(super) fn inverse(&self, of: &Ident, element: Option<&AExp>) -> String {
        let element = element.map(|element| format!("<{}>", self.static_expression(element)));
        format!("inverse({}{})", of.name, element.unwrap_or_default())
    }

    /// `{ 1, 2 };` on one line with entries of this width, or with the entries on lines of their own.
    fn array_element(&mut self, list: &Entries, width: usize, end: &str) {
        let row = self.row(&list.entries, width);
        let is_short = list.entries.len() <= ENTRIES_PER_LINE && row.len() + 10 <= MAX_COLUMNS;
        if is_short && !self.has_comment(list.span) {
            return self.line(Words::one(format!("{{ {row} }}{end}")), list.span);
        }
        let start = list.span.start;
        self.opening_line(Words::one("{"), self.span(start, start + 1));
        self.entries(list, &format!("}}{end}"));
    }

    /// The entries of a list and the `}` after them.
    pub(super) fn entries(&mut self, list: &Entries, closing: &str) {
        let widths = list.entries.iter().map(|entry| self.entry(entry).len());
        let width = widths.max().unwrap_or(0);
        let available = MAX_COLUMNS - 2 * self.indent;
        let mut per_line = self.row_length(list).unwrap_or(ENTRIES_PER_LINE);
        while per_line > 1 && per_line * (width + 2) > available {
            per_line /= 2;
        }
        let width = if list.entries.len() > per_line { width } else { 0 };
        let mut rows = list.entries.chunks(per_line).peekable();
        while let Some(entries) = rows.next() {
            let comma = if rows.peek().is_some() { "," } else { "" };
            let span = entries[0].span().to(entries[entries.len() - 1].span());
            self.line(Words::one(self.row(entries, width) + comma), span);
        }
        self.closing_line(Words::one(closing), self.span(list.span.end - 1, list.span.end));
    }

    /// The entries of each line of the source, if all lines but the last have as many: specifications give tables
    /// shapes that mean something.
    fn row_length(&self, list: &Entries) -> Option<usize> {
        let mut rows = vec![1];
        for pair in list.entries.windows(2) {
            let between = self.span(pair[0].span().end, pair[1].span().start);
            if self.source(between).contains('\n') {
                rows.push(1);
            } else {
                *rows.last_mut()? += 1;
            }
        }
        let (last, full) = rows.split_last()?;
        let Some(first) = full.first() else { return Some(*last) };
        (full.iter().all(|row| row == first) && last <= first).then_some(*first)
    }

    /// Entries between commas, each at least `width` characters wide.
    fn row(&self, entries: &[Entry], width: usize) -> String {
        let texts = entries.iter().map(|entry| format!("{:>width$}", self.entry(entry)));
        texts.collect::<Vec<_>>().join(", ")
    }

    pub(super) fn entry(&self, entry: &Entry) -> String {
        match entry {
            Entry::Number(number) => self.static_expression(number),
            Entry::Forall { iter, from, to, entries, .. } => {
                let (from, to) = (self.static_expression(from), self.static_expression(to));
                let repeated = self.row(&entries.entries, 0);
                format!("forall {} in [{from},{to}] {{ {repeated} }}", iter.name)
            }
        }
    }
}
