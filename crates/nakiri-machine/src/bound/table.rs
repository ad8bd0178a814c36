//! A bound as text.

use super::{Bound, Limit};
use std::fmt::Write;

/// A bound as a table: operations, then each limit in cycles and, if the bytes of an execution are known, cycles per byte.
pub fn table(bound: &Bound, title: &str, bytes: Option<f64>) -> String {
    let mut text = format!("{title}, on {}\n", bound.machine);
    for operations in &bound.operations {
        let _ = writeln!(
            text,
            "  {:>9}  {} of {} bits",
            operations.count,
            operations.class.name(),
            operations.width
        );
    }
    let _ = writeln!(text, "  {:>9}  instructions", bound.instructions);
    let (binding, cycles) = bound.binds();
    let per_byte = |cycles: f64| match bytes {
        Some(bytes) => format!(" {:>9.4}", cycles / bytes),
        None => String::new(),
    };
    let unit = if bytes.is_some() { "  per byte" } else { "" };
    let _ = writeln!(text, "\n  {:11} {:>10}{unit}", "limit", "cycles");
    for (limit, cycles) in &bound.limits {
        let note = match limit {
            Limit::Ports if !bound.bottleneck.is_empty() => format!("  {}", bound.bottleneck),
            _ => String::new(),
        };
        let mark = if *limit == binding { "  ← binds" } else { "" };
        let _ =
            writeln!(text, "  {:11} {cycles:>10.1}{}{note}{mark}", limit.name(), per_byte(*cycles));
    }
    let _ = writeln!(text, "  {:11} {cycles:>10.1}{}", "bound", per_byte(cycles));
    for (name, cycles) in [("predicted", bound.predicted), ("one alone", bound.latency)] {
        if let Some(cycles) = cycles {
            let _ = writeln!(text, "  {name:11} {cycles:>10.1}{}", per_byte(cycles));
        }
    }
    text
}
