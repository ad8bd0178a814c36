//! What an order costs on a core that executes out of order.

use super::graph::{At, Graph};
use super::traffic::traffic;
use crate::core::{Func, Stmt};
use crate::target::Target;
use std::collections::VecDeque;

/// How many statements a core looks ahead for one that can start: half the reorder buffer of a core of today, because
/// what is in it are instructions of the compiler's making too.
const WINDOW: usize = 128;

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
/// accesses each, if that is more; beside operations an access costs an eighth, for its place in the core.
pub(super) fn cycles(graph: &Graph, order: &[At], latencies: &[u32], target: &Target) -> usize {
    let mut finished = vec![0; graph.len()];
    // How many operations start in a cycle, and when those that are looked at are finished.
    let mut started: Vec<u32> = Vec::new();
    let mut window: VecDeque<usize> = VecDeque::with_capacity(WINDOW);
    let (mut entered, mut end) = (0, 0);
    for &at in order.iter().filter(|at| latencies[**at] > 0) {
        if window.len() == WINDOW {
            entered = entered.max(window.pop_front().unwrap_or(0));
        }
        let makers = graph.reads[at].iter().filter_map(|value| graph.makers[*value]);
        let mut time = makers.map(|maker| finished[maker]).max().unwrap_or(0).max(entered);
        while started.get(time).is_some_and(|count| *count == target.issue) {
            time += 1;
        }
        started.resize(started.len().max(time + 1), 0);
        started[time] += 1;
        finished[at] = time + latencies[at] as usize;
        end = end.max(finished[at]);
        window.push_back(finished[at]);
    }
    let traffic = traffic(graph, order, target.registers);
    end.max(traffic / 2) + traffic / 8
}
