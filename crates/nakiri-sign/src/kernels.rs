//! The hash functions of each kind of CPU.

use nakiri_sign_kernels::gp64;
#[cfg(target_arch = "x86_64")]
use nakiri_sign_kernels::{avx2, avx512, ssse3_sha};

/// A compression function on the lanes of words `W`: the next hash values, of those before and blocks.
pub type Compress<W> = fn(&mut [W], &[W], &[W]);
/// F: results, of addresses, nodes and the images of what is the same in all lanes.
pub type One<W> = fn(&mut [W], &[W], &[W], &[u8]);
/// H: results, of addresses, left and right nodes and the images of what is the same in all lanes.
pub type Two<W> = fn(&mut [W], &[W], &[W], &[W], &[u8]);

/// SHA-256.
pub struct Sha256 {
    /// Messages side by side.
    pub lanes: usize,
    /// 8 words, of 8 and 16.
    pub compress: Compress<u32>,
    /// What is specialized for addresses, if anything.
    pub tweaked: Option<Sha256Tweaked>,
}

/// F and H of FIPS 205, section 11.2.
pub struct Sha256Tweaked {
    /// F for n = 16, 24, 32.
    pub f: [One<u32>; 3],
    /// H for n = 16.
    pub h16: Two<u32>,
}

/// SHA-512.
pub struct Sha512 {
    /// Messages side by side.
    pub lanes: usize,
    /// 8 words, of 8 and 16.
    pub compress: Compress<u64>,
}

/// SHAKE256.
pub struct Shake256 {
    /// Messages side by side.
    pub lanes: usize,
    /// Keccak-f[1600] on 25 words.
    pub permute: fn(&mut [u64], &[u64]),
    /// F of FIPS 205, section 11.1, for n = 16, 24, 32.
    pub f: [One<u64>; 3],
    /// H.
    pub h: [Two<u64>; 3],
}

/// The hash functions of a kind of CPU.
pub struct Kernels {
    /// What it needs, as Nakiri calls the target.
    pub name: &'static str,
    /// SHA-256.
    pub sha256: Sha256,
    /// SHA-512.
    pub sha512: Sha512,
    /// SHAKE256.
    pub shake256: Shake256,
    available: fn() -> bool,
}

macro_rules! kernels {
    ($module:ident, $words:literal, $available:expr) => {
        Kernels {
            name: stringify!($module),
            sha256: Sha256 {
                lanes: $words,
                compress: $module::sha256_compress256,
                tweaked: Some(Sha256Tweaked {
                    f: [$module::sha256_f16, $module::sha256_f24, $module::sha256_f32],
                    h16: $module::sha256_h16,
                }),
            },
            sha512: Sha512 {
                lanes: usize::div_ceil($words, 2),
                compress: $module::sha512_compress512,
            },
            shake256: Shake256 {
                lanes: usize::div_ceil($words, 2),
                permute: $module::shake256_permute,
                f: [$module::shake256_f16, $module::shake256_f24, $module::shake256_f32],
                h: [$module::shake256_h16, $module::shake256_h24, $module::shake256_h32],
            },
            available: $available,
        }
    };
}

/// All kinds, widest first; the last one is every CPU's.
static ALL: &[Kernels] = &[
    #[cfg(target_arch = "x86_64")]
    kernels!(avx512, 16, || {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
    }),
    #[cfg(target_arch = "x86_64")]
    kernels!(avx2, 8, || is_x86_feature_detected!("avx2")),
    kernels!(gp64, 1, || true),
];

impl Kernels {
    /// Those that this CPU runs, widest first.
    pub fn available() -> impl Iterator<Item = &'static Kernels> {
        ALL.iter().filter(|kernels| (kernels.available)())
    }

    /// The widest that this CPU runs.
    pub fn best() -> &'static Kernels {
        Kernels::available().next().unwrap_or(Kernels::plain())
    }

    /// Those of every CPU, with one lane each.
    pub fn plain() -> &'static Kernels {
        &ALL[ALL.len() - 1]
    }
}

/// SHA-256 of one message, the fastest that this CPU has.
pub fn sha256_alone() -> &'static Sha256 {
    #[cfg(target_arch = "x86_64")]
    {
        static INSTRUCTIONS: Sha256 =
            Sha256 { lanes: 1, compress: compress_by_instructions, tweaked: None };
        let features = is_x86_feature_detected!("sha")
            && is_x86_feature_detected!("ssse3")
            && is_x86_feature_detected!("sse4.1");
        if features {
            return &INSTRUCTIONS;
        }
    }
    &Kernels::plain().sha256
}

/// The compression function by instructions for it, whose registers hold (f, e, b, a) and (h, g, d, c).
#[cfg(target_arch = "x86_64")]
fn compress_by_instructions(after: &mut [u32], before: &[u32], block: &[u32]) {
    const ORDER: [usize; 8] = [5, 4, 1, 0, 7, 6, 3, 2];
    let aligned = Line32(*crate::memory::part(block, 0));
    let mut result = Line32([0; 16]);
    let mut state = Line32([0; 16]);
    for (place, &word) in ORDER.iter().enumerate() {
        state.0[place] = before[word];
    }
    ssse3_sha::sha256_compressrows(&mut result.0, &state.0, &aligned.0);
    for (place, &word) in ORDER.iter().enumerate() {
        after[word] = result.0[place];
    }
}

#[cfg(target_arch = "x86_64")]
#[repr(align(64))]
struct Line32([u32; 16]);

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 180-2, appendix B.1: the block of "abc".
    #[test]
    fn sha256_of_every_kind_makes_the_digest_of_abc() {
        let before = [
            0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
            0x5be0cd19,
        ];
        let mut block = [0; 16];
        (block[0], block[15]) = (0x6162_6380, 24);
        let every = Kernels::available().map(|k| &k.sha256).chain([sha256_alone()]);
        for kind in every {
            let lanes = kind.lanes;
            let mut rows = crate::rows::Rows::new(32 * 16 * 4);
            let words = crate::memory::halves_mut(rows.words_mut());
            let (after, rest) = words.split_at_mut(8 * 16);
            let (state, message) = rest.split_at_mut(8 * 16);
            for word in 0..8 {
                state[word * lanes..][..lanes].fill(before[word]);
            }
            for word in 0..16 {
                message[word * lanes..][..lanes].fill(block[word]);
            }
            (kind.compress)(after, state, &message[..16 * lanes]);
            assert!(after[..lanes].iter().all(|&word| word == 0xba7816bf), "{lanes} lanes");
            assert!(after[7 * lanes..8 * lanes].iter().all(|&word| word == 0xf20015ad));
        }
    }
}
