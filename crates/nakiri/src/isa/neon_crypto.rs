//! What Armv8's cryptographic extensions add to NEON: rounds of AES, into which the key goes first, and products of polynomials, which
//! came together on every CPU; and turns of SHA-256.

use super::constant::{
    Bits,
    Bytes::{Entries, Map, MapAfterSubBytes, UnshiftRows},
    Constant::Segment,
    Element,
    Half::*,
    Number::Fixed,
    Word,
};
use super::expression::Expression::{self, As, Constant, Number};
use super::expression::{call, CType, Intrinsic, X, X_WORDS, Y, Y_WORDS, Z, ZEROS};
use super::neon::{self, splat, AND, LOOK_UP, OR, XOR};
use super::vector::BYTE_ROWS;
use super::{Class, Instance, Target, Types, When, C};
use crate::core::aes::Aes::{self, *};
use crate::core::clmul::Clmul;
use crate::core::sha256::Sha256;
use crate::core::{Direction::*, Instruction, OpKind};
use crate::isa::Class::{VectorLogic, VectorShift, VectorShuffle, VectorShuffleBytes};

/// Where a file may have functions for it: where the compiler has the intrinsics whatever it was told, and programs can ask for the
/// feature that a macro stands for, or where that is defined.
macro_rules! guard {
    ($feature:literal) => {
        concat!(
            "defined(__aarch64__) && !defined(__AARCH64EB__) && (defined(",
            $feature,
            ") || (defined(__linux__) && (!defined(__clang__) || __clang_major__ >= 17)))"
        )
    };
}

/// Where Linux tells of the CPU.
const AUXILIARY_VECTOR: &str = "#ifdef __linux__\n#include <sys/auxv.h>\n#endif\n";

/// AES and PMULL, which Rust calls one feature.
pub static AES: Target = Target {
    name: "neon+aes",
    title: "128-bit vectors of AArch64, rounds of AES, carry-less products (NEON, AES, PMULL)",
    machine: "neoverse-n1",
    issue: 4,
    latency: 2,
    features: &["aes"],
    guard: Some(guard!("__ARM_FEATURE_AES")),
    optional: true,
    c: C { attribute: Some("+crypto"), prelude: &[neon::HEADER, AUXILIARY_VECTOR], ..neon::C128 },
    instances: &[ROUNDS, PRODUCTS, BYTES, neon::ROWS],
    ..neon::TARGET
};

/// SHA-256.
pub static SHA2: Target = Target {
    name: "neon+sha2",
    title: "128-bit vectors of AArch64, turns of SHA-256 (NEON, SHA2)",
    features: &["sha2"],
    guard: Some(guard!("__ARM_FEATURE_SHA2")),
    instances: &[SHA256, neon::ROWS],
    ..AES
};

const BYTE: Types = &[(V, &[8]), (P, &[8])];

const ENCRYPT: Intrinsic = Intrinsic::new("vaeseq_u8", Class::Aes);
const DECRYPT: Intrinsic = Intrinsic::new("vaesdq_u8", Class::Aes);
const UNMIX: Intrinsic = Intrinsic::new("vaesimcq_u8", Class::Aes);
/// Behind a round these are a part of it: cores execute the pair as one.
const MIX_OF_ROUND: Intrinsic = Intrinsic::retyping("vaesmcq_u8");
const UNMIX_OF_ROUND: Intrinsic = Intrinsic::retyping("vaesimcq_u8");

const ROUNDS: &[Instance] = &[
    round(KeyedRound, call!(MIX_OF_ROUND, call!(ENCRYPT, X, Y))),
    round(KeyedLast, call!(ENCRYPT, X, Y)),
    round(KeyedInverseRound, call!(UNMIX_OF_ROUND, call!(DECRYPT, X, Y))),
    round(KeyedInverseLast, call!(DECRYPT, X, Y)),
    round(Unmix, call!(UNMIX, X)),
];

const fn round(aes: Aes, expression: Expression) -> Instance {
    Instance::new(OpKind::Instruction, BYTE_ROWS, &[&[Class::Aes]], expression)
        .when(When::Is(Instruction::Aes(aes)))
}

