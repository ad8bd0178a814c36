//! Tables of existing signals that compute a function where it matters.

use super::network::{zip, Bits, Node};
use fastrand::Rng;

/// A function and the indices at which it matters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal<const W: usize> {
    pub(super) target: Bits<W>,
    pub(super) care: Bits<W>,
}

/// The indices of each pair of values of two signals at which the function is not determined by them.
pub(super) struct Classes<const W: usize> {
    masks: [Bits<W>; 4],
    count: usize,
}

impl<const W: usize> Goal<W> {
    /// Whether the function is `value`, complemented if `complement`, where it matters.
    pub(super) fn is(&self, value: &Bits<W>, complement: bool) -> bool {
        let flip = if complement { u64::MAX } else { 0 };
        (0..W).all(|word| (self.target[word] ^ value[word] ^ flip) & self.care[word] == 0)
    }

    fn is_mixed(&self, mask: &Bits<W>) -> bool {
        let ones = (0..W).any(|word| mask[word] & self.target[word] != 0);
        ones && (0..W).any(|word| mask[word] & !self.target[word] != 0)
    }

    /// What `a` and `b` leave open.
    pub(super) fn classes(&self, a: &Bits<W>, b: &Bits<W>) -> Classes<W> {
        let mut classes = Classes { masks: [[0; W]; 4], count: 0 };
        for place in 0..4 {
            let flip_a = if place & 2 != 0 { 0 } else { u64::MAX };
            let flip_b = if place & 1 != 0 { 0 } else { u64::MAX };
            let mask = std::array::from_fn(|word| {
                (a[word] ^ flip_a) & (b[word] ^ flip_b) & self.care[word]
            });
            if self.is_mixed(&mask) {
                classes.masks[classes.count] = mask;
                classes.count += 1;
            }
        }
        classes
    }

    /// Whether `c` determines what a class leaves open.
    fn settles(&self, mask: &Bits<W>, c: &Bits<W>) -> bool {
        let difference = |word: usize| (c[word] ^ self.target[word]) & mask[word];
        (0..W).all(|word| difference(word) == 0)
            || (0..W).all(|word| difference(word) == mask[word])
    }

    /// The node on these signals, at random where the function doesn't matter.
    pub(super) fn node(&self, operands: [usize; 3], values: [&Bits<W>; 3], rng: &mut Rng) -> Node {
        let mut table = rng.u8(..);
        for place in 0..8u8 {
            let mut mask = self.care;
            for (operand, value) in values.iter().enumerate() {
                let flip = if place >> (2 - operand) & 1 == 1 { 0 } else { u64::MAX };
                mask = zip(&mask, value, |mask, value| mask & (value ^ flip));
            }
            let ones = (0..W).any(|word| mask[word] & self.target[word] != 0);
            let zeros = (0..W).any(|word| mask[word] & !self.target[word] != 0);
            debug_assert!(!(ones && zeros), "the signals determine the function");
            if ones || zeros {
                table = table & !(1 << place) | u8::from(ones) << place;
            }
        }
        Node { table, operands }
    }
}

impl<const W: usize> Classes<W> {
    /// Whether nothing is left open.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn masks(&self) -> &[Bits<W>] {
        &self.masks[..self.count]
    }

    /// Whether `c` settles the rest.
    pub(super) fn settled_by(&self, goal: &Goal<W>, c: &Bits<W>) -> bool {
        self.masks().iter().all(|mask| goal.settles(mask, c))
    }

    /// What a third signal has to be, for each choice in which classes it is the complement.
    pub(super) fn remainders<'a>(
        &'a self,
        goal: &'a Goal<W>,
    ) -> impl Iterator<Item = Goal<W>> + 'a {
        let care = self.masks().iter().fold([0; W], |sum, mask| zip(&sum, mask, |a, b| a | b));
        let choices = 1usize << self.count.saturating_sub(1);
        (0..choices).map(move |choice| {
            let mut target = goal.target;
            for (place, mask) in self.masks().iter().enumerate() {
                if choice >> place & 1 == 1 {
                    target = zip(&target, mask, |a, b| a ^ b);
                }
            }
            Goal { target, care }
        })
    }
}

/// The signals, by two or three of them, that determine `goal`: at most `limit` sets, those of two first, each with as
/// few as possible of the signals that are marked `dear`, found in a random order.
pub(super) fn dividers<const W: usize>(
    goal: &Goal<W>,
    signals: &[usize],
    values: &[Bits<W>],
    arity: usize,
    limit: usize,
) -> Vec<[usize; 3]> {
    let mut found = Vec::new();
    for (place, &a) in signals.iter().enumerate() {
        for (second, &b) in signals.iter().enumerate().skip(place + 1) {
            let classes = goal.classes(&values[a], &values[b]);
            if classes.is_empty() {
                found.push([a, b, b]);
            } else if arity == 3 {
                let rest = signals[second + 1..].iter();
                let fits = rest.filter(|&&c| classes.settled_by(goal, &values[c]));
                found.extend(fits.map(|&c| [a, b, c]));
            }
            if found.len() >= limit {
                return found;
            }
        }
    }
    found
}
