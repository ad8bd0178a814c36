//! Where gates stand: in columns by their depth, ordered so that wires cross seldom, at heights near those of what they
//! are connected to.
//!
//! After Sugiyama, Tagawa and Toda, "Methods for visual understanding of hierarchical system structures" (1981): a wire that
//! passes a column has a slot there like a gate; sweeps over the columns sort slots by the mean of their neighbours.

use super::{pins, GATE};
use nakiri::circuit::{Circuit, Output};
use std::collections::BTreeMap;

/// A signal: the inputs first, then the gates; constants of outputs come last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Source(pub u32);

/// What stands in a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// An input of the circuit.
    Input(usize),
    /// A wire on its way.
    Pass,
    /// A gate.
    Gate(usize),
    /// An output of the circuit.
    Output(usize),
}

/// A place in a column.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    /// What stands there.
    pub what: What,
    /// The signal that leaves it, or that an output is.
    pub source: Source,
    /// The signals that it takes, with the height of each pin relative to the slot's.
    pub takes: Vec<(Source, f64)>,
    /// The height of its middle.
    pub y: f64,
}

impl Slot {
    fn new(what: What, source: Source, takes: &[(Source, f64)]) -> Slot {
        Slot { what, source, takes: takes.to_vec(), y: 0.0 }
    }

    /// Half of the height that it needs.
    fn half(&self) -> f64 {
        match self.what {
            What::Pass => 5.0,
            What::Gate(_) => GATE.1 / 2.0 + 4.0,
            What::Input(_) | What::Output(_) => 10.0,
        }
    }

    /// Its lower end.
    pub fn bottom(&self) -> f64 {
        self.y + self.half()
    }
}

/// A column.
#[derive(Clone, Debug, Default)]
pub struct Column {
    /// Its slots from top to bottom.
    pub slots: Vec<Slot>,
}

/// Places a circuit: inputs, gates of depth 1, 2, …, outputs.
pub fn columns(circuit: &Circuit) -> Vec<Column> {
    let mut columns = filled(circuit);
    for _ in 0..24 {
        sweep(&mut columns, Side::Before);
        sweep(&mut columns, Side::After);
    }
    for column in &mut columns {
        settle(column, &[]);
    }
    for _ in 0..40 {
        align(&mut columns, Side::Before);
        align(&mut columns, Side::After);
    }
    let slots = || columns.iter().flat_map(|column| &column.slots);
    let top = slots().map(|slot| slot.y - slot.half()).fold(f64::INFINITY, f64::min);
    columns.iter_mut().flat_map(|c| &mut c.slots).for_each(|slot| slot.y -= top);
    columns
}

/// The depth of each signal.
fn depths(circuit: &Circuit) -> Vec<usize> {
    let mut depths = vec![0; usize::from(circuit.inputs)];
    for gate in &circuit.gates {
        let deepest = gate.operands().iter().map(|signal| depths[signal.0 as usize]).max();
        depths.push(1 + deepest.unwrap_or(0));
    }
    depths
}

/// The columns with their slots in any order.
fn filled(circuit: &Circuit) -> Vec<Column> {
    let depths = depths(circuit);
    let last = depths.iter().max().copied().unwrap_or(0) + 1;
    let mut columns = vec![Column::default(); last + 1];
    // How far each signal has to reach.
    let mut reach: Vec<usize> = depths.clone();
    for input in 0..usize::from(circuit.inputs) {
        columns[0].slots.push(Slot::new(What::Input(input), Source(input as u32), &[]));
    }
    for (k, gate) in circuit.gates.iter().enumerate() {
        let number = usize::from(circuit.inputs) + k;
        let takes: Vec<(Source, f64)> =
            pins(gate).iter().map(|(signal, height)| (Source(signal.0), *height)).collect();
        for (source, _) in &takes {
            let reach = &mut reach[source.0 as usize];
            *reach = (*reach).max(depths[number]);
        }
        columns[depths[number]].slots.push(Slot::new(What::Gate(k), Source(number as u32), &takes));
    }
    for (k, output) in circuit.outputs.iter().enumerate() {
        let (source, takes) = match output {
            Output::Signal(signal) => {
                reach[signal.0 as usize] = last;
                (Source(signal.0), vec![(Source(signal.0), 0.0)])
            }
            Output::Constant(_) => (Source((depths.len() + k) as u32), Vec::new()),
        };
        columns[last].slots.push(Slot::new(What::Output(k), source, &takes));
    }
    for (signal, (depth, reach)) in depths.iter().zip(&reach).enumerate() {
        let source = Source(signal as u32);
        for column in &mut columns[(depth + 1).min(*reach)..*reach] {
            column.slots.push(Slot::new(What::Pass, source, &[(source, 0.0)]));
        }
    }
    columns
}

