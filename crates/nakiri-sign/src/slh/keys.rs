//! Keys (FIPS 205, sections 9.1 and 10.1).

use super::sign::{trees, TreeLeaves};
use super::Set;
use crate::engine::Engine;
use crate::spot::Spot;
use crate::Error;
use zeroize::Zeroizing;

/// A public key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey {
    set: Set,
    seed: Vec<u8>,
    root: Vec<u8>,
}

impl VerifyingKey {
    /// The key that these bytes are: the seed and the root.
    ///
    /// # Errors
    /// If they are too few or too many.
    pub fn from_bytes(set: Set, bytes: &[u8]) -> Result<VerifyingKey, Error> {
        if bytes.len() != set.public_bytes() {
            return Err(Error::KeyLength { expected: set.public_bytes(), found: bytes.len() });
        }
        let (seed, root) = bytes.split_at(set.n);
        Ok(VerifyingKey { set, seed: seed.to_vec(), root: root.to_vec() })
    }

    /// Its bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        [&self.seed[..], &self.root].concat()
    }

    /// Its parameter set.
    pub fn set(&self) -> Set {
        self.set
    }

    pub(super) fn seed(&self) -> &[u8] {
        &self.seed
    }

    pub(super) fn root(&self) -> &[u8] {
        &self.root
    }
}

/// A private key, which is wiped when it is dropped.
pub struct SigningKey {
    /// SK.seed.
    pub(super) secret: Zeroizing<Vec<u8>>,
    /// SK.prf.
    pub(super) prf: Zeroizing<Vec<u8>>,
    public: VerifyingKey,
}

impl SigningKey {
    fn new(secret: &[u8], prf: &[u8], public: VerifyingKey) -> SigningKey {
        let [secret, prf] = [secret, prf].map(|seed| Zeroizing::new(seed.to_vec()));
        SigningKey { secret, prf, public }
    }

    /// A new key from the operating system's random numbers.
    ///
    /// # Errors
    /// If there are none.
    pub fn generate(set: Set, engine: &Engine) -> Result<SigningKey, Error> {
        let mut seeds = Zeroizing::new(vec![0; 3 * set.n]);
        getrandom::fill(&mut seeds).map_err(|_| Error::NoRandomness)?;
        SigningKey::from_seeds(set, &seeds, engine)
    }

    /// The key of SK.seed, SK.prf and PK.seed, one after another (algorithm 18).
    ///
    /// # Errors
    /// If they are too few bytes or too many.
    pub fn from_seeds(set: Set, seeds: &[u8], engine: &Engine) -> Result<SigningKey, Error> {
        if seeds.len() != 3 * set.n {
            return Err(Error::KeyLength { expected: 3 * set.n, found: seeds.len() });
        }
        let parts: Vec<&[u8]> = seeds.chunks_exact(set.n).collect();
        let suite = set.suite(engine, parts[2], Some(parts[0]));
        let spots = [Spot { layer: set.layers - 1, tree: 0, leaf: 0 }];
        let leaves = TreeLeaves::new(set, &spots, false);
        let root = trees(&suite, &leaves, engine.threads).remove(0).root;
        let public = VerifyingKey { set, seed: parts[2].to_vec(), root };
        Ok(SigningKey::new(parts[0], parts[1], public))
    }

    /// The key that these bytes are: SK.seed, SK.prf, PK.seed and PK.root.
    ///
    /// # Errors
    /// If they are too few or too many.
    pub fn from_bytes(set: Set, bytes: &[u8]) -> Result<SigningKey, Error> {
        if bytes.len() != set.private_bytes() {
            return Err(Error::KeyLength { expected: set.private_bytes(), found: bytes.len() });
        }
        let (secret, public) = bytes.split_at(2 * set.n);
        let (secret, prf) = secret.split_at(set.n);
        let public = VerifyingKey::from_bytes(set, public)?;
        Ok(SigningKey::new(secret, prf, public))
    }

    /// Its bytes.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new([&self.secret[..], &self.prf, &self.public.seed, &self.public.root].concat())
    }

    /// The public key.
    pub fn verifying_key(&self) -> &VerifyingKey {
        &self.public
    }
}
