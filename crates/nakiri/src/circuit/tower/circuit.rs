//! The parts of a circuit over a tower, put together.

use super::subfield::PRODUCTS;
use super::LATE;
use crate::circuit::inversion::Inversion;
use crate::circuit::linear::Program;
use crate::circuit::{Circuit, Gate, Output, Signal};

/// The first half: sums, products of `a` and `b`, and more sums, which give `1/d`.
pub(super) struct Middle {
    /// Which of its factors is added to each product: see `Towers::middle`.
    pub(super) kinds: [u8; PRODUCTS],
    /// The forms of `1/d` that are computed.
    pub(super) forms: [usize; 4],
    /// The sums of the inputs and the products, all factors first among their outputs.
    pub(super) sums: Program,
}

/// The parts of a circuit.
pub(super) struct Parts<'a> {
    pub(super) middle: &'a Middle,
    /// From four forms of `1/d` to the nine of `d`.
    pub(super) inverse: &'a Circuit,
    /// From the products with `d` to the outputs.
    pub(super) bottom: &'a Program,
}

/// Gates of eight inputs.
struct Gates(Vec<Gate>);

impl Gates {
    fn push(&mut self, gate: Gate) -> Signal {
        self.0.push(gate);
        Signal(8 + self.0.len() as u32 - 1)
    }

    /// Computes those sums of the program that `wanted` tells by their values, of signals that are there.
    fn sums(&mut self, program: &Program, signals: &mut [Signal], wanted: impl Fn(u64) -> bool) {
        for (place, &[a, b, _]) in program.sums.iter().enumerate() {
            let place = program.first() + place;
            if wanted(program.values[place]) {
                signals[place] = self.push(Gate::Xor(signals[a], signals[b]));
            }
        }
    }
}

impl Parts<'_> {
    /// The circuit. The constants of the affine maps are inverters of inputs and outputs.
    pub(super) fn joined(&self, inversion: &Inversion) -> Circuit {
        let mut gates = Gates(Vec::new());
        let sums = &self.middle.sums;
        let mut signals = vec![Signal(0); sums.values.len()];
        let flips = (0..256u32).find(|&x| inversion.before.apply(x) == 0).unwrap_or(0);
        for input in 0..8u32 {
            let is_flipped = flips >> (7 - input) & 1 == 1;
            let signal = Signal(input);
            signals[1 + input as usize] =
                if is_flipped { gates.push(Gate::Not(signal)) } else { signal };
        }
        gates.sums(sums, &mut signals, |value| value & LATE == 0);
        let factors: Vec<Signal> =
            sums.outputs[..2 * PRODUCTS].iter().map(|&place| signals[place]).collect();
        for (k, kind) in self.middle.kinds.iter().enumerate() {
            let (p, q) = (factors[k], factors[PRODUCTS + k]);
            signals[9 + k] = gates.push(match kind {
                0 => Gate::And(p, q),
                // p q + p.
                1 => Gate::AndNot(q, p),
                2 => Gate::AndNot(p, q),
                _ => Gate::Or(p, q),
            });
        }
        gates.sums(sums, &mut signals, |value| value & LATE != 0);
        let norm: Vec<Signal> =
            sums.outputs[2 * PRODUCTS..].iter().map(|&place| signals[place]).collect();
        let inverse = self.inverse(&mut gates, &norm);
        let mut signals = vec![Signal(0); self.bottom.values.len()];
        for (k, &factor) in factors.iter().enumerate() {
            signals[1 + k] = gates.push(Gate::And(inverse[k % PRODUCTS], factor));
        }
        gates.sums(self.bottom, &mut signals, |_| true);
        let outputs = self.bottom.outputs.iter().enumerate().map(|(output, &place)| {
            let is_flipped = inversion.after.constant >> (7 - output) & 1 == 1;
            let signal = signals[place];
            Output::Signal(if is_flipped { gates.push(Gate::Not(signal)) } else { signal })
        });
        let outputs = outputs.collect();
        Circuit { inputs: 8, gates: gates.0, outputs }
    }

    /// The forms of `d` from those of `1/d`.
    fn inverse(&self, gates: &mut Gates, norm: &[Signal]) -> Vec<Signal> {
        let base = 8 + gates.0.len() as u32;
        let at = |signal: Signal| match norm.get(signal.0 as usize) {
            Some(&form) => form,
            None => Signal(base + signal.0 - 4),
        };
        gates.0.extend(self.inverse.gates.iter().map(|gate| gate.map(at)));
        let form = |output: &Output| match *output {
            Output::Signal(signal) => at(signal),
            Output::Constant(_) => unreachable!("no form is constant on a field"),
        };
        self.inverse.outputs.iter().map(form).collect()
    }
}
