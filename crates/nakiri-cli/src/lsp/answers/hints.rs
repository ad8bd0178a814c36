//! What is not written: the classes that a definition asks for, and the types of what equations define.

use crate::lsp::state::Document;
use crate::lsp::unit::Unit;
use lsp_types::{InlayHint, InlayHintKind, InlayHintLabel, InlayHintParams, InlayHintTooltip};
use nakiri::check::Analysis;
use nakiri::semantic::{Symbol, SymbolKind, Use};
use nakiri::source::Span;
use rustc_hash::FxHashSet;

/// The hints of a part of a document.
pub fn hints(
    document: &Document,
    analysis: &Analysis,
    params: InlayHintParams,
) -> Option<Vec<InlayHint>> {
    let unit = &document.unit;
    let (from, to) = (unit.offset(params.range.start), unit.offset(params.range.end));
    let is_wanted = |place: &Span| place.file == unit.root && from <= place.end && place.end <= to;
    let classes = analysis.nodes.iter().filter_map(|node| {
        // An array's elements have a scheme each.
        let is_single = !node.name.contains('.');
        let (classes, _) =
            node.scheme.split_once(" : ")?.1.split_once(" ⇒ ").filter(|_| is_single)?;
        let place = head_end(unit, node.span)?;
        let hint = hint(unit, place, &format!(" : {classes}"), InlayHintKind::TYPE);
        let tooltip = Some(InlayHintTooltip::String(node.scheme.clone()));
        Some((place, InlayHint { tooltip, ..hint }))
    });
    let all = classes.chain(types(unit));
    let wanted = all.filter(|(place, _)| is_wanted(place)).map(|(_, hint)| hint);
    Some(wanted.collect())
}

/// Where the head of a definition ends.
fn head_end(unit: &Unit, name: Span) -> Option<Span> {
    let (_, definition) = unit.model.symbols().find(|(_, symbol)| symbol.span == name)?;
    let head = definition.ty?;
    let end = head.start + unit.sources.text(head).trim_end().len() as u32;
    Some(Span { start: end, end, ..head })
}

/// The types of local variables, results and registers, behind the first equation that defines each as a whole.
fn types(unit: &Unit) -> Vec<(Span, InlayHint)> {
    let mut seen = FxHashSet::default();
    let defined = unit.model.occurrences_in(unit.root).filter(|place| place.usage == Use::Defined);
    let hints = defined.filter_map(|place| {
        let symbol = unit.model.symbol(place.symbol);
        let is_whole = !unit.text()[place.span.end as usize..].trim_start().starts_with('[');
        let ty = shown(unit, symbol).filter(|_| is_whole && seen.insert(place.symbol))?;
        Some((place.span, hint(unit, place.span, &format!(": {ty}"), InlayHintKind::TYPE)))
    });
    hints.collect()
}

/// The type of a variable that an equation defines.
fn shown<'u>(unit: &'u Unit, symbol: &Symbol) -> Option<&'u str> {
    use SymbolKind::{Local, Output, Register};
    let is_variable = matches!(symbol.kind, Local | Output | Register);
    let ty = symbol.ty.filter(|_| is_variable)?;
    let text = unit.sources.text(ty).trim();
    Some(text.split('@').next().unwrap_or(text).trim())
}

fn hint(unit: &Unit, place: Span, label: &str, kind: InlayHintKind) -> InlayHint {
    InlayHint {
        position: unit.range(place).end,
        label: InlayHintLabel::String(label.to_string()),
        kind: Some(kind),
        text_edits: None,
        tooltip: None,
        padding_left: None,
        padding_right: None,
        data: None,
    }
}
