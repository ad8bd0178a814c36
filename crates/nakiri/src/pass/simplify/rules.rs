//! The algebra: what an instruction can be replaced by, looking one definition deep.

use crate::core::{semantics, Instr, Op, Type, ValueId};
use rustc_hash::FxHashMap;

/// What to do with an instruction.
pub enum Rewrite {
    /// Nothing.
    Keep,
    /// Its result is this value.
    Same(ValueId),
    /// It is this operation instead.
    Op(Op, Vec<ValueId>),
    /// It is the complement of this operation.
    NotOf(Op, Vec<ValueId>),
}

use Rewrite::{Keep, NotOf, Same};

/// One step of simplification of an instruction with one result of type `ty`.
pub fn rewrite(
    instr: &Instr,
    ty: Type,
    defined: &FxHashMap<ValueId, Instr>,
    constants: &[Vec<u128>],
) -> Rewrite {
    let view = View { defined, all: semantics::mask(ty.bits()) };
    let args = &instr.args[..];
    if let Op::Constants(list, index) = instr.op {
        let list = &constants[list.index()];
        let first = list[index.base as usize];
        let same = index.step == 0 || list.iter().all(|&c| c == first);
        return if same { Rewrite::Op(Op::Const(first), Vec::new()) } else { Keep };
    }
    if let Some(value) = view.fold(instr, ty) {
        return Rewrite::Op(Op::Const(value), Vec::new());
    }
    match (&instr.op, args) {
        (Op::And | Op::Or | Op::Xor | Op::Add | Op::Mul, &[a, b]) if b < a => {
            // One order for both, so that equal ones are found.
            Rewrite::Op(instr.op.clone(), vec![b, a])
        }
        (Op::And | Op::Or, &[a, b]) if a == b => Same(a),
        (Op::And, &[a, b]) => view.and(a, b),
        (Op::Or, &[a, b]) => view.or(a, b),
        (Op::Xor, &[a, b]) => view.xor(a, b),
        (Op::Not, &[a]) => match view.complement(a) {
            Some(inner) => Same(inner),
            None => Keep,
        },
        (Op::AndNot, &[a, b]) => view.and_not(a, b),
        (Op::OrNot, &[a, b]) => view.or_not(a, b),
        (Op::Add, &[a, b]) => match (view.constant(a), view.constant(b)) {
            (Some(0), _) => Same(b),
            (_, Some(0)) => Same(a),
            _ => Keep,
        },
        (Op::Sub, &[a, b]) if view.constant(b) == Some(0) => Same(a),
        (Op::Sub, &[a, b]) if a == b => zero(),
        (Op::Shl(0) | Op::Shr(0) | Op::Sar(0) | Op::Rotl(0), &[a]) => Same(a),
        (Op::Rotl(n), &[a]) => match view.defined.get(&a) {
            Some(Instr { op: Op::Rotl(m), args, .. }) => {
                Rewrite::Op(Op::Rotl((n + m) % ty.word()), args.to_vec())
            }
            _ => Keep,
        },
        (Op::Shuffle(picks) | Op::Permute(picks), &[a]) => view.moved(&instr.op, picks, a),
        _ => Keep,
    }
}

fn zero() -> Rewrite {
    Rewrite::Op(Op::Const(0), Vec::new())
}

struct View<'a> {
    defined: &'a FxHashMap<ValueId, Instr>,
    /// The constant with every bit set.
    all: u128,
}

