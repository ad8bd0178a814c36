//! SHA-3 and SHAKE (FIPS 202).

use crate::kernels::Kernels;

/// The first bytes of SHAKE128 of parts, one after another.
pub fn shake128(parts: &[&[u8]], out: &mut [u8]) {
    sponge(168, 0x1f, parts, out);
}

/// The first bytes of SHAKE256 of parts, one after another.
pub fn shake256(parts: &[&[u8]], out: &mut [u8]) {
    sponge(136, 0x1f, parts, out);
}

/// Absorbs parts and squeezes `out`, with so many bytes of the state at once. `domain` is what separates the function from others,
/// with the first bit of the padding.
pub fn sponge(rate: usize, domain: u8, parts: &[&[u8]], out: &mut [u8]) {
    let mut state = State { words: [0; 25], at: 0, rate };
    for byte in parts.iter().copied().flatten() {
        state.add(*byte);
    }
    state.xor(state.at, domain);
    state.xor(rate - 1, 0x80);
    for chunk in out.chunks_mut(rate) {
        state.permute();
        for (place, byte) in chunk.iter_mut().enumerate() {
            *byte = (state.words[place / 8] >> (8 * (place % 8))) as u8;
        }
    }
}

struct State {
    words: [u64; 25],
    /// Bytes since the last permutation.
    at: usize,
    rate: usize,
}

impl State {
    fn add(&mut self, byte: u8) {
        self.xor(self.at, byte);
        self.at += 1;
        if self.at == self.rate {
            self.permute();
            self.at = 0;
        }
    }

    fn xor(&mut self, place: usize, byte: u8) {
        self.words[place / 8] ^= u64::from(byte) << (8 * (place % 8));
    }

    fn permute(&mut self) {
        let before = self.words;
        (Kernels::plain().shake256.permute)(&mut self.words, &before);
    }
}
