//! Circuits of exclusive-ors for matrices over GF(2).
//!
//! A program starts as shared pairs of terms (Paar 1997) or as a decomposition into additions in place (Xiang, Zeng, Lin,
//! Bao, Zhang 2020). A random walk over programs then computes sums otherwise, so that some serve nothing any more: the
//! general reductions of Lin, Xiang, Zeng, Zhang (2021), in which terms may cancel.

mod decompose;
mod pairs;
mod program;
mod walk;

use crate::basis::Basis;
use crate::effort::Effort;
use fastrand::Rng;
use nakiri::circuit::{layers, Circuit, Gate};
pub(crate) use program::Program;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
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

    /// The different rows that are neither zero nor an input.
    fn targets(&self) -> Vec<u64> {
        let is_sum = |row: &u64| row.count_ones() > 1;
        let targets: BTreeSet<u64> = self.rows.iter().copied().filter(is_sum).collect();
        targets.into_iter().collect()
    }

    /// The library's shortest circuit.
    fn known(&self, basis: Basis) -> Option<Circuit> {
        let circuits = layers().into_iter().map(|entry| entry.circuit);
        let fits = |circuit: &Circuit| {
            usize::from(circuit.inputs) == self.columns
                && self.is_computed_by(circuit)
                && (basis.arity() == 3 || !circuit.is_ternary())
        };
        circuits.filter(fits).min_by_key(Circuit::size)
    }

    /// A program to start with.
    fn start(&self, number: u64, rng: &mut Rng) -> Program {
        let decomposed = match number % 4 {
            0 => None,
            _ => decompose::in_place(self, rng),
        };
        decomposed.unwrap_or_else(|| pairs::shared(self, rng))
    }
}

/// The shortest program for the matrix that `jobs` searches find until the effort is over; `improved` is told of each
/// shorter one. [`Basis::Ternary`] has sums of three, others of two. The searches begin with the library's program, but
/// don't start from it at first: one seed gives the same programs whatever the library holds.
pub fn search(
    matrix: &Matrix,
    basis: Basis,
    seed: u64,
    jobs: usize,
    effort: &Effort,
    improved: &(dyn Fn(&Circuit) + Sync),
) -> Circuit {
    let known = matrix.known(basis).and_then(|circuit| Program::of_circuit(&circuit));
    let first = known.unwrap_or_else(|| pairs::shared(matrix, &mut Rng::with_seed(seed)));
    improved(&first.to_circuit());
    let best = Best { program: Mutex::new(first), improved };
    std::thread::scope(|scope| {
        for job in 1..jobs as u64 {
            let best = &best;
            scope.spawn(move || best.search(matrix, basis, seed + job, effort));
        }
        best.search(matrix, basis, seed, effort);
    });
    best.get().to_circuit()
}

/// The shortest program of several searches.
struct Best<'a> {
    program: Mutex<Program>,
    improved: &'a (dyn Fn(&Circuit) + Sync),
}

impl Best<'_> {
    fn lock(&self) -> MutexGuard<'_, Program> {
        self.program.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self) -> Program {
        self.lock().clone()
    }

    /// Keeps a program if it is the shortest.
    fn offer(&self, program: &Program) {
        let mut best = self.lock();
        if program.len() < best.len() {
            (self.improved)(&program.to_circuit());
            *best = program.clone();
        }
    }

    /// One search until the effort is over.
    fn search(&self, matrix: &Matrix, basis: Basis, seed: u64, effort: &Effort) {
        let mut rng = Rng::with_seed(seed);
        for number in 0.. {
            if effort.is_over() || self.lock().is_empty() {
                return;
            }
            let start = match number % (STARTS + 1) {
                STARTS => self.get(),
                _ => matrix.start(number, &mut rng),
            };
            let mut walk = Walk::new(start, basis.arity(), 0, rng.fork());
            let mut least = usize::MAX;
            while walk.best().len() < least && !effort.is_over() {
                least = walk.best().len();
                walk.run(STEPS, effort, &mut |program| self.offer(program));
            }
        }
    }
}

/// A program of sums of two that is found in so many steps of a walk; with none it shares pairs of terms only. No sum with
/// an input of `late` is used for one that has none.
pub(crate) fn program(
    matrix: &Matrix,
    late: u64,
    steps: u64,
    effort: &Effort,
    rng: &mut Rng,
) -> Program {
    let start = pairs::shared(matrix, rng);
    if steps == 0 {
        return start;
    }
    let mut walk = Walk::new(start, 2, late, rng.fork());
    walk.run(steps, effort, &mut |_| {});
    walk.best().clone()
}
