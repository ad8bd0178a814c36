//! What local searches return computes what they were given, with no more gates.

use nakiri::circuit::{for_table, Circuit, Table};
use nakiri_circuit::gates::in_basis;
use nakiri_circuit::walk::{walk, Settings};
use nakiri_circuit::window::shrink;
use nakiri_circuit::{Basis, Effort, Objective};

/// The sum of two numbers, or any function of `inputs` bits that is not simple.
fn tables() -> Vec<Table> {
    let table = |inputs: u8, outputs: u8, function: &dyn Fn(u32) -> u32| Table {
        inputs,
        outputs,
        entries: (0..1 << inputs).map(function).collect(),
    };
    vec![
        table(4, 3, &|x| (x >> 2) + (x & 3)),
        table(4, 4, &|x| (x * x * 7 + 3 * x + 5) & 15),
        table(7, 2, &|x| ((x.count_ones() * x) >> 2) & 3),
        table(8, 2, &|x| (((x >> 4) * (x & 15)) >> 2) & 3),
    ]
}

fn check(table: &Table, start: &Circuit, found: &Circuit, basis: Basis) {
    assert!(found.computes(table), "{}", basis.name());
    assert!(basis.cost(found) <= basis.cost(start), "{}", basis.name());
}

#[test]
fn walks_and_windows_keep_the_function() {
    for table in tables() {
        let start = for_table(&table).0;
        for basis in Basis::ALL {
            let own = in_basis(&start, basis);
            assert!(own.computes(&table), "{}", basis.name());
            let smaller = shrink(&own, basis, 6, 1, &Effort::unlimited());
            check(&table, &own, &smaller, basis);
        }
        let settings = Settings { steps: 400, ..Settings::default() };
        let found = walk(&start, Basis::Ternary, settings, &Effort::unlimited(), &mut |_| {});
        check(&table, &start, &found, Basis::Ternary);
        let settings = Settings { objective: Objective::Depth, ..settings };
        let flat = walk(&start, Basis::Ternary, settings, &Effort::unlimited(), &mut |_| {});
        assert!(flat.computes(&table) && flat.depth() <= start.depth());
    }
}
