//! A program that starts in an open document: its files, their trees and what its names mean.

use super::place;
use super::position::{Encoding, Lines};
use crate::session::Files;
use lsp_types::{Location, Position, Range, Uri};
use nakiri::check::{self, Dialect};
use nakiri::semantic::{Model, Symbol, SymbolId};
use nakiri::source::{FileId, SourceMap, Span};
use std::path::Path;

/// A program as it was when its document had a certain text.
#[derive(Debug)]
pub struct Unit {
    /// Its files.
    pub sources: SourceMap,
    /// The document.
    pub root: FileId,
    /// Their trees.
    pub files: check::Files,
    /// Its names.
    pub model: Model,
    /// The lines of each file.
    lines: Vec<Lines>,
    /// The address of each file; preludes have none.
    uris: Vec<Option<Uri>>,
}

impl Unit {
    /// Reads a document and what it includes.
    pub fn read(
        uri: &Uri,
        text: &str,
        loader: &mut Files,
        dialect: Dialect,
        encoding: Encoding,
    ) -> Unit {
        let mut sources = SourceMap::default();
        let name = place::path(uri).map_or(uri.as_str().to_string(), |p| p.display().to_string());
        let root = sources.add(name, text);
        let files = check::read(&mut sources, root, loader, dialect);
        let model = Model::of(&files);
        let all = sources.files();
        let lines = all.iter().map(|file| Lines::new(&file.text, encoding)).collect();
        let mut uris: Vec<Option<Uri>> = (all.iter())
            .map(|file| place::uri(Path::new(&file.path)).filter(|_| !file.path.starts_with('<')))
            .collect();
        uris[0] = Some(uri.clone());
        Unit { sources, root, files, model, lines, uris }
    }

    /// The document's text.
    pub fn text(&self) -> &str {
        &self.sources.file(self.root).text
    }

    /// Whether a file of this path is a part of it.
    pub fn has_file(&self, path: &str) -> bool {
        self.sources.files().iter().any(|file| file.path == path)
    }

    /// The byte of the document at a place.
    pub fn offset(&self, position: Position) -> u32 {
        self.lines[self.root.0 as usize].offset(self.text(), position)
    }

    /// Whether an offset of the document is in a comment.
    pub fn is_comment(&self, offset: u32) -> bool {
        let comments = self.files.trees().filter(|(file, _)| *file == self.root);
        let mut comments = comments.flat_map(|(_, tree)| &tree.comments);
        comments.any(|comment| comment.start < offset && offset <= comment.end)
    }

    /// The range of a place in its file.
    pub fn range(&self, span: Span) -> Range {
        let text = &self.sources.file(span.file).text;
        self.lines[span.file.0 as usize].range(text, span.start, span.end)
    }

    /// A place with its file; none in a prelude.
    pub fn location(&self, span: Span) -> Option<Location> {
        let uri = self.uris[span.file.0 as usize].clone()?;
        Some(Location::new(uri, self.range(span)))
    }

    /// The type of a variable as it is written, the head of a definition; nothing if it has none.
    pub fn written(&self, symbol: &Symbol) -> Option<String> {
        let text = self.sources.text(symbol.ty?).trim();
        Some(if symbol.is_const { format!("const {text}") } else { text.to_string() })
    }

    /// What is named at a place of the document, and where the name stands.
    pub fn symbol_at(&self, position: Position) -> Option<(SymbolId, Span)> {
        self.model.at(self.root, self.offset(position))
    }

    /// Where the document includes the file in which a place is, maybe by way of others; the place itself if it is in the document.
    pub fn seen_from_root(&self, span: Span) -> Span {
        let mut place = span;
        for _ in self.sources.files() {
            if place.file == self.root {
                break;
            }
            let file = place.file;
            let led = self.files.includes().iter().find(|(_, included)| *included == file);
            place = led.map_or(Span::new(self.root, 0..0), |(place, _)| *place);
        }
        place
    }
}
