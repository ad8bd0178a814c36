//! 128-bit vectors with two-operand instructions: SSSE3.

use super::{vector, Instance, Target, C};
use crate::core::{Direction::*, OpKind::*};
use crate::cost::Class::{VectorLogic, VectorMultiply, VectorShift};

/// The target.
pub static TARGET: Target = Target {
    name: "ssse3",
    title: "128-bit vectors, two operands (SSSE3)",
    bits: 128,
    registers: 16,
    destructive: true,
    code_bytes: 5,
    machine: "zen5",
    issue: 4,
    latency: 2,
    features: &["ssse3"],
    simd: true,
    c: C { attribute: Some("ssse3"), ..C128 },
    instances: &[ROWS, vector::NARROW, vector::ALL],
};

/// 128-bit registers in C.
pub const C128: C = C {
    attribute: None,
    mm: "_mm",
    si: "si128",
    register: "__m128i",
    zeros: "_mm_setzero_si128()",
    ones: "_mm_set1_epi8(-1)",
    splat: [
        "_mm_set1_epi8((char){c})",
        "_mm_set1_epi16((short){c})",
        "_mm_set1_epi32((int){c})",
        "_mm_set1_epi64x((long long){c})",
    ],
    segment: Some("_mm_setr_epi8({bytes})"),
    elements32: None,
    broadcast: [
        Some("_mm_set1_epi64x((long long){load64}({p}))"),
        Some("_mm_loadu_si128((const __m128i *)(const void *)({p}))"),
        None,
    ],
};

const ROWS: &[Instance] = &[
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
        "_mm_or_si128(_mm_and_si128(_mm_mul_epu32({0}, {1}), _mm_set1_epi64x(0xffffffff)), \
         _mm_slli_epi64(_mm_mul_epu32(_mm_srli_epi64({0}, 32), _mm_srli_epi64({1}, 32)), 32))",
    ),
];
