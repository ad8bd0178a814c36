//! Where wires run between two columns: each net has a vertical track, and nets on one track don't touch.
//!
//! After Hashimoto and Stevens, "Wire routing by optimizing channel assignment within large apertures" (1971), with
//! the constraint of two-sided channels that a wire must not run over another's end.

use super::place::{Column, Source};

/// Wires nearer than this would touch.
const APART: f64 = 4.0;

/// A net in a channel: from one height on the left to some on the right.
#[derive(Clone, Debug)]
pub struct Net {
    /// Its signal.
    pub source: Source,
    /// Its height on the left.
    pub from: f64,
    /// Its heights on the right.
    pub sinks: Vec<f64>,
    /// Its track.
    pub track: usize,
}

impl Net {
    fn span(&self) -> (f64, f64) {
        let low = self.sinks.iter().copied().fold(self.from, f64::min);
        let high = self.sinks.iter().copied().fold(self.from, f64::max);
        (low, high)
    }

    /// Whether it needs no track.
    pub fn is_straight(&self) -> bool {
        let (low, high) = self.span();
        high - low < 0.5
    }

    /// Where three or more parts of it meet on its track.
    pub fn junctions(&self) -> Vec<f64> {
        if self.is_straight() {
            return Vec::new();
        }
        let (low, high) = self.span();
        let mut ends: Vec<f64> = self.sinks.iter().copied().chain([self.from]).collect();
        ends.sort_by(f64::total_cmp);
        ends.dedup_by(|a, b| (*a - *b).abs() < 0.5);
        // Inside of its span every end meets the track; at its ends only if both sides do.
        let both =
            |y: f64| (self.from - y).abs() < 0.5 && self.sinks.iter().any(|s| (s - y).abs() < 0.5);
        ends.into_iter().filter(|y| (*y > low + 0.5 && *y < high - 0.5) || both(*y)).collect()
    }
}

/// The wires between two columns.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Its nets.
    pub nets: Vec<Net>,
    /// How many tracks it has.
    pub tracks: usize,
}

/// Routes the wires between two columns.
pub fn channel(left: &Column, right: &Column) -> Channel {
    let mut nets: Vec<Net> = Vec::new();
    for slot in &left.slots {
        let taken = right.slots.iter().flat_map(|to| to.takes.iter().map(move |take| (to.y, take)));
        let sinks: Vec<f64> = taken
            .filter(|(_, (source, _))| *source == slot.source)
            .map(|(y, (_, pin))| y + pin)
            .collect();
        if !sinks.is_empty() {
            nets.push(Net { source: slot.source, from: slot.y, sinks, track: 0 });
        }
    }
    let order = order(&nets);
    let mut placed: Vec<usize> = Vec::new();
    for &k in &order {
        if nets[k].is_straight() {
            continue;
        }
        let least = placed.iter().filter(|other| must_follow(&nets[k], &nets[**other]));
        let least = least.map(|other| nets[*other].track + 1).max().unwrap_or(0);
        let taken = |track: usize| {
            placed.iter().any(|o| nets[*o].track == track && touch(&nets[*o], &nets[k]))
        };
        nets[k].track = (least..).find(|track| !taken(*track)).unwrap_or(least);
        placed.push(k);
    }
    let tracks = placed.iter().map(|k| nets[*k].track + 1).max().unwrap_or(0);
    Channel { nets, tracks }
}

fn touch(a: &Net, b: &Net) -> bool {
    let ((a, b), (c, d)) = (a.span(), b.span());
    a < d + APART && c < b + APART
}

/// Whether the track of `net` must be on the right of that of `other`: a sink of `net` is level with where `other` comes
/// from.
fn must_follow(net: &Net, other: &Net) -> bool {
    net.sinks.iter().any(|sink| (sink - other.from).abs() < APART)
}

/// An order in which nets come after those that they must follow, as far as there is one; shorter nets first.
fn order(nets: &[Net]) -> Vec<usize> {
    let length = |k: &usize| {
        let (low, high) = nets[*k].span();
        high - low
    };
    let mut left: Vec<usize> = (0..nets.len()).collect();
    left.sort_by(|a, b| length(a).total_cmp(&length(b)));
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let waits = |k: usize| left.iter().any(|o| *o != k && must_follow(&nets[k], &nets[*o]));
        // Where nets wait for each other in a circle, one has to begin.
        let next = left.iter().position(|k| !waits(*k)).unwrap_or(0);
        order.push(left.remove(next));
    }
    order
}
