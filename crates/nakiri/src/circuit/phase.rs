//! From a network with free inverters to gates, with as few inverters as can be found.
//!
//! Every node may be computed as it is or complemented. A sum's phase follows from its operands';
//! a conjunction of an operand and a complement exists in both phases, `!a & b` and `!a | b`; of
//! two plain operands only plain, of two complements only complemented, `a | b`. So a node's phase
//! is either forced or free, and inverters are needed only where an output comes out wrong.

use super::network::{Literal, Network, Node};
use super::random::Random;
use super::{Circuit, Gate, Output, Signal};

/// The number of node visits that the choice of phases may take.
const WORK: usize = 400_000;

/// The most attempts to flip phases.
const MOST_ATTEMPTS: usize = 1_000;

/// The circuit that computes `outputs` of `network`.
pub(super) fn to_circuit(network: &Network, outputs: &[Literal]) -> Circuit {
    let live = network.live(outputs);
    let wishes = choose(network, outputs, &live);
    emit(network, outputs, &live, &phases(network, &live, &wishes))
}

/// For each node, whether it comes out complemented if the free ones follow `wishes`.
fn phases(network: &Network, live: &[bool], wishes: &[bool]) -> Vec<bool> {
    let mut phases = vec![false; network.nodes.len()];
    for index in (network.inputs + 1..network.nodes.len()).filter(|&index| live[index]) {
        phases[index] = match network.nodes[index] {
            Node::Constant | Node::Input => false,
            Node::Xor(a, b) => phases[a.node()] ^ phases[b.node()],
            Node::And(a, b) => {
                let [a, b] = [a, b].map(|lit| lit.is_inverted() ^ phases[lit.node()]);
                if a == b {
                    a
                } else {
                    wishes[index]
                }
            }
        };
    }
    phases
}

/// The outputs, without repetition, whose node has the wrong phase.
fn wrong_outputs(outputs: &[Literal], phases: &[bool]) -> Vec<Literal> {
    let mut wrong: Vec<Literal> = outputs
        .iter()
        .copied()
        .filter(|output| output.node() != 0 && phases[output.node()] != output.is_inverted())
        .collect();
    wrong.sort();
    wrong.dedup();
    wrong
}

/// Searches for phases of the conjunctions that need few inverters: random flips of one or two
/// wishes, kept if they are no worse.
fn choose(network: &Network, outputs: &[Literal], live: &[bool]) -> Vec<bool> {
    let free: Vec<usize> = (0..network.nodes.len())
        .filter(|&index| live[index] && matches!(network.nodes[index], Node::And(..)))
        .collect();
    let mut wishes = vec![false; network.nodes.len()];
    let count = |wishes: &[bool]| wrong_outputs(outputs, &phases(network, live, wishes)).len();
    let mut best = count(&wishes);
    let mut random = Random::new(free.len() as u64);
    let attempts = (WORK / network.nodes.len()).min(MOST_ATTEMPTS);
    for _ in 0..attempts {
        if best == 0 || free.is_empty() {
            break;
        }
        let flips: Vec<usize> =
            (0..1 + random.below(3)).map(|_| free[random.below(free.len())]).collect();
        flips.iter().for_each(|&index| wishes[index] ^= true);
        let found = count(&wishes);
        if found <= best {
            best = found;
        } else {
            flips.iter().for_each(|&index| wishes[index] ^= true);
        }
    }
    wishes
}

/// Writes the live nodes as gates in the given phases.
fn emit(network: &Network, outputs: &[Literal], live: &[bool], phases: &[bool]) -> Circuit {
    let inputs = network.inputs;
    let mut signals = vec![Signal(0); network.nodes.len()];
    for (input, signal) in signals[1..=inputs].iter_mut().enumerate() {
        *signal = Signal(input as u32);
    }
    let mut gates = Vec::new();
    for index in (inputs + 1..network.nodes.len()).filter(|&index| live[index]) {
        let Some([a, b]) = network.nodes[index].operands() else { continue };
        let [p, q] = [a, b].map(|lit| lit.is_inverted() ^ phases[lit.node()]);
        let [x, y] = [a, b].map(|lit| signals[lit.node()]);
        let is_sum = matches!(network.nodes[index], Node::Xor(..));
        signals[index] = Signal((inputs + gates.len()) as u32);
        gates.push(match (is_sum, p, q, phases[index]) {
            (true, ..) => Gate::Xor(x, y),
            (_, false, false, _) => Gate::And(x, y),
            (_, true, true, _) => Gate::Or(x, y),
            (_, true, false, false) => Gate::AndNot(x, y),
            (_, false, true, false) => Gate::AndNot(y, x),
            (_, true, false, true) => Gate::OrNot(y, x),
            (_, false, true, true) => Gate::OrNot(x, y),
        });
    }
    let wrong = wrong_outputs(outputs, phases);
    let first_inverter = (inputs + gates.len()) as u32;
    gates.extend(wrong.iter().map(|output| Gate::Not(signals[output.node()])));
    let outputs = outputs
        .iter()
        .map(|&output| match (output.constant(), wrong.binary_search(&output)) {
            (Some(value), _) => Output::Constant(value),
            (None, Ok(place)) => Output::Signal(Signal(first_inverter + place as u32)),
            (None, Err(_)) => Output::Signal(signals[output.node()]),
        })
        .collect();
    Circuit { inputs: inputs as u8, gates, outputs }
}
