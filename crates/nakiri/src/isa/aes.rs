//! What instructions for AES add to the vectors of x86-64 (AES-NI and VAES): rounds on rows of sixteen bytes, and tables of bytes; and
//! products of polynomials (PCLMULQDQ and VPCLMULQDQ), which every CPU with the former has, too. A
//! table that is inversion between affine maps takes the round that has no columns to mix; its rows are moved back by a shuffle,
//! and affine maps are two tables of sixteen bytes, one for each half of a byte.

use super::constant::{Bytes::*, Constant::Segment, Half::*, Number::Fixed, Word::*};
use super::expression::Expression::{self, Constant, Number};
use super::expression::{call, Intrinsic, X, Y, ZEROS};
use super::vector::BYTE_ROWS;
use super::x86::*;
use super::{
    avx2, avx512, avx512_gfni, ssse3, vector, Class, Instance, Target, Types, When, Work, C,
};
use crate::core::aes::{self, Aes::*};
use crate::core::clmul::Clmul;
use crate::core::{Direction::*, Instruction, OpKind};
use crate::isa::Class::{
    Aes, VectorAdd, VectorLogic, VectorShift, VectorShuffle, VectorShuffleBytes,
};

/// AES-NI: registers of 128 bits.
pub static SSSE3: Target = Target {
    name: "ssse3+aes",
    title: "128-bit vectors, rounds of AES, carry-less products (SSSE3, AES-NI, PCLMULQDQ)",
    features: &["ssse3", "aes", "pclmulqdq"],
    optional: true,
    c: C { attribute: Some("ssse3,aes,pclmul"), ..ssse3::C128 },
    instances: &[
        ROUNDS128,
        PRODUCTS128,
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
    title: "256-bit vectors, rounds of AES, carry-less products (AVX2, VAES, VPCLMULQDQ)",
    features: &["avx2", "aes", "vaes", "pclmulqdq", "vpclmulqdq"],
    optional: true,
    c: C { attribute: Some("avx2,aes,vaes,pclmul,vpclmulqdq"), ..avx2::TARGET.c },
    instances: &[
        ROUNDS,
        PRODUCTS,
        BYTES256,
        MAPS,
        vector::SSE4,
        vector::NARROW,
        vector::SHUFFLES,
        vector::ALL,
    ],
    ..avx2::TARGET
};

/// The same with linear maps of the bits of a byte: CPUs without AVX-512 since Alder Lake.
pub static AVX2_GFNI: Target = Target {
    name: "avx2+gfni+vaes",
    title: "256-bit vectors, maps of bytes, rounds of AES, carry-less products (AVX2, GFNI, VAES, VPCLMULQDQ)",
    features: &["avx2", "gfni", "aes", "vaes", "pclmulqdq", "vpclmulqdq"],
    c: C { attribute: Some("avx2,gfni,aes,vaes,pclmul,vpclmulqdq"), ..avx2::TARGET.c },
    instances: &[
        ROUNDS,
        PRODUCTS,
        avx512_gfni::MAPS256,
        ANY256,
        vector::SSE4,
        vector::NARROW,
        vector::SHUFFLES,
        vector::ALL,
    ],
    ..AVX2
};

/// VAES on registers of 512 bits.
pub static AVX512: Target = Target {
    name: "avx512+gfni+vaes",
    title: "512-bit vectors, rounds of AES, carry-less products (AVX-512 F, BW, VL, VBMI, VBMI2, GFNI, VAES, VPCLMULQDQ)",
    features: &[
        "avx512f",
        "avx512bw",
        "avx512vl",
        "avx512vbmi",
        "avx512vbmi2",
        "gfni",
        "aes",
        "vaes",
        "pclmulqdq",
        "vpclmulqdq",
    ],
    optional: true,
    c: C {
        attribute: Some("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,gfni,aes,vaes,pclmul,vpclmulqdq"),
        ..avx512_gfni::TARGET.c
    },
    instances: &[
        ROUNDS,
        PRODUCTS,
        avx512_gfni::MAPS,
        avx512_gfni::ROWS,
        avx512_gfni::WIDE,
        avx512::ROWS,
        avx512::WIDE,
        vector::SHUFFLES,
        vector::ALL,
    ],
    ..avx512_gfni::TARGET
};

const BYTES: Types = &[(V, &[8]), (P, &[8])];
const LONG: Types = &[(V, &[64])];
const WORD_PRODUCT: Work = &[&[Class::Clmul], &[Class::Clmul], &[VectorShuffle]];

/// Rounds of one segment.
const ROUNDS128: &[Instance] = &[
    round(Round, AES_ROUND_128),
    round(Last, AES_LAST_128),
    round(InverseRound, AES_INVERSE_128),
    round(InverseLast, AES_INVERSE_LAST_128),
    Instance::new(OpKind::Instruction, BYTE_ROWS, &[&[Aes]], call!(AES_UNMIX_128, X))
        .when(When::Is(Instruction::Aes(Unmix))),
];

/// Rounds of several segments. There is no wide `InvMixColumns`: the round that has it undoes the one before.
const ROUNDS: &[Instance] = &[
    round(Round, AES_ROUND),
    round(Last, AES_LAST),
    round(InverseRound, AES_INVERSE),
    round(InverseLast, AES_INVERSE_LAST),
    Instance::new(
        OpKind::Instruction,
        BYTE_ROWS,
        &[&[Aes], &[Aes]],
        call!(AES_INVERSE, call!(AES_LAST, X, ZEROS), ZEROS),
    )
    .when(When::Is(Instruction::Aes(Unmix))),
];

const fn round(aes: aes::Aes, by: Intrinsic) -> Instance {
    Instance::new(OpKind::Instruction, BYTE_ROWS, &[&[Aes]], call!(by, X, Y))
        .when(When::Is(Instruction::Aes(aes)))
}

/// The four products of two rows.
macro_rules! products {
    ($by:expr) => {
        &[
            product(Clmul::LowLow, call!($by, X, Y, Number(Fixed(0x00)))),
            product(Clmul::HighLow, call!($by, X, Y, Number(Fixed(0x01)))),
            product(Clmul::LowHigh, call!($by, X, Y, Number(Fixed(0x10)))),
            product(Clmul::HighHigh, call!($by, X, Y, Number(Fixed(0x11)))),
            Instance::new(OpKind::ClmulLow, LONG, WORD_PRODUCT, of_words!($by, LOWER_64)),
            Instance::new(OpKind::ClmulHigh, LONG, WORD_PRODUCT, of_words!($by, UPPER_64)),
        ]
    };
}

/// The halves of the products of words: of those in the lower halves of segments, and in the upper ones, side by side.
macro_rules! of_words {
    ($by:expr, $half:expr) => {
        call!($half, call!($by, X, Y, Number(Fixed(0x00))), call!($by, X, Y, Number(Fixed(0x11))))
    };
}

const PRODUCTS128: &[Instance] = products!(CLMUL_128);
const PRODUCTS: &[Instance] = products!(CLMUL);

const fn product(product: Clmul, expression: Expression) -> Instance {
    Instance::new(OpKind::Instruction, BYTE_ROWS, &[&[Class::Clmul]], expression)
        .when(When::Is(Instruction::Clmul(product)))
}

/// The affine map of two tables, of the low and of the high half of each byte.
macro_rules! affine {
    ($x:expr, $map:path) => {
        call!(
            XOR,
            call!(SHUFFLE_8, Constant(Segment($map(Low))), call!(AND, $x, splat8(Decimal(15)))),
            call!(
                SHUFFLE_8,
                Constant(Segment($map(High))),
                call!(AND, call!(RIGHT_16, $x, Number(Fixed(4))), splat8(Decimal(15)))
            )
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
    affine!(X, Map),
)];

/// `SubBytes` by the intrinsic of the last round.
macro_rules! sub_bytes {
    ($last:expr) => {
        call!(SHUFFLE_8, call!($last, X, ZEROS), Constant(Segment(UnshiftRows)))
    };
}

/// Tables of bytes, by the same intrinsic.
macro_rules! bytes {
    ($last:expr) => {
        &[
            Instance::new(
                OpKind::Invert,
                BYTES,
                &[&[Aes], &[VectorShuffleBytes]],
                sub_bytes!($last),
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
                affine!(sub_bytes!($last), MapAfterSubBytes),
            ),
            SUBSTITUTE,
        ]
    };
}

/// Any table of bytes.
const SUBSTITUTE: Instance = Instance::new(OpKind::Substitute, BYTES, SIXTEEN, ANY);
const ANY256: &[Instance] = &[SUBSTITUTE];

const BYTES128: &[Instance] = bytes!(AES_LAST_128);
const BYTES256: &[Instance] = bytes!(AES_LAST);

/// The sixteen entries of one high half of the byte: a shuffle makes zeros of bytes whose highest bit is set, which a saturated sum
/// sets for all other halves.
macro_rules! entries {
    ($k:literal, $half:literal) => {
        call!(
            SHUFFLE_8,
            Constant(Segment(Entries($k))),
            call!(
                ADD_SATURATED_8,
                call!(XOR, X, splat8(Decimal($half))),
                splat8(Hexadecimal(0x70, 2))
            )
        )
    };
}

macro_rules! either {
    ($a:expr, $b:expr) => {
        call!(OR, $a, $b)
    };
}

/// Any table: its sixteen parts.
const ANY: Expression = either!(
    either!(
        either!(
            either!(entries!(0, 0), entries!(1, 16)),
            either!(entries!(2, 32), entries!(3, 48))
        ),
        either!(
            either!(entries!(4, 64), entries!(5, 80)),
            either!(entries!(6, 96), entries!(7, 112))
        )
    ),
    either!(
        either!(
            either!(entries!(8, -128), entries!(9, -112)),
            either!(entries!(10, -96), entries!(11, -80))
        ),
        either!(
            either!(entries!(12, -64), entries!(13, -48)),
            either!(entries!(14, -32), entries!(15, -16))
        )
    )
);

const SIXTEEN: Work = &[
    &[VectorLogic; 16],
    &[VectorAdd; 16],
    &[VectorShuffleBytes; 16],
    &[VectorLogic; 8],
    &[VectorLogic; 4],
    &[VectorLogic; 2],
    &[VectorLogic],
];
