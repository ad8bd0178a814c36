//! What is known of what stands at a place.

use crate::choice;

use crate::lsp::unit::Unit;
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position};
use nakiri::check::Analysis;
use nakiri::circuit::{for_table, Table};
use nakiri::compile::legality::{cell, Cell};
use nakiri::compile::Options;
use nakiri::core::{self, Direction, Program};
use nakiri::semantic::{words, Symbol, SymbolKind};
use nakiri::source::Span;
use nakiri::syntax::lexer::{Lexer, TokenKind};
use nakiri::syntax::Dialect;

/// How many types of a definition are shown: each choice of its `nat` parameters has one.
const SCHEMES: usize = 4;

/// What is said about a place of a document.
pub fn hover(unit: &Unit, analysis: &Analysis, position: Position) -> Option<Hover> {
    let offset = unit.offset(position);
    let (text, place) = match unit.model.at(unit.root, offset) {
        Some((symbol, place)) => {
            let symbol = unit.model.symbol(symbol);
            let text = match symbol.kind.is_definition() {
                true => definition(unit, analysis, symbol),
                false => variable(unit, symbol),
            };
            (text, place)
        }
        None => word(unit, offset)?,
    };
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value: text });
    Some(Hover { contents, range: Some(unit.range(place)) })
}

fn code(text: &str) -> String {
    format!("```usuba\n{}\n```", text.trim())
}

// ---- definitions ----

/// The head of a definition, its types, and what can be built of it.
fn definition(unit: &Unit, analysis: &Analysis, symbol: &Symbol) -> String {
    let head = symbol.ty.map_or(&*symbol.name, |head| unit.sources.text(head));
    let mut text = code(head);
    // A mode's nodes have its name, and names of their own.
    let own = analysis.nodes.iter().filter(|node| node.span == symbol.span);
    let schemes: Vec<&str> = own.map(|node| &*node.scheme).collect();
    for scheme in schemes.iter().take(SCHEMES) {
        text += &format!("\n\n`{scheme}`");
    }
    if schemes.len() > SCHEMES {
        text += &format!("\n\n… and {} more", schemes.len() - SCHEMES);
    }
    let Some(checked) = &analysis.checked else { return text };
    match symbol.kind {
        SymbolKind::Node => {
            text += &checked.program_for(&symbol.name).map_or(String::new(), |p| slicings(&p));
        }
        SymbolKind::Table => {
            let is_own = |table: &&core::Table| {
                table
                    .name
                    .strip_prefix(&symbol.name)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(".e"))
            };
            let tables = checked.tables().iter().filter(is_own).take(SCHEMES);
            text += &tables.map(circuit).collect::<String>();
        }
        _ => {}
    }
    text
}

/// The slicings in which a node can be built for this machine.
fn slicings(program: &Program) -> String {
    let target = choice::native();
    let all = [Direction::B, Direction::V, Direction::H, Direction::P];
    let shown = all.into_iter().filter(|direction| target.has_direction(*direction));
    let shown = shown.map(|direction| match cell(program, Options::new(direction, target)) {
        Cell::Legal { blocks, direction: own } if own == direction => {
            format!("\n- `-{direction:?}`: {blocks} at once")
        }
        Cell::Legal { blocks, direction: own } => {
            format!("\n- `-{direction:?}`: {blocks} at once, sliced `{own:?}` by its types")
        }
        Cell::Forbidden(reasons) | Cell::Absent(reasons) => {
            let reason = reasons.first().map_or("not legal", |reason| &reason.message);
            format!("\n- `-{direction:?}`: {reason}")
        }
    });
    format!("\n\nOn {}:\n{}", target.name, shown.collect::<String>())
}

/// The circuit that stands for a table.
fn circuit(table: &core::Table) -> String {
    if table.inputs > 8 || table.outputs > 32 {
        return String::new();
    }
    let entries = table.entries.iter().map(|entry| *entry as u32).collect();
    let truth = Table { inputs: table.inputs, outputs: table.outputs, entries };
    let (circuit, origin) = for_table(&truth);
    let (size, depth) = (circuit.size(), circuit.depth());
    format!("\n\n`{}` bitsliced: {size} gates, depth {depth}, by {origin}", table.name)
}

// ---- variables ----

fn variable(unit: &Unit, symbol: &Symbol) -> String {
    let ty = unit.written(symbol).map_or(String::new(), |ty| format!(" : {ty}"));
    let owner = symbol.owner.map(|owner| &*unit.model.symbol(owner).name).unwrap_or_default();
    let kind = symbol.kind.text();
    format!("{}\n\n{kind} of `{owner}`", code(&format!("{}{ty}", symbol.name)))
}

// ---- words and signs ----

/// What a word, a sign or a type means that is no name.
fn word(unit: &Unit, offset: u32) -> Option<(String, Span)> {
    let mut lexer = Lexer::new(unit.text(), unit.root, Dialect::Nakiri);
    let tokens = std::iter::from_fn(|| Some(lexer.next_token()));
    let token = tokens
        .take_while(|token| token.kind != TokenKind::End && token.span.start <= offset)
        .filter(|token| offset <= token.span.end)
        .last()?;
    let text = unit.sources.text(token.span);
    let about = match token.kind {
        TokenKind::Keyword(keyword) => words::keyword(keyword).to_string(),
        TokenKind::Symbol(symbol) => words::symbol(symbol)?.to_string(),
        TokenKind::Ident => match unit.model.type_at(unit.root, offset) {
            Some(ty) => {
                return atoms(text)
                    .map(|about| (format!("`{}`: {about}", unit.sources.text(ty)), ty))
            }
            None => words::contextual(text)?.to_string(),
        },
        TokenKind::Number | TokenKind::Quoted | TokenKind::String | TokenKind::End => return None,
    };
    Some((format!("`{text}`: {about}"), token.span))
}

/// What the base of a type is made of: `u16x4`, `b64`, `v4`.
fn atoms(word: &str) -> Option<String> {
    let rest = word.get(1..)?;
    let numbers = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match word.as_bytes().first()? {
        b'b' if numbers(rest) => Some(format!("{rest} atoms of one bit")),
        b'v' if numbers(rest) => Some(format!("{rest} atoms of the node's word size")),
        b'u' => match rest.split_once('x') {
            Some((bits, count)) if numbers(bits) && numbers(count) => {
                Some(format!("{count} atoms of {bits} bits"))
            }
            None if numbers(rest) => Some(format!("one atom of {rest} bits")),
            _ => None,
        },
        _ => None,
    }
}
