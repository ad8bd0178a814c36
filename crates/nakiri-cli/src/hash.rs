//! SHA-256 (FIPS 180-4), by which an emitted file names the sources that it was made from.

/// The SHA-256 digest of some bytes, as hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    padded.resize((bytes.len() + 9).next_multiple_of(64) - 8, 0);
    padded.extend((bytes.len() as u64 * 8).to_be_bytes());
    let constants = roots(3);
    let mut hash: [u32; 8] = std::array::from_fn(|i| roots(2)[i]);
    for block in padded.chunks_exact(64) {
        compress(&mut hash, block, &constants);
    }
    hash.iter().map(|word| format!("{word:08x}")).collect()
}

/// The first 32 bits of the fractional parts of the square (2) or cube (3) roots of the first 64 primes (section 4.2.2
/// and 5.3.3).
fn roots(degree: u32) -> [u32; 64] {
    let is_prime = |n: &u128| (2..*n).all(|d| n % d != 0);
    let primes: Vec<u128> = (2..).filter(is_prime).take(64).collect();
    std::array::from_fn(|i| {
        // The largest r with r^degree ≤ prime · 2^(32·degree) is the root times 2^32.
        let scaled = primes[i] << (32 * degree);
        let (mut low, mut high) = (0u128, 1 << 36);
        while high - low > 1 {
            let middle = (low + high) / 2;
            if middle.pow(degree) <= scaled {
                low = middle;
            } else {
                high = middle;
            }
        }
        low as u32
    })
}

fn compress(hash: &mut [u32; 8], block: &[u8], constants: &[u32; 64]) {
    let mut schedule = [0u32; 64];
    for (word, bytes) in schedule.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().fold(0, |word, &byte| word << 8 | u32::from(byte));
    }
    for t in 16..64 {
        let (x, y) = (schedule[t - 15], schedule[t - 2]);
        let low = x.rotate_right(7) ^ x.rotate_right(18) ^ x >> 3;
        let high = y.rotate_right(17) ^ y.rotate_right(19) ^ y >> 10;
        schedule[t] =
            high.wrapping_add(schedule[t - 7]).wrapping_add(low).wrapping_add(schedule[t - 16]);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *hash;
    for t in 0..64 {
        let choice = (e & f) ^ (!e & g);
        let first = h
            .wrapping_add(e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25))
            .wrapping_add(choice)
            .wrapping_add(constants[t])
            .wrapping_add(schedule[t]);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let second =
            (a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22)).wrapping_add(majority);
        (h, g, f, e) = (g, f, e, d.wrapping_add(first));
        (d, c, b, a) = (c, b, a, first.wrapping_add(second));
    }
    for (word, add) in hash.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(add);
    }
}

#[cfg(test)]
mod tests {
    use super::sha256;

    #[test]
    fn the_published_digests() {
        for (text, digest) in [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ),
        ] {
            assert_eq!(sha256(text.as_bytes()), digest);
        }
    }
}
