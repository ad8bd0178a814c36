//! Delay lines: values that a loop only hands on, as a shift register does.

use super::{Loop, ValueId};
use rustc_hash::FxHashMap;

/// The fewest taps of a delay line: to move fewer values costs no more than to keep them in memory.
const FEWEST_TAPS: usize = 4;

/// Carried values each of which takes over what the next one had an iteration before. None of them need be moved if they lie
/// in an array past which the loop moves: in iteration `i` tap `k` is element `i + k`, and what enters the line becomes the
/// element behind the last tap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DelayLine {
    /// The numbers of its taps in [`Loop::carried`], the oldest value first.
    pub taps: Vec<usize>,
}

impl DelayLine {
    /// The delay lines of a loop. No carried value is in two of them.
    pub fn of(l: &Loop) -> Vec<DelayLine> {
        let taps = l.carried.iter().enumerate().map(|(tap, c)| (c.inside, tap));
        let taps: FxHashMap<ValueId, usize> = taps.collect();
        let (mut newer, mut older) = (vec![None; l.carried.len()], vec![None; l.carried.len()]);
        for (tap, c) in l.carried.iter().enumerate() {
            match taps.get(&c.next) {
                Some(&from) if from != tap && older[from].is_none() => {
                    (newer[tap], older[from]) = (Some(from), Some(tap));
                }
                _ => {}
            }
        }
        // A ring has no oldest tap and is cut where it was met first.
        let (oldest, others): (Vec<usize>, Vec<usize>) =
            (0..l.carried.len()).partition(|tap| older[*tap].is_none());
        let mut seen = vec![false; l.carried.len()];
        let mut lines = Vec::new();
        for first in oldest.into_iter().chain(others) {
            let unseen = |tap: &usize| !std::mem::replace(&mut seen[*tap], true);
            let line = std::iter::successors(Some(first), |tap| newer[*tap]);
            let taps: Vec<usize> = line.take_while(unseen).collect();
            if taps.len() >= FEWEST_TAPS {
                lines.push(DelayLine { taps });
            }
        }
        lines
    }

    /// The value that enters the line in each iteration.
    pub fn enters(&self, l: &Loop) -> ValueId {
        l.carried[self.taps[self.taps.len() - 1]].next
    }

    /// How many elements its array has.
    pub fn elements(&self, l: &Loop) -> usize {
        self.taps.len() + l.count as usize
    }
}
