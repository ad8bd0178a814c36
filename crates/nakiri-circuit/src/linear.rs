//! Circuits of exclusive-ors for matrices over GF(2).
//!
//! A first program shares the pairs of terms that most sums have in common (Paar 1997). A random walk then computes one
//! value after another as a sum of other signals, in which terms may cancel, and drops what serves nothing.

use crate::basis::Basis;
use crate::effort::Effort;
use fastrand::Rng;
use nakiri::circuit::linear::sums;
use nakiri::circuit::{Circuit, Gate, Output, Signal};
use std::collections::HashMap;

/// A matrix over GF(2) of at most 64 columns: bit `j` of a row says whether its output is a sum with input `j`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Matrix {
    /// The number of inputs.
    pub columns: usize,
    /// The outputs.
    pub rows: Vec<u64>,
}

/// Sums of two or three earlier signals. The signals are the inputs, then one a sum.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The number of inputs.
    inputs: usize,
    /// The operands of each sum.
    steps: Vec<Vec<usize>>,
    /// What each signal is the sum of.
    values: Vec<u64>,
    /// The signal of each output; none for the constant zero.
    outputs: Vec<Option<usize>>,
}

/// How many sums a chain has besides the last one.
const CHAIN: usize = 2;

impl Matrix {
    /// Whether the circuit, of exclusive-ors alone, computes the matrix: checked on every unit vector.
    pub fn is_computed_by(&self, circuit: &Circuit) -> bool {
        let is_sum = |gate: &Gate| matches!(gate, Gate::Xor(..) | Gate::Ternary(0x96, _));
        let inputs: Vec<u64> = (0..self.columns).map(|column| 1 << column).collect();
        circuit.gates.iter().all(is_sum) && circuit.eval(&inputs) == self.rows
    }

    /// The row of each output that is neither zero nor an input.
    fn targets(&self) -> Vec<u64> {
        let mut targets: Vec<u64> =
            self.rows.iter().copied().filter(|row| row.count_ones() > 1).collect();
        targets.sort_unstable();
        targets.dedup();
        targets
    }
}

/// The shortest program for the matrix that is found until the effort is over; `improved` is told of each shorter one.
/// [`Basis::Ternary`] has sums of three, others of two.
pub fn search(
    matrix: &Matrix,
    basis: Basis,
    seed: u64,
    effort: &Effort,
    improved: &mut dyn FnMut(&Circuit),
) -> Circuit {
    let mut rng = Rng::with_seed(seed);
    let targets = matrix.targets();
    let mut best: Option<Program> = None;
    for round in 0.. {
        let mut current = match &best {
            Some(best) if round % 3 != 0 => best.clone(),
            _ => Program::by_pairs(matrix, &targets, seed.wrapping_add(round)),
        };
        if best.as_ref().is_none_or(|best| current.steps.len() < best.steps.len()) {
            improved(&current.to_circuit());
            best = Some(current.clone());
        }
        let mut least = best.as_ref().map_or(0, |best| best.steps.len());
        for number in 0..20_000u32 << (round / 6).min(6) {
            if number % 64 == 0 && effort.is_over() {
                break;
            }
            let slack = usize::from(current.steps.len() < least + 2 && rng.u32(..40) == 0);
            if let Some(next) = current.step(basis.arity(), slack, &mut rng) {
                current = next;
            }
            if current.steps.len() < least {
                least = current.steps.len();
                improved(&current.to_circuit());
                best = Some(current.clone());
            }
        }
        if effort.is_over() || targets.is_empty() {
            break;
        }
    }
    best.map_or_else(|| Program::new(matrix).to_circuit(), |best| best.to_circuit())
}

impl Program {
    /// The program of inputs alone, with the outputs that these are.
    fn new(matrix: &Matrix) -> Program {
        let values: Vec<u64> = (0..matrix.columns).map(|column| 1 << column).collect();
        let mut program =
            Program { inputs: matrix.columns, steps: Vec::new(), values, outputs: Vec::new() };
        program.find_outputs(&matrix.rows);
        program
    }

    fn find_outputs(&mut self, rows: &[u64]) {
        let place = |row: &u64| self.values.iter().position(|value| value == row);
        self.outputs = rows.iter().map(place).collect();
    }

    fn push(&mut self, operands: Vec<usize>) -> usize {
        self.values.push(operands.iter().fold(0, |sum, &operand| sum ^ self.values[operand]));
        self.steps.push(operands);
        self.values.len() - 1
    }

    /// A program that shares pairs of terms.
    fn by_pairs(matrix: &Matrix, targets: &[u64], seed: u64) -> Program {
        let mut program = Program::new(matrix);
        if let Some(found) = sums(matrix.columns, targets, 0, 0, seed) {
            for (a, b) in found.additions {
                program.push(vec![a, b]);
            }
        }
        program.find_outputs(&matrix.rows);
        program
    }

