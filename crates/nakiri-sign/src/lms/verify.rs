//! Verification (RFC 8554, algorithms 4b, 6a and 6b, and section 6.3), which keeps no state.

use super::{OneTime, Tree};
use crate::climb::{roots, Climb};
use crate::hash::{sha256, shake256};
use crate::wots::digits;
use crate::{Engine, Error};

/// What a message is hashed with (RFC 8554, section 7.1).
const D_MESG: [u8; 2] = [0x81, 0x81];
/// The most trees, one above the other.
const MOST_LEVELS: u32 = 8;

/// A public key of HSS, which is one of LMS under its number of levels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey {
    levels: u32,
    top: TreeKey,
}

/// The public key of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TreeKey {
    pub tree: Tree,
    pub one_time: OneTime,
    pub identifier: [u8; 16],
    pub root: Vec<u8>,
}

impl VerifyingKey {
    /// The key that these bytes are: the number of levels, and the public key of the top tree.
    ///
    /// # Errors
    /// If they are none.
    pub fn from_bytes(bytes: &[u8]) -> Result<VerifyingKey, Error> {
        let other = || Error::Encoding("no public key of HSS".to_string());
        let mut rest = Reader(bytes);
        let levels = rest.number().filter(|levels| (1..=MOST_LEVELS).contains(levels));
        let (levels, top) = levels.zip(TreeKey::read(&mut rest)).ok_or_else(other)?;
        if rest.0.is_empty() {
            Ok(VerifyingKey { levels, top })
        } else {
            Err(other())
        }
    }

    /// Its bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        [&self.levels.to_be_bytes()[..], &self.top.to_bytes()].concat()
    }

    /// How many trees stand one above the other.
    pub fn levels(&self) -> u32 {
        self.levels
    }

    /// The top tree.
    pub fn tree(&self) -> Tree {
        self.top.tree
    }

    /// The one-time keys of the top tree.
    pub fn one_time(&self) -> OneTime {
        self.top.one_time
    }

    /// Whether a signature is one of a message.
    pub fn verify(&self, message: &[u8], signature: &[u8], engine: &Engine) -> bool {
        self.follow(message, signature, engine).is_some()
    }

    /// Nothing if the signature is wrong somewhere.
    fn follow(&self, message: &[u8], signature: &[u8], engine: &Engine) -> Option<()> {
        let mut rest = Reader(signature);
        if rest.number()? != self.levels - 1 {
            return None;
        }
        let mut key = self.top.clone();
        for _ in 1..self.levels {
            let signature = key.read_signature(&mut rest)?;
            let before = rest.0;
            let next = TreeKey::read(&mut rest)?;
            let signed = &before[..before.len() - rest.0.len()];
            key.check(signed, &signature, engine)?;
            key = next;
        }
        let signature = key.read_signature(&mut rest)?;
        rest.0.is_empty().then_some(())?;
        key.check(message, &signature, engine)
    }
}

/// A signature of a tree.
struct Signature<'a> {
    leaf: u32,
    randomizer: &'a [u8],
    values: &'a [u8],
    path: &'a [u8],
}

impl TreeKey {
    /// Takes a key from the beginning of bytes.
    pub fn read(bytes: &mut Reader) -> Option<TreeKey> {
        let (tree, one_time) = (Tree::of(bytes.number()?)?, OneTime::of(bytes.number()?)?);
        // Trees and their one-time keys have the same hash function (SP 800-208, section 4).
        ((tree.shake, tree.n) == (one_time.shake, one_time.n)).then_some(())?;
        let identifier = *bytes.take(16)?.first_chunk()?;
        Some(TreeKey { tree, one_time, identifier, root: bytes.take(tree.n)?.to_vec() })
    }

    /// Its bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (tree, one_time) = (self.tree.typecode(), self.one_time.typecode());
        [&tree.to_be_bytes()[..], &one_time.to_be_bytes(), &self.identifier, &self.root].concat()
    }

    fn read_signature<'a>(&self, bytes: &mut Reader<'a>) -> Option<Signature<'a>> {
        let leaf = bytes.number()?;
        (bytes.number()? == self.one_time.typecode()).then_some(())?;
        let randomizer = bytes.take(self.one_time.n)?;
        let values = bytes.take(self.one_time.n * self.one_time.chains())?;
        (bytes.number()? == self.tree.typecode() && leaf >> self.tree.height == 0).then_some(())?;
        let path = bytes.take(self.tree.n * self.tree.height as usize)?;
        Some(Signature { leaf, randomizer, values, path })
    }

    /// Nothing if a signature is none of a message.
    fn check(&self, message: &[u8], signature: &Signature, engine: &Engine) -> Option<()> {
        let (tree, leaf) = (self.tree, signature.leaf);
        let suite = tree.suite(engine, &self.identifier, None);
        let digits =
            message_digits(self.one_time, &self.identifier, leaf, signature.randomizer, message);
        let wots = self.one_time.wots();
        let key = wots.completed(&suite, &tree.one_time(leaf), &digits, signature.values);
        let climb = Climb { index: leaf, leaf: key, path: signature.path };
        let root = roots(&suite, &[climb], |_, height| tree.inner(height, leaf >> height));
        (root[0] == self.root).then_some(())
    }
}

/// The digits of a message and their checksum (RFC 8554, section 4.5).
pub(super) fn message_digits(
    one_time: OneTime,
    identifier: &[u8; 16],
    leaf: u32,
    randomizer: &[u8],
    message: &[u8],
) -> Vec<u32> {
    let leaf = leaf.to_be_bytes();
    let parts: &[&[u8]] = &[identifier, &leaf, &D_MESG, randomizer, message];
    let mut digest = [0; 32];
    match one_time.shake {
        true => shake256(parts, &mut digest),
        false => digest = sha256(parts),
    }
    digits(&digest[..one_time.n], one_time.bits, one_time.chains())
}

/// Bytes that are read from their beginning.
pub(super) struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }
}
