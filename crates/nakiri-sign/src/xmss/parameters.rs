//! Parameter sets (RFC 8391, sections 5.3 and 5.4; SP 800-208, section 5).

use crate::rows::Address;
use crate::spot::Spot;
use crate::tweak::{RowHash, Suite, Xmss};
use crate::wots::{Kinds, Wots};
use crate::Engine;

/// The kinds of addresses: one-time keys, L-trees, trees.
const WOTS: Kinds = Kinds { secret: 0, chain: 0, ends: 1 };

/// A parameter set of XMSS or XMSS^MT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Set {
    /// Whether it is one of XMSS^MT.
    pub multi: bool,
    /// Its number among those of XMSS, or of XMSS^MT.
    pub identifier: u32,
    /// SHA2, SHAKE, SHAKE256.
    family: Family,
    /// Bytes of a hash value.
    pub n: usize,
    /// Levels of all layers.
    pub levels: u32,
    /// Layers of trees.
    pub layers: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Sha2,
    Shake,
    Shake256,
}

use Family::{Sha2, Shake, Shake256};

/// Families and bytes in the order of identifiers.
const SINGLE: [(Family, usize); 7] =
    [(Sha2, 32), (Sha2, 64), (Shake, 32), (Shake, 64), (Sha2, 24), (Shake256, 32), (Shake256, 24)];
const SINGLE_LEVELS: [(u32, u32); 3] = [(10, 1), (16, 1), (20, 1)];
const MULTI_LEVELS: [(u32, u32); 8] =
    [(20, 2), (20, 4), (40, 2), (40, 4), (40, 8), (60, 3), (60, 6), (60, 12)];

impl Set {
    /// The set of an identifier.
    pub fn of(multi: bool, identifier: u32) -> Option<Set> {
        let levels = if multi { &MULTI_LEVELS[..] } else { &SINGLE_LEVELS[..] };
        let place = identifier.checked_sub(1)? as usize;
        let &(family, n) = SINGLE.get(place / levels.len())?;
        let (levels, layers) = levels[place % levels.len()];
        Some(Set { multi, identifier, family, n, levels, layers })
    }

    /// All sets, those of XMSS first.
    pub fn all() -> impl Iterator<Item = Set> {
        [false, true].into_iter().flat_map(|multi| (1..=56).map_while(move |k| Set::of(multi, k)))
    }

    /// The set of a name, such as `XMSS-SHA2_10_256` or `XMSSMT-SHAKE_20/4_512`.
    pub fn named(name: &str) -> Option<Set> {
        Set::all().find(|set| set.name().eq_ignore_ascii_case(name))
    }

    /// Its name.
    pub fn name(self) -> String {
        let family = match self.family {
            Sha2 => "SHA2",
            Shake => "SHAKE",
            Shake256 => "SHAKE256",
        };
        let bits = 8 * self.n;
        match self.multi {
            false => format!("XMSS-{family}_{}_{bits}", self.levels),
            true => format!("XMSSMT-{family}_{}/{}_{bits}", self.levels, self.layers),
        }
    }

    /// Levels of each tree.
    pub fn height(self) -> u32 {
        self.levels / self.layers
    }

    /// Chains of a one-time key.
    pub fn chains(self) -> usize {
        2 * self.n + 3
    }

    /// Bytes of the number of a one-time key.
    pub fn index_bytes(self) -> usize {
        if self.multi {
            self.levels.div_ceil(8) as usize
        } else {
            4
        }
    }

    /// Bytes of the part of a signature that a layer makes.
    pub(super) fn layer_bytes(self) -> usize {
        self.n * (self.chains() + self.height() as usize)
    }

    /// Bytes of a signature.
    pub fn signature_bytes(self) -> usize {
        self.index_bytes() + self.n + self.layers as usize * self.layer_bytes()
    }

    /// Bytes of a public key.
    pub fn public_bytes(self) -> usize {
        4 + 2 * self.n
    }

    pub(super) fn wots(self) -> Wots {
        Wots { chains: self.chains(), values: 16, kinds: WOTS }
    }

    pub(super) fn suite(self, engine: &Engine, seed: &[u8], secret: Option<&[u8]>) -> Suite {
        let (shake, shake256) = (self.family != Sha2, self.family == Shake256);
        let (hash, padding) = Xmss::functions(shake, shake256, self.n);
        let make = |hash| Box::new(Xmss::new(hash, padding, seed, secret));
        let many = make(RowHash::new(hash, engine.kernels));
        Suite::new(engine, many, make(RowHash::alone(hash)), shake || self.n == 64)
    }

    /// The hash of parts, such as of messages.
    pub(super) fn digest(self, function: u8, parts: &[&[u8]]) -> Vec<u8> {
        let padding = if self.n == 24 { 4 } else { self.n };
        let mut tag = vec![0; padding];
        tag[padding - 1] = function;
        let all: Vec<&[u8]> = std::iter::once(&tag[..]).chain(parts.iter().copied()).collect();
        let mut digest = vec![0; self.n];
        match (self.family, self.n) {
            (Sha2, 64) => digest.copy_from_slice(&crate::hash::sha512(&all)),
            (Sha2, n) => digest.copy_from_slice(&crate::hash::sha256(&all)[..n]),
            (Shake, 32) => crate::hash::shake128(&all, &mut digest),
            _ => crate::hash::shake256(&all, &mut digest),
        }
        digest
    }
}

impl Set {
    /// The spot in a layer that a one-time key of the lowest layer leads to.
    pub(super) fn spot(self, index: u64, layer: u32) -> Spot {
        let height = self.height();
        let leaf = (index >> (height * layer)) as u32 & ((1 << height) - 1);
        Spot { layer, tree: index >> (height * (layer + 1)), leaf }
    }
}

/// The address of an inner node, which has the height of the nodes below it.
pub(super) fn inner(spot: Spot, height: u32, index: u32) -> Address {
    spot.inner(height - 1, index)
}
