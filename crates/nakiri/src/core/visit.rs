//! Walking statements.

use super::{Instr, Stmt, ValueId};

impl Stmt {
    /// Calls `f` on every instruction, inner ones included, in order.
    pub fn instrs<'a>(&'a self, f: &mut dyn FnMut(&'a Instr)) {
        match self {
            Stmt::Let(instr) => f(instr),
            Stmt::Store { .. } => {}
            Stmt::Forall(forall) => forall.iterations.iter().flatten().for_each(|s| s.instrs(f)),
            Stmt::Loop(l) => l.body.iter().for_each(|s| s.instrs(f)),
        }
    }

    /// Calls `f` on every instruction, inner ones included, in order, to change it.
    pub fn instrs_mut(&mut self, f: &mut dyn FnMut(&mut Instr)) {
        match self {
            Stmt::Let(instr) => f(instr),
            Stmt::Store { .. } => {}
            Stmt::Forall(forall) => {
                forall.iterations.iter_mut().flatten().for_each(|s| s.instrs_mut(f));
            }
            Stmt::Loop(l) => l.body.iter_mut().for_each(|s| s.instrs_mut(f)),
        }
    }

    /// Calls `f` on every use of a value, inner ones included.
    pub fn uses(&self, f: &mut dyn FnMut(ValueId)) {
        match self {
            Stmt::Let(instr) => instr.args.iter().for_each(|&a| f(a)),
            Stmt::Store { value, .. } => f(*value),
            Stmt::Forall(forall) => forall.iterations.iter().flatten().for_each(|s| s.uses(f)),
            Stmt::Loop(l) => {
                l.carried.iter().for_each(|c| f(c.init));
                l.body.iter().for_each(|s| s.uses(f));
                l.carried.iter().for_each(|c| f(c.next));
            }
        }
    }

    /// Replaces every use of a value, inner ones included; definitions stay.
    pub fn map_uses(&mut self, f: &mut dyn FnMut(ValueId) -> ValueId) {
        match self {
            Stmt::Let(instr) => instr.args.iter_mut().for_each(|a| *a = f(*a)),
            Stmt::Store { value, .. } => *value = f(*value),
            Stmt::Forall(forall) => {
                forall.iterations.iter_mut().flatten().for_each(|s| s.map_uses(f));
            }
            Stmt::Loop(l) => {
                for carried in &mut l.carried {
                    carried.init = f(carried.init);
                }
                l.body.iter_mut().for_each(|s| s.map_uses(f));
                for carried in &mut l.carried {
                    carried.next = f(carried.next);
                }
            }
        }
    }

    /// Calls `f` on every value that the statement defines and that is visible after it.
    pub fn definitions(&self, f: &mut dyn FnMut(ValueId)) {
        match self {
            Stmt::Let(instr) => instr.results.iter().for_each(|&r| f(r)),
            Stmt::Store { .. } => {}
            Stmt::Forall(forall) => {
                forall.iterations.iter().flatten().for_each(|s| s.definitions(f));
            }
            Stmt::Loop(l) => l.carried.iter().for_each(|c| f(c.result)),
        }
    }
}
