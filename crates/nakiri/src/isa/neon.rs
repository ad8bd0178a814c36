//! 128-bit vectors of AArch64: NEON, which every CPU of the architecture has.

use super::constant::{
    Bits, Bytes, Constant, Element::*, Number::Amount, Number::Fixed, Number::Octets, Splat, Word,
};
use super::expression::Expression::{self, As, Number};
use super::expression::{
    call, CType, CType::*, Intrinsic, AMOUNT, PLACES, REST, X, X_WORDS, Y, Y_WORDS,
};
use super::vector::{self, LOGIC, WORDS};
use super::{
    portable, Architecture, Capability, Dialect, Instance, Target, Tool, Types, When, Words, C,
};
use crate::core::{Direction::*, OpKind::*};
use crate::isa::Class::{
    VectorAdd, VectorLogic, VectorMultiply, VectorShift, VectorShuffle, VectorShuffleBytes,
};

/// 64-bit Arm. Registers are compared with memory byte by byte, so that the order of bytes is the little-endian one.
pub static AARCH64: Architecture = Architecture {
    name: "aarch64",
    guard: "defined(__aarch64__) && !defined(__AARCH64EB__)",
    machines: &["aarch64-", "arm64-"],
    capabilities: CAPABILITIES,
    compiler: Tool {
        program: "aarch64-linux-gnu-gcc",
        arguments: &[],
        package: "gcc-aarch64-linux-gnu",
    },
    emulator: Tool { program: "qemu-aarch64", arguments: &[], package: "qemu-user" },
    linking: &["-static"],
    unoptimized: "-O0",
};

/// Linux, `Documentation/arch/arm64/elf_hwcaps.rst`.
const CAPABILITIES: &[Capability] = &[
    Capability { feature: "aes", macro_name: "__ARM_FEATURE_AES", bits: 1 << 3 | 1 << 4 },
    Capability { feature: "sha2", macro_name: "__ARM_FEATURE_SHA2", bits: 1 << 5 | 1 << 6 },
];

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
    guard: None,
    simd: true,
    optional: false,
    words: Words::Several,
    c: C128,
    instances: &[ROWS],
};

/// Where its intrinsics are declared.
pub const HEADER: &str = "#include <arm_neon.h>\n";

/// Its registers in C.
pub const C128: C = C {
    dialect: &DIALECT,
    attribute: None,
    prelude: &[HEADER],
    mm: "",
    si: "",
    register: "uint8x16_t",
    zeros: "vdupq_n_u8(0)",
    ones: "vdupq_n_u8(255)",
    word_types: ["uint{w}x{e}_t", "int{w}x{e}_t"],
    splat: [
        "vdupq_n_u8((uint8_t){c})",
        "(uint8x16_t)vdupq_n_u16((uint16_t){c})",
        "(uint8x16_t)vdupq_n_u32((uint32_t){c})",
        "(uint8x16_t)vdupq_n_u64((uint64_t){c})",
    ],
    segment: Some("vcombine_u8(vcreate_u8({low}), vcreate_u8({high}))"),
    segment_type: Some("uint8x16_t"),
    elements: [None; 2],
    broadcast: [
        Some("(uint8x16_t)vdupq_n_u64({load64}({p}))"),
        Some("vld1q_u8((const unsigned char *)({p}))"),
        None,
    ],
};

