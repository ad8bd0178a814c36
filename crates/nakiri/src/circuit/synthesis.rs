//! General synthesis: several cheap strategies, of which the smallest result is taken.

mod algebraic;
mod decompose;
mod resubstitute;

use super::boolean::Function;
use super::builder::Builder;
use super::network::{Literal, Network};
use super::random::Random;
use super::search::Settings;
use super::{phase, search, Circuit, Table};
use decompose::{decompose, Rule};

/// The most inputs for which all values of every signal are kept when a circuit is minimized.
const MOST_EXACT_INPUTS: u8 = 12;

/// A bound on the work of one table, in units of about a function value computed.
const WORK: usize = 1 << 22;

/// A bound on the work of the final search, in units of about a pair of signals compared.
const SEARCH_WORK: usize = 1 << 21;

/// The most steps of one such search.
const MOST_STEPS: usize = 600;

/// How often the search for a table of at most four inputs starts from nothing.
const STARTS: u64 = 3;

/// A circuit for `table`.
pub(super) fn synthesize(table: &Table) -> Circuit {
    let inputs = usize::from(table.inputs);
    let functions: Vec<Function> =
        (0..usize::from(table.outputs)).map(|output| Function::output(table, output)).collect();
    let mut best: Option<(usize, Network, Vec<Literal>)> = None;
    let mut consider = |network: Network, outputs: Vec<Literal>| {
        let cost = network.cost(&outputs);
        if best.as_ref().is_none_or(|best| cost < best.0) {
            best = Some((cost, network, outputs));
        }
    };
    for order in orders(inputs, functions.len()) {
        for rule in [Rule::Mixed, Rule::Shannon] {
            let (builder, outputs) = decompose(inputs, &functions, &order, rule);
            consider(builder.network, outputs);
        }
    }
    if let Some((network, outputs)) = algebraic::sums_of_products(inputs, &functions) {
        consider(network, outputs);
    }
    let Some((_, network, outputs)) = best else {
        return phase::to_circuit(&Network::new(inputs), &[]);
    };
    let (network, outputs) = resubstitute::resubstitute(network, outputs);
    refine(table, network, outputs)
}

/// The smallest circuit that a short search finds from `network`, and for small tables from
/// nothing too.
fn refine(table: &Table, network: Network, outputs: Vec<Literal>) -> Circuit {
    if table.inputs > 8 {
        return phase::to_circuit(&network, &outputs);
    }
    let nodes = network.nodes.len();
    let words = (1usize << table.inputs).div_ceil(64);
    let steps = (SEARCH_WORK / (nodes * nodes * words)).min(MOST_STEPS);
    let settings = |seed| Settings { seed, steps, chain: 2, breadth: 2, uphill: 8, excess: 3 };
    let mut best = search::improve_outputs(network, outputs, settings(0));
    let starts = if table.inputs <= 4 { STARTS } else { 0 };
    for circuit in (1..=starts).filter_map(|seed| search::construct(table, settings(seed))) {
        if circuit.size() < best.size() {
            best = circuit;
        }
    }
    best
}

/// The orders in which the inputs are split off: the natural ones and some random ones, fewer for
/// large tables.
fn orders(inputs: usize, outputs: usize) -> Vec<Vec<usize>> {
    let size = (1usize << inputs) * outputs.max(1);
    let count = (WORK / (size * size).max(1)).clamp(2, 12);
    let mut random = Random::new(inputs as u64);
    (0..count)
        .map(|number| {
            let mut order: Vec<usize> = (0..inputs).collect();
            match number {
                0 => {}
                1 => order.reverse(),
                2 => order = (0..inputs).map(|place| interleaved(inputs, place)).collect(),
                3 => order = (0..inputs).rev().map(|place| interleaved(inputs, place)).collect(),
                _ => random.shuffle(&mut order),
            }
            order
        })
        .collect()
}

/// The input at `place` when those of two operands of equal width alternate, as suits adders and
/// comparisons.
fn interleaved(inputs: usize, place: usize) -> usize {
    place / 2 + (place % 2) * inputs.div_ceil(2)
}

/// See [`super::minimize`].
pub(super) fn minimize(circuit: &Circuit) -> Circuit {
    let inputs = usize::from(circuit.inputs);
    let (network, outputs) = if circuit.inputs <= MOST_EXACT_INPUTS {
        let mut builder = Builder::new(inputs);
        let outputs = builder.add_circuit(circuit);
        resubstitute::resubstitute(builder.network, outputs)
    } else {
        let mut network = Network::new(inputs);
        let outputs = network.add_circuit(circuit);
        (network, outputs)
    };
    let smaller = phase::to_circuit(&network, &outputs);
    if smaller.size() <= circuit.size() {
        smaller
    } else {
        circuit.clone()
    }
}
