//! The two list schedules.

use super::graph::{At, Graph};
use super::region::{Region, Rule, Wish};
use super::RULES;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The order of the source, but for the loads and constants: they stand where they are read first.
pub(super) fn as_in_source(graph: &Graph, rule: Rule) -> Vec<At> {
    let mut region = Region::new(graph, rule);
    (0..graph.len()).filter(|at| !graph.leaf[*at]).for_each(|at| drop(region.place(at)));
    region.finish()
}

/// Always the most wanted statement.
pub(super) fn for_pressure(graph: &Graph, rule: Rule) -> Vec<At> {
    let mut region = Region::new(graph, rule);
    let mut wishes = Wishes::new(&region);
    while let Some(at) = wishes.pop(&region) {
        let changed = region.place(at);
        wishes.push(&region, &changed);
    }
    region.finish()
}

/// The ready statements, the most wanted first. Wishes that have become smaller are noticed when their turn comes.
struct Wishes(BinaryHeap<Wish>);

impl Wishes {
    fn new(region: &Region) -> Wishes {
        let ready = (0..region.graph.len()).filter(|at| region.is_ready(*at));
        Wishes(ready.map(|at| region.wish(at)).collect())
    }

    fn push(&mut self, region: &Region, stmts: &[At]) {
        self.0.extend(stmts.iter().map(|at| region.wish(*at)));
    }

    fn pop(&mut self, region: &Region) -> Option<At> {
        while let Some(wish) = self.0.pop() {
            if !region.is_ready(wish.at()) {
                continue;
            }
            let now = region.wish(wish.at());
            if now >= wish {
                return Some(wish.at());
            }
            self.0.push(now);
        }
        None
    }
}

/// What comes first of statements that can start at a time, and when registers are short.
pub(super) enum First<'a> {
    /// The longest way to the end; the most wanted.
    Longest(Rule),
    /// What an order has first, in either case: its statements move up into the time in which others wait for operands.
    Ordered(&'a [At]),
}

/// In the order of a machine that starts `issue` instructions a cycle. A statement for whose result none of so many
/// registers is left gives way. `latencies` has for each statement the cycles until its result can be used.
pub(super) fn for_latency(
    graph: &Graph,
    first: &First,
    latencies: &[u32],
    issue: u32,
    registers: u32,
) -> Vec<At> {
    let (rule, ranks) = match first {
        First::Longest(rule) => (*rule, heights(graph, latencies)),
        // Where there is an order no rule decides.
        First::Ordered(order) => (RULES[0], ranks(order)),
    };
    let mut region = Region::new(graph, rule);
    let mut finished = vec![0; graph.len()];
    let mut short = Short::new(first, &region);
    let mut waiting: BinaryHeap<Reverse<(u32, At)>> =
        (0..graph.len()).filter(|at| region.is_ready(*at)).map(|at| Reverse((0, at))).collect();
    let mut available: BinaryHeap<(u32, Reverse<At>)> = BinaryHeap::new();
    let (mut now, mut started) = (0, 0);
    loop {
        while let Some(&Reverse((_, at))) = waiting.peek().filter(|w| w.0 .0 <= now) {
            waiting.pop();
            available.push((ranks[at], Reverse(at)));
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
        let needed = region.alive as i64 + i64::from(region.growth(first));
        let chosen = match needed <= i64::from(registers) {
            true => first,
            false => short.pop(&region).unwrap_or(first),
        };
        let changed = region.place(chosen);
        finished[chosen] = now + latencies[chosen];
        for &at in &changed {
            let makers = graph.reads[at].iter().filter_map(|value| graph.makers[*value]);
            let time = makers.map(|maker| finished[maker]).max().unwrap_or(0);
            waiting.push(Reverse((time, at)));
        }
        short.push(&region, &changed);
        started += u32::from(latencies[chosen] > 0);
        if started == issue {
            (now, started) = (now + 1, 0);
        }
    }
    region.finish()
}

/// What comes first when registers are short.
enum Short<'a> {
    Wishes(Wishes),
    Ordered(std::slice::Iter<'a, At>),
}

impl<'a> Short<'a> {
    fn new(first: &First<'a>, region: &Region) -> Short<'a> {
        match first {
            First::Longest(_) => Short::Wishes(Wishes::new(region)),
            First::Ordered(order) => Short::Ordered(order.iter()),
        }
    }

    fn push(&mut self, region: &Region, stmts: &[At]) {
        if let Short::Wishes(wishes) = self {
            wishes.push(region, stmts);
        }
    }

    fn pop(&mut self, region: &Region) -> Option<At> {
        match self {
            Short::Wishes(wishes) => wishes.pop(region),
            Short::Ordered(order) => order.by_ref().copied().find(|at| region.is_ready(*at)),
        }
    }
}

/// Ranks, the higher the earlier in an order.
fn ranks(order: &[At]) -> Vec<u32> {
    let mut ranks = vec![0; order.len()];
    for (rank, &at) in order.iter().rev().enumerate() {
        ranks[at] = rank as u32;
    }
    ranks
}

/// For each statement the cycles from its start to the end of all that depends on it. Stores come before all others.
fn heights(graph: &Graph, latencies: &[u32]) -> Vec<u32> {
    let is_store = |at: At| matches!(graph.stmts[at], crate::core::Stmt::Store { .. });
    let mut heights = vec![0; graph.len()];
    for at in (0..graph.len()).rev() {
        let after =
            graph.after(at).map(|reader| if is_store(reader) { 0 } else { heights[reader] });
        heights[at] = match is_store(at) {
            true => u32::MAX,
            false => latencies[at] + after.max().unwrap_or(0),
        };
    }
    heights
}