impl View<'_> {
    fn constant(&self, value: ValueId) -> Option<u128> {
        match self.defined.get(&value)?.op {
            Op::Const(c) => Some(c),
            _ => None,
        }
    }

    /// The value of which this one is the complement.
    fn complement(&self, value: ValueId) -> Option<ValueId> {
        match self.defined.get(&value) {
            Some(Instr { op: Op::Not, args, .. }) => Some(args[0]),
            _ => None,
        }
    }

    fn opposite(&self, a: ValueId, b: ValueId) -> bool {
        self.complement(a) == Some(b) || self.complement(b) == Some(a)
    }

    /// The result, if all arguments are constants.
    fn fold(&self, instr: &Instr, ty: Type) -> Option<u128> {
        if instr.args.is_empty() || matches!(instr.op, Op::Pack | Op::Product | Op::Low) {
            return None;
        }
        let args: Option<Vec<u128>> = instr.args.iter().map(|&a| self.constant(a)).collect();
        semantics::eval_row(&instr.op, ty.word(), ty.row_length(), &args?)
    }

    fn and(&self, a: ValueId, b: ValueId) -> Rewrite {
        for (x, y) in [(a, b), (b, a)] {
            match self.constant(x) {
                Some(0) => return Same(x),
                Some(c) if c == self.all => return Same(y),
                _ => {}
            }
        }
        if self.opposite(a, b) {
            zero()
        } else {
            Keep
        }
    }

    fn or(&self, a: ValueId, b: ValueId) -> Rewrite {
        for (x, y) in [(a, b), (b, a)] {
            match self.constant(x) {
                Some(0) => return Same(y),
                Some(c) if c == self.all => return Same(x),
                _ => {}
            }
        }
        if self.opposite(a, b) {
            self.ones()
        } else {
            Keep
        }
    }

    fn xor(&self, a: ValueId, b: ValueId) -> Rewrite {
        if a == b {
            return zero();
        }
        for (x, y) in [(a, b), (b, a)] {
            match self.constant(x) {
                Some(0) => return Same(y),
                Some(c) if c == self.all => return Rewrite::Op(Op::Not, vec![y]),
                _ => {}
            }
        }
        if self.opposite(a, b) {
            return self.ones();
        }
        match (self.complement(a), self.complement(b)) {
            (Some(x), Some(y)) => Rewrite::Op(Op::Xor, vec![x, y]),
            (Some(x), None) => NotOf(Op::Xor, vec![x, b]),
            (None, Some(y)) => NotOf(Op::Xor, vec![a, y]),
            (None, None) => Keep,
        }
    }

    /// `!a & b`
    fn and_not(&self, a: ValueId, b: ValueId) -> Rewrite {
        match (self.constant(a), self.constant(b)) {
            (Some(0), _) => return Same(b),
            (Some(c), _) if c == self.all => return zero(),
            (_, Some(0)) => return zero(),
            (_, Some(c)) if c == self.all => return Rewrite::Op(Op::Not, vec![a]),
            _ => {}
        }
        match self.complement(a) {
            _ if a == b => zero(),
            Some(x) => Rewrite::Op(Op::And, vec![x, b]),
            None => Keep,
        }
    }

    /// `!a | b`
    fn or_not(&self, a: ValueId, b: ValueId) -> Rewrite {
        match (self.constant(a), self.constant(b)) {
            (Some(0), _) => return self.ones(),
            (Some(c), _) if c == self.all => return Same(b),
            (_, Some(0)) => return Rewrite::Op(Op::Not, vec![a]),
            (_, Some(c)) if c == self.all => return self.ones(),
            _ => {}
        }
        match self.complement(a) {
            _ if a == b => self.ones(),
            Some(x) => Rewrite::Op(Op::Or, vec![x, b]),
            None => Keep,
        }
    }

    /// What moves bits of a word, or atoms of a row: two such are one.
    fn moved(&self, op: &Op, picks: &[Option<u16>], a: ValueId) -> Rewrite {
        let identity = |(i, pick): (usize, &Option<u16>)| *pick == Some(i as u16);
        if picks.iter().enumerate().all(identity) {
            return Same(a);
        }
        let Some(Instr { op: before, args, .. }) = self.defined.get(&a) else { return Keep };
        let both = |inner: &[Option<u16>]| {
            picks.iter().map(|p| p.and_then(|p| inner[usize::from(p)])).collect()
        };
        match (op, before) {
            (Op::Shuffle(_), Op::Shuffle(inner)) => {
                Rewrite::Op(Op::Shuffle(both(inner)), args.to_vec())
            }
            (Op::Permute(_), Op::Permute(inner)) => {
                Rewrite::Op(Op::Permute(both(inner)), args.to_vec())
            }
            _ => Keep,
        }
    }

    fn ones(&self) -> Rewrite {
        Rewrite::Op(Op::Const(self.all), Vec::new())
    }
}
