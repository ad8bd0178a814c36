//! The gates of a target, and how a function becomes one of them.

use crate::core::{Op, OpKind, Type};
use crate::isa::Target;
use crate::map::{self, Basis, Gate};

/// The gates that a target has for the types of a region.
pub(super) struct Gates {
    pub(super) basis: Basis,
    /// The best choice for each two-input function, what there is of its operands and what is wanted: see [`place`].
    two: Vec<Choice>,
}

/// What there is of a node: its value, its complement, or both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stored {
    /// Whether the gate makes the complement.
    pub(super) negative: bool,
    /// Whether the other is made from it.
    pub(super) both: bool,
}

/// An operation that computes a node or its complement.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) op: Op,
    /// The fanins that it reads, by their places, and whether it reads their complements.
    pub(super) operands: [(usize, bool); 3],
    /// How many of the operands count.
    pub(super) arity: usize,
    /// Whether it computes the complement.
    pub(super) negative: bool,
    /// How many operands must be made from their complements.
    pub(super) missing: usize,
}

/// A two-input gate as a function of the fanins (see [`map::inputs`]), and whether its operands are in the other order.
type Row = (Op, u8, bool);

const STORED: [Stored; 3] = [
    Stored { negative: false, both: false },
    Stored { negative: true, both: false },
    Stored { negative: false, both: true },
];

impl Gates {
    /// Those that the target has for all of these types.
    pub(super) fn new(target: &Target, types: impl Iterator<Item = Type>) -> Gates {
        let mut types: Vec<Type> = types.collect();
        types.sort_unstable();
        types.dedup();
        let has = |kind: OpKind| {
            types.iter().all(|ty| target.instance(kind, ty.direction(), ty.word()).is_some())
        };
        let [a, b, _] = map::inputs();
        let ops = [Op::And, Op::Or, Op::Xor, Op::AndNot, Op::OrNot];
        let ways = ops.iter().filter(|op| has(op.kind())).flat_map(|op| {
            let row = |swapped, operands: [u8; 2]| (op.clone(), map::apply(op, &operands), swapped);
            [row(false, [a, b]), row(true, [b, a])]
        });
        let rows: Vec<Row> = ways.collect();
        let mut two = Vec::new();
        for function in 0..16 {
            for first in STORED {
                for second in STORED {
                    let stored = [first, second];
                    two.extend([false, true].map(|want| pair(&rows, function, stored, want)));
                }
            }
        }
        let basis = if has(OpKind::Ternary) { Basis::Three } else { Basis::Two };
        Gates { basis, two }
    }

    /// Whether the operation for `gate` makes the complement, and how many complements it needs: see [`Gates::choose`].
    pub(super) fn made(&self, gate: &Gate, stored: &[Stored], want: bool) -> (bool, usize) {
        if let (Basis::Two, &[first, second]) = (self.basis, stored) {
            let choice = &self.two[place(gate.table, [first, second], want)];
            return (choice.negative, choice.missing);
        }
        let choice = self.choose(gate, stored, want);
        (choice.negative, choice.missing)
    }

    /// The operation for `gate` that needs the fewest complements, and if it can makes the complement where that is wanted.
    pub(super) fn choose(&self, gate: &Gate, stored: &[Stored], want: bool) -> Choice {
        if let (Basis::Two, &[first, second]) = (self.basis, stored) {
            return self.two[place(gate.table, [first, second], want)].clone();
        }
        let mut values = map::inputs();
        for (value, stored) in values.iter_mut().zip(stored) {
            *value ^= if stored.negative { !0 } else { 0 };
        }
        let table = map::compose(gate.table, values) ^ if want { !0 } else { 0 };
        let native = match stored {
            // What is there is read as it is: a native gate or else a table.
            [_, _] => Some(&self.two[place(table, [STORED[0]; 2], false)]),
            _ => None,
        };
        match native.filter(|choice| choice.missing == 0 && !choice.negative) {
            Some(choice) => {
                let operands = choice.operands.map(|(k, _)| (k, stored[k].negative));
                Choice { operands, negative: want, ..choice.clone() }
            }
            None => ternary(table, stored, want),
        }
    }
}

/// Where a two-input function and its circumstances stand in [`Gates::two`].
fn place(table: u8, stored: [Stored; 2], want: bool) -> usize {
    let state = |stored: Stored| match stored {
        Stored { both: true, .. } => 2,
        Stored { negative, .. } => usize::from(negative),
    };
    let function = usize::from(table & 15);
    ((function * 3 + state(stored[0])) * 3 + state(stored[1])) * 2 + usize::from(want)
}

/// The best gate for a two-input function.
fn pair(rows: &[Row], function: u8, stored: [Stored; 2], want: bool) -> Choice {
    let [a, b, c] = map::inputs();
    let mut best: Option<Choice> = None;
    for inverted in [[false, false], [true, false], [false, true], [true, true]] {
        let needs = stored.iter().zip(inverted);
        let missing = needs.filter(|(s, inverted)| !s.both && s.negative != *inverted).count();
        let flip = |value: u8, inverted: bool| if inverted { !value } else { value };
        let values = [flip(a, inverted[0]), flip(b, inverted[1]), c];
        let table = map::compose(function | function << 4, values);
        for negative in [false, true] {
            let Some((op, _, swapped)) = rows.iter().find(|row| row.1 == flip(table, negative))
            else {
                continue;
            };
            let is_better =
                |best: &Choice| (missing, negative != want) < (best.missing, best.negative != want);
            if best.as_ref().is_none_or(is_better) {
                let (first, second) = if *swapped { (1, 0) } else { (0, 1) };
                let operands = [(first, inverted[first]), (second, inverted[second]), (0, false)];
                best = Some(Choice { op: op.clone(), operands, arity: 2, negative, missing });
            }
        }
    }
    // Functions of one input have no gate, and are never asked for.
    let none =
        Choice { op: Op::And, operands: [(0, false); 3], arity: 2, negative: want, missing: 2 };
    best.unwrap_or(none)
}

/// Inputs that are missing repeat the first: the table doesn't depend on them.
fn ternary(table: u8, stored: &[Stored], negative: bool) -> Choice {
    let reversed = (0..8u8).fold(0, |sum, i| {
        let index = (i & 1) << 2 | i & 2 | i >> 2;
        sum | (table >> i & 1) << index
    });
    let operands = std::array::from_fn(|place| {
        let place = if place < stored.len() { place } else { 0 };
        (place, stored[place].negative)
    });
    Choice { op: Op::Ternary(reversed), operands, arity: 3, negative, missing: 0 }
}
