//! What colours mean: samples with names, above a figure.

use super::svg::{width, Anchor, Drawing};

/// The height of one line of samples.
const LINE: f64 = 20.0;

/// A sample's class and its name. Classes that end in `-line` are strokes, others areas.
pub type Sample<'a> = (&'a str, &'a str);

/// Where each sample stands: its left end, and its line.
fn places(samples: &[Sample], width_of_all: f64) -> Vec<(f64, usize)> {
    let (mut x, mut line) = (0.0, 0);
    samples
        .iter()
        .map(|(_, name)| {
            let own = 20.0 + width(name);
            if x > 0.0 && x + own > width_of_all {
                (x, line) = (0.0, line + 1);
            }
            let place = (x, line);
            x += own + 16.0;
            place
        })
        .collect()
}

/// The height of samples that are set in lines of a width.
pub fn height(samples: &[Sample], width_of_all: f64) -> f64 {
    places(samples, width_of_all).last().map_or(0.0, |(_, line)| (line + 1) as f64 * LINE + 6.0)
}

/// Draws samples in lines of a width, from a corner.
pub fn draw(drawing: &mut Drawing, corner: (f64, f64), samples: &[Sample], width_of_all: f64) {
    for ((class, name), (x, line)) in samples.iter().zip(places(samples, width_of_all)) {
        let (x, y) = (corner.0 + x, corner.1 + line as f64 * LINE);
        match class.contains("-line") {
            true => drawing.line((x + 6.0, y + 1.0), (x + 6.0, y + 15.0), class),
            false => drawing.rectangle((x, y + 2.0), (12.0, 12.0), class, ""),
        }
        drawing.text((x + 18.0, y + 13.0), Anchor::Start, "", name);
    }
}
