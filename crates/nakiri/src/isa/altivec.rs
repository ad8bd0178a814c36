//! 128-bit vectors of 64-bit Power in little-endian order: AltiVec and VSX, as every CPU of the architecture from POWER8 on
//! has them.

use super::expression::{call, Intrinsic, X, Y, Z};
use super::{portable, vector, Architecture, Instance, Target, Tool, Types, When, Words, C};
use crate::core::{Direction::*, OpKind::*};
use crate::isa::Class::{
    Multiply, Transfer, VectorMultiply, VectorRotate, VectorShuffleBytes, VectorTernary,
};

/// 64-bit Power. Registers are compared with memory byte by byte, so that the order of bytes is the little-endian one.
pub static POWERPC64: Architecture = Architecture {
    name: "powerpc64",
    guard: "defined(__powerpc64__) && defined(__LITTLE_ENDIAN__) && defined(__VSX__)",
    machines: &["powerpc64le-", "ppc64le-"],
    capabilities: &[],
    compiler: Tool {
        program: "powerpc64le-linux-gnu-gcc",
        arguments: &[],
        package: "gcc-powerpc64le-linux-gnu",
    },
    emulator: Tool { program: "qemu-ppc64le", arguments: &[], package: "qemu-user" },
    linking: &["-static"],
    unoptimized: "-O0",
};

/// The target.
pub static TARGET: Target = Target {
    name: "altivec",
    title: "128-bit vectors of 64-bit Power (AltiVec, VSX)",
    architecture: &POWERPC64,
    bits: 128,
    registers: 64,
    destructive: false,
    code_bytes: 4.0,
    operand_bytes: 0.0,
    machine: "power9",
    issue: 2,
    latency: 2,
    features: &[],
    extension: None,
    guard: None,
    simd: true,
    optional: false,
    words: Words::Several,
    c: C { prelude: &[HEADER, portable::TYPES128], ..portable::C128 },
    instances: &[
        ROWS,
        portable::LOGIC,
        portable::AND_NOT,
        portable::OR_NOT,
        portable::WORDS,
        portable::SHUFFLES,
    ],
};

/// Its keywords are names for others.
const HEADER: &str = "#include <altivec.h>\n#undef vector\n#undef pixel\n#undef bool\n";

const V8: Types = &[(V, &[8]), (P, &[8])];
const V16_32: Types = &[(V, &[16, 32]), (P, &[16, 32])];
const V64: Types = &[(V, &[64]), (P, &[64])];

/// The last operand chooses between the second and the first.
const SELECT: Intrinsic = Intrinsic::new("vec_sel", VectorTernary);

const ROWS: &[Instance] = &[
    Instance::new(Ternary, vector::LOGIC, &[&[VectorTernary]], call!(SELECT, Z, Y, X))
        .when(When::Table(0xca)),
    Instance::new(Rotl, vector::WORDS, &[&[VectorRotate]], portable::ROTATION),
    // Products of the even and of the odd bytes.
    Instance::new(
        Mul,
        V8,
        &[&[VectorMultiply, VectorMultiply], &[VectorShuffleBytes]],
        portable::PRODUCT,
    ),
    Instance::new(Mul, V16_32, &[&[VectorMultiply]], portable::PRODUCT),
    // In general-purpose registers.
    Instance::new(
        Mul,
        V64,
        &[&[Transfer, Transfer, Transfer, Transfer], &[Multiply, Multiply], &[Transfer]],
        portable::PRODUCT,
    ),
];
