//! Hash functions on rows: a message of whole words in each lane, most significant byte first, and its digest likewise.

use crate::kernels::{sha256_alone, Compress, Kernels};
use crate::rows::MOST_LANES;

/// A hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hash {
    /// SHA-256.
    Sha256,
    /// SHA-512.
    Sha512,
    /// SHAKE128.
    Shake128,
    /// SHAKE256.
    Shake256,
}

#[derive(Clone, Copy)]
enum Core {
    Sha256(Compress<u32>),
    Sha512(Compress<u64>),
    Keccak(fn(&mut [u64], &[u64])),
}

/// A hash function on lanes.
#[derive(Clone, Copy)]
pub struct RowHash {
    hash: Hash,
    core: Core,
    /// Messages side by side.
    pub lanes: usize,
}

/// What is hashed first in all lanes, in whole blocks.
#[derive(Clone)]
pub struct Begin {
    state: [u64; 8],
    bytes: usize,
}

/// A hash value, a block and the next hash value: at most 25 words of 64 bits for each of 8 lanes, three times.
#[repr(align(64))]
struct Scratch([u64; 3 * 25 * MOST_LANES / 2]);

impl RowHash {
    /// A hash function by kernels.
    pub fn new(hash: Hash, kernels: &Kernels) -> RowHash {
        let (core, lanes) = match hash {
            Hash::Sha256 => (Core::Sha256(kernels.sha256.compress), kernels.sha256.lanes),
            Hash::Sha512 => (Core::Sha512(kernels.sha512.compress), kernels.sha512.lanes),
            _ => (Core::Keccak(kernels.shake256.permute), kernels.shake256.lanes),
        };
        RowHash { hash, core, lanes }
    }

    /// A hash function of one message.
    pub fn alone(hash: Hash) -> RowHash {
        match hash {
            Hash::Sha256 => RowHash { hash, core: Core::Sha256(sha256_alone().compress), lanes: 1 },
            _ => RowHash::new(hash, Kernels::plain()),
        }
    }

    /// Bytes of a block.
    fn block(&self) -> usize {
        match self.hash {
            Hash::Sha256 => 64,
            Hash::Sha512 => 128,
            Hash::Shake128 => 168,
            Hash::Shake256 => 136,
        }
    }

    /// The state after the first bytes of all messages, if they are whole blocks of SHA-2.
    pub fn begin(&self, bytes: &[u8]) -> Option<Begin> {
        if bytes.len() != self.block() {
            return None;
        }
        let state = match self.hash {
            Hash::Sha256 => crate::hash::block_of_zeros_after(bytes).map(u64::from),
            Hash::Sha512 => crate::hash::sha512_midstate(bytes),
            _ => return None,
        };
        Some(Begin { state, bytes: bytes.len() })
    }

    /// The first rows of the digests of `bytes` bytes in each lane. If the last word is not whole, the rest of it is zeros.
    pub fn digest(&self, begin: Option<&Begin>, message: &[u32], bytes: usize, out: &mut [u32]) {
        let message = Padded { of: self, message, bytes, before: begin.map_or(0, |b| b.bytes) };
        match self.core {
            Core::Sha256(compress) => self.narrow(compress, begin, &message, out),
            Core::Sha512(compress) => self.wide(compress, begin, &message, out),
            Core::Keccak(permute) => self.sponge(permute, &message, out),
        }
    }

    fn narrow(
        &self,
        compress: Compress<u32>,
        begin: Option<&Begin>,
        message: &Padded,
        out: &mut [u32],
    ) {
        let lanes = self.lanes;
        let mut memory = Scratch([0; 3 * 25 * MOST_LANES / 2]);
        let words = crate::memory::halves_mut(&mut memory.0);
        let (state, rest) = words.split_at_mut(8 * lanes);
        let (after, block) = rest.split_at_mut(8 * lanes);
        let first = begin.map_or(crate::hash::SHA256, |begin| begin.state.map(|word| word as u32));
        for (row, word) in state.chunks_exact_mut(lanes).zip(first) {
            row.fill(word);
        }
        for number in 0..message.blocks() {
            for (row, words) in block.chunks_exact_mut(lanes).enumerate().take(16) {
                message.row(16 * number + row, words);
            }
            compress(after, state, block);
            state.copy_from_slice(after);
        }
        out.copy_from_slice(&state[..out.len()]);
    }

    fn wide(
        &self,
        compress: Compress<u64>,
        begin: Option<&Begin>,
        message: &Padded,
        out: &mut [u32],
    ) {
        let lanes = self.lanes;
        let mut memory = Scratch([0; 3 * 25 * MOST_LANES / 2]);
        let (state, rest) = memory.0.split_at_mut(8 * lanes);
        let (after, block) = rest.split_at_mut(8 * lanes);
        let first = begin.map_or(crate::hash::SHA512, |begin| begin.state);
        for (row, word) in state.chunks_exact_mut(lanes).zip(first) {
            row.fill(word);
        }
        let (mut upper, mut lower) = ([0; MOST_LANES], [0; MOST_LANES]);
        for number in 0..message.blocks() {
            for (row, words) in block.chunks_exact_mut(lanes).enumerate().take(16) {
                message.row(32 * number + 2 * row, &mut upper[..lanes]);
                message.row(32 * number + 2 * row + 1, &mut lower[..lanes]);
                for ((word, upper), lower) in words.iter_mut().zip(upper).zip(lower) {
                    *word = u64::from(upper) << 32 | u64::from(lower);
                }
            }
            compress(after, state, block);
            state.copy_from_slice(after);
        }
        for (row, words) in out.chunks_exact_mut(lanes).enumerate() {
            for (word, wide) in words.iter_mut().zip(&state[row / 2 * lanes..]) {
                *word = (wide >> (32 * (1 - row % 2))) as u32;
            }
        }
    }

