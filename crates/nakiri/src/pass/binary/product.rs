//! Products and squares of polynomials, and remainders.

use super::code::{Code, Unit, Units, ZERO};
use super::plan::{Plan, Step};
use crate::core::binary;
use std::fmt;

/// What a product of two words is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Words {
    /// The two halves of an instruction's product.
    Whole,
    /// Products of numbers: of each fourth bit, so that no carry reaches the next one.
    Sparse {
        /// An instruction multiplies the lower halves of words.
        halves: bool,
    },
}

impl Words {
    /// The instructions of a product of two words, about.
    pub fn instructions(self) -> usize {
        match self {
            Words::Whole => 6,
            Words::Sparse { .. } => 3 * 43 + 12,
        }
    }
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Words::Whole => "carry-less products",
            Words::Sparse { .. } => "products of each fourth bit",
        })
    }
}

/// How units are multiplied.
#[derive(Clone, Debug)]
pub struct Products {
    /// How polynomials are.
    pub plan: Plan,
    /// Of words, what a product of two is made of.
    pub words: Option<Words>,
}

/// Each fourth bit of half a word, and of a word.
const FOURTHS: [u64; 2] = [0x1111_1111, 0x1111_1111_1111_1111];

impl Code {
    /// The product of two polynomials of as many units.
    pub fn product(&mut self, products: &Products, a: &[Unit], b: &[Unit]) -> Units {
        let known = [a, b].map(|factor| factor.iter().filter(|unit| **unit != ZERO).count());
        let is_known = |units: &[Unit]| units.iter().all(|unit| matches!(unit, Unit::Known(_)));
        let few = |units: &[Unit], terms: usize| {
            is_known(units) && terms * a.len() <= products.plan.instructions(a.len())
        };
        match products.plan.step(a.len()) {
            Step::Schoolbook => self.schoolbook(products, a, b),
            _ if few(a, known[0]) || few(b, known[1]) => self.schoolbook(products, a, b),
            Step::Extended => self.extended(products, a, b),
            Step::Cut(below) => self.karatsuba(products, a, b, below),
        }
    }

    fn extended(&mut self, products: &Products, a: &[Unit], b: &[Unit]) -> Units {
        let last = a.len() - 1;
        let mut product = self.product(products, &a[..last], &b[..last]);
        for place in 0..last {
            for (own, other) in [(a[place], b[last]), (a[last], b[place])] {
                let of_units = self.product_of_units(products, own, other);
                self.add_at(&mut product, last + place, &of_units);
            }
        }
        let highest = self.product_of_units(products, a[last], b[last]);
        self.add_at(&mut product, 2 * last, &highest);
        product
    }

    fn schoolbook(&mut self, products: &Products, a: &[Unit], b: &[Unit]) -> Units {
        let mut sums = Vec::new();
        // Column by column, so that of bits each product is added at once.
        for column in 0..a.len() + b.len() - 1 {
            for i in column.saturating_sub(b.len() - 1)..a.len().min(column + 1) {
                let product = self.product_of_units(products, a[i], b[column - i]);
                self.add_at(&mut sums, column, &product);
            }
        }
        sums
    }

    /// After A. Karatsuba and D. J. Bernstein, as [`Plan`] says.
    fn karatsuba(&mut self, products: &Products, a: &[Unit], b: &[Unit], cut: usize) -> Units {
        let middle_factors = [a, b].map(|factor| self.sum(&factor[..cut], &factor[cut..]));
        let low = self.product(products, &a[..cut], &b[..cut]);
        let high = self.product(products, &a[cut..], &b[cut..]);
        let middle = self.product(products, &middle_factors[0], &middle_factors[1]);
        let length = match products.words {
            None => 2 * a.len() - 1,
            Some(_) => 2 * a.len(),
        };
        let mut both = low;
        self.add_at(&mut both, cut, &high);
        let mut product = both.clone();
        self.add_at(&mut product, cut, &both);
        self.add_at(&mut product, cut, &middle);
        product.truncate(length);
        product
    }

    /// One unit of bits, two of words.
    fn product_of_units(&mut self, products: &Products, a: Unit, b: Unit) -> Units {
        match (products.words, a, b) {
            (None, _, _) => vec![self.and(a, b)],
            (_, ZERO, _) | (_, _, ZERO) => vec![ZERO; 2],
            (Some(_), Unit::Known(number), of) | (Some(_), of, Unit::Known(number))
                if number.count_ones() <= FEW =>
            {
                let mut sum = vec![ZERO; 2];
                for bit in (0..64).filter(|bit| number >> bit & 1 == 1) {
                    self.add_times_power(&mut sum, bit, &[of], 64);
                }
                sum
            }
            (Some(Words::Whole), a, b) => self.whole(a, b),
            (Some(Words::Sparse { halves }), a, b) => self.sparse(halves, a, b),
        }
    }

