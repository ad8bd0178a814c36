//! Errors at words and signs of other languages: they say what Usuba has.

use super::Parser;
use crate::diagnostic::{suggestion, Diagnostic, Severity};
use crate::source::Span;
use crate::syntax::foreign::{
    find, Foreign, DEFINITIONS, FUNCTION_HEADS, OPERATORS, SIGNS, STATEMENTS, TYPES, UPDATES,
};
use crate::syntax::lexer::{Keyword, Symbol};
use std::ops::Range;

/// Errors that say all there is to say already: of numbers, keywords as names, operators in need of parentheses, and results.
const SETTLED: &[&str] = &["E0002", "E0011", "E0020", "E0021", "E0029", "E0038"];

/// The longest line that is shown as it should be.
const MAX_LINE: usize = 80;

/// What is known of a line that is refused.
struct Refused<'a> {
    text: &'a str,
    /// Where the error is.
    at: usize,
    /// Where the word before that is, if nothing else is between.
    before: Range<usize>,
}

impl Parser<'_> {
    /// The error, or what Usuba has in place of the word or sign of another language that is the reason of it.
    pub(super) fn in_usuba(&self, error: Diagnostic) -> Diagnostic {
        if error.severity != Severity::Error || self.is_settled(&error) {
            return error;
        }
        let refused = Refused::new(self.text, error.span().range().start);
        let told = refused.sign().or_else(|| refused.cast()).or_else(|| refused.type_in_front());
        let told = told.or_else(|| match error.code {
            "E0017" => refused.definition(),
            "E0018" => refused.type_(),
            _ => refused.operator().or_else(|| refused.statement()),
        });
        match told {
            Some(Told { range, message, help }) => {
                Diagnostic::error("E0037", Span::new(self.file, range), message)
                    .label("as in other languages")
                    .help(help)
            }
            None => match refused.keyword() {
                Some((range, near)) => {
                    let error = error.help(format!("did you mean `{near}`?"));
                    match range.start == refused.at {
                        true => error,
                        false => error.also(Span::new(self.file, range), "mistyped"),
                    }
                }
                None => error,
            },
        }
    }

    /// Whether an error is about something else than what stands at its place.
    fn is_settled(&self, error: &Diagnostic) -> bool {
        let is_definition = error.code == "E0032" && self.at_symbol(Symbol::Equals);
        let place = error.span().range();
        let is_between = place.is_empty() && place.start < self.text.len();
        SETTLED.contains(&error.code) || is_definition || is_between
    }
}

/// What is said in place of an error.
struct Told {
    range: Range<usize>,
    message: String,
    help: String,
}

