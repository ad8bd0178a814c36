//! Results as comma-separated values (RFC 4180).

use crate::measure::Statistics;
use crate::results::{AgainstRow, FunctionRow, Results, Row};

/// A line: one figure, ours or another library's.
struct Line<'a> {
    row: &'a Row,
    library: &'a str,
    version: &'a str,
    features: &'a str,
    what: &'a str,
    bytes: u64,
    cost: &'a Statistics,
}

/// A column's name and its cell.
type Column = (&'static str, fn(&Line) -> String);

const COLUMNS: &[Column] = &[
    ("cipher", |line| line.row.cipher.clone()),
    ("instance", |line| line.row.instance.clone()),
    ("slicing", |line| line.row.slicing.clone()),
    ("target", |line| line.row.target.clone()),
    ("configuration", |line| line.row.configuration.clone()),
    ("compiler", |line| line.row.compiler.clone()),
    ("flags", |line| line.row.flags.join(" ")),
    ("blocks", |line| line.row.blocks.to_string()),
    ("block_bytes", |line| line.row.block_bytes.to_string()),
    ("library", |line| line.library.to_string()),
    ("version", |line| line.version.to_string()),
    ("features", |line| line.features.to_string()),
    ("what", |line| line.what.to_string()),
    ("bytes", |line| line.bytes.to_string()),
    ("min", |line| line.cost.min.to_string()),
    ("median", |line| line.cost.median.to_string()),
    ("spread", |line| line.cost.spread.to_string()),
    ("samples", |line| line.cost.samples.to_string()),
    ("instructions", |line| line.row.code.instructions.to_string()),
    ("loads", |line| line.row.code.loads.to_string()),
    ("stores", |line| line.row.code.stores.to_string()),
    ("spills", |line| line.row.code.spills.to_string()),
    ("code_bytes", |line| line.row.code.bytes.to_string()),
    ("break_even", |line| optional(line.row.break_even)),
    ("counted_cycles", |line| optional(line.row.counted.map(|counted| counted.cycles))),
    ("counted_instructions", |line| optional(line.row.counted.map(|counted| counted.instructions))),
    ("bound", |line| optional(line.row.bound.as_ref().map(|bound| bound.cost))),
];

fn optional(value: Option<impl ToString>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// The results: a line for each figure of kernels, then a table of its own of those of functions on messages, where there are any.
/// Figures of `latency` and of `key` are in core cycles, all others in core cycles per byte.
pub fn csv(results: &Results) -> String {
    let mut out = String::new();
    if !results.rows.is_empty() || results.functions.is_empty() {
        let names: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
        out += &line_of(names.iter().map(ToString::to_string));
        for line in results.rows.iter().flat_map(|row| of_row(row, &results.version)) {
            out += &line_of(COLUMNS.iter().map(|(_, cell)| cell(&line)));
        }
    }
    if !results.functions.is_empty() {
        let apart = if out.is_empty() { "" } else { "\n" };
        out += &(apart.to_string() + &line_of(OF_FUNCTIONS.iter().map(ToString::to_string)));
        out.extend(results.functions.iter().flat_map(|row| of_function(row, &results.version)));
    }
    out
}

const OF_FUNCTIONS: &[&str] = &[
    "folder", "function", "target", "variant", "compiler", "flags", "library", "version",
    "features", "messages", "bytes", "min", "median", "spread", "samples",
];

/// The lines of a function: ours, then those of other libraries.
fn of_function(row: &FunctionRow, version: &str) -> Vec<String> {
    let line = |library: &str, version: &str, features: &str, messages: u32, cost: &Statistics| {
        let FunctionRow { folder, function, target, variant, compiler, flags, bytes, .. } = row;
        let flags = flags.join(" ");
        let texts =
            [folder, function, target, variant, compiler, &flags, library, version, features];
        let own = [messages.to_string(), bytes.to_string()];
        let Statistics { min, median, spread, samples } = cost;
        let figures =
            [min.to_string(), median.to_string(), spread.to_string(), samples.to_string()];
        line_of(texts.map(str::to_string).into_iter().chain(own).chain(figures))
    };
    let ours = row.costs.iter().map(|(n, cost)| line("nakiri", version, &row.target, *n, cost));
    let others = row.against.iter().map(|other| {
        let AgainstRow { library, version, features, cost, .. } = other;
        line(library, version, features, 1, cost)
    });
    ours.chain(others).collect()
}

fn line_of(cells: impl Iterator<Item = String>) -> String {
    cells.map(|cell| quoted(&cell)).collect::<Vec<_>>().join(",") + "\n"
}

fn of_row<'a>(row: &'a Row, version: &'a str) -> Vec<Line<'a>> {
    let batch = u64::from(row.blocks) * u64::from(row.block_bytes);
    let ours = |what, bytes, cost| {
        let features = row.target.as_str();
        Line { row, library: "nakiri", version, features, what, bytes, cost }
    };
    let mut lines = vec![
        ours("kernel", batch, &row.kernel),
        ours("transposition", batch, &row.transposition),
        ours("latency", batch, &row.latency),
    ];
    lines.extend(row.key.iter().map(|cost| ours("key", 0, cost)));
    for mode in &row.modes {
        lines.push(ours(&mode.mode, mode.bytes, &mode.cost));
        lines.extend(mode.against.iter().map(|other| Line {
            row,
            library: &other.library,
            version: &other.version,
            features: &other.features,
            what: &mode.mode,
            bytes: mode.bytes,
            cost: &other.cost,
        }));
    }
    lines
}

/// A cell, in quotes if it needs them.
fn quoted(cell: &str) -> String {
    match cell.contains([',', '"', '\n']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_string(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn cells_are_quoted_that_need_it() {
        assert_eq!(super::quoted("-O3 -g"), "-O3 -g");
        assert_eq!(super::quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
    }
}
