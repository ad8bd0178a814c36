//! Products of elements: columns of products of limbs, reduced.

use super::code::{Code, Limb, Limbs, Outcome, Overflow, WORD_MOST};
use super::representation::{Products, Reduction};
use crate::core::Op;
use num_bigint::BigUint;
use rustc_hash::FxHashMap;

/// A sum of products that have one weight.
#[derive(Clone, Copy, Debug)]
struct Column {
    /// Of one word, or two if whole products are added.
    low: Limb,
    /// Of products of 52 bits: what has the weight of the column before times 2^52.
    fused: Limb,
}

impl Code<'_> {
    /// The product of two elements. What is too long for a factor is carried first.
    pub fn multiply(&mut self, a: &Limbs, b: &Limbs) -> Outcome<Limbs> {
        let is_square = a.iter().zip(b).all(|(a, b)| a.value == b.value);
        let mut tried = Err(Overflow);
        // As they are; one of them carried, the longer first; both.
        let longer = self.most(a) >= self.most(b);
        for carried in [(false, false), (longer, !longer), (true, true)] {
            // Squares have half the products, of factors that are doubled, for which there may be no room.
            for is_square in [is_square, false] {
                let (body, values) = (self.body.len(), self.func.values.len());
                tried = self.multiply_carried(a, b, carried, is_square);
                if tried.is_ok() {
                    return tried;
                }
                self.body.truncate(body);
                self.func.values.truncate(values);
            }
        }
        tried
    }

    fn multiply_carried(
        &mut self,
        a: &Limbs,
        b: &Limbs,
        (carry_a, carry_b): (bool, bool),
        is_square: bool,
    ) -> Outcome<Limbs> {
        let carried = |code: &mut Self, limbs: &Limbs, carry: bool| match carry {
            true => code.tightened(limbs.clone()),
            false => Ok(limbs.clone()),
        };
        let same = a.iter().zip(b).all(|(a, b)| a.value == b.value);
        let a = carried(self, a, carry_a || carry_b && same)?;
        let b = if same { a.clone() } else { carried(self, b, carry_b)? };
        match self.form.reduction {
            Reduction::Fold(rest) => {
                let columns = self.columns(&a, &b, is_square, Some(rest.into()))?;
                let limbs = self.joined(columns, rest.into())?;
                self.tightened(limbs)
            }
            Reduction::FoldSums(rest) => {
                let columns = self.columns(&a, &b, is_square, None)?;
                let limbs = self.folded(columns, rest.into())?;
                self.tightened(limbs)
            }
            Reduction::Montgomery(inverse) => {
                let most = self.most(&a) * self.most(&b);
                let columns = self.columns(&a, &b, is_square, None)?;
                self.montgomery(columns, inverse.into(), &most)
            }
        }
    }

    fn factor(&self, limb: Limb) -> Outcome<Limb> {
        match limb.most < 1 << self.form.products.factor() {
            true => Ok(limb),
            false => Err(Overflow),
        }
    }

    fn empty(&mut self, count: usize) -> Vec<Column> {
        let zero = self.constant(0);
        vec![Column { low: zero, fused: zero }; count]
    }

    /// The products of all pairs of limbs by their weight. With a `rest`, those beyond the last limb come in again at the first, times it.
    fn columns(
        &mut self,
        a: &Limbs,
        b: &Limbs,
        is_square: bool,
        rest: Option<u128>,
    ) -> Outcome<Vec<Column>> {
        let count = self.count();
        let total = if rest.is_some() { count + 1 } else { 2 * count };
        let mut columns = self.empty(total);
        let mut scaled: FxHashMap<(usize, u128), Limb> = FxHashMap::default();
        let offsets = self.form.offsets.clone();
        for i in 0..count {
            for j in if is_square { i..count } else { 0..count } {
                let mut factor = if is_square && i != j { 2 } else { 1 };
                let (column, weight) = match (i + j).checked_sub(count).zip(rest) {
                    Some((column, rest)) => {
                        factor *= rest;
                        (column, offsets[count] + offsets[column])
                    }
                    None => (i + j, self.weight(i + j)),
                };
                factor <<= offsets[i] + offsets[j] - weight;
                let own = match scaled.get(&(j, factor)) {
                    Some(own) => *own,
                    None => self.times(b[j], factor)?,
                };
                scaled.insert((j, factor), own);
                let (x, y) = (self.factor(a[i])?, self.factor(own)?);
                self.accumulate(&mut columns, column, x, y)?;
            }
        }
        Ok(columns)
    }

    /// The weight of a column as a power of two.
    fn weight(&self, column: usize) -> u32 {
        let count = self.count();
        match column < count {
            true => self.form.offsets[column],
            false => self.form.offsets[count] + self.form.offsets[column - count],
        }
    }

    /// Adds a product to a column.
    fn accumulate(&mut self, columns: &mut [Column], at: usize, x: Limb, y: Limb) -> Outcome<()> {
        let most = x.most.checked_mul(y.most).ok_or(Overflow)?;
        if most == 0 {
            return Ok(());
        }
        let column = columns[at];
        match self.form.products {
            Products::Halves => {
                let op = if self.has_halves() { Op::MulHalves } else { Op::Mul };
                let product = Limb { value: self.op(op, &[x.value, y.value]), most };
                columns[at].low = self.add(column.low, product)?;
            }
            Products::Fused => {
                let low = self.op(Op::AddLow52, &[column.low.value, x.value, y.value]);
                let low_most = column.low.most + most.min((1 << 52) - 1);
                columns[at].low = Limb { value: low, most: low_most };
                if most >> 52 > 0 {
                    let above = columns[at + 1].fused;
                    let high = self.op(Op::AddHigh52, &[above.value, x.value, y.value]);
                    columns[at + 1].fused = Limb { value: high, most: above.most + (most >> 52) };
                }
                if low_most.max(columns[at + 1].fused.most) > WORD_MOST {
                    return Err(Overflow);
                }
            }
            Products::Wide => {
                let value = self.op_double(Op::Product, &[x.value, y.value]);
                columns[at].low = self.double_sum(column.low, Limb { value, most })?;
            }
        }
        Ok(())
    }

    /// The sum of two numbers of two words each.
    fn double_sum(&mut self, a: Limb, b: Limb) -> Outcome<Limb> {
        let most = a.most.checked_add(b.most).ok_or(Overflow)?;
        match a.most {
            0 => Ok(b),
            _ => Ok(Limb { value: self.op_double(Op::Add, &[a.value, b.value]), most }),
        }
    }

    /// Splits a column at so many bits: what is below, and the rest.
    fn split(&mut self, column: Column, bits: u32) -> Outcome<(Limb, Limb)> {
        let whole = column.low;
        if self.form.products != Products::Wide || whole.most == 0 {
            return Ok((self.low(whole, bits), self.high(whole, bits)));
        }
        let below =
            Limb { value: self.op(Op::Low, &[whole.value]), most: WORD_MOST.min(whole.most) };
        let below = self.low(below, bits);
        if whole.most >> bits > WORD_MOST {
            return Err(Overflow);
        }
        let shifted = self.op_double(Op::Shr(bits as u16), &[whole.value]);
        let over = Limb { value: self.op(Op::Low, &[shifted]), most: whole.most >> bits };
        Ok((below, over))
    }

    /// Adds a word to a column.
    fn add_word(&mut self, column: Column, word: Limb) -> Outcome<Column> {
        if word.most == 0 {
            return Ok(column);
        }
        let low = match self.form.products {
            Products::Wide => {
                let value = self.op_double(Op::Widen, &[word.value]);
                self.double_sum(column.low, Limb { value, ..word })?
            }
            _ => self.add(column.low, word)?,
        };
        Ok(Column { low, ..column })
    }

    /// What has the weight of the column before times 2^52, added.
    fn settled(&mut self, column: Column, width_before: u32) -> Outcome<Column> {
        if column.fused.most == 0 {
            return Ok(column);
        }
        let zero = self.constant(0);
        let word = self.doubled(column.fused, 52 - width_before)?;
        let column = Column { fused: zero, ..column };
        self.add_word(column, word)
    }

    /// Columns from each of which what belongs into the next one is gone.
    fn all_settled(&mut self, columns: Vec<Column>) -> Outcome<Vec<Column>> {
        let count = self.count();
        let settle = |(at, column): (usize, Column)| match at.checked_sub(1) {
            Some(before) => self.settled(column, self.form.width(before % count)),
            None => Ok(column),
        };
        columns.into_iter().enumerate().map(settle).collect()
    }

    /// Columns, one of each limb's weight and one beyond them, as limbs.
    fn joined(&mut self, columns: Vec<Column>, rest: u128) -> Outcome<Limbs> {
        let count = self.count();
        let mut columns = self.all_settled(columns)?;
        // What lies beyond the last limb comes in again at the first.
        let again = self.times(columns[count].low, rest)?;
        columns[0] = self.add_word(columns[0], again)?;
        if self.form.products != Products::Wide {
            return Ok(columns[..count].iter().map(|column| column.low).collect());
        }
        let mut limbs = Vec::with_capacity(count);
        for at in 0..count {
            let (low, over) = self.split(columns[at], self.form.width(at))?;
            limbs.push(low);
            match at + 1 < count {
                true => columns[at + 1] = self.add_word(columns[at + 1], over)?,
                false => {
                    let again = self.times(over, rest)?;
                    limbs[0] = self.add(limbs[0], again)?;
                }
            }
        }
        Ok(limbs)
    }

    /// Columns as limbs: those beyond the last limb's come in again at the first, times `rest`.
    fn folded(&mut self, columns: Vec<Column>, rest: u128) -> Outcome<Limbs> {
        let count = self.count();
        let columns = self.all_settled(columns)?;
        let mut limbs = Vec::with_capacity(count);
        for at in 0..count {
            let again = self.times(columns[count + at].low, rest)?;
            limbs.push(self.add(columns[at].low, again)?);
        }
        Ok(limbs)
    }

    /// Montgomery's reduction of columns whose number is at most this.
    fn montgomery(
        &mut self,
        mut columns: Vec<Column>,
        inverse: u128,
        most: &BigUint,
    ) -> Outcome<Limbs> {
        let (count, width) = (self.count(), self.form.width(0));
        let modulus = self.form.limbs(&self.form.field.modulus);
        let inverse = self.constant(inverse);
        let modulus: Vec<Limb> = modulus.into_iter().map(|limb| self.constant(limb)).collect();
        for at in 0..count {
            columns[at] = self.settled(columns[at], width)?;
            let (lowest, _) = self.split(columns[at], width)?;
            let multiple = self.multiple(lowest, inverse)?;
            for (i, limb) in modulus.iter().enumerate() {
                self.accumulate(&mut columns, at + i, *limb, multiple)?;
            }
            let (_, over) = self.split(columns[at], width)?;
            columns[at + 1] = self.add_word(columns[at + 1], over)?;
        }
        let mut limbs = Vec::with_capacity(count);
        for at in count..2 * count {
            columns[at] = self.settled(columns[at], width)?;
            match at + 1 < 2 * count {
                true => {
                    let (low, over) = self.split(columns[at], width)?;
                    limbs.push(low);
                    columns[at + 1] = self.add_word(columns[at + 1], over)?;
                }
                false => limbs.push(self.split(columns[at], 63)?.0),
            }
        }
        // All of it is no more than what is left of the product, and the modulus.
        let total = (most >> self.form.offsets[count]) + &self.form.field.modulus + 1u32;
        let top: BigUint = total >> self.form.offsets[count - 1];
        let top = u128::try_from(top).unwrap_or(WORD_MOST);
        limbs[count - 1].most = limbs[count - 1].most.min(top);
        self.tightened(limbs)
    }

    /// What the modulus is taken times, so that the lowest limb becomes zero.
    fn multiple(&mut self, of: Limb, inverse: Limb) -> Outcome<Limb> {
        let width = self.form.width(0);
        let product = match self.form.products {
            Products::Wide => self.op(Op::Mul, &[of.value, inverse.value]),
            Products::Halves => {
                let op = if self.has_halves() { Op::MulHalves } else { Op::Mul };
                self.op(op, &[of.value, inverse.value])
            }
            Products::Fused => {
                let zero = self.constant(0);
                self.op(Op::AddLow52, &[zero.value, of.value, inverse.value])
            }
        };
        Ok(self.low(Limb { value: product, most: WORD_MOST }, width))
    }
}
