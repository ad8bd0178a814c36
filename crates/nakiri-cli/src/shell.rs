//! Commands as text that a POSIX shell reads as they were meant.

use nakiri::emit::facts;
use std::path::{Component, Path, PathBuf};

/// A command of some words.
pub fn command(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// A word, quoted as far as it must be, in a form that may stand in a comment of C: in one line, without `*/` and `/*`.
pub fn quoted(word: &str) -> String {
    let simple = |c: char| c.is_ascii_alphanumeric() || "_-+=:,./@%^".contains(c);
    if !word.is_empty() && word.chars().all(simple) {
        return word.to_string();
    }
    if word.chars().all(facts::is_plain) {
        let word = word.replace('\'', r"'\''").replace("*/", "*''/").replace("/*", "/''*");
        return format!("'{word}'");
    }
    let escaped = |c: char| match c {
        '%' => "%%".to_string(),
        '\'' | '\\' | '*' => format!("\\{:03o}", u32::from(c)),
        c if facts::is_plain(c) => c.to_string(),
        c => c.to_string().bytes().map(|byte| format!("\\{byte:03o}")).collect(),
    };
    format!("\"$(printf '{}')\"", word.chars().map(escaped).collect::<String>())
}

/// A folder from which paths are named, so that it doesn't matter where the files are kept, and how they were named.
pub struct Base(PathBuf);

impl Base {
    /// The folder that a file or a folder lies in.
    pub fn of(path: &Path) -> Base {
        let path = absolute(path);
        Base(path.parent().unwrap_or(&path).to_path_buf())
    }

    /// A path as it is to be named there; `-` is no path.
    pub fn name(&self, path: &Path) -> String {
        if path == Path::new("-") {
            return "-".to_string();
        }
        let path = absolute(path);
        let (ours, others): (Vec<_>, Vec<_>) =
            (self.0.components().collect(), path.components().collect());
        let common = ours.iter().zip(&others).take_while(|(a, b)| a == b).count();
        let up = ours[common..].iter().map(|_| Component::ParentDir);
        let relative: PathBuf = up.chain(others[common..].iter().copied()).collect();
        match relative.to_string_lossy() {
            name if name.is_empty() => ".".to_string(),
            name if name.starts_with('-') => format!("./{name}"),
            // What `$(…)` gives has no line breaks at its end.
            name if name.ends_with('\n') => format!("{name}/"),
            name => name.into_owned(),
        }
    }
}

/// A path from the root, through no links but the last part of its name.
fn absolute(path: &Path) -> PathBuf {
    let folder = match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => path,
    };
    let found = match path.file_name() {
        Some(name) => folder.canonicalize().map(|folder| folder.join(name)),
        None => path.canonicalize(),
    };
    found.unwrap_or_else(|_| path.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_shell_reads_words_as_they_were() {
        let pieces = [
            "a", " ", "'", "\"", "$x", "`", "\\", "*/", "/*", "//", "\n", "\t", "%s", "é", "~",
            "!", "\u{202e}", "#",
        ];
        for first in pieces {
            for second in pieces {
                let word = format!("{first}{second}.");
                let text = quoted(&word);
                assert_eq!(facts::line(&text), text);
                assert!(!text.contains("*/") && !text.contains("/*"), "{text}");
                let said = Command::new("sh").args(["-c", &format!("printf %s {text}")]).output();
                let said = said.expect("a shell");
                assert_eq!(String::from_utf8_lossy(&said.stdout), word, "{text}");
            }
        }
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("ciphers/aes128"), "ciphers/aes128");
    }

    #[test]
    fn a_path_is_named_from_where_the_first_lies() {
        let here = std::env::current_dir().expect("a folder");
        let base = Base::of(Path::new("src/shell.rs"));
        for path in [here.join("src/shell.rs"), "./src/../src/shell.rs".into()] {
            assert_eq!(base.name(&path), "shell.rs");
        }
        assert_eq!(base.name(Path::new("tests/commands")), "../tests/commands");
        assert_eq!(base.name(Path::new("src")), ".");
        assert_eq!(base.name(Path::new("-")), "-");
        let own = here.file_name().expect("a name").to_string_lossy().into_owned();
        assert_eq!(Base::of(Path::new(".")).name(&here), own);
    }
}
