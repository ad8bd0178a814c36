//! Truth tables to circuits, checked exhaustively.

use nakiri::circuit::{for_table, minimize, Circuit, Gate, Origin, Output, Signal, Table};

/// A linear congruential generator, so that the tests are the same on every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 32) as u32
    }

    fn table(&mut self, inputs: u8, outputs: u8) -> Table {
        let mask = ((1u64 << outputs) - 1) as u32;
        Table { inputs, outputs, entries: (0..1 << inputs).map(|_| self.next() & mask).collect() }
    }
}

/// The table of `function` from `inputs` bits to `outputs` bits.
fn table(inputs: u8, outputs: u8, function: impl Fn(u32) -> u32) -> Table {
    Table { inputs, outputs, entries: (0..1 << inputs).map(function).collect() }
}

#[test]
fn random_tables_of_all_sizes() {
    let mut random = Random(1);
    for inputs in 0..=8 {
        for outputs in 1..=8 {
            let table = random.table(inputs, outputs);
            let (circuit, _) = for_table(&table);
            assert!(circuit.computes(&table), "{inputs} to {outputs}");
            assert_eq!(circuit, for_table(&table).0, "deterministic");
        }
    }
}

/// Tables with structure, and the most gates that their circuits may take.
#[test]
fn structured_tables() {
    let adder = |x: u32| (x >> 4) + (x & 15);
    let cases = [
        ("zero", table(4, 3, |_| 0), 0),
        ("ones", table(4, 3, |_| 7), 0),
        ("identity", table(8, 8, |x| x), 0),
        ("complement", table(3, 3, |x| !x & 7), 3),
        ("repeated output", table(3, 4, |x| if x.count_ones() & 1 == 1 { 15 } else { 0 }), 2),
        ("one input of eight", table(8, 2, |x| if x & 16 == 0 { 2 } else { 1 }), 1),
        ("parity", table(8, 1, |x| x.count_ones() & 1), 7),
        ("affine", table(8, 8, |x| (x ^ x << 1 ^ x >> 7 ^ 0x63) & 255), 13),
        ("conjunction", table(8, 1, |x| u32::from(x == 255)), 7),
        ("equal", table(8, 1, |x| u32::from(x >> 4 == x & 15)), 10),
        ("adder", table(8, 5, adder), 17),
        ("multiplexer", table(6, 1, |x| x >> 2 >> (x & 3) & 1), 9),
        ("chi of five bits", table(5, 5, |x| chi(x, 5)), 10),
    ];
    for (name, table, most) in cases {
        let (circuit, _) = for_table(&table);
        assert!(circuit.computes(&table), "{name}");
        assert!(circuit.size() <= most, "{name}: {} gates", circuit.size());
        assert!(circuit.depth() <= circuit.size());
    }
}

/// The nonlinear row map of Keccak on `width` bits.
fn chi(x: u32, width: u32) -> u32 {
    let bit = |place: u32| x >> (width - 1 - place % width) & 1;
    (0..width).fold(0, |y, place| y << 1 | (bit(place) ^ (!bit(place + 1) & bit(place + 2) & 1)))
}

#[test]
fn wide_table() {
    let table = Random(2).table(10, 32);
    let (circuit, origin) = for_table(&table);
    assert!(circuit.computes(&table));
    assert_eq!(origin, Origin::Synthesized);
}

#[test]
fn short_tables_read_as_zero() {
    let short = Table { inputs: 3, outputs: 2, entries: vec![3, 1] };
    assert!(for_table(&short).0.computes(&short));
}

#[test]
fn minimizing_removes_what_is_redundant() {
    let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(Signal);
    let gates =
        vec![Gate::Not(a), Gate::And(c, b), Gate::Or(a, b), Gate::Xor(d, e), Gate::And(e, a)];
    let outputs = [d, Signal(5), Signal(6)].map(Output::Signal).to_vec();
    let circuit = Circuit { inputs: 2, gates, outputs };
    let smaller = minimize(&circuit);
    assert_eq!(smaller.size(), 1, "{smaller}");
    assert_eq!(smaller.eval(&[0b0011u8, 0b0101]), circuit.eval(&[0b0011u8, 0b0101]));
}
