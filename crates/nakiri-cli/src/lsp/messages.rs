//! Diagnostics as the client takes them.

use super::unit::Unit;
use lsp_server::Notification;
use lsp_types::notification::{Notification as _, PublishDiagnostics};
use lsp_types::{
    DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, NumberOrString,
    PublishDiagnosticsParams, Uri,
};
use nakiri::diagnostic::{Diagnostic, Severity};

/// That there is no node to start with, which a file that others include needs none of.
const NO_ENTRY: &str = "E0108";
/// That something is never used.
const UNUSED: &str = "E0241";

/// All that is wrong with a document, or what it includes.
pub fn all(uri: &Uri, version: i32, unit: &Unit, diagnostics: &[Diagnostic]) -> Notification {
    let shown = diagnostics.iter().filter(|diagnostic| diagnostic.code != NO_ENTRY);
    let diagnostics = shown.map(|diagnostic| message(unit, diagnostic)).collect();
    published(PublishDiagnosticsParams { uri: uri.clone(), diagnostics, version: Some(version) })
}

/// That nothing is wrong with a document.
pub fn none(uri: &Uri) -> Notification {
    let (uri, diagnostics) = (uri.clone(), Vec::new());
    published(PublishDiagnosticsParams { uri, diagnostics, version: None })
}

fn published(params: PublishDiagnosticsParams) -> Notification {
    Notification::new(PublishDiagnostics::METHOD.to_string(), params)
}

fn message(unit: &Unit, diagnostic: &Diagnostic) -> lsp_types::Diagnostic {
    let place = unit.seen_from_root(diagnostic.span());
    let is_here = place == diagnostic.span();
    let severity = match diagnostic.severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
    };
    // An editor shows related places apart; the first one is the place of the message, if that is in this file.
    let related = diagnostic.labels.iter().skip(usize::from(is_here));
    let related = related.filter_map(|(span, text)| {
        let message = if text.is_empty() { "here".to_string() } else { text.clone() };
        Some(DiagnosticRelatedInformation { location: unit.location(*span)?, message })
    });
    let unused = diagnostic.code == UNUSED;
    lsp_types::Diagnostic {
        range: unit.range(place),
        severity: Some(severity),
        code: Some(NumberOrString::String(diagnostic.code.to_string())),
        source: Some("nakiri".to_string()),
        message: text(unit, diagnostic),
        related_information: Some(related.collect()),
        tags: unused.then(|| vec![DiagnosticTag::UNNECESSARY]),
        ..lsp_types::Diagnostic::default()
    }
}

/// What is wrong, where if that is in another file, in a few words, and the way out.
fn text(unit: &Unit, diagnostic: &Diagnostic) -> String {
    let mut text = diagnostic.message.clone();
    let (span, label) = &diagnostic.labels[0];
    if span.file != unit.root {
        let (line, column) = unit.sources.position(*span);
        text += &format!(" ({}:{line}:{column})", unit.sources.file(span.file).path);
    }
    if !label.is_empty() {
        text += &format!("\n{label}");
    }
    if let Some(help) = &diagnostic.help {
        text += &format!("\nhelp: {help}");
    }
    text
}
