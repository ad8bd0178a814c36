//! Networks against the definition.

use crate::cases::{self, Random};

#[test]
fn networks_move_every_bit_to_its_place() {
    let mut random = Random(1);
    for case in cases::all() {
        let name = case.name();
        let memory = case.random_memory(&mut random);
        let registers = case.load().load(&memory);
        assert!(registers == case.registers(&memory), "{name}: load");
        assert!(case.store().store(&registers) == memory, "{name}: store");
    }
}
