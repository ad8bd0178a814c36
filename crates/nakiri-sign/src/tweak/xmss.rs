//! The functions of XMSS (RFC 8391, sections 2 to 5; SP 800-208, section 5).

use super::row_hash::{Begin, Hash, RowHash};
use super::Tweakable;
use crate::memory::{halves, halves_mut};
use crate::rows::{Addresses, Rows, CHAIN, FIELDS, HEIGHT, INDEX, STEP};
use zeroize::Zeroizing;

/// What separates the functions.
const F: u8 = 0;
const H: u8 = 1;
const PRF: u8 = 3;
const PRF_KEYGEN: u8 = 4;

/// Hashes with keys and masks that come of a public seed.
pub struct Xmss {
    hash: RowHash,
    n: usize,
    /// Bytes that say which function it is.
    padding: usize,
    /// What pseudorandom numbers begin with: what separates them, and the seed.
    begin: Prefix,
    secret: Prefix,
}

/// The bytes with which messages of all lanes begin.
struct Prefix {
    /// If they are whole blocks, the state behind them.
    begin: Option<Begin>,
    /// The words that are left.
    words: Zeroizing<Vec<u32>>,
}

impl Prefix {
    fn new(hash: &RowHash, bytes: &[u8]) -> Prefix {
        let begin = hash.begin(bytes);
        let left = if begin.is_some() { &[][..] } else { bytes };
        let word = |bytes: &[u8]| u32::from_be_bytes(bytes.try_into().expect("four bytes"));
        Prefix { begin, words: Zeroizing::new(left.chunks_exact(4).map(word).collect()) }
    }
}

impl Xmss {
    /// The functions under a seed of n bytes. Only what has no secret has no secret seed.
    pub fn new(hash: RowHash, padding: usize, seed: &[u8], secret: Option<&[u8]>) -> Xmss {
        let begin = Prefix::new(&hash, &[&tag(PRF, padding)[..], seed].concat());
        let secret = secret.unwrap_or_default();
        // The state behind the seeds is not kept: they are fewer or more than a block.
        let secret = Zeroizing::new([&tag(PRF_KEYGEN, padding)[..], secret, seed].concat());
        let secret = Prefix::new(&hash, &secret);
        Xmss { hash, n: seed.len(), padding, begin, secret }
    }

    fn words(&self) -> usize {
        self.n / 4 * self.hash.lanes
    }

    /// PRF or PRF_keygen of addresses and what is last in them.
    fn random(&self, prefix: &Prefix, addresses: &Addresses, last: u32, out: &mut [u32]) {
        let lanes = self.hash.lanes;
        let count = prefix.words.len() + FIELDS + 1;
        let mut rows = Rows::new(4 * lanes * count);
        let message = &mut halves_mut(rows.words_mut())[..lanes * count];
        let (head, rest) = message.split_at_mut(lanes * prefix.words.len());
        for (row, word) in head.chunks_exact_mut(lanes).zip(prefix.words.iter()) {
            row.fill(*word);
        }
        let (fields, mask) = rest.split_at_mut(lanes * FIELDS);
        fields.copy_from_slice(addresses.rows());
        mask.fill(last);
        self.hash.digest(prefix.begin.as_ref(), message, 4 * count, out);
    }

    /// A function of a key at an address, and nodes under masks.
    fn masked(&self, function: u8, addresses: &Addresses, nodes: &[&[u64]], out: &mut [u64]) {
        let (lanes, words) = (self.hash.lanes, self.words());
        let head = self.padding / 4 * lanes;
        let count = head + words * (1 + nodes.len());
        let mut rows = Rows::new(4 * count);
        let message = &mut halves_mut(rows.words_mut())[..count];
        for (row, word) in
            message.chunks_exact_mut(lanes).zip(tag(function, self.padding).chunks_exact(4))
        {
            row.fill(u32::from_be_bytes(word.try_into().expect("four bytes")));
        }
        for (place, part) in (0_u32..).zip(message[head..].chunks_exact_mut(words)) {
            self.random(&self.begin, addresses, place, part);
            if let Some(before) = (place as usize).checked_sub(1) {
                part.iter_mut().zip(halves(nodes[before])).for_each(|(mask, node)| *mask ^= node);
            }
        }
        self.hash.digest(None, message, 4 * count / lanes, &mut halves_mut(out)[..words]);
    }
}

/// Which function it is, in so many bytes.
fn tag(function: u8, bytes: usize) -> Vec<u8> {
    let mut tag = vec![0; bytes];
    tag[bytes - 1] = function;
    tag
}

impl Tweakable for Xmss {
    fn lanes(&self) -> usize {
        self.hash.lanes
    }

    fn n(&self) -> usize {
        self.n
    }

    fn f(&self, addresses: &Addresses, nodes: &[u64], out: &mut [u64]) {
        self.masked(F, addresses, &[nodes], out);
    }

    fn h(&self, addresses: &Addresses, left: &[u64], right: &[u64], out: &mut [u64]) {
        self.masked(H, addresses, &[left, right], out);
    }

    /// An L-tree (RFC 8391, algorithm 8).
    fn t(&self, addresses: &Addresses, nodes: &[u64], out: &mut [u64]) {
        let words = Tweakable::words(self);
        let mut level: Vec<u64> = nodes.to_vec();
        let mut memory = Rows::new(8 * 3 * words);
        let (left, rest) = memory.words_mut().split_at_mut(words);
        let (right, above) = rest.split_at_mut(words);
        let mut here = addresses.clone();
        for height in 0.. {
            let count = level.len() / words;
            if count == 1 {
                break;
            }
            here.row_mut(HEIGHT).fill(height);
            for pair in 0..count / 2 {
                here.row_mut(INDEX).fill(pair as u32);
                left.copy_from_slice(&level[2 * pair * words..][..words]);
                right.copy_from_slice(&level[(2 * pair + 1) * words..][..words]);
                self.h(&here, left, right, &mut above[..words]);
                level[pair * words..][..words].copy_from_slice(&above[..words]);
            }
            if count % 2 == 1 {
                level.copy_within((count - 1) * words.., count / 2 * words);
            }
            level.truncate(count.div_ceil(2) * words);
        }
        out[..words].copy_from_slice(&level);
    }

    fn prf(&self, addresses: &Addresses, out: &mut [u64]) {
        debug_assert!(addresses.row(STEP).iter().all(|step| *step == 0) && CHAIN < STEP);
        let words = self.words();
        self.random(&self.secret, addresses, 0, &mut halves_mut(out)[..words]);
    }
}

impl Xmss {
    /// The hash function and the bytes that separate functions, of a name and n (RFC 8391, section 5; SP 800-208, section 5).
    pub fn functions(shake: bool, shake256: bool, n: usize) -> (Hash, usize) {
        let hash = match (shake, n) {
            (false, 64) => Hash::Sha512,
            (false, _) => Hash::Sha256,
            (true, 64) => Hash::Shake256,
            (true, _) if shake256 => Hash::Shake256,
            (true, _) => Hash::Shake128,
        };
        (hash, if n == 24 { 4 } else { n })
    }
}
