//! Circuits of exclusive-ors for matrices over GF(2).
//!
//! A program starts as shared pairs of terms (Paar 1997) or as a decomposition into additions in place (Xiang, Zeng, Lin,
//! Bao, Zhang 2020). A random walk over programs then computes sums otherwise, so that some serve nothing any more: the
//! general reductions of Lin, Xiang, Zeng, Zhang (2021), in which terms may cancel.

mod decompose;
mod program;
mod walk;

use crate::basis::Basis;
use crate::effort::Effort;
use fastrand::Rng;
use nakiri::circuit::linear::sums;
use nakiri::circuit::{Circuit, Gate};
use program::Program;
use walk::Walk;

/// A matrix over GF(2) of at most 64 columns: bit `j` of a row says whether its output is a sum with input `j`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Matrix {
    /// The number of inputs.
    pub columns: usize,
    /// The outputs.
    pub rows: Vec<u64>,
}

/// How many steps the first walk from a program takes; it goes on as long as every so many find a shorter one.
const STEPS: u64 = 400_000;

/// How many programs are walked from before the best of all is taken up again.
const STARTS: u64 = 8;

impl Matrix {
    /// Whether the circuit, of exclusive-ors alone, computes the matrix: checked on every unit vector.
    pub fn is_computed_by(&self, circuit: &Circuit) -> bool {
        let is_sum = |gate: &Gate| matches!(gate, Gate::Xor(..) | Gate::Ternary(0x96, _));
        let inputs: Vec<u64> = (0..self.columns).map(|column| 1 << column).collect();
        circuit.gates.iter().all(is_sum) && circuit.eval(&inputs) == self.rows
    }

    /// A program that shares pairs of terms.
    fn by_pairs(&self, seed: u64) -> Program {
        let mut targets: Vec<u64> =
            self.rows.iter().copied().filter(|row| row.count_ones() > 1).collect();
        targets.sort_unstable();
        targets.dedup();
        let mut program = Program::new(self.columns);
        if let Some(found) = sums(self.columns, &targets, 0, 0, seed) {
            // Places are counted from the inputs there, from the zero here.
            for (a, b) in found.additions {
                program.push([a + 1, b + 1, 0]);
            }
        }
        program.find_outputs(&self.rows);
        program
    }

    /// A program to start with.
    fn start(&self, number: u64, rng: &mut Rng) -> Program {
        let decomposed = if number % 4 == 0 { None } else { decompose::in_place(self, rng) };
        decomposed.unwrap_or_else(|| self.by_pairs(rng.u64(..)))
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
    let mut best = matrix.by_pairs(seed);
    improved(&best.to_circuit());
    for number in 0.. {
        if effort.is_over() || best.is_empty() {
            break;
        }
        let start = match number % (STARTS + 1) {
            STARTS => best.clone(),
            _ => matrix.start(number, &mut rng),
        };
        let mut walk = Walk::new(start, basis.arity(), rng.fork());
        let mut report = |program: &Program| {
            if program.len() < best.len() {
                improved(&program.to_circuit());
                best = program.clone();
            }
        };
        let mut least = usize::MAX;
        while walk.best().len() < least && !effort.is_over() {
            least = walk.best().len();
            walk.run(STEPS, effort, &mut report);
        }
    }
    best.to_circuit()
}
