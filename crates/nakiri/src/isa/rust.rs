//! How the targets' registers are written in Rust. Intrinsics of `core::arch` have the names and arguments that the vendor
//! gives them in C: what is here is all that differs.

use super::{avx2, avx512, avx512_gfni, neon, scalar, ssse3, Dialect, Target, C};

/// How a target's registers are written in Rust.
#[derive(Debug)]
pub struct Rust {
    /// The targets' names.
    targets: &'static [&'static str],
    /// How transpositions are written.
    dialect: &'static Dialect,
    /// What registers are.
    registers: Option<Registers>,
    /// What [`C::broadcast`] is.
    broadcast: [Option<&'static str>; 3],
    /// The functions `load` and `store`, which move a register from and to any address, and those on which they are based.
    pub moves: &'static [Move],
    /// Features that every CPU of the architecture has, and that functions with its intrinsics name all the same.
    pub always: &'static [&'static str],
    /// A function that is called beside intrinsics: its name, and its definition.
    pub helper: Option<(&'static str, &'static str)>,
}

/// What differs from C in registers.
#[derive(Clone, Copy, Debug)]
struct Registers {
    /// [`C::register`].
    register: &'static str,
    /// [`C::word_types`].
    word_types: [&'static str; 2],
    /// [`C::zeros`].
    zeros: &'static str,
    /// [`C::ones`].
    ones: &'static str,
    /// [`C::splat`].
    splat: [&'static str; 4],
    /// [`C::segment`].
    segment: Option<&'static str>,
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
            Some(Registers { register, word_types, zeros, ones, splat, segment }) => {
                // A cast has the type of the place where it stands.
                let segment_type = None;
                C { register, word_types, zeros, ones, splat, segment, segment_type, ..c }
            }
            None => c,
        }
    }
}

const ALL: &[&Rust] =
    &[&REGISTERS, &WORDS, &VECTORS128, &VECTORS256, &VECTORS512, &ACROSS512, &NEON];

const WORD: Registers = Registers {
    register: "u{r}",
    word_types: ["u{r}", "i{r}"],
    zeros: "0",
    ones: "u{r}::MAX",
    splat: ["{c}"; 4],
    segment: None,
};

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
    always: &[],
    helper: None,
};

const WORDS: Rust = Rust {
    targets: &["gp32+swar", "gp64+swar"],
    registers: Some(Registers { splat: ["{every c}"; 4], ..WORD }),
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
    always: &[],
    helper: None,
};

const VECTORS256: Rust = Rust {
    targets: &["avx2", "avx2+vaes", "avx2+gfni+vaes"],
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
    always: &[],
    helper: None,
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
    always: &[],
    helper: None,
};

const ACROSS512: Rust = Rust {
    targets: &["avx512+gfni", "avx512+gfni+vaes"],
    dialect: &Dialect { across: Some(avx512_gfni::ACROSS), ..DIALECT512 },
    ..VECTORS512
};

const NEON: Rust = Rust {
    targets: &["neon", "neon+aes", "neon+sha2", "neon+sha3"],
    dialect: &Dialect {
        load: LOAD.load,
        store: LOAD.store,
        splat: "cast(vdupq_n_s64($n))",
        left: "cast(vshlq_n_u64(cast($a), $n))",
        right: "cast(vshrq_n_u64(cast($a), $n))",
        unpack: "cast(vzip$hq_u$n(cast($a), cast($b)))",
        fill: "cast(vshrq_n_s32(cast(vshlq_n_u32(cast($a), $n)), 31))",
        broadcast: [
            "cast(vdupq_n_s8($a))",
            "cast(vdupq_n_s16($a))",
            "cast(vdupq_n_s32($a))",
            "cast(vdupq_n_s64($a))",
            "",
        ],
        gather: ["cast([$u])"; 4],
        ..neon::DIALECT
    },
    registers: Some(Registers {
        register: neon::C128.register,
        word_types: neon::C128.word_types,
        zeros: neon::C128.zeros,
        ones: neon::C128.ones,
        splat: [
            "vdupq_n_u8({c})",
            "cast(vdupq_n_u16({c}))",
            "cast(vdupq_n_u32({c}))",
            "cast(vdupq_n_u64({c}))",
        ],
        segment: Some("cast([{low}_u64, {high}_u64])"),
    }),
    broadcast: [
        Some("cast(vdupq_n_s64(i64::from_le_bytes(*part({p}))))"),
        Some("load(part({p}))"),
        None,
    ],
    moves: &[Move {
        suffix: "",
        register: "uint8x16_t",
        bytes: 16,
        load: "vld1q_u8",
        store: "vst1q_u8",
    }],
    always: &["neon"],
    helper: Some(("cast", CAST)),
};

const CAST: &str = "\
/// 128 bits, all of which are values.
trait Bits128: Copy {}

impl Bits128 for uint8x16_t {}
impl Bits128 for uint16x8_t {}
impl Bits128 for uint32x4_t {}
impl Bits128 for uint64x2_t {}
impl Bits128 for int8x16_t {}
impl Bits128 for int16x8_t {}
impl Bits128 for int32x4_t {}
impl Bits128 for int64x2_t {}
impl Bits128 for [i8; 16] {}
impl Bits128 for [i16; 8] {}
impl Bits128 for [i32; 4] {}
impl Bits128 for [i64; 2] {}
impl Bits128 for [u64; 2] {}

/// The same bits as another type.
#[inline(always)]
fn cast<A: Bits128, B: Bits128>(bits: A) -> B {
    // SAFETY: both have 128 bits, and take any.
    unsafe { core::mem::transmute_copy(&bits) }
}

";
