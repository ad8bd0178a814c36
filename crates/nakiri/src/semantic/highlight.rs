//! What each word of a file is, for its colour.

use super::{Model, SymbolKind, Use};
use crate::source::{FileId, SourceMap, Span};
use crate::syntax::lexer::{Lexer, TokenKind};
use crate::syntax::Dialect;
use rustc_hash::FxHashMap;

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordKind {
    /// The name of a definition.
    Function,
    /// An input, or a static number.
    Parameter,
    /// An output, or a local variable.
    Variable,
    /// A register.
    Register,
    /// A keyword.
    Keyword,
    /// A number.
    Number,
    /// A text in quotes.
    String,
    /// A comment.
    Comment,
    /// A type.
    Type,
}

/// A word and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: WordKind,
    /// Whether it is declared here.
    pub declared: bool,
    /// Whether it is a static number or another constant.
    pub constant: bool,
}

impl Word {
    fn plain(span: Span, kind: WordKind) -> Word {
        Word { span, kind, declared: false, constant: false }
    }
}

/// The words of a file and its comments, in order; what is left out has no colour of its own.
pub fn words(sources: &SourceMap, file: FileId, model: &Model, dialect: Dialect) -> Vec<Word> {
    let names = model.occurrences_in(file);
    let names: FxHashMap<Span, (SymbolKind, Use)> =
        names.map(|place| (place.span, (model.symbol(place.symbol).kind, place.usage))).collect();
    let mut lexer = Lexer::new(&sources.file(file).text, file, dialect);
    let mut words = Vec::new();
    loop {
        let token = lexer.next_token();
        let is_type = || model.type_at(file, token.span.start).is_some();
        let kind = match (token.kind, names.get(&token.span)) {
            (TokenKind::End, _) => break,
            (_, Some((kind, usage))) => {
                words.push(named(token.span, *kind, *usage));
                continue;
            }
            (TokenKind::Keyword(_), _) => WordKind::Keyword,
            (TokenKind::Number, _) => WordKind::Number,
            (TokenKind::String, _) => WordKind::String,
            (TokenKind::Quoted, _) => WordKind::Type,
            (TokenKind::Ident, _) if is_type() => WordKind::Type,
            (TokenKind::Ident | TokenKind::Symbol(_), _) => continue,
        };
        words.push(Word::plain(token.span, kind));
    }
    words.extend(lexer.comments.iter().map(|span| Word::plain(*span, WordKind::Comment)));
    words.sort_by_key(|word| word.span);
    words
}

fn named(span: Span, kind: SymbolKind, usage: Use) -> Word {
    let own = match kind {
        SymbolKind::Node | SymbolKind::Table | SymbolKind::Perm | SymbolKind::Mode => {
            WordKind::Function
        }
        SymbolKind::Field => WordKind::Type,
        SymbolKind::Input
        | SymbolKind::Block
        | SymbolKind::Nat
        | SymbolKind::Iterator
        | SymbolKind::Number => WordKind::Parameter,
        SymbolKind::Output | SymbolKind::Local | SymbolKind::Constant => WordKind::Variable,
        SymbolKind::Register => WordKind::Register,
    };
    let constant = kind.is_static() || kind == SymbolKind::Constant;
    Word { span, kind: own, declared: usage == Use::Declared, constant }
}
