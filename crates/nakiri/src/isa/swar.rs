//! General-purpose registers with several words in each (SWAR). Logic needs nothing; what crosses from one word into its
//! neighbour is masked, and sums keep their highest bits apart so that no carry leaves a word (Lamport: "Multiple byte
//! processing with full-word instructions", Communications of the ACM 18, 1975). There are no products: the target with one
//! word a register has them.

use super::{gp32, gp64, scalar, Instance, Target, Types, When, Words, C};
use crate::core::{Direction::*, OpKind::*};
use crate::isa::Class::{self, Logic, Shift};

/// Registers of 64 bits, of any CPU.
pub static GP64: Target = Target {
    name: "gp64+swar",
    title: "general-purpose registers of 64 bits, several words in each",
    words: Words::Several,
    c: REGISTERS,
    instances: &[&logic(V64), &words(V64)],
    ..gp64::TARGET
};

/// Registers of 32 bits.
pub static GP32: Target = Target {
    name: "gp32+swar",
    title: "general-purpose registers of 32 bits, several words in each",
    words: Words::Several,
    c: REGISTERS,
    instances: &[&logic(V32), &gates(V32), &words(V32)],
    ..gp32::TARGET
};

const V64: Types = &[(V, &[8, 16, 32])];
const V32: Types = &[(V, &[8, 16])];

const REGISTERS: C = C { splat: ["(uint{r}_t){every c}"; 4], ..scalar::REGISTERS };

/// Registers as bit strings.
const fn logic(types: Types) -> [Instance; 4] {
    [
        Instance::new(And, types, &[&[Logic]], scalar::AND),
        Instance::new(Or, types, &[&[Logic]], scalar::OR),
        Instance::new(Xor, types, &[&[Logic]], scalar::XOR),
        Instance::new(Not, types, &[&[Logic]], scalar::NOT),
    ]
}

/// Gates that not all CPUs have.
const fn gates(types: Types) -> [Instance; 2] {
    [
        Instance::new(AndNot, types, &[&[Logic]], scalar::AND_NOT),
        Instance::new(OrNot, types, &[&[Logic]], scalar::OR_NOT),
    ]
}

/// What would cross from word to word.
const fn words(types: Types) -> [Instance; 11] {
    [
        Instance::new(Add, types, &[&[Logic, Logic, Logic], &[Class::Add, Logic], &[Logic]], ADD),
        Instance::new(
            Sub,
            types,
            &[&[Logic, Logic, Logic], &[Class::Add, Logic, Logic], &[Logic]],
            SUB,
        ),
        Instance::new(Shl, types, &[&[Shift], &[Logic]], SHL),
        Instance::new(Shr, types, &[&[Shift], &[Logic]], SHR),
        Instance::new(
            Sar,
            types,
            &[&[Shift, Logic], &[Logic, Shift, Shift], &[Class::Add], &[Logic]],
            SAR,
        ),
        Instance::new(Rotl, types, &[&[Shift, Shift], &[Logic, Logic], &[Logic]], ROTL),
        Instance::new(RotlAnd, types, &[&[Logic]], KEEP).when(When::Amount(0)),
        Instance::new(RotlAnd, types, &[&[Shift], &[Logic]], ROTL_AND_LEFT).when(When::Left),
        Instance::new(RotlAnd, types, &[&[Shift], &[Logic]], ROTL_AND_RIGHT).when(When::Right),
        Instance::new(RotlAnd, types, &[&[Shift, Shift], &[Logic, Logic], &[Logic]], ROTL_AND),
        Instance::new(Bitmask, types, &[&[Shift], &[Logic], &[Shift], &[Class::Add]], BITMASK),
    ]
}

/// Sum: that of the lower bits, and the highest without what it would carry.
pub const ADD: &str =
    "(uint{r}_t)((({0} & {every ones>>1}) + ({1} & {every ones>>1})) ^ (({0} ^ {1}) & {every top}))";
/// Difference: likewise, with a bit lent to each word.
pub const SUB: &str =
    "(uint{r}_t)((({0} | {every top}) - ({1} & {every ones>>1})) ^ (({0} ^ ~{1}) & {every top}))";
/// Shift towards the most significant bit.
pub const SHL: &str = "(uint{r}_t)(({0} << {n}) & {every ones<<n})";
/// Shift towards the least significant bit.
pub const SHR: &str = "(uint{r}_t)(({0} >> {n}) & {every ones>>n})";
/// The same, filled by the sign: 2^M − 2^(M−1−n) for each word that has it.
pub const SAR: &str = "(uint{r}_t)((({0} >> {n}) & {every ones>>n}) | \
                       ((({0} & {every top}) << 1) - (({0} & {every top}) >> {n})))";
/// Rotation.
pub const ROTL: &str =
    "(uint{r}_t)((({0} << {n}) & {every ones<<n}) | (({0} >> {w-n}) & {every ones>>w-n}))";
/// Bits that stay where they are.
pub const KEEP: &str = "(uint{r}_t)({0} & {every kept})";
/// Bits of a rotation that don't leave their word's most significant end.
pub const ROTL_AND_LEFT: &str = "(uint{r}_t)(({0} << {n}) & {every kept})";
/// Bits that do.
pub const ROTL_AND_RIGHT: &str = "(uint{r}_t)(({0} >> {w-n}) & {every kept})";
/// Bits of both kinds.
pub const ROTL_AND: &str = "(uint{r}_t)((({0} << {n}) & {every kept&ones<<n}) | \
                            (({0} >> {w-n}) & {every kept&ones>>w-n}))";
/// One bit in all: 2^M − 1 for each word that has it.
pub const BITMASK: &str =
    "(uint{r}_t)(((({0} >> {n}) & {every 1}) << {w}) - (({0} >> {n}) & {every 1}))";
