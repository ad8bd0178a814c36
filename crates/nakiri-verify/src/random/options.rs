//! Random choices of how a program is compiled.

use super::Rng;
use nakiri::compile::Options;
use nakiri::pass::inline::Inline;
use nakiri::pass::interleave::Interleave;
use nakiri::pass::roll::Unroll;
use nakiri::pass::schedule::Schedule;
use nakiri::registers::Spill;

/// The options with all drawn that means nothing and changes code.
pub fn options(rng: &mut Rng, open: Options) -> Options {
    let unrolls = [Unroll::Auto, Unroll::Never, Unroll::Always, Unroll::Twice, Unroll::FourTimes];
    let interleave = Interleave {
        factor: rng.range(1, 3) as u32,
        grain: rng.range(1, 4) as u32,
        lag: *rng.pick(&[0, 1, 2, 5, 20]),
    };
    let all = [Spill::Assembly, Spill::Compiler, Spill::Explicit, Spill::Always];
    let spills = &all[usize::from(!open.target.is_assembled())..];
    Options {
        unroll: Some(*rng.pick(&unrolls)),
        inline: Some(*rng.pick(&[Inline::All, Inline::Small])),
        interleave: rng.one_in(2).then_some(interleave),
        schedule: Some(*rng.pick(&[Schedule::Source, Schedule::Pressure, Schedule::Latency])),
        spill: Some(*rng.pick(spills)),
        gather_rows: rng.one_in(2),
        ..open
    }
}

/// The options with some of their choices left open.
pub fn reopened(rng: &mut Rng, chosen: Options) -> Options {
    Options {
        unroll: chosen.unroll.filter(|_| rng.one_in(2)),
        inline: chosen.inline.filter(|_| rng.one_in(2)),
        interleave: chosen.interleave.filter(|_| rng.one_in(2)),
        schedule: chosen.schedule.filter(|_| rng.one_in(2)),
        spill: chosen.spill.filter(|_| rng.one_in(2)),
        ..chosen
    }
}
