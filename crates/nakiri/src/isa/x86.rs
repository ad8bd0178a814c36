//! The intrinsics of x86-64's vectors, by what they do. Numbers behind names are bits of elements; without one, elements are
//! atoms.

use super::constant::{Bits, Constant, Element, Splat, Word};
use super::expression::{Expression, Intrinsic};
use super::form::{Broadcast, Folds, Form, Operands::*};
use super::Class::{
    Aes, Clmul, Mask, Sha, VectorAdd, VectorAffine, VectorLogic, VectorMadd52, VectorMultiply,
    VectorPermute, VectorRotate, VectorShift, VectorShuffle, VectorShuffleBytes, VectorTernary,
};

pub const AND: Intrinsic =
    Intrinsic::new("{mm}_and_{si}", VectorLogic).assembled(Form::new("pand").commutes().by_quads());
pub const OR: Intrinsic =
    Intrinsic::new("{mm}_or_{si}", VectorLogic).assembled(Form::new("por").commutes().by_quads());
pub const XOR: Intrinsic =
    Intrinsic::new("{mm}_xor_{si}", VectorLogic).assembled(Form::new("pxor").commutes().by_quads());
/// The complement of the first operand, and the second one.
pub const AND_NOT: Intrinsic =
    Intrinsic::new("{mm}_andnot_{si}", VectorLogic).assembled(Form::new("pandn").by_quads());
pub const TERNARY: Intrinsic = Intrinsic::new("{mm}_ternarylogic_epi64", VectorTernary)
    .assembled(Form::new("pternlog").on(Table).by_quads());

pub const ADD: Intrinsic = Intrinsic::new("{mm}_add_epi{w}", VectorAdd)
    .assembled(Form::new("padd{x}").commutes().repeats(Broadcast::Element));
pub const ADD_32: Intrinsic =
    Intrinsic::new("{mm}_add_epi32", VectorAdd).assembled(Form::new("paddd").commutes());
pub const SUB: Intrinsic = Intrinsic::new("{mm}_sub_epi{w}", VectorAdd)
    .assembled(Form::new("psub{x}").repeats(Broadcast::Element));
/// Sums of bytes, at most 255.
pub const ADD_SATURATED_8: Intrinsic =
    Intrinsic::new("{mm}_adds_epu8", VectorAdd).assembled(Form::new("paddusb").commutes());
pub const EQUAL_8: Intrinsic =
    Intrinsic::new("{mm}_cmpeq_epi8", VectorAdd).assembled(Form::new("pcmpeqb").commutes());
pub const GREATER_64: Intrinsic =
    Intrinsic::new("{mm}_cmpgt_epi64", VectorAdd).assembled(Form::new("pcmpgtq"));

pub const MUL_16: Intrinsic =
    Intrinsic::new("{mm}_mullo_epi16", VectorMultiply).assembled(Form::new("pmullw").commutes());
pub const MUL_32: Intrinsic = Intrinsic::new("{mm}_mullo_epi32", VectorMultiply)
    .assembled(Form::new("pmulld").commutes().repeats(Broadcast::Bits(32)));
/// Products of 64 bits of the low halves of each 64.
pub const MUL_WIDE_32: Intrinsic = Intrinsic::new("{mm}_mul_epu32", VectorMultiply)
    .assembled(Form::new("pmuludq").commutes().repeats(Broadcast::Bits(64)));

/// The first operand and the lower 52 bits of the product of the lower 52 bits of the others.
pub const ADD_LOW_52: Intrinsic = Intrinsic::new("{mm}_madd52lo_epu64", VectorMadd52)
    .assembled(Form::new("pmadd52luq").on(Tied).repeats(Broadcast::Bits(64)));
/// The same with the upper 52 bits of the product.
pub const ADD_HIGH_52: Intrinsic = Intrinsic::new("{mm}_madd52hi_epu64", VectorMadd52)
    .assembled(Form::new("pmadd52huq").on(Tied).repeats(Broadcast::Bits(64)));

pub const LEFT: Intrinsic = Intrinsic::new("{mm}_slli_epi{w}", VectorShift)
    .assembled(Form::new("psll{x}").folds(Folds::Wide).repeats(Broadcast::Element));
pub const LEFT_16: Intrinsic =
    Intrinsic::new("{mm}_slli_epi16", VectorShift).assembled(Form::new("psllw").folds(Folds::Wide));
pub const LEFT_64: Intrinsic = Intrinsic::new("{mm}_slli_epi64", VectorShift)
    .assembled(Form::new("psllq").folds(Folds::Wide).repeats(Broadcast::Bits(64)));
pub const RIGHT: Intrinsic = Intrinsic::new("{mm}_srli_epi{w}", VectorShift)
    .assembled(Form::new("psrl{x}").folds(Folds::Wide).repeats(Broadcast::Element));
pub const RIGHT_16: Intrinsic =
    Intrinsic::new("{mm}_srli_epi16", VectorShift).assembled(Form::new("psrlw").folds(Folds::Wide));
pub const RIGHT_64: Intrinsic = Intrinsic::new("{mm}_srli_epi64", VectorShift)
    .assembled(Form::new("psrlq").folds(Folds::Wide).repeats(Broadcast::Bits(64)));
pub const ARITHMETIC: Intrinsic = Intrinsic::new("{mm}_srai_epi{w}", VectorShift)
    .assembled(Form::new("psra{x}").folds(Folds::Wide).repeats(Broadcast::Element));
