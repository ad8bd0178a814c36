//! Samples of several things in turn, so that what disturbs one disturbs all: A B C A B C …

use super::clock;
use super::places::Stack;
use serde::{Deserialize, Serialize};

/// Core cycles of a run, or of a byte, over many samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// The smallest sample.
    pub min: f64,
    /// The middle one.
    pub median: f64,
    /// The distance of the quartiles, divided by the median.
    pub spread: f64,
    /// How many samples.
    pub samples: u32,
}

impl Statistics {
    /// Of some samples; all zero if there are none.
    pub fn of(samples: &[f64]) -> Statistics {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |part: f64| {
            let last = sorted.len().saturating_sub(1) as f64;
            sorted.get((part * last).round() as usize).copied().unwrap_or(0.0)
        };
        let median = at(0.5);
        let spread = if median > 0.0 { (at(0.75) - at(0.25)) / median } else { 0.0 };
        Statistics { min: at(0.0), median, spread, samples: sorted.len() as u32 }
    }

    /// Whether most samples may have been disturbed: they spread by more than [`WIDE`], or nearly all of them lie that far
    /// above the fastest.
    pub fn disturbed(&self) -> bool {
        self.spread > WIDE || self.median > (1.0 + WIDE) * self.min
    }

    /// The same for a part of the work: divided by its amount.
    pub fn per(self, amount: f64) -> Statistics {
        Statistics { min: self.min / amount, median: self.median / amount, ..self }
    }
}

/// How much to measure.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Samples of each thing.
    pub samples: u32,
    /// How often as many samples are added where most may have been [disturbed](Statistics::disturbed).
    pub again: u32,
    /// Each sample is the mean over this many places, so that its median doesn't jump where places are fast or slow by halves.
    pub places: u32,
    /// What counts at a place is the fastest of this many tries in a row: what is slower was disturbed.
    pub tries: u32,
    /// Core cycles that one try should take at least; short runs are repeated inside a try.
    pub sample_cycles: f64,
    /// Samples that are thrown away first.
    pub warm_up: u32,
    /// How far the clock chains before and after a try may differ before it counts as disturbed and is made again: 0.01
    /// for 1 %.
    pub tolerance: f64,
}

impl Default for Plan {
    fn default() -> Plan {
        let (samples, again, places, tries) = (101, 0, 1, 5);
        Plan { samples, again, places, tries, sample_cycles: 20_000.0, warm_up: 3, tolerance: 0.01 }
    }
}

/// A distance, as a part of the time, from which on a median says little.
pub const WIDE: f64 = 0.05;

/// A thing that is timed.
pub trait Workload {
    /// Has what it works on, and its code, lie in the machine's memory at a place of this number, if it can: the time may depend
    /// on that.
    fn move_to(&mut self, _place: usize) {}

    /// Runs it once.
    fn run(&mut self);
}

impl<F: FnMut()> Workload for F {
    fn run(&mut self) {
        self();
    }
}

/// Times some things in turn, each time in another place. Gives the core cycles of one run of each.
pub fn interleaved(runs: &mut [&mut dyn Workload], plan: &Plan) -> Vec<Statistics> {
    let mut stack = (plan.places > 1).then(Stack::here);
    let mut stopwatch = Stopwatch { overhead: clock::overhead(), fastest: f64::INFINITY };
    let repeats: Vec<u32> = runs.iter_mut().map(|run| repeats(&mut **run, plan)).collect();
    let mut sample = |k: usize, round: u32| {
        let run = &mut *runs[k];
        let places = round * plan.places..(round + 1) * plan.places;
        let cycles = places.map(|place| {
            run.move_to(place as usize);
            let mut fastest = f64::INFINITY;
            let mut tries = || {
                let attempt = |_| stopwatch.attempt(run, repeats[k], plan.tolerance);
                fastest = (0..plan.tries).map(attempt).fold(fastest, f64::min);
            };
            match &mut stack {
                Some(stack) => stack.run(place as usize, &mut tries),
                None => tries(),
            }
            fastest
        });
        cycles.sum::<f64>() / f64::from(plan.places)
    };
    let mut samples = vec![Vec::with_capacity(plan.samples as usize); repeats.len()];
    for round in 0..plan.warm_up {
        (0..repeats.len()).for_each(|k| _ = sample(k, round));
    }
    for time in 0..=plan.again {
        let unsure = |&k: &usize| time == 0 || Statistics::of(&samples[k]).disturbed();
        let taken: Vec<usize> = (0..samples.len()).filter(unsure).collect();
        let first = plan.warm_up + time * plan.samples;
        for round in first..first + plan.samples {
            taken.iter().for_each(|&k| samples[k].push(sample(k, round)));
        }
    }
    samples.iter().map(|samples| Statistics::of(samples)).collect()
}

