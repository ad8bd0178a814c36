//! Statements on limbs, each with the most that it can be.

use super::representation::Representation;
use crate::core::{Func, Instr, Op, OpKind, Stmt, Type, ValueId};
use crate::isa::Target;
use crate::source::Span;
use num_bigint::BigUint;

/// A word and the most that it can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limb {
    /// The word.
    pub value: ValueId,
    /// The most.
    pub most: u128,
}

/// What a word can be at most.
pub const WORD_MOST: u128 = u64::MAX as u128;

/// How often carries go through all limbs: what is a few times the modulus, and is folded by little, needs some rounds.
const ROUNDS: usize = 8;

/// A limb or a sum of products could be more than there is room for: the representation is not for this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow;

/// What can be computed, or that it can't.
pub type Outcome<T> = Result<T, Overflow>;

/// The words of an element.
pub type Limbs = Vec<Limb>;

/// A function whose statements are written.
pub struct Code<'a> {
    /// How elements are words.
    pub form: &'a Representation,
    /// What for.
    pub target: &'a Target,
    /// The values.
    pub func: Func,
    /// The statements so far.
    pub body: Vec<Stmt>,
    /// The type of a word.
    pub word: Type,
    /// The place in the source of what is written.
    pub span: Span,
}

impl Code<'_> {
    /// An operation that makes a word.
    pub fn op(&mut self, op: Op, args: &[ValueId]) -> ValueId {
        self.op_of(op, args, self.word)
    }

    /// An operation that makes a number of two words.
    pub fn op_double(&mut self, op: Op, args: &[ValueId]) -> ValueId {
        self.op_of(op, args, Type::new(self.word.direction(), 2 * self.word.bits()))
    }

    fn op_of(&mut self, op: Op, args: &[ValueId], ty: Type) -> ValueId {
        let value = self.func.value(ty);
        let (results, args, span) = ([value].into(), args.into(), self.span);
        self.body.push(Stmt::Let(Instr { results, op, args, span }));
        value
    }

    /// A constant.
    pub fn constant(&mut self, number: u128) -> Limb {
        Limb { value: self.op(Op::Const(number), &[]), most: number }
    }

    fn bounded(value: ValueId, most: u128) -> Outcome<Limb> {
        match most <= WORD_MOST {
            true => Ok(Limb { value, most }),
            false => Err(Overflow),
        }
    }

    /// A sum.
    pub fn add(&mut self, a: Limb, b: Limb) -> Outcome<Limb> {
        match (a.most, b.most) {
            (0, _) => Ok(b),
            (_, 0) => Ok(a),
            _ => Self::bounded(self.op(Op::Add, &[a.value, b.value]), a.most + b.most),
        }
    }

    /// The lowest bits.
    pub fn low(&mut self, a: Limb, bits: u32) -> Limb {
        let mask = (1u128 << bits) - 1;
        if a.most <= mask {
            return a;
        }
        let kept = self.constant(mask);
        Limb { value: self.op(Op::And, &[a.value, kept.value]), most: mask }
    }

    /// All but the lowest bits.
    pub fn high(&mut self, a: Limb, bits: u32) -> Limb {
        let most = a.most >> bits;
        match most {
            0 => self.constant(0),
            _ => Limb { value: self.op(Op::Shr(bits as u16), &[a.value]), most },
        }
    }

    /// Times a power of two.
    pub fn doubled(&mut self, a: Limb, bits: u32) -> Outcome<Limb> {
        match (bits, a.most) {
            (0, _) | (_, 0) => Ok(a),
            _ => {
                let most = a.most.checked_shl(bits).filter(|most| most >> bits == a.most);
                let value = self.op(Op::Shl(bits as u16), &[a.value]);
                Self::bounded(value, most.ok_or(Overflow)?)
            }
        }
    }

    /// Times a number: by shifts where it has few bits, otherwise by a product.
    pub fn times(&mut self, a: Limb, number: u128) -> Outcome<Limb> {
        let most = a.most.checked_mul(number).filter(|most| *most <= WORD_MOST).ok_or(Overflow)?;
        if most == 0 {
            return Ok(self.constant(0));
        }
        let few = if self.target.simd { 3 } else { 1 };
        if number.count_ones() > few {
            let factor = self.constant(number);
            let op = match a.most.max(number) <= 1 << 32 && self.has_halves() {
                true => Op::MulHalves,
                false => Op::Mul,
            };
            return Self::bounded(self.op(op, &[a.value, factor.value]), most);
        }
        let mut sum: Option<Limb> = None;
        for bit in (0..64).filter(|bit| number >> bit & 1 == 1) {
            let term = self.doubled(a, bit)?;
            sum = Some(match sum {
                None => term,
                Some(sum) => self.add(sum, term)?,
            });
        }
        sum.ok_or(Overflow)
    }

    /// Whether the target multiplies the lower halves of words.
    pub fn has_halves(&self) -> bool {
        let direction = self.word.direction();
        self.target.instance(OpKind::MulHalves, direction, self.word.word()).is_some()
    }

    /// The number of limbs.
    pub fn count(&self) -> usize {
        self.form.count()
    }

    /// The most that the number of these limbs can be.
    pub fn most(&self, limbs: &[Limb]) -> BigUint {
        self.form.number(&limbs.iter().map(|limb| limb.most).collect::<Vec<_>>())
    }

    /// Whether nothing is longer than what is handed on.
    pub fn is_tight(&self, limbs: &[Limb]) -> bool {
        limbs.iter().zip(self.form.tight()).all(|(limb, tight)| limb.most <= tight)
    }

    /// One carry: what a limb has beyond its bits goes to the next one, from the last one [to the first](Code::fold).
    pub fn carry(&mut self, limbs: &mut Limbs, limb: usize) -> Outcome<()> {
        let last = limb + 1 == self.count();
        let bits = self.own_bits(limb);
        let over = self.high(limbs[limb], bits);
        limbs[limb] = self.low(limbs[limb], bits);
        if over.most == 0 {
            return Ok(());
        }
        if !last {
            limbs[limb + 1] = self.add(limbs[limb + 1], over)?;
            return Ok(());
        }
        self.fold(limbs, over)
    }

    /// What lies beyond the bits of the modulus comes in again at the first limbs: times 2^n modulo the modulus.
    fn fold(&mut self, limbs: &mut Limbs, over: Limb) -> Outcome<()> {
        let field = &self.form.field;
        let rest = field.element(&(BigUint::from(1u32) << field.bits()));
        for (i, part) in self.form.limbs(&rest).into_iter().enumerate().filter(|(_, p)| *p > 0) {
            let term = self.times(over, part)?;
            limbs[i] = self.add(limbs[i], term)?;
        }
        Ok(())
    }

    /// How many bits of a limb are its own: of the last, those of the modulus.
    fn own_bits(&self, limb: usize) -> u32 {
        match limb + 1 == self.count() {
            true => self.form.top(),
            false => self.form.width(limb),
        }
    }

    /// Carries from limb to limb until all are as short as what is handed on.
    pub fn tightened(&mut self, mut limbs: Limbs) -> Outcome<Limbs> {
        if self.is_tight(&limbs) {
            return Ok(limbs);
        }
        if let Some(side_by_side) = self.carried_at_once(&limbs)? {
            return Ok(side_by_side);
        }
        for _ in 0..ROUNDS {
            for limb in 0..self.count() {
                if self.is_tight(&limbs) {
                    return Ok(limbs);
                }
                self.carry(&mut limbs, limb)?;
            }
        }
        if self.is_tight(&limbs) {
            Ok(limbs)
        } else {
            Err(Overflow)
        }
    }

    /// All carries side by side, if one of each suffices.
    fn carried_at_once(&mut self, limbs: &Limbs) -> Outcome<Option<Limbs>> {
        let (body, values) = (self.body.len(), self.func.values.len());
        let outcome = self.carry_all(limbs);
        match outcome {
            Ok(carried) if self.is_tight(&carried) => Ok(Some(carried)),
            _ => {
                self.body.truncate(body);
                self.func.values.truncate(values);
                Ok(None)
            }
        }
    }

    fn carry_all(&mut self, limbs: &Limbs) -> Outcome<Limbs> {
        let last = self.count() - 1;
        let mut carried = limbs.clone();
        let mut over = Vec::new();
        for (limb, own) in carried.iter_mut().enumerate() {
            let bits = self.own_bits(limb);
            over.push(self.high(*own, bits));
            *own = self.low(*own, bits);
        }
        for limb in 0..last {
            carried[limb + 1] = self.add(carried[limb + 1], over[limb])?;
        }
        self.fold(&mut carried, over[last])?;
        Ok(carried)
    }
}
