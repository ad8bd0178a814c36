//! Vectors in the dialect of C that gcc and clang have for all machines: registers as vectors of bytes, operators on them, and
//! shuffles by constants. Compilers take the machine's instructions for these; what they don't find has rows of its own.

use super::constant::{Bits, Element, Number::*};
use super::expression::Expression::{self, As, Binary, Shift, Shuffled};
use super::expression::{self, CType, CType::*, Shift::*, X, X_WORDS, Y, Y_WORDS};
use super::{scalar, vector, Dialect, Instance, When, C};
use crate::core::OpKind::*;
use crate::isa::Class::{VectorAdd, VectorLogic, VectorMultiply, VectorShift, VectorShuffleBytes};

/// Definitions of types for registers of some bytes: elements of 8, 16, 32 and 64 bits, and memory at any address.
macro_rules! types {
    ($bytes:literal, $e8:literal, $e16:literal, $e32:literal, $e64:literal) => {
        concat!(
            "#include <stdint.h>\n",
            types!(@ $bytes, "8", $e8), types!(@ $bytes, "16", $e16),
            types!(@ $bytes, "32", $e32), types!(@ $bytes, "64", $e64),
            "typedef uint8_t nakiri_m", $bytes,
            " __attribute__((vector_size(", $bytes, "), aligned(1), may_alias));\n",
        )
    };
    (@ $bytes:literal, $bits:literal, $count:literal) => {
        concat!(
            "typedef uint", $bits, "_t nakiri_u", $bits, "x", $count,
            " __attribute__((vector_size(", $bytes, ")));\n",
            "typedef int", $bits, "_t nakiri_s", $bits, "x", $count,
            " __attribute__((vector_size(", $bytes, ")));\n",
        )
    };
}

/// Registers of some bytes, and transpositions of them.
macro_rules! registers {
    (
        $c:ident, $dialect:ident, $types:ident, $bytes:literal, $e8:literal, $e16:literal, $e32:literal, $e64:literal,
        [$($repeat:tt)*], $gather:expr
    ) => {
        /// Registers in C.
        pub const $c: C = C {
            dialect: &$dialect,
            attribute: None,
            prelude: &[$types],
            mm: "",
            si: "",
            register: concat!("nakiri_u8x", $e8),
            zeros: concat!("(nakiri_u8x", $e8, "){ 0 }"),
            ones: concat!("~(nakiri_u8x", $e8, "){ 0 }"),
            word_types: ["nakiri_u{w}x{e}", "nakiri_s{w}x{e}"],
            splat: [
                concat!("(nakiri_u8x", $e8, "){ 0 } + (uint8_t){c}"),
                concat!("(nakiri_u8x", $e8, ")((nakiri_u16x", $e16, "){ 0 } + (uint16_t){c})"),
                concat!("(nakiri_u8x", $e8, ")((nakiri_u32x", $e32, "){ 0 } + (uint32_t){c})"),
                concat!("(nakiri_u8x", $e8, ")((nakiri_u64x", $e64, "){ 0 } + (uint64_t){c})"),
            ],
            segment: Some(concat!("(nakiri_u8x", $e8, ")(nakiri_u64x", $e64, "){ {segments} }")),
            segment_type: Some(concat!("nakiri_u8x", $e8)),
            elements: [None; 2],
            broadcast: [
                Some(concat!(
                    "(nakiri_u8x", $e8, ")((nakiri_u64x", $e64, "){ 0 } + {load64}({p}))"
                )),
                Some(concat!(
                    "__builtin_shufflevector(*(const nakiri_m16 *)(const void *)({p}), ",
                    "(nakiri_u8x16){ 0 }, ", $($repeat)*, ")"
                )),
                None,
            ],
        };

        static $dialect: Dialect = Dialect {
            load: concat!("*(const nakiri_m", $bytes, " *)(const void *)($p)"),
            store: concat!("*(nakiri_m", $bytes, " *)(void *)($p) = $a"),
            zero: concat!("(nakiri_u8x", $e8, "){ 0 }"),
            splat: concat!("(nakiri_u8x", $e8, ")((nakiri_u64x", $e64, "){ 0 } + (uint64_t)$n)"),
            and: "($a & $b)",
            or: "($a | $b)",
            xor: "($a ^ $b)",
            left: concat!("(nakiri_u8x", $e8, ")((nakiri_u64x", $e64, ")($a) << $n)"),
            right: concat!("(nakiri_u8x", $e8, ")((nakiri_u64x", $e64, ")($a) >> $n)"),
            select: None,
            unpack: "__builtin_shufflevector($a, $b, $i)",
            halves: ["", ""],
            bytes: concat!("__builtin_shufflevector($a, (nakiri_u8x", $e8, "){ 0 }, $i)"),
            segments: "__builtin_shufflevector($a, $b, $i)",
            quads: "__builtin_shufflevector($a, $a, $i)",
            across: None,
            fill: concat!(
                "(nakiri_u8x", $e8, ")((nakiri_s32x", $e32, ")((nakiri_u32x", $e32, ")$a << $n) >> 31)"
            ),
            // One bit and all above it.
            test: concat!("(nakiri_u8x", $e8, ")((nakiri_s8x", $e8, ")-($a & $b) >> 7)"),
            broadcast: [
                concat!("(nakiri_u8x", $e8, "){ 0 } + (uint8_t)$a"),
                concat!("(nakiri_u8x", $e8, ")((nakiri_u16x", $e16, "){ 0 } + (uint16_t)$a)"),
                concat!("(nakiri_u8x", $e8, ")((nakiri_u32x", $e32, "){ 0 } + (uint32_t)$a)"),
                concat!("(nakiri_u8x", $e8, ")((nakiri_u64x", $e64, "){ 0 } + (uint64_t)$a)"),
                concat!(
                    "__builtin_shufflevector(*(const nakiri_m16 *)(const void *)($a), ",
                    "(nakiri_u8x16){ 0 }, ", $($repeat)*, ")"
                ),
            ],
            gather: [
                concat!("(nakiri_u8x", $e8, "){ $u }"),
                concat!("(nakiri_u8x", $e8, ")(nakiri_u16x", $e16, "){ $u }"),
                concat!("(nakiri_u8x", $e8, ")(nakiri_u32x", $e32, "){ $u }"),
                concat!("(nakiri_u8x", $e8, ")(nakiri_u64x", $e64, "){ $u }"),
            ],
            gather_segments: $gather,
        };
    };
}

