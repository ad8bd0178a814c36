//! Rows that the vector targets share.

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
const V8: Types = &[(V, &[8]), (P, &[8])];
const V16: Types = &[(V, &[16]), (P, &[16])];
const V64: Types = &[(V, &[64]), (P, &[64])];
const V16_32: Types = &[(V, &[16, 32]), (P, &[16, 32])];
const V16_64: Types = &[(V, &[16, 32, 64]), (P, &[16, 32, 64])];

/// Rows whose intrinsics differ between the targets in the prefix and suffix only.
pub const ALL: &[Instance] = &[
    Instance::new(And, LOGIC, &[&[VectorLogic]], "{mm}_and_{si}({0}, {1})"),
    Instance::new(Or, LOGIC, &[&[VectorLogic]], "{mm}_or_{si}({0}, {1})"),
    Instance::new(Xor, LOGIC, &[&[VectorLogic]], "{mm}_xor_{si}({0}, {1})"),
    Instance::new(Not, LOGIC, &[&[VectorLogic]], "{mm}_xor_{si}({0}, {mm}_set1_epi8(-1))"),
    Instance::new(AndNot, LOGIC, &[&[VectorLogic]], "{mm}_andnot_{si}({0}, {1})"),
    Instance::new(Add, WORDS, &[&[VectorAdd]], "{mm}_add_epi{w}({0}, {1})"),
    Instance::new(Sub, WORDS, &[&[VectorAdd]], "{mm}_sub_epi{w}({0}, {1})"),
    // Products of the low bytes and of the high bytes of each 16 bits.
    Instance::new(
        Mul,
        V8,
        &[
            &[VectorMultiply, VectorShift, VectorLogic],
            &[VectorMultiply, VectorLogic],
            &[VectorLogic],
        ],
        "{mm}_or_{si}({mm}_and_{si}({mm}_mullo_epi16({0}, {1}), {mm}_set1_epi16(0x00ff)), \
         {mm}_mullo_epi16({mm}_srli_epi16({0}, 8), {mm}_and_{si}({1}, {mm}_set1_epi16(-0x0100))))",
    ),
    Instance::new(Mul, V16, &[&[VectorMultiply]], "{mm}_mullo_epi16({0}, {1})"),
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
        "{mm}_add_epi64({mm}_mul_epu32({0}, {1}), {mm}_slli_epi64({mm}_add_epi64(\
         {mm}_mul_epu32({mm}_srli_epi64({0}, 32), {1}), \
         {mm}_mul_epu32({0}, {mm}_srli_epi64({1}, 32))), 32))",
    ),
    // Cores add on more ports than they shift on.
    Instance::new(Shl, WORDS, &[&[VectorAdd]], "{mm}_add_epi{w}({0}, {0})").when(When::Amount(1)),
    // Bytes have no shifts: what came from the neighbour is masked.
    Instance::new(
        Shl,
        V8,
        &[&[VectorShift], &[VectorLogic]],
        "{mm}_and_{si}({mm}_slli_epi16({0}, {n}), {mm}_set1_epi8((char){ones<<n}))",
    ),
    Instance::new(Shl, V16_64, &[&[VectorShift]], "{mm}_slli_epi{w}({0}, {n})"),
    Instance::new(
        Shr,
        V8,
        &[&[VectorShift], &[VectorLogic]],
        "{mm}_and_{si}({mm}_srli_epi16({0}, {n}), {mm}_set1_epi8((char){ones>>n}))",
    ),
    Instance::new(Shr, V16_64, &[&[VectorShift]], "{mm}_srli_epi{w}({0}, {n})"),
    // (x ^ s) - s extends the sign bit s.
    Instance::new(
        Sar,
        V8,
        &[&[VectorShift], &[VectorLogic], &[VectorLogic], &[VectorAdd]],
        "{mm}_sub_epi8({mm}_xor_{si}({mm}_and_{si}({mm}_srli_epi16({0}, {n}), \
         {mm}_set1_epi8((char){ones>>n})), {mm}_set1_epi8((char){sign>>n})), \
         {mm}_set1_epi8((char){sign>>n}))",
    ),
    Instance::new(Sar, V16_32, &[&[VectorShift]], "{mm}_srai_epi{w}({0}, {n})"),
    Instance::new(
        Rotl,
        V8,
        &[&[VectorShift, VectorShift], &[VectorLogic, VectorLogic], &[VectorLogic]],
        "{mm}_or_{si}({mm}_and_{si}({mm}_slli_epi16({0}, {n}), {mm}_set1_epi8((char){ones<<n})), \
         {mm}_and_{si}({mm}_srli_epi16({0}, {w-n}), {mm}_set1_epi8((char){ones>>w-n})))",
    ),
    Instance::new(
        Rotl,
        V16_64,
        &[&[VectorAdd, VectorShift], &[VectorLogic]],
        "{mm}_or_{si}({mm}_add_epi{w}({0}, {0}), {mm}_srli_epi{w}({0}, {w-n}))",
    )
    .when(When::Amount(1)),
    Instance::new(
        Rotl,
        V16_64,
        &[&[VectorShift, VectorShift], &[VectorLogic]],
        "{mm}_or_{si}({mm}_slli_epi{w}({0}, {n}), {mm}_srli_epi{w}({0}, {w-n}))",
    ),
    Instance::new(
        Bitmask,
        V16_32,
        &[&[VectorShift], &[VectorShift]],
        "{mm}_srai_epi{w}({mm}_slli_epi{w}({0}, {w-1-n}), {w-1})",
    ),
];