    fn sponge(&self, permute: fn(&mut [u64], &[u64]), message: &Padded, out: &mut [u32]) {
        let lanes = self.lanes;
        let mut memory = Scratch([0; 3 * 25 * MOST_LANES / 2]);
        let (state, after) = memory.0.split_at_mut(25 * lanes);
        let (mut first, mut second) = ([0; MOST_LANES], [0; MOST_LANES]);
        let rate = self.block() / 8;
        for number in 0..message.blocks() {
            for (row, words) in state.chunks_exact_mut(lanes).enumerate().take(rate) {
                message.row(2 * (rate * number + row), &mut first[..lanes]);
                message.row(2 * (rate * number + row) + 1, &mut second[..lanes]);
                for ((word, first), second) in words.iter_mut().zip(first).zip(second) {
                    *word ^= u64::from(first.swap_bytes()) | u64::from(second.swap_bytes()) << 32;
                }
            }
            permute(after, state);
            state.copy_from_slice(&after[..25 * lanes]);
        }
        for (row, words) in out.chunks_exact_mut(lanes).enumerate() {
            for (word, wide) in words.iter_mut().zip(&state[row / 2 * lanes..]) {
                *word = ((wide >> (32 * (row % 2))) as u32).swap_bytes();
            }
        }
    }
}

/// A message with what is behind it.
struct Padded<'a> {
    of: &'a RowHash,
    message: &'a [u32],
    bytes: usize,
    /// Bytes that were hashed already.
    before: usize,
}

impl Padded<'_> {
    fn blocks(&self) -> usize {
        let (block, least) = match self.of.hash {
            Hash::Sha256 => (64, 9),
            Hash::Sha512 => (128, 17),
            Hash::Shake128 => (168, 1),
            Hash::Shake256 => (136, 1),
        };
        (self.bytes + least).div_ceil(block)
    }

    /// A row, counted from where the message begins.
    fn row(&self, row: usize, out: &mut [u32]) {
        let lanes = self.of.lanes;
        match self.message.get(row * lanes..(row + 1) * lanes) {
            Some(words) if 4 * row < self.bytes => out.copy_from_slice(words),
            _ => out.fill(0),
        }
        let is_sponge = matches!(self.of.core, Core::Keccak(_));
        let mut add = |word: u32| out.iter_mut().for_each(|w| *w |= word);
        if row == self.bytes / 4 {
            let byte = if is_sponge { 0x1f } else { 0x80 };
            add(byte << (24 - 8 * (self.bytes % 4)));
        }
        if row + 1 == self.blocks() * self.of.block() / 4 {
            add(if is_sponge { 0x80 } else { 8 * (self.before + self.bytes) as u32 });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::{sha256, sha512, shake256};

    /// Whatever the length, lanes hash what one message at a time does.
    #[test]
    fn lanes_hash_as_messages_alone_do() {
        for kernels in Kernels::available() {
            for bytes in (0..300).step_by(7) {
                for hash in [Hash::Sha256, Hash::Sha512, Hash::Shake256] {
                    let own = RowHash::new(hash, kernels);
                    let message = |lane: usize| -> Vec<u8> {
                        (0..bytes).map(|k| (k * 31 + lane * 7) as u8).collect()
                    };
                    let mut rows = vec![0_u32; bytes.div_ceil(4) * own.lanes];
                    for lane in 0..own.lanes {
                        for (k, byte) in message(lane).into_iter().enumerate() {
                            rows[k / 4 * own.lanes + lane] |= u32::from(byte) << (24 - 8 * (k % 4));
                        }
                    }
                    let mut out = vec![0; 8 * own.lanes];
                    own.digest(None, &rows, bytes, &mut out);
                    for lane in 0..own.lanes {
                        let expected = match hash {
                            Hash::Sha256 => sha256(&[&message(lane)]).to_vec(),
                            Hash::Sha512 => sha512(&[&message(lane)]).to_vec(),
                            _ => {
                                let mut digest = vec![0; 32];
                                shake256(&[&message(lane)], &mut digest);
                                digest
                            }
                        };
                        let digest: Vec<u8> = (0..8)
                            .flat_map(|row| out[row * own.lanes + lane].to_be_bytes())
                            .collect();
                        assert_eq!(
                            digest,
                            expected[..32],
                            "{hash:?} of {bytes} bytes, {}",
                            kernels.name
                        );
                    }
                }
            }
        }
    }
}
