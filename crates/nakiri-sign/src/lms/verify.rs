//! Verification (RFC 8554, algorithms 4b, 6a and 6b, and section 6.3), which keeps no state, of several signatures at once.

use super::{OneTime, Tree};
use crate::hash::{sha256, shake256};
use crate::wots::{digits, TreeSignature};
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
        self.verify_many(&[(message, signature)], engine)[0]
    }

    /// For each message and signature whether it is one of it. Those of many take less time each than one alone.
    pub fn verify_many(&self, signed: &[(&[u8], &[u8])], engine: &Engine) -> Vec<bool> {
        engine.verdicts(signed, |signed| {
            let claims: Vec<Option<Vec<Link>>> =
                signed.iter().map(|(message, signature)| self.links(message, signature)).collect();
            let mut right: Vec<bool> = claims.iter().map(Option::is_some).collect();
            let links = (claims.iter().enumerate())
                .flat_map(|(k, links)| links.iter().flatten().map(move |link| (k, link)));
            // Trees have seeds of their own, so that only what is of one tree goes together.
            let mut of_trees: Vec<Vec<(usize, &Link)>> = vec![];
            for (k, link) in links {
                match of_trees.iter_mut().find(|links| links[0].1.key == link.key) {
                    Some(links) => links.push((k, link)),
                    None => of_trees.push(vec![(k, link)]),
                }
            }
            for links in of_trees {
                let key = &links[0].1.key;
                let roots = key.roots(links.iter().map(|(_, link)| *link), engine);
                for ((k, _), root) in links.iter().zip(roots.chunks_exact(key.tree.n)) {
                    right[*k] &= root == key.root;
                }
            }
            right
        })
    }

    /// What leads from the message up to this key, tree by tree from the top down; nothing if the signature has another form.
    fn links<'a>(&self, message: &'a [u8], signature: &'a [u8]) -> Option<Vec<Link<'a>>> {
        let mut rest = Reader(signature);
        (rest.number()? == self.levels - 1).then_some(())?;
        let mut key = self.top.clone();
        let mut links = vec![];
        for _ in 1..self.levels {
            let signature = key.read_signature(&mut rest)?;
            let before = rest.0;
            let next = TreeKey::read(&mut rest)?;
            let message = &before[..before.len() - rest.0.len()];
            links.push(Link { key: std::mem::replace(&mut key, next), message, signature });
        }
        let signature = key.read_signature(&mut rest)?;
        links.push(Link { key, message, signature });
        rest.0.is_empty().then_some(links)
    }
}

/// What a tree signs: a message, or the key of the tree below.
struct Link<'a> {
    key: TreeKey,
    message: &'a [u8],
    signature: Signature<'a>,
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

    /// The roots that signatures of this tree show, one after another.
    fn roots<'a>(&self, links: impl Iterator<Item = &'a Link<'a>>, engine: &Engine) -> Vec<u8> {
        let tree = self.tree;
        let signatures: Vec<TreeSignature> = links
            .map(|Link { message, signature, .. }| {
                let &Signature { leaf, randomizer, values, path } = signature;
                let digits =
                    message_digits(self.one_time, &self.identifier, leaf, randomizer, message);
                TreeSignature { leaf, address: tree.one_time(leaf), digits, values, path }
            })
            .collect();
        let suite = tree.suite(engine, &self.identifier, None);
        let inner = |_, height, index| tree.inner(height, index);
        self.one_time.wots().roots(&suite, &signatures, inner)
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
