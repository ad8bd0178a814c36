//! Vectors of AArch64 of a length that is fixed when the C is compiled: SVE2 with 256 and 512 bits. At 128 bits it has no more
//! registers than NEON, and little more operations than NEON with SHA3.

use super::constant::{Bits, Constant, Element::Unsigned, Splat, Word};
use super::expression::{call, Expression, Intrinsic, REST, X, Y, Z};
use super::{neon, portable, vector, Extension, Instance, Target, Types, When, Words, C};
use crate::core::{Direction::*, OpKind::*};
use crate::isa::Class::{VectorRotate, VectorTernary};

/// The target with registers of 256 bits.
pub static SVE256: Target = Target {
    name: "sve2-256",
    title: "256-bit vectors of AArch64 (SVE2, length fixed)",
    architecture: &neon::AARCH64,
    bits: 256,
    registers: 32,
    destructive: true,
    code_bytes: 4.0,
    operand_bytes: 0.0,
    machine: "cortex-x4",
    issue: 4,
    latency: 2,
    features: &["sve2"],
    extension: Some(&Extension {
        flags: &["-march=armv8.2-a+sve2", "-msve-vector-bits=256"],
        emulator: &["-cpu", "max,sve-default-vector-length=32"],
    }),
    guard: Some(
        "defined(__ARM_FEATURE_SVE2) && !defined(__AARCH64EB__) && __ARM_FEATURE_SVE_BITS == 256",
    ),
    simd: true,
    optional: false,
    words: Words::Several,
    c: C { prelude: &[HEADER, portable::TYPES128, portable::TYPES256], ..portable::C256 },
    instances: INSTANCES,
};

/// The target with registers of 512 bits.
pub static SVE512: Target = Target {
    name: "sve2-512",
    title: "512-bit vectors of AArch64 (SVE2, length fixed)",
    bits: 512,
    extension: Some(&Extension {
        flags: &["-march=armv8.2-a+sve2", "-msve-vector-bits=512"],
        emulator: &["-cpu", "max,sve-default-vector-length=64"],
    }),
    guard: Some(
        "defined(__ARM_FEATURE_SVE2) && !defined(__AARCH64EB__) && __ARM_FEATURE_SVE_BITS == 512",
    ),
    c: C {
        prelude: &[HEADER, portable::TYPES128, portable::TYPES256, portable::TYPES512],
        ..portable::C512
    },
    ..SVE256
};

const HEADER: &str = "#include <arm_sve.h>\n";

const INSTANCES: &[&[Instance]] = &[
    ROWS,
    portable::LOGIC,
    portable::AND_NOT,
    portable::WORDS,
    portable::PRODUCTS,
    portable::SHUFFLES,
];

const V8: Types = &[(V, &[8]), (P, &[8])];
const V16_64: Types = &[(V, &[16, 32, 64]), (P, &[16, 32, 64])];

const XOR_3: Intrinsic = Intrinsic::new("sveor3_u8", VectorTernary);
/// The first operand, and the second one where the third is not.
const XOR_AND_NOT: Intrinsic = Intrinsic::new("svbcax_u8", VectorTernary);
/// The last operand chooses between the first two, one of which, or the result, is complemented.
const SELECT: Intrinsic = Intrinsic::new("svbsl_u8", VectorTernary);
const SELECT_NOT: Intrinsic = Intrinsic::new("svnbsl_u8", VectorTernary);
const SELECT_NOT_FIRST: Intrinsic = Intrinsic::new("svbsl1n_u8", VectorTernary);
const SELECT_NOT_SECOND: Intrinsic = Intrinsic::new("svbsl2n_u8", VectorTernary);
const XOR_ROTATE: Intrinsic = Intrinsic::new("svxar_n_u{w}", VectorRotate);
const TO_WORDS: Intrinsic = Intrinsic::retyping("svreinterpret_u{w}_u8");
const TO_BYTES: Intrinsic = Intrinsic::retyping("svreinterpret_u8_u{w}");

const ZERO: Expression = Expression::Constant(Constant::Splat(
    Splat { name: "svdup_u{w}", element: Unsigned(Bits::Atom) },
    Word::Decimal(0),
));

const ROWS: &[Instance] = &[
    table(0x96, call!(XOR_3, X, Y, Z)),
    table(0xb4, call!(XOR_AND_NOT, X, Y, Z)),
    table(0xca, call!(SELECT, Y, Z, X)),
    table(0x35, call!(SELECT_NOT, Y, Z, X)),
    table(0x3a, call!(SELECT_NOT_FIRST, Y, Z, X)),
    table(0xc5, call!(SELECT_NOT_SECOND, Y, Z, X)),
    // A rotation of a sum, of which one term is zero.
    Instance::new(Rotl, V8, &[&[VectorRotate]], call!(XOR_ROTATE, X, ZERO, REST)),
    Instance::new(
        Rotl,
        V16_64,
        &[&[VectorRotate]],
        call!(TO_BYTES, call!(XOR_ROTATE, call!(TO_WORDS, X), ZERO, REST)),
    ),
];

const fn table(table: u8, expression: Expression) -> Instance {
    Instance::new(Ternary, vector::LOGIC, &[&[VectorTernary]], expression).when(When::Table(table))
}
