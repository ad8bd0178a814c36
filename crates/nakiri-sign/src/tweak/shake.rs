//! The functions of SLH-DSA with SHAKE (FIPS 205, section 11.1).

use super::{images, Tweakable};
use crate::kernels::Shake256;
use crate::rows::{Addresses, Rows, CHAIN, KIND, LAYER, LEAF, MOST_LANES, STEP, TREE};

/// Words in a block of SHAKE256.
const RATE: usize = 17;

/// SHAKE256 of the public seed, an address and nodes.
pub struct Shake {
    seed: Vec<u64>,
    kernels: &'static Shake256,
    images: Vec<u8>,
    /// The secret seed in every lane.
    secret: Rows,
}

impl Shake {
    /// The functions for seeds of n = 16, 24 or 32 bytes. Only what has no secret has no secret seed.
    pub fn new(kernels: &'static Shake256, seed: &[u8], secret: Option<&[u8]>) -> Shake {
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        let words: Vec<u64> = seed.chunks_exact(8).map(word).collect();
        let mut made = Shake {
            kernels,
            images: images(&words),
            seed: words,
            secret: Rows::new(seed.len() * kernels.lanes),
        };
        if let Some(secret) = secret {
            let mut rows = std::mem::replace(&mut made.secret, Rows::new(0));
            for lane in 0..kernels.lanes {
                made.put(rows.words_mut(), lane, secret);
            }
            made.secret = rows;
        }
        made
    }

    /// Which of the specialized functions is that for n.
    fn place(&self) -> usize {
        self.seed.len() - 2
    }
}

impl Tweakable for Shake {
    fn lanes(&self) -> usize {
        self.kernels.lanes
    }

    fn n(&self) -> usize {
        8 * self.seed.len()
    }

    fn put(&self, nodes: &mut [u64], lane: usize, node: &[u8]) {
        let rows = nodes.iter_mut().skip(lane).step_by(self.kernels.lanes);
        for (word, bytes) in rows.zip(node[..self.n()].chunks_exact(8)) {
            *word = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        }
    }

    fn get(&self, nodes: &[u64], lane: usize, node: &mut [u8]) {
        let n = self.n();
        let rows = nodes.iter().skip(lane).step_by(self.kernels.lanes);
        for (word, bytes) in rows.zip(node[..n].chunks_exact_mut(8)) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
    }

    fn f(&self, addresses: &Addresses, nodes: &[u64], out: &mut [u64]) {
        let address = Words::new(addresses, self.kernels.lanes);
        (self.kernels.f[self.place()])(out, &address.0, nodes, &self.images);
    }

    fn h(&self, addresses: &Addresses, left: &[u64], right: &[u64], out: &mut [u64]) {
        let address = Words::new(addresses, self.kernels.lanes);
        (self.kernels.h[self.place()])(out, &address.0, left, right, &self.images);
    }

    fn t(&self, addresses: &Addresses, nodes: &[u64], out: &mut [u64]) {
        let lanes = self.kernels.lanes;
        let address = Words::new(addresses, lanes);
        let head = self.seed.len();
        let count = head + 4 + nodes.len() / lanes;
        let mut memory = Rows::new(2 * 8 * 25 * lanes);
        let (state, after) = memory.words_mut().split_at_mut(25 * lanes);
        for block in 0..=count / RATE {
            for place in 0..RATE {
                let row = &mut state[place * lanes..][..lanes];
                let mut add = |words: &[u64]| row.iter_mut().zip(words).for_each(|(s, w)| *s ^= w);
                match RATE * block + place {
                    at if at < head => add(&[self.seed[at]; MOST_LANES]),
                    at if at < head + 4 => add(&address.0[(at - head) * lanes..][..lanes]),
                    at if at < count => add(&nodes[(at - head - 4) * lanes..][..lanes]),
                    at if at == count => add(&[0x1f; MOST_LANES]),
                    _ => {}
                }
                if block == count / RATE && place == RATE - 1 {
                    add(&[1 << 63; MOST_LANES]);
                }
            }
            (self.kernels.permute)(after, state);
            state.copy_from_slice(&after[..25 * lanes]);
        }
        out[..head * lanes].copy_from_slice(&state[..head * lanes]);
    }

    fn prf(&self, addresses: &Addresses, out: &mut [u64]) {
        self.f(addresses, self.secret.words(), out);
    }
}

/// The four words of each lane's address, whose 32 bytes are words most significant byte first.
#[repr(align(64))]
struct Words([u64; 4 * MOST_LANES]);

impl Words {
    fn new(addresses: &Addresses, lanes: usize) -> Words {
        let mut words = Words([0; 4 * MOST_LANES]);
        // The upper word of three that name a tree is 0.
        let pairs = [(Some(LAYER), None), (Some(TREE), Some(TREE + 1)), (Some(KIND), Some(LEAF))];
        let pairs = pairs.into_iter().chain([(Some(CHAIN), Some(STEP))]);
        for (row, (first, second)) in words.0.chunks_exact_mut(lanes).zip(pairs) {
            for (lane, word) in row.iter_mut().enumerate() {
                let part = |field: Option<usize>| {
                    field.map_or(0, |field| u64::from(addresses.row(field)[lane].swap_bytes()))
                };
                *word = part(first) | part(second) << 32;
            }
        }
        words
    }
}
