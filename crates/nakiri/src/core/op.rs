//! The operations of the core. Each is defined once, in [`super::semantics`].

use super::field::ByteMap;
use super::instruction::Instruction;
use super::{ConstantsId, Dir, FuncId, Index, TableId, Width};

/// What an instruction does. `M` is the width of its atoms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `() → M`: a constant, less than 2^M.
    Const(u128),
    /// `() → M`: one of a list of constants.
    Constants(ConstantsId, Index),
    /// `() → M`: an atom of a parameter.
    Load(u32, Index),

    /// `M M → M`: bitwise and.
    And,
    /// `M M → M`: bitwise or.
    Or,
    /// `M M → M`: bitwise exclusive or.
    Xor,
    /// `M → M`: complement.
    Not,
    /// `M M → M`: `!a & b`. Made by `select` for targets that have it.
    AndNot,
    /// `M M → M`: `!a | b`. Made by `select` for targets that have it.
    OrNot,
    /// `M M M → M`: bit `4a + 2b + c` of the byte, at each position. Made by `select` for targets that have it.
    Ternary(u8),

    /// `M M → M`: sum modulo 2^M.
    Add,
    /// `M M → M`: difference modulo 2^M.
    Sub,
    /// `M M → M`: product modulo 2^M.
    Mul,
    /// `M M → M`: product of the lower halves. Made by `halves` for targets that have it.
    MulHalves,
    /// `M M → 2·M`: the whole product. Made by `limbs` for targets that have it, as the next four.
    Product,
    /// `M → 2·M`: the same number.
    Widen,
    /// `2·M → M`: the lower half. Under `B` for any program.
    Low,
    /// `64 64 64 → 64`: the first and the lower 52 bits of the product of the lower 52 bits of the others.
    AddLow52,
    /// `64 64 64 → 64`: the first and bits 52 to 103 of the product of the lower 52 bits of the others.
    AddHigh52,
    /// `64 64 → 64`: the lower half of the product of polynomials over GF(2). Made by `binary` for targets that have it, as the next one.
    ClmulLow,
    /// `64 64 → 64`: its upper half.
    ClmulHigh,

    /// `64^n → F`: the element of the number of these words, the least significant first.
    Element,
    /// `F → 64^n`: the words of the number of an element, the least significant first.
    Number,
    /// `64 F F → F`: the first element if the word is odd, otherwise the second.
    Choose,

    /// `M → M`: shift towards the most significant bit, by 0 to M−1.
    Shl(u16),
    /// `M → M`: shift towards the least significant bit, by 0 to M−1.
    Shr(u16),
    /// `M → M`: like `Shr`, and the sign bit fills.
    Sar(u16),
    /// `M → M`: rotation towards the most significant bit, by 0 to M−1.
    Rotl(u16),
    /// `M → M`: rotation towards the least significant bit, by 0 to M−1. Monomorphization turns it into `Rotl`.
    Rotr(u16),
    /// `M → M`: those bits of a rotation towards the most significant bit that are kept, the others 0. Made by `fields` for
    /// targets that have it.
    RotlAnd {
        /// By how much, 0 to M−1.
        by: u16,
        /// The bits of the result that are kept, less than 2^M.
        kept: u128,
    },
    /// `M → M`: output bit i is input bit `p[i]`, or 0; position 0 is the most significant.
    Shuffle(Box<[Option<u16>]>),
    /// `M → M`: every output bit is bit n of the input, counted from the least significant.
    Bitmask(u16),
    /// `M^N → M^N`, of a row: atom i is atom `p[i]`, or 0. Made by `pack`.
    Permute(Box<[Option<u16>]>),
    /// `M^N M^N → M^N`, of rows: the atoms of the first from `n` on, then the first `n` of the second; 0 < n < N. Made by `pack` for
    /// targets that have it.
    Window(u16),
    /// `M M' → M+M'`: the bits of the first argument above those of the second.
    Pack,

    /// `M^k → M^n`: a table, applied at each bit position.
    Table(TableId),
    /// `M → M'`: a table of 2^M entries of M' bits, applied to the word.
    Lookup(TableId),
    /// `8 → 8`: a table of bytes, applied to the word. Made by `bytes` for targets that have it, as the next two.
    Substitute(Box<[u8; 256]>),
    /// `8 → 8`: a table of sixteen bytes, applied to the low half of the word; 0 where its highest bit is set. Made by `nibbles` for
    /// targets that have it.
    Nibble(Box<[u8; 16]>),
    /// `8 → 8`: an affine map of the bits.
    Affine(ByteMap),
    /// `8 → 8`: an affine map of the inverse in the field of 256 elements.
    Invert(ByteMap),
    /// An instruction on rows, of as many and such as [`Instruction::row`] says. Made for targets that have it: by `rounds`, and by
    /// `pack` from calls of the node that it is.
    Instruction(Instruction),

    /// A call; the lists fix the callee's direction and word-size parameters.
    /// Arguments and results are the atoms of all its parameters and results in order.
    Call(FuncId, Vec<Dir>, Vec<Width>),
}

