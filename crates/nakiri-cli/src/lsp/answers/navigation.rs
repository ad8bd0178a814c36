//! Where names are declared and used, in this file and in others.

use crate::lsp::state::State;
use crate::lsp::unit::Unit;
use lsp_types::{
    DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams, GotoDefinitionParams,
    GotoDefinitionResponse, Location, Range, ReferenceParams,
};
use nakiri::semantic::{SymbolId, Use};
use nakiri::source::Span;
use std::sync::Arc;

/// Where the name at a place is declared; of an `include`, the file.
pub fn definition(state: &State, params: GotoDefinitionParams) -> Option<GotoDefinitionResponse> {
    let params = params.text_document_position_params;
    let unit = &state.document(&params.text_document.uri)?.unit;
    let place = match unit.symbol_at(params.position) {
        Some((symbol, _)) => unit.model.symbol(symbol).span,
        None => {
            let offset = unit.offset(params.position);
            let around = |place: &Span| {
                place.file == unit.root && place.start <= offset && offset <= place.end
            };
            let includes = unit.files.includes();
            let (_, file) = includes.iter().find(|(place, _)| around(place))?;
            Span::new(*file, 0..0)
        }
    };
    unit.location(place).map(GotoDefinitionResponse::Scalar)
}

/// Every place where the name at a place is used.
pub fn references(state: &State, params: ReferenceParams) -> Option<Vec<Location>> {
    let with_declaration = params.context.include_declaration;
    let params = params.text_document_position;
    let unit = &state.document(&params.text_document.uri)?.unit;
    let (symbol, _) = unit.symbol_at(params.position)?;
    let places = places(&programs(state, unit, symbol));
    let wanted =
        places.into_iter().filter(|(_, usage)| with_declaration || *usage != Use::Declared);
    Some(wanted.map(|(location, _)| location).collect())
}

/// The places in the document where the name at a place is used.
pub fn highlights(
    state: &State,
    params: DocumentHighlightParams,
) -> Option<Vec<DocumentHighlight>> {
    let params = params.text_document_position_params;
    let unit = &state.document(&params.text_document.uri)?.unit;
    let (symbol, _) = unit.symbol_at(params.position)?;
    let here = unit.model.occurrences(symbol).filter(|place| place.span.file == unit.root);
    let highlights = here.map(|place| {
        let kind = match place.usage {
            Use::Read => DocumentHighlightKind::READ,
            Use::Declared | Use::Defined => DocumentHighlightKind::WRITE,
        };
        DocumentHighlight { range: unit.range(place.span), kind: Some(kind) }
    });
    Some(highlights.collect())
}

/// The programs in which a symbol can be named, with what it is there: a definition can be in all programs of the client's
/// folders that have its file.
pub fn programs(state: &State, unit: &Arc<Unit>, symbol: SymbolId) -> Vec<(Arc<Unit>, SymbolId)> {
    let own = unit.model.symbol(symbol);
    let mut programs = vec![(unit.clone(), symbol)];
    if !own.kind.is_definition() {
        return programs;
    }
    let path = &unit.sources.file(own.span.file).path;
    let others = state.programs().into_iter().filter(|other| !Arc::ptr_eq(other, unit));
    programs.extend(others.filter_map(|other| {
        let file = other.sources.files().iter().position(|file| file.path == *path)?;
        let (same, _) = other.model.symbols().find(|(_, theirs)| {
            theirs.span.file.0 as usize == file
                && (theirs.span.start, &theirs.name) == (own.span.start, &own.name)
        })?;
        Some((other, same))
    }));
    programs
}

/// Every place where a symbol is named in some programs, each once.
pub fn places(programs: &[(Arc<Unit>, SymbolId)]) -> Vec<(Location, Use)> {
    let all = programs.iter().flat_map(|(unit, symbol)| named(unit, *symbol));
    let mut places: Vec<(Location, Use)> = all.collect();
    let order = |range: Range| (range.start.line, range.start.character);
    places.sort_by_cached_key(|(place, _)| (place.uri.to_string(), order(place.range)));
    places.dedup_by(|(a, _), (b, _)| a == b);
    places
}

fn named(unit: &Unit, symbol: SymbolId) -> Vec<(Location, Use)> {
    let places = unit.model.occurrences(symbol);
    places.filter_map(|place| Some((unit.location(place.span)?, place.usage))).collect()
}
