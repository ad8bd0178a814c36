//! 512-bit vectors with ternary logic and rotations: AVX-512 F, BW and VL.

use super::constant::Word::{Bit, Filled, Hexadecimal, OnesLeft, Quads};
use super::constant::{self, Number::Amount, Words64};
use super::expression::Expression::{self, As, Constant, Word};
use super::expression::{call, CType, AMOUNT, REST, X, Y, Z};
use super::x86::*;
use super::{gp64, vector, Dialect, Instance, Target, Types, When, Words, C};
use crate::core::{Direction::*, OpKind::*};
use crate::isa::Class::{
    Mask, VectorLogic, VectorMultiply, VectorPermute, VectorRotate, VectorShift, VectorShuffle,
    VectorTernary,
};

/// The target.
pub static TARGET: Target = Target {
    name: "avx512",
    title: "512-bit vectors, ternary logic (AVX-512 F, BW, VL)",
    architecture: &gp64::X86_64,
    bits: 512,
    registers: 32,
    destructive: false,
    code_bytes: 6.2,
    operand_bytes: 5.0,
    machine: "zen5",
    issue: 4,
    latency: 2,
    features: &["avx512f", "avx512bw", "avx512vl"],
    extension: None,
    guard: None,
    simd: true,
    optional: false,
    words: Words::Several,
    c: C512,
    instances: &[ROWS, WIDE, vector::SHUFFLES, vector::ALL],
};

/// 512-bit registers in C.
pub(super) const C512: C = C {
    dialect: &DIALECT,
    attribute: Some("avx512f,avx512bw,avx512vl"),
    prelude: &["#include <immintrin.h>\n"],
    mm: "_mm512",
    si: "si512",
    register: "__m512i",
    zeros: "_mm512_setzero_si512()",
    ones: "_mm512_set1_epi8(-1)",
    word_types: [""; 2],
    splat: [
        "_mm512_set1_epi8({signed c})",
        "_mm512_set1_epi16({signed c})",
        "_mm512_set1_epi32({signed c})",
        "_mm512_set1_epi64({signed c})",
    ],
    segment: Some("_mm512_broadcast_i32x4(_mm_setr_epi8({bytes}))"),
    segment_type: Some("__m512i"),
    elements: [Some("_mm512_movm_epi16({keep})"), None],
    broadcast: [
        Some("_mm512_set1_epi64((long long){load64}({p}))"),
        Some("_mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)({p})))"),
        Some("_mm512_loadu_si512((const void *)({p}))"),
    ],
};

pub(super) const DIALECT: Dialect = Dialect {
    load: "_mm512_loadu_si512((const void *)($p))",
    store: "_mm512_storeu_si512((void *)($p), $a)",
    zero: "_mm512_setzero_si512()",
    splat: "_mm512_set1_epi64((long long)$n)",
    and: "_mm512_and_si512($a, $b)",
    or: "_mm512_or_si512($a, $b)",
    xor: "_mm512_xor_si512($a, $b)",
    left: "_mm512_slli_epi64($a, $n)",
    right: "_mm512_srli_epi64($a, $n)",
    select: Some("_mm512_ternarylogic_epi64($a, $b, $c, 0xca)"),
    unpack: "_mm512_unpack$h_epi$n($a, $b)",
    halves: ["lo", "hi"],
    bytes: "_mm512_shuffle_epi8($a, $b)",
    segments: "_mm512_shuffle_i64x2($a, $b, $n)",
    quads: "_mm512_permutexvar_epi64(_mm512_set_epi64($n), $a)",
    across: None,
    fill: "_mm512_srai_epi32(_mm512_slli_epi32($a, $n), 31)",
    test: "_mm512_movm_epi8(_mm512_test_epi8_mask($a, $b))",
    broadcast: [
        "_mm512_set1_epi8((char)$a)",
        "_mm512_set1_epi16((short)$a)",
        "_mm512_set1_epi32((int)$a)",
        "_mm512_set1_epi64((long long)$a)",
        "_mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)($a)))",
    ],
    gather: [
        "_mm512_set_epi8($d)",
        "_mm512_set_epi16($d)",
        "_mm512_set_epi32($d)",
        "_mm512_set_epi64($d)",
    ],
    gather_segments:
        "_mm512_inserti32x4(_mm512_inserti32x4(_mm512_inserti32x4(_mm512_castsi128_si512(\
        _mm_loadu_si128((const __m128i *)($0))), _mm_loadu_si128((const __m128i *)($1)), 1), \
        _mm_loadu_si128((const __m128i *)($2)), 2), _mm_loadu_si128((const __m128i *)($3)), 3)",
};

