//! Tables of functions on messages: rows of variants and, below them, of other libraries.

use super::{figure, heading};
use crate::results::{AgainstRow, FunctionRow, Results};
use crate::suite::{Functions, FunctionsRow};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A table: a line for each variant, then one for each function of another library.
pub fn functions(out: &mut String, table: &Functions, results: &Results) {
    heading(out, &table.title, &table.origin);
    let points: Vec<(u32, u32)> = table
        .bytes
        .iter()
        .flat_map(|bytes| table.messages.iter().map(move |count| (*bytes, *count)))
        .collect();
    head(out, table, &points);
    for row in &table.rows {
        let cells = points.iter().map(|point| cost(results, row, *point));
        line(out, &row.function, &row.target, cells, &row.said);
    }
    let others = others(table, results);
    for ((function, library), costs) in &others {
        let cells = points.iter().map(|(bytes, count)| match count {
            1 => costs.get(bytes).copied(),
            _ => None,
        });
        line(out, function, library, cells, "");
    }
    out.push('\n');
}

fn head(out: &mut String, table: &Functions, points: &[(u32, u32)]) {
    let bytes_vary = table.bytes.len() > 1 || table.messages.len() == 1;
    let (unit, fixed) = match bytes_vary {
        true => ("bytes", format!("{} at once", table.messages[0])),
        false => ("messages", format!("{} bytes each", table.bytes[0])),
    };
    let fixed =
        if bytes_vary && table.messages[0] == 1 { "one message".to_string() } else { fixed };
    let _ = write!(out, "{:<24} {:<36}", format!("{fixed}; c/B"), unit);
    for (bytes, count) in points {
        let _ = write!(out, " {:>7}", if bytes_vary { bytes } else { count });
    }
    out.push_str("   published\n");
}

fn line(
    out: &mut String,
    function: &str,
    of: &str,
    cells: impl Iterator<Item = Option<f64>>,
    said: &str,
) {
    let mut text = format!("{function:<24} {of:<36}");
    for cell in cells {
        let _ = write!(text, " {:>7}", figure(cell));
    }
    let _ = write!(text, "   {said}");
    let _ = writeln!(out, "{}", text.trim_end());
}

/// The results of a variant with messages of a length that was asked for: they may be shorter by less than a block.
fn rows<'a>(
    results: &'a Results,
    row: &'a FunctionsRow,
    bytes: u32,
) -> impl Iterator<Item = &'a FunctionRow> {
    let bytes = u64::from(bytes);
    results.functions.iter().filter(move |result| {
        let lengths = bytes.saturating_sub(255)..=bytes;
        (&*result.folder, &*result.function, &*result.target)
            == (&*row.folder, &*row.function, &*row.target)
            && lengths.contains(&result.bytes)
    })
}

/// The median of the fastest compiler.
fn cost(results: &Results, row: &FunctionsRow, (bytes, count): (u32, u32)) -> Option<f64> {
    let costs = rows(results, row, bytes).filter_map(|result| result.cost(count));
    costs.map(|cost| cost.median).min_by(f64::total_cmp)
}

/// The medians of other libraries, by function, library and bytes; the fastest of those beside each variant.
fn others(table: &Functions, results: &Results) -> BTreeMap<(String, String), BTreeMap<u32, f64>> {
    let mut all: BTreeMap<(String, String), BTreeMap<u32, f64>> = BTreeMap::new();
    for row in &table.rows {
        for bytes in &table.bytes {
            for result in rows(results, row, *bytes) {
                for AgainstRow { library, version, features, cost, .. } in &result.against {
                    let name = format!("{library} {version} ({features})");
                    let costs = all.entry((row.function.clone(), name)).or_default();
                    let least = costs.entry(*bytes).or_insert(f64::INFINITY);
                    *least = least.min(cost.median);
                }
            }
        }
    }
    all
}
