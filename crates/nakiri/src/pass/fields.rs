//! Bit fields: what shifts, rotations and constant masks make of a word together.
//!
//! Where a register holds several words, each shift of them needs a mask, and a rotation two shifts with two masks. Sources often
//! mask what they shift: then one mask does for both, and of a rotation of which only one side is kept one shift is enough. So any
//! sequence of them becomes one [`Op::RotlAnd`] of what the sequence began with, if that is no more work.
//! Guarantees: nothing changes on targets without that operation.

use super::joiner::{self, Joiner};
use crate::core::{semantics, Instr, Op, OpKind, Program, Stmt, Type, ValueId};
use crate::isa::Target;
use smallvec::smallvec;

/// Joins what can be joined in the whole program.
pub fn run(program: &mut Program, target: &Target) {
    joiner::run(program, target, OpKind::RotlAnd, |joiner, body| joiner.join_fields(body));
}

/// Bits of a rotation of a value.
#[derive(Clone, Copy)]
struct Field {
    of: ValueId,
    by: u16,
    kept: u128,
    ty: Type,
}

impl Field {
    /// The same bits, given what the value is itself.
    fn through(self, inner: Field) -> Field {
        let (width, rotate) = (self.ty.word(), Op::Rotl(self.by));
        let kept = semantics::eval(&rotate, width, &[inner.kept]).unwrap_or(0) & self.kept;
        Field { of: inner.of, by: (inner.by + self.by) % width, kept, ..self }
    }

    fn op(self) -> Op {
        Op::RotlAnd { by: self.by, kept: self.kept }
    }
}

impl Joiner<'_> {
    /// Joins within straight-line code: what a loop reads from outside isn't computed in each iteration.
    fn join_fields(&mut self, body: &mut [Stmt]) {
        // For each statement the field that it is of its operand, and for each value its statement.
        let mut fields = vec![None; body.len()];
        let mut places = vec![None; self.func.values.len()];
        for (place, stmt) in body.iter_mut().enumerate() {
            match stmt {
                Stmt::Let(instr) => {
                    fields[place] = self.field(instr);
                    instr.results.iter().for_each(|value| places[value.index()] = Some(place));
                }
                Stmt::Loop(l) => self.join_fields(&mut l.body),
                Stmt::Store { .. } | Stmt::Forall(_) => {}
            }
        }
        let inner = |field: Field| places[field.of.index()].and_then(|place: usize| fields[place]);
        // For each statement the masks that read its result, with what they are of something before it.
        let mut masks: Vec<Vec<(usize, Field)>> = vec![Vec::new(); body.len()];
        for place in (0..body.len()).rev() {
            let (Some(field), Stmt::Let(instr)) = (fields[place], &body[place]) else { continue };
            let (result, is_mask) = (instr.results[0], instr.op == Op::And);
            let alone = self.work(&instr.op, field.ty);
            let waiting = std::mem::take(&mut masks[place]);
            let joined: usize = waiting.iter().map(|(_, f)| self.work(&f.op(), field.ty)).sum();
            let all = self.uses[result.index()] as usize == waiting.len();
            if all && joined < alone + waiting.len() {
                for (mask, joined) in waiting {
                    self.replace(&mut body[mask], result, joined);
                }
            }
            if self.uses[result.index()] == 0 {
                self.uses[field.of.index()] -= 1;
                continue;
            }
            let through = std::iter::successors(inner(field).map(|f| field.through(f)), |f| {
                inner(*f).map(|inner| f.through(inner))
            });
            // Of equal ones the longest, so that the most becomes needless.
            let best = through.reduce(|best, longer| {
                let work = |field: Field| self.work(&field.op(), field.ty);
                if work(longer) <= work(best) {
                    longer
                } else {
                    best
                }
            });
            let Some(best) = best else { continue };
            if is_mask {
                let operand = places[field.of.index()].expect("it has a field");
                masks[operand].push((place, best));
            } else if self.work(&best.op(), best.ty) <= alone {
                self.replace(&mut body[place], field.of, best);
            }
        }
    }

    /// What a statement is of its operand, if it is a shift, a rotation or a mask.
    fn field(&mut self, instr: &Instr) -> Option<Field> {
        let [result] = instr.results[..] else { return None };
        if let Op::Const(value) = instr.op {
            self.constants[result.index()] = Some(value);
        }
        let ty = self.func.ty(result);
        self.target.instance(OpKind::RotlAnd, ty.direction(), ty.word())?;
        let (width, ones) = (ty.word(), semantics::mask(ty.word()));
        let (of, by, kept) = match (&instr.op, &instr.args[..]) {
            (Op::Shl(n), &[a]) => (a, *n, ones << n & ones),
            (Op::Shr(n), &[a]) => (a, (width - n) % width, ones >> n),
            (Op::Rotl(n), &[a]) => (a, *n, ones),
            (Op::And, &[a, b]) => match (self.constant(a), self.constant(b)) {
                (None, Some(kept)) => (a, 0, kept),
                (Some(kept), None) => (b, 0, kept),
                _ => return None,
            },
            _ => return None,
        };
        Some(Field { of, by, kept, ty })
    }

    /// Makes a statement that read `operand` a field of another value.
    fn replace(&mut self, stmt: &mut Stmt, operand: ValueId, field: Field) {
        self.uses[operand.index()] -= 1;
        self.uses[field.of.index()] += 1;
        if let Stmt::Let(instr) = stmt {
            (instr.op, instr.args) = (field.op(), smallvec![field.of]);
        }
    }
}
