//! Parameter sets of stateful keys, and the private keys of them.

use super::Trees;
use crate::lms::{OneTime, Tree};
use crate::{lms, xmss, Engine, Error, PublicKey};

/// What a stateful key is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Trees of LMS, from the top down.
    Hss(Vec<(Tree, OneTime)>),
    /// XMSS or XMSS^MT.
    Xmss(xmss::Set),
}

/// The hash functions of LMS by name: whether it is SHAKE256, and the bytes of a hash value.
const HASHES: [(&str, bool, usize); 4] = [
    ("SHA256", false, 32),
    ("SHA256-192", false, 24),
    ("SHAKE256", true, 32),
    ("SHAKE256-192", true, 24),
];

impl Scheme {
    /// The scheme of a name: `XMSS-SHA2_10_256`, `XMSSMT-SHA2_20/2_256`, `LMS-SHA256_H10_W4`, or `HSS-SHA256_H10_W4/H5_W8` with
    /// trees from the top down.
    pub fn named(name: &str) -> Option<Scheme> {
        let name = name.to_uppercase();
        let Some(rest) = name.strip_prefix("LMS-").or(name.strip_prefix("HSS-")) else {
            return xmss::Set::named(&name).map(Scheme::Xmss);
        };
        let (family, trees) = rest.split_once('_')?;
        let &(_, shake, n) = HASHES.iter().find(|(name, ..)| *name == family)?;
        let layer = |text: &str| {
            let (height, bits) = text.strip_prefix('H')?.split_once("_W")?;
            let (height, bits) = (height.parse().ok()?, bits.parse().ok()?);
            let is_one = [5, 10, 15, 20, 25].contains(&height) && [1, 2, 4, 8].contains(&bits);
            is_one.then_some((Tree { shake, n, height }, OneTime { shake, n, bits }))
        };
        let layers: Vec<_> = trees.split('/').map(layer).collect::<Option<_>>()?;
        let levels: u32 = layers.iter().map(|(tree, _)| tree.height).sum();
        let most = if name.starts_with("LMS-") { 1 } else { 8 };
        ((1..=most).contains(&layers.len()) && levels <= 60).then_some(Scheme::Hss(layers))
    }

    /// Its name.
    pub fn name(&self) -> String {
        let layers = match self {
            Scheme::Xmss(set) => return set.name(),
            Scheme::Hss(layers) => layers,
        };
        let (tree, _) = layers[0];
        let family = HASHES.iter().find(|(_, shake, n)| (*shake, *n) == (tree.shake, tree.n));
        let family = family.map_or("", |(name, ..)| name);
        let kind = if layers.len() == 1 { "LMS" } else { "HSS" };
        let each = layers.iter().map(|(tree, keys)| format!("H{}_W{}", tree.height, keys.bits));
        format!("{kind}-{family}_{}", each.collect::<Vec<_>>().join("/"))
    }

    /// How many signatures a key makes.
    pub fn signatures(&self) -> u64 {
        let levels = match self {
            Scheme::Hss(layers) => layers.iter().map(|(tree, _)| tree.height).sum(),
            Scheme::Xmss(set) => set.levels,
        };
        1 << levels
    }

    /// Leaves of the uppermost tree, which key generation hashes.
    pub fn top_leaves(&self) -> u64 {
        match self {
            Scheme::Hss(layers) => 1 << layers[0].0.height,
            Scheme::Xmss(set) => 1 << set.height(),
        }
    }

    /// Bytes of the secrets that a key is made of.
    pub(super) fn secret_bytes(&self) -> usize {
        match self {
            Scheme::Hss(layers) => layers[0].0.n + 16,
            Scheme::Xmss(set) => 3 * set.n,
        }
    }

    /// The private key of secrets.
    pub(super) fn private(&self, secrets: &[u8]) -> Private {
        match self {
            Scheme::Hss(layers) => Private::Hss(lms::Private::new(layers, secrets)),
            Scheme::Xmss(set) => Private::Xmss(xmss::Private::new(*set, secrets)),
        }
    }

    /// The public key of bytes.
    pub(super) fn public(&self, bytes: &[u8]) -> Result<PublicKey, Error> {
        match self {
            Scheme::Hss(_) => lms::VerifyingKey::from_bytes(bytes).map(PublicKey::Hss),
            Scheme::Xmss(set) => {
                xmss::VerifyingKey::from_bytes(set.multi, bytes).map(PublicKey::Xmss)
            }
        }
    }
}

/// A private key, which signs at any index.
pub(super) enum Private {
    /// LMS or HSS.
    Hss(lms::Private),
    /// XMSS or XMSS^MT.
    Xmss(xmss::Private),
}

impl Private {
    pub fn public(&self, trees: &mut Trees, engine: &Engine) -> Vec<u8> {
        match self {
            Private::Hss(key) => key.public(trees, engine),
            Private::Xmss(key) => key.public(trees, engine),
        }
    }

    pub fn sign(&self, trees: &mut Trees, index: u64, message: &[u8], engine: &Engine) -> Vec<u8> {
        match self {
            Private::Hss(key) => key.sign(trees, index, message, engine),
            Private::Xmss(key) => key.sign(trees, index, message, engine),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for name in ["LMS-SHA256_H5_W8", "HSS-SHAKE256-192_H10_W4/H5_W1", "XMSSMT-SHAKE_20/4_512"] {
            assert_eq!(Scheme::named(name).expect("a name").name(), name);
        }
        let others =
            ["LMS-SHA256_H6_W8", "LMS-SHA256_H5_W8/H5_W8", "HSS-MD5_H5_W8", "XMSS", "HSS-SHA256"];
        let others = others.into_iter().chain(["HSS-SHA256_H25_W8/H25_W8/H25_W8"]);
        assert!(others.into_iter().all(|name| Scheme::named(name).is_none()));
    }
}
