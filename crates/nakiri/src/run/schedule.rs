//! The text of a schedule.
//!
//! ```text
//! schedule = [ "const" name { "," name } ";" ] phase { ";" phase }
//! phase    = [ setting { "," setting } ] [ "for" number | "until" output ] [ "->" taken { "," taken } ]
//! setting  = input "=" ( number | name )
//! taken    = output [ "=" name ]
//! ```

use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Span};

/// How the inputs of a program are driven in a run: phases, one after another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The data that is the same in all lanes.
    pub(super) constants: Vec<Name>,
    /// At least one.
    pub(super) phases: Vec<Phase>,
    /// The whole text.
    pub(super) span: Span,
}

/// A word with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub text: String,
    pub span: Span,
}

/// Ticks in which the inputs don't change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Phase {
    /// What inputs are from here on.
    pub settings: Vec<Setting>,
    pub end: End,
    /// What is taken in its last tick.
    pub taken: Vec<Taken>,
    pub span: Span,
}

/// An input and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    pub input: Name,
    pub value: Setpoint,
    /// The place of the value.
    pub span: Span,
}

/// What an input is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Setpoint {
    /// A number, the same in all lanes.
    Number(u128),
    /// Data of this name.
    Data(String),
}

/// The last tick of a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// After so many ticks.
    For(u32),
    /// The first one in which this output is all ones.
    Until(Name),
}

/// An output that is a result, under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Taken {
    pub output: Name,
    pub name: Option<Name>,
}

impl Schedule {
    /// Reads a schedule, which is the text of a file of its own.
    ///
    /// # Errors
    /// The first place at which it is none.
    pub fn parse(text: &str, file: FileId) -> Result<Schedule, Diagnostic> {
        Schedule::parse_at(text, Span::new(file, 0..text.len()))
    }

    /// Reads a schedule that is a part of a file.
    ///
    /// # Errors
    /// The first place at which it is none.
    pub fn parse_at(text: &str, span: Span) -> Result<Schedule, Diagnostic> {
        let tokens = tokens(text, span)?;
        let mut parser = Parser { tokens, at: 0, end: Span { start: span.end, ..span } };
        let constants = parser.constants()?;
        let mut phases = vec![parser.phase()?];
        while parser.takes(";") {
            phases.push(parser.phase()?);
        }
        match parser.peek() {
            Some(token) => Err(unexpected(token.span, "`;` or the end")),
            None => Ok(Schedule { constants, phases, span }),
        }
    }
}

struct Token<'t> {
    text: &'t str,
    span: Span,
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '\'' | '.')
}

fn tokens(text: &str, place: Span) -> Result<Vec<Token<'_>>, Diagnostic> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = match c {
            c if c.is_whitespace() => {
                at += c.len_utf8();
                continue;
            }
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            '=' | ';' | ',' => 1,
            '-' if rest.starts_with("->") => 2,
            _ => 0,
        };
        let start = place.start + at as u32;
        let span = |length: usize| Span { start, end: start + length as u32, ..place };
        if length == 0 {
            return Err(unexpected(span(c.len_utf8()), "a name, a number, `=`, `,`, `;` or `->`"));
        }
        tokens.push(Token { text: &rest[..length], span: span(length) });
        at += length;
    }
    Ok(tokens)
}

fn unexpected(span: Span, wanted: &str) -> Diagnostic {
    Diagnostic::error("E0530", span, format!("here the schedule has to go on with {wanted}"))
        .help("a schedule is written like `start=1; start=0 until done`; `nakiri explain E0530` says more")
}

struct Parser<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
    /// The place behind the last token.
    end: Span,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token<'_>> {
        self.tokens.get(self.at)
    }

    fn is(&self, text: &str) -> bool {
        self.peek().is_some_and(|token| token.text == text)
    }

    fn takes(&mut self, text: &str) -> bool {
        let is = self.is(text);
        self.at += usize::from(is);
        is
    }

    /// The place of the next token.
    fn place(&self) -> Span {
        self.peek().map_or(self.end, |token| token.span)
    }

    fn name(&mut self, wanted: &str) -> Result<Name, Diagnostic> {
        let span = self.place();
        let is_name = |text: &str| text.starts_with(|c: char| is_word(c) && !c.is_ascii_digit());
        let text = self.peek().map(|token| token.text).filter(|text| is_name(text));
        let text = text.ok_or_else(|| unexpected(span, wanted))?.to_string();
        self.at += 1;
        Ok(Name { text, span })
    }

    fn number(&mut self) -> Result<Option<u128>, Diagnostic> {
        let span = self.place();
        let Some(token) = self.peek() else { return Ok(None) };
        if !token.text.starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(None);
        }
        let digits = token.text.replace('_', "");
        let (digits, radix) = match (digits.strip_prefix("0x"), digits.strip_prefix("0b")) {
            (Some(digits), _) => (digits, 16),
            (_, Some(digits)) => (digits, 2),
            _ => (&*digits, 10),
        };
        let value = u128::from_str_radix(digits, radix).map_err(|_| {
            unexpected(span, "a number of at most 128 bits: `10`, `0xa` or `0b1010`")
        })?;
        self.at += 1;
        Ok(Some(value))
    }

    fn constants(&mut self) -> Result<Vec<Name>, Diagnostic> {
        let mut names = Vec::new();
        if !self.takes("const") {
            return Ok(names);
        }
        loop {
            names.push(self.name("the name of data")?);
            if !self.takes(",") {
                break;
            }
        }
        match self.takes(";") {
            true => Ok(names),
            false => Err(unexpected(self.place(), "`,` or `;`")),
        }
    }

    fn phase(&mut self) -> Result<Phase, Diagnostic> {
        let start = self.place();
        let mut settings = Vec::new();
        let bare = ["for", "until", "->"].iter().any(|word| self.is(word));
        if !bare {
            settings.push(self.setting()?);
            while self.takes(",") {
                settings.push(self.setting()?);
            }
        }
        let end = self.end_of_phase()?;
        let mut taken = Vec::new();
        if self.takes("->") {
            loop {
                let output = self.name("an output")?;
                let renamed = self.takes("=");
                let name = renamed.then(|| self.name("the name of a result")).transpose()?;
                taken.push(Taken { output, name });
                if !self.takes(",") {
                    break;
                }
            }
        }
        let last = self.at.checked_sub(1).map_or(start, |last| self.tokens[last].span);
        let span = if last.start < start.start { start } else { start.to(last) };
        Ok(Phase { settings, end, taken, span })
    }

    fn setting(&mut self) -> Result<Setting, Diagnostic> {
        let input = self.name("an input, `for`, `until` or `->`")?;
        if !self.takes("=") {
            return Err(unexpected(self.place(), "`=`"));
        }
        let span = self.place();
        let value = match self.number()? {
            Some(number) => Setpoint::Number(number),
            None => Setpoint::Data(self.name("a number, or the name of data")?.text),
        };
        Ok(Setting { input, value, span })
    }

    fn end_of_phase(&mut self) -> Result<End, Diagnostic> {
        if self.takes("until") {
            return Ok(End::Until(self.name("an output")?));
        }
        if !self.takes("for") {
            return Ok(End::For(1));
        }
        let span = self.place();
        let ticks = self.number()?.and_then(|ticks| u32::try_from(ticks).ok());
        match ticks.filter(|ticks| *ticks > 0) {
            Some(ticks) => Ok(End::For(ticks)),
            None => Err(unexpected(span, "a number of ticks, from 1")),
        }
    }
}
