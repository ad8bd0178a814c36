//! A suite's tables as text: what was published, and what was measured here.

mod functions;

use super::{Comparison, Grid, Measure, Scaling, Suite};
use crate::results::{Results, Row};
use std::collections::BTreeMap;
use std::fmt::Write;

/// All tables of a suite. `lines` are the source lines of each instance's cipher. What was not measured is a dash.
pub fn render(suite: &Suite, results: &Results, lines: &BTreeMap<String, u32>) -> String {
    let mut out = String::new();
    for table in &suite.comparison {
        comparison(&mut out, table, results, lines);
    }
    for table in &suite.scaling {
        scaling(&mut out, table, results);
    }
    for table in &suite.grid {
        grid(&mut out, table, results);
    }
    for table in &suite.functions {
        functions::functions(&mut out, table, results);
    }
    out
}

impl Measure {
    /// Core cycles per byte of a row, the median.
    fn of(self, row: &Row) -> Option<f64> {
        match self {
            Measure::Kernel => Some(row.kernel.median),
            Measure::Mode => row.modes.iter().max_by_key(|m| m.bytes).map(|m| m.cost.median),
        }
    }
}

/// The fastest of the rows of an instance in a slicing on a target: whatever the compiler and its flags.
fn fastest(
    results: &Results,
    measure: Measure,
    instance: &str,
    slicing: &str,
    target: &str,
) -> Option<f64> {
    let fits = |r: &&Row| r.instance == instance && r.slicing == slicing && r.target == target;
    results.rows.iter().filter(fits).filter_map(|row| measure.of(row)).min_by(f64::total_cmp)
}

fn heading(out: &mut String, title: &str, origin: &str) {
    let _ = writeln!(out, "{title}\n{}", "─".repeat(title.chars().count()));
    let mut width = 0;
    for word in origin.split_whitespace() {
        if width + word.chars().count() > 110 {
            out.push('\n');
            width = 0;
        }
        let space = if width > 0 { " " } else { "" };
        let _ = write!(out, "{space}{word}");
        width += word.chars().count() + 1;
    }
    out.push_str("\n\n");
}

/// A figure with three significant digits, or a dash.
fn figure(value: Option<f64>) -> String {
    match value.filter(|value| value.is_finite()) {
        None => "–".to_string(),
        Some(value) if value < 1.0 => format!("{value:.3}"),
        Some(value) if value < 10.0 => format!("{value:.2}"),
        Some(value) => format!("{value:.1}"),
    }
}

fn times(value: Option<f64>) -> String {
    value.map_or("–".to_string(), |value| format!("{value:.2}×"))
}

fn comparison(
    out: &mut String,
    table: &Comparison,
    results: &Results,
    lines: &BTreeMap<String, u32>,
) {
    heading(out, &table.title, &table.origin);
    let _ = writeln!(
        out,
        "{:<18} {:<3} {:<8} {:>17}   {:>9} {:>7}   {:>6}",
        "", "", "", "source lines", "published", "", "here"
    );
    let _ = writeln!(
        out,
        "{:<18} {:<3} {:<8} {:>5} {:>5} {:>5}   {:>9} {:>7}   {:>6}",
        "cipher", "", "set", "ref.", "Usuba", "ours", "reference", "Usuba", "ours"
    );
    for row in &table.rows {
        let count = |k: usize| row.lines.map_or("–".to_string(), |lines| lines[k].to_string());
        let own = lines.get(&row.instance).map_or("–".to_string(), u32::to_string);
        let here = fastest(results, table.measure, &row.instance, &row.slicing, &row.target);
        let _ = writeln!(
            out,
            "{:<18} {:<3} {:<8} {:>5} {:>5} {:>5}   {:>9} {:>7}   {:>6}",
            row.instance,
            row.slicing,
            row.set,
            count(0),
            count(1),
            own,
            figure(row.reference),
            figure(Some(row.usuba)),
            figure(here),
        );
    }
    out.push('\n');
}

fn scaling(out: &mut String, table: &Scaling, results: &Results) {
    heading(out, &table.title, &table.origin);
    let _ = write!(out, "{:<18} {:>9}", "cipher", "c/B");
    for target in &table.targets {
        let _ = write!(out, " {target:>8}");
    }
    out.push_str("   published\n");
    for row in &table.rows {
        let cost =
            |target: &str| fastest(results, Measure::Kernel, &row.instance, &table.slicing, target);
        let first = table.targets.first().and_then(|target| cost(target));
        let _ = write!(out, "{:<18} {:>9}", row.instance, figure(first));
        for target in &table.targets {
            let ratio = first.zip(cost(target)).map(|(first, cost)| first / cost);
            let _ = write!(out, " {:>8}", times(ratio));
        }
        let _ = writeln!(out, "   {}", row.said);
    }
    out.push('\n');
}

