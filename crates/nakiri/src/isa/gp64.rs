//! General-purpose registers of 64 bits. The C is for every CPU, the figures for x86-64.

use super::{scalar, spread, swar, Architecture, Instance, Target, Tool, Types, Words};
use crate::core::{Direction::*, OpKind::*};
use crate::isa::Class::{self, Logic, Multiply, Rotate, Shift};

/// 64-bit x86.
pub static X86_64: Architecture = Architecture {
    name: "x86_64",
    guard: "defined(__x86_64__)",
    machines: &["x86_64-"],
    capabilities: &[],
    compiler: Tool {
        program: "x86_64-linux-gnu-gcc",
        arguments: &[],
        package: "gcc-x86-64-linux-gnu",
    },
    emulator: Tool { program: "qemu-x86_64", arguments: &[], package: "qemu-user" },
    linking: &["-static"],
    unoptimized: "-O0",
};

/// The target.
pub static TARGET: Target = Target {
    name: "gp64",
    title: "general-purpose registers, any CPU of 64 bits",
    architecture: &X86_64,
    bits: 64,
    registers: 15,
    destructive: true,
    code_bytes: 3.0,
    operand_bytes: 5.0,
    machine: "zen5",
    issue: 5,
    latency: 1,
    features: &[],
    extension: None,
    guard: None,
    simd: false,
    optional: false,
    words: Words::One { several: &swar::GP64 },
    c: scalar::REGISTERS,
    instances: &[ROWS, &spread::words(spread::H64)],
};

const LOGIC: Types = &[(B, &[1]), WORDS[0]];
/// What products of words make, in two registers; no port has such words.
const DOUBLE: Types = &[(V, &[128])];
const LONG: Types = &[(V, &[64, 128])];
const WORDS: Types = &[(V, &[8, 16, 32, 64])];

const ROWS: &[Instance] = &[
    Instance::new(And, LOGIC, &[&[Logic]], scalar::AND),
    Instance::new(Or, LOGIC, &[&[Logic]], scalar::OR),
    Instance::new(Xor, LOGIC, &[&[Logic]], scalar::XOR),
    Instance::new(Not, LOGIC, &[&[Logic]], scalar::NOT),
    Instance::new(Add, WORDS, &[&[Class::Add]], scalar::ADD),
    Instance::new(Sub, WORDS, &[&[Class::Add]], scalar::SUB),
    Instance::new(Mul, WORDS, &[&[Multiply]], scalar::MUL),
    Instance::new(Product, LONG, &[&[Multiply]], scalar::PRODUCT),
    Instance::new(Widen, LONG, &[&[Class::Move]], scalar::WIDEN),
    Instance::new(Low, LONG, &[&[Class::Move]], scalar::LOW),
    Instance::new(Add, DOUBLE, &[&[Class::Add], &[Class::Add]], scalar::ADD),
    Instance::new(Shr, DOUBLE, &[&[Shift], &[Shift]], scalar::SHR),
    Instance::new(Shl, WORDS, &[&[Shift]], scalar::SHL),
    Instance::new(Shr, WORDS, &[&[Shift]], scalar::SHR),
    Instance::new(Sar, WORDS, &[&[Shift]], scalar::SAR),
    Instance::new(Rotl, WORDS, &[&[Rotate]], scalar::ROTL),
    Instance::new(Bitmask, WORDS, &[&[Shift], &[Logic], &[Class::Add]], scalar::BITMASK),
];
