//! 256-bit vectors: AVX2.

use super::{gp64, vector, Dialect, Target, Words, C};

/// The target.
pub static TARGET: Target = Target {
    name: "avx2",
    title: "256-bit vectors (AVX2)",
    architecture: &gp64::X86_64,
    bits: 256,
    registers: 16,
    destructive: false,
    code_bytes: 4.4,
    operand_bytes: 5.0,
    machine: "zen5",
    issue: 4,
    latency: 2,
    features: &["avx2"],
    extension: None,
    guard: None,
    simd: true,
    optional: false,
    words: Words::Several,
    c: C {
        dialect: &DIALECT,
        attribute: Some("avx2"),
        prelude: &["#include <immintrin.h>\n"],
        mm: "_mm256",
        si: "si256",
        register: "__m256i",
        zeros: "_mm256_setzero_si256()",
        ones: "_mm256_set1_epi8(-1)",
        word_types: [""; 2],
        splat: [
            "_mm256_set1_epi8({signed c})",
            "_mm256_set1_epi16({signed c})",
            "_mm256_set1_epi32({signed c})",
            "_mm256_set1_epi64x({signed c})",
        ],
        segment: Some("_mm256_broadcastsi128_si256(_mm_setr_epi8({bytes}))"),
        segment_type: Some("__m256i"),
        elements: [None; 2],
        broadcast: [
            Some("_mm256_set1_epi64x((long long){load64}({p}))"),
            Some(
                "_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)({p})))",
            ),
            None,
        ],
    },
    instances: &[vector::SSE4, vector::NARROW, vector::SHUFFLES, vector::ALL],
};

pub(super) const DIALECT: Dialect = Dialect {
    load: "_mm256_loadu_si256((const __m256i *)($p))",
    store: "_mm256_storeu_si256((__m256i *)($p), $a)",
    zero: "_mm256_setzero_si256()",
    splat: "_mm256_set1_epi64x((long long)$n)",
    and: "_mm256_and_si256($a, $b)",
    or: "_mm256_or_si256($a, $b)",
    xor: "_mm256_xor_si256($a, $b)",
    left: "_mm256_slli_epi64($a, $n)",
    right: "_mm256_srli_epi64($a, $n)",
    select: None,
    unpack: "_mm256_unpack$h_epi$n($a, $b)",
    halves: ["lo", "hi"],
    bytes: "_mm256_shuffle_epi8($a, $b)",
    segments: "_mm256_permute2x128_si256($a, $b, $n)",
    quads: "_mm256_permute4x64_epi64($a, $n)",
    across: None,
    fill: "_mm256_srai_epi32(_mm256_slli_epi32($a, $n), 31)",
    test: "_mm256_cmpeq_epi8(_mm256_and_si256($a, $b), $b)",
    broadcast: [
        "_mm256_set1_epi8((char)$a)",
        "_mm256_set1_epi16((short)$a)",
        "_mm256_set1_epi32((int)$a)",
        "_mm256_set1_epi64x((long long)$a)",
        "_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)($a)))",
    ],
    gather: [
        "_mm256_set_epi8($d)",
        "_mm256_set_epi16($d)",
        "_mm256_set_epi32($d)",
        "_mm256_set_epi64x($d)",
    ],
    gather_segments: "_mm256_inserti128_si256(_mm256_castsi128_si256(\
        _mm_loadu_si128((const __m128i *)($0))), _mm_loadu_si128((const __m128i *)($1)), 1)",
};
