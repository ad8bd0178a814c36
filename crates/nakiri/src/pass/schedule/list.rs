//! The two list schedules.

use super::region::{LookAhead, Region, Wish};
use crate::core::{Func, Stmt};
use crate::target::Target;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Always the most wanted statement. Gives the number of values alive beyond these registers, summed over all places.
pub(super) fn for_pressure(region: &mut Region, ahead: LookAhead, registers: usize) -> usize {
    let mut wishes = Wishes::new(region, ahead);
    let mut excess = 0;
    while let Some(at) = wishes.pop(region) {
        let changed = region.place(at);
        wishes.push(region, &changed);
        excess += region.live.count.saturating_sub(registers);
    }
    excess
}

/// The ready statements, the most wanted first. Wishes that have become smaller are noticed when their turn comes.
struct Wishes {
    heap: BinaryHeap<Wish>,
    ahead: LookAhead,
}

impl Wishes {
    fn new(region: &Region, ahead: LookAhead) -> Wishes {
        let ready: Vec<usize> = (0..region.len()).filter(|at| region.is_ready(*at)).collect();
        let mut wishes = Wishes { heap: BinaryHeap::new(), ahead };
        wishes.push(region, &ready);
        wishes
    }

    fn push(&mut self, region: &Region, stmts: &[usize]) {
        self.heap.extend(stmts.iter().map(|at| region.wish(*at, self.ahead)));
    }

    fn pop(&mut self, region: &Region) -> Option<usize> {
        while let Some(wish) = self.heap.pop() {
            let Reverse(at) = wish.3;
            if !region.is_ready(at) {
                continue;
            }
            let now = region.wish(at, self.ahead);
            if now >= wish {
                return Some(at);
            }
            self.heap.push(now);
        }
        None
    }
}

/// In the order of a machine that starts a few instructions a cycle, those with the longest way to the end first. A
/// statement for whose result no register is left gives way to the most wanted one.
pub(super) fn for_latency(region: &mut Region, func: &Func, target: &Target) {
    let latencies: Vec<u32> =
        (0..region.len()).map(|at| latency(region, at, func, target)).collect();
    let heights = heights(region, &latencies);
    let mut finished = vec![0; region.len()];
    let mut wishes = Wishes::new(region, LookAhead::Relief);
    let mut waiting: BinaryHeap<Reverse<(u32, usize)>> =
        (0..region.len()).filter(|at| region.is_ready(*at)).map(|at| Reverse((0, at))).collect();
    let mut available: BinaryHeap<(u32, Reverse<usize>)> = BinaryHeap::new();
    let (mut now, mut started) = (0, 0);
    loop {
        while let Some(&Reverse((time, at))) = waiting.peek().filter(|w| w.0 .0 <= now) {
            debug_assert!(time <= now);
            waiting.pop();
            available.push((heights[at], Reverse(at)));
        }
        let Some((_, Reverse(first))) = available.peek().copied() else {
            let Some(Reverse((time, _))) = waiting.peek() else { break };
            (now, started) = (*time, 0);
            continue;
        };
        if !region.is_ready(first) {
            available.pop();
            continue;
        }
        let needed = region.live.count as i64 + i64::from(region.growth(first));
        let chosen = match needed <= i64::from(target.registers) {
            true => first,
            false => wishes.pop(region).unwrap_or(first),
        };
        let changed = region.place(chosen);
        finished[chosen] = now + latencies[chosen];
        for &at in &changed {
            let operands = region.reads[at].iter().filter_map(|value| region.makers.get(value));
            let time = operands.map(|&maker| finished[maker]).max().unwrap_or(0);
            waiting.push(Reverse((time, at)));
        }
        wishes.push(region, &changed);
        started += u32::from(latencies[chosen] > 0);
        if started == target.issue {
            (now, started) = (now + 1, 0);
        }
    }
}

/// The cycles until a statement's result can be used; the instructions of one operation are taken for a tree.
fn latency(region: &Region, at: usize, func: &Func, target: &Target) -> u32 {
    let Some(Stmt::Let(instr)) = region.stmt(at) else { return 0 };
    let Some(&result) = instr.results.first() else { return 0 };
    if instr.op.kind().class().is_none() {
        return 0;
    }
    let ty = func.ty(result);
    let row = target.select(&instr.op, ty.direction(), ty.bits());
    let instructions = row.map_or(1, |row| row.instructions() as u32);
    target.latency * (32 - instructions.leading_zeros())
}

/// For each statement the cycles from its start to the end of all that depends on it. Stores come before all others.
fn heights(region: &Region, latencies: &[u32]) -> Vec<u32> {
    let mut heights = vec![0; region.len()];
    for at in (0..region.len()).rev() {
        let after = region.readers(at).map(|reader| match region.stmt(reader) {
            Some(Stmt::Store { .. }) => 0,
            _ => heights[reader],
        });
        heights[at] = match region.stmt(at) {
            Some(Stmt::Store { .. }) => u32::MAX,
            _ => latencies[at] + after.max().unwrap_or(0),
        };
    }
    heights
}
