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

/// The cycles that an order takes.
pub(super) fn cycles(graph: &Graph, order: &[At], latencies: &[u32], target: &Target) -> usize {
    let mut finished = vec![0; graph.len()];
    let mut core = Core::new(target);
    for &at in order.iter().filter(|at| latencies[**at] > 0) {
        let makers = graph.reads[at].iter().filter_map(|value| graph.makers[*value]);
        let ready = makers.map(|maker| finished[maker]).max().unwrap_or(0);
        finished[at] = core.finish(ready, latencies[at]);
    }
    core.cycles(traffic(graph, order, target.registers))
}

/// How much faster an order must be than those before it, as a part of their time: the model isn't more exact.
const EXACT: usize = 20;

/// The faster of two orders with their cycles; the first unless the other is clearly faster.
pub(crate) fn faster<T>(one: (usize, T), other: (usize, T)) -> (usize, T) {
    match other.0 + one.0 / EXACT < one.0 {
        true => other,
        false => one,
    }
}

/// A core that executes operations, which enter in order and start out of order.
pub(crate) struct Core {
    ports: Vec<Port>,
    /// When the next operation enters at the earliest.
    entered: usize,
    /// When all are finished.
    end: usize,
}

impl Core {
    /// One of a target's width, idle.
    pub(crate) fn new(target: &Target) -> Core {
        let ports = (0..target.issue).map(|_| Port::default()).collect();
        Core { ports, entered: 0, end: 0 }
    }

    /// When the next operation is finished, whose operands are ready at a time.
    pub(crate) fn finish(&mut self, ready: usize, latency: u32) -> usize {
        self.ports.iter_mut().for_each(|port| port.leave(self.entered));
        let port = self.ports.iter_mut().min_by_key(|port| port.waiting.len());
        let port = port.expect("cores have ports");
        while port.waiting.len() == WAITING {
            self.entered += 1;
            port.leave(self.entered);
        }
        let finished = port.start(ready.max(self.entered)) + latency as usize;
        self.end = self.end.max(finished);
        finished
    }

    /// The cycles that all take: those of the operations, or of so many accesses to memory at two in each, if that is more; beside
    /// operations an access costs a quarter, for its place in the core.
    pub(crate) fn cycles(&self, accesses: usize) -> usize {
        self.end.max(accesses / 2) + accesses / 4
    }
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
