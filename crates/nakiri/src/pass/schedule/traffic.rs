//! What an order costs in memory traffic.

use super::graph::{At, Graph};

/// Never read again; values that only later code reads come just before.
const NEVER: usize = usize::MAX;
const LATER: usize = usize::MAX - 1;

/// How many values straight-line code reads from memory and writes to the stack in this order, if an allocator keeps as many
/// in registers as there are, and gives up the one that is read last, half as gladly if it must be written first (Belady, "A
/// study of replacement algorithms for a virtual-storage computer", 1966).
///
/// Parameters, constants, and what comes from before are in memory. An instruction reads one operand there without a
/// register.
pub(super) fn traffic(graph: &Graph, order: &[At], registers: u32) -> usize {
    let mut file = File::new(graph, order, registers as usize);
    for (time, &at) in order.iter().enumerate() {
        if !graph.leaf[at] {
            file.execute(time, at);
        }
    }
    file.traffic
}

/// A register file, and what it could not hold.
struct File<'a> {
    graph: &'a Graph,
    registers: usize,
    /// The values in registers.
    held: Vec<usize>,
    /// For each value when it is read, last first.
    reads: Vec<Vec<usize>>,
    in_memory: Vec<bool>,
    traffic: usize,
}

impl<'a> File<'a> {
    fn new(graph: &'a Graph, order: &[At], registers: usize) -> File<'a> {
        let mut reads = vec![Vec::new(); graph.makers.len()];
        for (time, &at) in order.iter().enumerate().rev() {
            graph.reads[at].iter().for_each(|value| reads[*value].push(time));
        }
        let in_memory = graph.makers.iter().map(|maker| maker.is_none_or(|m| graph.leaf[m]));
        File {
            graph,
            registers,
            held: Vec::with_capacity(registers + 1),
            reads,
            in_memory: in_memory.collect(),
            traffic: 0,
        }
    }

    /// When a value is read next.
    fn next(&self, value: usize) -> usize {
        let after = if self.graph.later[value] > 0 { LATER } else { NEVER };
        self.reads[value].last().copied().unwrap_or(after)
    }

    fn execute(&mut self, time: usize, at: At) {
        let operands = &self.graph.reads[at];
        for &value in operands {
            self.reads[value].pop();
        }
        let missing = operands.iter().copied().filter(|value| !self.held.contains(value));
        let mut missing: Vec<usize> = missing.collect();
        self.traffic += missing.len();
        missing.sort_by_key(|value| std::cmp::Reverse(self.next(*value)));
        for (k, &value) in missing.iter().enumerate() {
            if k > 0 || !self.stays_in_memory(value) {
                self.hold(value, time, operands);
            }
        }
        let mut held = std::mem::take(&mut self.held);
        held.retain(|value| self.next(*value) != NEVER);
        self.held = held;
        for &value in &self.graph.makes[at] {
            if self.next(value) != NEVER {
                self.hold(value, time, &[]);
            }
        }
    }

    /// Whether an operand in memory is not worth a register.
    fn stays_in_memory(&self, value: usize) -> bool {
        let next = self.next(value);
        let last = || self.held.iter().map(|held| self.next(*held)).max();
        next == NEVER || (self.held.len() >= self.registers && Some(next) >= last())
    }

    fn hold(&mut self, value: usize, time: usize, operands: &[usize]) {
        if self.held.len() >= self.registers {
            self.evict(time, operands);
        }
        self.held.push(value);
    }

    /// Frees the register of a value that is not an operand.
    fn evict(&mut self, time: usize, operands: &[usize]) {
        let gladness = |value: usize| {
            let cost = if self.in_memory[value] { 1 } else { 2 };
            (self.next(value) - time) / cost
        };
        let others = (0..self.held.len()).filter(|k| !operands.contains(&self.held[*k]));
        let Some(given_up) = others.max_by_key(|k| gladness(self.held[*k])) else { return };
        let value = self.held.swap_remove(given_up);
        self.traffic += usize::from(!std::mem::replace(&mut self.in_memory[value], true));
    }
}
