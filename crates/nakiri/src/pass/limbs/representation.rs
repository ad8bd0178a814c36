//! How elements of a field are words: limbs of so many bits each, and how products of them are made and reduced.

use crate::core::{Direction, OpKind, PrimeField};
use crate::isa::Target;
use num_bigint::BigUint;
use num_traits::One;
use std::fmt;

/// What a product of two limbs is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Products {
    /// Whole products of words, of two words.
    Wide,
    /// A word, of two factors of half a word.
    Halves,
    /// Both halves of a product of 52 bits, each added to a word.
    Fused,
}

impl Products {
    const ALL: [Products; 3] = [Products::Wide, Products::Halves, Products::Fused];

    /// The bits of a factor.
    pub fn factor(self) -> u32 {
        match self {
            Products::Wide => 64,
            Products::Halves => 32,
            Products::Fused => 52,
        }
    }

    /// Whether a target has what they are made of.
    fn is_on(self, target: &Target) -> bool {
        let has = |op| target.instance(op, Direction::V, 64).is_some();
        match self {
            Products::Wide => has(OpKind::Product),
            Products::Halves => has(OpKind::Mul),
            Products::Fused => has(OpKind::AddLow52) && has(OpKind::AddHigh52),
        }
    }
}

/// How products become as short as factors again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// The modulus is 2^n - c, and 2^n times something is c times it: factors are taken times c.
    Fold(u64),
    /// The same: sums of products are taken times c, where factors have no room for that.
    FoldSums(u64),
    /// After Montgomery (1985): an element x is x·2^m, and a multiple of the modulus makes the lower half of a product zero. This times the
    /// modulus is -1 modulo 2^w, where limbs have w bits.
    Montgomery(u64),
}

/// A representation of the elements of a field.
#[derive(Clone, Debug)]
pub struct Representation {
    /// The field.
    pub field: PrimeField,
    /// What products are made of.
    pub products: Products,
    /// How they are reduced.
    pub reduction: Reduction,
    /// Limb i has the bits from the first of these on that are below the next: one more than there are limbs.
    pub offsets: Vec<u32>,
}

impl Representation {
    /// All that a target can compute with, whether bounds allow them or not.
    pub fn all(field: &PrimeField, target: &Target) -> Vec<Representation> {
        let bits = field.bits();
        let mut all = Vec::new();
        for products in Products::ALL.into_iter().filter(|products| products.is_on(target)) {
            // Sums of products need some bits; with shorter limbs than these there are more products for nothing.
            let (least, most) = match products {
                Products::Wide => (48, 62),
                Products::Halves => (24, 29),
                Products::Fused => (42, 52),
            };
            for count in bits.div_ceil(most)..=bits.div_ceil(least) + 1 {
                all.extend(Representation::folded(field, products, count));
                all.extend(Representation::folded_late(field, products, count));
                all.extend(Representation::montgomery(field, products, count));
            }
        }
        all
    }

    fn folded(field: &PrimeField, products: Products, count: u32) -> Option<Representation> {
        let bits = field.bits();
        let rest = (BigUint::one() << bits) - &field.modulus;
        let rest = u64::try_from(rest).ok().filter(|rest| *rest < 1 << 32)?;
        let offsets = (0..=count).map(|i| (i * bits).div_ceil(count)).collect();
        Some(Representation {
            field: field.clone(),
            products,
            reduction: Reduction::Fold(rest),
            offsets,
        })
    }

    fn folded_late(field: &PrimeField, products: Products, count: u32) -> Option<Representation> {
        let form = Representation::folded(field, products, count)?;
        match form.reduction {
            // Sums of two words are not taken times anything.
            Reduction::Fold(rest) if products != Products::Wide => {
                Some(Representation { reduction: Reduction::FoldSums(rest), ..form })
            }
            _ => None,
        }
    }

