//! C that the targets with general-purpose registers share. Narrow operands are promoted to `int`, so that every result is
//! cast back, and products are made in 64 bits, where they can't overflow.

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
    splat: ["(uint{r}_t){c}"; 4],
    segment: None,
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
pub const AND: &str = "(uint{r}_t)({0} & {1})";
/// Bitwise or.
pub const OR: &str = "(uint{r}_t)({0} | {1})";
/// Bitwise exclusive or.
pub const XOR: &str = "(uint{r}_t)({0} ^ {1})";
/// Complement.
pub const NOT: &str = "(uint{r}_t)~{0}";
/// Sum.
pub const ADD: &str = "(uint{r}_t)({0} + {1})";
/// Difference.
pub const SUB: &str = "(uint{r}_t)({0} - {1})";
/// Product.
pub const MUL: &str = "(uint{r}_t)((uint64_t){0} * {1})";
/// Shift towards the most significant bit.
pub const SHL: &str = "(uint{r}_t)({0} << {n})";
/// Shift towards the least significant bit.
pub const SHR: &str = "(uint{r}_t)({0} >> {n})";
/// The same, filled by the sign.
pub const SAR: &str = "(uint{r}_t)((int{r}_t){0} >> {n})";
/// And-not.
pub const AND_NOT: &str = "(uint{r}_t)(~{0} & {1})";
/// Or-not.
pub const OR_NOT: &str = "(uint{r}_t)(~{0} | {1})";
/// Rotation.
pub const ROTL: &str = "(uint{r}_t)(({0} << {n}) | ({0} >> {w-n}))";
/// One bit in all.
pub const BITMASK: &str = "(uint{r}_t)(0 - (({0} >> {n}) & 1))";
