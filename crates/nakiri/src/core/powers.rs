//! Powers by few products: an addition chain for an exponent.

use num_bigint::BigUint;
use num_traits::One;
use std::collections::BTreeMap;

/// A power made of powers before; the number 0 is the base itself, and each step makes the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The product of two.
    Product(usize, usize),
    /// One squared so many times.
    Squares(usize, u32),
}

/// The widest window of an exponent's bits.
const WIDEST: u32 = 6;

/// A chain for an exponent of at least 1: of windows of its bits, up to so wide, or with runs of ones as powers of their own, whichever takes the
/// fewest products.
pub fn find(exponent: &BigUint) -> Vec<Step> {
    let plain = (1..=WIDEST).map(|width| Chain::of(exponent, width, false));
    let runs = (1..=WIDEST).map(|width| Chain::of(exponent, width, true));
    let cost = |steps: &Vec<Step>| {
        steps.iter().map(|step| if let Step::Squares(_, n) = step { *n } else { 1 }).sum::<u32>()
    };
    plain.chain(runs).min_by_key(cost).unwrap_or_default()
}

/// The powers that are there, by their exponents.
struct Chain {
    steps: Vec<Step>,
    known: BTreeMap<BigUint, usize>,
}

impl Chain {
    /// From the most significant bit: windows of up to so many bits that end in a one, and whole runs of ones if asked for.
    fn of(exponent: &BigUint, width: u32, runs: bool) -> Vec<Step> {
        let mut chain = Chain { steps: Vec::new(), known: BTreeMap::from([(BigUint::one(), 0)]) };
        let mut last: Option<(usize, BigUint)> = None;
        let mut left = exponent.bits();
        while left > 0 {
            let (digit, length) = window(exponent, left, width, runs);
            left -= length;
            if digit == BigUint::default() {
                last = last.map(|(power, value)| chain.squares(power, value, length));
                continue;
            }
            let own = chain.odd(&digit);
            last = Some(match last {
                None => (own, digit),
                Some((power, value)) => {
                    let (power, value) = chain.squares(power, value, length);
                    chain.product((power, value), (own, digit))
                }
            });
        }
        chain.steps
    }

    fn add(&mut self, step: Step, value: BigUint) -> (usize, BigUint) {
        self.steps.push(step);
        self.known.insert(value.clone(), self.steps.len());
        (self.steps.len(), value)
    }

    fn product(&mut self, a: (usize, BigUint), b: (usize, BigUint)) -> (usize, BigUint) {
        self.add(Step::Product(a.0, b.0), a.1 + b.1)
    }

    fn squares(&mut self, power: usize, value: BigUint, count: u64) -> (usize, BigUint) {
        match count {
            0 => (power, value),
            _ => self.add(Step::Squares(power, count as u32), value << count),
        }
    }

    /// An odd exponent: a run of ones by halves, others by adding 2.
    fn odd(&mut self, exponent: &BigUint) -> usize {
        if let Some(&known) = self.known.get(exponent) {
            return known;
        }
        let bits = exponent.bits();
        if exponent.count_ones() == bits {
            // Halves that are the same, or one more after a run of even length.
            let low = if bits.is_multiple_of(2) { ones(bits / 2) } else { ones(1) };
            let high = ones(bits - low.bits());
            let (low_power, high_power) = (self.odd(&low), self.odd(&high));
            let raised = self.squares(high_power, high, low.bits());
            return self.product(raised, (low_power, low)).0;
        }
        let two = BigUint::from(2u32);
        let square = match self.known.get(&two) {
            Some(&square) => square,
            None => self.squares(0, BigUint::one(), 1).0,
        };
        let below = exponent - 2u32;
        let power = self.odd(&below);
        self.product((power, below), (square, two)).0
    }
}

fn ones(bits: u64) -> BigUint {
    (BigUint::one() << bits) - 1u32
}

/// The window below bit `left`: zeros, or what begins and ends with a one; its value and its length.
fn window(exponent: &BigUint, left: u64, width: u32, runs: bool) -> (BigUint, u64) {
    let bit = |i: u64| exponent.bit(left - 1 - i);
    if !bit(0) {
        let zeros = (0..left).take_while(|i| !bit(*i)).count() as u64;
        return (BigUint::default(), zeros);
    }
    let run = (0..left).take_while(|i| bit(*i)).count() as u64;
    if runs && run > u64::from(width) {
        return (ones(run), run);
    }
    let mut length = u64::from(width).min(left);
    while !bit(length - 1) {
        length -= 1;
    }
    let digit = (exponent >> (left - length)) & ones(length);
    (digit, length)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a chain makes of the base, as an exponent, and how many products it takes.
    fn made(steps: &[Step]) -> (BigUint, u32) {
        let mut powers = vec![BigUint::one()];
        let mut products = 0;
        for step in steps {
            let (power, cost) = match *step {
                Step::Product(a, b) => (&powers[a] + &powers[b], 1),
                Step::Squares(a, count) => (&powers[a] << count, count),
            };
            powers.push(power);
            products += cost;
        }
        (powers[powers.len() - 1].clone(), products)
    }

    #[test]
    fn chains_make_their_exponents() {
        let primes = ["13", "6700417", "1361129467683753853853498429727072845819"];
        let numbers = primes.iter().map(|p| p.parse::<BigUint>().expect("a number"));
        for exponent in (1..300u32).map(BigUint::from).chain(numbers) {
            assert_eq!(made(&find(&exponent)).0, exponent);
        }
    }

    #[test]
    fn inverses_modulo_2_255_19_take_few_products() {
        let exponent = (BigUint::one() << 255) - 21u32;
        let (made, products) = made(&find(&exponent));
        assert_eq!(made, exponent);
        // 254 squares, and three products more than the shortest chain that is published.
        assert!(products <= 268, "{products}");
    }
}
