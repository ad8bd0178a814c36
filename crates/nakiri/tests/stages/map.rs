//! Mapping keeps functions, and reaches the counts of gates that are known to be possible.

use nakiri::circuit::{entries_for, Table};
use nakiri::map::{as_sums, compose, mapped, of_circuit, optimize, Basis, Literal, Network};

use crate::sboxes;

/// The most three-input tables that S-boxes may take.
const MOST: &[(&str, usize)] = &[
    ("clyde", 4),
    ("clyde_inverse", 4),
    ("gift", 6),
    ("gift_inverse", 6),
    ("keccak_chi", 5),
    ("present", 7),
    ("present_inverse", 7),
    ("rectangle", 6),
    ("rectangle_inverse", 6),
    ("skinny64", 4),
];

fn most(name: &str) -> Option<usize> {
    let known = MOST.iter().find(|(known, _)| *known == name).map(|(_, most)| *most);
    known.or(name.starts_with("serpent").then_some(8))
}

/// The values of literals where the leaves have these, 64 at once.
fn values(network: &Network, outputs: &[Literal], leaves: &[u64]) -> Vec<u64> {
    let mut values = vec![0; network.len()];
    for node in network.order(outputs) {
        let Some(gate) = network.gate_of(node) else {
            values[node as usize] = leaves[node as usize - 1];
            continue;
        };
        values[node as usize] = (0..64).fold(0, |sum, bit| {
            let fanins = gate.fanins().iter().enumerate();
            let index = fanins.fold(0, |i, (k, &f)| i | (values[f as usize] >> bit & 1) << k);
            sum | u64::from(gate.table >> index & 1) << bit
        });
    }
    let value = |o: &Literal| {
        if o.is_inverted() {
            !values[o.node() as usize]
        } else {
            values[o.node() as usize]
        }
    };
    outputs.iter().map(value).collect()
}

/// Whether the outputs are those of the table on every input.
fn computes(network: &Network, outputs: &[Literal], table: &Table) -> bool {
    let size = 1usize << table.inputs;
    (0..size).step_by(64).all(|start| {
        let places = start..size.min(start + 64);
        let leaf = |input: u8| {
            let bit = |place: usize| (place >> (table.inputs - 1 - input) & 1) as u64;
            places.clone().fold(0, |sum, place| sum | bit(place) << (place - start))
        };
        let leaves: Vec<u64> = (0..table.inputs).map(leaf).collect();
        let found = values(network, outputs, &leaves);
        places.clone().all(|place| {
            let expected = (0..found.len()).map(|output| table.bit(place, output));
            expected.zip(&found).all(|(e, value)| e == (value >> (place - start) & 1 == 1))
        })
    })
}

#[test]
fn every_sbox_is_what_it_was_in_few_gates() {
    for name in sboxes::NAMES {
        let table = sboxes::table(name).expect("a table");
        let entries = entries_for(&table);
        for basis in [Basis::Two, Basis::Three] {
            let usable =
                entries.iter().filter(|e| basis == Basis::Three || !e.circuit.is_ternary());
            let mut least = usize::MAX;
            for entry in usable {
                let (mut network, mut outputs) = of_circuit(&entry.circuit);
                optimize(&mut network, &mut outputs, basis);
                assert!(computes(&network, &outputs, &table), "{name} {basis:?}");
                let nodes = network.order(&outputs).into_iter();
                let widest = nodes.map(|node| network.fanins(node).len()).max();
                assert!(widest <= Some(basis.arity()), "{name} {basis:?}");
                assert_eq!(network.size(&outputs), mapped(&entry.circuit, basis).gates);
                assert!(network.size(&outputs) <= entry.circuit.size());
                least = least.min(network.size(&outputs));
            }
            println!("{name} {basis:?}: {least} gates");
            if basis == Basis::Three {
                assert!(least <= most(name).unwrap_or(usize::MAX), "{name}: {least} gates");
            }
        }
    }
}

/// A linear congruential generator, so that the tests are the same on every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        self.0 >> 32
    }

    fn below(&mut self, end: usize) -> usize {
        self.next() as usize % end
    }
}

/// A network of gates of random functions, mostly of recent nodes.
fn network(
    random: &mut Random,
    leaves: usize,
    gates: usize,
    basis: Basis,
) -> (Network, Vec<Literal>) {
    let mut network = Network::new();
    let mut literals: Vec<Literal> = (0..leaves).map(|_| network.leaf()).collect();
    for _ in 0..gates {
        let recent = literals.len().min(40);
        let operand = |random: &mut Random| literals[literals.len() - 1 - random.below(recent)];
        let operands: Vec<Literal> = (0..basis.arity()).map(|_| operand(random)).collect();
        let inverted = operands.iter().map(|o| o.invert_if(random.next() & 1 == 1));
        let operands: Vec<Literal> = inverted.collect();
        let table = random.next() as u8;
        // A function of the operands that there are.
        let [a, b, c] = nakiri::map::inputs();
        let table = compose(table, [a, b, if basis == Basis::Two { 0 } else { c }]);
        literals.push(network.gate(&operands, table));
    }
    let outputs = (0..leaves)
        .map(|_| literals[literals.len() - 1 - random.below(literals.len().min(60))])
        .collect();
    (network, outputs)
}

