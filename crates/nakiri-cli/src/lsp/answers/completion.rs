//! What can be written at a place.

use crate::lsp::place;
use crate::lsp::state::State;
use crate::lsp::unit::Unit;
use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionParams, CompletionResponse, Documentation,
    InsertTextFormat, MarkupContent, MarkupKind, Uri,
};
use nakiri::check::preludes;
use nakiri::semantic::{words, Symbol, SymbolKind};
use nakiri::syntax::lexer::Keyword;

/// Types that most programs have.
const TYPES: [(&str, &str); 7] = [
    ("u8", "one atom of 8 bits"),
    ("u16", "one atom of 16 bits"),
    ("u32", "one atom of 32 bits"),
    ("u64", "one atom of 64 bits"),
    ("b32", "32 atoms of one bit, the most significant first"),
    ("b128", "128 atoms of one bit, the most significant first"),
    ("v4", "4 atoms of the word size at which the node is used"),
];

/// Definitions to be filled in: the word, and what comes of it where the client knows places to fill in.
const DEFINITIONS: [(&str, &str); 5] = [
    ("node", "node ${1:Name} (${2:x:u32}) returns (${3:y:u32})\nlet\n  $0\ntel"),
    ("table", "table ${1:Name} (${2:x:v4}) returns (${3:y:v4}) {\n  $0\n}"),
    ("perm", "perm ${1:Name} (${2:x:b32}) returns (${3:y:b32}) {\n  $0\n}"),
    (
        "mode",
        "mode ${1:Name} (${2:message:bytes}) returns (${3:digest:u32[8]})\nvars\nlet\n  $0\ntel",
    ),
    ("include", "include \"$0\""),
];

/// What can stand at a place.
enum Context<'t> {
    /// Between the quotes of an include, behind this.
    Include(&'t str),
    /// Behind an `@`.
    Layout,
    /// Behind a `:`.
    Type,
    /// In a definition.
    Inside,
    /// Between definitions.
    Top,
}

/// Names and words that can be written at a place.
pub fn items(state: &State, params: CompletionParams) -> Option<CompletionResponse> {
    let params = params.text_document_position;
    let document = state.document(&params.text_document.uri)?;
    let unit = &document.unit;
    let offset = unit.offset(params.position);
    if unit.is_comment(offset) {
        return None;
    }
    let mut items = match context(unit, offset) {
        Context::Include(begun) => included(&document.uri, begun),
        Context::Layout => layouts(unit),
        Context::Type => types(),
        Context::Inside => [names(unit, offset), keywords(false, state.snippets)].concat(),
        Context::Top => keywords(true, state.snippets),
    };
    // A name that hides another one is offered once.
    items.sort_by(|a, b| a.label.cmp(&b.label));
    items.dedup_by(|a, b| a.label == b.label);
    Some(CompletionResponse::Array(items))
}

fn context(unit: &Unit, offset: u32) -> Context<'_> {
    let before = &unit.text()[..offset as usize];
    let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    if let Some((_, begun)) = line.split_once("include").and_then(|(_, rest)| rest.split_once('"'))
    {
        if line.trim_start().starts_with("include") && !begun.contains('"') {
            return Context::Include(begun);
        }
    }
    let word =
        before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '\'');
    let left = word.trim_end();
    let is_inside = unit.model.definition_at(unit.root, offset).is_some() || is_open(before);
    match left.chars().next_back() {
        Some('@') => Context::Layout,
        Some(':') => Context::Type,
        _ if left.ends_with("const") && left.len() < word.len() => Context::Type,
        _ if is_inside => Context::Inside,
        _ => Context::Top,
    }
}

/// Whether a definition begins before the end of a text, and does not end there, as far as its words tell.
fn is_open(text: &str) -> bool {
    let mut words = text.rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '\''));
    let begins_or_ends = |word: &&str| ["node", "mode", "tel"].contains(word);
    words.find(begins_or_ends).is_some_and(|word| word != "tel")
}

fn item(label: &str, kind: CompletionItemKind, detail: &str) -> CompletionItem {
    CompletionItem {
        label: label.to_string(),
        kind: Some(kind),
        detail: Some(detail.to_string()),
        ..CompletionItem::default()
    }
}

