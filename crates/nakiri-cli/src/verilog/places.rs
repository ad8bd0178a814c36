//! The places that `src` attributes name.

use crate::session::Session;
use nakiri::source::{FileId, Span};
use nakiri::verilog;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Places in files, which are read when they are first named.
pub struct Places<'s> {
    session: &'s mut Session,
    files: BTreeMap<String, Option<FileId>>,
    known: BTreeMap<String, Option<Span>>,
    /// The files that were there in the beginning.
    own: BTreeSet<String>,
    seen: &'s Seen,
}

/// Folders as a synthesizer sees them that doesn't see them by their paths, with their paths.
#[derive(Clone, Debug, Default)]
pub struct Seen(Vec<(String, String)>);

impl Seen {
    /// Those of some folders.
    pub fn new<'a>(
        folders: impl Iterator<Item = &'a Path>,
        seen: &dyn Fn(&Path) -> PathBuf,
    ) -> Seen {
        let text = |path: &Path| match path.as_os_str().is_empty() {
            true => String::new(),
            false => format!("{}/", path.display()),
        };
        let both = folders.map(|folder| (text(&seen(folder)), text(folder)));
        let mut both: Vec<(String, String)> =
            both.filter(|(seen, own)| seen != own && !seen.is_empty()).collect();
        both.sort_by_key(|(seen, _)| std::cmp::Reverse(seen.len()));
        both.dedup();
        Seen(both)
    }

    /// A text with the paths of folders in place of what the synthesizer calls them.
    pub fn own(&self, text: &str) -> String {
        self.0.iter().fold(text.to_string(), |text, (seen, own)| text.replace(seen, own))
    }
}

impl Places<'_> {
    /// The files of a session are known.
    pub fn new<'s>(session: &'s mut Session, seen: &'s Seen) -> Places<'s> {
        let files = session.sources.files().iter().enumerate();
        let files: BTreeMap<String, Option<FileId>> =
            files.map(|(k, file)| (file.path.clone(), Some(FileId(k as u32)))).collect();
        let own = files.keys().cloned().collect();
        Places { session, files, known: BTreeMap::new(), own, seen }
    }

    /// The place of the last part that is in a file of the design: the instances stand before it in which that is, and behind it
    /// what a library has made of it. Without any it is that of the first part which names one, or the beginning of the first file.
    pub fn span(&mut self, src: &str) -> Span {
        let is_own = |part: &&str| {
            let path = part.rsplit_once(':').map(|(path, _)| self.seen.own(path));
            path.is_some_and(|path| self.own.contains(&path))
        };
        let own: Vec<&str> = src.rsplit('|').filter(is_own).collect();
        let parts = own.into_iter().chain(src.split('|'));
        parts.into_iter().find_map(|part| self.part(part)).unwrap_or_default()
    }

    fn part(&mut self, part: &str) -> Option<Span> {
        if let Some(known) = self.known.get(part) {
            return *known;
        }
        let (path, place) = part.rsplit_once(':')?;
        let path = &*self.seen.own(path);
        let file = match self.files.get(path) {
            Some(file) => *file,
            None => {
                let file = std::fs::read_to_string(path).ok();
                let file = file.map(|text| self.session.sources.add(path, text));
                self.files.insert(path.to_string(), file);
                file
            }
        };
        let span = file.and_then(|file| {
            let range = verilog::range(&self.session.sources.file(file).text, place)?;
            Some(Span::new(file, range))
        });
        self.known.insert(part.to_string(), span);
        span
    }
}
