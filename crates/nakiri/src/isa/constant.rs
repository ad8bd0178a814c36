//! Constants of rows, as far as the operation and the type of its atoms say what they are.

use super::permutation::{picks, segment};
use crate::core::aes::{unsubstituted, UNSHIFT_ROWS};
use crate::core::field::{inverse, ByteMap};
use crate::core::{semantics, Op, Type};

/// A constant in a register or in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constant {
    /// All bits 0.
    Zeros,
    /// All bits 1.
    Ones,
    /// A word in every element of a vector.
    Splat(Splat, Word),
    /// Sixteen bytes in every segment of 128 bits.
    Segment(Bytes),
    /// The 64-bit words of a register.
    Words(Words64),
    /// A word in every word of a general-purpose register.
    Every(Word),
    /// The word of horizontal atoms in a general-purpose register that are this one.
    Lanes(Word),
    /// The same for the first lane, zeros for the others.
    FirstLane(Word),
}

/// An intrinsic that puts a number into every element of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Splat {
    /// Its name, as in [`Intrinsic`](super::Intrinsic).
    pub name: &'static str,
    /// The type of the number.
    pub element: Element,
}

/// An element of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// A number without sign.
    Unsigned(Bits),
    /// A number with a sign.
    Signed(Bits),
}

/// How many bits an element has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bits {
    /// As many as the atoms.
    Atom,
    /// So many.
    Fixed(u16),
}

impl Bits {
    /// How many they are if atoms have `width`.
    pub fn of(self, width: u16) -> u16 {
        match self {
            Bits::Atom => width,
            Bits::Fixed(bits) => bits,
        }
    }
}

/// A number, of bits or positions mostly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// This one.
    Fixed(u16),
    /// The operation's amount.
    Amount,
    /// The bytes of as many atoms as the operation's amount.
    Octets,
    /// The atoms' width.
    Width,
    /// The width without the amount.
    Rest,
    /// The number of an atom's highest bit.
    Highest,
    /// How far the bit that is numbered by the amount is below the highest one.
    Below,
}

impl Number {
    /// Its value for an operation on atoms of `width` bits.
    pub fn value(self, op: &Op, width: u16) -> Option<u16> {
        Some(match self {
            Number::Fixed(number) => number,
            Number::Amount => amount(op)?,
            Number::Octets => amount(op)? * width / 8,
            Number::Width => width,
            Number::Rest => width - amount(op)?,
            Number::Highest => width - 1,
            Number::Below => width - 1 - amount(op)?,
        })
    }
}

/// A word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// This one, written in decimal.
    Decimal(i64),
    /// This one, written in hexadecimal with at least so many digits.
    Hexadecimal(i64, usize),
    /// One bit of an atom, by its number.
    Bit(Number),
    /// All bits of an atom, shifted towards the most significant one.
    OnesLeft(Number),
    /// All bits of an atom, shifted towards the least significant one.
    OnesRight(Number),
    /// The bits that a rotation keeps.
    Kept,
    /// Those that [`Word::OnesLeft`] has too.
    KeptLeft(Number),
    /// Those that [`Word::OnesRight`] has too.
    KeptRight(Number),
    /// The table of a ternary operation.
    Table,
    /// The linear part of the map of the bits of a byte that the operation is, but for an inversion before it, as
    /// `gf2p8affineqb` has it.
    Matrix,
    /// What that map adds.
    Sum,
    /// The four words of 32 bits in a segment that a permutation takes, two bits each.
    Quads,
    /// The elements of the register that a permutation doesn't fill with zeros, a bit each.
    Filled,
}

impl Word {
    /// Its value for an operation on atoms of a type.
    pub fn value(self, op: &Op, ty: Type) -> Option<u128> {
        let width = ty.word();
        let (ones, number) = (semantics::mask(width), |number: Number| number.value(op, width));
        Some(match self {
            Word::Decimal(value) | Word::Hexadecimal(value, _) => u128::from(value as u64),
            Word::Bit(place) => 1 << number(place)?,
            Word::OnesLeft(by) => ones << number(by)? & ones,
            Word::OnesRight(by) => ones >> number(by)?,
            Word::Kept => kept(op)?,
            Word::KeptLeft(by) => kept(op)? & ones << number(by)?,
            Word::KeptRight(by) => kept(op)? & ones >> number(by)?,
            Word::Table => match op {
                Op::Ternary(table) => u128::from(*table),
                _ => return None,
            },
            Word::Matrix => ByteMap::of_operation(op)?.matrix().into(),
            Word::Sum => ByteMap::of_operation(op)?.constant.into(),
            Word::Quads => {
                let bytes = segment(op, ty)?;
                (0..4).map(|quad| (bytes[4 * quad] as u128 / 4) << (2 * quad)).sum()
            }
            Word::Filled => {
                let picks = picks(op, width)?;
                let filled = picks.iter().enumerate().filter(|(_, pick)| pick.is_some());
                filled.fold(0, |all, (place, _)| all | 1 << place)
            }
        })
    }
}

