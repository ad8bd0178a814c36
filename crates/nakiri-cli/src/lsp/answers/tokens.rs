//! What each word of a document is, for its colour.

use crate::lsp::state::State;
use lsp_types::{
    SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokens, SemanticTokensLegend,
    SemanticTokensParams, SemanticTokensResult,
};
use nakiri::semantic::highlight;

/// In the order of [`highlight::WordKind`].
const TYPES: [SemanticTokenType; 9] = [
    SemanticTokenType::FUNCTION,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::PROPERTY,
    SemanticTokenType::KEYWORD,
    SemanticTokenType::NUMBER,
    SemanticTokenType::STRING,
    SemanticTokenType::COMMENT,
    SemanticTokenType::TYPE,
];
const MODIFIERS: [SemanticTokenModifier; 2] =
    [SemanticTokenModifier::DECLARATION, SemanticTokenModifier::READONLY];

/// The numbers that stand for kinds of words.
pub fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend { token_types: TYPES.to_vec(), token_modifiers: MODIFIERS.to_vec() }
}

/// The words of a document.
pub fn tokens(state: &State, params: SemanticTokensParams) -> Option<SemanticTokensResult> {
    let unit = &state.document(&params.text_document.uri)?.unit;
    let words = highlight::words(&unit.sources, unit.root, &unit.model, state.settings.dialect);
    // What ends an old file goes over several lines, which no token may.
    let words = words.into_iter().filter(|word| !unit.sources.text(word.span).contains('\n'));
    let mut data = Vec::new();
    let (mut line, mut start) = (0, 0);
    for word in words {
        let place = unit.range(word.span).start;
        let delta_start =
            if place.line == line { place.character - start } else { place.character };
        data.push(SemanticToken {
            delta_line: place.line - line,
            delta_start,
            length: state.encoding.columns(unit.sources.text(word.span)),
            token_type: word.kind as u32,
            token_modifiers_bitset: u32::from(word.declared) | u32::from(word.constant) << 1,
        });
        (line, start) = (place.line, place.character);
    }
    Some(SemanticTokensResult::Tokens(SemanticTokens { result_id: None, data }))
}
