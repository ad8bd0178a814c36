//! Bars that share out a whole: parts of 100 %, one bar for each slicing and target.

use super::scale::Scale;
use super::svg::{width, Anchor, Drawing};
use super::{legend, theme};

const WIDTH: f64 = 520.0;
const BAR: f64 = 16.0;
const LINE: f64 = 21.0;
const GAP: f64 = 8.0;

/// A bar.
pub struct Bar {
    /// What bars that stand together have in common: a target.
    pub group: String,
    /// Its own name: a slicing.
    pub label: String,
    /// Its parts, in the order of the series.
    pub parts: Vec<f64>,
    /// What stands at its end: the whole.
    pub total: String,
}

/// The names of a figure's parts.
pub struct Names<'a> {
    /// What the figure shows.
    pub title: &'a str,
    /// What the axis shows.
    pub axis: &'a str,
    /// What the totals are.
    pub total: &'a str,
    /// The series.
    pub series: &'a [&'a str],
}

/// Draws bars; those of a group stand together.
pub fn draw(bars: &[Bar], names: &Names) -> Drawing {
    let used = |k: usize| bars.iter().any(|bar| bar.parts.get(k).is_some_and(|part| *part > 0.0));
    let series = names.series.iter().enumerate().filter(|(k, _)| used(*k));
    let samples: Vec<legend::Sample> = series.map(|(k, name)| (theme::series(k), *name)).collect();
    let widest =
        |text: fn(&Bar) -> &str| bars.iter().map(|bar| width(text(bar))).fold(0.0, f64::max);
    let group = widest(|bar| &bar.group) + 10.0;
    let left = group + widest(|bar| &bar.label) + 8.0;
    let right = (widest(|bar| &bar.total)).max(width(names.total)) + 10.0;
    let starts = |k: usize| k == 0 || bars[k - 1].group != bars[k].group;
    let gaps = (0..bars.len()).filter(|k| starts(*k)).count() as f64;
    let head = legend::height(&samples, WIDTH);
    let top = head + 20.0;
    let bottom = top + LINE * bars.len() as f64 + GAP * gaps;
    let mut drawing = Drawing::new(WIDTH, bottom + 42.0, names.title);
    legend::draw(&mut drawing, (0.0, 0.0), &samples, WIDTH);
    drawing.text((WIDTH, head + 14.0), Anchor::End, "soft", names.total);
    let scale = Scale::new(100.0, 4, WIDTH - left - right);
    for (value, text) in scale.ticks() {
        let x = left + scale.at(value);
        drawing.line((x, top), (x, bottom + 4.0), "line-line");
        drawing.text((x, bottom + 17.0), Anchor::Middle, "soft", &text);
    }
    let middle = left + scale.length / 2.0;
    drawing.text((middle, bottom + 35.0), Anchor::Middle, "soft axis", names.axis);
    let mut y = top;
    for (k, bar) in bars.iter().enumerate() {
        if starts(k) {
            y += GAP;
            drawing.text((0.0, y + BAR - 3.0), Anchor::Start, "strong", &bar.group);
        }
        drawing.text((group, y + BAR - 3.0), Anchor::Start, "", &bar.label);
        draw_bar(&mut drawing, (left, y), &scale, bar, names);
        drawing.text((WIDTH, y + BAR - 3.0), Anchor::End, "", &bar.total);
        y += LINE;
    }
    drawing
}

fn draw_bar(drawing: &mut Drawing, at: (f64, f64), scale: &Scale, bar: &Bar, names: &Names) {
    let whole: f64 = bar.parts.iter().sum();
    let mut x = at.0;
    for (k, part) in bar.parts.iter().enumerate().filter(|(_, part)| **part > 0.0) {
        let percent = 100.0 * part / whole;
        let length = scale.at(percent);
        let tip = format!("{}: {percent:.1} %", names.series[k]);
        // A sliver of paper keeps neighbours apart.
        let own = (length - 1.0).max(length / 2.0);
        drawing.rectangle((x, at.1), (own, BAR), theme::series(k), &tip);
        let text = format!("{percent:.0}");
        if width(&text) + 6.0 < own {
            drawing.text((x + own / 2.0, at.1 + BAR - 3.0), Anchor::Middle, "on strong", &text);
        }
        x += length;
    }
}
