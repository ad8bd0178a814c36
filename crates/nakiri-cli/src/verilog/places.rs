//! The places that `src` attributes name.

use crate::session::Session;
use nakiri::source::{FileId, Span};
use nakiri::verilog;
use std::collections::BTreeMap;

/// Places in files, which are read when they are first named.
pub struct Places<'s> {
    session: &'s mut Session,
    files: BTreeMap<String, Option<FileId>>,
    known: BTreeMap<String, Option<Span>>,
}

impl Places<'_> {
    /// The files of a session are known.
    pub fn new(session: &mut Session) -> Places<'_> {
        let files = session.sources.files().iter().enumerate();
        let files = files.map(|(k, file)| (file.path.clone(), Some(FileId(k as u32)))).collect();
        Places { session, files, known: BTreeMap::new() }
    }

    /// The place of the first part that names one: parts further back are where that was used, or a library's. Without
    /// any it is the beginning of the first file.
    pub fn span(&mut self, src: &str) -> Span {
        src.split('|').find_map(|part| self.part(part)).unwrap_or_default()
    }

    fn part(&mut self, part: &str) -> Option<Span> {
        if let Some(known) = self.known.get(part) {
            return *known;
        }
        let (path, place) = part.rsplit_once(':')?;
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
