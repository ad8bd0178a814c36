//! The search for small circuits of up to eight inputs.
//!
//! A circuit is first built output by output as Kwan did for DES ("Reducing the gate count of
//! bitslice DES", 2000): a function is an existing signal, or a few gates of existing signals, or
//! is split by an input. Then parts of it are thrown away and built again, each node only where its
//! value matters for the outputs ([`improve`]). Inverters are free throughout; what they cost is
//! settled at the end by the choice of phases.

mod construct;
mod rebuild;

use super::network::{Literal, Network};
use super::random::Random;
use super::{phase, Circuit, Table};
use construct::Pool;

/// How long and how to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The seed of the random choices; the result depends on the settings only.
    pub seed: u64,
    /// The number of times that a part is built again.
    pub steps: usize,
    /// The longest chain of gates, each of the one before and an existing signal, that is tried
    /// exhaustively: 1 to 3; the time grows with the power of it.
    pub chain: usize,
    /// How many of the splits by an input are tried at each level.
    pub breadth: usize,
    /// One in how many of the first steps may make the circuit larger by a gate; such steps become
    /// rarer later, as in annealing. Zero for none.
    pub uphill: usize,
    /// How many gates above the best size the walk may stray.
    pub excess: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { seed: 1, steps: 1000, chain: 2, breadth: 2, uphill: 20, excess: 2 }
    }
}

/// A circuit for `table`, built from nothing and then improved; none for more than eight inputs.
pub fn construct(table: &Table, settings: Settings) -> Option<Circuit> {
    let (network, outputs) = match table.inputs {
        0..=6 => Pool::<1>::build(table, settings),
        7 => Pool::<2>::build(table, settings),
        8 => Pool::<4>::build(table, settings),
        _ => return None,
    };
    Some(improve_outputs(network, outputs, settings))
}

/// A circuit with the same outputs and at most as many gates. Circuits of more than eight inputs
/// come back as they are.
pub fn improve(circuit: &Circuit, settings: Settings) -> Circuit {
    if circuit.inputs > 8 {
        return circuit.clone();
    }
    let mut network = Network::new(usize::from(circuit.inputs));
    let outputs = network.add_circuit(circuit);
    let better = improve_outputs(network, outputs, settings);
    if better.size() <= circuit.size() {
        better
    } else {
        circuit.clone()
    }
}

/// The circuit of `outputs` of a network of at most eight inputs, improved.
pub(super) fn improve_outputs(
    network: Network,
    outputs: Vec<Literal>,
    settings: Settings,
) -> Circuit {
    let mut random = Random::new(settings.seed);
    let (network, outputs) = match network.inputs {
        0..=6 => rebuild::improve::<1>(network, outputs, settings, &mut random),
        7 => rebuild::improve::<2>(network, outputs, settings, &mut random),
        _ => rebuild::improve::<4>(network, outputs, settings, &mut random),
    };
    phase::to_circuit(&network, &outputs)
}
