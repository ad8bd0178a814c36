//! Keys and signatures at an index (RFC 8391, sections 4.1 and 4.2; SP 800-208, section 6). Who may sign at which index, `stateful`
//! knows.

use super::parameters::inner;
use super::verify::message_digest;
use super::Set;
use crate::secrecy::declassify;
use crate::spot::Spot;
use crate::stateful::{Keys, Trees};
use crate::wots::digits;
use crate::Engine;
use zeroize::Zeroizing;

/// What separates pseudorandom numbers from other functions.
const PRF: u8 = 3;

/// A private key.
pub(crate) struct Private {
    set: Set,
    secret: Zeroizing<Vec<u8>>,
    prf: Zeroizing<Vec<u8>>,
    seed: Vec<u8>,
}

impl Private {
    /// The key of SK_SEED, SK_PRF and SEED, one after another.
    pub fn new(set: Set, seeds: &[u8]) -> Private {
        let part = |k: usize| seeds[k * set.n..][..set.n].to_vec();
        let [secret, prf] = [part(0), part(1)].map(Zeroizing::new);
        Private { set, secret, prf, seed: part(2) }
    }

    fn keys(&self, layer: u32, tree: u64, engine: &Engine) -> Keys<'static> {
        let spot = Spot { layer, tree, leaf: 0 };
        Keys {
            suite: self.set.suite(engine, &self.seed, Some(&self.secret)),
            wots: self.set.wots(),
            height: self.set.height(),
            one_time: Box::new(move |leaf| Spot { leaf, ..spot }.one_time()),
            inner: Box::new(move |height, index| inner(spot, height, index)),
        }
    }

    /// The root of the uppermost tree.
    pub fn root(&self, trees: &mut Trees, engine: &Engine) -> Vec<u8> {
        let layer = self.set.layers - 1;
        trees.at(0, 0, &self.keys(layer, 0, engine), engine).root().to_vec()
    }

    /// The public key.
    pub fn public(&self, trees: &mut Trees, engine: &Engine) -> Vec<u8> {
        let root = self.root(trees, engine);
        [&self.set.identifier.to_be_bytes()[..], &root, &self.seed].concat()
    }

    /// The signature of a message at an index.
    pub fn sign(&self, trees: &mut Trees, index: u64, message: &[u8], engine: &Engine) -> Vec<u8> {
        let set = self.set;
        let root = self.root(trees, engine);
        let mut number = [0; 32];
        number[24..].copy_from_slice(&index.to_be_bytes());
        let randomizer = set.digest(PRF, &[&self.prf, &number]);
        declassify(&randomizer);
        let mut node = message_digest(set, &randomizer, &root, index, message);
        let mut signature =
            index.to_be_bytes()[8_usize.saturating_sub(set.index_bytes())..].to_vec();
        signature.extend(randomizer);
        for layer in 0..set.layers {
            let spot = set.spot(index, layer);
            let keys = self.keys(layer, spot.tree, engine);
            let tree = trees.at((set.layers - 1 - layer) as usize, spot.tree, &keys, engine);
            let digits = digits(&node, 4, set.chains());
            signature.extend(keys.wots.signature(&keys.suite, &spot.one_time(), &digits));
            signature.extend(tree.path(&keys, engine.threads, spot.leaf));
            node = tree.root().to_vec();
        }
        declassify(&signature);
        signature
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xmss::VerifyingKey;

    fn bytes(hex: &str) -> Vec<u8> {
        let byte = |k| u8::from_str_radix(&hex[2 * k..2 * k + 2], 16).expect("digits");
        (0..hex.len() / 2).map(byte).collect()
    }

    fn fields(text: &str, name: &str) -> Vec<String> {
        let of = |line: &str| {
            Some(line.strip_prefix(name)?.trim().strip_prefix('=')?.trim().to_string())
        };
        text.lines().filter_map(of).collect()
    }

    /// Keys of the reference implementation.
    #[test]
    fn keys_are_those_of_the_reference() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../../shared/vectors/botan-xmss/xmss_keygen_reference.vec"
        );
        let Ok(text) = std::fs::read_to_string(path) else { return };
        let field = |name: &str| fields(&text, name);
        let names = field("Params");
        for (k, name) in names.iter().enumerate() {
            let set = Set::named(name).expect("a set");
            let seed = |name: &str| bytes(&field(name)[k]);
            let seeds = [seed("SecretSeed"), seed("SecretPrf"), seed("PublicSeed")].concat();
            let engine = Engine::default().with_threads(2);
            let public = Private::new(set, &seeds).public(&mut Trees::default(), &engine);
            assert_eq!(public, seed("PublicKey"), "{name}");
        }
        assert!(names.len() >= 4, "{}", names.len());
    }

    /// Signatures of Botan's keys of SP 800-208: the public key, the index, SK_PRF, SK_SEED, and how these make one-time keys. Of
    /// hash values of 64 bytes one is enough.
    #[test]
    fn signatures_are_those_of_botan() {
        let path =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/vectors/botan-xmss/xmss_sig.vec");
        let Ok(text) = std::fs::read_to_string(path) else { return };
        let field = |name: &str| fields(&text, name);
        let (keys, messages, signatures) = (field("PrivateKey"), field("Msg"), field("Signature"));
        let mut count = 0;
        for ((key, message), signature) in keys.iter().zip(messages).zip(signatures) {
            let key = bytes(key);
            let set =
                Set::of(false, u32::from_be_bytes(*crate::memory::part(&key, 0))).expect("a set");
            let is_standard = key.len() == 4 + 4 * set.n + 5 && key[key.len() - 1] == 2;
            if !is_standard || set.n == 64 {
                continue;
            }
            let part = |k: usize| &key[4 + k * set.n..][..set.n];
            let behind = |k: usize| &key[8 + k * set.n..][..set.n];
            let index = u64::from(u32::from_be_bytes(*crate::memory::part(&key, 4 + 2 * set.n)));
            let private = Private::new(set, &[behind(3), behind(2), part(1)].concat());
            let (engine, mut trees) = (Engine::default().with_threads(2), Trees::default());
            assert_eq!(private.root(&mut trees, &engine), part(0));
            let own = private.sign(&mut trees, index, &bytes(&message), &engine);
            assert_eq!(own, bytes(&signature), "{}", set.name());
            count += 1;
        }
        assert_eq!(count, 15);
    }

    /// Signatures of all layers, of sets that are small.
    #[test]
    fn signatures_are_accepted_from_tree_to_tree() {
        for name in ["XMSSMT-SHA2_20/4_256", "XMSSMT-SHAKE256_20/4_192"] {
            let set = Set::named(name).expect("a set");
            let (engine, mut trees) = (Engine::default().with_threads(2), Trees::default());
            let private = Private::new(set, &vec![9; 3 * set.n]);
            let key = VerifyingKey::from_bytes(true, &private.public(&mut trees, &engine))
                .expect("a key");
            for index in [0, 1, 31, 32, 1023, (1 << 20) - 1] {
                let signature = private.sign(&mut trees, index, b"m", &engine);
                assert!(key.verify(b"m", &signature, &engine), "{name} {index}");
                assert!(!key.verify(b"n", &signature, &engine));
            }
        }
    }
}
