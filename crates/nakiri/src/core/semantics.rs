//! What each operation computes on one block: the one definition that the interpreter, constant folding and the
//! tests of every target use.

use super::clmul::Clmul;
use super::{field, Op};
use smallvec::SmallVec;

/// The low `width` bits set.
pub fn mask(width: u16) -> u128 {
    if width >= 128 {
        u128::MAX
    } else {
        (1 << width) - 1
    }
}

/// Applies an operation with one result on atoms of `width` bits (for [`Op::Pack`], [`Op::Product`] and [`Op::Low`]: the
/// width of the last argument). `None` for operations whose meaning lies elsewhere: loads, tables, calls.
pub fn eval(op: &Op, width: u16, args: &[u128]) -> Option<u128> {
    let all = mask(width);
    let value = match (op, args) {
        (Op::Const(c), []) => *c,
        (Op::And, [a, b]) => a & b,
        (Op::Or, [a, b]) => a | b,
        (Op::Xor, [a, b]) => a ^ b,
        (Op::Not, [a]) => !a,
        (Op::AndNot, [a, b]) => !a & b,
        (Op::OrNot, [a, b]) => !a | b,
        (Op::Ternary(lut), [a, b, c]) => ternary(*lut, *a, *b, *c),
        (Op::Add, [a, b]) => a.wrapping_add(*b),
        (Op::Sub, [a, b]) => a.wrapping_sub(*b),
        (Op::Mul, [a, b]) => a.wrapping_mul(*b),
        (Op::AddLow52, [a, b, c]) => a + (product52(*b, *c) & mask(52)),
        (Op::AddHigh52, [a, b, c]) => a + (product52(*b, *c) >> 52),
        (Op::ClmulLow, [a, b]) => Clmul::LowLow.apply(*a, *b),
        (Op::ClmulHigh, [a, b]) => Clmul::LowLow.apply(*a, *b) >> 64,
        (Op::MulHalves, [a, b]) => (a & mask(width / 2)) * (b & mask(width / 2)),
        (Op::Shl(n), [a]) => a << n,
        (Op::Shr(n), [a]) => a >> n,
        (Op::Sar(n), [a]) => (a >> n) | if bit(*a, width - 1) { all ^ (all >> n) } else { 0 },
        (Op::Rotl(0) | Op::Rotr(0), [a]) => *a,
        (Op::Rotl(n), [a]) => (a << n) | (a >> (width - n)),
        (Op::Rotr(n), [a]) => (a >> n) | (a << (width - n)),
        (Op::RotlAnd { by, kept }, [a]) => eval(&Op::Rotl(*by), width, &[*a])? & kept,
        (Op::Shuffle(picks), [a]) => shuffle(picks, *a),
        (Op::Bitmask(n), [a]) => {
            if bit(*a, *n) {
                all
            } else {
                0
            }
        }
        (Op::Substitute(table), [a]) => u128::from(table[*a as usize]),
        (Op::Nibble(_), [a]) if bit(*a, 7) => 0,
        (Op::Nibble(table), [a]) => u128::from(table[(a & 15) as usize]),
        (Op::Affine(map), [a]) => map.apply(*a as u8).into(),
        (Op::Invert(map), [a]) => map.apply(field::inverse(*a as u8)).into(),
        (Op::Pack, [a, b]) => return Some((a << width) | b),
        (Op::Product, [a, b]) => return Some(a.wrapping_mul(*b)),
        (Op::Low, [a]) => a & mask(width / 2),
        (Op::Widen, [a]) => *a,
        _ => return None,
    };
    Some(value & all)
}

/// Applies an operation with one result on values of `count` atoms of `width` bits side by side: to each atom, but for
/// those that move whole atoms, and instructions. For `count` 1 it is [`eval`].
pub fn eval_row(op: &Op, width: u16, count: u16, args: &[u128]) -> Option<u128> {
    if count == 1 {
        return eval(op, width, args);
    }
    match (op, args) {
        (Op::Const(c), []) => Some(*c),
        (Op::Permute(picks), [a]) => {
            let pick = |pick: &Option<u16>| pick.map_or(0, |p| atom(*a, width, p));
            Some(packed(picks.iter().map(pick), width))
        }
        (Op::Window(n), [a, b]) => {
            let bits = n * width;
            Some(a >> bits | b << (width * count - bits) & mask(width * count))
        }
        (Op::Instruction(instruction), rows) if instruction.row() == (width, count) => {
            instruction.apply(rows)
        }
        (Op::And | Op::Or | Op::Xor | Op::Not | Op::AndNot | Op::OrNot | Op::Ternary(_), rows) => {
            eval(op, width * count, rows)
        }
        _ => {
            let column = |i| args.iter().map(move |row| atom(*row, width, i));
            let atoms =
                (0..count).map(|i| eval(op, width, &column(i).collect::<SmallVec<[_; 3]>>()));
            Some(packed(atoms.collect::<Option<SmallVec<[_; 16]>>>()?.into_iter(), width))
        }
    }
}

/// The row of these atoms of `width` bits: the first in the lowest bits.
pub fn pack(atoms: &[u128], width: u16) -> u128 {
    packed(atoms.iter().copied(), width)
}

fn packed(atoms: impl DoubleEndedIterator<Item = u128>, width: u16) -> u128 {
    atoms.rev().fold(0, |row, atom| row.checked_shl(width.into()).unwrap_or(0) | atom)
}

/// The atoms of a row: the inverse of [`pack`].
pub fn unpack(row: u128, width: u16, count: u16) -> Vec<u128> {
    (0..count).map(|i| atom(row, width, i)).collect()
}

fn atom(row: u128, width: u16, number: u16) -> u128 {
    row >> (number * width) & mask(width)
}

/// The product of the lower 52 bits.
fn product52(a: u128, b: u128) -> u128 {
    (a & mask(52)) * (b & mask(52))
}

fn bit(a: u128, n: u16) -> bool {
    (a >> n) & 1 == 1
}

fn ternary(lut: u8, a: u128, b: u128, c: u128) -> u128 {
    (0..8u8).filter(|i| lut >> i & 1 == 1).fold(0, |sum, i| {
        let term = |bit: u8, x: u128| if i & bit == 0 { !x } else { x };
        sum | (term(4, a) & term(2, b) & term(1, c))
    })
}

fn shuffle(picks: &[Option<u16>], a: u128) -> u128 {
    let width = picks.len() as u16;
    picks.iter().fold(0, |sum, pick| {
        let picked = pick.is_some_and(|p| bit(a, width - 1 - p));
        (sum << 1) | u128::from(picked)
    })
}

/// A table at each bit position: `args` and the results are the atoms of `width` bits, first ones most significant.
pub fn table(table: &super::Table, width: u16, args: &[u128]) -> Vec<u128> {
    let mut results = vec![0; usize::from(table.outputs)];
    for position in 0..width {
        let index = args.iter().fold(0, |i, a| (i << 1) | usize::from(bit(*a, position)));
        for (j, result) in results.iter_mut().rev().enumerate() {
            *result |= u128::from(bit(table.entries[index], j as u16)) << position;
        }
    }
    results
}
