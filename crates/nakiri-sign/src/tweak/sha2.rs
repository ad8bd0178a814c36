//! The functions of SLH-DSA with SHA-2 (FIPS 205, section 11.2): SHA-256, and SHA-512 for H and T where n > 16.

use super::{images, Tweakable};
use crate::hash::{block_of_zeros_after, sha512_midstate, Sha256State};
use crate::kernels::{Kernels, Sha256, Sha512};
use crate::memory::{halves, halves_mut};
use crate::rows::{Addresses, Rows, CHAIN, FIELDS, KIND, LAYER, LEAF, MOST_LANES, STEP, TREE};

/// Memory for the hash values and the block of a few calls.
#[repr(align(64))]
struct Scratch([u32; 32 * MOST_LANES]);

/// SHA-2 behind a block of the public seed and zeros.
pub struct Sha2 {
    n: usize,
    narrow: &'static Sha256,
    /// SHA-512, where H and T are made of it.
    wide: Option<(&'static Sha512, [u64; 8])>,
    midstate: Sha256State,
    images: Vec<u8>,
    /// The secret seed in every lane.
    secret: Rows,
}

impl Sha2 {
    /// The functions for seeds of n = 16, 24 or 32 bytes, on the lanes of `narrow`. Only what has no secret has no secret seed.
    pub fn new(
        narrow: &'static Sha256,
        kernels: &'static Kernels,
        seed: &[u8],
        secret: Option<&[u8]>,
    ) -> Sha2 {
        let n = seed.len();
        let midstate = block_of_zeros_after(seed);
        let twice = midstate.map(|word| u64::from(word) << 32 | u64::from(word));
        let mut made = Sha2 {
            n,
            narrow,
            wide: (n > 16).then(|| (&kernels.sha512, sha512_midstate(seed))),
            midstate,
            images: images(&twice),
            secret: Rows::new(n * narrow.lanes),
        };
        if let Some(secret) = secret {
            let mut rows = std::mem::replace(&mut made.secret, Rows::new(0));
            for lane in 0..narrow.lanes {
                made.put(rows.words_mut(), lane, secret);
            }
            made.secret = rows;
        }
        made
    }

    /// The digest of the address and nodes of each lane, by SHA-256.
    fn narrow_digest(&self, addresses: &Addresses, message: &Message, out: &mut [u64]) {
        let lanes = self.narrow.lanes;
        let mut memory = Scratch([0; 32 * MOST_LANES]);
        let (state, rest) = memory.0.split_at_mut(8 * lanes);
        let (after, block) = rest.split_at_mut(8 * lanes);
        for (row, word) in state.chunks_exact_mut(lanes).zip(self.midstate) {
            row.fill(word);
        }
        for number in 0..message.blocks(16, 2) {
            for (row, words) in block.chunks_exact_mut(lanes).enumerate().take(16) {
                message.row(addresses, 16, 2, 16 * number + row, words);
            }
            (self.narrow.compress)(after, state, block);
            state.copy_from_slice(after);
        }
        let words = self.n / 4 * lanes;
        halves_mut(out)[..words].copy_from_slice(&state[..words]);
    }

    /// The same by SHA-512, for some lanes after others.
    fn wide_digest(
        &self,
        (wide, midstate): (&Sha512, [u64; 8]),
        addresses: &Addresses,
        message: &Message,
        out: &mut [u64],
    ) {
        let (lanes, few) = (self.narrow.lanes, wide.lanes);
        let parts = lanes.div_ceil(few);
        let mut memory = Rows::new(8 * few * (8 + 8 * parts + 16 * parts));
        let (after, rest) = memory.words_mut().split_at_mut(8 * few);
        let (states, blocks) = rest.split_at_mut(8 * few * parts);
        for state in states.chunks_exact_mut(8 * few).take(parts) {
            for (row, word) in state.chunks_exact_mut(few).zip(midstate) {
                row.fill(word);
            }
        }
        let (mut upper, mut lower) = ([0; MOST_LANES], [0; MOST_LANES]);
        for number in 0..message.blocks(32, 4) {
            for row in 0..16 {
                let at = 32 * number + 2 * row;
                message.row(addresses, 32, 4, at, &mut upper[..lanes]);
                message.row(addresses, 32, 4, at + 1, &mut lower[..lanes]);
                for lane in 0..lanes {
                    blocks[(lane / few * 16 + row) * few + lane % few] =
                        u64::from(upper[lane]) << 32 | u64::from(lower[lane]);
                }
            }
            for part in 0..parts {
                let state = &mut states[8 * few * part..][..8 * few];
                (wide.compress)(after, state, &blocks[16 * few * part..]);
                state.copy_from_slice(after);
            }
        }
        let out = halves_mut(out);
        for row in 0..self.n / 8 {
            for lane in 0..lanes {
                let word = states[(lane / few * 8 + row) * few + lane % few];
                out[2 * row * lanes + lane] = (word >> 32) as u32;
                out[(2 * row + 1) * lanes + lane] = word as u32;
            }
        }
    }

