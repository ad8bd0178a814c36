//! NEON with the instructions that Armv8.2 adds for SHA-3: sums of three, `a ^ (b & ~c)`, and rotations of 64 bits.

use super::constant::Word;
use super::expression::{call, CType::Register, Expression::As, Intrinsic, REST, X, X_WORDS, Y, Z};
use super::{neon, vector, Extension, Instance, Target, Types, When, Words};
use crate::core::{Direction::*, OpKind::*};
use crate::isa::Class::{VectorRotate, VectorTernary};

static SHA3: Extension =
    Extension { flags: &["-march=armv8.2-a+sha3"], emulator: &["-cpu", "max"] };

/// The target.
pub static TARGET: Target = Target {
    name: "neon+sha3",
    title: "128-bit vectors of AArch64, ternary logic for SHA-3 (NEON, SHA3)",
    architecture: &neon::AARCH64,
    bits: 128,
    registers: 32,
    destructive: false,
    code_bytes: 4.0,
    operand_bytes: 0.0,
    machine: "cortex-x4",
    issue: 4,
    latency: 2,
    features: &["sha3"],
    extension: Some(&SHA3),
    guard: Some("defined(__aarch64__) && !defined(__AARCH64EB__) && defined(__ARM_FEATURE_SHA3)"),
    simd: true,
    optional: false,
    words: Words::Several,
    c: neon::C128,
    instances: &[ROWS, neon::ROWS],
};

const V64: Types = &[(V, &[64]), (P, &[64])];

const XOR_3: Intrinsic = Intrinsic::new("veor3q_u8", VectorTernary);
/// The first operand, and the second one where the third is not.
const XOR_AND_NOT: Intrinsic = Intrinsic::new("vbcaxq_u8", VectorTernary);
const SELECT: Intrinsic = Intrinsic::new("vbslq_u8", VectorTernary);
const XOR_ROTATE: Intrinsic = Intrinsic::new("vxarq_u64", VectorRotate);

const ROWS: &[Instance] = &[
    Instance::new(Ternary, vector::LOGIC, &[&[VectorTernary]], call!(XOR_3, X, Y, Z))
        .when(When::Table(0x96)),
    Instance::new(Ternary, vector::LOGIC, &[&[VectorTernary]], call!(XOR_AND_NOT, X, Y, Z))
        .when(When::Table(0xb4)),
    Instance::new(Ternary, vector::LOGIC, &[&[VectorTernary]], call!(SELECT, X, Y, Z))
        .when(When::Table(0xca)),
    // A rotation of a sum, of which one term is zero.
    Instance::new(
        Rotl,
        V64,
        &[&[VectorRotate]],
        As(Register, &call!(XOR_ROTATE, X_WORDS, neon::splat(Word::Decimal(0)), REST)),
    ),
];
