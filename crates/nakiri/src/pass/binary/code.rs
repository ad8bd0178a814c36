//! Statements on polynomials over GF(2), which are lists of units: of bits, or of words of 64 of them.

use crate::core::{Func, FuncId, Index, Instr, Op, Stmt, Type, ValueId};
use crate::source::Span;

/// Some coefficients, the least significant first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Known now.
    Known(u64),
    /// Known when the program runs.
    Value(ValueId),
}

/// No coefficients.
pub const ZERO: Unit = Unit::Known(0);

/// The units of a polynomial, the least significant first.
pub type Units = Vec<Unit>;

/// Statements that are written into a function.
#[derive(Clone, Debug)]
pub struct Code {
    /// The values.
    pub func: Func,
    /// The statements so far.
    pub body: Vec<Stmt>,
    /// The type of a unit: one bit, or a word of 64.
    pub unit: Type,
    /// The place in the source of what is written.
    pub span: Span,
}

impl Code {
    /// The coefficients of a unit.
    pub fn width(&self) -> u32 {
        self.unit.bits().into()
    }

    /// All ones in a unit.
    pub fn ones(&self) -> u64 {
        u64::MAX >> (64 - self.width())
    }

    /// An operation that makes a value of a type.
    pub fn op(&mut self, op: Op, args: &[ValueId], ty: Type) -> ValueId {
        let value = self.func.value(ty);
        let (results, args, span) = ([value].into(), args.into(), self.span);
        self.body.push(Stmt::Let(Instr { results, op, args, span }));
        value
    }

    /// An operation that makes a unit.
    fn unit(&mut self, op: Op, args: &[ValueId]) -> Unit {
        Unit::Value(self.op(op, args, self.unit))
    }

    /// A unit as a value.
    pub fn value(&mut self, unit: Unit) -> ValueId {
        match unit {
            Unit::Known(number) => self.op(Op::Const(number.into()), &[], self.unit),
            Unit::Value(value) => value,
        }
    }

    /// All units as values.
    pub fn values(&mut self, units: &[Unit]) -> Vec<ValueId> {
        units.iter().map(|unit| self.value(*unit)).collect()
    }

    /// Units of a parameter, from one on.
    pub fn loaded(&mut self, param: u32, first: Index, count: usize) -> Units {
        let index = |k: usize| Index { base: first.base + k as u32, ..first };
        (0..count).map(|k| self.unit(Op::Load(param, index(k)), &[])).collect()
    }

    /// So many units that a function makes.
    pub fn call(&mut self, function: FuncId, args: &[ValueId], count: usize) -> Units {
        let results: Vec<ValueId> = (0..count).map(|_| self.func.value(self.unit)).collect();
        let op = Op::Call(function, Vec::new(), Vec::new());
        let (own, span) = (results[..].into(), self.span);
        self.body.push(Stmt::Let(Instr { results: own, op, args: args.into(), span }));
        results.into_iter().map(Unit::Value).collect()
    }

    /// The sum of two units.
    pub fn add(&mut self, a: Unit, b: Unit) -> Unit {
        match (a, b) {
            (Unit::Known(a), Unit::Known(b)) => Unit::Known(a ^ b),
            (ZERO, own) | (own, ZERO) => own,
            (a, b) if a == b => ZERO,
            (Unit::Known(number), Unit::Value(own)) | (Unit::Value(own), Unit::Known(number))
                if number == self.ones() =>
            {
                self.unit(Op::Not, &[own])
            }
            (a, b) => {
                let args = [a, b].map(|unit| self.value(unit));
                self.unit(Op::Xor, &args)
            }
        }
    }

    /// Those coefficients of a unit that another one has.
    pub fn and(&mut self, a: Unit, b: Unit) -> Unit {
        let ones = Unit::Known(self.ones());
        match (a, b) {
            (Unit::Known(a), Unit::Known(b)) => Unit::Known(a & b),
            (ZERO, _) | (_, ZERO) => ZERO,
            (a, b) if a == ones || a == b => b,
            (a, b) if b == ones => a,
            (a, b) => {
                let args = [a, b].map(|unit| self.value(unit));
                self.unit(Op::And, &args)
            }
        }
    }

    /// A unit times x^n, without what is beyond it.
    pub fn shl(&mut self, a: Unit, by: u32) -> Unit {
        match a {
            _ if by == 0 => a,
            Unit::Known(number) => Unit::Known(number << by & self.ones()),
            Unit::Value(value) => self.unit(Op::Shl(by as u16), &[value]),
        }
    }

    /// A unit divided by x^n, without the remainder.
    pub fn shr(&mut self, a: Unit, by: u32) -> Unit {
        match a {
            _ if by == 0 => a,
            Unit::Known(number) => Unit::Known(number >> by),
            Unit::Value(value) => self.unit(Op::Shr(by as u16), &[value]),
        }
    }

    /// The product of two words as numbers, of their lower halves if there is an instruction for that.
    pub fn multiply(&mut self, halves: bool, a: Unit, b: Unit) -> Unit {
        let args = [a, b].map(|unit| self.value(unit));
        self.unit(if halves { Op::MulHalves } else { Op::Mul }, &args)
    }

    /// The product of two words as polynomials, of two words.
    pub fn whole(&mut self, a: Unit, b: Unit) -> Units {
        let args = [a, b].map(|unit| self.value(unit));
        [Op::ClmulLow, Op::ClmulHigh].map(|half| self.unit(half, &args)).to_vec()
    }

