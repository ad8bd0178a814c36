//! General-purpose registers with several words in each (SWAR). Logic needs nothing; what crosses from one word into its
//! neighbour is masked, and sums keep their highest bits apart so that no carry leaves a word (Lamport: "Multiple byte
//! processing with full-word instructions", Communications of the ACM 18, 1975). There are no products: the target with one
//! word a register has them.

use super::constant::{Constant::Every, Number::*, Word};
use super::expression::{Binary::*, Expression, Expression::*, Shift::*, Unary::Not, X, Y};
use super::{gp32, gp64, scalar, Class, Instance, Target, Types, When, Words, C};
use crate::core::{Direction::V, OpKind};
use crate::isa::Class::Logic;

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
        Instance::new(OpKind::And, types, &[&[Logic]], scalar::AND),
        Instance::new(OpKind::Or, types, &[&[Logic]], scalar::OR),
        Instance::new(OpKind::Xor, types, &[&[Logic]], scalar::XOR),
        Instance::new(OpKind::Not, types, &[&[Logic]], scalar::NOT),
    ]
}

/// Gates that not all CPUs have.
const fn gates(types: Types) -> [Instance; 2] {
    [
        Instance::new(OpKind::AndNot, types, &[&[Logic]], scalar::AND_NOT),
        Instance::new(OpKind::OrNot, types, &[&[Logic]], scalar::OR_NOT),
    ]
}

/// What would cross from word to word.
const fn words(types: Types) -> [Instance; 11] {
    [
        Instance::new(
            OpKind::Add,
            types,
            &[&[Logic, Logic, Logic], &[Class::Add, Logic], &[Logic]],
            ADD,
        ),
        Instance::new(
            OpKind::Sub,
            types,
            &[&[Logic, Logic, Logic], &[Class::Add, Logic, Logic], &[Logic]],
            SUB,
        ),
        Instance::new(OpKind::Shl, types, &[&[Class::Shift], &[Logic]], SHL),
        Instance::new(OpKind::Shr, types, &[&[Class::Shift], &[Logic]], SHR),
        Instance::new(
            OpKind::Sar,
            types,
            &[
                &[Class::Shift, Logic],
                &[Logic, Class::Shift, Class::Shift],
                &[Class::Add],
                &[Logic],
            ],
            SAR,
        ),
        Instance::new(
            OpKind::Rotl,
            types,
            &[&[Class::Shift, Class::Shift], &[Logic, Logic], &[Logic]],
            ROTL,
        ),
        Instance::new(OpKind::RotlAnd, types, &[&[Logic]], KEEP).when(When::Amount(0)),
        Instance::new(OpKind::RotlAnd, types, &[&[Class::Shift], &[Logic]], ROTL_AND_LEFT)
            .when(When::Left),
        Instance::new(OpKind::RotlAnd, types, &[&[Class::Shift], &[Logic]], ROTL_AND_RIGHT)
            .when(When::Right),
        Instance::new(
            OpKind::RotlAnd,
            types,
            &[&[Class::Shift, Class::Shift], &[Logic, Logic], &[Logic]],
            ROTL_AND,
        ),
        Instance::new(
            OpKind::Bitmask,
            types,
            &[&[Class::Shift], &[Logic], &[Class::Shift], &[Class::Add]],
            BITMASK,
        ),
    ]
}

/// The highest bit of each word.
const TOP: Expression = every(Word::Bit(Highest));
/// The other bits of each word.
const LOWER: Expression = every(Word::OnesRight(Fixed(1)));
/// The word shifted to the left, what comes from its neighbour included.
const LEFT: Expression = scalar::SHL;
/// The same to the right.
const RIGHT: Expression = scalar::SHR;
/// What a rotation takes from a word's most significant end, likewise.
const AROUND: Expression = Shift(Right, &X, Rest);
/// The highest bits of words that have them.
const SIGN: Expression = Binary(And, &[X, TOP]);
/// The bit of each word that is numbered by the amount, in its lowest place.
const LOWEST: Expression = Binary(And, &[RIGHT, every(Word::Bit(Fixed(0)))]);

/// Sum: that of the lower bits, and the highest without what it would carry.
const ADD: Expression = Binary(
    Xor,
    &[
        Binary(Add, &[Binary(And, &[X, LOWER]), Binary(And, &[Y, LOWER])]),
        Binary(And, &[scalar::XOR, TOP]),
    ],
);
/// Difference: likewise, with a bit lent to each word.
const SUB: Expression = Binary(
    Xor,
    &[
        Binary(Sub, &[Binary(Or, &[X, TOP]), Binary(And, &[Y, LOWER])]),
        Binary(And, &[Binary(Xor, &[X, Unary(Not, &Y)]), TOP]),
    ],
);
/// Shift towards the most significant bit.
const SHL: Expression = Binary(And, &[LEFT, every(Word::OnesLeft(Amount))]);
/// Shift towards the least significant bit.
const SHR: Expression = Binary(And, &[RIGHT, every(Word::OnesRight(Amount))]);
/// The same, filled by the sign: 2^M − 2^(M−1−n) for each word that has it.
const SAR: Expression =
    Binary(Or, &[SHR, Binary(Sub, &[Shift(Left, &SIGN, Fixed(1)), Shift(Right, &SIGN, Amount)])]);
/// Rotation.
const ROTL: Expression = Binary(Or, &[SHL, Binary(And, &[AROUND, every(Word::OnesRight(Rest))])]);
/// Bits that stay where they are.
const KEEP: Expression = Binary(And, &[X, every(Word::Kept)]);
/// Bits of a rotation that don't leave their word's most significant end.
const ROTL_AND_LEFT: Expression = Binary(And, &[LEFT, every(Word::Kept)]);
/// Bits that do.
const ROTL_AND_RIGHT: Expression = Binary(And, &[AROUND, every(Word::Kept)]);
/// Bits of both kinds.
const ROTL_AND: Expression = Binary(
    Or,
    &[
        Binary(And, &[LEFT, every(Word::KeptLeft(Amount))]),
        Binary(And, &[AROUND, every(Word::KeptRight(Rest))]),
    ],
);
/// One bit in all: 2^M − 1 for each word that has it.
const BITMASK: Expression = Binary(Sub, &[Shift(Left, &LOWEST, Width), LOWEST]);

const fn every(word: Word) -> Expression {
    Constant(Every(word))
}
