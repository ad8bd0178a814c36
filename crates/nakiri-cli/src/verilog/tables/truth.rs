//! What cells of words compute, for all values of few bits at once.

use super::super::json::{JsonCell, Words};
use nakiri::verilog::netlist::Bit;
use std::collections::HashMap;

/// A bit as a function of at most eight others: the value where they are the number `n` is bit `n`.
pub(super) type Column = [u64; 4];

const FALSE: Column = [0; 4];
const TRUE: Column = [u64::MAX; 4];

/// The value at a number.
pub(super) fn at(column: &Column, number: usize) -> bool {
    column[number / 64] >> (number % 64) & 1 != 0
}

fn map(a: &Column, b: &Column, f: impl Fn(u64, u64) -> u64) -> Column {
    std::array::from_fn(|k| f(a[k], b[k]))
}

fn not(a: &Column) -> Column {
    a.map(|a| !a)
}

fn and(a: &Column, b: &Column) -> Column {
    map(a, b, |a, b| a & b)
}

fn or(a: &Column, b: &Column) -> Column {
    map(a, b, |a, b| a | b)
}

fn select(s: &Column, one: &Column, zero: &Column) -> Column {
    or(&and(s, one), &and(&not(s), zero))
}

fn any(bits: &[Column]) -> Column {
    bits.iter().fold(FALSE, |all, bit| or(&all, bit))
}

/// The value of a bit of the address.
fn variable(number: usize) -> Column {
    let mut column = FALSE;
    for at in (0..256).filter(|at| at >> number & 1 != 0) {
        column[at / 64] |= 1 << (at % 64);
    }
    column
}

/// The cells of a module with what drives its nets.
pub(super) struct Cone<'a> {
    words: &'a Words,
    drivers: HashMap<u32, (usize, usize)>,
}

impl<'a> Cone<'a> {
    pub(super) fn new(words: &'a Words) -> Cone<'a> {
        let mut drivers = HashMap::new();
        for (number, (_, cell)) in words.cells.iter().enumerate() {
            for (place, bit) in cell.pin("Y").into_iter().flatten().enumerate() {
                drivers.extend(bit.net().map(|net| (net, (number, place))));
            }
        }
        Cone { words, drivers }
    }

    pub(super) fn cell(&self, number: usize) -> &'a JsonCell {
        &self.words.cells[number].1
    }

    /// The cell that drives a net, if that is none that stores or is a memory.
    pub(super) fn driver(&self, net: u32) -> Option<usize> {
        Some(self.drivers.get(&net)?.0)
    }

    /// What a cell gives as a function of some nets, behind which nothing is looked at; `None` if that is no function of them.
    pub(super) fn columns(&self, root: usize, address: &[u32]) -> Option<Vec<Column>> {
        let known = address.iter().enumerate().map(|(number, net)| (*net, variable(number)));
        let mut known: HashMap<u32, Column> = known.collect();
        // A cell comes twice: first to have what it reads computed, then itself.
        let mut open = vec![(root, false)];
        while let Some((number, ready)) = open.pop() {
            let cell = self.cell(number);
            let outputs = cell.pin("Y")?;
            if outputs.iter().filter_map(Bit::net).all(|net| known.contains_key(&net)) {
                continue;
            }
            if ready {
                let values = compute(cell, &known)?;
                known.extend(
                    outputs.iter().zip(values).filter_map(|(bit, value)| Some((bit.net()?, value))),
                );
                continue;
            }
            open.push((number, true));
            for net in cell.inputs().flat_map(|(_, bits)| bits).filter_map(|bit| bit.net()) {
                if !known.contains_key(&net) {
                    let driver = self.driver(net)?;
                    // One that waits already reads itself.
                    if open.contains(&(driver, true)) {
                        return None;
                    }
                    open.push((driver, false));
                }
            }
        }
        self.cell(root).pin("Y")?.iter().map(|bit| value(bit, &known)).collect()
    }
}

