//! The operations that a kernel needs, as the compiler's core has them: without what a C compiler adds, such as copies,
//! spills and loop counters. Their bound is for any machine, whatever the target was.

use crate::machine::{Class, Machine};
use crate::sequence::Micro;
use nakiri::compile::Kernel;
use nakiri::core::{Func, FuncId, Op, Stmt};
use std::collections::BTreeMap;

/// The operations of one execution of a kernel: those of its core, iterations and called functions included, a load
/// for each atom that it is given and a store for each that it gives. A width that the machine doesn't have counts as
/// several operations of the widest that it has.
pub fn operations(kernel: &Kernel, machine: &Machine) -> BTreeMap<Micro, u64> {
    let mut walk = Walk { kernel, known: vec![None; kernel.program.funcs.len()] };
    let mut counts = walk.function(kernel.program.entry);
    let entry = kernel.program.entry();
    let (load, store) = match kernel.target.simd {
        true => (Class::VectorLoad, Class::VectorStore),
        false => (Class::Load, Class::Store),
    };
    *counts.entry(load).or_default() +=
        entry.params.iter().map(|p| u64::from(p.count())).sum::<u64>();
    *counts.entry(store).or_default() +=
        entry.results.iter().map(|p| u64::from(p.count())).sum::<u64>();
    let mut operations = BTreeMap::new();
    for (class, count) in counts {
        let wanted = kernel.target.bits;
        let widest = machine.widest(class);
        let width = if widest == 0 { wanted } else { wanted.min(widest) };
        let parts = u64::from(wanted / width.max(1));
        *operations.entry(Micro { class, width }).or_default() += count * parts;
    }
    operations
}

/// How many instructions some operations are at least: loads can be parts of others.
pub fn instructions(operations: &BTreeMap<Micro, u64>) -> u64 {
    let loads = [Class::Load, Class::VectorLoad];
    let counted = operations.iter().filter(|(micro, _)| !loads.contains(&micro.class));
    counted.map(|(_, count)| count).sum()
}

type Counts = BTreeMap<Class, u64>;

struct Walk<'a> {
    kernel: &'a Kernel,
    known: Vec<Option<Counts>>,
}

impl Walk<'_> {
    fn function(&mut self, id: FuncId) -> Counts {
        if let Some(counts) = &self.known[id.index()] {
            return counts.clone();
        }
        let kernel = self.kernel;
        let func = &kernel.program.funcs[id.index()];
        let counts = self.statements(func, &func.body);
        self.known[id.index()] = Some(counts.clone());
        counts
    }

    fn statements(&mut self, func: &Func, body: &[Stmt]) -> Counts {
        let mut counts = Counts::new();
        for stmt in body {
            match stmt {
                Stmt::Store { .. } => {}
                Stmt::Forall(forall) => {
                    for iteration in &forall.iterations {
                        add(&mut counts, &self.statements(func, iteration), 1);
                    }
                }
                Stmt::Loop(l) => {
                    add(&mut counts, &self.statements(func, &l.body), u64::from(l.count));
                }
                Stmt::Let(instr) => match (&instr.op, instr.results.first()) {
                    (Op::Call(callee, ..), _) => add(&mut counts, &self.function(*callee), 1),
                    (op, Some(&result)) if op.kind().class().is_some() => {
                        let ty = func.ty(result);
                        let target = self.kernel.target;
                        if let Some(row) = target.select(op, ty.direction(), ty.word()) {
                            for class in row.work.iter().copied().flatten() {
                                *counts.entry(*class).or_default() += 1;
                            }
                        }
                    }
                    _ => {}
                },
            }
        }
        counts
    }
}

fn add(counts: &mut Counts, more: &Counts, times: u64) {
    for (class, count) in more {
        *counts.entry(*class).or_default() += count * times;
    }
}