/// Sixteen bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bytes {
    /// The numbers of the bytes that the operation puts in each place, −128 for zeros.
    Places,
    /// What undoes AES' `ShiftRows`, as numbers of bytes.
    UnshiftRows,
    /// The affine map that the operation is, for all values of one half of a byte.
    Map(Half),
    /// The affine map that makes the operation of AES' `SubBytes`, for all values of one half of a byte.
    MapAfterSubBytes(Half),
    /// A sixteenth of a table of bytes.
    Entries(u8),
    /// The same everywhere.
    All(u8),
}

/// One half of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// The low one; its table has the map's constant too.
    Low,
    /// The high one.
    High,
}

impl Bytes {
    /// Their values for an operation on atoms of a type.
    pub fn values(self, op: &Op, ty: Type) -> Option<[i8; 16]> {
        let all = |byte: &dyn Fn(u8) -> u8| std::array::from_fn(|i| byte(i as u8) as i8);
        Some(match (self, op) {
            (Bytes::Places, _) => segment(op, ty)?,
            (Bytes::All(byte), _) => all(&|_| byte),
            (Bytes::UnshiftRows, _) => all(&|i| UNSHIFT_ROWS[usize::from(i)] as u8),
            (Bytes::Map(half), _) => {
                let map = ByteMap::of_operation(op)?;
                all(&|i| half.of(map, i))
            }
            (Bytes::MapAfterSubBytes(half), Op::Invert(map)) => {
                let map = ByteMap::of(|y| Some(map.apply(inverse(unsubstituted(y)))))?;
                all(&|i| half.of(map, i))
            }
            (Bytes::Entries(part), Op::Substitute(table)) => {
                all(&|i| table[usize::from(16 * part + i)])
            }
            (Bytes::Entries(0), Op::Nibble(table)) => table.map(|byte| byte as i8),
            _ => return None,
        })
    }
}

impl Half {
    fn of(self, map: ByteMap, value: u8) -> u8 {
        match self {
            Half::Low => map.apply(value),
            Half::High => map.apply(value << 4) ^ map.constant,
        }
    }
}

/// Words of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words64 {
    /// The numbers of the elements that the operation puts in each place of a register of 512 bits.
    Places,
    /// A quarter of a table of bytes.
    Entries(usize),
}

impl Words64 {
    /// Their values for an operation on atoms of `width` bits, from the lowest on.
    pub fn values(self, op: &Op, width: u16) -> Option<Vec<u64>> {
        match (self, op) {
            (Words64::Places, _) => {
                let bits = 512 / width;
                let put =
                    |word: u64, pick: &Option<u16>| word << bits | u64::from(pick.unwrap_or(0));
                let word = |picks: &[Option<u16>]| picks.iter().rev().fold(0, put);
                Some(picks(op, width)?.chunks(usize::from(64 / bits)).map(word).collect())
            }
            (Words64::Entries(quarter), Op::Substitute(table)) => {
                let put = |word: u64, byte: &u8| word << 8 | u64::from(*byte);
                let word = |bytes: &[u8]| bytes.iter().rev().fold(0, put);
                Some(table.chunks(64).nth(quarter)?.chunks(8).map(word).collect())
            }
            _ => None,
        }
    }
}

fn amount(op: &Op) -> Option<u16> {
    match op {
        Op::Shl(n) | Op::Shr(n) | Op::Sar(n) | Op::Rotl(n) | Op::Bitmask(n) => Some(*n),
        Op::Window(n) => Some(*n),
        Op::RotlAnd { by, .. } => Some(*by),
        _ => None,
    }
}

fn kept(op: &Op) -> Option<u128> {
    match op {
        Op::RotlAnd { kept, .. } => Some(*kept),
        _ => None,
    }
}
