//! The outline of a document.

use crate::lsp::state::State;
use crate::lsp::unit::Unit;
use lsp_types::{DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse};
use nakiri::semantic::{Symbol, SymbolKind};

/// The definitions of a document, each with what it declares.
pub fn symbols(state: &State, params: DocumentSymbolParams) -> Option<DocumentSymbolResponse> {
    let unit = &state.document(&params.text_document.uri)?.unit;
    let definitions = unit
        .model
        .symbols()
        .filter(|(_, symbol)| symbol.kind.is_definition() && symbol.span.file == unit.root);
    let outline = definitions.map(|(id, definition)| {
        let declared = unit.model.declared_in(id);
        let children = declared.map(|(_, symbol)| entry(unit, symbol, Vec::new())).collect();
        entry(unit, definition, children)
    });
    Some(DocumentSymbolResponse::Nested(outline.collect()))
}

fn entry(unit: &Unit, symbol: &Symbol, children: Vec<DocumentSymbol>) -> DocumentSymbol {
    let detail = match symbol.kind.is_definition() {
        true => Some(symbol.kind.text().to_string()),
        false => unit.written(symbol),
    };
    // The outer range has to hold the inner one.
    let whole = unit.range(symbol.whole.to(symbol.span));
    #[allow(deprecated)]
    DocumentSymbol {
        name: symbol.name.clone(),
        detail,
        kind: kind(symbol.kind),
        tags: None,
        deprecated: None,
        range: whole,
        selection_range: unit.range(symbol.span),
        children: Some(children),
    }
}

fn kind(kind: SymbolKind) -> lsp_types::SymbolKind {
    match kind {
        SymbolKind::Node => lsp_types::SymbolKind::FUNCTION,
        SymbolKind::Table => lsp_types::SymbolKind::ARRAY,
        SymbolKind::Perm => lsp_types::SymbolKind::OPERATOR,
        SymbolKind::Mode => lsp_types::SymbolKind::MODULE,
        SymbolKind::Field => lsp_types::SymbolKind::CLASS,
        SymbolKind::Register => lsp_types::SymbolKind::FIELD,
        SymbolKind::Nat | SymbolKind::Iterator | SymbolKind::Constant | SymbolKind::Number => {
            lsp_types::SymbolKind::CONSTANT
        }
        SymbolKind::Input | SymbolKind::Output | SymbolKind::Local | SymbolKind::Block => {
            lsp_types::SymbolKind::VARIABLE
        }
    }
}
