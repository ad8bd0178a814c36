//! What a loop carries from one iteration to the next: the maximum cycle ratio of its dependences.
//!
//! All that one iteration leaves to the next goes through registers and words of memory at the end of the body. With
//! M[i][j] the longest path from the value i at the start to the value j at the end, the time of an iteration is in the
//! long run the maximum mean weight of a cycle in M, by Karp's theorem (R. M. Karp, A characterization of the minimum
//! cycle mean in a digraph, 1978).

use super::costs::Costed;
use super::flow::{words, Flow};
use crate::sequence::{Registers, Sequence};
use std::collections::BTreeSet;

/// A value that lives from one iteration to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Carried {
    Register(usize),
    Word(u64),
}

/// The core cycles that an iteration takes in the long run for its dependences alone.
pub fn recurrence(costs: &[Costed], sequence: &Sequence) -> f64 {
    let carried = carried(costs, sequence);
    let paths: Vec<Vec<f64>> = carried
        .iter()
        .map(|start| {
            let mut flow = Flow::new(f64::NEG_INFINITY);
            match *start {
                Carried::Register(register) => flow.registers[register] = 0.0,
                Carried::Word(word) => {
                    flow.memory.insert(word, (0xff, 0.0));
                }
            }
            for step in &sequence.steps {
                let never = f64::NEG_INFINITY;
                flow.step(&costs[step.code as usize], step.address, never, &mut |_, ready| ready);
            }
            let end = |value: &Carried| match *value {
                Carried::Register(register) => flow.registers[register],
                Carried::Word(word) => flow.memory.get(&word).map_or(never(), |(_, time)| *time),
            };
            carried.iter().map(end).collect()
        })
        .collect();
    maximum_cycle_mean(&paths)
}

fn never() -> f64 {
    f64::NEG_INFINITY
}

/// The values that are read before they are written, and written at all.
fn carried(costs: &[Costed], sequence: &Sequence) -> Vec<Carried> {
    let (mut read, mut written) = (BTreeSet::new(), BTreeSet::new());
    let registers = |set: Registers| set.iter().map(Carried::Register).collect::<Vec<_>>();
    for step in &sequence.steps {
        let instruction = costs[step.code as usize].instruction;
        let memory: Vec<Carried> = match step.address {
            Some(address) => {
                words(address, instruction.memory).map(|(word, _)| Carried::Word(word)).collect()
            }
            None => Vec::new(),
        };
        let mut reads = [registers(instruction.address), registers(instruction.data)].concat();
        if instruction.work.load.is_some() {
            reads.extend(&memory);
        }
        read.extend(reads.into_iter().filter(|value| !written.contains(value)));
        written.extend(registers(instruction.written));
        if instruction.work.store.is_some() {
            written.extend(memory);
        }
    }
    read.intersection(&written).copied().collect()
}

/// The maximum mean weight of a cycle; 0 if there is none. `weights[i][j]` is the edge from i to j, −∞ where there is none.
pub fn maximum_cycle_mean(weights: &[Vec<f64>]) -> f64 {
    let n = weights.len();
    // The heaviest walks of exactly k edges from anywhere.
    let mut walks = vec![vec![0.0; n]];
    for k in 0..n {
        let next = (0..n)
            .map(|j| (0..n).map(|i| walks[k][i] + weights[i][j]).fold(f64::NEG_INFINITY, f64::max));
        walks.push(next.collect());
    }
    let mean = |j: usize| {
        let last = walks[n][j];
        let means = (0..n).filter(|k| walks[*k][j] > f64::NEG_INFINITY);
        means.map(|k| (last - walks[k][j]) / (n - k) as f64).fold(f64::INFINITY, f64::min)
    };
    let reached = (0..n).filter(|j| walks[n][*j] > f64::NEG_INFINITY);
    reached.map(mean).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By trying every cycle without repeated nodes.
    fn by_search(weights: &[Vec<f64>]) -> f64 {
        fn extend(weights: &[Vec<f64>], path: &mut Vec<usize>, sum: f64, best: &mut f64) {
            let last = path[path.len() - 1];
            let closed = sum + weights[last][path[0]];
            *best = best.max(closed / path.len() as f64);
            for next in path[0] + 1..weights.len() {
                if !path.contains(&next) && weights[last][next] > f64::NEG_INFINITY {
                    path.push(next);
                    extend(weights, path, sum + weights[last][next], best);
                    path.pop();
                }
            }
        }
        let mut best = 0.0;
        (0..weights.len()).for_each(|start| extend(weights, &mut vec![start], 0.0, &mut best));
        best
    }

    #[test]
    fn karp_finds_what_search_finds() {
        let mut state = 7u64;
        let mut random = |n: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % n
        };
        for _ in 0..300 {
            let n = 1 + random(6) as usize;
            let mut weight = || match random(3) {
                0 => random(20) as f64,
                _ => f64::NEG_INFINITY,
            };
            let weights: Vec<Vec<f64>> =
                (0..n).map(|_| (0..n).map(|_| weight()).collect()).collect();
            let (karp, search) = (maximum_cycle_mean(&weights), by_search(&weights));
            assert!((karp - search).abs() < 1e-9, "{weights:?}: {karp} {search}");
        }
    }
}