fn grid(out: &mut String, table: &Grid, results: &Results) {
    heading(out, &table.title, &table.origin);
    let _ = write!(out, "{:<18} {:<3} {:<9}", "cipher", "", "");
    for target in &table.targets {
        let _ = write!(out, " {target:>8}");
    }
    out.push('\n');
    let mut ratios = Vec::new();
    for row in &table.rows {
        let here: Vec<Option<f64>> = table
            .targets
            .iter()
            .map(|target| fastest(results, table.measure, &row.instance, &row.slicing, target))
            .collect();
        grid_line(out, &row.instance, &row.slicing, "here", here.iter().map(|v| figure(*v)));
        if row.usuba.is_empty() {
            continue;
        }
        let published = row.usuba.iter().map(|v| figure(Some(*v)));
        grid_line(out, "", "", "published", published);
        let ratio = |(here, published): (&Option<f64>, &f64)| here.map(|here| published / here);
        let row_ratios: Vec<Option<f64>> = here
            .iter()
            .zip(&row.usuba)
            .map(|pair| ratio(pair).filter(|ratio| ratio.is_finite()))
            .collect();
        grid_line(out, "", "", "ratio", row_ratios.iter().map(|v| times(*v)));
        ratios.extend(row_ratios.into_iter().flatten());
    }
    if !ratios.is_empty() {
        let mean = (ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len() as f64).exp();
        let slower = ratios.iter().filter(|ratio| **ratio < 0.97).count();
        let _ = writeln!(
            out,
            "Published ÷ here, geometric mean of {}: {mean:.2}; {slower} more than 3 % slower here.",
            ratios.len()
        );
    }
    out.push('\n');
}

fn grid_line(
    out: &mut String,
    instance: &str,
    slicing: &str,
    what: &str,
    figures: impl Iterator<Item = String>,
) {
    let _ = write!(out, "{instance:<18} {slicing:<3} {what:<9}");
    for figure in figures {
        let _ = write!(out, " {figure:>8}");
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Statistics;
    use crate::results::Host;

    fn row(instance: &str, slicing: &str, target: &str, cost: f64) -> Row {
        let cost = Statistics { min: cost, median: cost, spread: 0.0, samples: 1 };
        let text = serde_json::json!({
            "cipher": instance, "instance": instance, "slicing": slicing, "target": target,
            "configuration": "", "compiler": "gcc", "flags": [], "blocks": 1, "block_bytes": 8,
            "kernel": cost, "transposition": cost, "modes": [], "latency": cost,
            "break_even": null, "code": crate::results::Code::default(), "bound": null,
        });
        serde_json::from_value(text).expect("row")
    }

    fn results(rows: Vec<Row>) -> Results {
        let host = Host {
            cpu: String::new(),
            model: None,
            features: vec![],
            core_per_tick: 1.0,
            warnings: vec![],
        };
        Results {
            host,
            date: String::new(),
            version: String::new(),
            rows,
            functions: vec![],
            skipped: vec![],
        }
    }

    #[test]
    fn all_suites_are_read() {
        for name in Suite::names() {
            let suite = Suite::find(name).expect("suite");
            for table in &suite.functions {
                let lines = [&table.bytes, &table.messages].map(Vec::len);
                assert!(lines.contains(&1), "{}: a line has one dimension", table.title);
                let known = |target: &str| {
                    let base = target.split([':', '+']).next().unwrap_or_default();
                    nakiri::isa::find(base).is_some()
                };
                assert!(table.rows.iter().all(|row| row.target.split(',').all(known)));
            }
        }
        assert!(Suite::find("none").is_none());
    }

    #[test]
    fn the_suite_is_read_and_wants_each_row_once() {
        let suite = Suite::find("papers").expect("suite");
        let wanted = suite.wanted();
        assert!(wanted.iter().any(|w| w.instance == "gift128_fixsliced" && w.target == "avx512"));
        assert!(wanted.len() > 90, "{}", wanted.len());
        assert!(suite.grid.iter().all(|grid| grid
            .rows
            .iter()
            .all(|row| row.usuba.is_empty() || row.usuba.len() == grid.targets.len())));
    }

    #[test]
    fn the_fastest_compiler_counts_and_what_is_missing_is_a_dash() {
        let suite = Suite::find("papers").expect("suite");
        let rows = vec![row("des", "B", "gp64", 9.0), row("des", "B", "gp64", 8.0)];
        let text = render(&suite, &results(rows), &BTreeMap::from([("des".to_string(), 77)]));
        let line = |start: &str| text.lines().find(|l| l.starts_with(start)).map(str::to_string);
        let kernels = text.split("2020: kernels").nth(1).expect("table");
        let des = kernels.lines().find(|line| line.starts_with("des")).expect("row");
        assert!(
            des.split_whitespace()
                .eq(["des", "B", "x86-64", "1053", "655", "77", "11.3", "10.6", "8.00"]),
            "{des}"
        );
        assert!(line("aes128").is_some_and(|line| line.ends_with('–')), "{text}");
        assert!(text.contains("Published ÷ here, geometric mean of 1: 1.20"), "{text}");
    }
}
