//! What a kernel costs on a machine: an estimate of its core cycles, made without a C compiler.
//!
//! A kernel is first lowered to the instructions of its target ([`lower`]): each operation is what its row of the target's
//! table says, loads are part of the instruction that reads them, and values beyond the last register are stored and
//! loaded again, those whose next use is furthest first ([`allocate`]). Then a core executes them, batch after batch
//! ([`execute`]), and waits for what the first-level cache doesn't hold ([`cache`]). The estimate says what limits it, so that a choice can be explained.
//!
//! What is left out: what the C compiler does better or worse than that, and all that stands around the kernel.

mod allocate;
mod cache;
mod choose;
mod execute;
pub mod explain;
mod lower;
mod machine;
mod parallel;
pub mod ports;
mod short;
mod slicing;
mod stretch;
mod totals;
mod transport;

pub use cache::Memory;
pub use choose::{choose, Candidate, Decision, Idling};
pub use machine::{Cache, Lacking, Machine, OpCache, Operation, Renaming};
pub use parallel::{in_bits, in_lanes, leap, InLanes, Parallel, SideBySide};
pub use ports::{Busy, Ports};
pub use short::{short, Lengths, Run};
pub use slicing::{choose_slicing, Sliced, MESSAGE, SURE};
pub use stretch::{moves, stretches, Powers, Stretch, AROUND};
pub use transport::cycles as transport;

use crate::compile::Kernel;
use crate::core::Program;
use crate::isa::Target;
use crate::pass::chain::Links;
use crate::registers::Spill;
use execute::Waits;

/// What a kernel costs: core cycles of one execution among many.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// All in all.
    pub cycles: f64,
    /// The least that its ports allow.
    pub ports: f64,
    /// The least that its loads allow, those of spilled values included, and what is lost for those that are taken for others.
    pub loads: f64,
    /// What is lost for loads of spilled values that are taken for others: part of these.
    pub mistaken: f64,
    /// The least that its stores allow, those of spilled values included.
    pub stores: f64,
    /// The least that the front end allows.
    pub front_end: f64,
    /// What is added to these for memory that the first-level cache doesn't hold.
    pub cache: f64,
    /// Bytes of memory that one execution works on.
    pub memory: u64,
    /// Instructions of its code, each counted once, however often it is executed.
    pub code: u64,
    /// Whether the code is more than the op cache holds.
    pub decoded: bool,
    /// Instructions that are executed.
    pub instructions: u64,
    /// Values that are stored since no register is left for them, by executions.
    pub spills: u64,
    /// Loads of such values, and of others that a register can't keep until their next use.
    pub reloads: u64,
}

/// What limits a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The ports of what it computes.
    Ports,
    /// Reads of memory.
    Loads,
    /// Writes of memory.
    Stores,
    /// Memory that the first-level cache doesn't hold.
    Cache,
    /// The number of instructions, or what the op cache doesn't hold.
    FrontEnd,
    /// Results that are waited for.
    Latency,
}

named!(
    Limit, "limit",
    "ports" => Limit::Ports, "loads" => Limit::Loads, "stores" => Limit::Stores,
    "cache" => Limit::Cache,
    "front end" => Limit::FrontEnd, "latency" => Limit::Latency,
);

impl Estimate {
    /// The same where no load is taken for another.
    fn unmistaken(self) -> Estimate {
        let Estimate { cycles, loads, mistaken, .. } = self;
        Estimate { cycles: cycles - mistaken, loads: loads - mistaken, mistaken: 0.0, ..self }
    }

    /// What limits it: the largest part, or latency if none explains most of the cycles.
    pub fn binds(&self) -> Limit {
        const MOST: f64 = 0.85;
        let limits = [
            (Limit::Ports, self.ports),
            (Limit::FrontEnd, self.front_end),
            (Limit::Loads, self.loads),
            (Limit::Stores, self.stores),
            (Limit::Cache, self.cache),
        ];
        // Of equal parts the first explains most.
        let largest = limits.into_iter().fold((Limit::Latency, 0.0), |largest, limit| {
            if limit.1 > largest.1 {
                limit
            } else {
                largest
            }
        });
        if largest.1 >= MOST * self.cycles {
            largest.0
        } else {
            Limit::Latency
        }
    }
}

/// Estimates a program that was lowered to a target.
///
/// # Errors
/// An operation of the target that the machine lacks.
pub fn estimate(
    program: &Program,
    target: &Target,
    machine: &Machine,
) -> Result<Estimate, Lacking> {
    let code = lower::lower(program, target, machine)?;
    Ok(execute::execute(&code, target, machine, Waits::For(&[])))
}

/// Estimates a kernel, which may spill by itself.
///
/// # Errors
/// Those of [`estimate`].
pub fn estimate_kernel(kernel: &Kernel, machine: &Machine) -> Result<Estimate, Lacking> {
    estimate_text(kernel, &Links::default(), machine)
}

/// Estimates a kernel that takes blocks of a text, run after run: each waits for what the one before made of the state.
///
/// # Errors
/// Those of [`estimate`].
pub fn estimate_text(
    kernel: &Kernel,
    links: &Links,
    machine: &Machine,
) -> Result<Estimate, Lacking> {
    estimate_after(kernel, Waits::For(&links.atoms(kernel.program.entry())), machine)
}

/// Estimates a kernel that is executed alone: as if each execution waited for all that the one before computed.
///
/// # Errors
/// Those of [`estimate`].
pub fn estimate_once(kernel: &Kernel, machine: &Machine) -> Result<Estimate, Lacking> {
    estimate_after(kernel, Waits::ForAll, machine)
}

fn estimate_after(kernel: &Kernel, waits: Waits, machine: &Machine) -> Result<Estimate, Lacking> {
    let code = lower::lower(&kernel.program, kernel.target, machine)?;
    let estimate = execute::execute(&code, kernel.target, machine, waits);
    Ok(match kernel.spill {
        Spill::Compiler | Spill::Assembly => estimate,
        Spill::Explicit | Spill::Always => estimate.unmistaken(),
    })
}