/// What can be included: preludes, and sources beside the document or in the folder whose name is begun.
fn included(uri: &Uri, begun: &str) -> Vec<CompletionItem> {
    let folder = begun.rfind('/').map_or("", |at| &begun[..=at]);
    let preludes = preludes::ALL.iter().filter(|_| folder.is_empty());
    let mut items: Vec<CompletionItem> =
        preludes.map(|(name, _)| item(name, CompletionItemKind::MODULE, "a prelude")).collect();
    let document = place::path(uri);
    let beside = document.as_ref().and_then(|path| path.parent()).map(|path| path.join(folder));
    let entries = beside.and_then(|beside| std::fs::read_dir(beside).ok());
    for entry in entries.into_iter().flatten().flatten() {
        let (name, path) = (entry.file_name().to_string_lossy().into_owned(), entry.path());
        if path.is_dir() && !name.starts_with('.') {
            items.push(item(&name, CompletionItemKind::FOLDER, "a folder"));
        } else if path.extension().is_some_and(|e| e == "ua") && document.as_ref() != Some(&path) {
            items.push(item(&name, CompletionItemKind::FILE, "a source"));
        }
    }
    items
}

fn layouts(unit: &Unit) -> Vec<CompletionItem> {
    let own = words::LAYOUTS.iter();
    let own = own.map(|(name, about)| item(name, CompletionItemKind::KEYWORD, about));
    let perms = unit.model.symbols().filter(|(_, symbol)| symbol.kind == SymbolKind::Perm);
    own.chain(perms.map(|(_, symbol)| named(unit, symbol))).collect()
}

fn types() -> Vec<CompletionItem> {
    let types = TYPES.iter();
    let types = types.map(|(name, about)| item(name, CompletionItemKind::TYPE_PARAMETER, about));
    let words = [Keyword::Const, Keyword::Nat].map(word);
    let bytes = words::contextual("bytes").unwrap_or_default();
    types.chain(words).chain([item("bytes", CompletionItemKind::KEYWORD, bytes)]).collect()
}

fn names(unit: &Unit, offset: u32) -> Vec<CompletionItem> {
    // A mode is called by programs, not by nodes.
    let visible = unit.model.visible(unit.root, offset).into_iter();
    let visible = visible.filter(|(_, symbol)| symbol.kind != SymbolKind::Mode);
    visible.map(|(_, symbol)| named(unit, symbol)).collect()
}

fn named(unit: &Unit, symbol: &Symbol) -> CompletionItem {
    let kind = match symbol.kind {
        SymbolKind::Node | SymbolKind::Table | SymbolKind::Perm => CompletionItemKind::FUNCTION,
        SymbolKind::Mode => CompletionItemKind::MODULE,
        SymbolKind::Field => CompletionItemKind::CLASS,
        SymbolKind::Nat | SymbolKind::Iterator | SymbolKind::Constant | SymbolKind::Number => {
            CompletionItemKind::CONSTANT
        }
        SymbolKind::Register => CompletionItemKind::FIELD,
        SymbolKind::Input | SymbolKind::Output | SymbolKind::Local | SymbolKind::Block => {
            CompletionItemKind::VARIABLE
        }
    };
    item(
        &symbol.name,
        kind,
        &unit.written(symbol).unwrap_or_else(|| symbol.kind.text().to_string()),
    )
}

fn word(keyword: Keyword) -> CompletionItem {
    item(keyword.text(), CompletionItemKind::KEYWORD, words::keyword(keyword))
}

/// The words that begin a definition, or those inside one.
fn keywords(top: bool, snippets: bool) -> Vec<CompletionItem> {
    let begins = |keyword: &Keyword| DEFINITIONS.iter().any(|(name, _)| *name == keyword.text());
    let is_old = |keyword: &Keyword| {
        use Keyword::{LazyLift, NoOpt, Pipelined, SafeExit};
        matches!(keyword, LazyLift | NoOpt | Pipelined | SafeExit)
    };
    let is_option = |keyword: &Keyword| keyword.text().starts_with('_');
    let wanted = Keyword::ALL
        .iter()
        .copied()
        .filter(|keyword| !is_old(keyword) && !begins(keyword) && (!top || is_option(keyword)));
    let mut items: Vec<CompletionItem> = wanted.map(word).collect();
    for (name, text) in DEFINITIONS.iter().filter(|_| top) {
        let about = Keyword::from_text(name).map(words::keyword).or(words::contextual(name));
        let plain = item(name, CompletionItemKind::KEYWORD, about.unwrap_or_default());
        items.push(match snippets {
            false => plain,
            true => CompletionItem {
                insert_text: Some(text.to_string()),
                insert_text_format: Some(InsertTextFormat::SNIPPET),
                documentation: Some(Documentation::MarkupContent(MarkupContent {
                    kind: MarkupKind::PlainText,
                    value: about.unwrap_or_default().to_string(),
                })),
                ..plain
            },
        });
    }
    items
}
