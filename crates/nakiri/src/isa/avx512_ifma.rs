//! What products of 52 bits add to AVX-512 (IFMA): limbs of elements of fields, eight elements in a register.

use super::expression::{call, X, Y, Z};
use super::x86::*;
use super::{avx512, vector, Class, Instance, Target, Types, C};
use crate::core::{Direction::V, OpKind::*};

/// The target.
pub static TARGET: Target = Target {
    name: "avx512+ifma",
    title: "512-bit vectors, ternary logic, products of 52 bits (AVX-512 F, BW, VL, IFMA)",
    features: &["avx512f", "avx512bw", "avx512vl", "avx512ifma"],
    optional: true,
    c: C { attribute: Some("avx512f,avx512bw,avx512vl,avx512ifma"), ..avx512::C512 },
    instances: &[ROWS, avx512::ROWS, avx512::WIDE, vector::SHUFFLES, vector::ALL],
    ..avx512::TARGET
};

const LONG: Types = &[(V, &[64])];

const ROWS: &[Instance] = &[
    Instance::new(AddLow52, LONG, &[&[Class::VectorMadd52]], call!(ADD_LOW_52, X, Y, Z)),
    Instance::new(AddHigh52, LONG, &[&[Class::VectorMadd52]], call!(ADD_HIGH_52, X, Y, Z)),
];
