//! The functions that bring blocks into registers and back, as texts.

use crate::core::Port;
use crate::emit::network::{self, Function};
use crate::layout::counters::{Blocks, Groups};
use crate::layout::{self, Counter, Machine};

/// The function that brings the blocks of a port from memory into registers.
///
/// # Errors
/// If the target can't hold the port.
pub fn load(port: &Port, function: Function) -> Result<String, String> {
    let (direction, width, count) = (port.ty.direction(), port.ty.bits(), port.count());
    let machine = Machine::from(function.target);
    let network = layout::load(machine, direction, width, count, &port.layout)?;
    Ok(network::function(&network, function))
}

/// The function that brings registers back into memory.
///
/// # Errors
/// If the target can't hold the port.
pub fn store(port: &Port, function: Function) -> Result<String, String> {
    Ok(network::function(&stored(port, function)?, function))
}

/// The function that adds registers to a text.
///
/// # Errors
/// If the target can't hold the port.
pub fn add(port: &Port, function: Function) -> Result<String, String> {
    Ok(network::function(&stored(port, function)?.adding(), function))
}

fn stored(port: &Port, function: Function) -> Result<layout::network::Network, String> {
    let (direction, width, count) = (port.ty.direction(), port.ty.bits(), port.count());
    layout::store(Machine::from(function.target), direction, width, count, &port.layout)
}

/// The functions that make a port's registers from counters; see [`layout::counters`].
pub struct CounterTexts {
    /// How batches are counted.
    pub groups: Groups,
    /// From the number of a group's first block to the registers that all groups share, if there are any.
    pub low: Option<String>,
    /// From a group's blocks, and the batch's share, to the port's registers.
    pub batch: String,
    /// From a port's registers to those of a later batch, in place; `None` where they are made anew.
    pub advance: Option<String>,
    /// Which blocks these are.
    pub blocks: Blocks,
}

/// The functions that make a port's registers from counters, so many batches at once.
///
/// # Errors
/// If the target can't hold the port.
pub fn counters(
    port: &Port,
    counter: &Counter,
    batches: u32,
    function: Function,
) -> Result<CounterTexts, String> {
    let (direction, width, count) = (port.ty.direction(), port.ty.bits(), port.count());
    let machine = Machine::from(function.target);
    let made = layout::counters(machine, direction, width, count, &port.layout, counter, batches)?;
    Ok(CounterTexts {
        groups: made.groups,
        low: made.low.map(|low| network::function(&low, function)),
        batch: network::function(&made.batch, function),
        advance: made.advance.map(|advance| network::function(&advance, function)),
        blocks: made.blocks,
    })
}
