//! Kernels that take several blocks of one text at once, for a message alone.
//!
//! Around each block stand a call, copies of what goes from block to block, and loads and stores of it: as many cycles as some
//! bodies take themselves. Where blocks depend on one another by little (a counter), the rest of several runs side by side.

use super::{estimate_text, Machine};
use crate::compile::{Kernel, Mapped, Options, Rest, Specialized};
use crate::core::{Port, Program};
use crate::layout::port_bytes;
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
    /// Core cycles of a block of a text alone, with what stands around it; with idle lanes, where registers hold several.
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

/// About the core cycles in which 16 bytes are brought to a batch from one of several texts, or back, with the loops around that:
/// eight blocks of XTS, 16 such moves, took 126 cycles for each of several texts and 90 one text after another (Zen 3, clang 19).
const MOVE: f64 = 4.0;

/// Bodies of more cycles don't mind what stands around them.
const LONG: f64 = 250.0;

/// How many batches are tried for many texts.
const LANES: [u32; 3] = [2, 4, 8];

/// The most instructions of a kernel, so that it stays in an op cache beside what surrounds it.
const LARGE: u64 = 1_200;

/// The kernels for so many blocks of a text that promise something, in each form that there is, for a body that is short. Where one
/// text leaves a core waiting, they take several side by side, too.
pub fn stretches(
    program: &Program,
    options: &Options,
    body: &Kernel,
    links: &Links,
    blocks: u32,
    machine: &Machine,
) -> Vec<Stretch> {
    let Some(alone) = body.chain().last() else { return Vec::new() };
    let Ok(priced) = estimate_text(alone, links, machine) else { return Vec::new() };
    let large = priced.instructions * u64::from(blocks) > LARGE;
    if priced.cycles > LONG || large {
        return Vec::new();
    }
    let options = Options { unroll: Some(Unroll::Always), short: None, ..*options };
    let Ok(specialized) = Specialized::new(program, &options) else { return Vec::new() };
    let trial = Trial { options, links, blocks, machine };
    let one = Options { interleave: Some(Interleave::of(1)), ..options };
    let alone = specialized.mapped(&one, &mut |_, _| {});
    let many = LANES.map(|batches| specialized.mapped_again(&alone, Interleave::of(batches)));
    // Of orders that cost the same the first is taken: cores look ahead far enough where there are several texts.
    let many = many.iter().filter_map(|m| trial.chained(m, [Schedule::Source, Schedule::Latency]));
    let single = trial.chained(&alone, [Schedule::Latency, Schedule::Source]);
    let moved = f64::from(blocks) * moves(body, links);
    let one_by_one = single.map(|single| (single.beside(many, moved), None));
    let by_powers = specialized.lowered(&one).by_powers(blocks, links).into_iter().map(|own| {
        let kernel = trial.ordered(&own.powers, Schedule::Source);
        let powers = Powers { of: own.of, kernel };
        (trial.ordered(&own.chained, Schedule::Latency), Some(powers))
    });
    let price = |(kernel, powers): (Kernel, Option<Powers>)| {
        let single = kernel.chain().last()?;
        let cycles =
            (estimate_text(single, links, machine).ok()?.cycles + AROUND) / f64::from(blocks);
        (cycles < priced.cycles + AROUND).then_some(Stretch { kernel, powers, cycles })
    };
    one_by_one.into_iter().chain(by_powers).filter_map(price).collect()
}

/// What the kernels of a stretch are made and priced for.
struct Trial<'a> {
    options: Options,
    links: &'a Links,
    blocks: u32,
    machine: &'a Machine,
}

impl Trial<'_> {
    fn ordered(&self, mapped: &Mapped, schedule: Schedule) -> Kernel {
        let options = Options { schedule: Some(schedule), ..self.options };
        mapped.ordered(&options, &mut |_, _| {})
    }

    /// Block after block, in the cheapest of these orders.
    fn chained(&self, mapped: &Mapped, orders: [Schedule; 2]) -> Option<Chained> {
        let mapped = mapped.chained(self.blocks, self.links)?;
        let chained = |schedule| {
            let kernel = self.ordered(&mapped, schedule);
            let cycles = estimate_text(&kernel, self.links, self.machine).ok()?.cycles;
            Some(Chained { kernel, cycles })
        };
        let all = orders.into_iter().filter_map(chained);
        all.min_by(|a, b| a.cycles.total_cmp(&b.cycles))
    }
}

/// About the core cycles in which a block is brought to a batch from one of several texts, and what is made of it back.
pub fn moves(body: &Kernel, links: &Links) -> f64 {
    MOVE * moved_bytes(body, links) as f64 / 16.0
}

/// The bytes of a block, and of what is made of it, that are brought from a text and back where it is one of several.
fn moved_bytes(body: &Kernel, links: &Links) -> usize {
    let stays = |param: &usize| links.carried.iter().any(|(own, _)| own == param);
    let moved = |param: &usize| !stays(param) && !links.kept.contains(param);
    let params = (0..body.params.len()).filter(moved).map(|param| &body.params[param]);
    let made = |result: &usize| !links.carried.iter().any(|(_, own)| own == result);
    let results = (0..body.results.len()).filter(made).map(|result| &body.results[result]);
    params.chain(results).map(port_bytes).sum()
}

/// Blocks of one text one after another, and what a run takes.
struct Chained {
    kernel: Kernel,
    cycles: f64,
}

impl Chained {
    /// A kernel of many batches that takes the least time for each, if that is much less, with this one for fewer messages. What is
    /// `moved` for each message of several takes its time, too.
    fn beside(self, many: impl Iterator<Item = Chained>, moved: f64) -> Kernel {
        const MUCH: f64 = 0.9;
        let instructions = |kernel: &Kernel| kernel.program.entry().body.len() as u64;
        let share = |own: &Chained| own.cycles / own.kernel.blocks() as f64;
        let many = many.filter(|own| instructions(&own.kernel) <= LARGE);
        let best = many.min_by(|a, b| share(a).total_cmp(&share(b)));
        match best.filter(|best| share(best) + moved < MUCH * share(&self)) {
            Some(best) => {
                let below = (best.cycles / share(&self)).ceil().max(2.0) as usize;
                best.kernel.with_rest(Some(Rest { below, kernel: Box::new(self.kernel) }))
            }
            None => self.kernel,
        }
    }
}
