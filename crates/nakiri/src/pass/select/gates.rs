//! The gates of a target, and how a function becomes one of them.

use crate::core::{Op, OpKind, Type};
use crate::map::{self, Basis, Gate};
use crate::target::Target;
use smallvec::SmallVec;

/// The gates that a target has for the types of a region.
pub(super) struct Gates {
    pub(super) basis: Basis,
    two: Vec<Row>,
}

/// A two-input gate as a function of its operands (see [`map::inputs`]).
struct Row {
    op: Op,
    table: u8,
    /// Whether the first operand is the second fanin.
    swapped: bool,
}

/// An operation on fanins, by their places, the flag asking for the complement; and whether its result is the complement of
/// what was to be computed.
pub(super) struct Choice {
    pub(super) op: Op,
    pub(super) operands: SmallVec<[(usize, bool); 3]>,
    pub(super) inverted: bool,
}

impl Gates {
    /// Those that the target has for all of these types.
    pub(super) fn new(target: &Target, types: impl Iterator<Item = Type>) -> Gates {
        let mut types: Vec<Type> = types.collect();
        types.sort_unstable();
        types.dedup();
        let has = |kind: OpKind| {
            types.iter().all(|ty| target.instance(kind, ty.direction(), ty.bits()).is_some())
        };
        let [a, b, _] = map::inputs();
        let mut two = Vec::new();
        for op in [Op::And, Op::Or, Op::Xor, Op::AndNot, Op::OrNot] {
            for (swapped, operands) in [(false, [a, b]), (true, [b, a])] {
                if has(op.kind()) {
                    let table = map::apply(&op, &operands);
                    two.push(Row { op: op.clone(), table, swapped });
                }
            }
        }
        let basis = if has(OpKind::Ternary) { Basis::Three } else { Basis::Two };
        Gates { basis, two }
    }

    /// The operation for `gate` where the stored values of some fanins are complements, as `inverted` says.
    pub(super) fn choose(&self, gate: &Gate, inverted: &[bool], complement: bool) -> Choice {
        let mut values = map::inputs();
        for (value, &inverted) in values.iter_mut().zip(inverted) {
            *value ^= if inverted { !0 } else { 0 };
        }
        let table = map::compose(gate.table, values) ^ if complement { !0 } else { 0 };
        if gate.fanins().len() == 2 {
            if let Some(choice) = self.native(table, false) {
                return choice;
            }
        }
        match self.basis {
            Basis::Three => ternary(table, gate.fanins().len()),
            Basis::Two => self.native(table, true).unwrap_or_else(|| conjunction(table)),
        }
    }

    fn native(&self, table: u8, inverted: bool) -> Option<Choice> {
        let wanted = if inverted { !table } else { table };
        let row = self.two.iter().find(|row| row.table == wanted)?;
        let operands = if row.swapped { [1, 0] } else { [0, 1] };
        let operands = operands.into_iter().map(|place| (place, false)).collect();
        Some(Choice { op: row.op.clone(), operands, inverted })
    }
}

/// A function that is one, or zero, where one operand is zero and the other is one, by a complement and an and.
fn conjunction(table: u8) -> Choice {
    let [a, b, _] = map::inputs();
    let of = |invert: bool| if invert { (!a & b, [true, false]) } else { (a & !b, [false, true]) };
    let (wanted, operands) = match table {
        _ if table == of(true).0 || table == !of(true).0 => of(true),
        _ => of(false),
    };
    let operands = operands.into_iter().enumerate().collect();
    Choice { op: Op::And, operands, inverted: table != wanted }
}

/// Inputs that are missing repeat the first: the table doesn't depend on them.
fn ternary(table: u8, arity: usize) -> Choice {
    let reversed = (0..8u8).fold(0, |sum, i| {
        let index = (i & 1) << 2 | i & 2 | i >> 2;
        sum | (table >> i & 1) << index
    });
    let operands = (0..3).map(|place| (if place < arity { place } else { 0 }, false)).collect();
    Choice { op: Op::Ternary(reversed), operands, inverted: false }
}
