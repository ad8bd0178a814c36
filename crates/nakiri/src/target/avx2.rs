//! 256-bit vectors: AVX2.

use super::{vector, Target, C};

/// The target.
pub static TARGET: Target = Target {
    name: "avx2",
    title: "256-bit vectors (AVX2)",
    bits: 256,
    registers: 16,
    destructive: false,
    code_bytes: 5,
    machine: "zen5",
    issue: 4,
    latency: 2,
    features: &["avx2"],
    simd: true,
    c: C {
        attribute: Some("avx2"),
        mm: "_mm256",
        si: "si256",
        register: "__m256i",
        zeros: "_mm256_setzero_si256()",
        ones: "_mm256_set1_epi8(-1)",
        splat: [
            "_mm256_set1_epi8((char){c})",
            "_mm256_set1_epi16((short){c})",
            "_mm256_set1_epi32((int){c})",
            "_mm256_set1_epi64x((long long){c})",
        ],
        segment: Some("_mm256_broadcastsi128_si256(_mm_setr_epi8({bytes}))"),
        elements32: None,
        broadcast: [
            Some("_mm256_set1_epi64x((long long){load64}({p}))"),
            Some(
                "_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)({p})))",
            ),
            None,
        ],
    },
    instances: &[vector::SSE4, vector::NARROW, vector::ALL],
};
