//! A small deterministic generator of pseudo-random numbers for the searches: the same numbers on every machine.

/// The state of a xorshift generator (Marsaglia 2003, with a multiplicative output step).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator whose sequence depends on `seed` only.
    pub fn new(seed: u64) -> Random {
        let mixed = (seed ^ 0x6a09_e667_f3bc_c908).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Random(mixed | 1)
    }

    /// The next 64 pseudo-random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `bound`; zero if `bound` is zero.
    pub fn below(&mut self, bound: usize) -> usize {
        (((self.bits() >> 32) * bound as u64) >> 32) as usize
    }

    /// A generator of another sequence, which depends on this one's state.
    pub fn fork(&mut self) -> Random {
        Random::new(self.bits())
    }

    /// Puts `items` into a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}
