//! Elements from words, and words from elements.

use super::code::{Code, Limb, Limbs, Outcome, WORD_MOST};
use super::representation::Reduction;
use crate::core::prime::{self, WORD};
use crate::core::{Op, ValueId};
use num_bigint::BigUint;
use num_traits::One;

impl Code<'_> {
    /// A number below the modulus, known now.
    pub fn known(&mut self, element: &BigUint) -> Limbs {
        let limbs = self.form.limbs(&self.form.image(element));
        limbs.into_iter().map(|limb| self.constant(limb)).collect()
    }

    /// Limbs of a number as it is, not of what stands for it.
    fn plain(&mut self, number: &BigUint) -> Limbs {
        let limbs = self.form.limbs(number);
        limbs.into_iter().map(|limb| self.constant(limb)).collect()
    }

    /// The element of the number of these words.
    pub fn element(&mut self, words: &[Limb]) -> Outcome<Limbs> {
        let number = self.reduced(words, words.len() as u32 * u32::from(WORD))?;
        match self.form.reduction {
            Reduction::Fold(_) | Reduction::FoldSums(_) => Ok(number),
            Reduction::Montgomery(_) => {
                let power = BigUint::one() << (2 * self.form.offsets[self.count()]);
                let square = self.plain(&self.form.field.element(&power));
                self.multiply(&number, &square)
            }
        }
    }

    /// Limbs of the number of these words, of so many bits, or of one that is the same modulo the modulus.
    fn reduced(&mut self, words: &[Limb], bits: u32) -> Outcome<Limbs> {
        let count = self.count();
        let last = self.form.offsets[count - 1];
        // The last limb takes what is left, unless that is more than a word.
        let cut = last + (self.form.top() + 1).min(bits.saturating_sub(last));
        let mut limbs = Vec::with_capacity(count);
        for i in 0..count {
            let end = if i + 1 == count { cut } else { self.form.offsets[i + 1] };
            limbs.push(self.bits(words, self.form.offsets[i], end)?);
        }
        if bits <= cut {
            return self.tightened(limbs);
        }
        let mut rest = Vec::new();
        for at in 0..(bits - cut).div_ceil(WORD.into()) {
            let start = cut + at * u32::from(WORD);
            rest.push(self.bits(words, start, (start + u32::from(WORD)).min(bits))?);
        }
        let above = self.reduced(&rest, bits - cut)?;
        // In Montgomery's representation a product of two numbers is one with 2^-m, which the image of the factor takes away.
        let power = self.form.field.element(&(BigUint::one() << cut));
        let power = self.known(&power);
        let above = self.multiply(&above, &power)?;
        let below = self.tightened(limbs)?;
        let sum = self.sum(&above, &below)?;
        self.tightened(sum)
    }

    /// Some bits of a number, no more than a word.
    fn bits(&mut self, words: &[Limb], start: u32, end: u32) -> Outcome<Limb> {
        let width = u32::from(WORD);
        let (at, shift) = ((start / width) as usize, start % width);
        let Some(&word) = words.get(at).filter(|_| end > start) else {
            return Ok(self.constant(0));
        };
        let low = if shift == 0 { word } else { self.high(word, shift) };
        let joined = match words.get(at + 1) {
            Some(next) if shift > 0 && end > start + width - shift => {
                let above = self.op(Op::Shl((width - shift) as u16), &[next.value]);
                Limb { value: self.op(Op::Or, &[above, low.value]), most: WORD_MOST }
            }
            _ => low,
        };
        match end - start < width {
            true => Ok(self.low(joined, end - start)),
            false => Ok(joined),
        }
    }

    /// The sum of two elements.
    pub fn sum(&mut self, a: &Limbs, b: &Limbs) -> Outcome<Limbs> {
        a.iter().zip(b).map(|(a, b)| self.add(*a, *b)).collect()
    }

    /// The difference of two elements: with a multiple of the modulus no limb of which is less than the other's.
    pub fn difference(&mut self, a: &Limbs, b: &Limbs) -> Outcome<Limbs> {
        let field = &self.form.field;
        let most = self.most(b);
        let digits =
            self.form.limbs(&((&field.modulus - (&most % &field.modulus)) % &field.modulus));
        let mut limbs = Vec::with_capacity(a.len());
        for ((a, b), digit) in a.iter().zip(b).zip(digits) {
            let enough = self.constant(b.most + digit);
            let sum = self.add(*a, enough)?;
            let value = self.op(Op::Sub, &[sum.value, b.value]);
            limbs.push(Limb { value, most: sum.most });
        }
        Ok(limbs)
    }

    /// The first element if a word is odd, otherwise the second.
    pub fn choose(&mut self, word: Limb, a: &Limbs, b: &Limbs) -> Limbs {
        let mask = self.op(Op::Bitmask(0), &[word.value]);
        a.iter().zip(b).map(|(a, b)| self.chosen(mask, *a, *b)).collect()
    }

    fn chosen(&mut self, mask: ValueId, a: Limb, b: Limb) -> Limb {
        let both = self.op(Op::Xor, &[a.value, b.value]);
        let kept = self.op(Op::And, &[both, mask]);
        Limb { value: self.op(Op::Xor, &[b.value, kept]), most: a.most.max(b.most) }
    }

    /// The words of the number of an element, which is below the modulus.
    pub fn number(&mut self, of: &Limbs) -> Outcome<Limbs> {
        let limbs = self.below_twice(of)?;
        // One more bit than the modulus has: it is set if the modulus can be taken away.
        let (count, top) = (self.count(), self.form.top() + 1);
        let bits = self.form.field.bits();
        let rest = (BigUint::one() << (bits + 1)) - &self.form.field.modulus;
        let rest = self.plain(&rest);
        let mut over = self.constant(0);
        let mut less = Vec::with_capacity(count);
        for (i, (limb, rest)) in limbs.iter().zip(rest).enumerate() {
            let sum = self.add(*limb, rest)?;
            let sum = self.add(sum, over)?;
            let width = if i + 1 == count { top } else { self.form.width(i) };
            less.push(self.low(sum, width));
            over = self.high(sum, width);
        }
        let chosen = self.choose(over, &less, &limbs);
        self.words(&chosen)
    }

    /// Limbs of a number below twice the modulus, all but the last no longer than their bits.
    fn below_twice(&mut self, of: &Limbs) -> Outcome<Limbs> {
        let last = self.count() - 1;
        let mut limbs = match self.form.reduction {
            Reduction::Montgomery(_) => {
                let one = self.plain(&BigUint::one());
                self.multiply(of, &one)?
            }
            // With n bits in the modulus, what is tight is less than 2^n and an eighth of it. What is beyond 2^n comes in again times c, which is
            // no more than half of 2^n: then all of it is below.
            Reduction::Fold(_) | Reduction::FoldSums(_) => {
                let mut limbs = self.tightened(of.clone())?;
                for limb in 0..=last {
                    self.carry(&mut limbs, limb)?;
                }
                limbs
            }
        };
        for limb in 0..last {
            self.carry(&mut limbs, limb)?;
        }
        Ok(limbs)
    }

    /// Limbs that are no longer than their bits as words.
    fn words(&mut self, limbs: &Limbs) -> Outcome<Limbs> {
        let width = u32::from(WORD);
        let mut words = Vec::new();
        for at in 0..self.form.field.words() as u32 {
            let (start, end) = (at * width, (at + 1) * width);
            let mut word = self.constant(0);
            for (i, limb) in limbs.iter().enumerate() {
                let offset = self.form.offsets[i];
                if offset >= end || offset + 64 <= start {
                    continue;
                }
                let part = match offset.checked_sub(start) {
                    Some(by) => match limb.most.leading_zeros() >= 64 + by {
                        true => self.doubled(*limb, by)?,
                        // What is beyond the word goes into the next one.
                        false => {
                            let value = self.op(Op::Shl(by as u16), &[limb.value]);
                            Limb { value, most: WORD_MOST }
                        }
                    },
                    None => self.high(*limb, start - offset),
                };
                word = match (word.most, part.most) {
                    (0, _) => part,
                    (_, 0) => word,
                    _ => {
                        let value = self.op(Op::Or, &[word.value, part.value]);
                        Limb { value, most: WORD_MOST }
                    }
                };
            }
            words.push(word);
        }
        Ok(words)
    }

    /// The element of the number of words that are known now.
    pub fn element_of_known(&mut self, words: &[u128]) -> Limbs {
        let element = self.form.field.element(&prime::from_words(words));
        self.known(&element)
    }
}
