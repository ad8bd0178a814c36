//! What is hashed where (FIPS 205, section 4.2), and the functions of a set.

use super::Set;
use crate::engine::Engine;
use crate::kernels::sha256_alone;
use crate::rows::{Address, HEIGHT, INDEX, KIND};
use crate::spot::Spot;
use crate::tweak::{Sha2, Shake, Suite, Tweakable};
use crate::wots::{Kinds, Wots};

/// The nodes of a tree of FORS.
pub(super) const FORS_TREE: u32 = 3;
/// The roots of FORS.
const FORS_ROOTS: u32 = 4;
/// The secret values of FORS.
pub(super) const FORS_SECRET: u32 = 6;

/// The kinds of one-time keys.
const WOTS: Kinds = Kinds { secret: 5, chain: 0, ends: 1 };

impl Set {
    /// The one-time keys.
    pub(super) fn wots(self) -> Wots {
        Wots { chains: self.chains(), values: 16, kinds: WOTS }
    }

    /// The hash functions under seeds.
    pub(super) fn suite(self, engine: &Engine, seed: &[u8], secret: Option<&[u8]>) -> Suite {
        let kernels = engine.kernels;
        let plain = crate::kernels::Kernels::plain();
        let (many, one): (Box<dyn Tweakable>, Box<dyn Tweakable>) = match self.shake {
            true => (
                Box::new(Shake::new(&kernels.shake256, seed, secret)),
                Box::new(Shake::new(&plain.shake256, seed, secret)),
            ),
            false => (
                Box::new(Sha2::new(&kernels.sha256, kernels, seed, secret)),
                Box::new(Sha2::new(sha256_alone(), plain, seed, secret)),
            ),
        };
        Suite::new(engine, many, one, self.shake)
    }
}

impl Set {
    /// The spot in a layer that signs what stands at a leaf of the lowest one.
    pub(super) fn spot(self, tree: u64, leaf: u32, layer: u32) -> Spot {
        match layer {
            0 => Spot { layer, tree, leaf },
            _ => {
                let shifted = tree >> (self.height * (layer - 1));
                let leaf = shifted as u32 & ((1 << self.height) - 1);
                // Above the uppermost tree there is none, though as many bits may be there.
                Spot { layer, tree: shifted >> self.height, leaf }
            }
        }
    }
}

impl Spot {
    /// The address of a node of a tree of FORS at this leaf, leaves included.
    pub fn fors(self, set: Set, kind: u32, tree: usize, height: u32, index: u32) -> Address {
        let mut address = self.one_time();
        let before = (tree as u32) << (set.fors_height - height);
        (address[KIND], address[HEIGHT], address[INDEX]) = (kind, height, before + index);
        address
    }

    /// The address of the roots of FORS.
    pub fn fors_roots(self) -> Address {
        let mut address = self.one_time();
        address[KIND] = FORS_ROOTS;
        address
    }
}
