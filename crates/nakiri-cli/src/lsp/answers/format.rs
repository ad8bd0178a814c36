//! Formatting, as `nakiri fmt` does it.

use crate::lsp::state::State;
use lsp_types::{DocumentFormattingParams, TextEdit};
use nakiri::source::Span;
use nakiri::syntax::printer;

/// What makes a document formatted; nothing if it can't be read.
pub fn edits(state: &State, params: DocumentFormattingParams) -> Option<Vec<TextEdit>> {
    let unit = &state.document(&params.text_document.uri)?.unit;
    let formatted = printer::format(&unit.sources, unit.root).ok()?;
    let text = unit.text();
    if formatted == text {
        return Some(Vec::new());
    }
    let all = Span::new(unit.root, 0..text.len());
    Some(vec![TextEdit::new(unit.range(all), formatted)])
}