    fn montgomery(field: &PrimeField, products: Products, count: u32) -> Option<Representation> {
        // Room for sums, and for what factors may be longer than the modulus.
        let width = (field.bits() + 7).div_ceil(count);
        let is_short = field.bits() <= (count - 1) * width;
        if width > products.factor().min(62) || is_short || !field.modulus.bit(0) {
            return None;
        }
        let low = field.modulus.iter_u64_digits().next().unwrap_or_default();
        // Newton's iteration: each step doubles the right bits, of which an odd number has three of its own inverse.
        let inverse = (0..5).fold(low, |inverse, _| {
            inverse.wrapping_mul(2u64.wrapping_sub(low.wrapping_mul(inverse)))
        });
        let mask = u64::MAX >> (64 - width);
        let reduction = Reduction::Montgomery(inverse.wrapping_neg() & mask);
        let offsets = (0..=count).map(|i| i * width).collect();
        Some(Representation { field: field.clone(), products, reduction, offsets })
    }

    /// The number of limbs.
    pub fn count(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The bits of a limb.
    pub fn width(&self, limb: usize) -> u32 {
        self.offsets[limb + 1] - self.offsets[limb]
    }

    /// All ones in the bits of a limb.
    pub fn mask(&self, limb: usize) -> u128 {
        (1 << self.width(limb)) - 1
    }

    /// How many bits of the last limb are those of elements below 2^n, n the bits of the modulus.
    pub fn top(&self) -> u32 {
        self.field.bits() - self.offsets[self.count() - 1]
    }

    /// The most that limbs can be of what is handed on: a sixteenth more than their bits, and in Montgomery's representation up to twice the
    /// modulus.
    pub fn tight(&self) -> Vec<u128> {
        let most = |bits: u32| (1u128 << bits) + (1 << bits >> 4);
        let mut tight: Vec<u128> = (0..self.count()).map(|limb| most(self.width(limb))).collect();
        if let Reduction::Montgomery(_) = self.reduction {
            tight[self.count() - 1] = most(self.top() + 1);
        }
        tight
    }

    /// The limbs of a number, whose bits beyond the last one's stay in it.
    pub fn limbs(&self, number: &BigUint) -> Vec<u128> {
        let limb = |i: usize| {
            let rest = number >> self.offsets[i];
            match i + 1 == self.count() {
                true => u128::try_from(rest).unwrap_or(u128::MAX),
                false => u128::try_from(rest & BigUint::from(self.mask(i))).unwrap_or_default(),
            }
        };
        (0..self.count()).map(limb).collect()
    }

    /// The number of which limbs, these at most, are.
    pub fn number(&self, limbs: &[u128]) -> BigUint {
        limbs.iter().zip(&self.offsets).map(|(limb, offset)| BigUint::from(*limb) << *offset).sum()
    }

    /// What stands for an element.
    pub fn image(&self, element: &BigUint) -> BigUint {
        match self.reduction {
            Reduction::Fold(_) | Reduction::FoldSums(_) => element.clone(),
            Reduction::Montgomery(_) => {
                (element << self.offsets[self.count()]) % &self.field.modulus
            }
        }
    }
}

impl fmt::Display for Representation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let widths: Vec<u32> = (0..self.count()).map(|limb| self.width(limb)).collect();
        let (least, most) = (widths.iter().min(), widths.iter().max());
        write!(f, "{} limbs of ", self.count())?;
        match (least, most) {
            (Some(least), Some(most)) if least != most => write!(f, "{least} or {most} bits")?,
            (Some(bits), _) => write!(f, "{bits} bits")?,
            _ => {}
        }
        f.write_str(match self.products {
            Products::Wide => ", whole products",
            Products::Halves => ", products of half words",
            Products::Fused => ", products of 52 bits",
        })?;
        match self.reduction {
            Reduction::Fold(_) => Ok(()),
            Reduction::FoldSums(_) => f.write_str(", sums of them folded"),
            Reduction::Montgomery(_) => f.write_str(", Montgomery's reduction"),
        }
    }
}
