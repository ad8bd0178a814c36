//! Horizontal atoms in general-purpose registers: the bits of several words lie side by side, position by position, so that a
//! rotation of all words is one rotation of the register, and what a shift pushes out of one word it pushes out of all.

use super::{scalar, Instance, Types};
use crate::core::{Direction::H, OpKind::*};
use crate::isa::Class::{Logic, Multiply, Rotate, Shift};

/// Words that several fit of in a register of 64 bits.
pub const H64: Types = &[(H, &[8, 16, 32])];
/// In one of 32 bits.
pub const H32: Types = &[(H, &[8, 16])];

/// Whatever a word does that doesn't carry.
pub const fn words(types: Types) -> [Instance; 9] {
    [
        Instance::new(And, types, &[&[Logic]], scalar::AND),
        Instance::new(Or, types, &[&[Logic]], scalar::OR),
        Instance::new(Xor, types, &[&[Logic]], scalar::XOR),
        Instance::new(Not, types, &[&[Logic]], scalar::NOT),
        Instance::new(Shl, types, &[&[Shift]], SHL),
        Instance::new(Shr, types, &[&[Shift]], SHR),
        Instance::new(Sar, types, &[&[Shift, Shift], &[Multiply], &[Logic]], SAR),
        Instance::new(Rotl, types, &[&[Rotate]], ROTL),
        Instance::new(Bitmask, types, &[&[Shift], &[Logic], &[Multiply]], BITMASK),
    ]
}

/// Gates that not all CPUs have.
pub const fn gates(types: Types) -> [Instance; 2] {
    [
        Instance::new(AndNot, types, &[&[Logic]], scalar::AND_NOT),
        Instance::new(OrNot, types, &[&[Logic]], scalar::OR_NOT),
    ]
}

/// Shift towards the most significant bits.
pub const SHL: &str = "(uint{r}_t)({0} << {l*n})";
/// Shift towards the least significant bits.
pub const SHR: &str = "(uint{r}_t)({0} >> {l*n})";
/// The same, filled by the signs: the product repeats them.
pub const SAR: &str =
    "(uint{r}_t)(({0} >> {l*n}) | ({0} >> {l*(w-1)}) * (uint{r}_t){lane 0 ones<<w-n})";
/// Rotation.
pub const ROTL: &str = "(uint{r}_t)(({0} << {l*n}) | ({0} >> {l*(w-n)}))";
/// One bit of each word in all of its bits.
pub const BITMASK: &str = "(uint{r}_t)((({0} >> {l*n}) & {lanes 1}) * (uint{r}_t){lane 0 ones})";