impl<'a> Refused<'a> {
    fn new(text: &'a str, at: usize) -> Refused<'a> {
        let gap = text[..at].trim_end();
        let word = gap.trim_end_matches(is_word);
        Refused { text, at, before: word.len()..gap.len() }
    }

    /// The word at the place of the error.
    fn word(&self) -> Range<usize> {
        let rest = &self.text[self.at..];
        self.at..self.at + rest.find(|c| !is_word(c)).unwrap_or(rest.len())
    }

    /// That a word or sign is of another language, and what to write.
    fn told(&self, range: Range<usize>, row: &Foreign) -> Told {
        let foreign = &self.text[range.clone()];
        let message = format!("there is no `{foreign}` in Usuba");
        let line = row.instead.and_then(|instead| self.rewritten(&range, instead));
        let help = match (row.instead, line) {
            (Some(_), Some(line)) => format!("write `{line}`: {}", row.advice),
            (Some(instead), None) if !instead.is_empty() => {
                format!("write `{}` for it: {}", instead.trim(), row.advice)
            }
            _ => row.advice.to_string(),
        };
        Told { range, message, help }
    }

    /// The equation around a place with something else there, if it is short and this is the only such place.
    fn rewritten(&self, range: &Range<usize>, instead: &str) -> Option<String> {
        let equation = self.equation();
        let line = &self.text[equation.clone()];
        let foreign = &self.text[range.clone()];
        let once = line.matches(foreign).count() == 1 && range.end <= equation.end;
        let after = self.text.get(range.end..equation.end)?;
        let after = if instead == "~" || instead.is_empty() { after.trim_start() } else { after };
        let before = self.text.get(equation.start..range.start)?;
        let line = format!("{before}{instead}{after}");
        (once && line.len() <= MAX_LINE).then_some(line)
    }

    /// From the last `;`, `{` or line end before the place to the first after it.
    fn equation(&self) -> Range<usize> {
        let from = self.text[..self.at].rfind(['\n', ';', '{', '}']).map_or(0, |at| at + 1);
        let rest = &self.text[self.at..];
        let to = rest.find(['\n', ';', '}', '#']).unwrap_or(rest.len());
        let to = rest[..to].find("//").unwrap_or(to);
        let line = &self.text[from..self.at + to];
        let line = line.strip_suffix("tel").unwrap_or(line);
        let from = from + line.len() - line.trim_start().len();
        from..from + line.trim().len()
    }

    /// A sign of which the place is a part, the longest one.
    fn sign(&self) -> Option<Told> {
        if let Some(range) = UPDATES.iter().find_map(|sign| self.part_of(sign)) {
            return Some(self.update(range));
        }
        let spelled = SIGNS.iter().flat_map(|row| row.spellings.iter().map(move |s| (row, *s)));
        let found = spelled.filter_map(|(row, sign)| Some((row, self.part_of(sign)?)));
        let (row, range) = found.max_by_key(|(_, range)| range.len())?;
        let is_index = self.text[..range.start].trim_end().ends_with('[');
        let is_negative = is_index && &self.text[range.clone()] == "-";
        (!is_negative).then(|| self.told(range, row))
    }

    /// Where a sign is, if the place is a part of it.
    fn part_of(&self, sign: &str) -> Option<Range<usize>> {
        let mut starts = (0..sign.len()).filter_map(|back| self.at.checked_sub(back));
        let start = starts.find(|start| {
            let text = self.text.get(*start..).unwrap_or_default();
            // `..` is no `.`, and `<<` no `<`.
            let ours = Symbol::at_start(text).map_or(0, |symbol| symbol.text().len());
            text.starts_with(sign) && ours <= sign.len()
        })?;
        Some(start..start + sign.len())
    }

    /// `x <<= 3`
    fn update(&self, range: Range<usize>) -> Told {
        let equation = self.equation();
        let variable = self.text[equation.start..range.start].trim();
        let amount = self.text[range.end..equation.end.max(range.end)].trim();
        let operator = self.text[range.clone()].trim_end_matches('=');
        let message = format!("there is no `{operator}=` in Usuba");
        let help = format!(
            "write `{variable} := {variable} {operator} {amount}`, a new version of the variable"
        );
        Told { range, message, help }
    }

    /// `(u32)x`
    fn cast(&self) -> Option<Told> {
        let before = self.text[..self.at].trim_end();
        let open = before.rfind('(')?;
        let inner = before[open + 1..].strip_suffix(')')?.trim();
        let is_call = before[..open].trim_end().ends_with(is_word);
        if is_call || (!is_type(inner) && find(TYPES, inner).is_none()) {
            return None;
        }
        let message = format!("there is no conversion `({inner})` in Usuba");
        let help = "an equation takes several atoms as others of the same size, as many in all; `Pack` joins two into one".to_string();
        Some(Told { range: open..before.len(), message, help })
    }

    /// `u32 x`
    fn type_in_front(&self) -> Option<Told> {
        let (word, name) = (&self.text[self.before.clone()], &self.text[self.word()]);
        let foreign = find(TYPES, word).map(|row| row.instead);
        let known = is_type(word).then_some(Some(word));
        let ty = known.or(foreign)?.unwrap_or("u32");
        let before = self.text[..self.before.start].trim_end();
        if before.ends_with(':') {
            return None;
        }
        if name.is_empty()
            && before.ends_with(['(', ','])
            && self.text[self.at..].starts_with([')', ','])
        {
            let message = format!("`{word}` is a type without a name before it");
            return Some(Told {
                range: self.before.clone(),
                message,
                help: format!("write `y:{ty}`, say"),
            });
        }
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return None;
        }
        if self.text[self.word().end..].trim_start().starts_with('(') {
            return Some(self.node(self.before.clone(), name));
        }
        let message = format!("the type of `{name}` stands behind its name");
        let help = format!(
            "write `{name}:{ty}`, in the header or once between `vars` and `let`; equations have no types"
        );
        Some(Told { range: self.before.clone(), message, help })
    }

    /// A word that begins a definition elsewhere.
    fn definition(&self) -> Option<Told> {
        let range = self.word();
        let word = &self.text[range.clone()];
        let header = self.text[self.at..].split(['(', '{', ';']).next().unwrap_or_default();
        let name = header.split_whitespace().last().unwrap_or_default();
        let is_function = self.text[self.at + header.len()..].starts_with('(');
        let is_type = is_type(word) || find(TYPES, word).is_some();
        if is_function && (is_type || FUNCTION_HEADS.contains(&word)) {
            return Some(self.node(range, name.trim_start_matches('*')));
        }
        let row = find(DEFINITIONS, if is_type { "static" } else { word });
        let row = row.or_else(|| find(STATEMENTS, word))?;
        Some(self.told(range, row))
    }

