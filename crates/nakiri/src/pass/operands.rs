//! Puts the operands of ternary operations where their instruction wants them: it writes its result over its first operand,
//! may wait longer for the others, and can read its last one from memory. Not every C compiler looks for those.
//!
//! On Zen 5 a result comes three cycles after the others instead of two, and operations that wait for these start two in a
//! cycle instead of four, while a copy of the first, where it lives on, takes no time.
//!
//! Needs: no foralls, and the final order of the statements. Guarantees: nothing but the order of operands changes.

use crate::core::delay::DelayLine;
use crate::core::{Func, Instr, Op, Program, Stmt, ValueId};
use crate::isa::Target;

/// Orders the operands of every ternary operation, if the target has one for every order.
pub fn run(program: &mut Program, target: &Target) {
    if !target.some_tables().is_empty() {
        return;
    }
    for func in &mut program.funcs {
        let loaded = loaded(func);
        let mut read = vec![false; func.values.len()];
        stmts(&mut func.body, &mut read, &loaded, target);
    }
}

/// Which values come from memory.
fn loaded(func: &Func) -> Vec<bool> {
    let mut loaded = vec![false; func.values.len()];
    for stmt in &func.body {
        stmt.instrs(&mut |instr| {
            let load = matches!(instr.op, Op::Load(..) | Op::Constants(..));
            instr.results.iter().for_each(|value| loaded[value.index()] = load);
        });
        if let Stmt::Loop(l) = stmt {
            let taps = DelayLine::of(l).into_iter().flat_map(|line| line.taps);
            taps.for_each(|tap| loaded[l.carried[tap].inside.index()] = true);
        }
    }
    loaded
}

/// About when the values that statements compute are ready, in instructions that could have started until then. What comes from
/// memory, from outside of a loop or from the iteration before always is, and so is what was computed before a loop.
fn ready(body: &[Stmt], loaded: &[bool], target: &Target) -> Vec<u32> {
    let mut ready = vec![0; loaded.len()];
    let (mut started, mut last) = (0, 0);
    for stmt in body {
        let Stmt::Let(instr) = stmt else {
            started = if matches!(stmt, Stmt::Loop(_)) { last } else { started };
            continue;
        };
        started += 1;
        let start = instr.args.iter().map(|value| ready[value.index()]).fold(started, u32::max);
        for value in instr.results.iter().filter(|value| !loaded[value.index()]) {
            ready[value.index()] = start + target.issue * target.latency;
            last = last.max(ready[value.index()]);
        }
    }
    ready
}

/// `read` says which values are read after these statements, `loaded` which come from memory.
fn stmts(body: &mut [Stmt], read: &mut [bool], loaded: &[bool], target: &Target) {
    let ready = ready(body, loaded, target);
    for stmt in body.iter_mut().rev() {
        match stmt {
            Stmt::Let(instr) => {
                let ends = |value: ValueId| !read[value.index()];
                // A copy less is worth a cycle.
                let late =
                    |value: ValueId| ready[value.index()] + target.issue * u32::from(ends(value));
                arrange(instr, late, |value| ends(value) && loaded[value.index()]);
            }
            Stmt::Loop(l) => {
                // What comes from outside, or is handed on, is read again in the next iteration.
                l.body.iter().for_each(|s| s.uses(&mut |value| read[value.index()] = true));
                let mut inner = |value: ValueId| read[value.index()] = false;
                l.body.iter().for_each(|s| s.definitions(&mut inner));
                l.carried.iter().for_each(|c| inner(c.inside));
                l.carried.iter().for_each(|c| read[c.next.index()] = true);
                stmts(&mut l.body, read, loaded, target);
            }
            Stmt::Store { .. } | Stmt::Forall(_) => {}
        }
        stmt.uses(&mut |value| read[value.index()] = true);
    }
}

/// First the operand that is the latest, last one that can be read from memory by this operation alone.
fn arrange(instr: &mut Instr, late: impl Fn(ValueId) -> u32, folds: impl Fn(ValueId) -> bool) {
    let Op::Ternary(table) = &mut instr.op else { return };
    let mut swap = |args: &mut [ValueId], a: usize, b: usize| {
        args.swap(a, b);
        *table = swapped(*table, a, b);
    };
    let args = &mut instr.args;
    if let Some(first) = (0..args.len()).rev().max_by_key(|at| late(args[*at])) {
        swap(args, 0, first);
    }
    if folds(args[1]) {
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
