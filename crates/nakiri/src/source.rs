//! Source texts and places in them.

use std::ops::Range;

/// Index of a file in a [`SourceMap`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A half-open range of bytes in one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span of `range` in `file`.
    pub fn new(file: FileId, range: Range<usize>) -> Span {
        Span { file, start: range.start as u32, end: range.end as u32 }
    }

    /// The smallest span that covers both; both lie in the same file.
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The bytes covered.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// One source file: where it came from and what it says.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The path as the user or an `include` named it.
    pub path: String,
    /// The whole text.
    pub text: String,
}

/// All files of one compilation.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// Adds a file and returns its index.
    pub fn add(&mut self, path: impl Into<String>, text: impl Into<String>) -> FileId {
        self.files.push(SourceFile { path: path.into(), text: text.into() });
        FileId(self.files.len() as u32 - 1)
    }

    /// The file with this index.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// All files, in the order in which they were added.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// The text under a span.
    pub fn text(&self, span: Span) -> &str {
        &self.file(span.file).text[span.range()]
    }

    /// Line and column of a span's start, both from 1; the column counts characters.
    pub fn position(&self, span: Span) -> (usize, usize) {
        let before = &self.file(span.file).text[..span.start as usize];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}
