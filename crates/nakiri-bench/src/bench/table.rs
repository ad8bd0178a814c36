//! Results as text for a terminal, at most 120 columns wide.

use super::table_of_functions::table_of_functions;
use crate::results::{AgainstRow, ModeRow, Results, Row};
use std::fmt::Write;

/// A column: the two lines of its head, its width, and its cell.
struct Column {
    head: [&'static str; 2],
    width: usize,
    /// Whether its text stands at the left.
    left: bool,
    cell: Cell,
}

/// What a cell says.
enum Cell {
    /// Of a row, once.
    Row(fn(&Row) -> String),
    /// Of each of its messages.
    Message(fn(&ModeRow) -> String),
}

const COLUMNS: &[Column] = &[
    of_row(["", "slicing"], 7, |row| row.slicing.clone()).left(),
    of_row(["", "target"], 7, |row| row.target.clone()).left(),
    of_row(["kernel", "c/B"], 6, |row| figure(row.kernel.median)),
    of_row(["bound", "c/B"], 5, |row| {
        row.bound.as_ref().map_or(String::new(), |bound| figure(bound.cost))
    }),
    of_row(["transp.", "c/B"], 7, |row| figure(row.transposition.median)),
    of_message(["message", "bytes"], 7, |mode| mode.bytes.to_string()),
    of_message(["min", "c/B"], 6, |mode| figure(mode.cost.min)),
    of_message(["med", "c/B"], 6, |mode| figure(mode.cost.median)),
    of_message(["", "spread"], 6, |mode| format!("{:.1}%", 100.0 * mode.cost.spread)),
    of_row(["latency", "cycles"], 7, |row| format!("{:.0}", row.latency.median)),
    of_row(["key", "cycles"], 6, |row| {
        row.key.map_or(String::new(), |key| format!("{:.0}", key.median))
    }),
    of_row(["ahead", "from"], 5, |row| {
        row.break_even.map_or(String::new(), |blocks| blocks.to_string())
    }),
    of_row(["instr.", ""], 6, |row| row.code.instructions.to_string()),
    of_row(["", "loads"], 5, |row| row.code.loads.to_string()),
    of_row(["", "stores"], 6, |row| row.code.stores.to_string()),
    of_row(["", "spills"], 6, |row| row.code.spills.to_string()),
    of_row(["code", "bytes"], 6, |row| row.code.bytes.to_string()),
];

const fn of_row(head: [&'static str; 2], width: usize, cell: fn(&Row) -> String) -> Column {
    Column { head, width, left: false, cell: Cell::Row(cell) }
}

const fn of_message(head: [&'static str; 2], width: usize, cell: fn(&ModeRow) -> String) -> Column {
    Column { head, width, left: false, cell: Cell::Message(cell) }
}

impl Column {
    const fn left(self) -> Column {
        let Column { head, width, cell, .. } = self;
        Column { head, width, left: true, cell }
    }

    fn pad(&self, text: &str) -> String {
        match self.left {
            true => format!("{text:<width$}", width = self.width),
            false => format!("{text:>width$}", width = self.width),
        }
    }
}

/// All results as text: what kernels cost, what functions on messages cost, and what limits the figures.
pub fn text(results: &Results) -> String {
    let mut text = String::new();
    if !results.rows.is_empty() || results.functions.is_empty() {
        text += &table(results);
    }
    if !results.functions.is_empty() {
        let apart = if text.is_empty() { "" } else { "\n" };
        text += &(apart.to_string() + &table_of_functions(results));
    }
    text + &notes(results)
}

/// The results of kernels as a table: a part for each instance, C compiler and choice of flags, a line for each slicing, target and
/// length of message.
fn table(results: &Results) -> String {
    let mut out = String::new();
    for line in 0..2 {
        push(&mut out, COLUMNS.iter().map(|column| column.pad(column.head[line])));
    }
    let mut rest: Vec<&Row> = results.rows.iter().collect();
    while let Some(first) = rest.first().map(|row| title(row)) {
        let _ = writeln!(out, "\n{first}");
        rest.retain(|row| {
            let other = title(row) != first;
            if !other {
                lines(&mut out, row);
            }
            other
        });
    }
    let modes: Vec<&str> = ["ctr", "ecb", "blocks"]
        .into_iter()
        .filter(|mode| results.rows.iter().flat_map(|row| &row.modes).any(|m| m.mode == *mode))
        .collect();
    let _ = writeln!(
        out,
        "\nCore cycles, a byte (c/B) or in all; medians where nothing else is said; messages in {}.\n\
         key: from a key to what is kept of it, once.\n\
         ahead from: the number of blocks from which on it beats the next narrower target; -V beside -P, that one.",
        modes.join(", "),
    );
    if results.rows.iter().all(|row| row.counted.is_none()) {
        out.push_str("This machine offers no performance counters to compare with.\n");
    }
    out
}

/// What the rows of a part have in common.
fn title(row: &Row) -> String {
    let Row { instance, block_bytes, bytes_of, compiler, .. } = row;
    let choices: Vec<&str> = row.configuration.split_whitespace().skip(2).collect();
    let (flags, choices) = (row.flags.join(" "), choices.join(" "));
    let of = if bytes_of.is_empty() { String::new() } else { format!(" {bytes_of}") };
    format!("{instance}, {block_bytes} bytes{of} a block; {compiler} {flags}; {choices}")
}

fn lines(out: &mut String, row: &Row) {
    for (k, mode) in row.modes.iter().enumerate() {
        let cell = |column: &Column| match &column.cell {
            Cell::Row(_) if k > 0 => String::new(),
            Cell::Row(text) => text(row),
            Cell::Message(text) => text(mode),
        };
        push(out, COLUMNS.iter().map(|column| column.pad(&cell(column))));
        mode.against.iter().for_each(|other| rival(out, other));
    }
}

/// The line of another library: its figures stand below ours.
fn rival(out: &mut String, other: &AgainstRow) {
    let AgainstRow { library, version, features, cost, ratio } = other;
    let name: String = format!("  {library} {version} ({features})").chars().take(44).collect();
    let (min, median) = (figure(cost.min), figure(cost.median));
    let spread = format!("{:.1}%", 100.0 * cost.spread);
    let _ = writeln!(out, "{name:<44} {min:>6} {median:>6} {spread:>6} {ratio:>7.2} × ours");
}

/// A line without blanks at its end.
fn push(out: &mut String, cells: impl Iterator<Item = String>) {
    let line = cells.collect::<Vec<_>>().join(" ");
    out.push_str(line.trim_end());
    out.push('\n');
}

fn notes(results: &Results) -> String {
    let host = &results.host;
    let mut text = format!(
        "{}, {:.3} core cycles for each of the time-stamp counter; {}.\n",
        host.cpu, host.core_per_tick, results.date,
    );
    for warning in &host.warnings {
        let _ = writeln!(text, "warning: {warning}");
    }
    for skipped in &results.skipped {
        let _ = writeln!(text, "not run: {}: {}", skipped.what, skipped.why);
    }
    text
}

/// A figure with three or four significant digits.
pub fn figure(value: f64) -> String {
    match value {
        v if v < 1.0 => format!("{v:.3}"),
        v if v < 100.0 => format!("{v:.2}"),
        v => format!("{v:.1}"),
    }
}
