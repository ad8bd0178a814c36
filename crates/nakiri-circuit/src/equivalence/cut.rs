//! Equality of two nodes as functions of a few nodes below them.

use nakiri::map::{Literal, Network};

/// The most nodes that the two are functions of.
const WIDTH: usize = 10;
/// The most nodes between them and those.
const VOLUME: usize = 96;
/// The rows of a function of [`WIDTH`] inputs, in words.
const WORDS: usize = 1 << (WIDTH - 6);

type Table = [u64; WORDS];

/// Whether two literals are the same function of some nodes below them, for all values of these. If they are not, they may
/// still be equal, because these nodes don't take all values.
pub(super) fn equal(network: &Network, a: Literal, b: Literal) -> bool {
    let (cut, inside) = cut(network, [a.node(), b.node()]);
    let mut tables: Vec<(u32, Table)> = Vec::with_capacity(cut.len() + inside.len());
    tables.push((0, [0; WORDS]));
    tables.extend(cut.iter().enumerate().map(|(input, &node)| (node, projection(input))));
    for &node in &inside {
        let Some(gate) = network.gate_of(node) else { continue };
        let operand = |&fanin: &u32| {
            let found = tables.iter().find(|(known, _)| *known == fanin);
            found.expect("operands come first").1
        };
        let operands: Vec<Table> = gate.fanins().iter().map(operand).collect();
        tables.push((node, apply(gate.table, &operands)));
    }
    let value = |literal: Literal| {
        let found = tables.iter().find(|(node, _)| *node == literal.node());
        let table = found.expect("the cut is below both").1;
        table.map(|word| if literal.is_inverted() { !word } else { word })
    };
    value(a) == value(b)
}

/// Nodes that separate the roots from the leaves, and the nodes above them in order: grown where that widens it least.
fn cut(network: &Network, roots: [u32; 2]) -> (Vec<u32>, Vec<u32>) {
    let mut cut: Vec<u32> = roots.into_iter().filter(|&root| root != 0).collect();
    cut.dedup();
    let mut inside: Vec<u32> = Vec::new();
    while inside.len() < VOLUME {
        let growth = |node: u32| {
            let fanins = network.fanins(node).iter();
            fanins.filter(|fanin| **fanin != 0 && !cut.contains(fanin)).count()
        };
        let candidates = cut.iter().copied().filter(|&node| network.gate_of(node).is_some());
        // Of those that widen it alike the highest, so that no node is met again from below.
        let Some(node) = candidates.min_by_key(|&node| (growth(node).max(1), !node)) else { break };
        if cut.len() - 1 + growth(node) > WIDTH {
            break;
        }
        cut.retain(|&other| other != node);
        for &fanin in network.fanins(node) {
            if fanin != 0 && !cut.contains(&fanin) {
                cut.push(fanin);
            }
        }
        inside.push(node);
    }
    // A node that was opened may have come back by way of a higher one: it is inside, as its operands are there.
    inside.sort_unstable();
    inside.dedup();
    cut.retain(|node| !inside.contains(node));
    (cut, inside)
}

/// The values of an input.
fn projection(input: usize) -> Table {
    const LOW: [u64; 6] = [
        0xaaaa_aaaa_aaaa_aaaa,
        0xcccc_cccc_cccc_cccc,
        0xf0f0_f0f0_f0f0_f0f0,
        0xff00_ff00_ff00_ff00,
        0xffff_0000_ffff_0000,
        0xffff_ffff_0000_0000,
    ];
    let word = |index: usize| match LOW.get(input) {
        Some(&low) => low,
        None if index >> (input - LOW.len()) & 1 == 1 => !0,
        None => 0,
    };
    std::array::from_fn(word)
}

/// The function of a gate, on words.
pub(super) fn apply<const N: usize>(table: u8, operands: &[[u64; N]]) -> [u64; N] {
    let operand = |k: usize, word: usize| operands.get(k).map_or(0, |values| values[word]);
    std::array::from_fn(|word| {
        let [a, b, c] = [0, 1, 2].map(|k| operand(k, word));
        let rows = (0..8).filter(|row| table >> row & 1 == 1);
        let literal = |value: u64, bit: bool| if bit { value } else { !value };
        rows.fold(0, |sum, row| {
            sum | literal(a, row & 1 == 1) & literal(b, row & 2 == 2) & literal(c, row & 4 == 4)
        })
    })
}
