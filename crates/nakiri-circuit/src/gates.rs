//! Circuits of one basis made circuits of another.

use crate::basis::Basis;
use nakiri::circuit::{Circuit, Gate, Output, Signal};

/// The gate of a function of two operands, bit `2 a + b` of it, and whether it has to be complemented. A function that
/// depends on neither is the sum of an operand with itself.
pub(crate) fn pair(function: u8, a: Signal, b: Signal) -> (Gate, bool) {
    match function & 15 {
        0b1000 => (Gate::And(a, b), false),
        0b0111 => (Gate::And(a, b), true),
        0b1110 => (Gate::Or(a, b), false),
        0b0001 => (Gate::Or(a, b), true),
        0b0110 => (Gate::Xor(a, b), false),
        0b1001 => (Gate::Xor(a, b), true),
        0b0010 => (Gate::AndNot(a, b), false),
        0b0100 => (Gate::AndNot(b, a), false),
        0b1011 => (Gate::OrNot(a, b), false),
        0b1101 => (Gate::OrNot(b, a), false),
        0b0011 => (Gate::Not(a), false),
        0b0101 => (Gate::Not(b), false),
        0b1100 => (Gate::Not(a), true),
        0b1010 => (Gate::Not(b), true),
        0b0000 => (Gate::Xor(a, a), false),
        _ => (Gate::Xor(a, a), true),
    }
}

/// The circuit in the gates of `basis`, and as few of these as is easily had.
pub fn in_basis(circuit: &Circuit, basis: Basis) -> Circuit {
    match basis {
        Basis::Ternary => circuit.clone(),
        Basis::Standard | Basis::FreeNot if !circuit.is_ternary() => circuit.clone(),
        Basis::Standard | Basis::FreeNot => nakiri::circuit::minimize(&expanded(circuit)),
        Basis::Plain => plain(&in_basis(circuit, Basis::Standard)),
    }
}

/// A circuit that is built gate by gate from another, whose signals it renames.
struct Copy {
    circuit: Circuit,
    signals: Vec<Signal>,
}

impl Copy {
    fn new(inputs: u8) -> Copy {
        let signals = (0..u32::from(inputs)).map(Signal).collect();
        Copy { circuit: Circuit { inputs, gates: Vec::new(), outputs: Vec::new() }, signals }
    }

    /// Adds a gate of signals of the new circuit, if there is none like it.
    fn push(&mut self, gate: Gate) -> Signal {
        let known = self.circuit.gates.iter().position(|other| *other == gate);
        let place = known.unwrap_or_else(|| {
            self.circuit.gates.push(gate);
            self.circuit.gates.len() - 1
        });
        Signal(u32::from(self.circuit.inputs) + place as u32)
    }

    fn finish(mut self, outputs: &[Output]) -> Circuit {
        let signals = &self.signals;
        let outputs = outputs.iter().map(|output| match *output {
            Output::Signal(signal) => Output::Signal(signals[signal.0 as usize]),
            constant => constant,
        });
        self.circuit.outputs = outputs.collect();
        self.circuit
    }
}

/// The circuit without three-input tables: each is a function of two signals, or a choice between two of them.
fn expanded(circuit: &Circuit) -> Circuit {
    let mut copy = Copy::new(circuit.inputs);
    for &gate in &circuit.gates {
        let signals = copy.signals.clone();
        let gate = gate.map(|signal| signals[signal.0 as usize]);
        let signal = match gate {
            Gate::Ternary(table, operands) => lookup(&mut copy, table, operands),
            gate => copy.push(gate),
        };
        copy.signals.push(signal);
    }
    copy.finish(&circuit.outputs)
}

fn lookup(copy: &mut Copy, table: u8, [a, b, c]: [Signal; 3]) -> Signal {
    let of_pair = |copy: &mut Copy, function: u8, a: Signal, b: Signal| {
        let (gate, complement) = pair(function, a, b);
        let signal = copy.push(gate);
        if complement {
            copy.push(Gate::Not(signal))
        } else {
            signal
        }
    };
    if b == c {
        let bit = |from: u8, to: u8| (table >> from & 1) << to;
        return of_pair(copy, bit(0, 0) | bit(3, 1) | bit(4, 2) | bit(7, 3), a, b);
    }
    let zero = of_pair(copy, table & 15, b, c);
    let difference = of_pair(copy, (table ^ table >> 4) & 15, b, c);
    let change = copy.push(Gate::And(a, difference));
    copy.push(Gate::Xor(zero, change))
}

/// The circuit without `!a & b` and `!a | b`.
fn plain(circuit: &Circuit) -> Circuit {
    let mut copy = Copy::new(circuit.inputs);
    for &gate in &circuit.gates {
        let signals = copy.signals.clone();
        let signal = match gate.map(|signal| signals[signal.0 as usize]) {
            Gate::AndNot(a, b) => {
                let not = copy.push(Gate::Not(a));
                copy.push(Gate::And(not, b))
            }
            Gate::OrNot(a, b) => {
                let not = copy.push(Gate::Not(a));
                copy.push(Gate::Or(not, b))
            }
            gate => copy.push(gate),
        };
        copy.signals.push(signal);
    }
    copy.finish(&circuit.outputs)
}
