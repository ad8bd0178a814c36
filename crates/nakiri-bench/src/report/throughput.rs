//! Throughput: a bar for each slicing, a panel for each target, with the bound and others beside it.
//!
//! From 64 to 512 bits costs differ by a factor of 30, so that each target has an axis of its own.

use super::rows::{describe, message, whole, Instance};
use super::scale::{figure, Scale};
use super::svg::{width, Anchor, Drawing};
use super::{legend, Table};
use crate::results::{AgainstRow, Row};

const WIDTH: f64 = 520.0;
const BAR: f64 = 13.0;
const LINE: f64 = 22.0;
const SAMPLES: [legend::Sample; 4] = [
    ("blue", "kernel"),
    ("blue half", "whole message"),
    ("ink-line bold", "bound of the kernel"),
    ("grey", "other libraries, whole message"),
];

/// A line of a panel.
struct Line {
    label: String,
    kernel: Option<f64>,
    whole: Option<f64>,
    bound: Option<f64>,
}

impl Line {
    fn largest(&self) -> f64 {
        [self.kernel, self.whole, self.bound].into_iter().flatten().fold(0.0, f64::max)
    }

    /// The figures at the end of the bar.
    fn figures(&self) -> String {
        let known: Vec<String> =
            [self.kernel, self.whole].into_iter().flatten().map(figure).collect();
        known.join(" · ")
    }
}

fn lines(rows: &[&Row]) -> Vec<Line> {
    let own = rows.iter().map(|row| Line {
        label: row.slicing.clone(),
        kernel: Some(row.kernel.median),
        whole: whole(row).map(|mode| mode.cost.median),
        bound: row.bound.as_ref().map(|bound| bound.cost),
    });
    let others = others(rows).into_iter().map(|other| Line {
        label: format!("{} {}", other.library, other.features),
        kernel: None,
        whole: Some(other.cost.median),
        bound: None,
    });
    own.chain(others).collect()
}

/// The others of a target: those that were timed beside the fastest row that has any.
fn others<'a>(rows: &[&'a Row]) -> Vec<&'a AgainstRow> {
    let timed = rows.iter().filter_map(|row| whole(row)).find(|mode| !mode.against.is_empty());
    let mut others: Vec<&AgainstRow> = timed.iter().flat_map(|mode| &mode.against).collect();
    others.sort_by(|a, b| a.cost.median.total_cmp(&b.cost.median));
    others
}

/// Draws an instance's rows.
pub fn draw(instance: &Instance, title: &str) -> Drawing {
    let panels: Vec<(&str, Vec<Line>)> =
        instance.targets.iter().map(|(target, rows)| (*target, lines(rows))).collect();
    let all = || panels.iter().flat_map(|(_, lines)| lines);
    let left = all().map(|line| width(&line.label)).fold(0.0, f64::max) + 10.0;
    let right = all().map(|line| width(&line.figures())).fold(0.0, f64::max) + 12.0;
    let samples = match all().all(|line| line.kernel.is_some()) {
        true => &SAMPLES[..SAMPLES.len() - 1],
        false => &SAMPLES[..],
    };
    let top = legend::height(samples, WIDTH);
    let panel = |lines: &[Line]| 24.0 + LINE * lines.len() as f64 + 34.0;
    let height = top + panels.iter().map(|(_, lines)| panel(lines)).sum::<f64>() + 18.0;
    let mut drawing = Drawing::new(WIDTH, height, title);
    legend::draw(&mut drawing, (0.0, 0.0), samples, WIDTH);
    let mut y = top;
    for (target, lines) in &panels {
        draw_panel(&mut drawing, (left, y), WIDTH - left - right, target, lines);
        y += panel(lines);
    }
    let middle = left + (WIDTH - left - right) / 2.0;
    drawing.text(
        (middle, height - 5.0),
        Anchor::Middle,
        "soft axis",
        "core cycles per byte (each target has its own axis)",
    );
    drawing
}

