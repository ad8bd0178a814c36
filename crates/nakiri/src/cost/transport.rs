//! What it costs to bring blocks from memory into registers and back.

use super::{ports, Machine, Ports};
use crate::compile::Kernel;
use crate::core::Port;
use crate::emit::ports::ports;
use crate::isa::Class;
use crate::layout::network::Network;
use crate::layout::{self, Machine as Registers};

/// Core cycles for one batch of a kernel; `None` if the machine lacks something or a port can't be transposed. The
/// operations of the networks are priced as the shuffles that most of them are.
pub fn cycles(kernel: &Kernel, machine: &Machine) -> Option<f64> {
    let target = kernel.target;
    let class = if target.simd { Class::VectorShuffle } else { Class::Logic };
    let operation = machine.price(class, target.bits).ok()?;
    let demand: Vec<(Ports, f64)> = operation.uses.iter().map(|ports| (*ports, 1.0)).collect();
    let each = ports::bound(&demand).0.max(1.0 / machine.width);
    let moved = ports(kernel);
    let network = |port: Port, way: Synthesis| {
        let (direction, bits, count) = (port.ty.direction(), port.ty.bits(), port.count());
        way(Registers::from(target), direction, bits, count, &port.layout).ok()
    };
    let loads = moved.inputs.iter().map(|port| network(port.placed(), layout::load));
    let stores = moved.outputs.iter().map(|port| network(port.placed(), layout::store));
    let counts = loads.chain(stores).map(|network| Some(network?.operations() as f64));
    Some(counts.sum::<Option<f64>>()? * each)
}

/// What makes a network.
type Synthesis = fn(
    Registers,
    crate::core::Direction,
    u16,
    u32,
    &crate::core::Layout,
) -> Result<Network, String>;
