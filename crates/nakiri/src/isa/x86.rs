//! The intrinsics of x86-64's vectors, by what they do. Numbers behind names are bits of elements; without one, elements are
//! atoms.

use super::constant::{Bits, Constant, Element, Splat, Word};
use super::expression::{Expression, Intrinsic};
use super::Class::{
    Aes, Clmul, Mask, Sha, VectorAdd, VectorAffine, VectorLogic, VectorMadd52, VectorMultiply,
    VectorPermute, VectorRotate, VectorShift, VectorShuffle, VectorShuffleBytes, VectorTernary,
};

pub const AND: Intrinsic = Intrinsic::new("{mm}_and_{si}", VectorLogic);
pub const OR: Intrinsic = Intrinsic::new("{mm}_or_{si}", VectorLogic);
pub const XOR: Intrinsic = Intrinsic::new("{mm}_xor_{si}", VectorLogic);
/// The complement of the first operand, and the second one.
pub const AND_NOT: Intrinsic = Intrinsic::new("{mm}_andnot_{si}", VectorLogic);
pub const TERNARY: Intrinsic = Intrinsic::new("{mm}_ternarylogic_epi64", VectorTernary);

pub const ADD: Intrinsic = Intrinsic::new("{mm}_add_epi{w}", VectorAdd);
pub const SUB: Intrinsic = Intrinsic::new("{mm}_sub_epi{w}", VectorAdd);
/// Sums of bytes, at most 255.
pub const ADD_SATURATED_8: Intrinsic = Intrinsic::new("{mm}_adds_epu8", VectorAdd);
pub const EQUAL_8: Intrinsic = Intrinsic::new("{mm}_cmpeq_epi8", VectorAdd);
pub const GREATER_64: Intrinsic = Intrinsic::new("{mm}_cmpgt_epi64", VectorAdd);

pub const MUL_16: Intrinsic = Intrinsic::new("{mm}_mullo_epi16", VectorMultiply);
pub const MUL_32: Intrinsic = Intrinsic::new("{mm}_mullo_epi32", VectorMultiply);
/// Products of 64 bits of the low halves of each 64.
pub const MUL_WIDE_32: Intrinsic = Intrinsic::new("{mm}_mul_epu32", VectorMultiply);

/// The first operand and the lower 52 bits of the product of the lower 52 bits of the others.
pub const ADD_LOW_52: Intrinsic = Intrinsic::new("{mm}_madd52lo_epu64", VectorMadd52);
/// The same with the upper 52 bits of the product.
pub const ADD_HIGH_52: Intrinsic = Intrinsic::new("{mm}_madd52hi_epu64", VectorMadd52);

pub const LEFT: Intrinsic = Intrinsic::new("{mm}_slli_epi{w}", VectorShift);
pub const LEFT_16: Intrinsic = Intrinsic::new("{mm}_slli_epi16", VectorShift);
pub const LEFT_64: Intrinsic = Intrinsic::new("{mm}_slli_epi64", VectorShift);
pub const RIGHT: Intrinsic = Intrinsic::new("{mm}_srli_epi{w}", VectorShift);
pub const RIGHT_16: Intrinsic = Intrinsic::new("{mm}_srli_epi16", VectorShift);
pub const RIGHT_64: Intrinsic = Intrinsic::new("{mm}_srli_epi64", VectorShift);
pub const ARITHMETIC: Intrinsic = Intrinsic::new("{mm}_srai_epi{w}", VectorShift);
pub const ROTATE: Intrinsic = Intrinsic::new("{mm}_rol_epi{w}", VectorRotate);
/// The higher halves of elements side by side, shifted to the left.
pub const FUNNEL_16: Intrinsic = Intrinsic::new("{mm}_shldi_epi16", VectorRotate);

pub const SHUFFLE_8: Intrinsic = Intrinsic::new("{mm}_shuffle_epi8", VectorShuffleBytes);
pub const SHUFFLE_32: Intrinsic = Intrinsic::new("{mm}_shuffle_epi32", VectorShuffle);
/// Of the second operand and the first one above, in each segment, sixteen bytes from a place on.
pub const ALIGN: Intrinsic = Intrinsic::new("{mm}_alignr_epi8", VectorShuffle);
/// Elements across the register, or zeros where a mask says so.
pub const PERMUTE_8: Intrinsic = Intrinsic::new("{mm}_maskz_permutexvar_epi8", VectorPermute);
pub const PERMUTE_16: Intrinsic = Intrinsic::new("{mm}_maskz_permutexvar_epi16", VectorPermute);
pub const PERMUTE_TWO_8: Intrinsic = Intrinsic::new("{mm}_permutex2var_epi8", VectorPermute);