fn draw_panel(drawing: &mut Drawing, at: (f64, f64), length: f64, target: &str, lines: &[Line]) {
    let (left, top) = (at.0, at.1 + 24.0);
    let largest = lines.iter().map(Line::largest).fold(0.0, f64::max);
    let scale = Scale::new(largest, 4, length);
    let bottom = top + LINE * lines.len() as f64;
    drawing.text((0.0, at.1 + 14.0), Anchor::Start, "strong", &describe(target));
    for (value, text) in scale.ticks() {
        let x = left + scale.at(value);
        drawing.line((x, top), (x, bottom + 4.0), "line-line");
        drawing.text((x, bottom + 17.0), Anchor::Middle, "soft", &text);
    }
    for (k, line) in lines.iter().enumerate() {
        let y = top + LINE * k as f64 + (LINE - BAR) / 2.0;
        draw_line(drawing, (left, y), &scale, line);
    }
    drawing.line((left, top), (left, bottom), "soft-line");
}

fn draw_line(drawing: &mut Drawing, at: (f64, f64), scale: &Scale, line: &Line) {
    let (x, y) = at;
    let class = if line.kernel.is_some() { "strong" } else { "soft" };
    drawing.text((x - 8.0, y + BAR - 2.0), Anchor::End, class, &line.label);
    if let Some(whole) = line.whole {
        let class = if line.kernel.is_some() { "blue half" } else { "grey" };
        drawing.rectangle(
            (x, y),
            (scale.at(whole), BAR),
            class,
            &format!("whole message: {}", figure(whole)),
        );
    }
    if let Some(kernel) = line.kernel {
        drawing.rectangle(
            (x, y),
            (scale.at(kernel), BAR),
            "blue",
            &format!("kernel: {}", figure(kernel)),
        );
    }
    if let Some(bound) = line.bound {
        let bound = x + scale.at(bound);
        drawing.line((bound, y - 3.0), (bound, y + BAR + 3.0), "paper-line halo");
        drawing.line((bound, y - 3.0), (bound, y + BAR + 3.0), "ink-line bold");
    }
    let end = x + scale.at(line.largest()) + 6.0;
    drawing.text((end, y + BAR - 2.0), Anchor::Start, "", &line.figures());
}

/// The numbers of the figure and what they were measured with.
pub fn table(instance: &Instance) -> Table {
    let mut table = Table::new(&[
        "target",
        "what",
        "compiler or version",
        "configuration",
        "kernel#",
        "fastest sample#",
        "spread#",
        "bound#",
        "bound by",
        "kernel ÷ bound#",
        "message",
        "cost#",
        "theirs ÷ ours#",
    ]);
    for (target, rows) in &instance.targets {
        for row in rows {
            let bound = row.bound.as_ref();
            let mode = whole(row);
            table.rows.push(vec![
                target.to_string(),
                row.slicing.clone(),
                format!("{} {}", row.compiler, row.flags.join(" ")),
                row.configuration.clone(),
                figure(row.kernel.median),
                figure(row.kernel.min),
                format!("{:.1} %", 100.0 * row.kernel.spread),
                bound.map_or(String::new(), |bound| figure(bound.cost)),
                bound.map_or(String::new(), |bound| format!("{} ({})", bound.binds, bound.machine)),
                bound.map_or(String::new(), |bound| {
                    format!("{:.2}", row.kernel.median / bound.cost)
                }),
                mode.map_or(String::new(), message),
                mode.map_or(String::new(), |mode| figure(mode.cost.median)),
                String::new(),
            ]);
            for other in mode.iter().flat_map(|mode| &mode.against) {
                let mut cells = vec![String::new(); 13];
                cells[0] = target.to_string();
                cells[1] = format!("{} beside {}", other.library, row.slicing);
                cells[2] = format!("{} {}", other.version, other.features);
                cells[10] = mode.map_or(String::new(), message);
                cells[11] = figure(other.cost.median);
                cells[12] = format!("{:.2}", other.ratio);
                table.rows.push(cells);
            }
        }
    }
    table
}
