//! Keeping a library to a target's instructions. Every way there is works by environment variables of the process, which
//! must be set before it starts; most libraries look at them when they are loaded.

use nakiri::isa::{self, Target};

/// How a library is told what CPU features to use.
#[derive(Debug)]
pub enum Mask {
    /// Not at all: it takes what the CPU has.
    None,
    /// A variable names the features that it must do without.
    Names {
        /// The variable.
        variable: &'static str,
        /// The library's name of a feature, and the smallest target or the feature of one that allows it, if any does.
        features: &'static [(&'static str, Option<&'static str>)],
        /// What it still uses on `gp64`.
        least: &'static str,
    },
    /// `OPENSSL_ia32cap`: bits of two words of 64, after `~` those that must not be used.
    Bits {
        /// The word and the bit of a feature, and the smallest target or the feature of one that allows it, if any does.
        features: &'static [(usize, u32, Option<&'static str>)],
    },
    /// A variable lists the features that it may use beyond the least, all of which are for single ciphers: none.
    Fixed {
        /// The variable.
        variable: &'static str,
        /// What turns all of them off.
        value: &'static str,
        /// What remains, on all targets.
        least: &'static str,
    },
}

impl Mask {
    /// By `OPENSSL_ia32cap(3)`: the first word is EDX and ECX of `cpuid` leaf 1, the second EBX and ECX of leaf 7.
    pub(super) const OPENSSL: Mask = Mask::Bits {
        features: &[
            (0, 24, Some("sse2")),        // FXSR, which stands for all use of xmm registers
            (0, 33, Some("pclmulqdq")),   // PCLMULQDQ
            (0, 41, Some("ssse3")),       // SSSE3
            (0, 43, None),                // XOP
            (0, 44, Some("avx512")),      // FMA
            (0, 51, Some("avx")),         // SSE4.1
            (0, 52, Some("avx")),         // SSE4.2
            (0, 57, Some("aes")),         // AES-NI
            (0, 60, Some("avx")),         // AVX
            (1, 5, Some("avx2")),         // AVX2
            (1, 16, Some("avx512")),      // AVX512F
            (1, 17, Some("avx512")),      // AVX512DQ
            (1, 21, Some("avx512")),      // AVX512IFMA
            (1, 28, Some("avx512")),      // AVX512CD
            (1, 29, Some("sha")),         // SHA
            (1, 30, Some("avx512")),      // AVX512BW
            (1, 31, Some("avx512")),      // AVX512VL
            (1, 33, Some("avx512+gfni")), // AVX512_VBMI
            (1, 38, Some("avx512+gfni")), // AVX512_VBMI2
            (1, 40, Some("gfni")),        // GFNI
            (1, 41, Some("vaes")),        // VAES
            (1, 42, Some("vpclmulqdq")),  // VPCLMULQDQ
        ],
    };

    /// The variable is our adapter's, which hands the names to `GCRYCTL_DISABLE_HWF`. Its code for SSE2 is not optional.
    pub(super) const LIBGCRYPT: Mask = Mask::Names {
        variable: "NAKIRI_LIBGCRYPT_DISABLE_HWF",
        features: &[
            ("intel-ssse3", Some("ssse3")),
            ("intel-sse4.1", Some("avx")),
            ("intel-avx", Some("avx")),
            ("intel-avx2", Some("avx2")),
            ("intel-fast-vpgather", Some("avx2")),
            ("intel-avx512", Some("avx512")),
            ("intel-pclmul", Some("pclmulqdq")),
            ("intel-aesni", Some("aes")),
            ("intel-shaext", Some("sha")),
            ("intel-vaes-vpclmul", Some("vaes")),
            ("intel-gfni", Some("gfni")),
            ("padlock-aes", None),
        ],
        least: "sse2",
    };

    /// Features by `CPUID::bit_from_string`.
    pub(super) const BOTAN: Mask = Mask::Names {
        variable: "BOTAN_CLEAR_CPUID",
        features: &[
            ("sse2", Some("sse2")),
            ("ssse3", Some("ssse3")),
            ("sse41", Some("avx")),
            ("sse42", Some("avx")),
            ("avx2", Some("avx2")),
            ("avx512f", Some("avx512")),
            ("avx512dq", Some("avx512")),
            ("avx512bw", Some("avx512")),
            ("avx512_icelake", Some("avx512")),
            ("aes_ni", Some("aes")),
            ("clmul", Some("pclmulqdq")),
            ("intel_sha", Some("sha")),
            ("avx512_aes", Some("avx512+gfni+vaes")),
            ("avx512_clmul", Some("vpclmulqdq")),
        ],
        least: "gp64",
    };

    /// Its vectors are those of SSE2; what can be masked are AES, SHA and PCLMULQDQ instructions.
    pub(super) const NETTLE: Mask =
        Mask::Fixed { variable: "NETTLE_FAT_OVERRIDE", value: "none", least: "sse2" };

    /// The variable that keeps the library to a target's instructions, and its value.
    pub(super) fn variable(&self, target: &Target) -> Option<(&'static str, String)> {
        match self {
            Mask::None => None,
            Mask::Fixed { variable, value, .. } => Some((variable, value.to_string())),
            Mask::Names { variable, features, .. } => {
                let without = features.iter().filter(|(_, least)| !allows(target, *least));
                let names: Vec<&str> = without.map(|(name, _)| *name).collect();
                Some((variable, names.join(",")))
            }
            Mask::Bits { features } => {
                let mut words = [0u64; 2];
                for (word, bit, _) in features.iter().filter(|f| !allows(target, f.2)) {
                    words[*word] |= 1 << bit;
                }
                Some(("OPENSSL_ia32cap", format!("~{:#x}:~{:#x}", words[0], words[1])))
            }
        }
    }

    /// What the library may use in this process if it was told so.
    pub(super) fn features(&self, target: &Target) -> String {
        let told = |(name, value): (&str, String)| std::env::var(name).is_ok_and(|v| v == value);
        if !self.variable(target).is_some_and(told) {
            return "as installed".to_string();
        }
        match self {
            Mask::Fixed { least, .. } => least.to_string(),
            Mask::Names { least, .. } if target.guard().is_none() => least.to_string(),
            _ => target.name.to_string(),
        }
    }
}

/// The place of a target in the list of all, each of which has the instructions of those before it but for optional features.
fn place(name: &str) -> Option<usize> {
    isa::all().iter().position(|target| target.name == name)
}

fn allows(target: &Target, least: Option<&str>) -> bool {
    least.is_some_and(|least| match place(least) {
        Some(least) => Some(least) <= place(target.name),
        None => target.features.contains(&least),
    })
}