/// A bit; what is unknown is 0.
fn value(bit: &Bit, known: &HashMap<u32, Column>) -> Option<Column> {
    match bit {
        Bit::Net(net) => known.get(net).copied(),
        Bit::One => Some(TRUE),
        Bit::Zero | Bit::Unknown => Some(FALSE),
    }
}

/// What a cell gives.
fn compute(cell: &JsonCell, known: &HashMap<u32, Column>) -> Option<Vec<Column>> {
    let width = cell.pin("Y")?.len();
    let operand = |pin: &str| -> Option<Vec<Column>> {
        cell.pin(pin)?.iter().map(|bit| value(bit, known)).collect()
    };
    let is_signed = |pin: &str| cell.digits(pin).is_some_and(|digits| digits.contains('1'));
    let extended = |mut bits: Vec<Column>, width: usize| {
        let signed = is_signed("A_SIGNED") && is_signed("B_SIGNED");
        let sign = bits.last().copied().filter(|_| signed).unwrap_or(FALSE);
        bits.resize(width.max(bits.len()), sign);
        bits
    };
    let a = operand("A")?;
    // The other bits of a truth are 0.
    let truth =
        |bit: Column| Some([bit].into_iter().chain(std::iter::repeat(FALSE)).take(width).collect());
    match cell.kind.as_str() {
        "$mux" => {
            let (b, s) = (operand("B")?, operand("S")?);
            Some(a.iter().zip(&b).map(|(a, b)| select(&s[0], b, a)).collect())
        }
        "$pmux" => {
            let (b, s) = (operand("B")?, operand("S")?);
            let none = not(&any(&s));
            let bit = |at: usize| {
                let each = s.iter().enumerate().map(|(k, s)| and(s, &b[k * width + at]));
                each.fold(and(&none, &a[at]), |all, one| or(&all, &one))
            };
            Some((0..width).map(bit).collect())
        }
        "$bmux" => Some(shifted(a, &operand("S")?, width, width)),
        "$shiftx" | "$shr" => {
            let b = operand("B")?;
            // The other way, and copies of a sign, are nothing that a table is written by.
            let negative = is_signed("B_SIGNED") && b.last().is_some_and(|sign| *sign != FALSE);
            let extends = is_signed("A_SIGNED") && cell.kind == "$shr";
            (!negative && !extends).then(|| shifted(a, &b, 1, width))
        }
        "$eq" | "$eqx" | "$ne" | "$nex" => {
            let b = operand("B")?;
            let most = a.len().max(b.len());
            let pairs = extended(a, most).into_iter().zip(extended(b, most));
            let differ = any(&pairs.map(|(a, b)| map(&a, &b, |a, b| a ^ b)).collect::<Vec<_>>());
            truth(if cell.kind.starts_with("$eq") { not(&differ) } else { differ })
        }
        "$logic_not" => truth(not(&any(&a))),
        "$logic_and" => truth(and(&any(&a), &any(&operand("B")?))),
        "$logic_or" => truth(or(&any(&a), &any(&operand("B")?))),
        "$reduce_or" | "$reduce_bool" => truth(any(&a)),
        "$reduce_and" => truth(a.iter().fold(TRUE, |all, bit| and(&all, bit))),
        "$not" => truth(not(a.first()?)),
        "$and" => truth(and(a.first()?, operand("B")?.first()?)),
        "$or" => truth(or(a.first()?, operand("B")?.first()?)),
        _ => None,
    }
}

/// `width` bits of `bits` from `by` × `unit` on, with 0 behind their end.
fn shifted(mut bits: Vec<Column>, by: &[Column], unit: usize, width: usize) -> Vec<Column> {
    for (k, by) in by.iter().enumerate().filter(|(_, by)| **by != FALSE) {
        let step = 1usize.checked_shl(k as u32).and_then(|step| step.checked_mul(unit));
        for at in 0..bits.len() {
            let from = step.and_then(|step| bits.get(at.checked_add(step)?)).copied();
            bits[at] = select(by, &from.unwrap_or(FALSE), &bits[at]);
        }
    }
    bits.resize(width, FALSE);
    bits
}
