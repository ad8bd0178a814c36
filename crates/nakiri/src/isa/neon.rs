//! 128-bit vectors of AArch64: NEON, which every CPU of the architecture has.

use super::vector::{self, LOGIC, WORDS};
use super::{Architecture, Dialect, Instance, Target, Tool, Types, When, Words, C};
use crate::core::{Direction::*, OpKind::*};
use crate::isa::Class::{
    VectorAdd, VectorLogic, VectorMultiply, VectorShift, VectorShuffle, VectorShuffleBytes,
};

/// 64-bit Arm. Registers are compared with memory byte by byte, so that the order of bytes is the little-endian one.
pub static AARCH64: Architecture = Architecture {
    name: "aarch64",
    guard: "defined(__aarch64__) && !defined(__AARCH64EB__)",
    machines: &["aarch64-", "arm64-"],
    compiler: Tool {
        program: "aarch64-linux-gnu-gcc",
        arguments: &[],
        package: "gcc-aarch64-linux-gnu",
    },
    emulator: Tool { program: "qemu-aarch64", arguments: &[], package: "qemu-user" },
    linking: &["-static"],
    unoptimized: "-O0",
};

/// The target.
pub static TARGET: Target = Target {
    name: "neon",
    title: "128-bit vectors of AArch64 (NEON)",
    architecture: &AARCH64,
    bits: 128,
    registers: 32,
    destructive: false,
    code_bytes: 4.0,
    operand_bytes: 0.0,
    machine: "cortex-a72",
    issue: 2,
    latency: 3,
    features: &[],
    extension: None,
    simd: true,
    optional: false,
    words: Words::Several,
    c: C128,
    instances: &[ROWS],
};

/// Its registers in C.
pub const C128: C = C {
    dialect: &DIALECT,
    attribute: None,
    prelude: &["#include <arm_neon.h>\n"],
    mm: "",
    si: "",
    register: "uint8x16_t",
    zeros: "vdupq_n_u8(0)",
    ones: "vdupq_n_u8(255)",
    splat: [
        "vdupq_n_u8((uint8_t){c})",
        "(uint8x16_t)vdupq_n_u16((uint16_t){c})",
        "(uint8x16_t)vdupq_n_u32((uint32_t){c})",
        "(uint8x16_t)vdupq_n_u64((uint64_t){c})",
    ],
    segment: Some("vcombine_u8(vcreate_u8({low}), vcreate_u8({high}))"),
    elements: [None; 2],
    broadcast: [
        Some("(uint8x16_t)vdupq_n_u64({load64}({p}))"),
        Some("vld1q_u8((const unsigned char *)({p}))"),
        None,
    ],
};

static DIALECT: Dialect = Dialect {
    load: "vld1q_u8($p)",
    store: "vst1q_u8($p, $a)",
    zero: "vdupq_n_u8(0)",
    splat: "(uint8x16_t)vdupq_n_u64($n)",
    and: "vandq_u8($a, $b)",
    or: "vorrq_u8($a, $b)",
    xor: "veorq_u8($a, $b)",
    left: "(uint8x16_t)vshlq_n_u64((uint64x2_t)$a, $n)",
    right: "(uint8x16_t)vshrq_n_u64((uint64x2_t)$a, $n)",
    select: Some("vbslq_u8($a, $b, $c)"),
    unpack: "(uint8x16_t)vzip$hq_u$n((uint$nx$l_t)$a, (uint$nx$l_t)$b)",
    halves: ["1", "2"],
    bytes: "vqtbl1q_u8($a, $b)",
    segments: "",
    quads: "",
    across: None,
    fill: "(uint8x16_t)vshrq_n_s32((int32x4_t)vshlq_n_u32((uint32x4_t)$a, $n), 31)",
    test: "vtstq_u8($a, $b)",
    broadcast: [
        "vdupq_n_u8($a)",
        "(uint8x16_t)vdupq_n_u16($a)",
        "(uint8x16_t)vdupq_n_u32($a)",
        "(uint8x16_t)vdupq_n_u64($a)",
        "",
    ],
    gather: [
        "(uint8x16_t){ $u }",
        "(uint8x16_t)(uint16x8_t){ $u }",
        "(uint8x16_t)(uint32x4_t){ $u }",
        "(uint8x16_t)(uint64x2_t){ $u }",
    ],
    gather_segments: "",
};

const V8_32: Types = &[(V, &[8, 16, 32]), (P, &[8, 16, 32])];
const V16_64: Types = &[(V, &[16, 32, 64]), (P, &[16, 32, 64])];
const V16: Types = &[(V, &[16]), (P, &[16])];
const V32: Types = &[(V, &[32]), (P, &[32])];
const V64: Types = &[(V, &[64]), (P, &[64])];

const TABLE: &str = "vqtbl1q_u8({0}, {segment})";

