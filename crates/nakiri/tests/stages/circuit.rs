//! Truth tables to circuits, checked exhaustively.

use nakiri::circuit::search::{construct, improve, Settings};
use nakiri::circuit::{
    entries, entries_for, for_table, minimize, Circuit, Entry, Gate, Origin, Output, Signal, Table,
};

use crate::sboxes;

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
        ("adder", table(8, 5, adder), 20),
        ("multiplexer", table(6, 1, |x| x >> 2 >> (x & 3) & 1), 9),
        ("chi of five bits", table(5, 5, |x| sboxes::chi(x, 5)), 10),
    ];
    for (name, table, most) in cases {
        let (circuit, _) = for_table(&table);
        assert!(circuit.computes(&table), "{name}");
        assert!(circuit.size() <= most, "{name}: {} gates", circuit.size());
        assert!(circuit.depth() <= circuit.size());
    }
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

/// The most gates that entries may take: near or below the best circuits published by 2026.
const MOST: &[(&str, usize)] = &[
    ("aes", 104),
    ("aes_inverse", 105),
    ("des_s1", 51),
    ("des_s2", 44),
    ("des_s3", 44),
    ("des_s4", 29),
    ("des_s5", 52),
    ("des_s6", 46),
    ("des_s7", 45),
    ("des_s8", 39),
    ("gift", 11),
    ("present", 13),
    ("rectangle", 11),
];

#[test]
fn library_holds_every_sbox() {
    for name in sboxes::NAMES {
        let table = sboxes::table(name).expect("a table");
        for table in [&table, &table.reversed()] {
            let (circuit, origin) = for_table(table);
            assert!(circuit.computes(table), "{name}");
            assert_eq!(origin, Origin::Library(name));
        }
    }
}

#[test]
fn library_says_its_gate_counts() {
    let entries = entries();
    let written = entries.iter().map(|entry| entry.name).collect::<Vec<_>>();
    for name in sboxes::NAMES {
        assert!(written.contains(name), "{name}");
    }
    for entry in entries {
        let size = entry.circuit.size();
        assert!(entry.found.starts_with(&format!("{size} ")), "{}: {size}", entry.name);
        println!("{}: {size} gates, depth {}", entry.name, entry.circuit.depth());
    }
}

/// Every entry, also those that `for_table` doesn't choose, computes the table of its name.
#[test]
fn library_entries_compute_their_tables() {
    for entry in entries() {
        let table = sboxes::table(entry.name).expect("a table for every name");
        assert!(entry.circuit.computes(&table), "{} | {}", entry.name, entry.found);
        let reversed = entries_for(&table.reversed());
        let fits = |other: &Entry| (other.name, other.found) == (entry.name, entry.found);
        let other = reversed.iter().find(|other| fits(other)).expect("in the other bit order too");
        assert!(other.circuit.computes(&table.reversed()), "{} reversed", entry.name);
    }
}

#[test]
fn best_of_the_library_are_as_small_as_known() {
    for &(name, most) in MOST {
        let (circuit, _) = for_table(&sboxes::table(name).expect("a table"));
        assert!(circuit.size() <= most, "{name}: {} gates, not {most}", circuit.size());
    }
}

#[test]
fn three_input_tables_are_evaluated_and_decomposed() {
    let operands = [Signal(0), Signal(1), Signal(2)];
    for lut in 0..=255u8 {
        let gates = vec![Gate::Ternary(lut, operands)];
        let circuit = Circuit { inputs: 3, gates, outputs: vec![Output::Signal(Signal(3))] };
        let table = table(3, 1, |index| u32::from(lut) >> index & 1);
        assert!(circuit.computes(&table), "{lut:#x}");
        let plain = minimize(&circuit);
        assert!(plain.computes(&table), "{lut:#x} minimized");
    }
}

#[test]
fn synthesis_comes_near_the_library() {
    // The S-box with its output complemented is not in the library.
    for (name, most) in [("serpent_s7", 20), ("present", 20), ("des_s4", 60), ("aes", 115)] {
        let mut table = sboxes::table(name).expect("a table");
        table.entries.iter_mut().for_each(|entry| *entry ^= 1);
        let (circuit, origin) = for_table(&table);
        assert!(circuit.computes(&table), "{name}");
        let made = if name == "aes" { Origin::Inversion } else { Origin::Synthesized };
        assert_eq!(origin, made, "{name}");
        assert!(circuit.size() <= most, "{name}: {} gates", circuit.size());
    }
}

#[test]
fn searches_keep_the_function() {
    let mut random = Random(3);
    for inputs in 1..=8 {
        let table = random.table(inputs, 2);
        let settings = Settings { steps: 100, uphill: 3, ..Settings::default() };
        let circuit = for_table(&table).0;
        let improved = improve(&circuit, settings);
        assert!(improved.computes(&table) && improved.size() <= circuit.size());
        if inputs <= 5 {
            let constructed = construct(&table, settings).expect("few enough inputs");
            assert!(constructed.computes(&table));
        }
    }
}

#[test]
fn extreme_sizes() {
    let none = Table { inputs: 3, outputs: 0, entries: vec![0; 8] };
    assert!(for_table(&none).0.computes(&none));
    let mut random = Random(4);
    for (inputs, outputs) in [(0, 32), (1, 32), (12, 2)] {
        let table = random.table(inputs, outputs);
        assert!(for_table(&table).0.computes(&table), "{inputs} to {outputs}");
    }
}
