//! What each word of a document is, for its colour.

use crate::lsp::state::State;
use crate::lsp::unit::Unit;
use lsp_types::{
    SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokens, SemanticTokensLegend,
    SemanticTokensParams, SemanticTokensResult,
};
use nakiri::semantic::{SymbolKind, Use};
use nakiri::source::Span;
use nakiri::syntax::lexer::{Lexer, TokenKind};
use rustc_hash::FxHashMap;

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

/// A word, its kind and its modifiers.
type Word = (Span, SemanticTokenType, u32);

/// The words of a document.
pub fn tokens(state: &State, params: SemanticTokensParams) -> Option<SemanticTokensResult> {
    let unit = &state.document(&params.text_document.uri)?.unit;
    let mut words = words(unit, state);
    words.sort_by_key(|(span, ..)| *span);
    let mut data = Vec::new();
    let (mut line, mut start) = (0, 0);
    for (span, kind, token_modifiers_bitset) in words {
        let place = unit.range(span).start;
        let delta_start =
            if place.line == line { place.character - start } else { place.character };
        data.push(SemanticToken {
            delta_line: place.line - line,
            delta_start,
            length: state.encoding.columns(unit.sources.text(span)),
            token_type: TYPES.iter().position(|own| *own == kind).unwrap_or(0) as u32,
            token_modifiers_bitset,
        });
        (line, start) = (place.line, place.character);
    }
    Some(SemanticTokensResult::Tokens(SemanticTokens { result_id: None, data }))
}

fn words(unit: &Unit, state: &State) -> Vec<Word> {
    let names = unit.model.occurrences_in(unit.root);
    let names: FxHashMap<Span, (SymbolKind, Use)> = names
        .map(|place| (place.span, (unit.model.symbol(place.symbol).kind, place.usage)))
        .collect();
    let mut lexer = Lexer::new(unit.text(), unit.root, state.settings.dialect);
    let mut words = Vec::new();
    loop {
        let token = lexer.next_token();
        let is_type = || unit.model.type_at(unit.root, token.span.start).is_some();
        let (kind, modifiers) = match (token.kind, names.get(&token.span)) {
            (TokenKind::End, _) => break,
            (_, Some((kind, usage))) => named(*kind, *usage),
            (TokenKind::Keyword(_), _) => (SemanticTokenType::KEYWORD, 0),
            (TokenKind::Number, _) => (SemanticTokenType::NUMBER, 0),
            (TokenKind::String, _) => (SemanticTokenType::STRING, 0),
            (TokenKind::Quoted, _) => (SemanticTokenType::TYPE, 0),
            (TokenKind::Ident, _) if is_type() => (SemanticTokenType::TYPE, 0),
            (TokenKind::Ident | TokenKind::Symbol(_), _) => continue,
        };
        words.push((token.span, kind, modifiers));
    }
    let comments = lexer.comments.iter();
    // What ends an old file goes over several lines, which no token may.
    let comments = comments.filter(|span| !unit.sources.text(**span).contains('\n'));
    words.extend(comments.map(|span| (*span, SemanticTokenType::COMMENT, 0)));
    words
}

fn named(kind: SymbolKind, usage: Use) -> (SemanticTokenType, u32) {
    let (kind, constant) = match kind {
        SymbolKind::Node | SymbolKind::Table | SymbolKind::Perm | SymbolKind::Mode => {
            (SemanticTokenType::FUNCTION, false)
        }
        SymbolKind::Field => (SemanticTokenType::TYPE, false),
        SymbolKind::Input | SymbolKind::Block => (SemanticTokenType::PARAMETER, false),
        SymbolKind::Nat | SymbolKind::Iterator => (SemanticTokenType::PARAMETER, true),
        SymbolKind::Output | SymbolKind::Local => (SemanticTokenType::VARIABLE, false),
        SymbolKind::Register => (SemanticTokenType::PROPERTY, false),
    };
    let declared = usage == Use::Declared;
    (kind, u32::from(declared) | u32::from(constant) << 1)
}
