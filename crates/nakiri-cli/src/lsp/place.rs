//! The addresses of files as editors write them.

use lsp_types::Uri;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The path that an address names; none if it is not that of a file.
pub fn path(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    let path = &rest[rest.find('/')?..];
    let decoded = decoded(path.as_bytes())?;
    // A drive of Windows stands behind a slash.
    let is_drive =
        matches!(decoded.as_bytes(), [b'/', letter, b':', ..] if letter.is_ascii_alphabetic());
    Some(PathBuf::from(if is_drive { &decoded[1..] } else { &decoded }))
}

/// The address of a path, made absolute.
pub fn uri(path: &Path) -> Option<Uri> {
    let path = std::path::absolute(path).ok()?;
    let text = path.to_str()?.replace('\\', "/");
    let root = if text.starts_with('/') { "" } else { "/" };
    let encoded: String = text.bytes().map(encoded).collect();
    Uri::from_str(&format!("file://{root}{encoded}")).ok()
}

/// A byte of a path as addresses have it.
fn encoded(byte: u8) -> String {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    }
}

fn decoded(mut text: &[u8]) -> Option<String> {
    let mut bytes = Vec::new();
    while let Some((&first, rest)) = text.split_first() {
        text = rest;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let (digits, rest) = text.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        text = rest;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_paths_are_each_others() {
        for written in ["/a/b.ua", "/with blank/ä%+#?.ua"] {
            let uri = uri(Path::new(written)).expect("an address");
            assert_eq!(path(&uri), Some(PathBuf::from(written)), "{}", uri.as_str());
        }
        let of = |text: &str| path(&Uri::from_str(text).expect("an address"));
        assert_eq!(of("file:///c%3A/x.ua"), Some(PathBuf::from("c:/x.ua")));
        assert_eq!(of("untitled:Untitled-1"), None);
    }
}
