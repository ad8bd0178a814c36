//! What instructions for AES add to the vectors of x86-64 (AES-NI and VAES): rounds on rows of sixteen bytes, and tables of bytes. A
//! table that is inversion between affine maps takes the round that has no columns to mix; its rows are moved back by a shuffle,
//! and affine maps are two tables of sixteen bytes, one for each half of a byte.

use super::{avx2, avx512, avx512_gfni, ssse3, vector, Instance, Target, Types, When, C};
use crate::core::aes::Aes::{InverseLast, InverseRound, Last, Round, Unmix};
use crate::core::{Direction::*, OpKind};
use crate::isa::Class::{Aes, VectorAdd, VectorLogic, VectorShift, VectorShuffleBytes};

/// AES-NI: registers of 128 bits.
pub static SSSE3: Target = Target {
    name: "ssse3+aes",
    title: "128-bit vectors, rounds of AES (SSSE3, AES-NI)",
    features: &["ssse3", "aes"],
    optional: true,
    c: C { attribute: Some("ssse3,aes"), ..ssse3::C128 },
    instances: &[
        ROUNDS128,
        BYTES128,
        MAPS,
        ssse3::ROWS,
        vector::NARROW,
        vector::SHUFFLES,
        vector::ALL,
    ],
    ..ssse3::TARGET
};

/// VAES on registers of 256 bits.
pub static AVX2: Target = Target {
    name: "avx2+vaes",
    title: "256-bit vectors, rounds of AES (AVX2, VAES)",
    features: &["avx2", "aes", "vaes"],
    optional: true,
    c: C { attribute: Some("avx2,aes,vaes"), ..avx2::TARGET.c },
    instances: &[
        ROUNDS256,
        BYTES256,
        MAPS,
        vector::SSE4,
        vector::NARROW,
        vector::SHUFFLES,
        vector::ALL,
    ],
    ..avx2::TARGET
};

/// VAES on registers of 512 bits.
pub static AVX512: Target = Target {
    name: "avx512+gfni+vaes",
    title: "512-bit vectors, rounds of AES (AVX-512 F, BW, VL, VBMI, VBMI2, GFNI, VAES)",
    features: &[
        "avx512f",
        "avx512bw",
        "avx512vl",
        "avx512vbmi",
        "avx512vbmi2",
        "gfni",
        "aes",
        "vaes",
    ],
    optional: true,
    c: C {
        attribute: Some("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,gfni,aes,vaes"),
        ..avx512_gfni::TARGET.c
    },
    instances: &[
        ROUNDS512,
        avx512_gfni::ROWS,
        avx512_gfni::WIDE,
        avx512::ROWS,
        avx512::WIDE,
        vector::SHUFFLES,
        vector::ALL,
    ],
    ..avx512_gfni::TARGET
};

const STATES: Types = &[(P, &[8])];
const BYTES: Types = &[(V, &[8]), (P, &[8])];

/// Rounds by these intrinsics; the last of `InvMixColumns`, of one operand.
macro_rules! rounds {
    ($name:ident, $round:literal, $last:literal, $inverse:literal, $inverse_last:literal, $unmix:literal, $steps:expr) => {
        const $name: &[Instance] = &[
            Instance::new(OpKind::Aes, STATES, &[&[Aes]], concat!($round, "({0}, {1})"))
                .when(When::Aes(Round)),
            Instance::new(OpKind::Aes, STATES, &[&[Aes]], concat!($last, "({0}, {1})"))
                .when(When::Aes(Last)),
            Instance::new(OpKind::Aes, STATES, &[&[Aes]], concat!($inverse, "({0}, {1})"))
                .when(When::Aes(InverseRound)),
            Instance::new(OpKind::Aes, STATES, &[&[Aes]], concat!($inverse_last, "({0}, {1})"))
                .when(When::Aes(InverseLast)),
            Instance::new(OpKind::Aes, STATES, $steps, $unmix).when(When::Aes(Unmix)),
        ];
    };
}

rounds!(
    ROUNDS128,
    "_mm_aesenc_si128",
    "_mm_aesenclast_si128",
    "_mm_aesdec_si128",
    "_mm_aesdeclast_si128",
    "_mm_aesimc_si128({0})",
    &[&[Aes]]
);

// There is no wide `InvMixColumns`: the round that has it undoes the one before.
rounds!(
    ROUNDS256,
    "_mm256_aesenc_epi128",
    "_mm256_aesenclast_epi128",
    "_mm256_aesdec_epi128",
    "_mm256_aesdeclast_epi128",
    "_mm256_aesdec_epi128(_mm256_aesenclast_epi128({0}, _mm256_setzero_si256()), _mm256_setzero_si256())",
    &[&[Aes], &[Aes]]
);