pub const ROTATE: Intrinsic = Intrinsic::new("{mm}_rol_epi{w}", VectorRotate)
    .assembled(Form::new("prol{x}").repeats(Broadcast::Element));
/// The higher halves of elements side by side, shifted to the left.
pub const FUNNEL_16: Intrinsic =
    Intrinsic::new("{mm}_shldi_epi16", VectorRotate).assembled(Form::new("pshldw"));

pub const SHUFFLE_8: Intrinsic =
    Intrinsic::new("{mm}_shuffle_epi8", VectorShuffleBytes).assembled(Form::new("pshufb"));
pub const SHUFFLE_32: Intrinsic = Intrinsic::new("{mm}_shuffle_epi32", VectorShuffle)
    .assembled(Form::new("pshufd").repeats(Broadcast::Bits(32)));
/// Of the second operand and the first one above, in each segment, sixteen bytes from a place on.
pub const ALIGN: Intrinsic =
    Intrinsic::new("{mm}_alignr_epi8", VectorShuffle).assembled(Form::new("palignr"));
/// Elements across the register, or zeros where a mask says so.
pub const PERMUTE_8: Intrinsic = Intrinsic::new("{mm}_maskz_permutexvar_epi8", VectorPermute)
    .assembled(Form::new("permb").on(Zeroing));
pub const PERMUTE_16: Intrinsic = Intrinsic::new("{mm}_maskz_permutexvar_epi16", VectorPermute)
    .assembled(Form::new("permw").on(Zeroing));
pub const PERMUTE_TWO_8: Intrinsic = Intrinsic::new("{mm}_permutex2var_epi8", VectorPermute)
    .assembled(Form::new("permt2b").on(Tied));

/// Mask registers of elements that have bits of another register.
pub const TEST: Intrinsic = Intrinsic::new("{mm}_test_epi{w}_mask", Mask)
    .assembled(Form::new("ptestm{x}").on(ToMask).commutes().repeats(Broadcast::Element));
/// Elements filled from a mask register.
pub const FILL: Intrinsic = Intrinsic::new("{mm}_movm_epi{w}", Mask)
    .assembled(Form::new("pmovm2{x}").on(FromMask).folds(Folds::Never));
/// The highest bits of elements in a mask register.
pub const SIGNS: Intrinsic = Intrinsic::new("{mm}_movepi{w}_mask", Mask)
    .assembled(Form::new("pmov{x}2m").on(ToMask).folds(Folds::Never));
pub const BLEND: Intrinsic = Intrinsic::new("{mm}_mask_blend_epi{w}", VectorLogic)
    .assembled(Form::new("pblendm{x}").on(Blend).repeats(Broadcast::Element));

pub const AFFINE: Intrinsic = Intrinsic::new("{mm}_gf2p8affine_epi64_epi8", VectorAffine)
    .assembled(Form::new("gf2p8affineqb").repeats(Broadcast::Bits(64)));
pub const INVERT: Intrinsic = Intrinsic::new("{mm}_gf2p8affineinv_epi64_epi8", VectorAffine)
    .assembled(Form::new("gf2p8affineinvqb").repeats(Broadcast::Bits(64)));

/// The halves are chosen by the third operand.
pub const CLMUL_128: Intrinsic =
    Intrinsic::new("{mm}_clmulepi64_{si}", Clmul).assembled(Form::new("pclmulqdq"));
pub const CLMUL: Intrinsic =
    Intrinsic::new("{mm}_clmulepi64_epi128", Clmul).assembled(Form::new("pclmulqdq"));
/// The lower words of the segments of two operands side by side.
pub const LOWER_64: Intrinsic = Intrinsic::new("{mm}_unpacklo_epi64", VectorShuffle)
    .assembled(Form::new("punpcklqdq").repeats(Broadcast::Bits(64)));
/// The upper ones.
pub const UPPER_64: Intrinsic = Intrinsic::new("{mm}_unpackhi_epi64", VectorShuffle)
    .assembled(Form::new("punpckhqdq").repeats(Broadcast::Bits(64)));
pub const AES_ROUND_128: Intrinsic =
    Intrinsic::new("{mm}_aesenc_{si}", Aes).assembled(Form::new("aesenc"));
pub const AES_LAST_128: Intrinsic =
    Intrinsic::new("{mm}_aesenclast_{si}", Aes).assembled(Form::new("aesenclast"));
pub const AES_INVERSE_128: Intrinsic =
    Intrinsic::new("{mm}_aesdec_{si}", Aes).assembled(Form::new("aesdec"));
pub const AES_INVERSE_LAST_128: Intrinsic =
    Intrinsic::new("{mm}_aesdeclast_{si}", Aes).assembled(Form::new("aesdeclast"));
pub const AES_UNMIX_128: Intrinsic =
    Intrinsic::new("{mm}_aesimc_{si}", Aes).assembled(Form::new("aesimc"));
/// Rounds in each segment of a register with several.
pub const AES_ROUND: Intrinsic =
    Intrinsic::new("{mm}_aesenc_epi128", Aes).assembled(Form::new("aesenc"));
pub const AES_LAST: Intrinsic =
    Intrinsic::new("{mm}_aesenclast_epi128", Aes).assembled(Form::new("aesenclast"));
pub const AES_INVERSE: Intrinsic =
    Intrinsic::new("{mm}_aesdec_epi128", Aes).assembled(Form::new("aesdec"));
pub const AES_INVERSE_LAST: Intrinsic =
    Intrinsic::new("{mm}_aesdeclast_epi128", Aes).assembled(Form::new("aesdeclast"));

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
