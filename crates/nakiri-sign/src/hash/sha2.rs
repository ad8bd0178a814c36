//! SHA-2 (FIPS 180-4).

use crate::kernels::{sha256_alone, Kernels};

/// The first hash values of SHA-256.
pub const SHA256: [u32; 8] = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];
/// Those of SHA-224.
pub const SHA224: [u32; 8] = [
    0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4,
];
/// Those of SHA-512.
pub const SHA512: [u64; 8] = [
    0x6a09e667f3bcc908,
    0xbb67ae8584caa73b,
    0x3c6ef372fe94f82b,
    0xa54ff53a5f1d36f1,
    0x510e527fade682d1,
    0x9b05688c2b3e6c1f,
    0x1f83d9abfb41bd6b,
    0x5be0cd19137e2179,
];
/// Those of SHA-384.
pub const SHA384: [u64; 8] = [
    0xcbbb9d5dc1059ed8,
    0x629a292a367cd507,
    0x9159015a3070dd17,
    0x152fecd8f70e5939,
    0x67332667ffc00b31,
    0x8eb44a8768581511,
    0xdb0c2e0d64f98fa7,
    0x47b5481dbefa4fa4,
];

/// A hash value between two blocks.
pub type Sha256State = [u32; 8];

/// The digest of parts, one after another.
pub fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    sha256_from(SHA256, parts)
}

/// That of SHA-256 with other first hash values.
pub fn sha256_from(initial: Sha256State, parts: &[&[u8]]) -> [u8; 32] {
    let compress = sha256_alone().compress;
    let mut state = initial;
    blocks::<64, 8>(parts, |block| {
        let words: [u32; 16] = std::array::from_fn(|k| u32::from_be_bytes(word(block, k)));
        let before = state;
        compress(&mut state, &before, &words);
    });
    let mut digest = [0; 32];
    for (bytes, word) in digest.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

/// The hash value after a block of a few bytes and zeros.
pub fn block_of_zeros_after(bytes: &[u8]) -> Sha256State {
    let mut block = [0; 64];
    block[..bytes.len()].copy_from_slice(bytes);
    let words: [u32; 16] = std::array::from_fn(|k| u32::from_be_bytes(word(&block, k)));
    let mut state = SHA256;
    (sha256_alone().compress)(&mut state, &SHA256, &words);
    state
}

/// The digest of parts, one after another.
pub fn sha512(parts: &[&[u8]]) -> [u8; 64] {
    sha512_from(SHA512, parts)
}

/// That of SHA-512 with other first hash values.
pub fn sha512_from(initial: [u64; 8], parts: &[&[u8]]) -> [u8; 64] {
    let compress = Kernels::plain().sha512.compress;
    let mut state = initial;
    blocks::<128, 16>(parts, |block| {
        let words: [u64; 16] = std::array::from_fn(|k| u64::from_be_bytes(word(block, k)));
        let before = state;
        compress(&mut state, &before, &words);
    });
    let mut digest = [0; 64];
    for (bytes, word) in digest.chunks_exact_mut(8).zip(state) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

/// The digest of SHA-512/t (section 5.3.6), whose first hash values are a digest of its name. The first t bits are meant.
pub fn sha512_shortened(name: &str, parts: &[&[u8]]) -> [u8; 64] {
    let own = sha512_from(SHA512.map(|word| word ^ 0xa5a5_a5a5_a5a5_a5a5), &[name.as_bytes()]);
    sha512_from(std::array::from_fn(|k| u64::from_be_bytes(word(&own, k))), parts)
}

/// The hash value of SHA-512 after a block of a few bytes and zeros.
pub fn sha512_midstate(bytes: &[u8]) -> [u64; 8] {
    let mut block = [0; 128];
    block[..bytes.len()].copy_from_slice(bytes);
    let words: [u64; 16] = std::array::from_fn(|k| u64::from_be_bytes(word(&block, k)));
    let mut state = SHA512;
    (Kernels::plain().sha512.compress)(&mut state, &SHA512, &words);
    state
}

/// A word of a block as bytes.
fn word<const BYTES: usize>(block: &[u8], k: usize) -> [u8; BYTES] {
    block[BYTES * k..][..BYTES].try_into().expect("of the same length")
}

/// The blocks of padded parts (section 5.1), whose length is written in so many bytes.
fn blocks<const BLOCK: usize, const LENGTH: usize>(
    parts: &[&[u8]],
    mut take: impl FnMut(&[u8; BLOCK]),
) {
    let mut block = [0; BLOCK];
    let mut filled = 0;
    for part in parts {
        let mut rest = *part;
        while !rest.is_empty() {
            let taken = rest.len().min(BLOCK - filled);
            block[filled..filled + taken].copy_from_slice(&rest[..taken]);
            (rest, filled) = (&rest[taken..], filled + taken);
            if filled == BLOCK {
                take(&block);
                filled = 0;
            }
        }
    }
    block[filled] = 0x80;
    block[filled + 1..].fill(0);
    if filled >= BLOCK - LENGTH {
        take(&block);
        block.fill(0);
    }
    let bits = 8 * parts.iter().map(|part| part.len() as u64).sum::<u64>();
    block[BLOCK - 8..].copy_from_slice(&bits.to_be_bytes());
    take(&block);
}
