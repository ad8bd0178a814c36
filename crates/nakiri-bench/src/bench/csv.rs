//! Results as comma-separated values (RFC 4180).

use crate::measure::Statistics;
use crate::results::{Results, Row};

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

/// The results: a line for each figure. Those of `latency` and of `key` are in core cycles, all others in core cycles per byte.
pub fn csv(results: &Results) -> String {
    let names: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
    let lines = results.rows.iter().flat_map(|row| of_row(row, &results.version));
    let mut out = names.join(",") + "\n";
    for line in lines {
        let cells: Vec<String> = COLUMNS.iter().map(|(_, cell)| quoted(&cell(&line))).collect();
        out += &(cells.join(",") + "\n");
    }
    out
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
