//! Keys and signatures at an index (RFC 8554, sections 4.5, 5.4 and 6.2). Who may sign at which index, `stateful` knows.

use super::verify::{message_digits, TreeKey};
use super::{OneTime, Tree};
use crate::hash::{sha256, shake256};
use crate::rows::Address;
use crate::secrecy::declassify;
use crate::stateful::{Keys, Trees};
use crate::Engine;
use zeroize::Zeroizing;

/// What is made of a tree's seed beside the one-time keys (appendix A has the form, Cisco's hash-sigs the numbers).
const RANDOMIZER: u16 = 0xfffd;
const CHILD_SEED: u16 = 0xfffe;
const CHILD_IDENTIFIER: u16 = 0xffff;

/// The secrets of a tree.
#[derive(Clone)]
struct Secret {
    seed: Zeroizing<Vec<u8>>,
    identifier: [u8; 16],
}

impl Secret {
    /// A pseudorandom value of a leaf.
    fn derive(&self, shake: bool, leaf: u32, what: u16) -> Zeroizing<[u8; 32]> {
        let (leaf, what) = (leaf.to_be_bytes(), what.to_be_bytes());
        let parts: &[&[u8]] = &[&self.identifier, &leaf, &what, &[0xff], &self.seed];
        let mut value = Zeroizing::new([0; 32]);
        match shake {
            true => shake256(parts, &mut *value),
            false => *value = sha256(parts),
        }
        value
    }

    /// The secrets of the tree below a leaf.
    fn below(&self, (tree, _): (Tree, OneTime), leaf: u32) -> Secret {
        let seed = self.derive(tree.shake, leaf, CHILD_SEED);
        let identifier = self.derive(tree.shake, leaf, CHILD_IDENTIFIER);
        let seed = Zeroizing::new(seed[..tree.n].to_vec());
        declassify(&identifier[..16]);
        Secret { seed, identifier: *crate::memory::part(&identifier[..], 0) }
    }
}

/// A private key of HSS.
pub(crate) struct Private {
    layers: Vec<(Tree, OneTime)>,
    top: Secret,
}

impl Private {
    /// The key of a seed and an identifier, one after another, for trees from the top down.
    pub fn new(layers: &[(Tree, OneTime)], secrets: &[u8]) -> Private {
        let (seed, identifier) = secrets.split_at(layers[0].0.n);
        let seed = Zeroizing::new(seed.to_vec());
        let top = Secret { seed, identifier: *crate::memory::part(identifier, 0) };
        Private { layers: layers.to_vec(), top }
    }

    /// Levels of all trees.
    pub fn levels(&self) -> u32 {
        self.layers.iter().map(|(tree, _)| tree.height).sum()
    }

    /// For each layer from the top down its secrets, the tree's number in it, and the leaf that leads to an index.
    fn spots(&self, index: u64) -> Vec<(Secret, u64, u32)> {
        let mut below = self.levels();
        let mut secret = self.top.clone();
        let mut spots = vec![];
        for &(tree, one_time) in &self.layers {
            let number = index.checked_shr(below).unwrap_or(0);
            below -= tree.height;
            let leaf = (index >> below) as u32 & ((1 << tree.height) - 1);
            let next = secret.below((tree, one_time), leaf);
            spots.push((std::mem::replace(&mut secret, next), number, leaf));
        }
        spots
    }

