//! Puts the operands of ternary operations where their instruction wants them: it writes its result over its first operand,
//! may wait longer for the others, and can read its last one from memory. Not every C compiler looks for those.
//!
//! On Zen 5 a result comes three cycles after the others instead of two, and operations that wait for these start two in a
//! cycle instead of four, while a copy of the first, where it lives on, takes no time.
//!
//! Needs: no foralls, and the final order of the statements. Guarantees: nothing but the order of operands changes.

use crate::core::delay::DelayLine;
use crate::core::{Func, Instr, Op, Program, Stmt, ValueId};
use crate::target::Target;

/// Orders the operands of every ternary operation, if the target has one for every order.
pub fn run(program: &mut Program, target: &Target) {
    if !target.some_tables().is_empty() {
        return;
    }
    for func in &mut program.funcs {
        let values = Values::of(func, target);
        let mut read = vec![false; func.values.len()];
        stmts(&mut func.body, &mut read, &values);
    }
}

/// What is known of the values of a function.
struct Values {
    /// Which come from memory.
    loaded: Vec<bool>,
    /// About when they are ready, in statements that could have started until then; what comes from memory or from the iteration
    /// before always is.
    ready: Vec<u32>,
    /// What it is worth that an operand ends: a cycle, for a copy less.
    ends: u32,
}

impl Values {
    fn of(func: &Func, target: &Target) -> Values {
        let count = func.values.len();
        let mut values =
            Values { loaded: vec![false; count], ready: vec![0; count], ends: target.issue };
        let mut started = 0;
        for stmt in &func.body {
            stmt.instrs(&mut |instr| {
                started += 1;
                values.make(instr, started, target);
            });
            if let Stmt::Loop(l) = stmt {
                let taps = DelayLine::of(l).into_iter().flat_map(|line| line.taps);
                taps.for_each(|tap| values.loaded[l.carried[tap].inside.index()] = true);
            }
        }
        values
    }

    /// Notes the results of an instruction that can start as the `started`th, or after its operands.
    fn make(&mut self, instr: &Instr, started: u32, target: &Target) {
        let loaded = matches!(instr.op, Op::Load(..) | Op::Constants(..));
        let last = instr.args.iter().map(|value| self.ready[value.index()]).fold(started, u32::max);
        for value in &instr.results {
            self.loaded[value.index()] = loaded;
            self.ready[value.index()] =
                if loaded { 0 } else { last + target.issue * target.latency };
        }
    }
}

/// `read` says which values are read after these statements.
fn stmts(body: &mut [Stmt], read: &mut [bool], values: &Values) {
    for stmt in body.iter_mut().rev() {
        match stmt {
            Stmt::Let(instr) => arrange(instr, read, values),
            Stmt::Loop(l) => {
                // What comes from outside, or is handed on, is read again in the next iteration.
                l.body.iter().for_each(|s| s.uses(&mut |value| read[value.index()] = true));
                let mut inner = |value: ValueId| read[value.index()] = false;
                l.body.iter().for_each(|s| s.definitions(&mut inner));
                l.carried.iter().for_each(|c| inner(c.inside));
                l.carried.iter().for_each(|c| read[c.next.index()] = true);
                stmts(&mut l.body, read, values);
            }
            Stmt::Store { .. } | Stmt::Forall(_) => {}
        }
        stmt.uses(&mut |value| read[value.index()] = true);
    }
}

/// First the operand that is ready last, rather one that ends here; last one that is loaded for this alone.
fn arrange(instr: &mut Instr, read: &[bool], values: &Values) {
    let Op::Ternary(table) = &mut instr.op else { return };
    let mut swap = |args: &mut [ValueId], a: usize, b: usize| {
        args.swap(a, b);
        *table = swapped(*table, a, b);
    };
    let ends = |value: ValueId| !read[value.index()];
    let args = &mut instr.args;
    let late = |at: &usize| {
        let worth = if ends(args[*at]) { values.ends } else { 0 };
        values.ready[args[*at].index()] + worth
    };
    if let Some(first) = (0..args.len()).rev().max_by_key(late) {
        swap(args, 0, first);
    }
    if ends(args[1]) && values.loaded[args[1].index()] {
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