#[test]
fn random_networks_keep_their_functions() {
    let mut random = Random(7);
    for round in 0..400 {
        let basis = if round % 2 == 0 { Basis::Two } else { Basis::Three };
        let leaves = 1 + random.below(12);
        let (before, outputs) = network(&mut random, leaves, 20 + round, basis);
        for target in [basis, Basis::Three] {
            let (mut after, mut mapped) = (before.clone(), outputs.clone());
            optimize(&mut after, &mut mapped, target);
            assert!(after.size(&mapped) <= before.size(&outputs), "round {round}");
            for _ in 0..8 {
                let word = |random: &mut Random| random.next() << 32 | random.next();
                let leaves: Vec<u64> = (0..leaves).map(|_| word(&mut random)).collect();
                let expected = values(&before, &outputs, &leaves);
                assert_eq!(values(&after, &mapped, &leaves), expected, "round {round}");
            }
            let (mut again, mut same) = (before.clone(), outputs.clone());
            optimize(&mut again, &mut same, target);
            assert_eq!((again.size(&same), same), (after.size(&mapped), mapped), "deterministic");
        }
    }
}

#[test]
fn long_chains_and_high_fanouts() {
    for basis in [Basis::Two, Basis::Three] {
        let mut network = Network::new();
        let leaves: Vec<Literal> = (0..50).map(|_| network.leaf()).collect();
        let mut chain = leaves[0];
        let mut outputs = Vec::new();
        for place in 0..100_000 {
            let table = if place % 3 == 0 { 0b1000_1000 } else { 0b0110_0110 };
            chain = network.gate(&[chain, leaves[1 + place % 49]], table);
            if place % 1000 == 999 {
                outputs.push(chain);
            }
        }
        let before = network.size(&outputs);
        optimize(&mut network, &mut outputs, basis);
        let after = network.size(&outputs);
        assert!(after <= before / if basis == Basis::Three { 2 } else { 1 } + 100, "{after} gates");
    }
}

/// Adds `select ? then : otherwise`, by a difference or by a sum.
fn multiplexer(network: &mut Network, by_sum: bool, of: [Literal; 3]) -> Literal {
    let [select, then, otherwise] = of;
    let (and, or, xor) = (0b1000_1000, 0b1110_1110, 0b0110_0110);
    if by_sum {
        let one = network.gate(&[select, then], and);
        let other = network.gate(&[select.invert_if(true), otherwise], and);
        return network.gate(&[one, other], or);
    }
    let difference = network.gate(&[then, otherwise], xor);
    let change = network.gate(&[select, difference], and);
    network.gate(&[otherwise, change], xor)
}

/// Whether two networks of as many leaves give the same for random values.
fn agree(one: (&Network, &[Literal]), other: (&Network, &[Literal]), leaves: usize) -> bool {
    let mut random = Random(3);
    (0..8).all(|_| {
        let leaves: Vec<u64> = (0..leaves).map(|_| random.next() << 32 | random.next()).collect();
        values(one.0, one.1, &leaves) == values(other.0, other.1, &leaves)
    })
}

#[test]
fn registers_that_load_or_hold_take_two_gates_less_than_multiplexers() {
    const BITS: usize = 8;
    for by_sum in [false, true] {
        let mut network = Network::new();
        let leaves: Vec<Literal> = (0..2 + 3 * BITS).map(|_| network.leaf()).collect();
        let (load, busy) = (leaves[0], leaves[1]);
        let outputs: Vec<Literal> = leaves[2..]
            .chunks(3)
            .map(|bit| {
                let [data, next, held] = [bit[0], bit[1], bit[2]];
                let stepped = multiplexer(&mut network, by_sum, [busy, next, held]);
                multiplexer(&mut network, by_sum, [load.invert_if(true), stepped, data])
            })
            .collect();
        let (mut after, mut sums) = (network.clone(), outputs.clone());
        as_sums(&mut after, &mut sums);
        assert_eq!((network.size(&outputs), after.size(&sums)), (6 * BITS, 5 * BITS + 2));
        assert!(agree((&network, &outputs), (&after, &sums), leaves.len()));
    }
}

#[test]
fn random_multiplexers_keep_their_functions() {
    let mut random = Random(11);
    let mut fewer = 0;
    for round in 0..200 {
        let mut network = Network::new();
        let leaves: Vec<Literal> = (0..3 + 4 * 6).map(|_| network.leaf()).collect();
        let mut rows: Vec<Vec<Literal>> = leaves[3..].chunks(4).map(<[_]>::to_vec).collect();
        for _ in 0..1 + round % 6 {
            let mut any = |end| (random.below(end), random.below(2) == 1);
            let (select, then, otherwise, result) = (any(3), any(4), any(4), any(4).0);
            for row in &mut rows {
                let of = [(&leaves, select), (&*row, then), (&*row, otherwise)];
                let of = of.map(|(from, (place, inverted))| from[place].invert_if(inverted));
                row[result] = multiplexer(&mut network, random.below(2) == 1, of);
            }
        }
        let outputs = rows.concat();
        let (mut after, mut sums) = (network.clone(), outputs.clone());
        as_sums(&mut after, &mut sums);
        assert!(after.size(&sums) <= network.size(&outputs), "round {round}");
        fewer += usize::from(after.size(&sums) < network.size(&outputs));
        assert!(agree((&network, &outputs), (&after, &sums), leaves.len()), "round {round}");
    }
    assert!(fewer > 20, "{fewer}");
}

#[test]
fn products_take_two_factors_more_a_table() {
    for factors in 2..12 {
        let mut network = Network::new();
        let mut level: Vec<Literal> = (0..factors).map(|_| network.leaf()).collect();
        while level.len() > 1 {
            let pairs = level.chunks(2);
            level = pairs
                .map(|pair| network.gate(&[pair[0], pair[pair.len() - 1]], 0b1000_1000))
                .collect();
        }
        let (mut after, mut outputs) = (network.clone(), level.clone());
        optimize(&mut after, &mut outputs, Basis::Three);
        assert_eq!(after.size(&outputs), factors / 2, "{factors}");
        assert!(agree((&network, &level), (&after, &outputs), factors));
    }
}
