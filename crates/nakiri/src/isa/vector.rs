//! Rows that the vector targets share.

use super::constant::{
    Bytes::Entries,
    Constant::{Ones, Segment},
    Number::*,
    Word::*,
};
use super::expression::Expression::{self, Constant, Number, Word};
use super::expression::{call, AMOUNT, PLACES, REST, X, Y, ZEROS};
use super::x86::*;
use super::{Instance, Types, When};
use crate::core::{Direction::*, OpKind::*};
use crate::isa::Class::{
    VectorAdd, VectorLogic, VectorMultiply, VectorShift, VectorShuffle, VectorShuffleBytes,
};

/// Registers as bit strings: every type.
pub const LOGIC: Types = &[(B, &[1]), WORDS[0], WORDS[1], SEGMENTS[0]];
/// Horizontal atoms over segments of 128 bits.
pub const SEGMENTS: Types = &[(H, &[2, 4, 8, 16])];

/// Elements of registers: vertical atoms, and those of rows.
pub const WORDS: Types = &[(V, &[8, 16, 32, 64]), (P, &[8, 16, 32, 64])];
/// Elements of rows alone.
pub const ROWS: Types = &[WORDS[1]];
/// Rows of words that are permuted by fours of 32 bits.
const QUADS: Types = &[(P, &[32, 64])];
/// Bytes.
pub const V8: Types = &[(V, &[8]), (P, &[8])];
/// Rows of bytes.
pub const BYTE_ROWS: Types = &[(P, &[8])];
const V16: Types = &[(V, &[16]), (P, &[16])];
const V64: Types = &[(V, &[64]), (P, &[64])];
const V16_32: Types = &[(V, &[16, 32]), (P, &[16, 32])];
const V16_64: Types = &[(V, &[16, 32, 64]), (P, &[16, 32, 64])];

/// Half of the bits of an element of 64.
pub const HALF: Expression = Number(Fixed(32));
/// Bytes have no shifts: what came from the neighbour is masked.
const LEFT_8: Expression = call!(AND, call!(LEFT_16, X, AMOUNT), splat8(OnesLeft(Amount)));
const RIGHT_8: Expression = call!(AND, call!(RIGHT_16, X, AMOUNT), splat8(OnesRight(Amount)));
/// One bit in all, as a sign.
pub const SPREAD: Expression = call!(ARITHMETIC, call!(LEFT, X, Number(Below)), Number(Highest));
/// Entries of a table of sixteen, which a shuffle picks.
const NIBBLE: Expression = call!(SHUFFLE_8, Constant(Segment(Entries(0))), X);
/// Bytes of a segment.
const SHUFFLE: Expression = call!(SHUFFLE_8, X, PLACES);

/// Rows whose intrinsics differ between the targets in the prefix and suffix only.
pub const ALL: &[Instance] = &[
    Instance::new(And, LOGIC, &[&[VectorLogic]], call!(AND, X, Y)),
    Instance::new(Or, LOGIC, &[&[VectorLogic]], call!(OR, X, Y)),
    Instance::new(Xor, LOGIC, &[&[VectorLogic]], call!(XOR, X, Y)),
    Instance::new(Not, LOGIC, &[&[VectorLogic]], call!(XOR, X, Constant(Ones))),
    Instance::new(AndNot, LOGIC, &[&[VectorLogic]], call!(AND_NOT, X, Y)),
    Instance::new(Add, WORDS, &[&[VectorAdd]], call!(ADD, X, Y)),
    Instance::new(Sub, WORDS, &[&[VectorAdd]], call!(SUB, X, Y)),
    // Products of the low bytes and of the high bytes of each 16 bits.
    Instance::new(
        Mul,
        V8,
        &[
            &[VectorMultiply, VectorShift, VectorLogic],
            &[VectorMultiply, VectorLogic],
            &[VectorLogic],
        ],
        call!(
            OR,
            call!(AND, call!(MUL_16, X, Y), splat16(Hexadecimal(0x00ff, 4))),
            call!(
                MUL_16,
                call!(RIGHT_16, X, Number(Fixed(8))),
                call!(AND, Y, splat16(Hexadecimal(-0x0100, 4)))
            )
        ),
    ),
    Instance::new(Mul, V16, &[&[VectorMultiply]], call!(MUL_16, X, Y)),
    // low·low + 2^32 (high·low + low·high)
    Instance::new(
        Mul,
        V64,
        &[
            &[VectorShift, VectorShift],
            &[VectorMultiply, VectorMultiply, VectorMultiply],
            &[VectorAdd],
            &[VectorShift],
            &[VectorAdd],
        ],
        call!(
            ADD,
            call!(MUL_WIDE_32, X, Y),
            call!(
                LEFT,
                call!(
                    ADD,
                    call!(MUL_WIDE_32, call!(RIGHT, X, HALF), Y),
                    call!(MUL_WIDE_32, X, call!(RIGHT, Y, HALF))
                ),
                HALF
            )
        ),
    ),
    Instance::new(MulHalves, V64, &[&[VectorMultiply]], call!(MUL_WIDE_32, X, Y)),
    // Cores add on more ports than they shift on.
    Instance::new(Shl, WORDS, &[&[VectorAdd]], call!(ADD, X, X)).when(When::Amount(1)),
    Instance::new(Shl, V8, &[&[VectorShift], &[VectorLogic]], LEFT_8),
    Instance::new(Shl, V16_64, &[&[VectorShift]], call!(LEFT, X, AMOUNT)),
    Instance::new(Shr, V8, &[&[VectorShift], &[VectorLogic]], RIGHT_8),
    Instance::new(Shr, V16_64, &[&[VectorShift]], call!(RIGHT, X, AMOUNT)),
    // (x ^ s) - s extends the sign bit s.
    Instance::new(
        Sar,
        V8,
        &[&[VectorShift], &[VectorLogic], &[VectorLogic], &[VectorAdd]],
        call!(SUB, call!(XOR, RIGHT_8, splat8(Bit(Below))), splat8(Bit(Below))),
    ),
    Instance::new(Sar, V16_32, &[&[VectorShift]], call!(ARITHMETIC, X, AMOUNT)),
    Instance::new(
        Rotl,
        V8,
        &[&[VectorShift, VectorShift], &[VectorLogic, VectorLogic], &[VectorLogic]],
        call!(OR, LEFT_8, call!(AND, call!(RIGHT_16, X, REST), splat8(OnesRight(Rest)))),
    ),
    Instance::new(
        Rotl,
        V16_64,
        &[&[VectorAdd, VectorShift], &[VectorLogic]],
        call!(OR, call!(ADD, X, X), call!(RIGHT, X, REST)),
    )
    .when(When::Amount(1)),
    Instance::new(
        Rotl,
        V16_64,
        &[&[VectorShift, VectorShift], &[VectorLogic]],
        call!(OR, call!(LEFT, X, AMOUNT), call!(RIGHT, X, REST)),
    ),
    Instance::new(Bitmask, V16_32, &[&[VectorShift], &[VectorShift]], SPREAD),
];

