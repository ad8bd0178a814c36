//! Processes with an asynchronous reset that is mixed with data, which no flip-flop has.

use super::tokens::{bracketed, split, Token, Tokens};

/// The condition of a process that is no signal of its list of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mixed {
    /// Where the condition stands.
    pub place: String,
    /// The condition, as it is written.
    pub condition: String,
    /// What of it is a signal of the list, and what is data, if they are joined by `||` or `|`.
    pub parts: Option<(String, String)>,
}

/// The first condition of the process that begins at a place.
pub fn mixed<'t>(mut texts: impl Iterator<Item = Tokens<'t>>, place: &str) -> Option<Mixed> {
    texts.find_map(|text| {
        let tokens: Vec<Token> = text.collect();
        let begins = |token: &Token| token.text.starts_with("always") && token.place() == place;
        of_process(&tokens[tokens.iter().position(begins)? + 1..])
    })
}

fn of_process(process: &[Token]) -> Option<Mixed> {
    let list = process.iter().position(|token| token.text == "(")?;
    let events = bracketed(&process[list..]);
    let edges = events.windows(2).filter(|pair| ["posedge", "negedge"].contains(&pair[0].text));
    let signals: Vec<&str> = edges.map(|pair| pair[1].text).collect();
    let body = &process[list + events.len() + 2..];
    let branch = body.iter().position(|token| token.text == "if")?;
    let condition = bracketed(&body[branch + 1..]);
    // `||` is two tokens.
    let parts = split(condition, "|").into_iter().filter(|part| !part.is_empty());
    let is_reset = |part: &&[Token]| {
        let mut words = part.iter().filter(|token| token.is_word());
        words.all(|word| signals.contains(&word.text))
    };
    let (resets, data): (Vec<&[Token]>, Vec<&[Token]>) = parts.partition(is_reset);
    let join =
        |parts: &[&[Token]]| parts.iter().map(|part| text(part)).collect::<Vec<_>>().join(" || ");
    Some(Mixed {
        place: body[branch].place(),
        condition: text(condition),
        parts: (!resets.is_empty() && !data.is_empty()).then(|| (join(&resets), join(&data))),
    })
}

/// Tokens as a text again.
fn text(tokens: &[Token]) -> String {
    let mut text = String::new();
    for (at, token) in tokens.iter().enumerate() {
        let joined = |a: &str, b: &str| {
            [("|", "|"), ("&", "&"), ("=", "="), ("!", "="), ("<", "="), (">", "=")]
                .contains(&(a, b))
        };
        let before = at.checked_sub(1).map_or("", |before| tokens[before].text);
        let tight = before.is_empty()
            || ["(", "[", "!", "~", "."].contains(&before) && token.text != "="
            || [")", "]", "[", ".", ",", ";"].contains(&token.text)
            || token.text.starts_with('\'')
            || joined(before, token.text);
        if !tight {
            text.push(' ');
        }
        text += token.text;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::mixed;
    use crate::verilog::tokens::Tokens;

    #[test]
    fn a_reset_is_told_from_data() {
        for (condition, shown, parts) in [
            ("!rst_n || clear", "!rst_n || clear", Some(("!rst_n", "clear"))),
            (
                "~rst_n|clear|(a&&b)",
                "~rst_n | clear | (a && b)",
                Some(("~rst_n", "clear || (a && b)")),
            ),
            ("rst_n == 1'b0 || x[2]", "rst_n == 1'b0 || x[2]", Some(("rst_n == 1'b0", "x[2]"))),
            ("!(rst_n && !clear)", "!(rst_n && !clear)", None),
        ] {
            let text = format!(
                "module m;\nalways @(posedge clk or negedge rst_n)\nbegin\n  if ({condition}) q <= 0; else q <= d;\nend\nendmodule\n"
            );
            let found = mixed([Tokens::of_file("m.v", &text)].into_iter(), "m.v:2").expect("one");
            assert_eq!((found.place.as_str(), found.condition.as_str()), ("m.v:4", shown));
            let found = found.parts.as_ref().map(|(a, b)| (a.as_str(), b.as_str()));
            assert_eq!(found, parts);
        }
    }
}
