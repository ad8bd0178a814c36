//! Kernels that take several blocks of one text at once, for a message alone.
//!
//! Around each block stand a call, copies of what goes from block to block, and loads and stores of it: as many cycles as some
//! bodies take themselves. Where blocks depend on one another by little (a counter), the rest of several runs side by side.

use super::{estimate_kernel, Machine};
use crate::compile::{Kernel, Mapped, Options, Specialized};
use crate::core::{Port, Program};
use crate::pass::chain::Links;
use crate::pass::interleave::Interleave;
use crate::pass::roll::Unroll;
use crate::pass::schedule::Schedule;

/// A kernel for several blocks of one text.
#[derive(Clone, Debug)]
pub struct Stretch {
    /// The kernel.
    pub kernel: Kernel,
    /// What makes its last parameter, once for all blocks of a text.
    pub powers: Option<Powers>,
    /// Core cycles of a block, with what stands around it.
    pub cycles: f64,
}

/// A kernel that makes powers.
#[derive(Clone, Debug)]
pub struct Powers {
    /// The parameter of the piece that they are powers of.
    pub of: usize,
    /// The kernel.
    pub kernel: Kernel,
}

impl Stretch {
    /// How many bits of powers it takes. Two of the same piece that take as many have the same ports.
    pub fn power_bits(&self) -> u32 {
        let bits = |port: &Port| port.count() * u32::from(port.ty.word());
        self.powers.as_ref().map_or(0, |powers| bits(&powers.kernel.results[0]))
    }
}

/// About the core cycles that stand around a kernel on one block: calls, copies, loads and stores that wait for one another.
pub const AROUND: f64 = 40.0;

/// Bodies of more cycles don't mind what stands around them.
const LONG: f64 = 250.0;

/// The most instructions of a kernel, so that it stays in an op cache beside what surrounds it.
const LARGE: u64 = 1_200;

/// The kernels for so many blocks of a text that promise something, in each form that there is: for a body that is short, and of
/// which the kernel of the same options takes one block at a time.
pub fn stretches(
    program: &Program,
    options: &Options,
    body: &Kernel,
    links: &Links,
    blocks: u32,
    machine: &Machine,
) -> Vec<Stretch> {
    let priced = body.chain().last().filter(|alone| alone.blocks() == 1);
    let Some(priced) = priced.and_then(|alone| estimate_kernel(alone, machine).ok()) else {
        return Vec::new();
    };
    let large = priced.instructions * u64::from(blocks) > LARGE;
    if priced.cycles > LONG || large {
        return Vec::new();
    }
    let options = Options {
        unroll: Some(Unroll::Always),
        interleave: Some(Interleave::default()),
        short: None,
        ..*options
    };
    let Ok(specialized) = Specialized::new(program, &options) else { return Vec::new() };
    let mapped = specialized.mapped(&options, &mut |_, _| {});
    let ordered = |mapped: &Mapped, schedule| {
        let options = Options { schedule: Some(schedule), ..options };
        mapped.ordered(&options, &mut |_, _| {})
    };
    // Block after block: cores look ahead far enough, and what waits for the state of the block before is never left to the end.
    let one_by_one =
        mapped.chained(blocks, links).map(|chained| (ordered(&chained, Schedule::Source), None));
    let by_powers = mapped.by_powers(blocks, links).into_iter().map(|own| {
        let powers = Powers { of: own.of, kernel: ordered(&own.powers, Schedule::Source) };
        (ordered(&own.chained, Schedule::Latency), Some(powers))
    });
    let price = |(kernel, powers): (Kernel, Option<Powers>)| {
        let cycles = estimate_kernel(&kernel, machine).ok()?.cycles + AROUND;
        let cycles = cycles / f64::from(blocks);
        (cycles < priced.cycles + AROUND).then_some(Stretch { kernel, powers, cycles })
    };
    one_by_one.into_iter().chain(by_powers).filter_map(price).collect()
}
