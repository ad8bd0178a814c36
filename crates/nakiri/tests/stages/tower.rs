//! Tables that are inversion but for affine maps are found to be, and built over a tower of fields.

use nakiri::circuit::inversion::Inversion;
use nakiri::circuit::random::Random;
use nakiri::circuit::tower::{brief, Limits, Towers};
use nakiri::circuit::{circuits_for, for_table, minimize, Origin, Table};

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

/// The table of a source of this repository.
fn of_source(text: &str) -> Table {
    let (_, text) = text.split_once('{').expect("a table");
    let (text, _) = text.split_once('}').expect("its end");
    let entry = |entry: &str| u32::from_str_radix(entry.trim().trim_start_matches("0x"), 16);
    let entries = text.split(',').map(|text| entry(text).expect("an entry")).collect();
    Table { inputs: 8, outputs: 8, entries }
}

/// An affine map of bytes that is one to one: additions of bits to others, then a constant.
fn affine(random: &mut Random) -> impl Fn(u32) -> u32 {
    let additions: Vec<(usize, usize)> =
        (0..60).map(|_| (random.below(8), random.below(8))).filter(|(a, b)| a != b).collect();
    let constant = random.below(256) as u32;
    move |x| additions.iter().fold(x, |x, (from, to)| x ^ (x >> from & 1) << to) ^ constant
}

/// Inversion as CLEFIA has it (RFC 6114, of the polynomial x^8 + x^4 + x^3 + x^2 + 1), between maps as any cipher may have.
fn random_table(random: &mut Random) -> Table {
    let (before, after) = (affine(random), affine(random));
    table(8, |x| after(invert(before(x), 0x11d)))
}

/// The compiler knows such tables at once, and makes a fifth of the gates that synthesis would.
#[test]
fn tables_up_to_affine_maps_take_few_gates() {
    let mut random = Random::new(1);
    let mut tables = vec![
        ("SM4", of_source(include_str!("../../../../ciphers/sm4/sm4.ua"))),
        ("Camellia", of_source(include_str!("../../../../ciphers/camellia128/camellia128.ua"))),
    ];
    tables.extend((0..3).map(|_| ("random maps", random_table(&mut random))));
    for (name, table) in &tables {
        let (circuit, origin) = for_table(table);
        assert_eq!(origin, Origin::Inversion, "{name}");
        assert!(circuit.computes(table), "{name}");
        assert!(circuit.size() <= 115, "{name}: {} gates", circuit.size());
        let all = circuits_for(table);
        assert_eq!(all[0].0, circuit, "{name}");
        assert!(all.iter().all(|(circuit, _)| circuit.computes(table)), "{name}");
        let depths: Vec<usize> = all.iter().map(|(circuit, _)| circuit.depth()).collect();
        assert!(depths.is_sorted_by(|a, b| a > b), "{name}: {depths:?}");
    }
}

/// The two figures of a table with a search of its own: the same on every machine.
#[test]
fn the_same_steps_give_the_same_circuit() {
    let circuits = brief(&sboxes()[1].1);
    let figures: Vec<_> = circuits.iter().map(|c| (c.size(), c.depth())).collect();
    assert_eq!(figures, [(105, 31), (109, 27), (113, 26)]);
}

/// A random permutation is no inversion, and takes as many gates as synthesis makes.
#[test]
fn a_random_permutation_is_synthesized() {
    let mut entries: Vec<u32> = (0..256).collect();
    Random::new(1).shuffle(&mut entries);
    let table = Table { inputs: 8, outputs: 8, entries };
    assert_eq!(Inversion::of_table(&table), None);
    let (circuit, origin) = for_table(&table);
    assert_eq!(origin, Origin::Synthesized);
    assert!(circuit.computes(&table) && circuit.size() > 300);
}

/// What a tower gives before any search of the whole.
#[test]
fn towers_compute_their_tables() {
    for (name, table) in sboxes().into_iter().take(2) {
        let towers = Towers::of_table(&table, 1, &Limits::short()).expect(name);
        let circuit = towers.build(1, &Limits::short()).expect("no end of the search");
        assert!(circuit.computes(&table), "{name}");
        let size = minimize(&circuit).size();
        assert!(size <= 140, "{name}: {size} gates");
    }
}

#[test]
fn a_search_that_is_over_ends() {
    let limits = Limits { is_over: &|| true, ..Limits::short() };
    let towers = Towers::of_table(&sboxes()[0].1, 1, &limits).expect("AES");
    assert_eq!(towers.build(1, &limits), None);
}
