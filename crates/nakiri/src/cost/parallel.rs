//! Kernels that take many blocks of one text side by side, in the lanes of registers that are wider than a block.

use super::{estimate_kernel, estimate_text, Machine};
use crate::compile::{self, Kernel, Mapped, Options, Specialized};
use crate::core::{Direction, Program};
use crate::emit::keys;
use crate::pass::chain::Links;
use crate::pass::interleave::Interleave;
use crate::pass::leap::Leap;
use crate::pass::offsets::Number;
use crate::pass::roll::Unroll;
use crate::pass::schedule::Schedule;

/// A kernel for many blocks of one text.
#[derive(Clone, Debug)]
pub struct Parallel {
    /// The kernel.
    pub kernel: Kernel,
    /// What makes its last parameter of the numbers of a first run, if it has one for that.
    pub offsets: Option<Kernel>,
    /// Core cycles of a block.
    pub cycles: f64,
}

/// For one batch, in straight-line code, which parts of a body are looked for and put together in.
fn straight(options: &Options) -> Options {
    let (unroll, interleave) = (Some(Unroll::Always), Some(Interleave::of(1)));
    Options { unroll, interleave, short: None, ..*options }
}

/// So many steps at once of what the serial part of a body carries, if that is possible.
pub fn leap(program: &Program, options: &Options, links: &Links, steps: u32) -> Option<Leap> {
    let options = straight(options);
    Specialized::new(program, &options).ok()?.lowered(&options).leap(links, steps)
}

/// The parallel part of a [`split`](crate::pass::split) body for a target whose registers hold several blocks, up to its operations.
#[derive(Clone, Debug)]
pub struct SideBySide {
    options: Options,
    specialized: Specialized,
    mapped: Mapped,
}

impl SideBySide {
    /// That of a body on one block, in rows or words; none if it is not legal, or none of these numbers of blocks fills registers.
    pub fn new(program: &Program, options: &Options, blocks: &[u32]) -> Option<SideBySide> {
        let options = straight(options);
        let specialized = Specialized::new(program, &options).ok()?;
        if !matches!(specialized.direction(), Direction::P | Direction::V) {
            return None;
        }
        let fills_any = |lanes: u32| blocks.iter().any(|blocks| blocks.is_multiple_of(lanes));
        // Rows are put together later.
        let is_known = specialized.direction() != Direction::P;
        if is_known && !fills_any(specialized.lanes(&options)) {
            return None;
        }
        let mapped = specialized.mapped(&options, &mut |_, _| {});
        fills_any(mapped.lanes()).then_some(SideBySide { options, specialized, mapped })
    }

    /// It on so many blocks, if these fill registers.
    /// With a leap, and the parameter that is the state before a block, that state is made for as many blocks behind, too.
    pub fn on(
        &self,
        blocks: u32,
        leap: Option<(usize, Leap)>,
        machine: &Machine,
    ) -> Option<Parallel> {
        let SideBySide { options, specialized, mapped } = self;
        let lanes = mapped.lanes();
        if !blocks.is_multiple_of(lanes)
            || leap.is_some_and(|(_, leap)| !leap.is_legal(options.target))
        {
            return None;
        }
        let ordered = |batches, schedule| {
            let mapped = specialized.mapped_again(mapped, Interleave::of(batches));
            let mapped = match &leap {
                Some((param, leap)) => mapped.leaping(*param, leap),
                None => mapped,
            };
            mapped.ordered(&Options { schedule: Some(schedule), ..*options }, &mut |_, _| {})
        };
        cheapest(blocks, machine, |schedule| ordered(blocks / lanes, schedule))
    }

    /// The same, beginning at multiples of so many blocks, if batches make what they make of numbers of the first one's.
    pub fn with_offsets(&self, blocks: u32, number: Number, machine: &Machine) -> Option<Parallel> {
        let SideBySide { options, specialized, mapped } = self;
        let lanes = mapped.lanes();
        let batches = blocks.is_multiple_of(lanes).then_some(blocks / lanes)?;
        let own = specialized.lowered(options).with_offsets(number, batches)?;
        let of = |schedule| Options { schedule: Some(schedule), ..*options };
        let kernel = |schedule| own.blocks.ordered_batches(&of(schedule), batches);
        let first = own.first.ordered(&of(Schedule::Source), &mut |_, _| {});
        let cheapest = cheapest(blocks, machine, kernel)?;
        Some(Parallel { offsets: Some(first), ..cheapest })
    }
}

/// The kernel in the order in which it costs least.
fn cheapest(
    blocks: u32,
    machine: &Machine,
    kernel: impl Fn(Schedule) -> Kernel,
) -> Option<Parallel> {
    let priced = |schedule| {
        let kernel = kernel(schedule);
        let cycles = estimate_kernel(&kernel, machine).ok()?.cycles / f64::from(blocks);
        keys::of_constants(&kernel).ok()?;
        Some(Parallel { kernel, offsets: None, cycles })
    };
    let all = [Schedule::Source, Schedule::Latency].into_iter().filter_map(priced);
    all.min_by(|a, b| a.cycles.total_cmp(&b.cycles))
}

/// A kernel of a parallel part whose registers hold a bit of as many blocks as it takes.
pub fn in_bits(kernel: Kernel, machine: &Machine) -> Option<Parallel> {
    keys::of_constants(&kernel).ok()?;
    let run = estimate_kernel(&kernel, machine).ok()?.cycles + super::transport(&kernel, machine)?;
    let cycles = run / kernel.blocks() as f64;
    Some(Parallel { kernel, offsets: None, cycles })
}

/// Kernels for blocks of one text in the lanes of registers, where what is carried follows Horner's rule.
#[derive(Clone, Debug)]
pub struct InLanes {
    /// The blocks: see [`Horner::in_lanes`](crate::pass::horner::Horner::in_lanes).
    pub kernel: Kernel,
    /// What makes the powers of a parameter, which is its only one.
    pub powers: Kernel,
    /// That parameter.
    pub of: usize,
    /// How many rows a power is.
    pub maps: usize,
    /// Core cycles of a block.
    pub cycles: f64,
}

/// The serial part of a [`split`](crate::pass::split) body on so many blocks in the lanes of registers, in each form that there is.
pub fn in_lanes(
    program: &Program,
    options: &Options,
    links: &Links,
    blocks: u32,
    machine: &Machine,
) -> Vec<InLanes> {
    let options = straight(options);
    let Ok(specialized) = Specialized::new(program, &options) else { return Vec::new() };
    let lowered = specialized.lowered(&options);
    let order = Options { schedule: Some(Schedule::Source), ..options };
    let lanes = lowered.lanes();
    if !blocks.is_multiple_of(lanes) {
        return Vec::new();
    }
    let batches = blocks / lanes;
    let priced = |own: compile::InLanes| {
        let latency = Options { schedule: Some(Schedule::Latency), ..options };
        let kernel = own.steps.ordered_batches(&latency, batches);
        let powers = own.powers.ordered(&order, &mut |_, _| {});
        let cycles = estimate_text(&kernel, links, machine).ok()?.cycles / f64::from(blocks);
        keys::are_images(&kernel).then_some(InLanes {
            kernel,
            powers,
            of: own.of,
            maps: own.maps,
            cycles,
        })
    };
    lowered.in_lanes(lanes, batches, links).into_iter().filter_map(priced).collect()
}