/// Shuffles of bytes, and of rows: those of whole words are here too, since there are none without the others.
pub const SHUFFLES: &[Instance] = &[
    Instance::new(Rotl, V16_64, &[&[VectorShuffleBytes]], "{mm}_shuffle_epi8({0}, {segment})")
        .when(When::Bytes),
    Instance::new(Permute, QUADS, &[&[VectorShuffle]], "{mm}_shuffle_epi32({0}, {quads})")
        .when(When::Whole),
    Instance::new(Permute, ROWS, &[&[VectorShuffleBytes]], "{mm}_shuffle_epi8({0}, {segment})"),
    Instance::new(Shuffle, SEGMENTS, &[&[VectorShuffleBytes]], "{mm}_shuffle_epi8({0}, {segment})"),
    Instance::new(Shl, SEGMENTS, &[&[VectorShuffleBytes]], "{mm}_shuffle_epi8({0}, {segment})"),
    Instance::new(Shr, SEGMENTS, &[&[VectorShuffleBytes]], "{mm}_shuffle_epi8({0}, {segment})"),
    Instance::new(Sar, SEGMENTS, &[&[VectorShuffleBytes]], "{mm}_shuffle_epi8({0}, {segment})"),
    Instance::new(Rotl, SEGMENTS, &[&[VectorShuffleBytes]], "{mm}_shuffle_epi8({0}, {segment})"),
    Instance::new(Bitmask, SEGMENTS, &[&[VectorShuffleBytes]], "{mm}_shuffle_epi8({0}, {segment})"),
];

/// Rows for targets below AVX-512, which has better.
pub const NARROW: &[Instance] = &[
    Instance::new(
        Sar,
        V64,
        &[&[VectorShift], &[VectorLogic], &[VectorAdd]],
        "{mm}_sub_epi64({mm}_xor_{si}({mm}_srli_epi64({0}, {n}), \
         {mm}_set1_epi64x((long long){sign>>n})), {mm}_set1_epi64x((long long){sign>>n}))",
    ),
    Instance::new(
        Bitmask,
        V64,
        &[&[VectorShift], &[VectorLogic], &[VectorAdd]],
        "{mm}_sub_epi64({mm}_setzero_{si}(), \
         {mm}_and_{si}({mm}_srli_epi64({0}, {n}), {mm}_set1_epi64x(1)))",
    ),
    Instance::new(
        Bitmask,
        V8,
        &[&[VectorLogic], &[VectorAdd]],
        "{mm}_cmpeq_epi8({mm}_and_{si}({0}, {mm}_set1_epi8((char){1<<n})), \
         {mm}_set1_epi8((char){1<<n}))",
    ),
];

/// What SSE4 adds to SSSE3.
pub const SSE4: &[Instance] = &[
    Instance::new(
        Mul,
        &[(V, &[32]), (P, &[32])],
        &[&[VectorMultiply]],
        "{mm}_mullo_epi32({0}, {1})",
    ),
    Instance::new(
        Bitmask,
        V64,
        &[&[VectorShift], &[VectorAdd]],
        "{mm}_cmpgt_epi64({mm}_setzero_{si}(), {mm}_slli_epi64({0}, {w-1-n}))",
    ),
];
