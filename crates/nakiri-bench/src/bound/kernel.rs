//! The operations that a kernel needs, as the compiler's core has them: without what a C compiler adds, such as copies,
//! spills and loop counters. Their bound is for any machine, whatever the target was.

use crate::machine::{Class, Machine};
use crate::sequence::Micro;
use nakiri::compile::Kernel;
use nakiri::core::{Func, FuncId, Op, OpKind, Stmt};
use nakiri::target::{Instance, Target};
use std::collections::BTreeMap;

/// Intrinsics by class: how their names go on after the prefix.
const INTRINSICS: &[(&str, Option<Class>)] = &[
    ("andnot", Some(Class::VectorLogic)),
    ("and", Some(Class::VectorLogic)),
    ("or", Some(Class::VectorLogic)),
    ("xor", Some(Class::VectorLogic)),
    ("blend", Some(Class::VectorLogic)),
    ("mask_blend", Some(Class::VectorLogic)),
    ("ternarylogic", Some(Class::VectorTernary)),
    ("add", Some(Class::VectorAdd)),
    ("sub", Some(Class::VectorAdd)),
    ("cmp", Some(Class::VectorAdd)),
    ("mul", Some(Class::VectorMultiply)),
    ("sl", Some(Class::VectorShift)),
    ("sr", Some(Class::VectorShift)),
    ("rol", Some(Class::VectorRotate)),
    ("ror", Some(Class::VectorRotate)),
    ("shldi", Some(Class::VectorRotate)),
    ("shrdi", Some(Class::VectorRotate)),
    ("shuffle_epi8", Some(Class::VectorShuffleBytes)),
    ("shuffle", Some(Class::VectorShuffle)),
    ("unpack", Some(Class::VectorShuffle)),
    ("alignr_epi8", Some(Class::VectorShuffle)),
    ("maskz_permute", Some(Class::VectorPermute)),
    ("permute", Some(Class::VectorPermute)),
    ("gf2p8", Some(Class::VectorAffine)),
    ("aes", Some(Class::Aes)),
    ("test", Some(Class::Mask)),
    ("movm", Some(Class::Mask)),
    // Constants: they are loaded once and kept, or part of another instruction.
    ("set", None),
    ("load", None),
    ("broadcast", None),
];

/// The classes of a target's instructions for an operation.
///
/// # Errors
/// The name of an intrinsic that has no class.
pub fn classes(target: &Target, row: &Instance) -> Result<Vec<Class>, String> {
    if !target.simd {
        return Ok(general(row));
    }
    let names = row.c.split("_mm").skip(1).chain(row.c.split("{mm}").skip(1));
    let mut classes = Vec::new();
    for text in names {
        let name = text.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches('_');
        let known = INTRINSICS.iter().find(|(start, _)| name.starts_with(start));
        let (_, class) = known.ok_or_else(|| name.split('(').next().unwrap_or(name).to_string())?;
        classes.extend(class);
    }
    Ok(classes)
}

/// General registers have a C operator for each operation.
fn general(row: &Instance) -> Vec<Class> {
    match row.op {
        OpKind::Add | OpKind::Sub => vec![Class::Add],
        OpKind::Mul => vec![Class::Multiply],
        OpKind::Shl | OpKind::Shr | OpKind::Sar => vec![Class::Shift],
        OpKind::Rotl | OpKind::Rotr => vec![Class::Rotate],
        OpKind::Bitmask => vec![Class::Shift, Class::Logic, Class::Add],
        _ => vec![Class::Logic; row.instructions.into()],
    }
}

/// The operations of one execution of a kernel: those of its core, iterations and called functions included, a load
/// for each atom that it is given and a store for each that it gives. A width that the machine doesn't have counts as
/// several operations of the widest that it has.
///
/// # Errors
/// What has no class.
pub fn operations(kernel: &Kernel, machine: &Machine) -> Result<BTreeMap<Micro, u64>, String> {
    let mut walk = Walk { kernel, known: vec![None; kernel.program.funcs.len()] };
    let mut counts = walk.function(kernel.program.entry)?;
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
    Ok(operations)
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
    fn function(&mut self, id: FuncId) -> Result<Counts, String> {
        if let Some(counts) = &self.known[id.index()] {
            return Ok(counts.clone());
        }
        let kernel = self.kernel;
        let func = &kernel.program.funcs[id.index()];
        let counts = self.statements(func, &func.body)?;
        self.known[id.index()] = Some(counts.clone());
        Ok(counts)
    }

    fn statements(&mut self, func: &Func, body: &[Stmt]) -> Result<Counts, String> {
        let mut counts = Counts::new();
        for stmt in body {
            match stmt {
                Stmt::Store { .. } => {}
                Stmt::Forall(forall) => {
                    for iteration in &forall.iterations {
                        add(&mut counts, &self.statements(func, iteration)?, 1);
                    }
                }
                Stmt::Loop(l) => {
                    add(&mut counts, &self.statements(func, &l.body)?, u64::from(l.count));
                }
                Stmt::Let(instr) => match (&instr.op, instr.results.first()) {
                    (Op::Call(callee, ..), _) => add(&mut counts, &self.function(*callee)?, 1),
                    (op, Some(&result)) if op.kind().class().is_some() => {
                        let ty = func.ty(result);
                        let target = self.kernel.target;
                        if let Some(row) = target.select(op, ty.direction(), ty.bits()) {
                            for class in classes(target, row)? {
                                *counts.entry(class).or_default() += 1;
                            }
                        }
                    }
                    _ => {}
                },
            }
        }
        Ok(counts)
    }
}

fn add(counts: &mut Counts, more: &Counts, times: u64) {
    for (class, count) in more {
        *counts.entry(*class).or_default() += count * times;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instruction_of_every_target_has_a_class() {
        for target in nakiri::target::all() {
            for row in target.rows() {
                let classes = classes(target, row);
                let count = classes.as_ref().map(Vec::len);
                assert_eq!(
                    count,
                    Ok(row.instructions.into()),
                    "{}: {row:?} {classes:?}",
                    target.name
                );
            }
        }
    }
}
