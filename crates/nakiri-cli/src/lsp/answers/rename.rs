//! Another name for a symbol, wherever it is named.

use super::navigation::{places, programs};
use crate::lsp::state::State;
use lsp_types::{PrepareRenameResponse, RenameParams, TextDocumentPositionParams, TextEdit};
use nakiri::syntax::lexer::Keyword;
use serde_json::{json, Map, Value};

/// Where the name stands that would be changed.
pub fn prepare(state: &State, params: TextDocumentPositionParams) -> Option<PrepareRenameResponse> {
    let unit = &state.document(&params.text_document.uri)?.unit;
    let (symbol, place) = unit.symbol_at(params.position)?;
    // A prelude is a part of the compiler.
    unit.location(unit.model.symbol(symbol).span)?;
    Some(PrepareRenameResponse::Range(unit.range(place)))
}

/// What gives the name at a place another one.
///
/// # Errors
/// Why it can't have that.
pub fn edits(state: &State, params: RenameParams) -> Result<Value, String> {
    let (name, params) = (params.new_name, params.text_document_position);
    let Some(document) = state.document(&params.text_document.uri) else { return Ok(Value::Null) };
    let unit = &document.unit;
    let (symbol, _) =
        unit.symbol_at(params.position).ok_or("there is no name here that is declared")?;
    let own = unit.model.symbol(symbol);
    if unit.location(own.span).is_none() {
        return Err(format!("`{}` is a part of the compiler", own.name));
    }
    if !is_name(&name) {
        return Err(format!("`{name}` is no name: letters, digits, `_` and `'`, not a keyword"));
    }
    if name == own.name {
        return Ok(Value::Null);
    }
    let programs = programs(state, unit, symbol);
    if let Some((broken, _)) = programs.iter().find(|(unit, _)| !unit.files.is_whole()) {
        let path = &broken.sources.file(broken.root).path;
        return Err(format!("there may be a `{}` in what can't be read in `{path}`", own.name));
    }
    let clash = programs.iter().find_map(|(unit, symbol)| unit.model.clash(*symbol, &name));
    if let Some(other) = clash {
        return Err(format!("`{name}` is taken by the {} of this name", other.kind.text()));
    }
    let mut changes: Map<String, Value> = Map::new();
    for (location, _) in places(&programs) {
        let edit = json!(TextEdit::new(location.range, name.clone()));
        let edits = changes.entry(location.uri.to_string()).or_insert_with(|| json!([]));
        if let Value::Array(edits) = edits {
            edits.push(edit);
        }
    }
    Ok(json!({ "changes": changes }))
}

/// Whether a text can be a name.
fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    let first = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    let rest = letters.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '\'');
    first && rest && Keyword::from_text(text).is_none()
}