    /// The sum of two polynomials.
    pub fn sum(&mut self, a: &[Unit], b: &[Unit]) -> Units {
        let mut sum = a.to_vec();
        self.add_at(&mut sum, 0, b);
        sum
    }

    /// Adds units to those from a place on.
    pub fn add_at(&mut self, sum: &mut Units, place: usize, units: &[Unit]) {
        if sum.len() < place + units.len() {
            sum.resize(place + units.len(), ZERO);
        }
        for (sum, unit) in sum[place..].iter_mut().zip(units) {
            *sum = self.add(*sum, *unit);
        }
    }

    /// Some coefficients from one on.
    pub fn bits(&mut self, of: &[Unit], start: u32, count: u32) -> Units {
        let width = self.width();
        let (at, by) = ((start / width) as usize, start % width);
        let unit = |k: usize| of.get(at + k).copied().unwrap_or(ZERO);
        let mut bits = Vec::new();
        for k in 0..count.div_ceil(width) as usize {
            let low = self.shr(unit(k), by);
            bits.push(match count > (k as u32 + 1) * width - by {
                true if by > 0 => {
                    let above = self.shl(unit(k + 1), width - by);
                    self.add(low, above)
                }
                _ => low,
            });
        }
        self.truncate(&mut bits, count);
        bits
    }

    /// Forgets all coefficients but so many.
    pub fn truncate(&mut self, units: &mut Units, count: u32) {
        let width = self.width();
        units.truncate(count.div_ceil(width) as usize);
        let rest = count % width;
        if rest > 0 && units.len() as u32 * width > count {
            let last = units.len() - 1;
            units[last] = self.and(units[last], Unit::Known((1 << rest) - 1));
        }
    }

    /// Adds a polynomial of so many coefficients times x^n.
    pub fn add_times_power(&mut self, sum: &mut Units, power: u32, of: &[Unit], count: u32) {
        let width = self.width();
        let (place, by) = ((power / width) as usize, power % width);
        let mut moved = Vec::new();
        for k in 0..(count + by).div_ceil(width) as usize {
            let own = of.get(k).map_or(ZERO, |unit| *unit);
            let own = self.shl(own, by);
            moved.push(match (by, k.checked_sub(1).and_then(|below| of.get(below))) {
                (1.., Some(below)) => {
                    let over = self.shr(*below, width - by);
                    self.add(own, over)
                }
                _ => own,
            });
        }
        self.add_at(sum, place, &moved);
    }

    /// A unit all of whose bits are the lowest one of a word.
    pub fn mask(&mut self, word: ValueId) -> Unit {
        match self.width() {
            1 => Unit::Value(self.lowest(word)),
            _ => self.unit(Op::Bitmask(0), &[word]),
        }
    }

    /// The first polynomial under a mask, the second one elsewhere.
    pub fn choose(&mut self, mask: Unit, a: &[Unit], b: &[Unit]) -> Units {
        let chosen = |(a, b): (&Unit, &Unit)| {
            let both = self.add(*a, *b);
            let kept = self.and(both, mask);
            self.add(*b, kept)
        };
        a.iter().zip(b).map(chosen).collect()
    }

    /// The units of a word.
    pub fn of_word(&mut self, word: ValueId) -> Units {
        match self.width() {
            1 => self.split(word).into_iter().map(Unit::Value).collect(),
            _ => vec![Unit::Value(word)],
        }
    }

    /// The units of a number of so many coefficients.
    pub fn known(&self, words: &[u128], count: u32) -> Units {
        let width = self.width();
        let unit = |at: u32| {
            let (word, by) = (at * width / 64, at * width % 64);
            Unit::Known((words[word as usize] >> by) as u64 & self.ones())
        };
        (0..count.div_ceil(width)).map(unit).collect()
    }

    /// The words of a polynomial.
    pub fn words(&mut self, units: &[Unit]) -> Vec<ValueId> {
        if self.width() > 1 {
            return self.values(units);
        }
        let mut words = Vec::new();
        for bits in units.chunks(64) {
            let mut bits = bits.to_vec();
            bits.resize(64, ZERO);
            let bits = self.values(&bits);
            words.push(self.packed(&bits));
        }
        words
    }

    /// The bits of a word, the least significant first.
    fn split(&mut self, word: ValueId) -> Vec<ValueId> {
        let ty = self.func.ty(word);
        let half = ty.bits() / 2;
        if half == 0 {
            return vec![word];
        }
        let half_type = Type::new(ty.direction(), half);
        let high = self.op(Op::Shr(half), &[word], ty);
        [word, high]
            .into_iter()
            .flat_map(|whole| {
                let part = self.op(Op::Low, &[whole], half_type);
                self.split(part)
            })
            .collect()
    }

    /// The least significant bit of a word.
    fn lowest(&mut self, word: ValueId) -> ValueId {
        let ty = self.func.ty(word);
        match ty.bits() {
            1 => word,
            bits => {
                let part = self.op(Op::Low, &[word], Type::new(ty.direction(), bits / 2));
                self.lowest(part)
            }
        }
    }

    /// The word of bits, the least significant first, of which there is a power of two.
    fn packed(&mut self, bits: &[ValueId]) -> ValueId {
        if let [bit] = bits {
            return *bit;
        }
        let (low, high) = bits.split_at(bits.len() / 2);
        let args = [self.packed(high), self.packed(low)];
        self.op(Op::Pack, &args, Type::new(self.unit.direction(), bits.len() as u16))
    }
}
