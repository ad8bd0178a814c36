//! 128-bit vectors with two-operand instructions: SSSE3.

use super::constant::Word::Hexadecimal;
use super::expression::{call, X, Y};
use super::vector::HALF;
use super::x86::*;
use super::{gp64, vector, Dialect, Instance, Target, Words, C};
use crate::core::{Direction::*, OpKind::*};
use crate::isa::Class::{VectorLogic, VectorMultiply, VectorShift};

/// The target.
pub static TARGET: Target = Target {
    name: "ssse3",
    title: "128-bit vectors, two operands (SSSE3)",
    architecture: &gp64::X86_64,
    bits: 128,
    registers: 16,
    destructive: true,
    code_bytes: 4.0,
    operand_bytes: 5.0,
    machine: "zen5",
    issue: 4,
    latency: 2,
    features: &["ssse3"],
    extension: None,
    guard: None,
    simd: true,
    optional: false,
    words: Words::Several,
    c: C { attribute: Some("ssse3"), ..C128 },
    instances: &[ROWS, vector::NARROW, vector::SHUFFLES, vector::ALL],
};

/// 128-bit registers in C.
pub const C128: C = C {
    dialect: &DIALECT128,
    attribute: None,
    prelude: &["#include <immintrin.h>\n"],
    mm: "_mm",
    si: "si128",
    register: "__m128i",
    zeros: "_mm_setzero_si128()",
    ones: "_mm_set1_epi8(-1)",
    word_types: [""; 2],
    splat: [
        "_mm_set1_epi8({signed c})",
        "_mm_set1_epi16({signed c})",
        "_mm_set1_epi32({signed c})",
        "_mm_set1_epi64x({signed c})",
    ],
    segment: Some("_mm_setr_epi8({bytes})"),
    segment_type: Some("__m128i"),
    elements: [None; 2],
    broadcast: [
        Some("_mm_set1_epi64x((long long){load64}({p}))"),
        Some("_mm_loadu_si128((const __m128i *)(const void *)({p}))"),
        None,
    ],
};

/// Transpositions of 128-bit registers.
pub const DIALECT128: Dialect = Dialect {
    load: "_mm_loadu_si128((const __m128i *)($p))",
    store: "_mm_storeu_si128((__m128i *)($p), $a)",
    zero: "_mm_setzero_si128()",
    splat: "_mm_set1_epi64x((long long)$n)",
    and: "_mm_and_si128($a, $b)",
    or: "_mm_or_si128($a, $b)",
    xor: "_mm_xor_si128($a, $b)",
    left: "_mm_slli_epi64($a, $n)",
    right: "_mm_srli_epi64($a, $n)",
    select: None,
    unpack: "_mm_unpack$h_epi$n($a, $b)",
    halves: ["lo", "hi"],
    bytes: "_mm_shuffle_epi8($a, $b)",
    segments: "",
    quads: "",
    across: None,
    fill: "_mm_srai_epi32(_mm_slli_epi32($a, $n), 31)",
    test: "_mm_cmpeq_epi8(_mm_and_si128($a, $b), $b)",
    broadcast: [
        "_mm_set1_epi8((char)$a)",
        "_mm_set1_epi16((short)$a)",
        "_mm_set1_epi32((int)$a)",
        "_mm_set1_epi64x((long long)$a)",
        "",
    ],
    gather: ["_mm_set_epi8($d)", "_mm_set_epi16($d)", "_mm_set_epi32($d)", "_mm_set_epi64x($d)"],
    gather_segments: "",
};

/// Rows of the targets without SSE4.
pub const ROWS: &[Instance] = &[
    // Products of the even and of the odd elements.
    Instance::new(
        Mul,
        &[(V, &[32]), (P, &[32])],
        &[
            &[VectorShift, VectorShift],
            &[VectorMultiply, VectorMultiply],
            &[VectorLogic, VectorShift],
            &[VectorLogic],
        ],
        call!(
            OR,
            call!(AND, call!(MUL_WIDE_32, X, Y), splat64x(Hexadecimal(0xffff_ffff, 8))),
            call!(
                LEFT_64,
                call!(MUL_WIDE_32, call!(RIGHT_64, X, HALF), call!(RIGHT_64, Y, HALF)),
                HALF
            )
        ),
    ),
];
