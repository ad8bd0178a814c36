//! Verification (RFC 8391, algorithms 14 and 17), which keeps no state, of several signatures at once.

use super::parameters::inner;
use super::Set;
use crate::wots::{digits, TreeSignature};
use crate::{Engine, Error};

/// What separates the hash of messages from other functions.
const H_MSG: u8 = 2;

/// A public key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey {
    set: Set,
    root: Vec<u8>,
    seed: Vec<u8>,
}

impl VerifyingKey {
    /// The key that these bytes are: the set's identifier, the root, and the seed. They don't say whether it is one of XMSS^MT.
    ///
    /// # Errors
    /// If they are none.
    pub fn from_bytes(multi: bool, bytes: &[u8]) -> Result<VerifyingKey, Error> {
        let (identifier, rest) = bytes.split_first_chunk().ok_or(other())?;
        let set = Set::of(multi, u32::from_be_bytes(*identifier)).ok_or(other())?;
        if bytes.len() != set.public_bytes() {
            return Err(Error::KeyLength { expected: set.public_bytes(), found: bytes.len() });
        }
        let (root, seed) = rest.split_at(set.n);
        Ok(VerifyingKey { set, root: root.to_vec(), seed: seed.to_vec() })
    }

    /// Its bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        [&self.set.identifier.to_be_bytes()[..], &self.root, &self.seed].concat()
    }

    /// Its parameter set.
    pub fn set(&self) -> Set {
        self.set
    }

    /// Whether a signature is one of a message.
    pub fn verify(&self, message: &[u8], signature: &[u8], engine: &Engine) -> bool {
        self.verify_many(&[(message, signature)], engine)[0]
    }

    /// For each message and signature whether it is one of it. Those of many take less time each than one alone.
    pub fn verify_many(&self, signed: &[(&[u8], &[u8])], engine: &Engine) -> Vec<bool> {
        engine.verdicts(signed, |signed| {
            let claims: Vec<Option<Claim>> =
                signed.iter().map(|(message, signature)| self.claim(message, signature)).collect();
            self.are_right(&claims, engine)
        })
    }

    /// The parts of a signature and the digest of a message, if it is as long as a signature and has an index.
    fn claim<'a>(&self, message: &[u8], signature: &'a [u8]) -> Option<Claim<'a>> {
        let set = self.set;
        if signature.len() != set.signature_bytes() {
            return None;
        }
        let (number, rest) = signature.split_at(set.index_bytes());
        let (randomizer, layers) = rest.split_at(set.n);
        let index = number.iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
        (index >> set.levels == 0).then(|| {
            let digest = message_digest(set, randomizer, &self.root, index, message);
            Claim { index, digest, layers }
        })
    }

    /// Which claims lead to the root.
    fn are_right(&self, claims: &[Option<Claim>], engine: &Engine) -> Vec<bool> {
        let set = self.set;
        let suite = set.suite(engine, &self.seed, None);
        let whole: Vec<&Claim> = claims.iter().flatten().collect();
        let mut nodes: Vec<u8> = whole.iter().flat_map(|claim| &claim.digest).copied().collect();
        for layer in 0..set.layers {
            let spot = |claim: &Claim| set.spot(claim.index, layer);
            let signatures: Vec<TreeSignature> = (whole.iter().zip(nodes.chunks_exact(set.n)))
                .map(|(claim, node)| {
                    let bytes = set.layer_bytes();
                    let part = &claim.layers[bytes * layer as usize..][..bytes];
                    let (values, path) = part.split_at(set.n * set.chains());
                    let (spot, digits) = (spot(claim), digits(node, 4, set.chains()));
                    TreeSignature {
                        leaf: spot.leaf,
                        address: spot.one_time(),
                        digits,
                        values,
                        path,
                    }
                })
                .collect();
            let address = |claim: usize, height, index| inner(spot(whole[claim]), height, index);
            nodes = set.wots().roots(&suite, &signatures, address);
        }
        let mut nodes = nodes.chunks_exact(set.n);
        claims.iter().map(|c| c.is_some() && nodes.next().is_some_and(|n| n == self.root)).collect()
    }
}

/// A signature that says it is one.
struct Claim<'a> {
    index: u64,
    /// What the lowest tree signs.
    digest: Vec<u8>,
    /// The parts of the layers from the lowest up.
    layers: &'a [u8],
}

fn other() -> Error {
    Error::Encoding("no public key of XMSS".to_string())
}

/// H_msg (RFC 8391, section 4.1.9).
pub(super) fn message_digest(
    set: Set,
    randomizer: &[u8],
    root: &[u8],
    index: u64,
    message: &[u8],
) -> Vec<u8> {
    let mut number = vec![0; set.n];
    number[set.n - 8..].copy_from_slice(&index.to_be_bytes());
    set.digest(H_MSG, &[randomizer, root, &number, message])
}
