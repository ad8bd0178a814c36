//! Horizontal atoms in general-purpose registers: the bits of several words lie side by side, position by position, so that a
//! rotation of all words is one rotation of the register, and what a shift pushes out of one word it pushes out of all.

use super::constant::{Constant::*, Number::*, Word};
use super::expression::{Binary::*, CType, Expression, Expression::*, Shift::*, X};
use super::{scalar, Class, Instance, Types};
use crate::core::{Direction::H, OpKind};
use crate::isa::Class::{Logic, Multiply};

/// Words that several fit of in a register of 64 bits.
pub const H64: Types = &[(H, &[8, 16, 32])];
/// In one of 32 bits.
pub const H32: Types = &[(H, &[8, 16])];

/// Whatever a word does that doesn't carry.
pub const fn words(types: Types) -> [Instance; 9] {
    [
        Instance::new(OpKind::And, types, &[&[Logic]], scalar::AND),
        Instance::new(OpKind::Or, types, &[&[Logic]], scalar::OR),
        Instance::new(OpKind::Xor, types, &[&[Logic]], scalar::XOR),
        Instance::new(OpKind::Not, types, &[&[Logic]], scalar::NOT),
        Instance::new(OpKind::Shl, types, &[&[Class::Shift]], SHL),
        Instance::new(OpKind::Shr, types, &[&[Class::Shift]], SHR),
        Instance::new(
            OpKind::Sar,
            types,
            &[&[Class::Shift, Class::Shift], &[Multiply], &[Logic]],
            SAR,
        ),
        Instance::new(OpKind::Rotl, types, &[&[Class::Rotate]], ROTL),
        Instance::new(OpKind::Bitmask, types, &[&[Class::Shift], &[Logic], &[Multiply]], BITMASK),
    ]
}

/// Gates that not all CPUs have.
pub const fn gates(types: Types) -> [Instance; 2] {
    [
        Instance::new(OpKind::AndNot, types, &[&[Logic]], scalar::AND_NOT),
        Instance::new(OpKind::OrNot, types, &[&[Logic]], scalar::OR_NOT),
    ]
}

/// Shift towards the most significant bits.
const SHL: Expression = ShiftPositions(Left, &X, Amount);
/// Shift towards the least significant bits.
const SHR: Expression = ShiftPositions(Right, &X, Amount);
/// The same, filled by the signs: the product repeats them.
const SAR: Expression = Binary(
    Or,
    &[
        SHR,
        Binary(
            Mul,
            &[
                ShiftPositions(Right, &X, Highest),
                As(CType::Register, &Constant(FirstLane(Word::OnesLeft(Rest)))),
            ],
        ),
    ],
);
/// Rotation.
const ROTL: Expression = ShiftPositions(Rotate, &X, Amount);
/// One bit of each word in all of its bits.
const BITMASK: Expression = Binary(
    Mul,
    &[
        Binary(And, &[SHR, Constant(Lanes(Word::Bit(Fixed(0))))]),
        As(CType::Register, &Constant(FirstLane(Word::OnesLeft(Fixed(0))))),
    ],
);
