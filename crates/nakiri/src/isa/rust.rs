//! How the targets' registers are written in Rust. Intrinsics of `core::arch` have the names and arguments that the vendor
//! gives them in C: what is here is all that differs.

use super::{avx2, avx512, avx512_gfni, scalar, ssse3, Dialect, Target, C};

/// How a target's registers are written in Rust.
#[derive(Debug)]
pub struct Rust {
    /// The targets' names.
    targets: &'static [&'static str],
    /// How transpositions are written.
    dialect: &'static Dialect,
    /// What general-purpose registers are.
    registers: Option<Registers>,
    /// What [`C::broadcast`] is.
    broadcast: [Option<&'static str>; 3],
    /// The functions `load` and `store`, which move a register from and to any address, and those on which they are based.
    pub moves: &'static [Move],
}

/// What differs from C in general-purpose registers.
#[derive(Clone, Copy, Debug)]
struct Registers {
    /// [`C::word_types`], the first of which is [`C::register`] too.
    word_types: [&'static str; 2],
    /// [`C::zeros`].
    zeros: &'static str,
    /// [`C::ones`].
    ones: &'static str,
    /// [`C::splat`].
    splat: &'static str,
}

/// A register, and the intrinsics that move it from and to any address.
#[derive(Debug)]
pub struct Move {
    /// What is behind the names of the functions `load` and `store`.
    pub suffix: &'static str,
    /// The type of a register.
    pub register: &'static str,
    /// Its size in bytes.
    pub bytes: u32,
    /// The intrinsic that reads it, given a pointer.
    pub load: &'static str,
    /// The intrinsic that writes it, given a pointer and the register.
    pub store: &'static str,
}

/// How a target is written in Rust, if it is.
pub fn of(target: &Target) -> Option<&'static Rust> {
    ALL.iter().copied().find(|rust| rust.targets.contains(&target.name))
}

/// The names of the targets that are written in Rust.
pub fn names() -> Vec<&'static str> {
    ALL.iter().flat_map(|rust| rust.targets).copied().collect()
}

impl Rust {
    /// The templates for a target's registers.
    pub fn registers(&self, target: &Target) -> C {
        let (dialect, broadcast) = (self.dialect, self.broadcast);
        let c = C { dialect, broadcast, ..target.c };
        match self.registers {
            Some(Registers { word_types, zeros, ones, splat }) => {
                C { register: word_types[0], word_types, zeros, ones, splat: [splat; 4], ..c }
            }
            None => c,
        }
    }
}

const ALL: &[&Rust] = &[&REGISTERS, &WORDS, &VECTORS128, &VECTORS256, &VECTORS512, &ACROSS512];

const WORD: Registers =
    Registers { word_types: ["u{r}", "i{r}"], zeros: "0", ones: "u{r}::MAX", splat: "{c}" };

const REGISTERS: Rust = Rust {
    targets: &["gp32", "gp64"],
    dialect: &Dialect {
        bytes: "$a.swap_bytes()",
        fill: "(($a << $n) as i$r >> ($r - 1)) as u$r",
        ..scalar::DIALECT
    },
    registers: Some(WORD),
    broadcast: [Some("u{r}::from_le_bytes(*part({p}))"), None, None],
    moves: &[],
};

const WORDS: Rust = Rust {
    targets: &["gp32+swar", "gp64+swar"],
    registers: Some(Registers { splat: "{every c}", ..WORD }),
    ..REGISTERS
};

const LOAD: Dialect = Dialect { load: "load($p)", store: "store($p, $a)", ..ssse3::DIALECT128 };

const MOVE128: Move = Move {
    suffix: "",
    register: "__m128i",
    bytes: 16,
    load: "_mm_loadu_si128",
    store: "_mm_storeu_si128",
};

const VECTORS128: Rust = Rust {
    targets: &["ssse3", "ssse3+aes", "ssse3+sha", "avx"],
    dialect: &Dialect {
        splat: "_mm_set1_epi64x($n)",
        broadcast: [
            "_mm_set1_epi8($a)",
            "_mm_set1_epi16($a)",
            "_mm_set1_epi32($a)",
            "_mm_set1_epi64x($a)",
            "",
        ],
        ..LOAD
    },
    registers: None,
    broadcast: [
        Some("_mm_set1_epi64x(i64::from_le_bytes(*part({p})))"),
        Some("load(part({p}))"),
        None,
    ],
    moves: &[MOVE128],
};

const VECTORS256: Rust = Rust {
    targets: &["avx2", "avx2+vaes"],
    dialect: &Dialect {
        load: LOAD.load,
        store: LOAD.store,
        splat: "_mm256_set1_epi64x($n)",
        broadcast: [
            "_mm256_set1_epi8($a)",
            "_mm256_set1_epi16($a)",
            "_mm256_set1_epi32($a)",
            "_mm256_set1_epi64x($a)",
            "_mm256_broadcastsi128_si256(load128($a))",
        ],
        gather_segments:
            "_mm256_inserti128_si256(_mm256_castsi128_si256(load128($0)), load128($1), 1)",
        ..avx2::DIALECT
    },
    registers: None,
    broadcast: [
        Some("_mm256_set1_epi64x(i64::from_le_bytes(*part({p})))"),
        Some("_mm256_broadcastsi128_si256(load128(part({p})))"),
        None,
    ],
    moves: &[
        Move {
            suffix: "",
            register: "__m256i",
            bytes: 32,
            load: "_mm256_loadu_si256",
            store: "_mm256_storeu_si256",
        },
        Move { suffix: "128", ..MOVE128 },
    ],
};

const DIALECT512: Dialect = Dialect {
    load: LOAD.load,
    store: LOAD.store,
    splat: "_mm512_set1_epi64($n)",
    broadcast: [
        "_mm512_set1_epi8($a)",
        "_mm512_set1_epi16($a)",
        "_mm512_set1_epi32($a)",
        "_mm512_set1_epi64($a)",
        "_mm512_broadcast_i32x4(load128($a))",
    ],
    gather_segments:
        "_mm512_inserti32x4(_mm512_inserti32x4(_mm512_inserti32x4(_mm512_castsi128_si512(\
         load128($0)), load128($1), 1), load128($2), 2), load128($3), 3)",
    ..avx512::DIALECT
};

const VECTORS512: Rust = Rust {
    targets: &["avx512", "avx512+ifma"],
    dialect: &DIALECT512,
    registers: None,
    broadcast: [
        Some("_mm512_set1_epi64(i64::from_le_bytes(*part({p})))"),
        Some("_mm512_broadcast_i32x4(load128(part({p})))"),
        Some("load(part({p}))"),
    ],
    moves: &[
        Move {
            suffix: "",
            register: "__m512i",
            bytes: 64,
            load: "_mm512_loadu_si512",
            store: "_mm512_storeu_si512",
        },
        Move { suffix: "128", ..MOVE128 },
    ],
};

const ACROSS512: Rust = Rust {
    targets: &["avx512+gfni", "avx512+gfni+vaes"],
    dialect: &Dialect { across: Some(avx512_gfni::ACROSS), ..DIALECT512 },
    ..VECTORS512
};