/// How often a thing is run in one sample.
fn repeats(run: &mut dyn Workload, plan: &Plan) -> u32 {
    let rate = clock::core_per_tick();
    run.run();
    let start = clock::ticks();
    run.run();
    let cycles = (clock::ticks() - start) as f64 * rate;
    (plan.sample_cycles / cycles.max(1.0)).ceil().clamp(1.0, 1e6) as u32
}

/// The cycles of a chain: many steps of the time-stamp counter, which advances by 26 at once on some machines.
const CHAIN: u64 = 12_000;

/// What times runs by chains of known length before and after them.
struct Stopwatch {
    /// The ticks that reading the counter takes.
    overhead: u64,
    /// The ticks of the fastest chain so far.
    fastest: f64,
}

impl Stopwatch {
    /// Core cycles of one run, of several in a row; taken again while its chains differ by more than the tolerance, or both are
    /// much slower than the fastest so far, which says that the clock has changed or that something else ran in between.
    fn attempt(&mut self, run: &mut dyn Workload, repeats: u32, tolerance: f64) -> f64 {
        const ATTEMPTS: u32 = 20;
        /// How much slower a clock may be than at its fastest.
        const SLOWEST: f64 = 1.25;
        let (mut cycles, mut least) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..ATTEMPTS {
            let before = self.chain();
            let start = clock::ticks();
            for _ in 0..repeats {
                run.run();
            }
            let own = (clock::ticks() - start).saturating_sub(self.overhead) as f64;
            let after = self.chain();
            let slowness = (before.max(after) / self.fastest - SLOWEST).max(0.0);
            let disturbance = (before - after).abs() / before.min(after) + slowness;
            if disturbance < least {
                least = disturbance;
                cycles = own * 2.0 * CHAIN as f64 / (before + after) / f64::from(repeats);
            }
            if disturbance <= tolerance {
                break;
            }
        }
        cycles
    }

    /// The ticks of a chain.
    fn chain(&mut self) -> f64 {
        let ticks = clock::chain(CHAIN).saturating_sub(self.overhead) as f64;
        self.fastest = self.fastest.min(ticks);
        ticks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes long in every other place.
    struct Uneven {
        steps: u64,
    }

    impl Workload for Uneven {
        fn move_to(&mut self, place: usize) {
            self.steps = if place.is_multiple_of(2) { 1_000 } else { 4_000 };
        }

        fn run(&mut self) {
            clock::chain(self.steps);
        }
    }

    #[test]
    fn samples_that_are_nearly_all_slow_are_disturbed_too() {
        let disturbed = |samples: &[f64]| Statistics::of(samples).disturbed();
        assert!(disturbed(&[1.0, 1.0, 1.1, 1.2, 1.2]), "they spread");
        assert!(disturbed(&[1.0, 1.1, 1.1, 1.1, 1.1]), "most lie above the fastest");
        assert!(!disturbed(&[1.0, 1.02, 1.02, 1.02, 2.0]));
        assert!(!disturbed(&[]));
    }

    #[test]
    fn what_spreads_is_sampled_again() {
        let plan = Plan { samples: 5, again: 2, tries: 1, ..Plan::default() };
        let mut uneven = Uneven { steps: 1_000 };
        let statistics = interleaved(&mut [&mut uneven], &plan);
        assert_eq!(statistics[0].samples, 15);
        let once = interleaved(&mut [&mut uneven], &Plan { again: 0, ..plan });
        assert_eq!(once[0].samples, 5);
    }
}
