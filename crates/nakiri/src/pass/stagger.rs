//! Lets each batch of a kernel lag behind the one before, so that they don't ask for the same ports at the same time: one
//! rotates while the next one is in its S-boxes.
//!
//! Needs: an interleaved entry, its statements in order. Guarantees: the same statements, those of each batch in the same order.

use super::interleave::{batches, Interleave};
use crate::core::{Program, Stmt, ValueId};

/// Staggers the batches of the entry.
pub fn run(program: &mut Program, interleave: Interleave) {
    let Interleave { factor, lag, .. } = interleave;
    if factor == 1 || lag == 0 {
        return;
    }
    let func = &mut program.funcs[program.entry.index()];
    let batches = batches(func, factor);
    // As many statements of all batches stand for one of each.
    let delay = |value: ValueId| {
        u64::from(batches[value.index()].unwrap_or(0)) * u64::from(lag) * u64::from(factor)
    };
    func.body = stmts(std::mem::take(&mut func.body), &delay);
}

/// Delays the statements between loops, and those of each loop's body.
fn stmts(body: Vec<Stmt>, delay: &impl Fn(ValueId) -> u64) -> Vec<Stmt> {
    let mut out: Vec<Stmt> = Vec::with_capacity(body.len());
    // The statements since the last loop, by the places where they will stand.
    let mut straight: Vec<(u64, Stmt)> = Vec::new();
    for stmt in body {
        match stmt {
            Stmt::Loop(mut l) => {
                append(&mut straight, &mut out);
                l.body = stmts(l.body, delay);
                out.push(Stmt::Loop(l));
            }
            stmt => straight.push((straight.len() as u64 + delay(owner(&stmt)), stmt)),
        }
    }
    append(&mut straight, &mut out);
    out
}

fn append(straight: &mut Vec<(u64, Stmt)>, out: &mut Vec<Stmt>) {
    straight.sort_by_key(|(place, _)| *place);
    out.extend(straight.drain(..).map(|(_, stmt)| stmt));
}

/// A value by which a statement's batch is known.
fn owner(stmt: &Stmt) -> ValueId {
    match stmt {
        Stmt::Let(instr) => instr.results[0],
        Stmt::Store { value, .. } => *value,
        Stmt::Forall(_) | Stmt::Loop(_) => unreachable!("only straight-line code is delayed"),
    }
}
