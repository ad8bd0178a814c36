//! Numbers: exact, in decimal, hexadecimal or binary.

use super::{shorten, Outcome, Parser};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::syntax::lexer::TokenKind;
use num_bigint::BigUint;

/// Longest number; the time to read one grows with the square of its length.
const MAX_DIGITS: usize = 10_000;

impl Parser<'_> {
    /// Consumes a number.
    pub(super) fn number(&mut self, wanted: &str, help: &str) -> Outcome<(BigUint, Span)> {
        if !self.at(TokenKind::Number) {
            return Err(self.unexpected(wanted, help));
        }
        let span = self.advance().span;
        Ok((self.value(span, self.source(span)), span))
    }

    /// The value of a number; zero, after a message, if it is malformed.
    pub(super) fn value(&mut self, span: Span, text: &str) -> BigUint {
        let (radix, digits, name) = match text.as_bytes() {
            [b'0', b'x' | b'X', ..] => (16, &text[2..], "hexadecimal"),
            [b'0', b'b' | b'B', ..] => (2, &text[2..], "binary"),
            _ => (10, text, "decimal"),
        };
        if digits.len() > MAX_DIGITS {
            let error = Diagnostic::error("E0005", span, "this number is too long")
                .label(format!("{} digits", digits.len()))
                .help(format!(
                    "a number has at most {MAX_DIGITS} digits; split the constant into a tuple"
                ));
            self.report(error);
            return BigUint::default();
        }
        if let Some(problem) = malformation(digits, radix, name) {
            let help = match in_usuba(text) {
                Some(number) => format!("write `{number}`: numbers are decimal, hexadecimal or binary, and have no suffix"),
                None => "a number is written like `123`, `0xff` or `0b1010`, with `_` between digits where you like".into(),
            };
            let message = format!("malformed number `{}`", shorten(text));
            let error = Diagnostic::error("E0002", span, message);
            self.report(error.label(problem).help(help));
        }
        let values: Vec<u8> =
            digits.chars().filter_map(|c| Some(c.to_digit(radix)? as u8)).collect();
        BigUint::from_radix_be(&values, radix).unwrap_or_default()
    }
}

/// What is wrong with these digits.
fn malformation(digits: &str, radix: u32, name: &str) -> Option<String> {
    if let Some(c) = digits.chars().find(|&c| c != '_' && !c.is_digit(radix)) {
        return Some(format!("`{c}` is no {name} digit"));
    }
    if digits.is_empty() {
        return Some(format!("no {name} digit follows the prefix"));
    }
    if digits.starts_with('_') || digits.ends_with('_') || digits.contains("__") {
        return Some("`_` may only stand between two digits".into());
    }
    None
}

/// A number of other languages as it is written here: without its suffix (`0xffU`, `3u32`, `0FFh`), or an octal one.
fn in_usuba(text: &str) -> Option<String> {
    if let Some(octal) = text.strip_prefix("0o") {
        return u128::from_str_radix(octal, 8).ok().map(|value| value.to_string());
    }
    let is_hexadecimal =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_hexdigit());
    if let Some(digits) = text.strip_suffix(['h', 'H']).filter(|digits| is_hexadecimal(digits)) {
        return Some(format!("0x{}", digits.trim_start_matches('0')));
    }
    let suffix = text.rfind(['u', 'U', 'i', 'l', 'L'])?;
    let (digits, suffix) = text.split_at(suffix);
    let digits = digits.trim_end_matches(['u', 'U', 'l', 'L', '_']);
    let (radix, bare, name) = match digits.strip_prefix("0x") {
        Some(bare) => (16, bare, "hexadecimal"),
        None => (10, digits, "decimal"),
    };
    let is_suffix = suffix[1..].chars().all(|c| c.is_ascii_digit() || "uUlL".contains(c));
    (is_suffix && malformation(bare, radix, name).is_none()).then(|| digits.to_string())
}