/// The numbers of the 16 bytes of a segment.
macro_rules! segment {
    () => {
        "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15"
    };
}

/// The same, twice.
macro_rules! twice {
    () => {
        concat!(segment!(), ", ", segment!())
    };
}

/// Two segments side by side.
macro_rules! pair {
    ($low:literal, $high:literal) => {
        concat!(
            "__builtin_shufflevector(*(const nakiri_m16 *)(const void *)(",
            $low,
            "), *(const nakiri_m16 *)(const void *)(",
            $high,
            "), ",
            segment!(),
            ", 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31)"
        )
    };
}

/// Definitions of the types of registers of 128 bits.
pub const TYPES128: &str = types!("16", "16", "8", "4", "2");

registers!(C128, DIALECT128, TYPES128, "16", "16", "8", "4", "2", [segment!()], "");

/// Definitions of the types of registers of 256 bits.
pub const TYPES256: &str = types!("32", "32", "16", "8", "4");

registers!(C256, DIALECT256, TYPES256, "32", "32", "16", "8", "4", [twice!()], pair!("$0", "$1"));

/// Definitions of the types of registers of 512 bits.
pub const TYPES512: &str = types!("64", "64", "32", "16", "8");

registers!(
    C512,
    DIALECT512,
    TYPES512,
    "64",
    "64",
    "32",
    "16",
    "8",
    [concat!(twice!(), ", ", twice!())],
    concat!(
        "__builtin_shufflevector(",
        pair!("$0", "$1"),
        ", ",
        pair!("$2", "$3"),
        ", ",
        segment!(),
        ", 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, ",
        "32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, ",
        "48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63)"
    )
);

