//! Circuits of exclusive-ors for matrices over GF(2), until an effort is over.
//!
//! A program starts as shared pairs of terms or as a decomposition into additions in place (Xiang, Zeng, Lin, Bao, Zhang
//! 2020), from which the walk of [`nakiri::circuit::linear`] goes on.

mod decompose;

use crate::basis::Basis;
use crate::effort::Effort;
pub use nakiri::circuit::linear::Matrix;
use nakiri::circuit::linear::{shared, Program, Walk};
use nakiri::circuit::random::Random;
use nakiri::circuit::{layers, Circuit};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many steps the first walk from a program takes; it goes on as long as every so many find a shorter one.
const STEPS: u64 = 400_000;

/// How many programs are walked from before the best of all is taken up again.
const STARTS: u64 = 8;

/// The library's shortest circuit of a matrix.
fn known(matrix: &Matrix, basis: Basis) -> Option<Circuit> {
    let circuits = layers().iter().map(|entry| &entry.circuit);
    let fits = |circuit: &&Circuit| {
        usize::from(circuit.inputs) == matrix.columns
            && matrix.is_computed_by(circuit)
            && (basis.arity() == 3 || !circuit.is_ternary())
    };
    circuits.filter(fits).min_by_key(|circuit| circuit.size()).cloned()
}

/// A program to start with.
fn start(matrix: &Matrix, number: u64, random: &mut Random) -> Program {
    let decomposed = match number % 4 {
        0 => None,
        _ => decompose::in_place(matrix, random),
    };
    decomposed.unwrap_or_else(|| shared(matrix, random))
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
    let known = known(matrix, basis).and_then(|circuit| Program::of_circuit(&circuit));
    let first = known.unwrap_or_else(|| shared(matrix, &mut Random::new(seed)));
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
        let mut random = Random::new(seed);
        for number in 0.. {
            if effort.is_over() || self.lock().is_empty() {
                return;
            }
            let start = match number % (STARTS + 1) {
                STARTS => self.get(),
                _ => start(matrix, number, &mut random),
            };
            let mut walk = Walk::new(start, basis.arity(), 0, random.fork());
            let mut least = usize::MAX;
            while walk.best().len() < least && !effort.is_over() {
                least = walk.best().len();
                walk.run(STEPS, &|| effort.is_over(), &mut |program| self.offer(program));
            }
        }
    }
}
