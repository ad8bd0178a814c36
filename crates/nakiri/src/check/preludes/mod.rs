//! Files that are a part of the compiler: nodes that define instructions.

/// The name by which each is included, and its text.
pub const ALL: &[(&str, &str)] = &[
    ("aes", include_str!("aes.ua")),
    ("clmul", include_str!("clmul.ua")),
    ("sha1", include_str!("sha1.ua")),
    ("sha256", include_str!("sha256.ua")),
    ("words", include_str!("words.ua")),
];

/// The text of a prelude.
pub fn text(name: &str) -> Option<&'static str> {
    ALL.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