    /// What is hashed of nodes.
    fn message<'a>(&self, left: &'a [u32], right: &'a [u32]) -> Message<'a> {
        Message { left, right, lanes: self.narrow.lanes }
    }

    /// H or T.
    fn digest(&self, addresses: &Addresses, message: &Message, out: &mut [u64]) {
        match self.wide {
            Some(wide) => self.wide_digest(wide, addresses, message, out),
            None => self.narrow_digest(addresses, message, out),
        }
    }
}

impl Tweakable for Sha2 {
    fn lanes(&self) -> usize {
        self.narrow.lanes
    }

    fn n(&self) -> usize {
        self.n
    }

    fn f(&self, addresses: &Addresses, nodes: &[u64], out: &mut [u64]) {
        let nodes = &halves(nodes)[..self.n / 4 * self.narrow.lanes];
        match &self.narrow.tweaked {
            Some(tweaked) => {
                let f = tweaked.f[self.n / 8 - 2];
                f(halves_mut(out), addresses.rows(), nodes, &self.images);
            }
            None => self.narrow_digest(addresses, &self.message(nodes, &[]), out),
        }
    }

    fn h(&self, addresses: &Addresses, left: &[u64], right: &[u64], out: &mut [u64]) {
        let (left, right) = (halves(left), halves(right));
        match &self.narrow.tweaked {
            Some(tweaked) if self.n == 16 => {
                (tweaked.h16)(halves_mut(out), addresses.rows(), left, right, &self.images);
            }
            _ => {
                let words = self.n / 4 * self.narrow.lanes;
                let both = self.message(&left[..words], &right[..words]);
                self.digest(addresses, &both, out);
            }
        }
    }

    fn t(&self, addresses: &Addresses, nodes: &[u64], out: &mut [u64]) {
        self.digest(addresses, &self.message(halves(nodes), &[]), out);
    }

    fn prf(&self, addresses: &Addresses, out: &mut [u64]) {
        self.f(addresses, self.secret.words(), out);
    }
}

/// What is hashed behind the block of the seed: the compressed address, nodes, padding. As an address has 22 bytes, words of nodes
/// lie across two words of the message.
struct Message<'a> {
    /// The rows of nodes.
    left: &'a [u32],
    /// The rows of nodes behind them.
    right: &'a [u32],
    lanes: usize,
}

impl Message<'_> {
    /// How many words the nodes of a lane are.
    fn words(&self) -> usize {
        (self.left.len() + self.right.len()) / self.lanes
    }

    /// A row of nodes.
    fn nodes(&self, row: usize) -> &[u32] {
        let at = row * self.lanes;
        match at.checked_sub(self.left.len()) {
            None => &self.left[at..][..self.lanes],
            Some(at) => &self.right[at..][..self.lanes],
        }
    }

    /// How many blocks of so many words it has, with the length in the last `length` of them.
    fn blocks(&self, block: usize, length: usize) -> usize {
        // Five words and a half of address, and half a word of padding.
        (6 + self.words() + length).div_ceil(block)
    }

    /// A row of the padded message.
    fn row(&self, addresses: &Addresses, block: usize, length: usize, row: usize, out: &mut [u32]) {
        let count = self.words();
        match row {
            0..=4 => address_row(addresses, row, out),
            _ if row <= 5 + count => {
                let before = match row {
                    5 => addresses.row(STEP),
                    _ => self.nodes(row - 6),
                };
                let padding = [0x8000_0000; MOST_LANES];
                let after = match row == 5 + count {
                    true => &padding[..self.lanes],
                    false => self.nodes(row - 5),
                };
                for ((word, before), after) in out.iter_mut().zip(before).zip(after) {
                    *word = before << 16 | after >> 16;
                }
            }
            _ if row + 1 == block * self.blocks(block, length) => {
                out.fill((32 * block + 8 * 22 + 32 * count) as u32);
            }
            _ => out.fill(0),
        }
    }
}

/// One of the first five words of compressed addresses.
fn address_row(addresses: &Addresses, row: usize, out: &mut [u32]) {
    const FIRST: [usize; 5] = [LAYER, TREE, TREE + 1, LEAF, CHAIN];
    const SHIFTS: [(u32, u32); 5] = [(24, 8), (24, 8), (24, 16), (16, 16), (16, 16)];
    let first = addresses.row(FIRST[row]);
    let (left, right) = SHIFTS[row];
    let field = FIRST[row] + 1 + usize::from(row == 2);
    debug_assert!(field < FIELDS);
    let second = addresses.row(field);
    for ((word, a), b) in out.iter_mut().zip(first).zip(second) {
        *word = a << left | b >> right;
    }
    if row == 2 {
        for (word, kind) in out.iter_mut().zip(addresses.row(KIND)) {
            *word |= kind << 16;
        }
    }
}
