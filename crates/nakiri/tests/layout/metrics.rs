//! How many instructions the transpositions take: a change shows here.

use crate::cases::MACHINES;
use nakiri::core::{Direction, Layout};
use nakiri::layout;
use std::fmt::Write;

#[test]
fn instructions_per_100_bytes() {
    let mut table = String::new();
    for (direction, width, count, layout) in [
        (Direction::B, 1, 64, Layout::Be),
        (Direction::B, 1, 128, Layout::Be),
        (Direction::B, 16, 32, Layout::Le),
        (Direction::B, 64, 5, Layout::Be),
        (Direction::V, 32, 4, Layout::Le),
        (Direction::V, 32, 4, Layout::Be),
        (Direction::V, 32, 16, Layout::Le),
        (Direction::V, 64, 5, Layout::Be),
        (Direction::H, 16, 8, Layout::Planes),
        (Direction::H, 16, 4, Layout::Be),
        (Direction::H, 32, 4, Layout::Le),
    ] {
        let _ = write!(table, "{direction:?} u{width}x{count} {layout:?}:");
        for machine in MACHINES {
            let load = layout::load(machine, direction, width, count, &layout);
            let store = layout::store(machine, direction, width, count, &layout);
            let cost = |network: Result<layout::network::Network, String>| match network {
                Ok(network) => (network.operations() * 100 / network.bytes as u64).to_string(),
                Err(_) => "-".to_string(),
            };
            let _ = write!(table, " {}/{}", cost(load), cost(store));
        }
        table.push('\n');
    }
    assert_eq!(table, include_str!("metrics.txt"));
}
