//! Tables that are inversion but for affine maps are found to be, and built over a tower of fields.

use nakiri::circuit::inversion::Inversion;
use nakiri::circuit::{minimize, Table};
use nakiri_circuit::tower::Towers;
use nakiri_circuit::Effort;

/// A product in the field of 2^n elements that the polynomial makes.
fn multiply(a: u32, b: u32, polynomial: u32) -> u32 {
    let bits = polynomial.ilog2();
    (0..bits).rev().fold(0, |sum, bit| {
        let doubled = sum << 1 ^ if sum >> (bits - 1) == 0 { 0 } else { polynomial };
        doubled ^ if b >> bit & 1 == 1 { a } else { 0 }
    })
}

fn invert(x: u32, polynomial: u32) -> u32 {
    let exponent = (1 << polynomial.ilog2()) - 2;
    (0..exponent).fold(1, |power, _| multiply(power, x, polynomial))
}

/// The sum of rotations of a byte.
fn rotations(x: u32, by: &[u32]) -> u32 {
    by.iter().fold(0, |sum, k| sum ^ (x << k | x >> (8 - k))) & 255
}

fn table(bits: u8, entry: impl Fn(u32) -> u32) -> Table {
    Table { inputs: bits, outputs: bits, entries: (0..1 << bits).map(entry).collect() }
}

/// S-boxes by their definitions: AES, SM4 with its own polynomial, and one with a constant before and after.
fn sboxes() -> Vec<(&'static str, Table)> {
    let sm4 = |x: u32| rotations(x, &[0, 1, 3, 6, 7]) ^ 0xd3;
    vec![
        ("AES", table(8, |x| rotations(invert(x, 0x11b), &[0, 1, 2, 3, 4]) ^ 0x63)),
        ("SM4", table(8, |x| sm4(invert(sm4(x), 0x1f5)))),
        ("shifted", table(8, |x| invert(x ^ 0x5a, 0x11d) ^ 0xc3)),
    ]
}

fn check(table: &Table, found: &Inversion, polynomial: u32, name: &str) {
    for (x, &entry) in table.entries.iter().enumerate() {
        let image = invert(found.before.apply(x as u32), polynomial);
        assert_eq!(found.after.apply(image), entry, "{name} at {x}");
    }
}

#[test]
fn inversion_is_recognized() {
    for (name, table) in sboxes() {
        let found = Inversion::of_table(&table).expect(name);
        check(&table, &found, 0x11b, name);
    }
    let small = table(4, |x| invert(x, 0x19) ^ 9);
    check(&small, &Inversion::of_table(&small).expect("of four bits"), 0x13, "four bits");
    assert_eq!(sboxes()[1].1.entries[..4], [0xd6, 0x90, 0xe9, 0xfe], "as GB/T 32907 has it");
}

#[test]
fn other_tables_are_not() {
    let aes = &sboxes()[0].1;
    let mut swapped = aes.clone();
    swapped.entries.swap(3, 77);
    let present = [12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2];
    let short = Table { entries: aes.entries[..255].to_vec(), ..aes.clone() };
    let narrow = Table { outputs: 7, ..aes.clone() };
    for other in [
        swapped,
        short,
        narrow,
        table(8, |x| x),
        table(8, |_| 0),
        // As uniform as inversion is, but no permutation.
        table(8, |x| multiply(x, multiply(x, x, 0x11b), 0x11b)),
        table(4, |x| present[x as usize]),
        table(5, |x| x),
    ] {
        assert_eq!(Inversion::of_table(&other), None, "{:?}", &other.entries[..4]);
    }
}

/// What a tower gives before any search of the whole.
#[test]
fn towers_compute_their_tables() {
    let effort = Effort::unlimited();
    for (name, table) in sboxes().into_iter().take(2) {
        let towers = Towers::of_table(&table, 1, &effort).expect(name);
        let circuit = towers.build(1, &effort).expect("no end of the effort");
        assert!(circuit.computes(&table), "{name}");
        let size = minimize(&circuit).size();
        assert!(size <= 140, "{name}: {size} gates");
    }
}

#[test]
fn an_effort_that_is_over_ends_the_search() {
    let effort = Effort::unlimited();
    effort.stop();
    let towers = Towers::of_table(&sboxes()[0].1, 1, &effort).expect("AES");
    assert_eq!(towers.build(1, &effort), None);
}
