//! Hash functions of one message, which may come in parts: SHA-2 (FIPS 180-4), SHA-3 and SHAKE (FIPS 202), and what is made of
//! them: HMAC (FIPS 198-1) and MGF1 (RFC 8017, appendix B.2.1).

mod function;
mod sha2;
mod sha3;

pub use function::Function;
pub use sha2::{
    block_of_zeros_after, sha256, sha512, sha512_midstate, Sha256State, SHA256, SHA512,
};
pub use sha3::{shake128, shake256};

use zeroize::Zeroize;

/// HMAC of parts, by a hash function whose blocks have so many bytes. The key is no longer than a block.
pub fn hmac<const BLOCK: usize, const DIGEST: usize>(
    hash: fn(&[&[u8]]) -> [u8; DIGEST],
    key: &[u8],
    parts: &[&[u8]],
) -> [u8; DIGEST] {
    let mut inner = [0x36; BLOCK];
    let mut outer = [0x5c; BLOCK];
    for ((i, o), k) in inner.iter_mut().zip(&mut outer).zip(key) {
        *i ^= k;
        *o ^= k;
    }
    let all: Vec<&[u8]> = std::iter::once(&inner[..]).chain(parts.iter().copied()).collect();
    let digest = hash(&[&outer, &hash(&all)]);
    inner.zeroize();
    outer.zeroize();
    digest
}

/// MGF1 of parts, as many bytes as `out` has.
pub fn mgf1<const DIGEST: usize>(
    hash: fn(&[&[u8]]) -> [u8; DIGEST],
    parts: &[&[u8]],
    out: &mut [u8],
) {
    for (counter, chunk) in (0_u32..).zip(out.chunks_mut(DIGEST)) {
        let counter = counter.to_be_bytes();
        let all: Vec<&[u8]> = parts.iter().copied().chain([&counter[..]]).collect();
        chunk.copy_from_slice(&hash(&all)[..chunk.len()]);
    }
}
