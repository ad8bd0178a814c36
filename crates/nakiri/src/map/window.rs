//! Windows: a node, what it is made of down to a few leaves, and what else is made of these.

use super::network::{Gate, Literal, Network};
use super::table;
use crate::circuit::input_word;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The most leaves of a window, so that a function of them has 256 values.
const LEAVES: usize = 8;
/// The most nodes between a node and the leaves.
const INNER: usize = 24;
/// The most nodes that a gate is looked for among.
const DIVISORS: usize = 28;
/// The nodes that read a node are not looked at if they are more.
const READERS: usize = 12;
/// The most gates that are counted as freed with one.
const FREED: usize = 12;

/// All values of a function of eight inputs.
pub(super) type Values = [u64; 4];

/// A network with the nodes that read each node.
pub(super) struct Readers<'a> {
    pub(super) network: &'a mut Network,
    readers: Vec<SmallVec<[u32; 4]>>,
    outputs: Vec<bool>,
}

impl<'a> Readers<'a> {
    pub(super) fn new(network: &'a mut Network, outputs: &[Literal], order: &[u32]) -> Readers<'a> {
        let mut readers = vec![SmallVec::new(); network.len()];
        for &node in order {
            for &fanin in network.fanins(node) {
                readers[fanin as usize].push(node);
            }
        }
        let mut is_output = vec![false; network.len()];
        outputs.iter().for_each(|output| is_output[output.node() as usize] = true);
        Readers { network, readers, outputs: is_output }
    }

    pub(super) fn is_live(&self, node: u32) -> bool {
        self.outputs[node as usize] || !self.readers[node as usize].is_empty()
    }

    /// Makes a node another gate. What nobody reads then reads nothing.
    pub(super) fn replace(&mut self, node: u32, gate: Gate) {
        gate.fanins().iter().for_each(|&fanin| self.readers[fanin as usize].push(node));
        let mut dropped: SmallVec<[(u32, u32); 8]> =
            self.network.fanins(node).iter().map(|&fanin| (fanin, node)).collect();
        self.network.set(node, gate);
        while let Some((fanin, reader)) = dropped.pop() {
            let readers = &mut self.readers[fanin as usize];
            let place = readers.iter().position(|&r| r == reader).expect("it read the node");
            readers.remove(place);
            if !self.is_live(fanin) {
                dropped.extend(self.network.fanins(fanin).iter().map(|&inner| (inner, fanin)));
            }
        }
    }

    /// The gates that go with a gate, itself first.
    pub(super) fn freed(&self, node: u32) -> SmallVec<[u32; 16]> {
        let mut freed: SmallVec<[u32; 16]> = SmallVec::new();
        freed.push(node);
        let mut next = 0;
        while next < freed.len() && freed.len() < FREED {
            for &fanin in self.network.fanins(freed[next]) {
                let is_gate = !self.network.fanins(fanin).is_empty();
                let all = || self.readers[fanin as usize].iter().all(|r| freed.contains(r));
                let new = is_gate && !freed.contains(&fanin) && !self.outputs[fanin as usize];
                if new && all() {
                    freed.push(fanin);
                }
            }
            next += 1;
        }
        freed
    }

    /// What a node can be computed from, with the functions of the window's leaves that these are, and the node's own.
    pub(super) fn window(&self, node: u32) -> (Vec<(u32, Values)>, Values) {
        let leaves = self.leaves(node);
        let mut functions: FxHashMap<u32, Values> = FxHashMap::default();
        functions.extend(leaves.iter().enumerate().map(|(place, &leaf)| (leaf, variable(place))));
        let own = self.function(node, &mut functions);
        functions.remove(&node);
        let mut divisors: Vec<(u32, Values)> = functions.into_iter().collect();
        divisors.sort_unstable_by_key(|&(node, _)| node);
        self.add_side(node, &mut divisors);
        (divisors, own)
    }

    /// Nodes that determine a node, reached by going where there are fewest.
    fn leaves(&self, node: u32) -> SmallVec<[u32; 8]> {
        let mut leaves: SmallVec<[u32; 8]> = self.network.fanins(node).into();
        let mut inner: SmallVec<[u32; INNER]> = SmallVec::new();
        while inner.len() < INNER {
            let growth = |&leaf: &u32| {
                let fanins = self.network.fanins(leaf);
                let new = fanins.iter().filter(|f| !leaves.contains(f)).count();
                (!fanins.is_empty()).then_some(new)
            };
            let places = leaves.iter().enumerate();
            let least = places.filter_map(|(place, leaf)| Some((growth(leaf)?, place))).min();
            let Some((new, place)) = least.filter(|(new, _)| leaves.len() - 1 + new <= LEAVES)
            else {
                break;
            };
            let leaf = leaves.remove(place);
            inner.push(leaf);
            debug_assert!(new <= 3);
            for &fanin in self.network.fanins(leaf) {
                if !leaves.contains(&fanin) {
                    leaves.push(fanin);
                }
            }
        }
        leaves
    }

    fn function(&self, node: u32, functions: &mut FxHashMap<u32, Values>) -> Values {
        if let Some(values) = functions.get(&node) {
            return *values;
        }
        let gate = *self.network.gate_of(node).expect("the leaves determine it");
        let mut operands = [[0; 4]; 3];
        for (operand, &fanin) in operands.iter_mut().zip(gate.fanins()) {
            *operand = self.function(fanin, functions);
        }
        let values = apply(gate.table, &operands);
        functions.insert(node, values);
        values
    }

    /// Adds nodes whose fanins are all there.
    fn add_side(&self, node: u32, divisors: &mut Vec<(u32, Values)>) {
        let mut next = 0;
        while next < divisors.len() && divisors.len() < DIVISORS {
            let readers = &self.readers[divisors[next].0 as usize];
            next += 1;
            if readers.len() > READERS {
                continue;
            }
            for &reader in readers {
                let gate = self.network.gate_of(reader).expect("only gates read");
                let find = |wanted: u32| divisors.iter().find(|(node, _)| *node == wanted);
                if reader == node || find(reader).is_some() || divisors.len() == DIVISORS {
                    continue;
                }
                let mut operands = [[0; 4]; 3];
                let all = operands.iter_mut().zip(gate.fanins()).all(|(operand, &fanin)| {
                    find(fanin).map(|(_, values)| *operand = *values).is_some()
                });
                if all {
                    divisors.push((reader, apply(gate.table, &operands)));
                }
            }
        }
    }
}

/// Input `place` of eight, the fastest to alternate first.
fn variable(place: usize) -> Values {
    let input = (LEAVES - 1 - place) as u8;
    std::array::from_fn(|word| input_word(LEAVES as u8, input, word * 64))
}

fn apply(table: u8, operands: &[Values; 3]) -> Values {
    let [a, b, c] = operands;
    std::array::from_fn(|word| {
        (0..8).filter(|i| table >> i & 1 == 1).fold(0, |sum, i| {
            let term = |bit: u8, x: u64| if i >> bit & 1 == 1 { x } else { !x };
            sum | (term(0, a[word]) & term(1, b[word]) & term(2, c[word]))
        })
    })
}

/// The function of the fanins in this order as a byte, if it is one: how `own` follows from `fanins`.
pub(super) fn table_of(own: &Values, fanins: &[Values]) -> u8 {
    let mut operands = [[0; 4]; 3];
    operands[..fanins.len()].copy_from_slice(fanins);
    let minterm = |i: u8| apply(1 << i, &operands);
    let table = (0..8u8).filter(|&i| minterm(i).iter().zip(own).any(|(m, f)| m & f != 0));
    let table = table.fold(0, |sum, i| sum | 1 << i);
    // Where inputs are missing they read as zero: the rest of the table repeats.
    let values: [u8; 3] =
        std::array::from_fn(|k| if k < fanins.len() { table::inputs()[k] } else { 0 });
    table::compose(table, values)
}
