//! General-purpose registers of 32 bits: Arm's Cortex-M3, -M4 and their like.

use super::{scalar, spread, swar, Architecture, Instance, Target, Tool, Types, Words};
use crate::core::{Direction::*, OpKind::*};
use crate::isa::Class::{self, Logic, Multiply, Rotate, Shift};

/// 32-bit Arm.
pub static ARM: Architecture = Architecture {
    name: "arm",
    guard: "defined(__arm__)",
    machines: &["arm"],
    capabilities: &[],
    compiler: Tool {
        program: "arm-linux-gnueabihf-gcc",
        arguments: &[],
        package: "gcc-arm-linux-gnueabihf",
    },
    emulator: Tool { program: "qemu-arm", arguments: &[], package: "qemu-user" },
    linking: &["-static"],
    unoptimized: "-O0",
};

/// The target. An atom of 64 bits takes two registers, which the number of registers does not reflect; shifts that are part of
/// the instruction that reads their result are counted as instructions of their own.
pub static TARGET: Target = Target {
    name: "gp32",
    title: "general-purpose registers of 32 bits (Cortex-M4)",
    architecture: &ARM,
    bits: 32,
    registers: 14,
    destructive: false,
    code_bytes: 4.0,
    operand_bytes: 0.0,
    machine: "cortex-m4",
    issue: 1,
    latency: 1,
    features: &[],
    extension: None,
    guard: None,
    simd: false,
    optional: false,
    words: Words::One { several: &swar::GP32 },
    c: scalar::REGISTERS,
    instances: &[ROWS, PAIRS, &spread::words(spread::H32), &spread::gates(spread::H32)],
};

const LOGIC: Types = &[(B, &[1]), WORDS[0]];
const WORDS: Types = &[(V, &[8, 16, 32])];
const V64: Types = &[(V, &[64])];

const ROWS: &[Instance] = &[
    Instance::new(And, LOGIC, &[&[Logic]], scalar::AND),
    Instance::new(Or, LOGIC, &[&[Logic]], scalar::OR),
    Instance::new(Xor, LOGIC, &[&[Logic]], scalar::XOR),
    Instance::new(Not, LOGIC, &[&[Logic]], scalar::NOT),
    Instance::new(AndNot, LOGIC, &[&[Logic]], scalar::AND_NOT),
    Instance::new(OrNot, LOGIC, &[&[Logic]], scalar::OR_NOT),
    Instance::new(Add, WORDS, &[&[Class::Add]], scalar::ADD),
    Instance::new(Sub, WORDS, &[&[Class::Add]], scalar::SUB),
    Instance::new(Mul, WORDS, &[&[Multiply]], scalar::MUL),
    Instance::new(Shl, WORDS, &[&[Shift]], scalar::SHL),
    Instance::new(Shr, WORDS, &[&[Shift]], scalar::SHR),
    Instance::new(Sar, WORDS, &[&[Shift]], scalar::SAR),
    Instance::new(Rotl, &[(V, &[32])], &[&[Rotate]], scalar::ROTL),
    Instance::new(Rotl, &[(V, &[8, 16])], &[&[Shift, Shift], &[Logic]], scalar::ROTL),
    // A field of one bit, extended by its sign.
    Instance::new(Bitmask, WORDS, &[&[Shift]], scalar::BITMASK),
];

/// Pairs of registers: the halves one after the other.
const PAIRS: &[Instance] = &[
    Instance::new(And, V64, &[&[Logic], &[Logic]], scalar::AND),
    Instance::new(Or, V64, &[&[Logic], &[Logic]], scalar::OR),
    Instance::new(Xor, V64, &[&[Logic], &[Logic]], scalar::XOR),
    Instance::new(Not, V64, &[&[Logic], &[Logic]], scalar::NOT),
    Instance::new(AndNot, V64, &[&[Logic], &[Logic]], scalar::AND_NOT),
    Instance::new(OrNot, V64, &[&[Logic], &[Logic]], scalar::OR_NOT),
    Instance::new(Add, V64, &[&[Class::Add], &[Class::Add]], scalar::ADD),
    Instance::new(Sub, V64, &[&[Class::Add], &[Class::Add]], scalar::SUB),
    // low·low + 2^32 (high·low + low·high)
    Instance::new(Mul, V64, &[&[Multiply], &[Multiply], &[Multiply]], scalar::MUL),
    Instance::new(Shl, V64, &[&[Shift, Shift], &[Logic]], scalar::SHL),
    Instance::new(Shr, V64, &[&[Shift, Shift], &[Logic]], scalar::SHR),
    Instance::new(Sar, V64, &[&[Shift, Shift], &[Logic]], scalar::SAR),
    // Each half takes its bits from both; the second shift is part of the `orr`.
    Instance::new(Rotl, V64, &[&[Shift, Shift], &[Logic], &[Logic]], scalar::ROTL),
    Instance::new(Bitmask, V64, &[&[Shift]], scalar::BITMASK),
];
