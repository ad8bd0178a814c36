//! 128-bit vectors with three-operand instructions: AVX.

use super::{gp64, ssse3, vector, Target, Words, C};

/// The target.
pub static TARGET: Target = Target {
    name: "avx",
    title: "128-bit vectors, three operands (AVX)",
    architecture: &gp64::X86_64,
    bits: 128,
    registers: 16,
    destructive: false,
    code_bytes: 4.4,
    operand_bytes: 5.0,
    machine: "zen5",
    issue: 4,
    latency: 2,
    features: &["avx"],
    extension: None,
    guard: None,
    simd: true,
    optional: false,
    words: Words::Several,
    c: C { attribute: Some("avx"), ..ssse3::C128 },
    instances: &[vector::SSE4, vector::NARROW, vector::SHUFFLES, vector::ALL],
};
