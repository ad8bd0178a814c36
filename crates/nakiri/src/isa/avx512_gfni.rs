//! AVX-512 as CPUs since Ice Lake and Zen 4 have it. What they add comes together in all of them, so it is one target:
//! bytes of one or two registers in any order (VBMI), rotations of words of 16 bits (VBMI2), linear maps of the bits of a
//! byte (GFNI).

use super::constant::{Constant::Words, Word::*, Words64::*};
use super::expression::Expression::{self, Constant, Word};
use super::expression::{call, AMOUNT, X};
use super::x86::*;
use super::{avx512, vector, Across, Dialect, Instance, Target, Types, When, C};
use crate::core::{Direction::*, OpKind::*};
use crate::isa::Class::{Mask, VectorAdd, VectorAffine, VectorLogic, VectorPermute, VectorRotate};

/// The target.
pub static TARGET: Target = Target {
    name: "avx512+gfni",
    title: "512-bit vectors, permutations and maps of bytes (AVX-512 F, BW, VL, VBMI, VBMI2, GFNI)",
    features: &["avx512f", "avx512bw", "avx512vl", "avx512vbmi", "avx512vbmi2", "gfni"],
    c: C {
        dialect: &Dialect { across: Some(ACROSS), ..avx512::DIALECT },
        attribute: Some("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,gfni"),
        elements: [avx512::C512.elements[0], Some("_mm512_movm_epi8({keep})")],
        ..avx512::C512
    },
    instances: &[MAPS, ROWS, WIDE, avx512::ROWS, avx512::WIDE, vector::SHUFFLES, vector::ALL],
    ..avx512::TARGET
};

/// Shuffles of whole registers.
pub(super) const ACROSS: Across = Across {
    bytes: "_mm512_permutexvar_epi8($c, $a)",
    bytes_of_two: "_mm512_permutex2var_epi8($a, $c, $b)",
    bits: "_mm512_gf2p8affine_epi64_epi8($c, $a, 0)",
    fill: "_mm512_gf2p8affine_epi64_epi8($a, $c, 0)",
};

const V8: Types = &[(V, &[8]), (P, &[8])];
const V16: Types = &[(V, &[16]), (P, &[16])];

/// Entries of the lower half by seven bits of the byte, or of the upper half, as its highest bit says.
const ANY: Expression = call!(
    BLEND,
    call!(SIGNS, X),
    call!(PERMUTE_TWO_8, Constant(Words(Entries(0))), X, Constant(Words(Entries(1)))),
    call!(PERMUTE_TWO_8, Constant(Words(Entries(2))), X, Constant(Words(Entries(3))))
);

/// Maps of the bits of a byte by a matrix in all words of a register.
macro_rules! maps {
    ($splat:ident) => {{
        const MAP: Expression = call!(AFFINE, X, $splat(Matrix), Word(Sum));
        const INVERT_AND_MAP: Expression = call!(INVERT, X, $splat(Matrix), Word(Sum));
        &[
            Instance::new(Affine, V8, &[&[VectorAffine]], MAP),
            Instance::new(Invert, V8, &[&[VectorAffine]], INVERT_AND_MAP),
            Instance::new(Shl, V8, &[&[VectorAdd]], call!(ADD, X, X)).when(When::Amount(1)),
            Instance::new(Shl, V8, &[&[VectorAffine]], MAP),
            Instance::new(Shr, V8, &[&[VectorAffine]], MAP),
            Instance::new(Sar, V8, &[&[VectorAffine]], MAP),
            Instance::new(Rotl, V8, &[&[VectorAffine]], MAP),
            Instance::new(Bitmask, V8, &[&[VectorAffine]], MAP),
            Instance::new(Shuffle, &[(V, &[8])], &[&[VectorAffine]], MAP),
        ]
    }};
}

pub(super) const MAPS: &[Instance] = maps!(splat64);
/// In registers of 256 bits.
pub(super) const MAPS256: &[Instance] = maps!(splat64x);

pub(super) const ROWS: &[Instance] = &[
    Instance::new(Substitute, V8, &[&[VectorPermute, VectorPermute, Mask], &[VectorLogic]], ANY),
    Instance::new(Rotl, V16, &[&[VectorRotate]], call!(FUNNEL_16, X, X, AMOUNT)),
];

/// Horizontal atoms of 64 bits: 64 bytes over the whole register.
pub(super) const WIDE: &[Instance] =
    &avx512::across(&[(H, &[64])], call!(PERMUTE_8, Word(Filled), avx512::PLACES64, X));