pub static DIALECT: Dialect = Dialect {
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

pub const AND: Intrinsic = Intrinsic::new("vandq_u8", VectorLogic);
pub const OR: Intrinsic = Intrinsic::new("vorrq_u8", VectorLogic);
pub const XOR: Intrinsic = Intrinsic::new("veorq_u8", VectorLogic);
const NOT: Intrinsic = Intrinsic::new("vmvnq_u8", VectorLogic);
/// The first operand, and the complement of the second.
const AND_NOT: Intrinsic = Intrinsic::new("vbicq_u8", VectorLogic);
const OR_NOT: Intrinsic = Intrinsic::new("vornq_u8", VectorLogic);
const ADD: Intrinsic = Intrinsic::new("vaddq_u{w}", VectorAdd);
const ADD_32: Intrinsic = Intrinsic::new("vaddq_u32", VectorAdd);
const SUB: Intrinsic = Intrinsic::new("vsubq_u{w}", VectorAdd);
const MUL: Intrinsic = Intrinsic::new("vmulq_u{w}", VectorMultiply);
const MUL_32: Intrinsic = Intrinsic::new("vmulq_u32", VectorMultiply);
/// Products of 64 bits, added to the first operand.
const MUL_ADD_32: Intrinsic = Intrinsic::new("vmlal_u32", VectorMultiply);
const MUL_WIDE_32: Intrinsic = Intrinsic::new("vmull_u32", VectorMultiply);
const ADD_PAIRS_32: Intrinsic = Intrinsic::new("vpaddlq_u32", VectorAdd);
/// Elements that have common bits.
const TEST: Intrinsic = Intrinsic::new("vtstq_u{w}", VectorAdd);
const LEFT: Intrinsic = Intrinsic::new("vshlq_n_u{w}", VectorShift);
const RIGHT: Intrinsic = Intrinsic::new("vshrq_n_u{w}", VectorShift);
const ARITHMETIC: Intrinsic = Intrinsic::new("vshrq_n_s{w}", VectorShift);
/// A shift to the right below the bits of the first operand that stay.
const INSERT_RIGHT: Intrinsic = Intrinsic::new("vsriq_n_u{w}", VectorShift);
/// Low halves of elements.
const LOW_64: Intrinsic = Intrinsic::new("vmovn_u64", VectorShuffle);
/// Elements of so many bits that change places in pairs.
const SWAP_8: Intrinsic = Intrinsic::new("vrev16q_u8", VectorShuffle);
const SWAP_16: Intrinsic = Intrinsic::new("vrev32q_u16", VectorShuffle);
const SWAP_32: Intrinsic = Intrinsic::new("vrev64q_u32", VectorShuffle);
/// Of the first operand and the second one above, sixteen bytes from a place on.
const EXTRACT: Intrinsic = Intrinsic::new("vextq_u8", VectorShuffle);
pub const LOOK_UP: Intrinsic = Intrinsic::new("vqtbl1q_u8", VectorShuffleBytes);

const U16: CType = Vector(Unsigned(Bits::Fixed(16)));
const U32: CType = Vector(Unsigned(Bits::Fixed(32)));
/// A word in all elements of the atoms' width.
pub const fn splat(word: Word) -> Expression {
    let splat = Splat { name: "vdupq_n_u{w}", element: Unsigned(Bits::Atom) };
    Expression::Constant(Constant::Splat(splat, word))
}

const TABLE: Expression = call!(LOOK_UP, X, PLACES);

/// Its operations.
pub const ROWS: &[Instance] = &[
    Instance::new(And, LOGIC, &[&[VectorLogic]], call!(AND, X, Y)),
    Instance::new(Or, LOGIC, &[&[VectorLogic]], call!(OR, X, Y)),
    Instance::new(Xor, LOGIC, &[&[VectorLogic]], call!(XOR, X, Y)),
    Instance::new(Not, LOGIC, &[&[VectorLogic]], call!(NOT, X)),
    Instance::new(AndNot, LOGIC, &[&[VectorLogic]], call!(AND_NOT, Y, X)),
    Instance::new(OrNot, LOGIC, &[&[VectorLogic]], call!(OR_NOT, Y, X)),
    Instance::new(Add, WORDS, &[&[VectorAdd]], As(Register, &call!(ADD, X_WORDS, Y_WORDS))),
    Instance::new(
        Instruction,
        vector::BYTE_ROWS,
        &[&[VectorAdd]],
        As(Register, &call!(ADD_32, As(U32, &X), As(U32, &Y))),
    )
    .when(When::Is(crate::core::Instruction::Add32)),
    Instance::new(Sub, WORDS, &[&[VectorAdd]], As(Register, &call!(SUB, X_WORDS, Y_WORDS))),
    Instance::new(Mul, V8_32, &[&[VectorMultiply]], As(Register, &call!(MUL, X_WORDS, Y_WORDS))),
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
        As(
            Register,
            &call!(
                MUL_ADD_32,
                call!(
                    LEFT,
                    call!(ADD_PAIRS_32, call!(MUL_32, As(U32, &X), call!(SWAP_32, As(U32, &Y)))),
                    Number(Fixed(32))
                ),
                call!(LOW_64, X_WORDS),
                call!(LOW_64, Y_WORDS)
            ),
        ),
    ),
    Instance::new(
        MulHalves,
        V64,
        &[&[VectorShuffle, VectorShuffle], &[VectorMultiply]],
        As(Register, &call!(MUL_WIDE_32, call!(LOW_64, X_WORDS), call!(LOW_64, Y_WORDS))),
    ),
    Instance::new(Shl, WORDS, &[&[VectorShift]], As(Register, &call!(LEFT, X_WORDS, AMOUNT))),
    // Shifts to the right are by 1 to the width.
    Instance::new(Shr, WORDS, &[&[VectorLogic]], COPY).when(When::Amount(0)),
    Instance::new(Shr, WORDS, &[&[VectorShift]], As(Register, &call!(RIGHT, X_WORDS, AMOUNT))),
    Instance::new(Sar, WORDS, &[&[VectorLogic]], COPY).when(When::Amount(0)),
    Instance::new(
        Sar,
        WORDS,
        &[&[VectorShift]],
        As(Register, &call!(ARITHMETIC, As(Vector(Signed(Bits::Atom)), &X), AMOUNT)),
    ),
    Instance::new(Rotl, V16, &[&[VectorShuffle]], call!(SWAP_8, X)).when(When::Amount(8)),
    Instance::new(Rotl, V32, &[&[VectorShuffle]], As(Register, &call!(SWAP_16, As(U16, &X))))
        .when(When::Amount(16)),
    Instance::new(Rotl, V64, &[&[VectorShuffle]], As(Register, &call!(SWAP_32, As(U32, &X))))
        .when(When::Amount(32)),
    Instance::new(Rotl, V16_64, &[&[VectorShuffleBytes]], TABLE).when(When::Bytes),
    // The second shift inserts its result into that of the first.
    Instance::new(
        Rotl,
        WORDS,
        &[&[VectorShift], &[VectorShift]],
        As(Register, &call!(INSERT_RIGHT, call!(LEFT, X_WORDS, AMOUNT), X_WORDS, REST)),
    ),
    // All ones in the elements that have the bit.
    Instance::new(
        Bitmask,
        WORDS,
        &[&[VectorAdd]],
        As(Register, &call!(TEST, X_WORDS, splat(Word::Bit(Amount)))),
    ),
    // Compilers find the instruction: `ext`, `rev64` or a look-up.
    Instance::new(Permute, vector::ROWS, &[&[VectorShuffleBytes]], portable::SHUFFLE),
    // Places behind a table have zeros.
    Instance::new(
        Nibble,
        vector::V8,
        &[&[VectorLogic], &[VectorShuffleBytes]],
        call!(
            LOOK_UP,
            Expression::Constant(Constant::Segment(Bytes::Entries(0))),
            call!(AND, X, splat(Word::Hexadecimal(0x8f, 2)))
        ),
    ),
    Instance::new(Window, vector::ROWS, &[&[VectorShuffle]], call!(EXTRACT, X, Y, Number(Octets))),
    Instance::new(Shuffle, vector::SEGMENTS, &[&[VectorShuffleBytes]], TABLE),
    Instance::new(Shl, vector::SEGMENTS, &[&[VectorShuffleBytes]], TABLE),
    Instance::new(Shr, vector::SEGMENTS, &[&[VectorShuffleBytes]], TABLE),
    Instance::new(Sar, vector::SEGMENTS, &[&[VectorShuffleBytes]], TABLE),
    Instance::new(Rotl, vector::SEGMENTS, &[&[VectorShuffleBytes]], TABLE),
    Instance::new(Bitmask, vector::SEGMENTS, &[&[VectorShuffleBytes]], TABLE),
];

const COPY: Expression = call!(OR, X, X);