/// Shuffles of bytes, and of rows: those of whole words are here too, since there are none without the others, and what else there is
/// for rows alone.
pub const SHUFFLES: &[Instance] = &[
    Instance::new(Instruction, BYTE_ROWS, &[&[VectorAdd]], call!(ADD_32, X, Y))
        .when(When::Is(crate::core::Instruction::Add32)),
    Instance::new(Rotl, V16_64, &[&[VectorShuffleBytes]], SHUFFLE).when(When::Bytes),
    Instance::new(Permute, QUADS, &[&[VectorShuffle]], call!(SHUFFLE_32, X, Word(Quads)))
        .when(When::Whole),
    Instance::new(Permute, ROWS, &[&[VectorShuffleBytes]], SHUFFLE),
    Instance::new(Nibble, V8, &[&[VectorShuffleBytes]], NIBBLE),
    Instance::new(Window, ROWS, &[&[VectorShuffle]], call!(ALIGN, Y, X, Number(Octets))),
    Instance::new(Shuffle, SEGMENTS, &[&[VectorShuffleBytes]], SHUFFLE),
    Instance::new(Shl, SEGMENTS, &[&[VectorShuffleBytes]], SHUFFLE),
    Instance::new(Shr, SEGMENTS, &[&[VectorShuffleBytes]], SHUFFLE),
    Instance::new(Sar, SEGMENTS, &[&[VectorShuffleBytes]], SHUFFLE),
    Instance::new(Rotl, SEGMENTS, &[&[VectorShuffleBytes]], SHUFFLE),
    Instance::new(Bitmask, SEGMENTS, &[&[VectorShuffleBytes]], SHUFFLE),
];

/// Rows for targets below AVX-512, which has better.
pub const NARROW: &[Instance] = &[
    Instance::new(
        Sar,
        V64,
        &[&[VectorShift], &[VectorLogic], &[VectorAdd]],
        call!(SUB, call!(XOR, call!(RIGHT, X, AMOUNT), splat64x(Bit(Below))), splat64x(Bit(Below))),
    ),
    Instance::new(
        Bitmask,
        V64,
        &[&[VectorShift], &[VectorLogic], &[VectorAdd]],
        call!(SUB, ZEROS, call!(AND, call!(RIGHT, X, AMOUNT), splat64x(Decimal(1)))),
    ),
    Instance::new(
        Bitmask,
        V8,
        &[&[VectorLogic], &[VectorAdd]],
        call!(EQUAL_8, call!(AND, X, splat8(Bit(Amount))), splat8(Bit(Amount))),
    ),
];

/// What SSE4 adds to SSSE3.
pub const SSE4: &[Instance] = &[
    Instance::new(Mul, &[(V, &[32]), (P, &[32])], &[&[VectorMultiply]], call!(MUL_32, X, Y)),
    Instance::new(
        Bitmask,
        V64,
        &[&[VectorShift], &[VectorAdd]],
        call!(GREATER_64, ZEROS, call!(LEFT, X, Number(Below))),
    ),
];
