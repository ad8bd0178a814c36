//! Networks against the definition.

use crate::cases::{self, Random};
use nakiri::core::{Direction, Layout};
use nakiri::layout::{self, Machine};

#[test]
fn networks_move_every_bit_to_its_place() {
    let mut random = Random(1);
    for case in cases::all() {
        let name = case.name();
        let (machine, direction) = (case.machine, case.direction);
        let make = |f: fn(Machine, Direction, u16, u32, &Layout) -> _| {
            let network: Result<layout::network::Network, String> =
                f(machine, direction, case.width, case.count, &case.layout);
            network.unwrap_or_else(|message| panic!("{name}: {message}"))
        };
        let (load, store) = (make(layout::load), make(layout::store));
        let memory = case.random_memory(&mut random);
        let registers = load.load(&memory);
        assert!(registers == case.registers(&memory), "{name}: load");
        assert!(store.store(&registers) == memory, "{name}: store");
    }
}