/// Rows of registers as bit strings.
pub const LOGIC: &[Instance] = &[
    Instance::new(And, vector::LOGIC, &[&[VectorLogic]], scalar::AND),
    Instance::new(Or, vector::LOGIC, &[&[VectorLogic]], scalar::OR),
    Instance::new(Xor, vector::LOGIC, &[&[VectorLogic]], scalar::XOR),
    Instance::new(Not, vector::LOGIC, &[&[VectorLogic]], scalar::NOT),
];

/// And-not, where it is one instruction.
pub const AND_NOT: &[Instance] =
    &[Instance::new(AndNot, vector::LOGIC, &[&[VectorLogic]], scalar::AND_NOT)];

/// Or-not, where it is one instruction.
pub const OR_NOT: &[Instance] =
    &[Instance::new(OrNot, vector::LOGIC, &[&[VectorLogic]], scalar::OR_NOT)];

const U32: CType = Vector(Element::Unsigned(Bits::Fixed(32)));

/// Sums and shifts of elements.
pub const WORDS: &[Instance] = &[
    Instance::new(
        Add,
        vector::WORDS,
        &[&[VectorAdd]],
        As(Register, &Binary(expression::Binary::Add, &[X_WORDS, Y_WORDS])),
    ),
    Instance::new(
        Instruction,
        vector::BYTE_ROWS,
        &[&[VectorAdd]],
        As(Register, &Binary(expression::Binary::Add, &[As(U32, &X), As(U32, &Y)])),
    )
    .when(When::Is(crate::core::Instruction::Add32)),
    Instance::new(
        Sub,
        vector::WORDS,
        &[&[VectorAdd]],
        As(Register, &Binary(expression::Binary::Sub, &[X_WORDS, Y_WORDS])),
    ),
    Instance::new(
        Shl,
        vector::WORDS,
        &[&[VectorShift]],
        As(Register, &Shift(Left, &X_WORDS, Amount)),
    ),
    Instance::new(
        Shr,
        vector::WORDS,
        &[&[VectorShift]],
        As(Register, &Shift(Right, &X_WORDS, Amount)),
    ),
    Instance::new(
        Sar,
        vector::WORDS,
        &[&[VectorShift]],
        As(Register, &Shift(Arithmetic, &X, Amount)),
    ),
    Instance::new(
        Bitmask,
        vector::WORDS,
        &[&[VectorShift], &[VectorShift]],
        As(Register, &Shift(Arithmetic, &Shift(Left, &X_WORDS, Below), Highest)),
    ),
];

/// Products, where all widths have them.
pub const PRODUCTS: &[Instance] =
    &[Instance::new(Mul, vector::WORDS, &[&[VectorMultiply]], PRODUCT)];

/// A product.
pub const PRODUCT: Expression = As(Register, &Binary(expression::Binary::Mul, &[X_WORDS, Y_WORDS]));

/// Rotations by two shifts, where there is no instruction.
pub const ROTATIONS: &[Instance] =
    &[Instance::new(Rotl, vector::WORDS, &[&[VectorShift, VectorShift], &[VectorLogic]], ROTATION)];

/// A rotation.
pub const ROTATION: Expression = As(Register, &Shift(Rotate, &X_WORDS, Amount));

/// Bytes of a segment, for which compilers find an instruction.
pub const SHUFFLE: Expression = Shuffled(&X);

/// Shuffles of bytes.
pub const SHUFFLES: &[Instance] = &[
    Instance::new(Permute, vector::ROWS, &[&[VectorShuffleBytes]], SHUFFLE),
    Instance::new(Shuffle, vector::SEGMENTS, &[&[VectorShuffleBytes]], SHUFFLE),
    Instance::new(Shl, vector::SEGMENTS, &[&[VectorShuffleBytes]], SHUFFLE),
    Instance::new(Shr, vector::SEGMENTS, &[&[VectorShuffleBytes]], SHUFFLE),
    Instance::new(Sar, vector::SEGMENTS, &[&[VectorShuffleBytes]], SHUFFLE),
    Instance::new(Rotl, vector::SEGMENTS, &[&[VectorShuffleBytes]], SHUFFLE),
    Instance::new(Bitmask, vector::SEGMENTS, &[&[VectorShuffleBytes]], SHUFFLE),
];
