//! What functions on messages cost, as text for a terminal.

use super::table::figure;
use crate::results::{AgainstRow, FunctionRow, Results};
use std::fmt::Write;

/// A part for each C compiler and its flags, a line for each function, target and length; other libraries stand below.
pub fn table_of_functions(results: &Results) -> String {
    let mut out = String::new();
    let counts = counts(&results.functions);
    let mut rest: Vec<&FunctionRow> = results.functions.iter().collect();
    while let Some(first) = rest.first().map(|row| title(row)) {
        if !out.is_empty() {
            out.push('\n');
        }
        let _ = writeln!(out, "{first}");
        heads(&mut out, &counts);
        rest.retain(|row| {
            let other = title(row) != first;
            if !other {
                line(&mut out, row, &counts);
            }
            other
        });
    }
    let _ = writeln!(
        out,
        "\nCore cycles a byte of all messages. Keys and the like are new in every call, data beside the message is empty."
    );
    out
}

/// The numbers of messages of some rows, each once.
fn counts(rows: &[FunctionRow]) -> Vec<u32> {
    let mut counts: Vec<u32> =
        rows.iter().flat_map(|row| row.costs.iter().map(|(count, _)| *count)).collect();
    counts.sort_unstable();
    counts.dedup();
    counts
}

fn title(row: &FunctionRow) -> String {
    format!("{}; {} {}", row.folder, row.compiler, row.flags.join(" "))
}

fn heads(out: &mut String, counts: &[u32]) {
    let _ = write!(out, "{:<28} {:<28} {:>7}", "", "", "message");
    for count in counts {
        let many = match count {
            1 => "alone".to_string(),
            count => format!("{count} at once"),
        };
        let _ = write!(out, " {many:>14}");
    }
    let _ = write!(out, "\n{:<28} {:<28} {:>7}", "function", "variant", "bytes");
    for _ in counts {
        let _ = write!(out, " {:>7}{:>7}", "min", "med");
    }
    out.push('\n');
}

fn line(out: &mut String, row: &FunctionRow, counts: &[u32]) {
    let FunctionRow { function, target, variant, bytes, .. } = row;
    let variant = if variant.is_empty() { target } else { variant };
    let _ = write!(out, "{function:<28} {variant:<28} {bytes:>7}");
    let cells = counts.iter().map(|count| match row.cost(*count) {
        Some(cost) => format!(" {:>7}{:>7}", figure(cost.min), figure(cost.median)),
        None => " ".repeat(15),
    });
    let cells: String = cells.collect();
    let _ = writeln!(out, "{}", cells.trim_end());
    row.against.iter().for_each(|other| rival(out, other));
}

/// The line of another library: its figures stand below those of a message alone.
fn rival(out: &mut String, other: &AgainstRow) {
    let AgainstRow { library, version, features, cost, ratio } = other;
    let name = format!("  {library} {version} ({features})");
    let (min, median) = (figure(cost.min), figure(cost.median));
    let _ = writeln!(out, "{name:<65} {min:>7}{median:>7} {ratio:>7.2} × ours");
}
