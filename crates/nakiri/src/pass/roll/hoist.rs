//! What is no reason for iterations to differ: loads of the block, which an initial permutation reads every atom of at its
//! own place, go before the loop; constants that one iteration shares and another doesn't are shared by none.

use crate::core::{Func, Instr, Op, Stmt, ValueId};
use rustc_hash::FxHashMap;

/// Takes the loads of parameters that are not constant out of the iterations, each atom once.
pub fn loads(iterations: Vec<Vec<Stmt>>, func: &Func) -> (Vec<Stmt>, Vec<Vec<Stmt>>) {
    let mut hoisted = Vec::new();
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
                        if !func.params[*param as usize].constant =>
                    {
                        if let Some(&value) = known.get(op) {
                            renamed.insert(results[0], value);
                        } else {
                            known.insert(op.clone(), results[0]);
                            hoisted.push(stmt);
                        }
                    }
                    _ => kept.push(stmt),
                }
            }
            kept
        })
        .collect();
    (hoisted, iterations)
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