/// Mask registers of elements that have bits of another register.
pub const TEST: Intrinsic = Intrinsic::new("{mm}_test_epi{w}_mask", Mask);
/// Elements filled from a mask register.
pub const FILL: Intrinsic = Intrinsic::new("{mm}_movm_epi{w}", Mask);
/// The highest bits of elements in a mask register.
pub const SIGNS: Intrinsic = Intrinsic::new("{mm}_movepi{w}_mask", Mask);
pub const BLEND: Intrinsic = Intrinsic::new("{mm}_mask_blend_epi{w}", VectorLogic);

pub const AFFINE: Intrinsic = Intrinsic::new("{mm}_gf2p8affine_epi64_epi8", VectorAffine);
pub const INVERT: Intrinsic = Intrinsic::new("{mm}_gf2p8affineinv_epi64_epi8", VectorAffine);

/// The halves are chosen by the third operand.
pub const CLMUL_128: Intrinsic = Intrinsic::new("{mm}_clmulepi64_{si}", Clmul);
pub const CLMUL: Intrinsic = Intrinsic::new("{mm}_clmulepi64_epi128", Clmul);
pub const AES_ROUND_128: Intrinsic = Intrinsic::new("{mm}_aesenc_{si}", Aes);
pub const AES_LAST_128: Intrinsic = Intrinsic::new("{mm}_aesenclast_{si}", Aes);
pub const AES_INVERSE_128: Intrinsic = Intrinsic::new("{mm}_aesdec_{si}", Aes);
pub const AES_INVERSE_LAST_128: Intrinsic = Intrinsic::new("{mm}_aesdeclast_{si}", Aes);
pub const AES_UNMIX_128: Intrinsic = Intrinsic::new("{mm}_aesimc_{si}", Aes);
/// Rounds in each segment of a register with several.
pub const AES_ROUND: Intrinsic = Intrinsic::new("{mm}_aesenc_epi128", Aes);
pub const AES_LAST: Intrinsic = Intrinsic::new("{mm}_aesenclast_epi128", Aes);
pub const AES_INVERSE: Intrinsic = Intrinsic::new("{mm}_aesdec_epi128", Aes);
pub const AES_INVERSE_LAST: Intrinsic = Intrinsic::new("{mm}_aesdeclast_epi128", Aes);

/// Four turns of the kind that is the third operand.
pub const SHA1_ROUNDS: Intrinsic = Intrinsic::new("{mm}_sha1rnds4_epu32", Sha);
pub const SHA1_NEXT_E: Intrinsic = Intrinsic::new("{mm}_sha1nexte_epu32", VectorAdd);
pub const SHA1_MESSAGE1: Intrinsic = Intrinsic::new("{mm}_sha1msg1_epu32", VectorAdd);
pub const SHA1_MESSAGE2: Intrinsic = Intrinsic::new("{mm}_sha1msg2_epu32", VectorAdd);
pub const SHA256_ROUNDS: Intrinsic = Intrinsic::new("{mm}_sha256rnds2_epu32", Sha);
pub const SHA256_MESSAGE1: Intrinsic = Intrinsic::new("{mm}_sha256msg1_epu32", VectorAdd);
pub const SHA256_MESSAGE2: Intrinsic = Intrinsic::new("{mm}_sha256msg2_epu32", VectorAdd);

/// A word in all bytes.
pub const fn splat8(word: Word) -> Expression {
    splat("{mm}_set1_epi8", 8, word)
}

/// A word in all elements of 16 bits.
pub const fn splat16(word: Word) -> Expression {
    splat("{mm}_set1_epi16", 16, word)
}

/// A word in all elements of 64 bits, where registers are narrower than 512 bits.
pub const fn splat64x(word: Word) -> Expression {
    splat("{mm}_set1_epi64x", 64, word)
}

/// A word in all elements of 64 bits of a register of 512.
pub const fn splat64(word: Word) -> Expression {
    splat("{mm}_set1_epi64", 64, word)
}

const fn splat(name: &'static str, bits: u16, word: Word) -> Expression {
    let element = Element::Signed(Bits::Fixed(bits));
    Expression::Constant(Constant::Splat(Splat { name, element }, word))
}
