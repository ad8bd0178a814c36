//! Text to tokens. Lexing never fails: what can't be a token becomes a diagnostic and is skipped.
//!
//! Words are not interpreted here. `u16x4` is a name and `16x4` a number until the parser, which
//! knows whether a type may stand there, says otherwise.

use super::Dialect;
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Span};

/// What a token is. The text of names, numbers and strings is under the token's span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name or, in a type, a word such as `u16x4`.
    Ident,
    /// A run of letters and digits that begins with a digit.
    Number,
    /// `'` and a name.
    Quoted,
    /// `"…"` on one line, quotes included.
    String,
    /// A reserved word.
    Keyword(Keyword),
    /// Any of the operators and brackets.
    Symbol(Symbol),
    /// The end of the file.
    End,
}

/// A token and its place.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands.
    pub span: Span,
}

/// Declares an enumeration of fixed spellings with `text` and `from_text`.
macro_rules! spellings {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $(#[doc = concat!("`", $text, "`")] $variant),* }

        impl $name {
            /// All of them.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// How it is written.
            pub fn text(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }
        }
    };
}

spellings! {
    /// The reserved words.
    Keyword {
        Node = "node", Table = "table", Perm = "perm", Returns = "returns", Vars = "vars",
        State = "state", Let = "let", Tel = "tel", Forall = "forall", Nat = "nat",
        Const = "const", Include = "include", Next = "next", Shuffle = "Shuffle",
        Bitmask = "Bitmask", Pack = "Pack", Inline = "_inline", NoInline = "_no_inline",
        Unroll = "_unroll", NoUnroll = "_no_unroll", Interleave = "_interleave", Lsb = "_lsb",
        TableOption = "_table", Instruction = "_instruction",
        LazyLift = "lazyLift", NoOpt = "_no_opt", Pipelined = "_pipelined",
        SafeExit = "_safe_exit",
    }
}

spellings! {
    /// Operators and brackets; a spelling comes before its own beginnings.
    Symbol {
        RotateLeft = "<<<", RotateRight = ">>>", ShiftRightArithmetic = ">>!",
        ShiftLeft = "<<", ShiftRight = ">>", DotDot = "..", Less = "<", Greater = ">",
        OpenParen = "(", CloseParen = ")", OpenBracket = "[", CloseBracket = "]",
        OpenBrace = "{", CloseBrace = "}", Comma = ",", Semicolon = ";", Colon = ":",
        Equals = "=", At = "@", And = "&", Or = "|", Xor = "^", Not = "~", Plus = "+",
        Minus = "-", Star = "*", Slash = "/", Percent = "%",
    }
}

impl Keyword {
    /// The keyword that is written so.
    pub fn from_text(text: &str) -> Option<Keyword> {
        Keyword::ALL.iter().copied().find(|k| k.text() == text)
    }
}

impl Symbol {
    /// The longest symbol that the text begins with.
    pub fn at_start(text: &str) -> Option<Symbol> {
        let first = text.bytes().next();
        let candidates = Symbol::ALL.iter().filter(|s| s.text().bytes().next() == first);
        candidates.copied().find(|s| text.starts_with(s.text()))
    }
}

/// What ends the program in an old file, whatever follows.
pub const END_MARK: &str = "__END__";

/// Produces the tokens of one file on demand, so that a huge file needs little memory.
pub struct Lexer<'a> {
    text: &'a str,
    file: FileId,
    dialect: Dialect,
    at: usize,
    /// The comments passed so far.
    pub comments: Vec<Span>,
    /// What was wrong with the text passed since the caller last emptied this list.
    pub problems: Vec<Diagnostic>,
}

impl<'a> Lexer<'a> {
    /// A lexer at the beginning of a file's text, after the byte order mark if there is one.
    pub fn new(text: &'a str, file: FileId, dialect: Dialect) -> Lexer<'a> {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Lexer { text, file, dialect, at, comments: Vec::new(), problems: Vec::new() }
    }

    /// A lexer at the same place that forgets what it passes.
    pub fn lookahead(&self) -> Lexer<'a> {
        Lexer { comments: Vec::new(), problems: Vec::new(), ..*self }
    }

    /// Jumps to the end: every further token is [`TokenKind::End`].
    pub fn finish(&mut self) {
        self.at = self.text.len();
    }

