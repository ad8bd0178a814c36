//! What the solver found, made a circuit.

use super::problem::{Problem, Solution, Step};
use crate::basis::Basis;
use crate::gates::pair;
use nakiri::circuit::{Circuit, Gate, Output, Signal};

impl Solution {
    /// The solution for `problem` itself, of which `own` was solved: `flips` of the given signals and `flipped` of the
    /// wanted ones were complemented, given signals added and targets selected.
    pub(super) fn finish(
        self,
        problem: &Problem,
        own: &Problem,
        targets: &[usize],
        flips: u64,
        flipped: u64,
    ) -> Solution {
        let added = own.given - problem.given;
        // Whether each signal is the complement of what was solved for.
        let mut complement: Vec<bool> = (0..own.given).map(|s| flips >> s & 1 == 1).collect();
        complement.resize(own.given + self.steps.len(), false);
        for (&target, &(signal, _)) in targets.iter().zip(&self.outputs) {
            complement[signal] = flipped >> target & 1 == 1;
        }
        let place = |signal: usize| signal - if signal < own.given { 0 } else { added };
        let steps = self.steps.iter().enumerate().map(|(gate, step)| {
            let arity = step.operands.len();
            // The place in the solved function for one in the real function; an added signal is zero there.
            let index = |real: usize| {
                (0..arity).fold(0, |index, operand| {
                    let signal = step.operands[operand];
                    let bit = real >> (arity - 1 - operand) & 1 == 1;
                    let is_added = (problem.given..own.given).contains(&signal);
                    index << 1 | usize::from(!is_added && bit != complement[signal])
                })
            };
            let own_flip = complement[own.given + gate];
            let bit = |real: usize| (step.function >> index(real) & 1 == 1) != own_flip;
            let function = (0..1 << arity).map(|real| u8::from(bit(real)) << real).sum();
            let is_added = |signal: usize| (problem.given..own.given).contains(&signal);
            let real = step.operands.iter().copied().find(|&s| !is_added(s)).unwrap_or(0);
            let operands = step.operands.iter().map(|&s| place(if is_added(s) { real } else { s }));
            Step { function, operands: operands.collect() }
        });
        let steps = steps.collect();
        let outputs = (0..problem.wanted).map(|output| {
            let wants_complement = flipped >> output & 1 == 1;
            let representative = own.representative(output);
            if let Some(found) = targets.iter().position(|&target| target == representative) {
                let signal = self.outputs[found].0;
                return (place(signal), complement[signal] != wants_complement);
            }
            match own.equal_given(output).filter(|&signal| signal < problem.given) {
                Some(signal) => (signal, complement[signal] != wants_complement),
                None => (usize::MAX, wants_complement || problem.rows[0].1 >> output & 1 == 1),
            }
        });
        let outputs = outputs.collect();
        Solution { steps, outputs }
    }

    /// The circuit, with inverters where a complement is wanted.
    pub fn to_circuit(&self, given: usize, basis: Basis) -> Circuit {
        let mut circuit = Circuit { inputs: given as u8, gates: Vec::new(), outputs: Vec::new() };
        let mut signals: Vec<Signal> = (0..given as u32).map(Signal).collect();
        let push = |circuit: &mut Circuit, gate: Gate| {
            circuit.gates.push(gate);
            Signal((given + circuit.gates.len() - 1) as u32)
        };
        for step in &self.steps {
            let operands: Vec<Signal> = step.operands.iter().map(|&s| signals[s]).collect();
            let signal = match operands[..] {
                [a, b, c] => push(&mut circuit, Gate::Ternary(step.function, [a, b, c])),
                [a, b] => match pair(step.function, a, b) {
                    (gate, false) => push(&mut circuit, gate),
                    (gate, true) => {
                        let inner = push(&mut circuit, gate);
                        push(&mut circuit, Gate::Not(inner))
                    }
                },
                _ => unreachable!("gates have two or three operands"),
            };
            signals.push(signal);
        }
        let mut inverted: Vec<(Signal, Signal)> = Vec::new();
        for &(signal, complement) in &self.outputs {
            let Some(&signal) = signals.get(signal) else {
                circuit.outputs.push(Output::Constant(complement));
                continue;
            };
            let known = inverted.iter().find(|(of, _)| *of == signal).map(|pair| pair.1);
            let signal = match (complement, known) {
                (false, _) => signal,
                (true, Some(known)) => known,
                (true, None) => {
                    let not = push(&mut circuit, Gate::Not(signal));
                    inverted.push((signal, not));
                    not
                }
            };
            circuit.outputs.push(Output::Signal(signal));
        }
        match basis {
            Basis::FreeNot => nakiri::circuit::minimize(&circuit),
            _ => circuit,
        }
    }
}