rounds!(
    ROUNDS512,
    "_mm512_aesenc_epi128",
    "_mm512_aesenclast_epi128",
    "_mm512_aesdec_epi128",
    "_mm512_aesdeclast_epi128",
    "_mm512_aesdec_epi128(_mm512_aesenclast_epi128({0}, _mm512_setzero_si512()), _mm512_setzero_si512())",
    &[&[Aes], &[Aes]]
);

/// The affine map of two tables, of the low and of the high half of each byte.
macro_rules! affine {
    ($x:expr, $low:literal, $high:literal) => {
        concat!(
            "{mm}_xor_{si}({mm}_shuffle_epi8({segment ",
            $low,
            "}, {mm}_and_{si}(",
            $x,
            ", {mm}_set1_epi8(15))), ",
            "{mm}_shuffle_epi8({segment ",
            $high,
            "}, {mm}_and_{si}({mm}_srli_epi16(",
            $x,
            ", 4), {mm}_set1_epi8(15))))"
        )
    };
}

/// Affine maps of the bits of a byte.
const MAPS: &[Instance] = &[Instance::new(
    OpKind::Affine,
    BYTES,
    &[
        &[VectorShift, VectorLogic],
        &[VectorLogic],
        &[VectorShuffleBytes, VectorShuffleBytes],
        &[VectorLogic],
    ],
    affine!("{0}", "low", "high"),
)];

/// Tables of bytes, by the intrinsic of the last round.
macro_rules! bytes {
    ($name:ident, $last:literal) => {
        const $name: &[Instance] = &[
            Instance::new(
                OpKind::Invert,
                BYTES,
                &[&[Aes], &[VectorShuffleBytes]],
                concat!(
                    "{mm}_shuffle_epi8(",
                    $last,
                    "({0}, {mm}_setzero_{si}()), {segment unshift})"
                ),
            )
            .when(When::SubBytes),
            Instance::new(
                OpKind::Invert,
                BYTES,
                &[
                    &[Aes],
                    &[VectorShuffleBytes],
                    &[VectorShift, VectorLogic],
                    &[VectorLogic],
                    &[VectorShuffleBytes, VectorShuffleBytes],
                    &[VectorLogic],
                ],
                affine!(
                    concat!(
                        "{mm}_shuffle_epi8(",
                        $last,
                        "({0}, {mm}_setzero_{si}()), {segment unshift})"
                    ),
                    "after low",
                    "after high"
                ),
            ),
            Instance::new(OpKind::Substitute, BYTES, SIXTEEN, ANY),
        ];
    };
}

bytes!(BYTES128, "_mm_aesenclast_si128");
bytes!(BYTES256, "_mm256_aesenclast_epi128");

/// The sixteen entries of one high half of the byte: a shuffle makes zeros of bytes whose highest bit is set, which a saturated sum
/// sets for all other halves.
macro_rules! entries {
    ($k:literal, $half:literal) => {
        concat!(
            "{mm}_shuffle_epi8({segment entries ",
            $k,
            "}, {mm}_adds_epu8({mm}_xor_{si}({0}, {mm}_set1_epi8(",
            $half,
            ")), {mm}_set1_epi8(0x70)))"
        )
    };
}

macro_rules! either {
    ($a:expr, $b:expr) => {
        concat!("{mm}_or_{si}(", $a, ", ", $b, ")")
    };
}

/// Any table: its sixteen parts.
const ANY: &str = either!(
    either!(
        either!(
            either!(entries!("0", "0"), entries!("1", "16")),
            either!(entries!("2", "32"), entries!("3", "48"))
        ),
        either!(
            either!(entries!("4", "64"), entries!("5", "80")),
            either!(entries!("6", "96"), entries!("7", "112"))
        )
    ),
    either!(
        either!(
            either!(entries!("8", "-128"), entries!("9", "-112")),
            either!(entries!("10", "-96"), entries!("11", "-80"))
        ),
        either!(
            either!(entries!("12", "-64"), entries!("13", "-48")),
            either!(entries!("14", "-32"), entries!("15", "-16"))
        )
    )
);

const SIXTEEN: super::Work = &[
    &[VectorLogic; 16],
    &[VectorAdd; 16],
    &[VectorShuffleBytes; 16],
    &[VectorLogic; 8],
    &[VectorLogic; 4],
    &[VectorLogic; 2],
    &[VectorLogic],
];