    /// The program with a random value computed otherwise, and at most `slack` sums longer.
    fn step(&self, arity: usize, slack: usize, rng: &mut Rng) -> Option<Program> {
        if self.steps.is_empty() {
            return None;
        }
        let signal = self.inputs + rng.usize(..self.steps.len());
        let mut above = vec![false; self.values.len()];
        above[signal] = true;
        for (place, step) in self.steps.iter().enumerate() {
            above[self.inputs + place] |= step.iter().any(|&operand| above[operand]);
        }
        let mut pool: Vec<usize> = (0..self.values.len()).filter(|&other| !above[other]).collect();
        rng.shuffle(&mut pool);
        let places: HashMap<u64, usize> =
            pool.iter().map(|&place| (self.values[place], place)).collect();
        // A chain of sums may replace a sum that others serve alone.
        let longest = (self.serving(signal) - 1 + slack).min(CHAIN) * (arity - 1);
        let extra = if rng.bool() { rng.usize(..=longest) } else { 0 };
        let mut way: Vec<usize> = pool.iter().copied().take(extra).collect();
        let value = way.iter().fold(self.values[signal], |sum, &place| sum ^ self.values[place]);
        let ways = self.ways(&pool[extra..], &places, value, arity);
        if ways.is_empty() {
            return None;
        }
        for &operand in &ways[rng.usize(..ways.len())] {
            match way.iter().position(|&other| other == operand) {
                Some(twice) => drop(way.swap_remove(twice)),
                None => way.push(operand),
            }
        }
        rng.shuffle(&mut way);
        (!way.is_empty()).then(|| self.replaced(signal, &way, arity))
    }

    /// The number of sums that serve no output but through `signal`, itself included.
    fn serving(&self, signal: usize) -> usize {
        let mut needed = vec![false; self.values.len()];
        self.outputs.iter().flatten().for_each(|&output| needed[output] = true);
        for place in (self.inputs..self.values.len()).rev() {
            if needed[place] && place != signal {
                self.steps[place - self.inputs].iter().for_each(|&operand| needed[operand] = true);
            }
        }
        needed[signal] = false;
        needed[self.inputs..].iter().filter(|&&needed| !needed).count()
    }

    /// Sets of at most `arity` of the signals whose sum is `value`.
    fn ways(
        &self,
        pool: &[usize],
        places: &HashMap<u64, usize>,
        value: u64,
        arity: usize,
    ) -> Vec<Vec<usize>> {
        const WAYS: usize = 12;
        if let Some(&same) = places.get(&value) {
            return vec![vec![same]];
        }
        let mut ways = Vec::new();
        for &a in pool {
            if let Some(&b) = places.get(&(value ^ self.values[a])) {
                ways.push(vec![a, b]);
            }
        }
        if arity == 3 {
            for (place, &a) in pool.iter().enumerate() {
                if ways.len() >= WAYS {
                    break;
                }
                for &b in &pool[place + 1..] {
                    if let Some(&c) = places.get(&(value ^ self.values[a] ^ self.values[b])) {
                        if c != a && c != b {
                            ways.push(vec![a, b, c]);
                        }
                    }
                }
            }
        }
        ways
    }

    /// The program with `signal` the sum of these signals, in order and without what serves nothing.
    fn replaced(&self, signal: usize, way: &[usize], arity: usize) -> Program {
        let mut steps: Vec<Vec<usize>> = self.steps.clone();
        let mut way = way.to_vec();
        while way.len() > arity {
            let operands = way.split_off(way.len() - arity);
            steps.push(operands);
            way.push(self.inputs + steps.len() - 1);
        }
        steps[signal - self.inputs] = way;
        let values = self.values[..self.inputs].to_vec();
        let mut next = Program { inputs: self.inputs, steps: vec![], values, outputs: vec![] };
        let mut places: Vec<Option<usize>> = (0..self.inputs).map(Some).collect();
        places.resize(self.inputs + steps.len(), None);
        let mut known: HashMap<u64, usize> =
            next.values.iter().enumerate().map(|(place, &value)| (value, place)).collect();
        for &output in self.outputs.iter().flatten() {
            next.visit(output, &steps, &mut places, &mut known);
        }
        next.outputs = self.outputs.iter().map(|output| output.and_then(|o| places[o])).collect();
        next
    }

    fn visit(
        &mut self,
        signal: usize,
        steps: &[Vec<usize>],
        places: &mut [Option<usize>],
        known: &mut HashMap<u64, usize>,
    ) -> usize {
        if let Some(place) = places[signal] {
            return place;
        }
        let operands: Vec<usize> = steps[signal - self.inputs]
            .iter()
            .map(|&operand| self.visit(operand, steps, places, known))
            .collect();
        let value = operands.iter().fold(0, |sum, &operand| sum ^ self.values[operand]);
        let place = known.get(&value).copied().unwrap_or_else(|| match operands[..] {
            [only] => only,
            _ => self.push(operands),
        });
        known.insert(value, place);
        places[signal] = Some(place);
        place
    }

    /// The circuit of exclusive-ors.
    fn to_circuit(&self) -> Circuit {
        let at = |signal: usize| Signal(signal as u32);
        let gate = |step: &Vec<usize>| match step[..] {
            [a, b, c] => Gate::Ternary(0x96, [at(a), at(b), at(c)]),
            [a, b] => Gate::Xor(at(a), at(b)),
            _ => unreachable!("sums have two or three terms"),
        };
        let output = |output: &Option<usize>| match output {
            Some(signal) => Output::Signal(at(*signal)),
            None => Output::Constant(false),
        };
        Circuit {
            inputs: self.inputs as u8,
            gates: self.steps.iter().map(gate).collect(),
            outputs: self.outputs.iter().map(output).collect(),
        }
    }
}
