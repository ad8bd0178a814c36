//! What instructions for SHA add to the vectors of x86-64 (SHA-NI): on rows of four words, in registers of 128 bits.

use super::expression::{call, X, Y, Z};
use super::x86::*;
use super::{ssse3, vector, Instance, Target, Types, When, Work, C};
use crate::core::sha256::Sha256::*;
use crate::core::{Direction::P, Instruction, OpKind};
use crate::isa::expression::Expression;
use crate::isa::Class::{Sha, VectorAdd};

/// SHA-NI.
pub static SSSE3: Target = Target {
    name: "ssse3+sha",
    title: "128-bit vectors, rounds of SHA-256 (SSSE3, SHA)",
    features: &["ssse3", "sha"],
    optional: true,
    c: C { attribute: Some("ssse3,sha"), ..ssse3::C128 },
    instances: &[SHA256, ssse3::ROWS, vector::NARROW, vector::SHUFFLES, vector::ALL],
    ..ssse3::TARGET
};

const WORDS: Types = &[(P, &[32])];

/// The compression of SHA-256.
const SHA256: &[Instance] = &[
    row(Rounds, &[&[Sha]], call!(SHA256_ROUNDS, X, Y, Z)),
    row(Message1, &[&[VectorAdd]], call!(SHA256_MESSAGE1, X, Y)),
    row(Message2, &[&[VectorAdd]], call!(SHA256_MESSAGE2, X, Y)),
];

const fn row(step: crate::core::sha256::Sha256, work: Work, expression: Expression) -> Instance {
    Instance::new(OpKind::Instruction, WORDS, work, expression)
        .when(When::Is(Instruction::Sha256(step)))
}
