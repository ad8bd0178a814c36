//! What instructions for SHA add to the vectors of x86-64 (SHA-NI): on rows of four words, in registers of 128 bits.

use super::constant::Number::Fixed;
use super::expression::Expression::{self, Number};
use super::expression::{call, X, Y, Z};
use super::x86::*;
use super::{ssse3, vector, Class, Instance, Target, Types, When, C};
use crate::core::{sha1::Sha1, sha256::Sha256};
use crate::core::{Direction::P, Instruction, OpKind};

/// SHA-NI.
pub static SSSE3: Target = Target {
    name: "ssse3+sha",
    title: "128-bit vectors, rounds of SHA-1 and SHA-256 (SSSE3, SHA)",
    features: &["ssse3", "sha"],
    optional: true,
    c: C { attribute: Some("ssse3,sha"), ..ssse3::C128 },
    instances: &[SHA1, SHA256, ssse3::ROWS, vector::NARROW, vector::SHUFFLES, vector::ALL],
    ..ssse3::TARGET
};

const WORDS: Types = &[(P, &[32])];

const SHA1: &[Instance] = &[
    turns(0, call!(SHA1_ROUNDS, X, Y, Number(Fixed(0)))),
    turns(1, call!(SHA1_ROUNDS, X, Y, Number(Fixed(1)))),
    turns(2, call!(SHA1_ROUNDS, X, Y, Number(Fixed(2)))),
    turns(3, call!(SHA1_ROUNDS, X, Y, Number(Fixed(3)))),
    add(Instruction::Sha1(Sha1::NextE), call!(SHA1_NEXT_E, X, Y)),
    add(Instruction::Sha1(Sha1::Message1), call!(SHA1_MESSAGE1, X, Y)),
    add(Instruction::Sha1(Sha1::Message2), call!(SHA1_MESSAGE2, X, Y)),
];

const SHA256: &[Instance] = &[
    Instance::new(OpKind::Instruction, WORDS, &[&[Class::Sha]], call!(SHA256_ROUNDS, X, Y, Z))
        .when(When::Is(Instruction::Sha256(Sha256::Rounds))),
    add(Instruction::Sha256(Sha256::Message1), call!(SHA256_MESSAGE1, X, Y)),
    add(Instruction::Sha256(Sha256::Message2), call!(SHA256_MESSAGE2, X, Y)),
];

/// Turns of SHA-1 cost what those of SHA-256 do.
const fn turns(kind: u8, expression: Expression) -> Instance {
    Instance::new(OpKind::Instruction, WORDS, &[&[Class::Sha]], expression)
        .when(When::Is(Instruction::Sha1(Sha1::Rounds(kind))))
}

/// Machines treat the others like sums.
const fn add(instruction: Instruction, expression: Expression) -> Instance {
    Instance::new(OpKind::Instruction, WORDS, &[&[Class::VectorAdd]], expression)
        .when(When::Is(instruction))
}
