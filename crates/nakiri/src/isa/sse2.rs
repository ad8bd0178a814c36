//! 128-bit vectors without shuffles of bytes: SSE2, which every x86-64 CPU has.

use super::{gp64, ssse3, vector, Dialect, Target, Words, C};

/// The target.
pub static TARGET: Target = Target {
    name: "sse2",
    title: "128-bit vectors of any x86-64 CPU (SSE2)",
    architecture: &gp64::X86_64,
    bits: 128,
    registers: 16,
    destructive: true,
    code_bytes: 4.0,
    operand_bytes: 5.0,
    machine: "zen5",
    issue: 4,
    latency: 2,
    features: &[],
    extension: None,
    guard: None,
    simd: true,
    optional: false,
    words: Words::Several,
    c: C { dialect: &DIALECT, ..ssse3::C128 },
    instances: &[ssse3::ROWS, vector::NARROW, vector::ALL],
};

/// Compilers make shuffles of bytes, which transpositions of some layouts have, from what there is.
static DIALECT: Dialect = Dialect {
    bytes: "(__m128i)__builtin_shufflevector((__v16qi)$a, (__v16qi)_mm_setzero_si128(), $i)",
    ..ssse3::DIALECT128
};