/// An operation without its parameters: what target tables and error messages speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum OpKind {
    Const,
    Constants,
    Load,
    And,
    Or,
    Xor,
    Not,
    AndNot,
    OrNot,
    Ternary,
    Add,
    Sub,
    Mul,
    MulHalves,
    Product,
    Widen,
    Low,
    AddLow52,
    AddHigh52,
    ClmulLow,
    ClmulHigh,
    Element,
    Number,
    Choose,
    Shl,
    Shr,
    Sar,
    Rotl,
    Rotr,
    RotlAnd,
    Shuffle,
    Bitmask,
    Permute,
    Window,
    Pack,
    Table,
    Lookup,
    Substitute,
    Nibble,
    Affine,
    Invert,
    Instruction,
    Call,
}

/// The type classes of the language: which operators an atom type must offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// `& | ^ ~`, tables.
    Logic,
    /// `+ - *`.
    Arith,
    /// Shifts and rotations of one atom, `Bitmask`.
    Shift,
    /// `Shuffle`.
    Shuffle,
    /// Tables indexed by a word.
    Lookup,
    /// `Pack`.
    Pack,
    /// Elements of fields from and to words, `choose`.
    Field,
}

impl Op {
    /// The operation without its parameters.
    pub fn kind(&self) -> OpKind {
        match self {
            Op::Const(_) => OpKind::Const,
            Op::Constants(..) => OpKind::Constants,
            Op::Load(..) => OpKind::Load,
            Op::And => OpKind::And,
            Op::Or => OpKind::Or,
            Op::Xor => OpKind::Xor,
            Op::Not => OpKind::Not,
            Op::AndNot => OpKind::AndNot,
            Op::OrNot => OpKind::OrNot,
            Op::Ternary(_) => OpKind::Ternary,
            Op::Add => OpKind::Add,
            Op::Sub => OpKind::Sub,
            Op::Mul => OpKind::Mul,
            Op::MulHalves => OpKind::MulHalves,
            Op::Product => OpKind::Product,
            Op::Widen => OpKind::Widen,
            Op::Low => OpKind::Low,
            Op::AddLow52 => OpKind::AddLow52,
            Op::AddHigh52 => OpKind::AddHigh52,
            Op::ClmulLow => OpKind::ClmulLow,
            Op::ClmulHigh => OpKind::ClmulHigh,
            Op::Element => OpKind::Element,
            Op::Number => OpKind::Number,
            Op::Choose => OpKind::Choose,
            Op::Shl(_) => OpKind::Shl,
            Op::Shr(_) => OpKind::Shr,
            Op::Sar(_) => OpKind::Sar,
            Op::Rotl(_) => OpKind::Rotl,
            Op::Rotr(_) => OpKind::Rotr,
            Op::RotlAnd { .. } => OpKind::RotlAnd,
            Op::Shuffle(_) => OpKind::Shuffle,
            Op::Bitmask(_) => OpKind::Bitmask,
            Op::Permute(_) => OpKind::Permute,
            Op::Window(_) => OpKind::Window,
            Op::Pack => OpKind::Pack,
            Op::Table(_) => OpKind::Table,
            Op::Lookup(_) => OpKind::Lookup,
            Op::Substitute(_) => OpKind::Substitute,
            Op::Nibble(_) => OpKind::Nibble,
            Op::Affine(_) => OpKind::Affine,
            Op::Invert(_) => OpKind::Invert,
            Op::Instruction(_) => OpKind::Instruction,
            Op::Call(..) => OpKind::Call,
        }
    }
}

