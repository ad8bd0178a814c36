//! Chains of unequal length on lanes: where one has ended, the lane takes the next.

use crate::rows::{Address, Addresses, Rows, STEP};
use crate::tweak::{Suite, Tweakable};

/// A chain: from a step to another.
#[derive(Clone, Debug)]
pub struct Chain {
    /// Its address, whatever the step.
    pub address: Address,
    /// The step at which it begins.
    pub from: u32,
    /// The step at which it ends.
    pub to: u32,
}

/// Goes through all chains, whose nodes lie one after another: those at their beginnings, and then those at their ends. How long
/// chains are is no secret.
pub fn run(suite: &Suite, mut chains: Vec<Chain>, nodes: &mut [u8]) {
    let mut queue: Vec<usize> =
        (0..chains.len()).filter(|&k| chains[k].from < chains[k].to).collect();
    // Long ones first, so that no lane is left alone with one at the end.
    queue.sort_unstable_by_key(|&k| chains[k].to - chains[k].from);
    let hash = suite.for_calls(queue.len());
    let left = go(hash, &mut chains, nodes, queue, suite.worth.min(hash.lanes()));
    go(&*suite.one, &mut chains, nodes, left, 1);
}

/// Takes chains from the end of a queue as long as at least so many lanes are busy; what is left has begun or not.
fn go(
    hash: &dyn Tweakable,
    chains: &mut [Chain],
    all: &mut [u8],
    mut queue: Vec<usize>,
    least: usize,
) -> Vec<usize> {
    let (lanes, words, n) = (hash.lanes(), hash.words(), hash.n());
    let mut memory = Rows::new(8 * 2 * words);
    let (mut nodes, mut next) = memory.words_mut().split_at_mut(words);
    let mut addresses = Addresses::new(lanes);
    let mut busy: Vec<Option<usize>> = vec![None; lanes];
    loop {
        for (lane, job) in busy.iter_mut().enumerate() {
            if job.is_none() {
                *job = queue.pop();
                if let Some(k) = *job {
                    let mut address = chains[k].address;
                    address[STEP] = chains[k].from;
                    addresses.set(lane, &address);
                    hash.put(nodes, lane, &all[n * k..][..n]);
                }
            }
        }
        let running =
            || busy.iter().copied().enumerate().filter_map(|(lane, job)| Some((lane, job?)));
        if running().count() < least {
            for (lane, k) in running() {
                hash.get(nodes, lane, &mut all[n * k..][..n]);
            }
            return running().map(|(_, k)| k).collect();
        }
        let steps = running().map(|(_, k)| chains[k].to - chains[k].from).min().unwrap_or(0);
        for _ in 0..steps {
            hash.f(&addresses, nodes, next);
            std::mem::swap(&mut nodes, &mut next);
            addresses.row_mut(STEP).iter_mut().for_each(|step| *step = step.wrapping_add(1));
        }
        for (lane, job) in busy.iter_mut().enumerate() {
            if let Some(k) = *job {
                chains[k].from += steps;
                if chains[k].from == chains[k].to {
                    hash.get(nodes, lane, &mut all[n * k..][..n]);
                    *job = None;
                }
            }
        }
    }
}
