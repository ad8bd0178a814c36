//! From a message to what is signed of it.

use super::Set;
use crate::hash::{hmac, mgf1, sha256, sha512, shake256, Function};
use crate::Error;

/// What is signed: a message, or its digest by a hash function that verifiers must use too.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// The message.
    pub bytes: &'a [u8],
    /// What it is signed for, at most 255 bytes (FIPS 205, section 10.2).
    pub context: &'a [u8],
    /// What it is hashed by before, if anything (section 10.2.2).
    pub prehash: Option<Function>,
}

impl<'a> Message<'a> {
    /// A message without context, signed as it is.
    pub fn new(bytes: &'a [u8]) -> Message<'a> {
        Message { bytes, context: &[], prehash: None }
    }

    /// Whether it has neither context nor hash function, as messages of other schemes.
    pub(crate) fn is_plain(&self) -> bool {
        self.context.is_empty() && self.prehash.is_none()
    }

    /// The parts of M' (FIPS 205, algorithms 22 and 23).
    ///
    /// # Errors
    /// If the context is too long.
    pub(super) fn encoded(&self) -> Result<Encoded<'a>, Error> {
        let length = u8::try_from(self.context.len()).map_err(|_| Error::LongContext)?;
        Ok(match self.prehash {
            None => Encoded {
                head: vec![0, length],
                context: self.context,
                identifier: vec![],
                digest: vec![],
                message: self.bytes,
            },
            Some(function) => Encoded {
                head: vec![1, length],
                context: self.context,
                identifier: function.identifier().to_vec(),
                digest: function.digest(self.bytes),
                message: &[],
            },
        })
    }
}

/// The parts of M'.
pub(super) struct Encoded<'a> {
    head: Vec<u8>,
    context: &'a [u8],
    identifier: Vec<u8>,
    digest: Vec<u8>,
    message: &'a [u8],
}

impl<'a> Encoded<'a> {
    /// A message as it is (section 9).
    pub fn plain(message: &'a [u8]) -> Encoded<'a> {
        let (head, identifier, digest) = (vec![], vec![], vec![]);
        Encoded { head, context: &[], identifier, digest, message }
    }

    fn parts(&self) -> [&[u8]; 5] {
        [&self.head, self.context, &self.identifier, &self.digest, self.message]
    }
}

/// PRF_msg (section 11).
pub(super) fn randomizer(set: Set, key: &[u8], random: &[u8], message: &Encoded) -> Vec<u8> {
    let behind = |first: &[&'_ [u8]]| -> Vec<u8> {
        let parts: Vec<&[u8]> = first.iter().copied().chain(message.parts()).collect();
        match (set.shake, set.n) {
            (true, _) => {
                let mut out = vec![0; set.n];
                let parts: Vec<&[u8]> = std::iter::once(key).chain(parts).collect();
                shake256(&parts, &mut out);
                out
            }
            (false, 16) => hmac::<64, 32>(sha256, key, &parts)[..set.n].to_vec(),
            (false, _) => hmac::<128, 64>(sha512, key, &parts)[..set.n].to_vec(),
        }
    };
    behind(&[random])
}

/// What a message selects: a leaf of each tree of FORS, and where in the hypertree that stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Selected {
    /// The leaf in each tree of FORS.
    pub leaves: Vec<u32>,
    /// The tree in the lowest layer.
    pub tree: u64,
    /// The leaf in that.
    pub leaf: u32,
}

/// H_msg (section 11), and its parts (algorithm 19, lines 6 to 10; algorithm 4).
pub(super) fn select(set: Set, r: &[u8], seed: &[u8], root: &[u8], message: &Encoded) -> Selected {
    let fors_bytes = (set.fors_trees * set.fors_height as usize).div_ceil(8);
    let tree_bits = set.upper_levels();
    let tree_bytes = tree_bits.div_ceil(8) as usize;
    let leaf_bytes = set.height.div_ceil(8) as usize;
    let mut digest = vec![0; fors_bytes + tree_bytes + leaf_bytes];
    let parts: Vec<&[u8]> = [r, seed, root].into_iter().chain(message.parts()).collect();
    match (set.shake, set.n) {
        (true, _) => shake256(&parts, &mut digest),
        (false, 16) => mgf1(sha256, &[r, seed, &sha256(&parts)], &mut digest),
        (false, _) => mgf1(sha512, &[r, seed, &sha512(&parts)], &mut digest),
    }
    let (fors, rest) = digest.split_at(fors_bytes);
    let (tree, leaf) = rest.split_at(tree_bytes);
    let number = |bytes: &[u8]| bytes.iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
    let bit = |at: usize| u32::from(fors[at / 8] >> (7 - at % 8) & 1);
    let height = set.fors_height as usize;
    let leaf_of = |k: usize| (height * k..height * (k + 1)).fold(0, |sum, at| sum << 1 | bit(at));
    Selected {
        leaves: (0..set.fors_trees).map(leaf_of).collect(),
        tree: number(tree) & (u64::MAX >> (64 - tree_bits)),
        leaf: number(leaf) as u32 & ((1 << set.height) - 1),
    }
}