/// The side of a column to which it is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

/// For each slot of a column the heights at which its neighbours on one side would have it. `height` gives a slot's.
fn wishes(
    columns: &[Column],
    at: usize,
    side: Side,
    height: impl Fn(usize, &Slot) -> f64,
) -> Vec<Vec<f64>> {
    let mut wishes = vec![Vec::new(); columns[at].slots.len()];
    let (left, right) = match side {
        Side::Before if at > 0 => (at - 1, at),
        Side::After if at + 1 < columns.len() => (at, at + 1),
        _ => return wishes,
    };
    let leaving: BTreeMap<Source, usize> =
        columns[left].slots.iter().enumerate().map(|(k, slot)| (slot.source, k)).collect();
    for (k, slot) in columns[right].slots.iter().enumerate() {
        for (source, pin) in &slot.takes {
            let Some(&from) = leaving.get(source) else { continue };
            match side {
                Side::Before => wishes[k].push(height(from, &columns[left].slots[from]) - pin),
                Side::After => wishes[from].push(height(k, slot) + pin),
            }
        }
    }
    wishes
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Sorts every column by the mean of its neighbours on one side.
fn sweep(columns: &mut [Column], side: Side) {
    let order: Vec<usize> = match side {
        Side::Before => (1..columns.len()).collect(),
        Side::After => (0..columns.len() - 1).rev().collect(),
    };
    for at in order {
        // Pins break ties: a slot counts as one.
        let wishes = wishes(columns, at, side, |place, _| place as f64 * 1000.0);
        let keep = |(k, values): (usize, &Vec<f64>)| mean(values).unwrap_or(k as f64 * 1000.0);
        let keys: Vec<f64> = wishes.iter().enumerate().map(keep).collect();
        let slots = std::mem::take(&mut columns[at].slots);
        let mut keyed: Vec<(f64, Slot)> = keys.into_iter().zip(slots).collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
        columns[at].slots = keyed.into_iter().map(|(_, slot)| slot).collect();
    }
}

/// Moves the slots of every column towards their neighbours on one side.
fn align(columns: &mut [Column], side: Side) {
    let order: Vec<usize> = match side {
        Side::Before => (1..columns.len()).collect(),
        Side::After => (0..columns.len() - 1).rev().collect(),
    };
    for at in order {
        let wishes = wishes(columns, at, side, |_, slot| slot.y);
        settle(&mut columns[at], &wishes);
    }
}

/// Gives the slots of a column heights, in their order and without overlap, whose squared distances from the wishes are
/// least: by pooling neighbours that want to overlap.
fn settle(column: &mut Column, wishes: &[Vec<f64>]) {
    let mut offsets = Vec::with_capacity(column.slots.len());
    let mut offset = 0.0;
    for (k, slot) in column.slots.iter().enumerate() {
        offset += if k == 0 { 0.0 } else { column.slots[k - 1].half() + slot.half() };
        offsets.push(offset);
    }
    // Pools of slots: sum of their wishes and how many there are.
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for (k, slot) in column.slots.iter().enumerate() {
        let wish = wishes.get(k).and_then(|wish| mean(wish)).unwrap_or(slot.y) - offsets[k];
        let weight = if slot.what == What::Pass { 3.0 } else { 1.0 };
        let mut pool = (wish * weight, weight, 1);
        while let Some(last) = pools.last().filter(|last| last.0 / last.1 > pool.0 / pool.1) {
            pool = (last.0 + pool.0, last.1 + pool.1, last.2 + pool.2);
            pools.pop();
        }
        pools.push(pool);
    }
    let places = pools.iter().flat_map(|pool| std::iter::repeat_n(pool.0 / pool.1, pool.2));
    for ((slot, place), offset) in column.slots.iter_mut().zip(places).zip(&offsets) {
        slot.y = place + offset;
    }
}
