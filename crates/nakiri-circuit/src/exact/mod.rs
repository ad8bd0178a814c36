//! Circuits of provably fewest gates, by SAT.
//!
//! [`with_gates`] answers one question: are so many gates enough? That none fewer are is proved by asking for every
//! smaller number, because each question is about circuits that use all of their gates.

mod circuit;
mod encode;
mod problem;

use crate::basis::Basis;
use crate::effort::Effort;
use encode::Encoding;
pub use problem::{Problem, Solution, Step};

/// The answer to one question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// So many gates are enough.
    Enough(Solution),
    /// No circuit has exactly so many gates, all of them used.
    TooFew,
    /// The effort was over first.
    Unknown,
}

/// The wanted signals that need a gate of their own: none that is constant, given, or the same as another. For a basis
/// that is normal, `problem` is normalized.
fn targets(problem: &Problem, basis: Basis) -> Vec<usize> {
    let is_one = |output: usize| {
        !basis.is_normal() && problem.rows.iter().all(|(_, o)| o >> output & 1 == 1)
    };
    let needs_gate = |&output: &usize| {
        !problem.is_zero(output)
            && !is_one(output)
            && problem.equal_given(output).is_none()
            && problem.representative(output) == output
    };
    (0..problem.wanted).filter(needs_gate).collect()
}

/// The fewest gates that a circuit could have: one for each distinct wanted signal.
pub fn least_gates(problem: &Problem, basis: Basis) -> usize {
    match basis.is_normal() {
        true => targets(&problem.normalized().0, basis).len(),
        false => targets(problem, basis).len(),
    }
}

/// Whether `gates` gates of `basis` compute the wanted signals.
pub fn with_gates(problem: &Problem, basis: Basis, gates: usize, effort: &Effort) -> Answer {
    let (mut own, mut flipped) = (problem.clone(), 0);
    if basis.is_normal() {
        (own, flipped) = problem.normalized();
    }
    let flips = problem.rows.first().map_or(0, |row| if basis.is_normal() { row.0 } else { 0 });
    let targets = targets(&own, basis);
    if targets.len() > gates {
        return Answer::TooFew;
    }
    // A gate needs as many signals to choose from as it has operands; those added are zero.
    own.given = own.given.max(basis.arity());
    let found = match gates {
        0 => Some(Some(Solution { steps: Vec::new(), outputs: Vec::new() })),
        _ => Encoding::new(&own, &targets, basis, gates).solve(effort),
    };
    match found {
        None => Answer::Unknown,
        Some(None) => Answer::TooFew,
        Some(Some(raw)) => {
            let solution = raw.finish(problem, &own, &targets, flips, flipped);
            Answer::Enough(solution)
        }
    }
}