    /// The next token; at the end of the text, [`TokenKind::End`] again and again.
    pub fn next_token(&mut self) -> Token {
        loop {
            self.skip_blanks_and_comments();
            let start = self.at;
            if self.dialect == Dialect::Usubac && self.at_end_mark() {
                self.tail();
                continue;
            }
            let Some(first) = self.rest().chars().next() else {
                return self.token(TokenKind::End, start);
            };
            if let Some(kind) = self.scan(first) {
                return self.token(kind, start);
            }
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn token(&self, kind: TokenKind, start: usize) -> Token {
        Token { kind, span: Span::new(self.file, start..self.at) }
    }

    /// Passes all characters that satisfy `wanted`.
    fn skip_while(&mut self, wanted: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !wanted(c)).unwrap_or(rest.len());
    }

    fn skip_blanks_and_comments(&mut self) {
        loop {
            self.skip_while(|c| matches!(c, ' ' | '\t' | '\n'));
            let rest = self.rest();
            if rest.starts_with("\r\n") {
                self.at += 2;
            } else if rest.starts_with('#') || rest.starts_with("//") {
                self.comment();
            } else {
                return;
            }
        }
    }

    /// Whether `__END__` is the next word: old files go on behind it with what is no program.
    fn at_end_mark(&self) -> bool {
        self.rest().strip_prefix(END_MARK).is_some_and(|rest| !rest.starts_with(is_word))
    }

    /// Passes the rest of the file as one comment.
    fn tail(&mut self) {
        let start = self.at;
        self.finish();
        let end = start + self.text[start..].trim_end().len();
        self.comments.push(Span::new(self.file, start..end));
    }

    fn comment(&mut self) {
        let start = self.at;
        self.skip_while(|c| c != '\n');
        let text = &self.text[start..self.at];
        let text = text.strip_suffix('\r').unwrap_or(text);
        if let Some((i, c)) = text.char_indices().find(|&(_, c)| c != '\t' && is_control(c)) {
            self.control_character(start + i, c);
        }
        self.comments.push(Span::new(self.file, start..start + text.len()));
    }

    /// Passes one token that begins with `first`, or something that is none.
    fn scan(&mut self, first: char) -> Option<TokenKind> {
        let start = self.at;
        if first.is_ascii_digit() {
            self.skip_while(|c| c.is_ascii_alphanumeric() || c == '_');
            return Some(TokenKind::Number);
        }
        if first.is_ascii_alphabetic() || first == '_' {
            self.skip_while(is_word);
            let word = &self.text[start..self.at];
            return Some(Keyword::from_text(word).map_or(TokenKind::Ident, TokenKind::Keyword));
        }
        if first == '\'' && self.rest()[1..].starts_with(|c: char| c.is_ascii_alphabetic()) {
            self.skip_while(is_word);
            return Some(TokenKind::Quoted);
        }
        if first == '"' {
            return self.string();
        }
        if let Some(symbol) = Symbol::at_start(self.rest()) {
            self.at += symbol.text().len();
            return Some(TokenKind::Symbol(symbol));
        }
        if first == '!' && self.dialect == Dialect::Usubac {
            self.at += 1;
            return Some(TokenKind::Symbol(Symbol::Not));
        }
        if is_control(first) {
            self.skip_while(is_control);
            self.control_character(start, first);
        } else {
            self.stray_characters();
        }
        None
    }

    fn string(&mut self) -> Option<TokenKind> {
        let start = self.at;
        self.at += 1;
        self.skip_while(|c| c != '"' && c != '\n' && !is_control(c));
        if self.rest().starts_with('"') {
            self.at += 1;
            return Some(TokenKind::String);
        }
        let span = Span::new(self.file, start..start + 1);
        self.problems.push(
            Diagnostic::error("E0003", span, "this string does not end on its line")
                .label("the string begins here")
                .help("close it with `\"`, as in `include \"aes.ua\"`"),
        );
        Some(TokenKind::String)
    }

    fn control_character(&mut self, at: usize, c: char) {
        let span = Span::new(self.file, at..at + c.len_utf8());
        self.problems.push(
            Diagnostic::error("E0004", span, format!("control character U+{:04X}", c as u32))
                .label("invisible in most editors")
                .help("delete it; a source holds only text, tabs and line ends"),
        );
    }

    /// Passes a run of characters that begin no token, with one message for all of them.
    fn stray_characters(&mut self) {
        let start = self.at;
        let first = self.rest().chars().next().unwrap_or(' ');
        self.at += first.len_utf8();
        self.skip_while(|c| {
            !c.is_ascii() && !c.is_whitespace() && !is_control(c) || "$?\\!".contains(c)
        });
        let run = &self.text[start..self.at];
        let message = match run.chars().count() {
            1 => format!("stray character `{first}`"),
            n => format!("{n} stray characters"),
        };
        let span = Span::new(self.file, start..self.at);
        let error = Diagnostic::error("E0001", span, message).label("no token begins so");
        self.problems.push(error.help(advice(first)));
    }
}

/// What to write instead of a character that no token begins with.
fn advice(c: char) -> String {
    let instead = match c {
        '⊕' | '⊻' => "^",
        '∧' => "&",
        '∨' => "|",
        '¬' | '!' => "~",
        '⊞' => "+",
        '−' | '–' | '—' => "-",
        '×' | '·' => "*",
        '≪' | '«' => "<<",
        '≫' | '»' => ">>",
        '⋘' => "<<<",
        '⋙' => ">>>",
        '‘' | '’' | '`' => "'",
        '“' | '”' => "\"",
        '…' | '.' => "..",
        '\u{a0}' => " ",
        _ => return "delete it, or put `#` before it if it belongs to a comment".into(),
    };
    format!("write `{instead}` instead")
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '\''
}

/// Control characters, and those that reorder the text around them on a screen.
fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, ' ' | '\t' | '\n')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}
