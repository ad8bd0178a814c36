//! Products of half words: few targets multiply words of 64 bits in vectors, but most multiply the lower halves of such words. A
//! product becomes that where both factors are known to have no more bits, and masks that say so are left out.
//!
//! Guarantees: nothing changes on targets without that operation.

use super::joiner;
use crate::core::{semantics, Func, Instr, Op, OpKind, Program, Stmt, ValueId};
use crate::isa::Target;

/// Finds them in the whole program.
pub fn run(program: &mut Program, target: &Target) {
    joiner::run(program, target, OpKind::MulHalves, |joiner, body| {
        Halves::new(joiner.func, joiner.target).visit(body);
    });
}

struct Halves<'a> {
    func: &'a Func,
    target: &'a Target,
    /// The most that a word of each value can be.
    most: Vec<u128>,
    /// The words of each value, if it is a constant.
    constants: Vec<Option<Vec<u128>>>,
    /// What each value has the lower half of, if a mask kept that and nothing else.
    masked: Vec<Option<ValueId>>,
}

impl<'a> Halves<'a> {
    fn new(func: &'a Func, target: &'a Target) -> Halves<'a> {
        let most = func.values.iter().map(|ty| semantics::mask(ty.word())).collect();
        let count = func.values.len();
        Halves { func, target, most, constants: vec![None; count], masked: vec![None; count] }
    }

    fn visit(&mut self, body: &mut [Stmt]) {
        for stmt in body {
            match stmt {
                Stmt::Let(instr) => self.instr(instr),
                Stmt::Loop(l) => self.visit(&mut l.body),
                Stmt::Store { .. } | Stmt::Forall(_) => {}
            }
        }
    }

    fn instr(&mut self, instr: &mut Instr) {
        let [result] = instr.results[..] else { return };
        let ty = self.func.ty(result);
        let half = semantics::mask(ty.word() / 2);
        let is_half = |value: &ValueId| self.most[value.index()] <= half;
        let has = || self.target.instance(OpKind::MulHalves, ty.direction(), ty.word()).is_some();
        if instr.op == Op::Mul && instr.args.iter().all(is_half) && has() {
            instr.op = Op::MulHalves;
            let whole = |value: ValueId| self.masked[value.index()].unwrap_or(value);
            instr.args.iter_mut().for_each(|arg| *arg = whole(*arg));
        }
        if let Op::Const(row) = instr.op {
            self.constants[result.index()] =
                Some(semantics::unpack(row, ty.word(), ty.row_length()));
        }
        if let (Op::And, [a, b]) = (&instr.op, &instr.args[..]) {
            let keeps = |mask: &ValueId| {
                let words = self.constants[mask.index()].as_ref();
                words.is_some_and(|words| words.iter().all(|word| *word == half))
            };
            self.masked[result.index()] =
                [(a, b), (b, a)].into_iter().find(|(_, mask)| keeps(mask)).map(|(of, _)| *of);
        }
        self.most[result.index()] = self.bound(instr, semantics::mask(ty.word()), half);
    }

    /// The most that a word of a result can be; `all` is the most that any word can be, `half` that of half a word.
    fn bound(&self, instr: &Instr, all: u128, half: u128) -> u128 {
        let of = |value: &ValueId| self.most[value.index()];
        let ones = |most: u128| u128::MAX.checked_shr(most.leading_zeros()).unwrap_or(0);
        let most = match (&instr.op, &instr.args[..]) {
            (Op::Const(_), []) => {
                self.constants[instr.results[0].index()].iter().flatten().max().copied()
            }
            (Op::And, [a, b]) => Some(of(a).min(of(b))),
            (Op::Or | Op::Xor, [a, b]) => Some(ones(of(a) | of(b))),
            (Op::Add, [a, b]) => of(a).checked_add(of(b)),
            (Op::Mul, [a, b]) => of(a).checked_mul(of(b)),
            (Op::MulHalves, [a, b]) => of(a).min(half).checked_mul(of(b).min(half)),
            (Op::Shl(n), [a]) => of(a).checked_mul(1 << n),
            (Op::Shr(n), [a]) => Some(of(a) >> n),
            _ => None,
        };
        most.filter(|most| *most <= all).unwrap_or(all)
    }
}
