//! Loops in, core cycles out.

use super::assembly::{self, Loop, BUFFER};
use crate::measure::{clock, interleaved, Plan, Workload};
use crate::subject::{Buffer, Object};
use nakiri_verify::cc::{Compiler, Work};
use nakiri_verify::exec;

/// How much is measured. More rounds at other times find a moment without disturbance for each loop.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How often all loops have their turn.
    pub rounds: u32,
    /// Samples of a loop in each turn.
    pub samples: u32,
    /// Core cycles of a sample at least.
    pub cycles: f64,
}

impl Effort {
    /// For figures to keep.
    pub const FULL: Effort = Effort { rounds: 40, samples: 8, cycles: 12_000.0 };
    /// For a first impression.
    pub const QUICK: Effort = Effort { rounds: 3, samples: 4, cycles: 8_000.0 };
}

/// What is told of the progress: steps done, of so many.
pub type Progress<'a> = &'a mut dyn FnMut(usize, usize);

/// Loops that are timed side by side: few enough for the first-level cache of code.
const GROUP: usize = 16;

type Function = unsafe extern "C" fn(*mut u8, u64);

/// The core cycles of one pass of each loop.
///
/// # Errors
/// What the assembler or the loader says.
pub fn time(
    loops: &[Loop],
    compiler: &Compiler,
    effort: &Effort,
    progress: Progress,
) -> Result<Vec<f64>, String> {
    let work = Work::new().map_err(|error| error.to_string())?;
    let text = assembly::file(loops, exec::has_feature("avx"));
    let source = work.write("loops.S", text.as_bytes()).map_err(|error| error.to_string())?;
    let shared = work.path("loops.so");
    compiler.compile(&[&source], &["-shared"], &shared).map_err(|error| {
        format!("can't assemble the loops to be timed; choose another compiler with --cc\n{error}")
    })?;
    // SAFETY: it was made here, for this machine; it has no initializers.
    let object = unsafe { Object::load(&shared) }?;
    // A loaded object needs no file, and one that is gone is not left behind if the process is ended.
    drop(work);
    let mut buffer = Buffer::new(BUFFER, 0);
    let start = buffer.bytes_mut().as_mut_ptr();
    buffer.bytes_mut()[..8].copy_from_slice(&(start as u64).to_le_bytes());
    let mut runs = Vec::new();
    for k in 0..loops.len() {
        // SAFETY: functions of the file have this type, and the object outlives the runs.
        let function = unsafe { object.function::<Function>(&assembly::name(k)) }?;
        // SAFETY: the buffer is as the file asks for.
        runs.push(Run::new(move |passes| unsafe { function(start, passes) }, effort));
    }
    let plan = Plan {
        again: 0,
        samples: effort.samples,
        places: 1,
        tries: 1,
        // A run is as long as it should be already.
        sample_cycles: 1.0,
        warm_up: 1,
        tolerance: 0.01,
    };
    let steps = effort.rounds as usize * runs.len().div_ceil(GROUP);
    for round in 0..effort.rounds as usize {
        for (k, group) in runs.chunks_mut(GROUP).enumerate() {
            progress(round * loops.len().div_ceil(GROUP) + k, steps);
            round_of(group, &plan);
        }
    }
    Ok(runs.into_iter().map(Run::cost).collect())
}

/// A loop that is timed.
struct Run<F> {
    run: F,
    passes: u64,
    /// Core cycles of a pass in the middle sample of each round.
    rounds: Vec<f64>,
}

impl<F: Fn(u64)> Run<F> {
    /// With as many passes as take the time of a sample.
    fn new(run: F, effort: &Effort) -> Run<F> {
        const TRIAL: u64 = 4;
        let trial = (0..4).map(|_| {
            let start = clock::ticks();
            run(TRIAL);
            clock::ticks() - start
        });
        let fastest = trial.min().unwrap_or(1).max(1) as f64 / TRIAL as f64;
        Run { run, passes: (effort.cycles / fastest).ceil() as u64 + 1, rounds: Vec::new() }
    }

    /// The core cycles of a pass: of the rounds the fastest but a tenth. Disturbances make most samples slower, but one
    /// of the clock chain makes a sample look faster, so that a minimum would be the worst disturbed.
    fn cost(mut self) -> f64 {
        self.rounds.sort_by(f64::total_cmp);
        self.rounds.get(self.rounds.len() / 10).copied().unwrap_or(f64::NAN)
    }
}

fn round_of<F: Fn(u64)>(group: &mut [Run<F>], plan: &Plan) {
    let mut calls: Vec<_> = group.iter().map(|each| || (each.run)(each.passes)).collect();
    let mut turns: Vec<&mut dyn Workload> = calls.iter_mut().map(|call| call as _).collect();
    let costs = interleaved(&mut turns, plan);
    for (each, cost) in group.iter_mut().zip(costs) {
        each.rounds.push(cost.median / each.passes as f64);
    }
}