    /// A function in the way of other languages.
    fn node(&self, range: Range<usize>, name: &str) -> Told {
        let message =
            format!("there is no `{}` before a function in Usuba", &self.text[range.clone()]);
        let help = format!(
            "a function is a node, whose results have names: `node {name} (x:u32) returns (y:u32) let y = ~x tel`"
        );
        Told { range, message, help }
    }

    fn type_(&self) -> Option<Told> {
        let range = self.word();
        let word = &self.text[range.clone()];
        let row = find(TYPES, word)?;
        let message = format!("there is no type `{word}` in Usuba");
        let help = match row.instead {
            Some(ty) => format!("write `{ty}`"),
            None => format!(
                "{}: types are `u32`, `u16x4`, `b64` and arrays such as `u32[4]`",
                row.advice
            ),
        };
        Some(Told { range, message, help })
    }

    /// An operator that is a word.
    fn operator(&self) -> Option<Told> {
        let range = self.word();
        let row = find(OPERATORS, &self.text[range.clone()]);
        row.map(|row| self.told(range, row))
    }

    /// A word that begins a statement elsewhere, here or before the place.
    fn statement(&self) -> Option<Told> {
        for range in [self.before.clone(), self.word()] {
            let word = &self.text[range.clone()];
            let Some(row) = find(STATEMENTS, word) else { continue };
            let told = self.told(range.clone(), row);
            let concrete = match word {
                "return" => self.result(range.end),
                "for" | "foreach" => Some(self.repeated(range.end)),
                _ => None,
            };
            return Some(match concrete {
                Some(line) => Told { help: format!("{}: write `{line}`", row.advice), ..told },
                None => told,
            });
        }
        None
    }

    /// `return e` as an equation of the node's results.
    fn result(&self, end: usize) -> Option<String> {
        let returned = self.text[end..self.equation().end.max(end)].trim();
        let header = &self.text[self.text[..end].rfind("returns")?..];
        let results = header.split_once('(')?.1.split_once(')')?.0;
        let names = results.split(',').filter_map(|group| group.split(':').next());
        let names: Vec<&str> = names.map(str::trim).collect();
        let pattern = match &names[..] {
            [one] => (*one).to_string(),
            several => format!("({})", several.join(", ")),
        };
        let value = if returned.is_empty() { "…" } else { returned };
        Some(format!("{pattern} = {value}"))
    }

    /// The header of a loop over numbers: `(int i = 0; i < 4; i++)`, `i in range(4)`, `i in 0..4`.
    fn repeated(&self, end: usize) -> String {
        let (name, from, to) = self.bounds(end).unwrap_or(("i", 0, 3));
        format!("forall {name} in [{from},{to}] {{ … }}")
    }

    /// Its iterator, its first and its last number.
    fn bounds(&self, end: usize) -> Option<(&'a str, i64, i64)> {
        let line = self.text[end..].lines().next()?;
        let words = line.split(|c: char| !is_word(c)).filter(|word| !word.is_empty());
        let mut words = words.filter(|word| !is_type(word) && find(TYPES, word).is_none());
        let name = words.next()?;
        let mut numbers = words.map_while(|word| match word {
            "in" | "range" => Some(None),
            word if word == name => Some(None),
            word => word.parse::<i64>().ok().map(Some),
        });
        let numbers: Vec<i64> = numbers.by_ref().flatten().collect();
        let is_closed = line.contains("<=") || line.contains("..=") || line.contains('[');
        let last = |end: i64| if is_closed { end } else { end - 1 };
        match numbers[..] {
            [to] if line.contains("range") => Some((name, 0, to - 1)),
            [from, to] if !line.contains('>') => Some((name, from, last(to))),
            _ => None,
        }
    }

    /// The keyword that was probably meant by the word here or before.
    fn keyword(&self) -> Option<(Range<usize>, &'static str)> {
        let known = || Keyword::ALL.iter().map(|keyword| keyword.text());
        let ranges = [self.word(), self.before.clone()].into_iter();
        let mut ranges = ranges.filter(|range| {
            let word = &self.text[range.clone()];
            word.len() > 2 && !known().any(|keyword| keyword == word)
        });
        ranges.find_map(|range| Some((range.clone(), suggestion(&self.text[range], known())?)))
    }
}

/// Whether a word is a type of Usuba's, such as `u32` or `b64`.
fn is_type(word: &str) -> bool {
    let sizes = word.strip_prefix(['u', 'b', 'v']).unwrap_or_default();
    let (width, count) = sizes.split_once('x').unwrap_or((sizes, "1"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    is_number(width) && is_number(count)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '\''
}
