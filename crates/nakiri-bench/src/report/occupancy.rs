//! How many lanes have a job, tick by tick.

use super::scale::Scale;
use super::svg::{Anchor, Drawing};

/// How jobs were given to lanes, and what came of it.
#[derive(Clone, Debug)]
pub struct Trace {
    /// How, and what share of all lanes and ticks was of use.
    pub title: String,
    /// How many lanes had a job in each of the first ticks.
    pub busy: Vec<u32>,
}

const WIDTH: f64 = 760.0;
const LEFT: f64 = 52.0;
const PANEL: f64 = 110.0;
const BETWEEN: f64 = 34.0;

/// Draws traces of as many ticks one below the other; a lane with a job is a part of the area.
pub fn draw(traces: &[Trace], lanes: u32, title: &str) -> Drawing {
    let height = (PANEL + BETWEEN) * traces.len() as f64 + 40.0;
    let mut drawing = Drawing::new(WIDTH, height, title);
    let ticks = traces.iter().map(|trace| trace.busy.len()).max().unwrap_or(0);
    let across = Scale::new(ticks as f64, 6, WIDTH - LEFT - 16.0);
    for (k, trace) in traces.iter().enumerate() {
        let top = BETWEEN + (PANEL + BETWEEN) * k as f64;
        drawing.text((LEFT, top - 12.0), Anchor::Start, "strong", &trace.title);
        panel(&mut drawing, trace, lanes, top, &across);
    }
    let bottom = (PANEL + BETWEEN) * traces.len() as f64;
    for (value, text) in across.ticks() {
        drawing.text((LEFT + across.at(value), bottom + 17.0), Anchor::Middle, "soft", &text);
    }
    drawing.text((LEFT + across.length / 2.0, bottom + 35.0), Anchor::Middle, "soft", "tick");
    drawing
}

fn panel(drawing: &mut Drawing, trace: &Trace, lanes: u32, top: f64, across: &Scale) {
    let bottom = top + PANEL;
    let at = |tick: usize, lanes_busy: u32| {
        let x = LEFT + across.at(tick as f64);
        (x, bottom - PANEL * f64::from(lanes_busy) / f64::from(lanes.max(1)))
    };
    let mut area = vec![at(0, 0)];
    for (tick, busy) in trace.busy.iter().enumerate() {
        // A run of ticks alike is one step.
        let is_new = tick == 0 || trace.busy[tick - 1] != *busy;
        if is_new {
            area.extend([at(tick, *trace.busy[..tick].last().unwrap_or(busy)), at(tick, *busy)]);
        }
    }
    let end = trace.busy.len();
    area.extend([at(end, *trace.busy.last().unwrap_or(&0)), at(end, 0)]);
    drawing.path(&area, "blue");
    for share in [0, lanes / 2, lanes] {
        let (_, y) = at(0, share);
        drawing.line((LEFT, y), (LEFT + across.length, y), "line-line");
        drawing.text((LEFT - 6.0, y + 4.0), Anchor::End, "soft", &share.to_string());
    }
    drawing.upright((14.0, top + PANEL / 2.0), Anchor::Middle, "soft", "lanes with a job");
}
