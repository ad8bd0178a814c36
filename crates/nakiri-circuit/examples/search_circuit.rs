//! Searches for circuits of S-boxes and prints them in the form of the library.
//!
//! `cargo run --release -p nakiri-circuit --example search_circuit -- NAME SECONDS SEED [SETTINGS]` where
//! the settings are STEPS CHAIN BREADTH UPHILL EXCESS; 300000 2 2 4 6 served for DES and
//! 1000 2 4 50 2 for the small S-boxes. Seed 0 goes on from the circuit in the library.

use std::time::{Duration, Instant};

use nakiri::circuit::search::{construct, improve, Settings};
use nakiri::circuit::{for_table, Circuit, Table};

#[path = "../../nakiri/tests/stages/sboxes/mod.rs"]
mod sboxes;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize, default: u64| {
        arguments.get(place).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let name = arguments.first().map_or("", String::as_str);
    let Some(table) = sboxes::table(name) else {
        eprintln!("unknown S-box {name:?}; there are {}", sboxes::NAMES.join(" "));
        return;
    };
    let end = Instant::now() + Duration::from_secs(number(1, 10));
    let settings = Settings {
        seed: number(2, 1),
        steps: number(3, 2000) as usize,
        chain: number(4, 2) as usize,
        breadth: number(5, 2) as usize,
        uphill: number(6, 20) as usize,
        excess: number(7, 2) as usize,
    };
    search(name, &table, settings, end);
}

/// Restarts with one seed after another until `end`; prints every improvement.
fn search(name: &str, table: &Table, settings: Settings, end: Instant) {
    let mut best = usize::MAX;
    let mut seed = settings.seed;
    while Instant::now() < end {
        let started = Settings { seed, ..settings };
        let start = if seed == 0 { Some(for_table(table).0) } else { construct(table, started) };
        let Some(mut circuit) = start else { return };
        let mut round = 0;
        // A promising circuit is given more time.
        while Instant::now() < end && round < 4 {
            round += 1;
            let more = Settings { seed: seed + (round << 32), ..settings };
            let next = improve(&circuit, more);
            if next.size() < circuit.size() {
                round = 0;
            }
            circuit = next;
            if circuit.size() < best {
                best = circuit.size();
                print_entry(name, table, &circuit, seed);
            }
            if circuit.size() > best + 2 {
                break;
            }
        }
        seed += 1;
    }
    eprintln!("{name}: {best} after {} restarts", seed - settings.seed);
}

fn print_entry(name: &str, table: &Table, circuit: &Circuit, seed: u64) {
    assert!(circuit.computes(table));
    println!("{name} {} | {} gates, search, seed {seed}", table.inputs, circuit.size());
    println!("{circuit}\n");
}