const MULTIPLY: Intrinsic = Intrinsic::new("vmull_p64", Class::Clmul);
const MULTIPLY_HIGH: Intrinsic = Intrinsic::new("vmull_high_p64", Class::Clmul);
const POLYNOMIAL: Intrinsic = Intrinsic::retyping("vreinterpretq_u8_p128");
const HALVES: Intrinsic = Intrinsic::retyping("vreinterpretq_p64_u8");
/// The lower half of a register is there without an instruction.
const LOW: Intrinsic = Intrinsic::retyping("vgetq_lane_p64");
const HIGH: Intrinsic = Intrinsic::new("vgetq_lane_p64", VectorShuffle);

const TO_BYTES: Intrinsic = Intrinsic::retyping("vreinterpretq_u8_p64");
const TO_HALVES: Intrinsic = Intrinsic::retyping("vreinterpretq_p64_p128");
const LOWER: Intrinsic = Intrinsic::new("vzip1q_p64", VectorShuffle);
const UPPER: Intrinsic = Intrinsic::new("vzip2q_p64", VectorShuffle);

macro_rules! low {
    ($x:expr) => {
        call!(LOW, call!(HALVES, $x), Number(Fixed(0)))
    };
}

macro_rules! high {
    ($x:expr) => {
        call!(HIGH, call!(HALVES, $x), Number(Fixed(1)))
    };
}

/// The halves of the products of words: of the lower ones and of the upper ones, side by side.
macro_rules! of_words {
    ($half:expr) => {
        call!(
            TO_BYTES,
            call!(
                $half,
                call!(TO_HALVES, call!(MULTIPLY, low!(X), low!(Y))),
                call!(TO_HALVES, call!(MULTIPLY_HIGH, call!(HALVES, X), call!(HALVES, Y)))
            )
        )
    };
}

const LONG: Types = &[(V, &[64])];
const WORD_PRODUCT: super::Work = &[&[Class::Clmul], &[Class::Clmul], &[VectorShuffle]];

const PRODUCTS: &[Instance] = &[
    Instance::new(OpKind::ClmulLow, LONG, WORD_PRODUCT, of_words!(LOWER)),
    Instance::new(OpKind::ClmulHigh, LONG, WORD_PRODUCT, of_words!(UPPER)),
    product(
        Clmul::LowLow,
        &[&[Class::Clmul]],
        call!(POLYNOMIAL, call!(MULTIPLY, low!(X), low!(Y))),
    ),
    product(
        Clmul::HighLow,
        &[&[VectorShuffle], &[Class::Clmul]],
        call!(POLYNOMIAL, call!(MULTIPLY, high!(X), low!(Y))),
    ),
    product(
        Clmul::LowHigh,
        &[&[VectorShuffle], &[Class::Clmul]],
        call!(POLYNOMIAL, call!(MULTIPLY, low!(X), high!(Y))),
    ),
    product(
        Clmul::HighHigh,
        &[&[Class::Clmul]],
        call!(POLYNOMIAL, call!(MULTIPLY_HIGH, call!(HALVES, X), call!(HALVES, Y))),
    ),
];

const fn product(product: Clmul, work: super::Work, expression: Expression) -> Instance {
    Instance::new(OpKind::Instruction, BYTE_ROWS, work, expression)
        .when(When::Is(Instruction::Clmul(product)))
}

const RIGHT_8: Intrinsic = Intrinsic::new("vshrq_n_u8", VectorShift);

/// The affine map of two tables, of the low and of the high half of each byte.
macro_rules! affine {
    ($x:expr, $map:path) => {
        call!(
            XOR,
            call!(LOOK_UP, Constant(Segment($map(Low))), call!(AND, $x, splat(Word::Decimal(15)))),
            call!(LOOK_UP, Constant(Segment($map(High))), call!(RIGHT_8, $x, Number(Fixed(4))))
        )
    };
}

