//! Where the bits of parameters and results lie, in memory and in registers.

use nakiri::compile::Kernel;
use nakiri::core::{Direction, Layout, Port};
use nakiri::layout::{self, memory_bit, register_bit};
use serde_json::{json, Value};

/// The most bits of a port that are drawn.
const BITS: usize = 1 << 11;

/// All parameters and results.
pub fn all(kernel: &Kernel) -> Value {
    let ports =
        |ports: &[Port]| -> Vec<Value> { ports.iter().map(|own| port(kernel, own)).collect() };
    json!({ "inputs": ports(kernel.inputs()), "outputs": ports(kernel.outputs()) })
}

fn port(kernel: &Kernel, port: &Port) -> Value {
    let (width, count) = (port.ty.bits(), port.count());
    let layout = match &port.layout {
        Layout::Le => "le",
        Layout::Be => "be",
        Layout::Planes => "planes",
        Layout::Perm { name, .. } => name,
    };
    json!({
        "name": port.name,
        "const": port.constant,
        "width": width,
        "shape": port.shape,
        "layout": layout,
        "bytes": layout::port_bytes(port),
        "memory": memory(port),
        "registers": registers(kernel, port),
        "count": count,
    })
}

/// For each bit of a block in memory, bytes in order and the least significant bit first, the atom and the bit of it, counted from the
/// most significant one.
fn memory(port: &Port) -> Vec<Value> {
    let mut bits = vec![Value::Null; 8 * layout::port_bytes(port)];
    for atom in 0..port.count() {
        for position in 0..port.ty.bits() {
            let place = memory_bit(&port.layout, port.ty.bits(), port.count(), atom, position);
            if let Some(bit) = place.and_then(|place| bits.get_mut(place)) {
                *bit = json!([atom, position]);
            }
        }
    }
    bits.truncate(BITS);
    bits
}

/// The first of the registers: for each bit of it, the least significant one first, whose block's bit it is, and which; and how many
/// registers there are. Nothing of what is the same for all blocks.
fn registers(kernel: &Kernel, port: &Port) -> Option<Value> {
    if port.constant {
        return None;
    }
    let direction = kernel.direction;
    let row = port.row();
    let (width, atoms) = match direction {
        Direction::B => (1, 1),
        Direction::P => (row.bits(), u32::from(row.row_length())),
        Direction::V | Direction::H => (port.ty.bits(), 1),
    };
    let machine = layout::Machine::from(kernel.target);
    let size = machine.register_bits(direction, width);
    let mut bits = vec![Value::Null; size as usize];
    for lane in 0..machine.lanes(direction, width) {
        for position in 0..width {
            let place = register_bit(machine, direction, width, lane, position);
            let word = width / atoms as u16;
            // Rows have their first atom in the lowest bits.
            let atom = atoms - 1 - u32::from(position / word);
            if let Some(bit) = bits.get_mut(place as usize) {
                *bit = json!([lane, atom, position % word]);
            }
        }
    }
    let all = port.count() * u32::from(port.ty.bits());
    Some(json!({ "bits": bits, "count": all.div_ceil(u32::from(width)) }))
}