const V8: Types = &[(V, &[8]), (P, &[8])];
const V16: Types = &[(V, &[16]), (P, &[16])];
const V32: Types = &[(V, &[32]), (P, &[32])];
const V64: Types = &[(V, &[64]), (P, &[64])];
const V32_64: Types = &[(V, &[32, 64]), (P, &[32, 64])];

pub(super) const ROWS: &[Instance] = &[
    Instance::new(Ternary, vector::LOGIC, &[&[VectorTernary]], ANY_TERNARY),
    Instance::new(Not, vector::LOGIC, &[&[VectorTernary]], NOT),
    Instance::new(
        Permute,
        &[(P, &[32, 64])],
        &[&[VectorShuffle]],
        call!(SHUFFLE_32, X, As(CType::Named("_MM_PERM_ENUM"), &Word(Quads))),
    )
    .when(When::Whole),
    Instance::new(Mul, V32, &[&[VectorMultiply]], call!(MUL_32, X, Y)),
    Instance::new(Sar, V64, &[&[VectorShift]], call!(ARITHMETIC, X, AMOUNT)),
    // A ternary operation takes its bits from the one shift or the other.
    Instance::new(
        Rotl,
        V8,
        &[&[VectorShift, VectorShift], &[VectorTernary]],
        call!(
            TERNARY,
            splat8(OnesLeft(Amount)),
            call!(LEFT_16, X, AMOUNT),
            call!(RIGHT_16, X, REST),
            Word(Hexadecimal(0xca, 2))
        ),
    ),
    Instance::new(Rotl, V32_64, &[&[VectorRotate]], call!(ROTATE, X, AMOUNT)),
    Instance::new(
        Bitmask,
        V8,
        &[&[Mask], &[Mask]],
        call!(FILL, call!(TEST, X, splat8(Bit(Amount)))),
    ),
    Instance::new(
        Bitmask,
        V16,
        &[&[Mask], &[Mask]],
        call!(FILL, call!(TEST, X, splat16(Bit(Amount)))),
    ),
    Instance::new(Bitmask, V64, &[&[VectorShift], &[VectorShift]], vector::SPREAD),
];

/// The numbers of the elements that the operation puts in each place of the register.
pub(super) const PLACES64: Expression = Constant(constant::Constant::Words(Words64::Places));
const ANY_TERNARY: Expression = call!(TERNARY, X, Y, Z, Word(constant::Word::Table));
const NOT: Expression = call!(TERNARY, X, X, X, Word(Hexadecimal(0x55, 2)));

/// Horizontal atoms of 32 bits: 32 elements of 16 bits over the whole register.
pub(super) const WIDE: &[Instance] =
    &across(&[(H, &[32])], call!(PERMUTE_16, Word(Filled), PLACES64, X));

/// The rows for horizontal atoms over the whole register, whose elements one instruction permutes.
pub(super) const fn across(types: Types, permute: Expression) -> [Instance; 12] {
    [
        Instance::new(And, types, &[&[VectorLogic]], call!(AND, X, Y)),
        Instance::new(Or, types, &[&[VectorLogic]], call!(OR, X, Y)),
        Instance::new(Xor, types, &[&[VectorLogic]], call!(XOR, X, Y)),
        Instance::new(AndNot, types, &[&[VectorLogic]], call!(AND_NOT, X, Y)),
        Instance::new(Not, types, &[&[VectorTernary]], NOT),
        Instance::new(Ternary, types, &[&[VectorTernary]], ANY_TERNARY),
        Instance::new(Shuffle, types, &[&[VectorPermute]], permute),
        Instance::new(Shl, types, &[&[VectorPermute]], permute),
        Instance::new(Shr, types, &[&[VectorPermute]], permute),
        Instance::new(Sar, types, &[&[VectorPermute]], permute),
        Instance::new(Rotl, types, &[&[VectorPermute]], permute),
        Instance::new(Bitmask, types, &[&[VectorPermute]], permute),
    ]
}
