//! What is said about a manifest that can't be read: the reader's words are about its own types, ours about the file.

use nakiri::diagnostic::instead_of;

/// What is wrong, and what to do if that is known.
pub struct Refused {
    pub message: String,
    pub help: Option<String>,
}

/// What each kind of value is called by the reader and by us.
const KINDS: &[(&str, &str)] = &[
    ("a string", "a text in quotes"),
    ("string", "a text in quotes"),
    ("usize", "a whole number, at least 0,"),
    ("u32", "a whole number, at least 0,"),
    ("u64", "a whole number, at least 0,"),
    ("a boolean", "`true` or `false`"),
    ("a sequence", "a list such as `[…, …]`"),
    ("a map", "a table such as `{ … = … }`"),
    ("struct", "a table such as `{ … = … }`"),
    ("an array", "a list such as `[…, …]`"),
];

/// Our words for those of the reader, about a text that is TOML or not.
pub fn refused(text: &str, message: &str) -> Refused {
    let told = |message: String, help: Option<String>| Refused { message, help };
    if text.parse::<toml::Table>().is_err() {
        return match message {
            "duplicate key" => told(
                "this key stands twice in its table".to_string(),
                Some("delete one of the two lines".to_string()),
            ),
            _ => told(
                format!("this is no TOML: {message}"),
                Some("a line is `key = \"text\"`, `key = 16`, `key = [\"a\", \"b\"]` or `key = { … }`; a table begins with `[[name]]`".to_string()),
            ),
        };
    }
    if let Some((name, known)) = named(message, "unknown field ") {
        return told(format!("there is no key `{name}` here"), Some(instead_of(name, &known)));
    }
    if let Some((name, known)) = named(message, "unknown variant ") {
        return told(format!("`{name}` is no value of this key"), Some(instead_of(name, &known)));
    }
    if let Some((name, _)) = named(message, "missing field ") {
        return told(
            format!("the key `{name}` is missing"),
            Some(format!("add `{name} = …` to this table")),
        );
    }
    let unfit = message.strip_prefix("invalid type: ").or(message.strip_prefix("invalid value: "));
    match unfit.and_then(|unfit| unfit.rsplit_once(", expected ")) {
        Some(("map", "a sequence")) => told(
            "there may be several of this table".to_string(),
            Some("write its name in two brackets, as in `[[instance]]`".to_string()),
        ),
        Some((found, wanted)) => {
            told(format!("{} is needed here, not {}", kind(wanted), value(found)), None)
        }
        None => told(message.to_string(), None),
    }
}

/// The name in a message that begins so, and the names that are expected.
fn named<'a>(message: &'a str, start: &str) -> Option<(&'a str, Vec<&'a str>)> {
    let mut quoted = message.strip_prefix(start)?.split('`').skip(1).step_by(2);
    Some((quoted.next()?, quoted.collect()))
}

fn kind(wanted: &str) -> &str {
    let known =
        KINDS.iter().find(|(name, _)| wanted.split(' ').next() == Some(name) || wanted == *name);
    known.map_or(wanted, |(_, ours)| ours)
}

/// A value as the file has it.
fn value(found: &str) -> String {
    match found.split_once(' ') {
        Some(("string", text)) => format!("the text {text}"),
        _ if found.contains('`') => format!("`{}`", found.split('`').nth(1).unwrap_or_default()),
        _ => match found {
            "map" => "a table".to_string(),
            "sequence" => "a list".to_string(),
            _ => found.to_string(),
        },
    }
}