    /// The product of two words, of three products of their halves.
    fn sparse(&mut self, halves: bool, a: Unit, b: Unit) -> Units {
        let mut parts = |of: Unit| {
            let high = self.shr(of, 32);
            [of, high, self.add(of, high)]
        };
        let (a, b) = (parts(a), parts(b));
        let [low, high, both] = [0, 1, 2].map(|k| self.sparse_halves(halves, a[k], b[k]));
        let ends = self.add(low, high);
        let middle = self.add(both, ends);
        let (below, above) = (self.shl(middle, 32), self.shr(middle, 32));
        vec![self.add(low, below), self.add(high, above)]
    }

    /// The product of the lower halves of two words: a sum of each fourth bit has up to eight terms, which are no carry to the next.
    fn sparse_halves(&mut self, halves: bool, a: Unit, b: Unit) -> Unit {
        let [of_halves, of_words] = FOURTHS;
        let mut fourths =
            |of: Unit| [0, 1, 2, 3].map(|k| self.and(of, Unit::Known(of_halves << k)));
        let (a, b) = (fourths(a), fourths(b));
        let mut product = ZERO;
        for k in 0..4 {
            let mut sum = ZERO;
            for (i, own) in a.iter().enumerate() {
                let term = self.multiply(halves, *own, b[(4 + k - i) % 4]);
                sum = self.add(sum, term);
            }
            let kept = self.and(sum, Unit::Known(of_words << k));
            product = self.add(product, kept);
        }
        product
    }

    /// The square of a polynomial: its coefficients with zeros between.
    pub fn square(&mut self, products: &Products, of: &[Unit]) -> Units {
        match products.words {
            None => of.iter().flat_map(|bit| [*bit, ZERO]).collect(),
            Some(Words::Whole) => of.iter().flat_map(|word| self.whole(*word, *word)).collect(),
            Some(Words::Sparse { .. }) => of
                .iter()
                .flat_map(|word| {
                    let high = self.shr(*word, 32);
                    [self.spread(*word), self.spread(high)]
                })
                .collect(),
        }
    }

    /// The lower half of a word with zeros between its bits.
    fn spread(&mut self, word: Unit) -> Unit {
        let mut spread = self.and(word, Unit::Known(u64::MAX >> 32));
        for by in [16, 8, 4, 2, 1] {
            // As many ones as the shift is wide, then as many zeros.
            let kept = u64::MAX / ((1 << by) + 1);
            let moved = self.shl(spread, by);
            let both = self.add(spread, moved);
            spread = self.and(both, Unit::Known(kept));
        }
        spread
    }

    /// The remainder of a polynomial of so many coefficients modulo one with these exponents, the highest first.
    pub fn remainder(
        &mut self,
        products: &Products,
        exponents: &[u32],
        mut of: Units,
        mut count: u32,
    ) -> Units {
        let (degree, rest) = (exponents[0], &exponents[1..]);
        while count > degree {
            // So many coefficients at once that none of them comes in again above the others, or a word of them.
            let plain = degree - rest[0];
            let most = if products.words.is_some() { plain.max(WORD) } else { plain };
            let lowest = degree.max(count.saturating_sub(most));
            // Whole units need no shifts to be taken.
            let whole = lowest.next_multiple_of(self.width());
            let start = if lowest > degree && whole < count { whole } else { lowest };
            let taken = count - start;
            count = start;
            let mut high = self.bits(&of, count, taken);
            if taken > plain {
                high = self.quotient(products, exponents, high[0], taken);
            }
            for exponent in rest.iter().rev() {
                let place = count - degree + exponent;
                self.add_times_power(&mut of, place, &high, taken.min(count - place));
            }
            self.truncate(&mut of, count);
        }
        of.resize(degree.div_ceil(self.width()) as usize, ZERO);
        of
    }

    /// By what the modulus is taken times to cancel so many coefficients, no more than a word: their product with the quotient of a power and the
    /// modulus, after P. Barrett (CRYPTO 1986), which is exact for polynomials.
    fn quotient(
        &mut self,
        products: &Products,
        exponents: &[u32],
        high: Unit,
        count: u32,
    ) -> Units {
        let quotient = binary::quotient(exponents[0] + count - 1, exponents);
        let quotient = Unit::Known(quotient.iter_u64_digits().next().unwrap_or_default());
        let product = self.product_of_units(products, high, quotient);
        self.bits(&product, count - 1, count)
    }
}

/// The coefficients of a word.
const WORD: u32 = 64;
/// By a word with so few ones it is shifted and added.
const FEW: u32 = 4;
