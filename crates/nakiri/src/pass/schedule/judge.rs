//! What an order costs on a core that executes out of order.

use super::graph::{At, Graph};
use super::traffic::traffic;
use crate::core::{Func, Stmt};
use crate::isa::Target;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How many operations wait for their operands before each of the ports, at most: chains of 10 to 200 dependent operations
/// one after another take as long on Zen 5.
const WAITING: usize = 24;

/// The cycles until each statement's result can be used; the instructions of one operation are taken for a tree.
pub(super) fn latencies(graph: &Graph, func: &Func, target: &Target) -> Vec<u32> {
    let latency = |stmt: &Stmt| {
        let Stmt::Let(instr) = stmt else { return 0 };
        let Some(&result) = instr.results.first() else { return 0 };
        if instr.op.kind().class().is_none() {
            return 0;
        }
        let ty = func.ty(result);
        let row = target.select(&instr.op, ty.direction(), ty.word());
        let instructions = row.map_or(1, |row| row.instructions() as u32);
        target.latency * (32 - instructions.leading_zeros())
    };
    graph.stmts.iter().map(latency).collect()
}

/// The cycles that an order takes: those of the operations as they start out of order, or of its memory traffic at two
/// accesses each, if that is more; beside operations an access costs a quarter, for its place in the core.
pub(super) fn cycles(graph: &Graph, order: &[At], latencies: &[u32], target: &Target) -> usize {
    let mut finished = vec![0; graph.len()];
    let mut ports: Vec<Port> = (0..target.issue).map(|_| Port::default()).collect();
    let (mut entered, mut end) = (0, 0);
    for &at in order.iter().filter(|at| latencies[**at] > 0) {
        let makers = graph.reads[at].iter().filter_map(|value| graph.makers[*value]);
        let ready = makers.map(|maker| finished[maker]).max().unwrap_or(0);
        ports.iter_mut().for_each(|port| port.leave(entered));
        let Some(port) = ports.iter_mut().min_by_key(|port| port.waiting.len()) else { continue };
        while port.waiting.len() == WAITING {
            entered += 1;
            port.leave(entered);
        }
        let start = port.start(ready.max(entered));
        finished[at] = start + latencies[at] as usize;
        end = end.max(finished[at]);
    }
    let traffic = traffic(graph, order, target.registers);
    end.max(traffic / 2) + traffic / 4
}

/// A port, and the operations before it.
#[derive(Default)]
struct Port {
    /// Whether an operation starts in a cycle.
    taken: Vec<bool>,
    /// When those start that have entered and not started.
    waiting: BinaryHeap<Reverse<usize>>,
}

impl Port {
    /// Operations that have started by now wait no more.
    fn leave(&mut self, now: usize) {
        while self.waiting.peek().is_some_and(|start| start.0 <= now) {
            self.waiting.pop();
        }
    }

    /// The first free cycle from a time on, which is taken.
    fn start(&mut self, from: usize) -> usize {
        let mut time = from;
        while self.taken.get(time).is_some_and(|taken| *taken) {
            time += 1;
        }
        self.taken.resize(self.taken.len().max(time + 1), false);
        self.taken[time] = true;
        self.waiting.push(Reverse(time));
        time
    }
}
