//! The instructions of a sequence with what they cost on one machine.

use crate::machine::{Machine, MissingOperation};
use crate::sequence::{Instruction, Micro, Sequence};
use nakiri::cost::Ports;
use std::collections::BTreeMap;

/// What an operation costs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cost {
    /// Core cycles from its last argument to its result.
    pub latency: f64,
    /// The ports for each of its micro-operations.
    pub uses: Vec<Ports>,
}

/// An instruction's costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Costed<'a> {
    /// The instruction.
    pub instruction: &'a Instruction,
    /// Of reading memory.
    pub load: Option<Cost>,
    /// Of what is done in registers.
    pub compute: Option<Cost>,
    /// Of writing memory.
    pub store: Option<Cost>,
}

/// What an operation costs.
///
/// # Errors
/// That the machine doesn't have it.
pub fn cost(machine: &Machine, micro: Micro) -> Result<Cost, MissingOperation> {
    let row = machine.cost(micro.class, micro.width)?;
    let uses = row.uses.iter().map(|names| machine.port_set(names)).collect();
    Ok(Cost { latency: row.latency, uses })
}

/// The costs of all instructions of a sequence.
///
/// # Errors
/// An operation that the machine doesn't have.
pub fn costs<'a>(
    machine: &Machine,
    sequence: &'a Sequence,
) -> Result<Vec<Costed<'a>>, MissingOperation> {
    let mut known: BTreeMap<Micro, Cost> = BTreeMap::new();
    for micro in sequence.code.iter().flat_map(|instruction| instruction.work.parts()) {
        if let std::collections::btree_map::Entry::Vacant(entry) = known.entry(micro) {
            entry.insert(cost(machine, micro)?);
        }
    }
    let of = |micro: Option<Micro>| micro.and_then(|micro| known.get(&micro).cloned());
    let costed = sequence.code.iter().map(|instruction| {
        let work = instruction.work;
        let mut compute = of(work.compute);
        if let (true, Some(cost)) = (instruction.fused, &mut compute) {
            // The jump does it.
            cost.uses.clear();
        }
        Costed { instruction, load: of(work.load), compute, store: of(work.store) }
    });
    Ok(costed.collect())
}
