//! What an order costs in memory traffic.

use super::graph::{At, Graph};
use crate::registers::{Accesses, File, Use, LATER, NEVER};
use smallvec::SmallVec;

/// How many values straight-line code reads from memory and writes to the stack in this order, with so many registers.
///
/// Parameters, constants, and what comes from before are in memory. An instruction reads one operand there without a
/// register.
pub(super) fn traffic(graph: &Graph, order: &[At], registers: u32) -> usize {
    // For each value when it is read, last first.
    let mut reads: Vec<SmallVec<[u32; 4]>> = vec![SmallVec::new(); graph.makers.len()];
    for (time, &at) in order.iter().enumerate().rev() {
        graph.reads[at].iter().for_each(|value| reads[*value].push(time as u32));
    }
    let next = |reads: &[SmallVec<[u32; 4]>], value: usize| {
        let after = if graph.later[value] > 0 { LATER } else { NEVER };
        Use { value: value as u32, next: reads[value].last().copied().unwrap_or(after) }
    };
    let stored = graph.makers.iter().map(|maker| maker.is_none_or(|maker| graph.leaf[maker]));
    let mut file = File::new(registers as usize, stored.collect());
    let (mut accesses, mut traffic) = (Accesses::new(), 0);
    for (time, &at) in order.iter().enumerate().filter(|(_, at)| !graph.leaf[**at]) {
        let operands = graph.reads[at].iter().map(|&value| {
            reads[value].pop();
            next(&reads, value)
        });
        let operands: SmallVec<[Use; 4]> = operands.collect();
        file.read(time as u32, &operands, true, &mut accesses);
        for &value in &graph.makes[at] {
            file.make(time as u32, next(&reads, value), &mut accesses);
        }
        traffic += accesses.drain(..).count();
    }
    traffic
}