    fn keys(&self, layer: usize, secret: &Secret, engine: &Engine) -> Keys<'static> {
        let (tree, one_time) = self.layers[layer];
        Keys {
            suite: tree.suite(engine, &secret.identifier, Some(&secret.seed)),
            wots: one_time.wots(),
            height: tree.height,
            one_time: Box::new(move |leaf| -> Address { tree.one_time(leaf) }),
            inner: Box::new(move |height, index| -> Address { tree.inner(height, index) }),
        }
    }

    fn tree_key(&self, layer: usize, secret: &Secret, root: &[u8]) -> TreeKey {
        let (tree, one_time) = self.layers[layer];
        TreeKey { tree, one_time, identifier: secret.identifier, root: root.to_vec() }
    }

    /// The public key.
    pub fn public(&self, trees: &mut Trees, engine: &Engine) -> Vec<u8> {
        let keys = self.keys(0, &self.top, engine);
        let root = trees.at(0, 0, &keys, engine).root().to_vec();
        let levels = self.layers.len() as u32;
        [&levels.to_be_bytes()[..], &self.tree_key(0, &self.top, &root).to_bytes()].concat()
    }

    /// The signature of a message at an index.
    pub fn sign(&self, trees: &mut Trees, index: u64, message: &[u8], engine: &Engine) -> Vec<u8> {
        let spots = self.spots(index);
        let mut signed = message.to_vec();
        let mut parts = vec![];
        for (layer, (secret, number, leaf)) in spots.iter().enumerate().rev() {
            let keys = self.keys(layer, secret, engine);
            let tree = trees.at(layer, *number, &keys, engine);
            let path = tree.path(&keys, engine.threads, *leaf);
            let key = self.tree_key(layer, secret, tree.root()).to_bytes();
            parts.push(self.sign_in(layer, secret, *leaf, &keys, &signed, &path));
            if layer > 0 {
                parts.push(key.clone());
            }
            signed = key;
        }
        parts.push((self.layers.len() as u32 - 1).to_be_bytes().to_vec());
        parts.reverse();
        let signature = parts.concat();
        declassify(&signature);
        signature
    }

    /// The signature of a message by a leaf of a tree (algorithm 5.4.1).
    fn sign_in(
        &self,
        layer: usize,
        secret: &Secret,
        leaf: u32,
        keys: &Keys,
        message: &[u8],
        path: &[u8],
    ) -> Vec<u8> {
        let (tree, one_time) = self.layers[layer];
        let randomizer = secret.derive(tree.shake, leaf, RANDOMIZER);
        let randomizer = &randomizer[..tree.n];
        declassify(randomizer);
        let digits = message_digits(one_time, &secret.identifier, leaf, randomizer, message);
        let values = keys.wots.signature(&keys.suite, &tree.one_time(leaf), &digits);
        let (first, second) = (one_time.typecode().to_be_bytes(), tree.typecode().to_be_bytes());
        [&leaf.to_be_bytes()[..], &first, randomizer, &values, &second, path].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        let byte = |k| u8::from_str_radix(&hex[2 * k..2 * k + 2], 16).expect("digits");
        (0..hex.len() / 2).map(byte).collect()
    }

    /// Botan's keys: the levels, the index, the types of each level, the seed and the identifier.
    #[test]
    fn signatures_are_those_of_hash_sigs() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../../shared/vectors/botan-xmss/hss_lms_sig.vec"
        );
        let Ok(text) = std::fs::read_to_string(path) else { return };
        let field = |name: &str| -> Vec<Vec<u8>> {
            let values =
                text.lines().filter_map(|line| line.strip_prefix(name)?.trim().strip_prefix('='));
            values.map(|value| bytes(value.trim())).collect()
        };
        let (keys, messages, signatures) = (field("PrivateKey"), field("Msg"), field("Signature"));
        for ((key, message), signature) in keys.iter().zip(messages).zip(signatures) {
            let word = |k: usize| u32::from_be_bytes(*crate::memory::part(key, k));
            let index = u64::from(word(4)) << 32 | u64::from(word(8));
            let layer = |k: u32| {
                let at = 12 + 8 * k as usize;
                (Tree::of(word(at)).expect("a tree"), OneTime::of(word(at + 4)).expect("keys"))
            };
            let layers: Vec<_> = (0..word(0)).map(layer).collect();
            let private = Private::new(&layers, &key[12 + 8 * layers.len()..]);
            let engine = Engine::default().with_threads(2);
            let mut trees = Trees::default();
            assert!(private.sign(&mut trees, index, &message, &engine) == signature);
            let public = private.public(&mut trees, &engine);
            let public = crate::lms::VerifyingKey::from_bytes(&public).expect("a key");
            assert!(public.verify(&message, &signature, &engine));
        }
        assert_eq!(keys.len(), 2);
    }
}
