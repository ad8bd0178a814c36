//! Loads of the block before the loop: an initial permutation reads every atom at its own place, and that is no
//! reason for iterations to differ.

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
