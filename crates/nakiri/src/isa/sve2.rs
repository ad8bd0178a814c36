//! Vectors of AArch64 of a length that is fixed when the C is compiled: SVE2 with 256 and 512 bits. At 128 bits it has no more
//! registers than NEON, and little more operations than NEON with SHA3.

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
        guard: "defined(__ARM_FEATURE_SVE2) && !defined(__AARCH64EB__) && __ARM_FEATURE_SVE_BITS == 256",
        flags: &["-march=armv8.2-a+sve2", "-msve-vector-bits=256"],
        emulator: &["-cpu", "max,sve-default-vector-length=32"],
    }),
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
        guard: "defined(__ARM_FEATURE_SVE2) && !defined(__AARCH64EB__) && __ARM_FEATURE_SVE_BITS == 512",
        flags: &["-march=armv8.2-a+sve2", "-msve-vector-bits=512"],
        emulator: &["-cpu", "max,sve-default-vector-length=64"],
    }),
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

const ROWS: &[Instance] = &[
    table(0x96, "sveor3_u8({0}, {1}, {2})"),
    table(0xb4, "svbcax_u8({0}, {1}, {2})"),
    // The last operand chooses between the first two, one of which, or the result, is complemented.
    table(0xca, "svbsl_u8({1}, {2}, {0})"),
    table(0x35, "svnbsl_u8({1}, {2}, {0})"),
    table(0x3a, "svbsl1n_u8({1}, {2}, {0})"),
    table(0xc5, "svbsl2n_u8({1}, {2}, {0})"),
    // A rotation of a sum, of which one term is zero.
    Instance::new(Rotl, V8, &[&[VectorRotate]], "svxar_n_u8({0}, svdup_u8(0), {w-n})"),
    Instance::new(
        Rotl,
        V16_64,
        &[&[VectorRotate]],
        "svreinterpret_u8_u{w}(svxar_n_u{w}(svreinterpret_u{w}_u8({0}), svdup_u{w}(0), {w-n}))",
    ),
];

const fn table(table: u8, c: &'static str) -> Instance {
    Instance::new(Ternary, vector::LOGIC, &[&[VectorTernary]], c).when(When::Table(table))
}
