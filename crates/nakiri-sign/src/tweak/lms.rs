//! The functions of LMS (RFC 8554; SP 800-208).

use super::row_hash::{Hash, RowHash};
use super::words::put;
use super::Tweakable;
use crate::memory::{halves, halves_mut};
use crate::rows::{Addresses, Rows, CHAIN, INDEX, LEAF, STEP, TREE};

/// What is hashed (RFC 8554, section 7.1).
const D_PBLC: u32 = 0x8080;
const D_LEAF: u32 = 0x8282;
const D_INTR: u32 = 0x8383;
/// The place of a secret value in its chain (appendix A).
const SECRET: u32 = 0xff;

/// Hashes of the identifier of a tree. Addresses have the key in `LEAF`, the number of a node in `INDEX`, and for one-time keys the
/// number of the first leaf in the last word of `TREE`.
pub struct Lms {
    hash: RowHash,
    n: usize,
    identifier: [u32; 4],
    secret: Rows,
}

impl Lms {
    /// The functions for a tree. Only what has no secret has no secret seed.
    pub fn new(hash: RowHash, n: usize, identifier: &[u8; 16], secret: Option<&[u8]>) -> Lms {
        let word = |k: usize| u32::from_be_bytes(*crate::memory::part(identifier, 4 * k));
        let mut rows = Rows::new(n * hash.lanes);
        for lane in (0..hash.lanes).filter(|_| secret.is_some()) {
            put(rows.words_mut(), hash.lanes, lane, &secret.unwrap_or_default()[..n]);
        }
        Lms { hash, n, identifier: std::array::from_fn(word), secret: rows }
    }

    /// SHA-256 or SHAKE256 on lanes.
    pub fn hash(shake: bool) -> Hash {
        if shake {
            Hash::Shake256
        } else {
            Hash::Sha256
        }
    }

    /// The digest of the identifier, a number, a few bytes at the beginning of a word, and nodes.
    fn digest(
        &self,
        numbers: impl Fn(usize) -> u32,
        (head, head_bytes): (impl Fn(usize) -> u32, usize),
        nodes: &[u32],
        out: &mut [u32],
    ) {
        let lanes = self.hash.lanes;
        let count = nodes.len() / lanes;
        let mut rows = Rows::new(4 * lanes * (6 + count));
        let message = &mut halves_mut(rows.words_mut())[..lanes * (6 + count)];
        for (row, words) in message.chunks_exact_mut(lanes).enumerate() {
            for (lane, word) in words.iter_mut().enumerate() {
                let node = |k: usize| nodes.get(k * lanes + lane).copied().unwrap_or(0);
                let left = |word: u32| word << (32 - 8 * head_bytes);
                *word = match row {
                    0..=3 => self.identifier[row],
                    4 => numbers(lane),
                    5 => head(lane) | node(0) >> (8 * head_bytes),
                    _ => left(node(row - 6)) | node(row - 5) >> (8 * head_bytes),
                };
            }
        }
        let bytes = 20 + head_bytes + 4 * count;
        self.hash.digest(None, message, bytes, out);
    }

    fn step(
        &self,
        addresses: &Addresses,
        step: impl Fn(usize) -> u32,
        nodes: &[u64],
        out: &mut [u64],
    ) {
        let words = self.n / 4 * self.hash.lanes;
        let number = |lane: usize| addresses.row(LEAF)[lane];
        let head = |lane: usize| addresses.row(CHAIN)[lane] << 16 | step(lane) << 8;
        self.digest(number, (head, 3), &halves(nodes)[..words], &mut halves_mut(out)[..words]);
    }
}

impl Tweakable for Lms {
    fn lanes(&self) -> usize {
        self.hash.lanes
    }

    fn n(&self) -> usize {
        self.n
    }

    fn f(&self, addresses: &Addresses, nodes: &[u64], out: &mut [u64]) {
        self.step(addresses, |lane| addresses.row(STEP)[lane], nodes, out);
    }

    fn h(&self, addresses: &Addresses, left: &[u64], right: &[u64], out: &mut [u64]) {
        let words = self.n / 4 * self.hash.lanes;
        let both = [&halves(left)[..words], &halves(right)[..words]].concat();
        let number = |lane: usize| addresses.row(INDEX)[lane];
        self.digest(number, (|_| D_INTR << 16, 2), &both, &mut halves_mut(out)[..words]);
    }

    fn t(&self, addresses: &Addresses, nodes: &[u64], out: &mut [u64]) {
        let words = self.n / 4 * self.hash.lanes;
        let mut key = Rows::new(4 * words);
        let key = &mut halves_mut(key.words_mut())[..words];
        let leaf = |lane: usize| addresses.row(LEAF)[lane];
        self.digest(leaf, (|_| D_PBLC << 16, 2), halves(nodes), key);
        let number = |lane: usize| addresses.row(TREE + 1)[lane] + addresses.row(LEAF)[lane];
        self.digest(number, (|_| D_LEAF << 16, 2), key, &mut halves_mut(out)[..words]);
    }

    fn prf(&self, addresses: &Addresses, out: &mut [u64]) {
        self.step(addresses, |_| SECRET, self.secret.words(), out);
    }
}
