//! How many operations a kernel executes.

use crate::compile::Kernel;
use crate::core::{Func, FuncId, Op, OpKind, Stmt};
use std::collections::BTreeMap;

/// Operations that one run of a kernel executes, on all its blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// How often each kind is executed; loads, constants and calls are left out.
    pub operations: BTreeMap<OpKind, u64>,
    /// The target's instructions for them, as its table counts.
    pub instructions: u64,
}

impl Counts {
    /// Counts a kernel, iterations and called functions included.
    pub fn of(kernel: &Kernel) -> Counts {
        let mut known = vec![None; kernel.program.funcs.len()];
        function(kernel, kernel.program.entry, &mut known)
    }

    fn add(&mut self, other: &Counts, times: u64) {
        for (kind, count) in &other.operations {
            *self.operations.entry(*kind).or_default() += count * times;
        }
        self.instructions += other.instructions * times;
    }
}

fn function(kernel: &Kernel, id: FuncId, known: &mut Vec<Option<Counts>>) -> Counts {
    if let Some(counts) = &known[id.index()] {
        return counts.clone();
    }
    let func = &kernel.program.funcs[id.index()];
    let counts = statements(kernel, func, &func.body, known);
    known[id.index()] = Some(counts.clone());
    counts
}

fn statements(
    kernel: &Kernel,
    func: &Func,
    body: &[Stmt],
    known: &mut Vec<Option<Counts>>,
) -> Counts {
    let mut counts = Counts::default();
    for stmt in body {
        match stmt {
            Stmt::Store { .. } => {}
            Stmt::Forall(forall) => {
                for iteration in &forall.iterations {
                    counts.add(&statements(kernel, func, iteration, known), 1);
                }
            }
            Stmt::Loop(l) => {
                counts.add(&statements(kernel, func, &l.body, known), u64::from(l.count));
            }
            Stmt::Let(instr) => match (&instr.op, instr.results.first()) {
                (Op::Call(callee, ..), _) => counts.add(&function(kernel, *callee, known), 1),
                (op, Some(&result)) if op.kind().class().is_some() => {
                    let ty = func.ty(result);
                    let row = kernel.target.select(op, ty.direction(), ty.word());
                    *counts.operations.entry(op.kind()).or_default() += 1;
                    counts.instructions += row.map_or(0, |row| row.instructions() as u64);
                }
                _ => {}
            },
        }
    }
    counts
}
