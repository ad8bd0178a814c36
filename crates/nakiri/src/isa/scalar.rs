//! What the targets with general-purpose registers share.

use super::constant::Number::Amount;
use super::expression::{Binary::*, CType, Expression, Expression::*, Shift::*, Unary::*, X, Y};
use super::{Dialect, C};

/// General-purpose registers in C.
pub const REGISTERS: C = C {
    dialect: &DIALECT,
    attribute: None,
    prelude: &[],
    mm: "",
    si: "",
    register: "uint{r}_t",
    zeros: "(uint{r}_t)0",
    ones: "(uint{r}_t)~(uint{r}_t)0",
    word_types: ["uint{r}_t", "int{r}_t"],
    splat: ["(uint{r}_t){c}"; 4],
    segment: None,
    segment_type: None,
    elements: [None; 2],
    broadcast: [Some("(uint{r}_t){load64}({p})"), None, None],
};

pub(super) const DIALECT: Dialect = Dialect {
    load: "",
    store: "",
    zero: "0",
    splat: "$n",
    and: "$a & $b",
    or: "$a | $b",
    xor: "$a ^ $b",
    left: "$a << $n",
    right: "$a >> $n",
    select: None,
    unpack: "",
    halves: [""; 2],
    bytes: "__builtin_bswap$n($a)",
    segments: "",
    quads: "",
    across: None,
    fill: "(int$r_t)($a << $n) >> ($r - 1)",
    test: "",
    broadcast: [""; 5],
    gather: [""; 4],
    gather_segments: "",
};

/// Bitwise and.
pub const AND: Expression = Binary(And, &[X, Y]);
/// Bitwise or.
pub const OR: Expression = Binary(Or, &[X, Y]);
/// Bitwise exclusive or.
pub const XOR: Expression = Binary(Xor, &[X, Y]);
/// Complement.
pub const NOT: Expression = Unary(Not, &X);
/// Sum.
pub const ADD: Expression = Binary(Add, &[X, Y]);
/// Difference.
pub const SUB: Expression = Binary(Sub, &[X, Y]);
/// Product, made in 64 bits in C, where it can't overflow.
pub const MUL: Expression = Binary(Mul, &[As(CType::Named("uint64_t"), &X), Y]);
/// The whole product.
pub const PRODUCT: Expression = Binary(Whole, &[X, Y]);
/// A word as one twice as wide.
pub const WIDEN: Expression = Unary(Widen, &X);
/// The lower half of a word.
pub const LOW: Expression = Unary(Low, &X);
/// Shift towards the most significant bit.
pub const SHL: Expression = Shift(Left, &X, Amount);
/// Shift towards the least significant bit.
pub const SHR: Expression = Shift(Right, &X, Amount);
/// The same, filled by the sign.
pub const SAR: Expression = Shift(Arithmetic, &X, Amount);
/// And-not.
pub const AND_NOT: Expression = Binary(And, &[NOT, Y]);
/// Or-not.
pub const OR_NOT: Expression = Binary(Or, &[NOT, Y]);
/// Rotation.
pub const ROTL: Expression = Shift(Rotate, &X, Amount);
/// One bit in all.
pub const BITMASK: Expression = Unary(Negate, &Shift(Bit, &X, Amount));
