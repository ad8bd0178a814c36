//! The circuits of the library, placed and routed.

use super::*;
use nakiri::circuit::entries;

#[test]
fn every_gate_stands_once_and_columns_have_no_overlap() {
    for entry in entries() {
        let columns = place::columns(&entry.circuit);
        let slots = || columns.iter().flat_map(|column| &column.slots);
        let gates = slots().filter(|slot| matches!(slot.what, place::What::Gate(_))).count();
        assert_eq!(gates, entry.circuit.gates.len(), "{}", entry.name);
        for column in &columns {
            for pair in column.slots.windows(2) {
                assert!(pair[1].y - pair[0].y > 9.9, "{}: {pair:?}", entry.name);
            }
        }
    }
}

#[test]
fn every_pin_has_a_wire_and_no_two_wires_share_a_track() {
    for entry in entries() {
        let columns = place::columns(&entry.circuit);
        for pair in columns.windows(2) {
            let channel = route::channel(&pair[0], &pair[1]);
            let sinks: usize = channel.nets.iter().map(|net| net.sinks.len()).sum();
            let pins: usize = pair[1].slots.iter().map(|slot| slot.takes.len()).sum();
            assert_eq!(sinks, pins, "{}", entry.name);
            let vertical: Vec<_> = channel.nets.iter().filter(|net| !net.is_straight()).collect();
            for (k, a) in vertical.iter().enumerate() {
                let ends = |net: &route::Net| {
                    let all = net.sinks.iter().copied().chain([net.from]);
                    (all.clone().fold(f64::MAX, f64::min), all.fold(f64::MIN, f64::max))
                };
                for b in vertical[k + 1..].iter().filter(|b| b.track == a.track) {
                    let ((a0, a1), (b0, b1)) = (ends(a), ends(b));
                    assert!(a1 < b0 || b1 < a0, "{}: {a:?} {b:?}", entry.name);
                }
            }
        }
    }
}