impl OpKind {
    /// Those of which a target needs one for tables indexed by a byte.
    pub const LOOKUPS: [OpKind; 2] = [OpKind::Substitute, OpKind::Nibble];

    /// The class that a type must be an instance of for this operation; `None` if every type has it.
    pub fn class(self) -> Option<Class> {
        Some(match self {
            OpKind::Const | OpKind::Constants | OpKind::Load | OpKind::Call => return None,
            OpKind::And | OpKind::Or | OpKind::Xor | OpKind::Not => Class::Logic,
            OpKind::AndNot | OpKind::OrNot | OpKind::Ternary | OpKind::Table => Class::Logic,
            OpKind::Add | OpKind::Sub | OpKind::Mul | OpKind::MulHalves => Class::Arith,
            OpKind::Product | OpKind::Widen | OpKind::Low => Class::Arith,
            OpKind::AddLow52 | OpKind::AddHigh52 => Class::Arith,
            OpKind::ClmulLow | OpKind::ClmulHigh => Class::Arith,
            OpKind::Element | OpKind::Number | OpKind::Choose => Class::Field,
            OpKind::Shl | OpKind::Shr | OpKind::Sar => Class::Shift,
            OpKind::Rotl | OpKind::Rotr | OpKind::RotlAnd | OpKind::Bitmask => Class::Shift,
            OpKind::Shuffle | OpKind::Permute | OpKind::Window => Class::Shuffle,
            OpKind::Lookup | OpKind::Substitute | OpKind::Nibble => Class::Lookup,
            OpKind::Affine | OpKind::Invert | OpKind::Instruction => Class::Lookup,
            OpKind::Pack => Class::Pack,
        })
    }

    /// How the operation is written in the source, for messages.
    pub fn symbol(self) -> &'static str {
        match self {
            OpKind::Const | OpKind::Constants => "constant",
            OpKind::Load => "load",
            OpKind::And => "&",
            OpKind::Or => "|",
            OpKind::Xor => "^",
            OpKind::Not => "~",
            OpKind::AndNot => "~ &",
            OpKind::OrNot => "~ |",
            OpKind::Ternary => "ternary",
            OpKind::Add => "+",
            OpKind::Sub => "-",
            OpKind::Mul => "*",
            OpKind::MulHalves => "* of halves",
            OpKind::Product => "whole *",
            OpKind::Widen | OpKind::Low => "double word",
            OpKind::AddLow52 | OpKind::AddHigh52 => "+ * of 52 bits",
            OpKind::ClmulLow | OpKind::ClmulHigh => "* of polynomials",
            OpKind::Element => "element of a field",
            OpKind::Number => "number",
            OpKind::Choose => "choose",
            OpKind::Shl => "<<",
            OpKind::Shr => ">>",
            OpKind::Sar => ">>!",
            OpKind::Rotl => "<<<",
            OpKind::Rotr => ">>>",
            OpKind::RotlAnd => "<<< &",
            OpKind::Shuffle => "Shuffle",
            OpKind::Permute => "permutation of a row",
            OpKind::Window => "window of two rows",
            OpKind::Bitmask => "Bitmask",
            OpKind::Pack => "Pack",
            OpKind::Table => "table",
            OpKind::Lookup | OpKind::Substitute | OpKind::Nibble => "lookup",
            OpKind::Affine | OpKind::Invert => "lookup",
            OpKind::Instruction => "instruction",
            OpKind::Call => "call",
        }
    }
}
