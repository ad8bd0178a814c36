//! Verification (RFC 8391, algorithms 14 and 17), which keeps no state.

use super::parameters::inner;
use super::Set;
use crate::climb::{roots, Climb};
use crate::wots::digits;
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
        let set = self.set;
        if signature.len() != set.signature_bytes() {
            return false;
        }
        let (number, rest) = signature.split_at(set.index_bytes());
        let (randomizer, layers) = rest.split_at(set.n);
        let index = number.iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
        if index >> set.levels != 0 {
            return false;
        }
        let suite = set.suite(engine, &self.seed, None);
        let mut node = message_digest(set, randomizer, &self.root, index, message);
        for (layer, part) in (0..).zip(layers.chunks_exact(set.layer_bytes())) {
            let spot = set.spot(index, layer);
            let (values, path) = part.split_at(set.n * set.chains());
            let digits = digits(&node, 4, set.chains());
            let leaf = set.wots().completed(&suite, &spot.one_time(), &digits, values);
            let climb = Climb { index: spot.leaf, leaf, path };
            node = roots(&suite, &[climb], |_, height| inner(spot, height, spot.leaf >> height))
                .remove(0);
        }
        node == self.root
    }
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
