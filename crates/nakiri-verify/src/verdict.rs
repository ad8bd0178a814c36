//! What was found right before: a check of the same texts, by the same compilers with the same flags, has the same verdict.
//!
//! A commit changes few of the thousands of files that the tests compile and run. What the others were found to be is in the
//! user's folder for caches, one empty file a verdict, named by the digest of all that the verdict depends on. Only that
//! something is right is remembered. With `NAKIRI_FULL` nothing is taken from there.

use crate::cc::Compiler;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// All that a verdict depends on.
#[derive(Clone, Debug)]
pub struct Question(Sha256);

impl Question {
    /// A question of a kind, such as the name of the test that asks it.
    pub fn new(kind: &str) -> Question {
        Question(Sha256::new()).and(kind)
    }

    /// It depends on this text, too.
    pub fn and(mut self, text: impl AsRef<[u8]>) -> Question {
        let text = text.as_ref();
        self.0.update((text.len() as u64).to_le_bytes());
        self.0.update(text);
        self
    }

    /// It depends on what a compiler makes of a text with some flags, and on what runs that.
    pub fn and_compiled(self, compiler: &Compiler, flags: &[&str]) -> Question {
        self.and(compiler.identity()).and(flags.join("\n"))
    }

    /// It depends on a source, or on all in a folder: those of a checker, which may change.
    ///
    /// # Panics
    /// If they can't be read.
    pub fn and_sources(self, path: &Path) -> Question {
        if !path.is_dir() {
            return self.and(std::fs::read(path).expect("a source"));
        }
        let entries = std::fs::read_dir(path).expect("a folder of sources");
        let mut paths: Vec<PathBuf> =
            entries.map(|entry| entry.expect("a source").path()).collect();
        paths.sort();
        paths.iter().fold(self, |question, path| question.and_sources(path))
    }

    /// Whether the answer is known to be that it is right.
    pub fn is_known(&self) -> bool {
        std::env::var_os("NAKIRI_FULL").is_none()
            && self.place().is_some_and(|place| place.exists())
    }

    /// Remembers that it is right, if there is a folder for that.
    pub fn remember(&self) {
        let Some(place) = self.place() else { return };
        let made = place.parent().is_some_and(|folder| std::fs::create_dir_all(folder).is_ok());
        if made {
            // Whoever asks next finds out anew.
            let _ = std::fs::write(place, "");
        }
    }

    fn place(&self) -> Option<PathBuf> {
        let name: String = self.0.clone().finalize().iter().map(|b| format!("{b:02x}")).collect();
        Some(cache_folder()?.join("verdicts").join(name))
    }
}

/// The folder for what can be made again: that of the environment variable `NAKIRI_CACHE`, or `nakiri` in the user's folder
/// for caches.
pub fn cache_folder() -> Option<PathBuf> {
    let variable =
        |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let user = || variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")));
    variable("NAKIRI_CACHE").or_else(|| Some(user()?.join("nakiri")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_counts() {
        let compiler = Compiler::find().expect("a C compiler");
        let question = Question::new("test").and("text");
        let others = [
            Question::new("other").and("text"),
            Question::new("test").and("texts"),
            Question::new("testtext"),
            question.clone().and(""),
            question.clone().and_compiled(&compiler, &["-O1"]),
            question.clone().and_compiled(&compiler, &["-O2"]),
        ];
        let mut places: Vec<_> = others.iter().chain([&question]).map(Question::place).collect();
        places.sort();
        places.dedup();
        assert_eq!(places.len(), 7);
    }
}
