//! The circuits that the compiler takes: the best of few, by numbers of steps that are the same on every machine.

use super::{Limits, Towers};
use crate::circuit::search::{improve, Settings};
use crate::circuit::{minimize, Circuit, Table};

/// How many circuits are built.
const CIRCUITS: u64 = 16;

/// How many of the smallest circuits are built again with more steps, and how many of those that are small for their depth.
const AGAIN: (usize, usize) = (1, 2);

/// How many gates an out-of-order core computes while it waits for one.
const BESIDE: usize = 4;

/// Circuits for a table that is inversion in GF(2^8) but for affine maps: the smallest first, each of the others with less
/// depth than those before it. None for other tables.
pub fn brief(table: &Table) -> Vec<Circuit> {
    let Some(towers) = Towers::of_table(table, 1, &Limits::short()) else { return Vec::new() };
    let build = |seed: u64, limits: &Limits| {
        let circuit = minimize(&towers.build(seed, limits)?);
        let settings = Settings { seed, steps: 100, ..Settings::default() };
        Some((improve(&circuit, settings), seed))
    };
    let first = (1..=CIRCUITS).filter_map(|seed| build(seed, &Limits::short()));
    let mut built: Vec<(Circuit, u64)> = first.collect();
    let mut seeds = Vec::new();
    let is_small = |circuit: &Circuit| (circuit.size(), circuit.depth());
    let is_quick =
        |circuit: &Circuit| (circuit.size().max(BESIDE * circuit.depth()), circuit.size());
    for (count, key) in [(AGAIN.0, is_small as fn(&Circuit) -> _), (AGAIN.1, is_quick)] {
        built.sort_by_key(|(circuit, seed)| (key(circuit), *seed));
        let others = built.iter().map(|(_, seed)| *seed).filter(|seed| !seeds.contains(seed));
        let more: Vec<u64> = others.take(count).collect();
        seeds.extend(more);
    }
    built.extend(seeds.into_iter().filter_map(|seed| build(seed, &Limits::longer())));
    let mut circuits: Vec<Circuit> = built.into_iter().map(|(circuit, _)| circuit).collect();
    circuits.sort_by_key(is_small);
    let mut least = usize::MAX;
    circuits.retain(|circuit| {
        let is_shallower = circuit.depth() < least;
        least = least.min(circuit.depth());
        is_shallower
    });
    circuits
}
