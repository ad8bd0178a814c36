//! How the targets' registers are written in Rust. Intrinsics of `core::arch` have the names and arguments that the vendor
//! gives them in C: what is here is all that differs.

use super::{avx2, avx512, avx512_gfni, scalar, spread, ssse3, swar, Dialect, Target, C};

/// How a target's registers are written in Rust.
#[derive(Debug)]
pub struct Rust {
    /// The targets' names.
    targets: &'static [&'static str],
    /// How transpositions are written.
    dialect: &'static Dialect,
    /// What [`C::register`], [`C::zeros`], [`C::ones`] and [`C::splat`] are, if not what they are in C.
    words: Option<[&'static str; 4]>,
    /// What [`C::broadcast`] is.
    broadcast: [Option<&'static str>; 3],
    /// The functions `load` and `store`, which move a register from and to any address, and those on which they are based.
    pub moves: &'static [Move],
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
        let [register, zeros, ones, splat] =
            self.words.unwrap_or([target.c.register, target.c.zeros, target.c.ones, ""]);
        let splat = if self.words.is_some() { [splat; 4] } else { target.c.splat };
        let (dialect, broadcast) = (self.dialect, self.broadcast);
        C { dialect, register, zeros, ones, splat, broadcast, ..target.c }
    }
}

/// The cast in Rust for a cast of a literal in C: the type that has the literal's bits, and the type that is meant.
pub const CASTS: &[(&str, Option<(&str, &str)>)] = &[
    ("(char)", Some(("u8", "i8"))),
    ("(short)", Some(("u16", "i16"))),
    ("(int)", Some(("u32", "i32"))),
    ("(long long)", Some(("u64", "i64"))),
    ("(_MM_PERM_ENUM)", None),
];

/// The expressions of general-purpose registers, by their templates in C.
pub const SCALAR: &[(&str, &str)] = &[
    (scalar::AND, "{0} & {1}"),
    (scalar::OR, "{0} | {1}"),
    (scalar::XOR, "{0} ^ {1}"),
    (scalar::NOT, "!{0}"),
    (scalar::ADD, "{0}.wrapping_add({1})"),
    (scalar::SUB, "{0}.wrapping_sub({1})"),
    (scalar::MUL, "{0}.wrapping_mul({1})"),
    (scalar::SHL, "{0} << {n}"),
    (scalar::SHR, "{0} >> {n}"),
    (scalar::SAR, "({0} as i{r} >> {n}) as u{r}"),
    (scalar::AND_NOT, "!{0} & {1}"),
    (scalar::OR_NOT, "!{0} | {1}"),
    (scalar::ROTL, "{0}.rotate_left({n})"),
    (scalar::BITMASK, "0u{r}.wrapping_sub({0} >> {n} & 1)"),
    (
        swar::ADD,
        "({0} & {every ones>>1}).wrapping_add({1} & {every ones>>1}) ^ (({0} ^ {1}) & {every top})",
    ),
    (
        swar::SUB,
        "({0} | {every top}).wrapping_sub({1} & {every ones>>1}) ^ (({0} ^ !{1}) & {every top})",
    ),
    (swar::SHL, "({0} << {n}) & {every ones<<n}"),
    (swar::SHR, "({0} >> {n}) & {every ones>>n}"),
    (
        swar::SAR,
        "(({0} >> {n}) & {every ones>>n}) | \
         (({0} & {every top}) << 1).wrapping_sub(({0} & {every top}) >> {n})",
    ),
    (swar::ROTL, "(({0} << {n}) & {every ones<<n}) | (({0} >> {w-n}) & {every ones>>w-n})"),
    (swar::KEEP, "{0} & {every kept}"),
    (swar::ROTL_AND_LEFT, "({0} << {n}) & {every kept}"),
    (swar::ROTL_AND_RIGHT, "({0} >> {w-n}) & {every kept}"),
    (
        swar::ROTL_AND,
        "(({0} << {n}) & {every kept&ones<<n}) | (({0} >> {w-n}) & {every kept&ones>>w-n})",
    ),
    (spread::SHL, "{0} << {l*n}"),
    (spread::SHR, "{0} >> {l*n}"),
    (spread::SAR, "({0} >> {l*n}) | ({0} >> {l*(w-1)}).wrapping_mul({lane 0 ones<<w-n})"),
    (spread::ROTL, "{0}.rotate_left({l*n})"),
    (spread::BITMASK, "(({0} >> {l*n}) & {lanes 1}).wrapping_mul({lane 0 ones})"),
    (swar::BITMASK, "((({0} >> {n}) & {every 1}) << {w}).wrapping_sub(({0} >> {n}) & {every 1})"),
];

const ALL: &[&Rust] = &[&REGISTERS, &WORDS, &VECTORS128, &VECTORS256, &VECTORS512, &ACROSS512];

const REGISTERS: Rust = Rust {
    targets: &["gp32", "gp64"],
    dialect: &Dialect {
        bytes: "$a.swap_bytes()",
        fill: "(($a << $n) as i$r >> ($r - 1)) as u$r",
        ..scalar::DIALECT
    },
    words: Some(["u{r}", "0", "u{r}::MAX", "{c}"]),
    broadcast: [Some("u{r}::from_le_bytes(*part({p}))"), None, None],
    moves: &[],
};

const WORDS: Rust = Rust {
    targets: &["gp32+swar", "gp64+swar"],
    words: Some(["u{r}", "0", "u{r}::MAX", "{every c}"]),
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
    targets: &["ssse3", "ssse3+aes", "avx"],
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
    words: None,
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
    words: None,
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
    targets: &["avx512"],
    dialect: &DIALECT512,
    words: None,
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
