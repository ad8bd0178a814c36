//! Folds constants, removes copies, shares common subexpressions, and drops what nobody uses.
//!
//! Loads of constants (round keys) are not shared: a load at its use costs less than a register held for long.
//! Idempotent.

mod rules;

use super::dead;
use crate::core::{Instr, Loop, Op, Program, Stmt, Type, ValueId};
use rules::Rewrite;
use rustc_hash::FxHashMap;

/// Simplifies every function.
pub fn run(program: &mut Program) {
    let constants = program.constants.clone();
    for func in &mut program.funcs {
        let shareable = func.params.iter().map(|p| !p.constant).collect();
        let mut simplifier = Simplifier {
            values: std::mem::take(&mut func.values),
            renamed: FxHashMap::default(),
            defined: FxHashMap::default(),
            known: FxHashMap::default(),
            constants: &constants,
            shareable,
        };
        func.body = simplifier.stmts(std::mem::take(&mut func.body));
        func.values = simplifier.values;
        dead::run(func);
    }
}

/// An instruction as far as sharing goes.
type Key = (Op, Vec<ValueId>, Type);

struct Simplifier<'a> {
    values: Vec<Type>,
    renamed: FxHashMap<ValueId, ValueId>,
    /// What defines a value, for the rules to look at; loads and calls included.
    defined: FxHashMap<ValueId, Instr>,
    known: FxHashMap<Key, ValueId>,
    constants: &'a [Vec<u128>],
    /// Whether loads of each parameter are shared.
    shareable: Vec<bool>,
}

impl Simplifier<'_> {
    fn name(&self, value: ValueId) -> ValueId {
        self.renamed.get(&value).copied().unwrap_or(value)
    }

    fn stmts(&mut self, stmts: Vec<Stmt>) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(stmts.len());
        for mut stmt in stmts {
            match stmt {
                Stmt::Let(ref mut instr) => {
                    instr.args.iter_mut().for_each(|a| *a = self.name(*a));
                    if self.instr(instr, &mut out) {
                        out.push(stmt);
                    }
                }
                Stmt::Store { ref mut value, .. } => {
                    *value = self.name(*value);
                    out.push(stmt);
                }
                Stmt::Loop(l) => out.push(Stmt::Loop(self.repeat(l))),
                Stmt::Forall(mut forall) => {
                    forall.iterations =
                        forall.iterations.into_iter().map(|i| self.stmts(i)).collect();
                    out.push(Stmt::Forall(forall));
                }
            }
        }
        out
    }

    /// What is known in the body is not known after it.
    fn repeat(&mut self, mut l: Loop) -> Loop {
        l.carried.iter_mut().for_each(|c| c.init = self.name(c.init));
        let known = self.known.clone();
        l.body = self.stmts(l.body);
        self.known = known;
        l.carried.iter_mut().for_each(|c| c.next = self.name(c.next));
        l
    }

    /// Whether the (rewritten) instruction is still needed.
    fn instr(&mut self, instr: &mut Instr, out: &mut Vec<Stmt>) -> bool {
        let [result] = instr.results[..] else { return true };
        let ty = self.values[result.index()];
        loop {
            let rewrite = rules::rewrite(instr, ty, &self.defined, self.constants);
            match rewrite {
                Rewrite::Keep => break,
                Rewrite::Same(value) => {
                    self.renamed.insert(result, value);
                    return false;
                }
                Rewrite::Op(op, args) => {
                    instr.op = op;
                    instr.args = args.iter().copied().collect();
                }
                Rewrite::NotOf(op, args) => {
                    let inner = self.inner(op, &args, ty, instr, out);
                    instr.op = Op::Not;
                    instr.args = [inner].into_iter().collect();
                }
            }
        }
        if !self.sharable(&instr.op) {
            self.defined.insert(result, instr.clone());
            return true;
        }
        let key = (instr.op.clone(), instr.args.to_vec(), ty);
        if let Some(&known) = self.known.get(&key) {
            self.renamed.insert(result, known);
            return false;
        }
        self.known.insert(key, result);
        self.defined.insert(result, instr.clone());
        true
    }

    /// A new instruction before the present one, simplified likewise.
    fn inner(
        &mut self,
        op: Op,
        args: &[ValueId],
        ty: Type,
        instr: &Instr,
        out: &mut Vec<Stmt>,
    ) -> ValueId {
        self.values.push(ty);
        let value = ValueId(self.values.len() as u32 - 1);
        let results = [value].into_iter().collect();
        let mut inner =
            Instr { results, op, args: args.iter().copied().collect(), span: instr.span };
        if self.instr(&mut inner, out) {
            out.push(Stmt::Let(inner));
        }
        self.name(value)
    }

    fn sharable(&self, op: &Op) -> bool {
        match op {
            Op::Load(param, _) => self.shareable[*param as usize],
            Op::Call(..) => false,
            _ => true,
        }
    }
}
