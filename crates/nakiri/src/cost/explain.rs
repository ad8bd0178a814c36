//! Decisions as text: what was weighed, what it costs, and why.

use super::{Candidate, Decision};
use crate::compile::Options;
use std::fmt::Write;

/// A table of what was weighed for each target: choices, core cycles per byte, what limits them, code, spills.
pub fn text(decisions: &[Decision]) -> String {
    let tables: Vec<String> = decisions.iter().map(table).collect();
    tables.join("\n")
}

fn table(decision: &Decision) -> String {
    let Options { direction, target, .. } = decision.options;
    let mut text = format!("-{direction} {}\n", target.name);
    if decision.candidates.is_empty() {
        text += "  nothing was weighed: the machine lacks what the target uses\n";
        return text;
    }
    let _ = writeln!(
        text,
        "  {:7} {:6} {:>10} {:9} {:>8}  {:9} {:>6} {:>7} {:>8}",
        "unroll", "inline", "interleave", "schedule", "c/B", "limit", "code", "spills", "reloads"
    );
    for candidate in &decision.candidates {
        let taken = if candidate.options == decision.options { "  ← taken" } else { "" };
        let _ = writeln!(text, "{}{taken}", row(candidate));
    }
    text
}

fn row(candidate: &Candidate) -> String {
    let Candidate { options, estimate, .. } = candidate;
    let name = |choice: Option<String>| choice.unwrap_or_default();
    format!(
        "  {:7} {:6} {:>10} {:9} {:>8.4}  {:9} {:>6} {:>7} {:>8}",
        name(options.unroll.map(|choice| choice.to_string())),
        name(options.inline.map(|choice| choice.to_string())),
        name(options.interleave.map(|choice| choice.to_string())),
        name(options.schedule.map(|choice| choice.to_string())),
        candidate.cost(),
        estimate.binds().to_string(),
        estimate.code,
        estimate.spills,
        estimate.reloads,
    )
}
