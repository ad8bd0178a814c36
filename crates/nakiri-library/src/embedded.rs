//! The library that binaries carry: the repository's ciphers and modes, as they were when it was built.

/// Each file's path, such as `ciphers/aes128/aes128.ua`, with its text.
pub static FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The names on a shelf: `ciphers` or `modes`.
pub fn names(shelf: &str) -> impl Iterator<Item = &'static str> + '_ {
    let name = move |path: &'static str| {
        path.strip_prefix(shelf)?.strip_prefix('/')?.strip_suffix("/cipher.toml")
    };
    FILES.iter().filter_map(move |(path, _)| name(path))
}

/// The text of a file.
pub fn text(path: &str) -> Option<&'static str> {
    FILES.iter().find(|(known, _)| *known == path).map(|(_, text)| *text)
}
