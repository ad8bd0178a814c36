//! Kernels that take several blocks of one text at once, for a message alone.
//!
//! Around each block stand a call, copies of what goes from block to block, and loads and stores of it: as many cycles as some
//! bodies take themselves. Where blocks depend on one another by little (a counter), the rest of several runs side by side.

use super::{estimate_kernel, Machine};
use crate::compile::{Kernel, Options, Specialized};
use crate::core::Program;
use crate::pass::chain::Links;
use crate::pass::interleave::Interleave;
use crate::pass::roll::Unroll;
use crate::pass::schedule::Schedule;

/// A kernel for several blocks of one text.
#[derive(Clone, Debug)]
pub struct Stretch {
    /// The kernel.
    pub kernel: Kernel,
    /// Core cycles of a block, with what stands around it.
    pub cycles: f64,
}

/// About the core cycles that stand around a kernel on one block: calls, copies, loads and stores that wait for one another.
pub const AROUND: f64 = 40.0;

/// Bodies of more cycles don't mind what stands around them.
const LONG: f64 = 250.0;

/// The most instructions of a kernel, so that it stays in an op cache beside what surrounds it.
const LARGE: u64 = 1_200;

/// The kernel for so many blocks of a text, if it promises something: for a body that is short, and of which the kernel of the
/// same options takes one block at a time.
pub fn stretch(
    program: &Program,
    options: &Options,
    body: &Kernel,
    links: &Links,
    blocks: u32,
    machine: &Machine,
) -> Option<Stretch> {
    let alone = body.chain().last()?;
    let priced = estimate_kernel(alone, machine).ok()?;
    let large = priced.instructions * u64::from(blocks) > LARGE;
    if alone.blocks() > 1 || priced.cycles > LONG || large {
        return None;
    }
    let options = Options {
        unroll: Some(Unroll::Always),
        interleave: Some(Interleave::default()),
        short: None,
        ..*options
    };
    let specialized = Specialized::new(program, &options).ok()?;
    let mapped = specialized.mapped(&options, &mut |_, _| {}).chained(blocks, links)?;
    // Block after block: cores look ahead far enough, and what waits for the state of the block before is never left to the end.
    let options = Options { schedule: Some(Schedule::Source), ..options };
    let kernel = mapped.ordered(&options, &mut |_, _| {});
    let cycles = estimate_kernel(&kernel, machine).ok()?.cycles + AROUND;
    let cycles = cycles / f64::from(blocks);
    (cycles < priced.cycles + AROUND).then_some(Stretch { kernel, cycles })
}
