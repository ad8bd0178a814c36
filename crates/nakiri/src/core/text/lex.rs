//! Tokens.

use super::TextError;

/// A token and the byte at which it starts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    Word(String),
    /// A name that is not a word.
    Quoted(String),
    /// A direction or word-size parameter, with its quote.
    Param(String),
    Value(u32),
    Number(u128),
    Punct(char),
    End,
}

/// The tokens of a text; the last one is `End`.
pub(super) fn lex(text: &str) -> Result<Vec<Token>, TextError> {
    let mut tokens = Vec::new();
    let mut start = 0;
    loop {
        start += skip_blank(&text[start..]);
        let rest = &text[start..];
        let Some(first) = rest.chars().next() else {
            tokens.push(Token { kind: TokenKind::End, start });
            return Ok(tokens);
        };
        let (kind, length) =
            token(first, rest).map_err(|message| TextError::at(text, start, message))?;
        tokens.push(Token { kind, start });
        start += length;
    }
}

fn skip_blank(text: &str) -> usize {
    let mut rest = text.trim_start();
    while rest.starts_with('#') {
        rest = rest.find('\n').map_or("", |end| rest[end..].trim_start());
    }
    text.len() - rest.len()
}

/// The token at the start of a text that is not blank, and its length.
fn token(first: char, rest: &str) -> Result<(TokenKind, usize), &'static str> {
    match first {
        'a'..='z' | 'A'..='Z' | '_' => {
            let word = word(rest);
            Ok((TokenKind::Word(word.into()), word.len()))
        }
        '\'' => {
            let name = word(&rest[1..]);
            Ok((TokenKind::Param(format!("'{name}")), 1 + name.len()))
        }
        '%' => {
            let digits = digits(&rest[1..], 10);
            let number = digits.parse().map_err(|_| "a value has a number of 32 bits")?;
            Ok((TokenKind::Value(number), 1 + digits.len()))
        }
        '0'..='9' => number(rest),
        '"' => quoted(rest),
        '<' | '>' | '[' | ']' | '(' | ')' | '{' | '}' | ',' | ';' | ':' | '=' | '@' | '+' | '-' => {
            Ok((TokenKind::Punct(first), 1))
        }
        _ => Err("this character starts nothing"),
    }
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    &text[..end.unwrap_or(text.len())]
}

fn digits(text: &str, radix: u32) -> &str {
    &text[..text.find(|c: char| !c.is_digit(radix)).unwrap_or(text.len())]
}

fn number(rest: &str) -> Result<(TokenKind, usize), &'static str> {
    let (radix, prefix) = if rest.starts_with("0x") { (16, 2) } else { (10, 0) };
    let digits = digits(&rest[prefix..], radix);
    let number = u128::from_str_radix(digits, radix).map_err(|_| "a number has up to 128 bits")?;
    Ok((TokenKind::Number(number), prefix + digits.len()))
}

fn quoted(rest: &str) -> Result<(TokenKind, usize), &'static str> {
    let mut name = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((i, c)) = chars.next() {
        match c {
            '"' => return Ok((TokenKind::Quoted(name), i + 1)),
            '\\' => name.extend(chars.next().map(|(_, c)| c)),
            _ => name.push(c),
        }
    }
    Err("the quote is not closed")
}
