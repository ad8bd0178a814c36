//! Programs of exclusive-ors for matrices over GF(2).
//!
//! A program starts as shared pairs of terms (Paar 1997). A random walk over programs then computes sums otherwise, so that
//! some serve nothing any more: the general reductions of Lin, Xiang, Zeng, Zhang (2021), in which terms may cancel.

mod pairs;
mod program;
mod walk;

use super::random::Random;
use super::tower::Limits;
use super::{Circuit, Gate};
pub use pairs::shared;
pub use program::{Program, Terms, ZERO};
use std::collections::BTreeSet;
pub use walk::Walk;

/// A matrix over GF(2) of at most 64 columns: bit `j` of a row says whether its output is a sum with input `j`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Matrix {
    /// The number of inputs.
    pub columns: usize,
    /// The outputs.
    pub rows: Vec<u64>,
}

impl Matrix {
    /// Whether the circuit, of exclusive-ors alone, computes the matrix: checked on every unit vector.
    pub fn is_computed_by(&self, circuit: &Circuit) -> bool {
        let is_sum = |gate: &Gate| matches!(gate, Gate::Xor(..) | Gate::Ternary(0x96, _));
        let inputs: Vec<u64> = (0..self.columns).map(|column| 1 << column).collect();
        circuit.gates.iter().all(is_sum) && circuit.eval(&inputs) == self.rows
    }

    /// The different rows that are neither zero nor an input.
    fn targets(&self) -> Vec<u64> {
        let is_sum = |row: &u64| row.count_ones() > 1;
        let targets: BTreeSet<u64> = self.rows.iter().copied().filter(is_sum).collect();
        targets.into_iter().collect()
    }
}

/// A program of sums of two that is found in `limits.walk` steps of a walk. No sum with an input of `late` is used for one
/// that has none.
pub(super) fn program(matrix: &Matrix, late: u64, limits: &Limits, random: &mut Random) -> Program {
    let mut walk = Walk::new(shared(matrix, random), 2, late, random.fork());
    walk.run(limits.walk, limits.is_over, &mut |_| {});
    walk.best().clone()
}
