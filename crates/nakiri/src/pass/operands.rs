//! Puts an operand that isn't read again first among those of a ternary operation: its instruction writes its result over
//! its first operand, and not every C compiler looks for the one that may be lost.
//!
//! Needs: no foralls, and the final order of the statements. Guarantees: nothing but the order of operands changes.

use crate::core::{Op, Program, Stmt, ValueId};

/// Orders the operands of every ternary operation.
pub fn run(program: &mut Program) {
    for func in &mut program.funcs {
        let mut read = vec![false; func.values.len()];
        stmts(&mut func.body, &mut read);
    }
}

/// `read` says which values are read after these statements.
fn stmts(body: &mut [Stmt], read: &mut [bool]) {
    for stmt in body.iter_mut().rev() {
        match stmt {
            Stmt::Let(instr) => {
                let ends = |value: &ValueId| !read[value.index()];
                let first = instr.args.iter().position(ends).unwrap_or(0);
                if let Op::Ternary(table) = &mut instr.op {
                    instr.args.swap(0, first);
                    *table = swapped(*table, first);
                }
            }
            Stmt::Loop(l) => {
                // What comes from outside, or is handed on, is read again in the next iteration.
                let carried: Vec<ValueId> = l.carried.iter().map(|c| c.inside).collect();
                l.body.iter().for_each(|s| s.uses(&mut |value| read[value.index()] = true));
                let mut inner = |value: ValueId| read[value.index()] = false;
                l.body.iter().for_each(|s| s.definitions(&mut inner));
                carried.into_iter().for_each(inner);
                l.carried.iter().for_each(|c| read[c.next.index()] = true);
                stmts(&mut l.body, read);
            }
            Stmt::Store { .. } | Stmt::Forall(_) => {}
        }
        stmt.uses(&mut |value| read[value.index()] = true);
    }
}

/// The table of a ternary operation whose operand 0 changes places with another.
fn swapped(table: u8, other: usize) -> u8 {
    (0..8).fold(0, |swapped, index| {
        let bit = |operand: usize| index >> (2 - operand) & 1;
        let mut bits = [bit(0), bit(1), bit(2)];
        bits.swap(0, other);
        let from = bits[0] << 2 | bits[1] << 1 | bits[2];
        swapped | (table >> from & 1) << index
    })
}