/// Its operations.
pub const ROWS: &[Instance] = &[
    Instance::new(And, LOGIC, &[&[VectorLogic]], "vandq_u8({0}, {1})"),
    Instance::new(Or, LOGIC, &[&[VectorLogic]], "vorrq_u8({0}, {1})"),
    Instance::new(Xor, LOGIC, &[&[VectorLogic]], "veorq_u8({0}, {1})"),
    Instance::new(Not, LOGIC, &[&[VectorLogic]], "vmvnq_u8({0})"),
    Instance::new(AndNot, LOGIC, &[&[VectorLogic]], "vbicq_u8({1}, {0})"),
    Instance::new(OrNot, LOGIC, &[&[VectorLogic]], "vornq_u8({1}, {0})"),
    Instance::new(
        Add,
        WORDS,
        &[&[VectorAdd]],
        "(uint8x16_t)vaddq_u{w}((uint{w}x{e}_t){0}, (uint{w}x{e}_t){1})",
    ),
    Instance::new(
        Sub,
        WORDS,
        &[&[VectorAdd]],
        "(uint8x16_t)vsubq_u{w}((uint{w}x{e}_t){0}, (uint{w}x{e}_t){1})",
    ),
    Instance::new(
        Mul,
        V8_32,
        &[&[VectorMultiply]],
        "(uint8x16_t)vmulq_u{w}((uint{w}x{e}_t){0}, (uint{w}x{e}_t){1})",
    ),
    // low·low + 2^32 (high·low + low·high)
    Instance::new(
        Mul,
        V64,
        &[
            &[VectorShuffle, VectorShuffle, VectorShuffle],
            &[VectorMultiply],
            &[VectorAdd],
            &[VectorShift],
            &[VectorMultiply],
        ],
        "(uint8x16_t)vmlal_u32(vshlq_n_u64(vpaddlq_u32(\
         vmulq_u32((uint32x4_t){0}, vrev64q_u32((uint32x4_t){1}))), 32), \
         vmovn_u64((uint64x2_t){0}), vmovn_u64((uint64x2_t){1}))",
    ),
    Instance::new(
        Shl,
        WORDS,
        &[&[VectorShift]],
        "(uint8x16_t)vshlq_n_u{w}((uint{w}x{e}_t){0}, {n})",
    ),
    // Shifts to the right are by 1 to the width.
    Instance::new(Shr, WORDS, &[&[VectorLogic]], COPY).when(When::Amount(0)),
    Instance::new(
        Shr,
        WORDS,
        &[&[VectorShift]],
        "(uint8x16_t)vshrq_n_u{w}((uint{w}x{e}_t){0}, {n})",
    ),
    Instance::new(Sar, WORDS, &[&[VectorLogic]], COPY).when(When::Amount(0)),
    Instance::new(
        Sar,
        WORDS,
        &[&[VectorShift]],
        "(uint8x16_t)vshrq_n_s{w}((int{w}x{e}_t){0}, {n})",
    ),
    Instance::new(Rotl, V16, &[&[VectorShuffle]], "vrev16q_u8({0})").when(When::Amount(8)),
    Instance::new(
        Rotl,
        V32,
        &[&[VectorShuffle]],
        "(uint8x16_t)vrev32q_u16((uint16x8_t){0})",
    )
    .when(When::Amount(16)),
    Instance::new(
        Rotl,
        V64,
        &[&[VectorShuffle]],
        "(uint8x16_t)vrev64q_u32((uint32x4_t){0})",
    )
    .when(When::Amount(32)),
    Instance::new(Rotl, V16_64, &[&[VectorShuffleBytes]], TABLE).when(When::Bytes),
    // The second shift inserts its result into that of the first.
    Instance::new(
        Rotl,
        WORDS,
        &[&[VectorShift], &[VectorShift]],
        "(uint8x16_t)vsriq_n_u{w}(vshlq_n_u{w}((uint{w}x{e}_t){0}, {n}), (uint{w}x{e}_t){0}, {w-n})",
    ),
    // All ones in the elements that have the bit.
    Instance::new(
        Bitmask,
        WORDS,
        &[&[VectorAdd]],
        "(uint8x16_t)vtstq_u{w}((uint{w}x{e}_t){0}, vdupq_n_u{w}((uint{w}_t){1<<n}))",
    ),
    // Compilers find the instruction: `ext`, `rev64` or a look-up.
    Instance::new(
        Permute,
        vector::ROWS,
        &[&[VectorShuffleBytes]],
        "__builtin_shufflevector({0}, vdupq_n_u8(0), {picks})",
    ),
    Instance::new(Shuffle, vector::SEGMENTS, &[&[VectorShuffleBytes]], TABLE),
    Instance::new(Shl, vector::SEGMENTS, &[&[VectorShuffleBytes]], TABLE),
    Instance::new(Shr, vector::SEGMENTS, &[&[VectorShuffleBytes]], TABLE),
    Instance::new(Sar, vector::SEGMENTS, &[&[VectorShuffleBytes]], TABLE),
    Instance::new(Rotl, vector::SEGMENTS, &[&[VectorShuffleBytes]], TABLE),
    Instance::new(Bitmask, vector::SEGMENTS, &[&[VectorShuffleBytes]], TABLE),
];

const COPY: &str = "vorrq_u8({0}, {0})";
