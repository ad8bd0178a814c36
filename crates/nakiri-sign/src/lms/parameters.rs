//! Parameter sets (RFC 8554, sections 4.1 and 5.1; SP 800-208, section 4).

use crate::rows::{Address, INDEX, LEAF, TREE};
use crate::tweak::{Lms, RowHash, Suite};
use crate::wots::{Kinds, Wots};
use crate::Engine;

/// The hash functions of a typecode, in their order: whether it is SHAKE256, and the bytes of a hash value.
const HASHES: [(bool, usize); 4] = [(false, 32), (false, 24), (true, 32), (true, 24)];

/// A tree of one-time keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Whether it is made of SHAKE256, and not of SHA-256.
    pub shake: bool,
    /// Bytes of a hash value.
    pub n: usize,
    /// Levels: 5, 10, 15, 20 or 25.
    pub height: u32,
}

impl Tree {
    /// The tree of a typecode.
    pub fn of(typecode: u32) -> Option<Tree> {
        let place = typecode.checked_sub(5)?;
        let &(shake, n) = HASHES.get(place as usize / 5)?;
        Some(Tree { shake, n, height: 5 * (place % 5 + 1) })
    }

    /// Its typecode.
    pub fn typecode(self) -> u32 {
        5 + 5 * hash_number(self.shake, self.n) + self.height / 5 - 1
    }

    /// The hash functions of a tree with an identifier.
    pub(super) fn suite(
        self,
        engine: &Engine,
        identifier: &[u8; 16],
        secret: Option<&[u8]>,
    ) -> Suite {
        let hash = Lms::hash(self.shake);
        let many = RowHash::new(hash, engine.kernels);
        let make = |hash| Box::new(Lms::new(hash, self.n, identifier, secret));
        Suite::new(engine, make(many), make(RowHash::alone(hash)), self.shake)
    }

    /// The address of a one-time key.
    pub(super) fn one_time(self, leaf: u32) -> Address {
        let mut address = Address::default();
        (address[TREE + 1], address[LEAF]) = (1 << self.height, leaf);
        address
    }

    /// The address of an inner node.
    pub(super) fn inner(self, height: u32, index: u32) -> Address {
        let mut address = Address::default();
        address[INDEX] = (1 << (self.height - height)) + index;
        address
    }
}

/// One-time keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OneTime {
    /// Whether they are made of SHAKE256, and not of SHA-256.
    pub shake: bool,
    /// Bytes of a hash value.
    pub n: usize,
    /// Bits of a digit: 1, 2, 4 or 8.
    pub bits: u32,
}

impl OneTime {
    /// The one-time keys of a typecode.
    pub fn of(typecode: u32) -> Option<OneTime> {
        let place = typecode.checked_sub(1)?;
        let &(shake, n) = HASHES.get(place as usize / 4)?;
        Some(OneTime { shake, n, bits: 1 << (place % 4) })
    }

    /// Its typecode.
    pub fn typecode(self) -> u32 {
        1 + 4 * hash_number(self.shake, self.n) + self.bits.ilog2()
    }

    /// Chains: digits of a hash value, and of their checksum (RFC 8554, appendix B).
    pub fn chains(self) -> usize {
        let digits = 8 * self.n / self.bits as usize;
        let largest = digits * ((1 << self.bits) - 1);
        digits + (largest.ilog2() as usize + 1).div_ceil(self.bits as usize)
    }

    pub(super) fn wots(self) -> Wots {
        let kinds = Kinds { secret: 0, chain: 0, ends: 0 };
        Wots { chains: self.chains(), values: 1 << self.bits, kinds }
    }
}

fn hash_number(shake: bool, n: usize) -> u32 {
    2 * u32::from(shake) + u32::from(n == 24)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8554, table 1, and SP 800-208, tables 3 to 8.
    #[test]
    fn typecodes_are_those_of_the_standards() {
        let chains: Vec<usize> =
            (1..=8).map(|t| OneTime::of(t).expect("a type").chains()).collect();
        assert_eq!(chains, [265, 133, 67, 34, 200, 101, 51, 26]);
        for typecode in 1..=16 {
            assert_eq!(OneTime::of(typecode).expect("a type").typecode(), typecode);
        }
        for typecode in 5..=24 {
            assert_eq!(Tree::of(typecode).expect("a type").typecode(), typecode);
        }
        assert_eq!(Tree::of(0x14), Some(Tree { shake: true, n: 24, height: 5 }));
        assert_eq!(
            (Tree::of(4), Tree::of(25), OneTime::of(0), OneTime::of(17)),
            (None, None, None, None)
        );
    }
}
