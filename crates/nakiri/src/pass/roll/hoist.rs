//! What is no reason for iterations to differ: loads of the block, which an initial permutation reads every atom of at its
//! own place, go before the loop, and so do those of a key of which each round takes other bits; constants that one iteration
//! shares and another doesn't are shared by none.

use super::group::common_index;
use crate::core::{Func, Instr, Op, Stmt, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Iterations from which loads were taken.
pub struct Hoisted {
    /// The loads, which stand before the loop.
    pub before: Vec<Stmt>,
    /// What is left.
    pub iterations: Vec<Vec<Stmt>>,
    /// The values that were loaded again, and what they are now: what comes after the loop may use them.
    pub renamed: FxHashMap<ValueId, ValueId>,
}

/// Takes the loads of some parameters out of the iterations, each atom once.
pub fn loads(iterations: Vec<Vec<Stmt>>, hoists: impl Fn(u32) -> bool) -> Hoisted {
    let mut before = Vec::new();
    let mut known: FxHashMap<Op, ValueId> = FxHashMap::default();
    let mut renamed: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    let iterations = iterations
        .into_iter()
        .map(|iteration| {
            let mut kept = Vec::with_capacity(iteration.len());
            for mut stmt in iteration {
                stmt.map_uses(&mut |v| renamed.get(&v).copied().unwrap_or(v));
                match &stmt {
                    Stmt::Let(Instr { op: op @ Op::Load(param, _), results, .. })
                        if hoists(*param) =>
                    {
                        if let Some(&value) = known.get(op) {
                            renamed.insert(results[0], value);
                        } else {
                            known.insert(op.clone(), results[0]);
                            before.push(stmt);
                        }
                    }
                    _ => kept.push(stmt),
                }
            }
            kept
        })
        .collect();
    Hoisted { before, iterations, renamed }
}

/// The parameters of which some statement loads atoms that are not at a fixed step in the iterations.
pub fn irregular(iterations: &[Vec<Stmt>]) -> FxHashSet<u32> {
    let mut loaded: FxHashMap<(u32, usize), Vec<u32>> = FxHashMap::default();
    for iteration in iterations {
        for (at, stmt) in iteration.iter().enumerate() {
            if let Stmt::Let(Instr { op: Op::Load(param, index), .. }) = stmt {
                loaded.entry((*param, at)).or_default().push(index.base);
            }
        }
    }
    let regular = |atoms: &Vec<u32>| {
        atoms.len() == iterations.len() && common_index(atoms.iter().copied()).is_some()
    };
    let irregular = loaded.into_iter().filter(|(_, atoms)| !regular(atoms));
    irregular.map(|((param, _), _)| param).collect()
}

/// Gives every use of a constant inside an iteration a constant of its own; those that were shared go before the loop.
pub fn constants(iterations: Vec<Vec<Stmt>>, func: &mut Func) -> (Vec<Stmt>, Vec<Vec<Stmt>>) {
    let mut shared = Vec::new();
    let mut known: FxHashMap<ValueId, Instr> = FxHashMap::default();
    let mut own = |iteration: Vec<Stmt>| {
        let mut kept = Vec::with_capacity(iteration.len());
        for mut stmt in iteration {
            if let Stmt::Let(instr @ Instr { op: Op::Const(_), .. }) = &stmt {
                known.insert(instr.results[0], instr.clone());
                shared.push(stmt);
                continue;
            }
            stmt.map_uses(&mut |value| {
                let Some(constant) = known.get(&value) else { return value };
                let copy = func.value(func.ty(value));
                let results = std::iter::once(copy).collect();
                kept.push(Stmt::Let(Instr { results, ..constant.clone() }));
                copy
            });
            kept.push(stmt);
        }
        kept
    };
    let iterations = iterations.into_iter().map(&mut own).collect();
    (shared, iterations)
}
