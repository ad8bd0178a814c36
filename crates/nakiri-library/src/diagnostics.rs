//! Diagnostics for other programs.

use nakiri::diagnostic::{Diagnostic, Severity};
use nakiri::source::SourceMap;
use serde_json::{json, Value};

/// A diagnostic as JSON: lines, columns and byte offsets of its places, counted like rustc does.
pub fn json(sources: &SourceMap, diagnostic: &Diagnostic) -> Value {
    let labels = diagnostic.labels.iter().map(|(span, text)| {
        let (line, column) = sources.position(*span);
        json!({
            "file": sources.file(span.file).path,
            "line": line, "column": column, "start": span.start, "end": span.end,
            "text": text,
        })
    });
    json!({
        "severity": match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        "code": diagnostic.code,
        "message": diagnostic.message,
        "labels": labels.collect::<Vec<_>>(),
        "help": diagnostic.help,
    })
}
