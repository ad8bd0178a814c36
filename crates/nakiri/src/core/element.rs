//! Fields of both kinds, and what their elements are: numbers of any size.

use super::prime::WORD;
use super::{BinaryField, PrimeField};
use num_bigint::BigUint;
use num_traits::One;

/// A field with whose elements a program computes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// The integers modulo a prime.
    Prime(PrimeField),
    /// The polynomials over GF(2) modulo an irreducible one.
    Binary(BinaryField),
}

impl Field {
    /// Its name in the source.
    pub fn name(&self) -> &str {
        match self {
            Field::Prime(field) => &field.name,
            Field::Binary(field) => &field.name,
        }
    }

    /// Whether it has characteristic two.
    pub fn is_binary(&self) -> bool {
        matches!(self, Field::Binary(_))
    }

    /// The bits of the largest element.
    pub fn bits(&self) -> u32 {
        match self {
            Field::Prime(field) => field.bits(),
            Field::Binary(field) => field.bits(),
        }
    }

    /// The words of 64 bits that an element fills.
    pub fn words(&self) -> usize {
        self.bits().div_ceil(WORD.into()) as usize
    }

    /// How many elements there are.
    pub fn order(&self) -> BigUint {
        match self {
            Field::Prime(field) => field.modulus.clone(),
            Field::Binary(field) => BigUint::one() << field.bits(),
        }
    }

    /// The element of a number.
    pub fn element(&self, number: &BigUint) -> BigUint {
        match self {
            Field::Prime(field) => field.element(number),
            Field::Binary(field) => field.element(number),
        }
    }

    /// The sum of two elements.
    pub fn add(&self, a: &BigUint, b: &BigUint) -> BigUint {
        match self {
            Field::Prime(field) => field.element(&(a + b)),
            Field::Binary(_) => a ^ b,
        }
    }

    /// The difference of two elements.
    pub fn sub(&self, a: &BigUint, b: &BigUint) -> BigUint {
        match self {
            Field::Prime(field) => field.sub(a, b),
            Field::Binary(_) => a ^ b,
        }
    }

    /// The product of two elements.
    pub fn mul(&self, a: &BigUint, b: &BigUint) -> BigUint {
        match self {
            Field::Prime(field) => field.element(&(a * b)),
            Field::Binary(field) => field.mul(a, b),
        }
    }
}