/// `SubBytes` by the last round.
const SUB_BYTES: Expression =
    call!(LOOK_UP, call!(ENCRYPT, X, ZEROS), Constant(Segment(UnshiftRows)));

/// The sixteen entries of one high half of the byte; places behind a table have zeros.
macro_rules! entries {
    ($part:literal, $half:literal) => {
        call!(
            LOOK_UP,
            Constant(Segment(Entries($part))),
            call!(XOR, X, splat(Word::Hexadecimal($half, 2)))
        )
    };
}

/// Those of four halves.
macro_rules! four_of {
    ($a:expr, $b:expr, $c:expr, $d:expr) => {
        call!(OR, call!(OR, $a, $b), call!(OR, $c, $d))
    };
}

/// Any table: its sixteen parts.
const ANY: Expression = four_of!(
    four_of!(entries!(0, 0x00), entries!(1, 0x10), entries!(2, 0x20), entries!(3, 0x30)),
    four_of!(entries!(4, 0x40), entries!(5, 0x50), entries!(6, 0x60), entries!(7, 0x70)),
    four_of!(entries!(8, 0x80), entries!(9, 0x90), entries!(10, 0xa0), entries!(11, 0xb0)),
    four_of!(entries!(12, 0xc0), entries!(13, 0xd0), entries!(14, 0xe0), entries!(15, 0xf0))
);

const SIXTEEN: super::Work = &[
    &[VectorLogic; 16],
    &[VectorShuffleBytes; 16],
    &[VectorLogic; 8],
    &[VectorLogic; 4],
    &[VectorLogic; 2],
    &[VectorLogic],
];

/// Tables of bytes that are inversion between affine maps, and these; and any other.
const BYTES: &[Instance] = &[
    Instance::new(OpKind::Invert, BYTE, &[&[Class::Aes], &[VectorShuffleBytes]], SUB_BYTES)
        .when(When::SubBytes),
    Instance::new(
        OpKind::Invert,
        BYTE,
        &[
            &[Class::Aes],
            &[VectorShuffleBytes],
            &[VectorShift, VectorLogic],
            &[VectorShuffleBytes, VectorShuffleBytes],
            &[VectorLogic],
        ],
        affine!(SUB_BYTES, MapAfterSubBytes),
    ),
    Instance::new(
        OpKind::Affine,
        BYTE,
        &[&[VectorShift, VectorLogic], &[VectorShuffleBytes, VectorShuffleBytes], &[VectorLogic]],
        affine!(X, Map),
    ),
    Instance::new(OpKind::Substitute, BYTE, SIXTEEN, ANY),
];

const WORDS: Types = &[(P, &[32])];
const Z_WORDS: Expression = As(CType::Vector(Element::Unsigned(Bits::Atom)), &Z);

const FOUR: Intrinsic = Intrinsic::new("vsha256hq_u32", Class::Sha);
const FOUR_SECOND: Intrinsic = Intrinsic::new("vsha256h2q_u32", Class::Sha);
const MESSAGE: Intrinsic = Intrinsic::new("vsha256su1q_u32", Class::Sha);
/// Machines treat it like a sum.
const MESSAGE1: Intrinsic = Intrinsic::new("vsha256su0q_u32", Class::VectorAdd);

/// An instruction of three rows.
macro_rules! three {
    ($step:ident, $by:expr) => {
        Instance::new(
            OpKind::Instruction,
            WORDS,
            &[&[Class::Sha]],
            As(CType::Register, &call!($by, X_WORDS, Y_WORDS, Z_WORDS)),
        )
        .when(When::Is(Instruction::Sha256(Sha256::$step)))
    };
}

const SHA256: &[Instance] = &[
    three!(Four, FOUR),
    three!(FourSecond, FOUR_SECOND),
    three!(Message, MESSAGE),
    Instance::new(
        OpKind::Instruction,
        WORDS,
        &[&[Class::VectorAdd]],
        As(CType::Register, &call!(MESSAGE1, X_WORDS, Y_WORDS)),
    )
    .when(When::Is(Instruction::Sha256(Sha256::Message1))),
];
