//! Parameters of the top module that the command line gives.

use super::modules;
use super::synthesis::word;
use super::tokens::Tokens;
use super::HardwareArgs;
use crate::session::{Failure, Session};
use nakiri::diagnostic::Diagnostic;
use nakiri::source::Span;

/// A parameter with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    name: String,
    value: Value,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    /// A number as Verilog writes it.
    Number(String),
    /// Any other text.
    Text(String),
}

impl Override {
    /// What `NAME=VALUE` says: a number of Verilog, or a text, which may stand in quotes.
    ///
    /// # Errors
    /// [`Failure::Usage`] if it is something else.
    pub fn of(text: &str) -> Result<Override, Failure> {
        let is_name = |name: &str| {
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
            !name.is_empty()
                && name.chars().all(word)
                && !name.starts_with(|c: char| c.is_ascii_digit())
        };
        let parts = text.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
        let Some((name, value)) = parts.filter(|(name, _)| is_name(name)) else {
            let message =
                format!("`--param {text}` is not NAME=VALUE, such as `W=16` or `FILE=words.hex`");
            return Err(Failure::Usage(message));
        };
        let unquoted = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let value = match unquoted {
            Some(text) => Value::Text(text.to_string()),
            None if is_number(value) => Value::Number(value.replace('_', "")),
            None => Value::Text(value.to_string()),
        };
        Ok(Override { name: name.to_string(), value })
    }

    /// The words of `-chparam`.
    pub fn for_yosys(&self) -> Result<String, Failure> {
        Ok(match &self.value {
            Value::Number(number) => format!("{} {}", self.name, binary(number)),
            // Older ones know texts as what they are, too: numbers with a byte for each character.
            Value::Text(text) => {
                let digits: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
                let digits = if digits.is_empty() { "00" } else { &digits };
                format!("{} {}'h{digits}", self.name, 4 * digits.len())
            }
        })
    }

    /// The word of `-G`.
    pub fn for_slang(&self) -> Result<String, Failure> {
        Ok(match &self.value {
            Value::Number(number) => format!("{}={number}", self.name),
            Value::Text(text) => format!("{}={}", self.name, quoted(text)?),
        })
    }
}

fn quoted(text: &str) -> Result<String, Failure> {
    // What a script can't hold is refused there.
    word(text).map(|_| format!("\"{text}\""))
}

/// Whether a text is a number of Verilog.
fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let digits = |text: &str, radix: u32| {
        text.starts_with(|c: char| c.is_digit(radix))
            && text.chars().all(|c| c.is_digit(radix) || c == '_')
    };
    match unsigned.split_once('\'') {
        None => digits(unsigned, 10),
        Some((width, rest)) => {
            let rest = rest.trim_start_matches(['s', 'S']);
            let radix = match rest.chars().next() {
                Some('b' | 'B') => 2,
                Some('o' | 'O') => 8,
                Some('d' | 'D') => 10,
                Some('h' | 'H') => 16,
                _ => return false,
            };
            (width.is_empty() || digits(width, 10)) && digits(&rest[1..], radix)
        }
    }
}

/// A number in a form that every Yosys reads: plain decimal digits, or with a width. Negative ones have 32 bits.
fn binary(number: &str) -> String {
    match number.strip_prefix('-').map(str::parse::<u32>) {
        Some(Ok(value)) => format!("32'b{:032b}", value.wrapping_neg()),
        _ if number.starts_with('\'') => format!("32{number}"),
        _ => number.to_string(),
    }
}

/// Checks that the top module has the parameters which are given, and gives its name.
///
/// # Errors
/// [`Failure::Reported`] for one that it doesn't have, [`Failure::Usage`] if it isn't known which module is meant.
pub fn check(
    session: &mut Session,
    files: &[(String, String)],
    args: &HardwareArgs,
) -> Result<Option<String>, Failure> {
    if args.param.is_empty() {
        return Ok(None);
    }
    let texts = || files.iter().map(|(path, text)| Tokens::of_file(path, text));
    let top = match &args.top {
        Some(top) => top.clone(),
        None => modules::top(texts()).map(str::to_string).map_err(|_| {
            let message = "say with `--top` which module has the parameters that `--param` names";
            Failure::Usage(message.to_string())
        })?,
    };
    // A module that no file defines is refused where it is looked for.
    let Some(known) = modules::parameters(texts(), &top) else { return Ok(Some(top)) };
    for given in &args.param {
        let name = Override::of(given)?.name;
        if !known.contains(&name.as_str()) {
            let file = session.sources.add("--param", given.clone());
            let help = match known.is_empty() {
                true => format!("`{top}` has no parameters; `-D` defines macros"),
                false => format!("the parameters of `{top}` are `{}`", known.join("`, `")),
            };
            let place = Span::new(file, 0..name.len());
            let message = format!("the module `{top}` has no parameter `{name}`");
            return Err(session.refuse(&[Diagnostic::error("E0431", place, message).help(help)]));
        }
    }
    Ok(Some(top))
}

#[cfg(test)]
mod tests {
    use super::Override;

    #[test]
    fn values_are_numbers_or_texts() {
        for (given, yosys, slang) in [
            ("W=16", "W 16", "W=16"),
            ("W=8'hf_f", "W 8'hff", "W=8'hff"),
            ("W='hff", "W 32'hff", "W='hff"),
            ("W=-1", "W 32'b11111111111111111111111111111111", "W=-1"),
            ("F=rom.hex", "F 56'h726f6d2e686578", "F=\"rom.hex\""),
            ("F=\"16\"", "F 16'h3136", "F=\"16\""),
        ] {
            let parameter = Override::of(given).expect("it is one");
            assert_eq!(parameter.for_yosys().expect("words"), yosys);
            assert_eq!(parameter.for_slang().expect("a word"), slang);
        }
        for wrong in ["W", "=3", "3=W", "a b=1"] {
            assert!(Override::of(wrong).is_err(), "{wrong}");
        }
    }
}
