//! Puts the operands of ternary operations where their instruction wants them: it writes its result over its first operand
//! and can read its last one from memory, and not every C compiler looks for those.
//!
//! Needs: no foralls, and the final order of the statements. Guarantees: nothing but the order of operands changes.

use crate::core::delay::DelayLine;
use crate::core::{Instr, Op, Program, Stmt, ValueId};
use crate::target::Target;

/// Orders the operands of every ternary operation, if the target has one for every order.
pub fn run(program: &mut Program, target: &Target) {
    if !target.some_tables().is_empty() {
        return;
    }
    for func in &mut program.funcs {
        let mut loaded = vec![false; func.values.len()];
        for stmt in &func.body {
            stmt.instrs(&mut |instr| {
                let load = matches!(instr.op, Op::Load(..));
                instr.results.iter().for_each(|value| loaded[value.index()] = load);
            });
            if let Stmt::Loop(l) = stmt {
                let taps = DelayLine::of(l).into_iter().flat_map(|line| line.taps);
                taps.for_each(|tap| loaded[l.carried[tap].inside.index()] = true);
            }
        }
        let mut read = vec![false; func.values.len()];
        stmts(&mut func.body, &mut read, &loaded);
    }
}

/// `read` says which values are read after these statements, `loaded` which are loads.
fn stmts(body: &mut [Stmt], read: &mut [bool], loaded: &[bool]) {
    for stmt in body.iter_mut().rev() {
        match stmt {
            Stmt::Let(instr) => arrange(instr, read, loaded),
            Stmt::Loop(l) => {
                // What comes from outside, or is handed on, is read again in the next iteration.
                l.body.iter().for_each(|s| s.uses(&mut |value| read[value.index()] = true));
                let mut inner = |value: ValueId| read[value.index()] = false;
                l.body.iter().for_each(|s| s.definitions(&mut inner));
                l.carried.iter().for_each(|c| inner(c.inside));
                l.carried.iter().for_each(|c| read[c.next.index()] = true);
                stmts(&mut l.body, read, loaded);
            }
            Stmt::Store { .. } | Stmt::Forall(_) => {}
        }
        stmt.uses(&mut |value| read[value.index()] = true);
    }
}

/// First an operand that ends here, rather one in a register; last one that is loaded for this alone.
fn arrange(instr: &mut Instr, read: &[bool], loaded: &[bool]) {
    let Op::Ternary(table) = &mut instr.op else { return };
    let mut swap = |args: &mut [ValueId], a: usize, b: usize| {
        args.swap(a, b);
        *table = swapped(*table, a, b);
    };
    let ends = |value: &ValueId| !read[value.index()];
    let args = &mut instr.args;
    let lost = args.iter().position(|value| ends(value) && !loaded[value.index()]);
    if let Some(lost) = lost.or_else(|| args.iter().position(ends)) {
        swap(args, 0, lost);
    }
    if ends(&args[1]) && loaded[args[1].index()] {
        swap(args, 1, 2);
    }
}

/// The table of a ternary operation of which two operands change places.
fn swapped(table: u8, a: usize, b: usize) -> u8 {
    (0..8).fold(0, |swapped, index| {
        let mut bits = [index >> 2 & 1, index >> 1 & 1, index & 1];
        bits.swap(a, b);
        let from = bits[0] << 2 | bits[1] << 1 | bits[2];
        swapped | (table >> from & 1) << index
    })
}
