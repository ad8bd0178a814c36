//! Results as text for a terminal, and as comma-separated values.

use crate::measure::Statistics;
use crate::results::{Results, Row};
use std::fmt::Write;

/// The rows as a table, one line for each length of message.
pub fn table(results: &Results) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{:<17} {:<9} {:<12} {:>7} {:>7} {:>7} {:>15} {:>8} {:>6} {:>7} {:>6} {:>7}",
        "",
        "slicing",
        "",
        "kernel",
        "transp.",
        "message",
        "c/B",
        "latency",
        "from",
        "instr.",
        "spills",
        "bytes"
    );
    let _ = writeln!(
        out,
        "{:<17} {:<9} {:<12} {:>7} {:>7} {:>7} {:>7} {:>7} {:>8} {:>6} {:>7} {:>6} {:>7}",
        "instance",
        "target",
        "compiler",
        "c/B",
        "c/B",
        "bytes",
        "minimum",
        "median",
        "cycles",
        "blocks",
        "",
        "",
        ""
    );
    let mut before = "";
    for row in &results.rows {
        if row.cipher != before && !before.is_empty() {
            out.push('\n');
        }
        before = &row.cipher;
        lines(&mut out, row);
    }
    let _ = writeln!(
        out,
        "\nCore cycles, medians where not said otherwise; {}; one core cycle is {:.3} of the time-stamp counter's.",
        results.host.cpu,
        1.0 / results.host.core_per_tick.max(f64::MIN_POSITIVE)
    );
    for skipped in &results.skipped {
        let _ = writeln!(out, "not run: {}: {}", skipped.what, skipped.why);
    }
    out
}

fn lines(out: &mut String, row: &Row) {
    let place = format!("{} {}", row.slicing, row.target);
    let code = &row.code;
    for (k, mode) in row.modes.iter().enumerate() {
        let first = |text: String| if k == 0 { text } else { String::new() };
        let _ = writeln!(
            out,
            "{:<17} {:<9} {:<12} {:>7} {:>7} {:>7} {:>7} {:>7} {:>8} {:>6} {:>7} {:>6} {:>7}",
            first(row.instance.clone()),
            first(place.clone()),
            first(row.compiler.clone()),
            first(figure(row.kernel.median)),
            first(figure(row.transposition.median)),
            mode.bytes,
            figure(mode.cost.min),
            figure(mode.cost.median),
            first(format!("{:.0}", row.latency.median)),
            first(row.break_even.map_or(String::new(), |blocks| blocks.to_string())),
            first(code.instructions.to_string()),
            first(code.spills.to_string()),
            first(code.bytes.to_string()),
        );
        for other in &mode.against {
            let name = format!("  {} {}", other.library, other.version);
            let _ = writeln!(
                out,
                "{:<48} {:>23} {:>7}   {:.2} × ours",
                format!("{name} ({})", other.features),
                figure(other.cost.min),
                figure(other.cost.median),
                other.ratio
            );
        }
    }
}

/// A figure with three or four significant digits.
pub fn figure(value: f64) -> String {
    match value {
        v if v < 1.0 => format!("{v:.3}"),
        v if v < 100.0 => format!("{v:.2}"),
        v => format!("{v:.1}"),
    }
}

/// The columns of [`csv`].
const COLUMNS: &str = "cipher,instance,slicing,target,configuration,compiler,flags,blocks,block_bytes,library,version,features,\
what,bytes,min,median,spread,samples,instructions,loads,stores,spills,code_bytes,break_even,bound";

/// The rows as comma-separated values: a line for each figure, ours and others'.
pub fn csv(results: &Results) -> String {
    let mut out = format!("{COLUMNS}\n");
    for row in &results.rows {
        let ours = ["nakiri", &results.version, &row.target];
        let batch = u64::from(row.blocks) * u64::from(row.block_bytes);
        line(&mut out, row, ours, "kernel", batch, &row.kernel);
        line(&mut out, row, ours, "transposition", batch, &row.transposition);
        line(&mut out, row, ours, "latency", batch, &row.latency);
        for mode in &row.modes {
            line(&mut out, row, ours, &mode.mode, mode.bytes, &mode.cost);
            for other in &mode.against {
                let whose = [&*other.library, &other.version, &other.features];
                line(&mut out, row, whose, &mode.mode, mode.bytes, &other.cost);
            }
        }
    }
    out
}

fn line(out: &mut String, row: &Row, whose: [&str; 3], what: &str, bytes: u64, cost: &Statistics) {
    let code = &row.code;
    let optional = |value: Option<String>| value.unwrap_or_default();
    let cells = [
        row.cipher.clone(),
        row.instance.clone(),
        row.slicing.clone(),
        row.target.clone(),
        row.configuration.clone(),
        row.compiler.clone(),
        row.flags.join(" "),
        row.blocks.to_string(),
        row.block_bytes.to_string(),
        whose[0].to_string(),
        whose[1].to_string(),
        whose[2].to_string(),
        what.to_string(),
        bytes.to_string(),
        cost.min.to_string(),
        cost.median.to_string(),
        cost.spread.to_string(),
        cost.samples.to_string(),
        code.instructions.to_string(),
        code.loads.to_string(),
        code.stores.to_string(),
        code.spills.to_string(),
        code.bytes.to_string(),
        optional(row.break_even.map(|blocks| blocks.to_string())),
        optional(row.bound.as_ref().map(|bound| bound.cost.to_string())),
    ];
    let cells: Vec<String> = cells.iter().map(|cell| quoted(cell)).collect();
    let _ = writeln!(out, "{}", cells.join(","));
}

/// A cell, in quotes if it needs them (RFC 4180).
fn quoted(cell: &str) -> String {
    match cell.contains([',', '"', '\n']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_string(),
    }
}
