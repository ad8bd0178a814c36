//! Technology mapping: a network of gates becomes one of gates that a target has, as few as can be found.
//!
//! [`optimize`] works on the whole logic of a straight-line region. With three-input tables it covers the network by cuts
//! (Mishchenko, Cho, Chatterjee, Brayton: "Combinational and sequential mapping with priority cuts", ICCAD 2007), and then
//! computes nodes from others that are there already, wherever that lets gates go ("Scalable logic synthesis using a
//! simple circuit structure", IWLS 2006). With two-input gates only the latter remains; before it [`as_sums`] makes
//! multiplexers cheaper, where none is a gate of its own. Inverters are no gates here: a table absorbs those of its inputs.

mod chains;
mod choices;
mod cover;
mod cuts;
mod network;
mod resubstitute;
mod table;
mod window;

pub use choices::as_sums;
pub use network::{Gate, Literal, Network, Node};
pub use table::{apply, compose, inputs};

use crate::circuit::{self, Circuit};

/// What a gate can compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Any function of two inputs.
    Two,
    /// Any function of three inputs.
    Three,
}

impl Basis {
    /// The most inputs of a gate.
    pub fn arity(self) -> usize {
        match self {
            Basis::Two => 2,
            Basis::Three => 3,
        }
    }
}

/// How often a network is covered and resubstituted, at most: a round that saves nothing is the last.
const ROUNDS: usize = 4;

/// The network with fewer gates of the basis. `outputs` keep their meaning but may become other literals; nodes that
/// they don't need may be anything afterwards.
pub fn optimize(network: &mut Network, outputs: &mut [Literal], basis: Basis) {
    network.clean(outputs);
    if basis == Basis::Three {
        chains::run(network, outputs);
        network.clean(outputs);
    }
    let mut size = usize::MAX;
    for _ in 0..ROUNDS {
        if basis == Basis::Three {
            cover::run(network, outputs);
            network.clean(outputs);
        }
        let smaller = resubstitute::run(network, outputs, basis);
        network.clean(outputs);
        let now = network.size(outputs);
        if !smaller || now >= size {
            break;
        }
        size = now;
    }
}

/// What a circuit takes after mapping, inverters at its outputs not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapped {
    /// The number of gates.
    pub gates: usize,
    /// The most gates on a way from an input to an output.
    pub depth: usize,
}

/// A circuit in gates of the basis.
pub fn mapped(circuit: &Circuit, basis: Basis) -> Mapped {
    let (mut network, mut outputs) = of_circuit(circuit);
    optimize(&mut network, &mut outputs, basis);
    Mapped { gates: network.size(&outputs), depth: network.depth(&outputs) }
}

/// The network of a circuit: node `i + 1` is input `i`.
pub fn of_circuit(circuit: &Circuit) -> (Network, Vec<Literal>) {
    let mut network = Network::new();
    let mut signals: Vec<Literal> = (0..circuit.inputs).map(|_| network.leaf()).collect();
    for gate in &circuit.gates {
        let operands = gate.operands().map(|signal| signals[signal.0 as usize]);
        let [c, b, a] = [0, 1, 2].map(|input| inputs()[input]);
        let table = match *gate {
            circuit::Gate::And(..) => a & b,
            circuit::Gate::Or(..) => a | b,
            circuit::Gate::Xor(..) => a ^ b,
            circuit::Gate::AndNot(..) => !a & b,
            circuit::Gate::OrNot(..) => !a | b,
            circuit::Gate::Not(..) => !a,
            circuit::Gate::Ternary(table, _) => circuit::ternary(table, [a, b, c]),
        };
        // The first operand is the most significant index bit, as in `Op::Ternary`.
        let [a, b, c] = operands;
        signals.push(network.gate(&[c, b, a], table));
    }
    let outputs = circuit.outputs.iter().map(|output| match *output {
        circuit::Output::Signal(signal) => signals[signal.0 as usize],
        circuit::Output::Constant(value) => Literal::FALSE.invert_if(value),
    });
    let outputs = outputs.collect();
    (network, outputs)
}
