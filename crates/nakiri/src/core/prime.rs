//! Prime fields: the numbers below a prime, with sums and products modulo it.

use num_bigint::BigUint;
use num_traits::{One, Zero};

/// The integers modulo a prime.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PrimeField {
    /// Its name in the source.
    pub name: String,
    /// The prime.
    pub modulus: BigUint,
}

/// The bits of a word in which numbers become elements and the other way.
pub const WORD: u16 = 64;
/// The longest prime, in bits.
pub const MAX_BITS: u64 = 1024;
/// The divisors that are tried first.
const MAX_DIVISOR: u32 = 1 << 12;

impl PrimeField {
    /// The bits of the largest element.
    pub fn bits(&self) -> u32 {
        (&self.modulus - 1u32).bits() as u32
    }

    /// The words of 64 bits that an element fills.
    pub fn words(&self) -> usize {
        self.bits().div_ceil(WORD.into()) as usize
    }

    /// The element of a number.
    pub fn element(&self, number: &BigUint) -> BigUint {
        number % &self.modulus
    }

    /// The difference of two elements.
    pub fn sub(&self, a: &BigUint, b: &BigUint) -> BigUint {
        (a + &self.modulus - b) % &self.modulus
    }
}

/// The number of these words, the least significant first.
pub fn from_words(words: &[u128]) -> BigUint {
    words.iter().rev().fold(BigUint::zero(), |number, word| (number << WORD) | BigUint::from(*word))
}

/// The least significant words of a number, the least significant first.
pub fn to_words(number: &BigUint, count: usize) -> Vec<u128> {
    let digits = number.iter_u64_digits().map(u128::from);
    digits.chain(std::iter::repeat(0)).take(count).collect()
}

/// Why a number is not prime: a factor, or a base whose power shows that there are some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Composite {
    /// It divides the number.
    Factor(BigUint),
    /// By this base the test of Miller and Rabin fails.
    Witness(BigUint),
}

/// Whether a number is prime, by the test of Miller and Rabin for the bases 2 to 257: a composite one that passes is not known, and whoever made one
/// would deceive himself alone.
pub fn check_prime(number: &BigUint) -> Result<(), Composite> {
    let two = BigUint::from(2u32);
    if *number < two {
        return Err(Composite::Factor(number.clone()));
    }
    let small = (2..MAX_DIVISOR).map(BigUint::from).take_while(|d| d * d <= *number);
    if let Some(factor) = small.into_iter().find(|divisor| (number % divisor).is_zero()) {
        return Err(Composite::Factor(factor));
    }
    let last = number - 1u32;
    let Some(twos) = last.trailing_zeros() else { return Ok(()) };
    let odd = &last >> twos;
    let fails = |base: &BigUint| {
        let mut power = base.modpow(&odd, number);
        if power.is_one() || power == last {
            return false;
        }
        for _ in 1..twos {
            power = &power * &power % number;
            if power == last {
                return false;
            }
        }
        true
    };
    let bases = (2..=257u32).map(BigUint::from).take_while(|base| *base < last);
    match bases.into_iter().find(fails) {
        Some(witness) => Err(Composite::Witness(witness)),
        None => Ok(()),
    }
}
