//! A kernel beside the hardware that it was made from: the same inputs in every lane, the same outputs in every tick.

use crate::cc::Compiler;
use crate::exec::{self, Block, Divided};
use crate::random::Rng;
use crate::simulate::{simulate, Design, Values};
use crate::stimuli::{self, stimuli, Assumption, Reset};
use crate::Error;
use nakiri::compile::Kernel;
use nakiri::core::interp;
use nakiri::core::{Port, Program};
use std::time::Duration;

/// What is tried.
#[derive(Clone, Debug)]
pub struct Trial<'a> {
    /// The hardware.
    pub design: &'a Design,
    /// For each parameter of the program whether it is the same in all instances; nothing if none is.
    pub shared: &'a [bool],
    /// What is assumed of the inputs in each tick.
    pub assumption: Option<&'a Assumption>,
    /// Its reset. If it is no parameter of the program, the program starts when the first ticks of it are over.
    pub reset: Option<Reset>,
    /// How many instances.
    pub lanes: usize,
    /// The instance that comes first, and is simulated if there is time for one alone.
    pub first: usize,
    /// How many ticks each makes, those of the reset not counted.
    pub ticks: usize,
    /// Where randomness starts.
    pub seed: u64,
    /// For how long it is simulated. If that is too short for all instances, the others repeat the inputs of those that were
    /// simulated: every lane is compared nevertheless.
    pub limit: Option<Duration>,
}

/// A bit that is not as in the simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The instance.
    pub lane: usize,
    /// The tick of the simulation, from 0.
    pub tick: usize,
    /// The output, counted from 0, and its bit, 0 the least significant.
    pub output: usize,
    /// See `output`.
    pub bit: usize,
    /// What the simulation has.
    pub wanted: bool,
    /// The inputs of that instance up to this tick.
    pub inputs: Vec<Values>,
    /// Its outputs up to this tick, of the simulation and of the program; those of ticks that the program doesn't make are unknown.
    pub outputs: [Vec<Values>; 2],
}

/// What a comparison found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// How many bits of outputs were compared.
    pub compared: u64,
    /// How many were not, because the simulation doesn't know them: registers without a value, and what depends on them.
    pub unknown: u64,
    /// For each bit of each output, or result, whether it was compared at all.
    pub known: Vec<Vec<bool>>,
    /// How many instances were simulated, each with inputs of its own.
    pub simulated: usize,
    /// The first bit that differs, by tick.
    pub difference: Option<Difference>,
}

impl Agreement {
    /// Nothing compared yet.
    pub(crate) fn of<'a>(simulated: usize, results: impl Iterator<Item = &'a Port>) -> Agreement {
        let known = results.map(|port| vec![false; port.count() as usize]).collect();
        Agreement { known, simulated, ..Agreement::default() }
    }
}

/// A program's run: what is given to the hardware, and what it has to answer.
#[derive(Clone, Debug)]
pub struct Run {
    trial: Skip,
    lanes: usize,
    /// Of as many lanes as were simulated; the others repeat them.
    given: Vec<Vec<Values>>,
    wanted: Vec<Vec<Values>>,
    outputs: Vec<Port>,
}

/// What of the simulation the program doesn't see.
#[derive(Clone, Copy, Debug)]
struct Skip {
    /// An input that is no parameter.
    input: Option<usize>,
    /// The first ticks.
    ticks: usize,
}

impl Run {
    /// Simulates the hardware on random inputs. `program` says which inputs there are: those of its parameters.
    ///
    /// # Errors
    /// Those of [`simulate`].
    pub fn simulate(program: &Program, trial: &Trial) -> Result<Run, Error> {
        let hidden =
            trial.reset.filter(|_| program.entry().inputs().len() < trial.design.inputs.len());
        let skip = Skip {
            input: hidden.map(|reset| reset.input),
            ticks: hidden.map_or(0, |reset| reset.ticks),
        };
        let mut rng = Rng::new(trial.seed);
        let ticks = trial.ticks + trial.reset.map_or(0, |reset| reset.ticks);
        let reset = trial.reset.as_ref();
        let mut given: Vec<Vec<Values>> = (0..trial.lanes)
            .map(|_| stimuli(&trial.design.inputs, reset, ticks, &mut rng))
            .collect();
        let shared = share(&mut given, trial, skip.input);
        let fixed: Vec<usize> = shared.into_iter().chain(reset.map(|reset| reset.input)).collect();
        for ticks in &mut given {
            let held = trial.reset.map_or(0, |reset| reset.ticks);
            let (inputs, ticks) = (&trial.design.inputs, &mut ticks[held..]);
            stimuli::assume(trial.assumption, inputs, ticks, &fixed, &mut rng)?;
        }
        given.rotate_left(trial.first % trial.lanes.max(1));
        let wanted = simulate(trial.design, &given, trial.limit)?;
        given.truncate(wanted.len());
        let outputs = program.entry().outputs().to_vec();
        Ok(Run { trial: skip, lanes: trial.lanes, given, wanted, outputs })
    }

    /// The inputs of each instance, as the program takes them. What is unknown is 0.
    fn blocks(&self) -> Vec<Vec<Block>> {
        let bits = |bits: &Vec<Option<bool>>| -> Vec<u128> {
            bits.iter().map(|bit| u128::from(*bit == Some(true))).collect()
        };
        let block = |values: &Values| -> Block {
            let seen = values.iter().enumerate().filter(|(k, _)| Some(*k) != self.trial.input);
            seen.map(|(_, value)| bits(value)).collect()
        };
        let lane = |ticks: &Vec<Values>| ticks.iter().skip(self.trial.ticks).map(block).collect();
        self.given.iter().cycle().take(self.lanes).map(lane).collect()
    }

    /// What a step function in two kernels makes of it, every instance in a lane of its own.
    ///
    /// # Errors
    /// Those of [`exec::run_divided`].
    pub fn divided(&self, divided: &Divided, compiler: &Compiler) -> Result<Agreement, Error> {
        Ok(self.compared(&exec::run_divided(divided, compiler, &self.blocks())?))
    }

    /// What the interpreter makes of it.
    pub fn interpreted(&self, program: &Program) -> Agreement {
        let lanes = self.blocks();
        let results = lanes.iter().map(|ticks| {
            let mut machine = interp::Machine::new(program);
            ticks.iter().map(|block| machine.step(block)).collect()
        });
        self.compared(&results.collect::<Vec<Vec<Block>>>())
    }

    /// What the compiled kernel makes of it, every instance in a lane of its own.
    ///
    /// # Errors
    /// Those of [`exec::run_ticks`].
    pub fn compiled(&self, kernel: &Kernel, compiler: &Compiler) -> Result<Agreement, Error> {
        Ok(self.compared(&exec::run_ticks(kernel, compiler, &self.blocks())?))
    }

    /// The outputs of an instance up to a tick: the simulation's and others.
    fn outputs(&self, lane: usize, tick: usize, found: &[Block]) -> [Vec<Values>; 2] {
        let wanted = self.wanted[lane % self.wanted.len()][..=tick].to_vec();
        let none = self.outputs.iter().map(|port| vec![None; port.count() as usize]).collect();
        let bits = |atoms: &Vec<u128>| atoms.iter().map(|atom| Some(*atom == 1)).collect();
        let made = found.iter().map(|block| block.iter().map(bits).collect());
        let made = std::iter::repeat_n(none, self.trial.ticks).chain(made).take(tick + 1).collect();
        [wanted, made]
    }

    /// Answers beside the simulation's.
    fn compared(&self, results: &[Vec<Block>]) -> Agreement {
        let simulated = self.wanted.len();
        let mut agreement = Agreement::of(simulated, self.outputs.iter());
        for (lane, (found, wanted)) in results.iter().zip(self.wanted.iter().cycle()).enumerate() {
            let wanted = wanted.iter().enumerate().skip(self.trial.ticks);
            for (found, (tick, wanted)) in found.iter().zip(wanted) {
                for (output, (found, wanted)) in found.iter().zip(wanted).enumerate() {
                    for (bit, (found, wanted)) in found.iter().zip(wanted).enumerate() {
                        let Some(wanted) = *wanted else {
                            agreement.unknown += 1;
                            continue;
                        };
                        agreement.compared += 1;
                        agreement.known[output][bit] = true;
                        let earlier = agreement.difference.as_ref().is_none_or(|d| tick < d.tick);
                        if (*found == 1) != wanted && earlier {
                            let inputs = self.given[lane % simulated][..=tick].to_vec();
                            let outputs = self.outputs(lane, tick, &results[lane]);
                            let different =
                                Difference { lane, tick, output, bit, wanted, inputs, outputs };
                            agreement.difference = Some(different);
                        }
                    }
                }
            }
        }
        agreement
    }
}

/// Gives all instances the same of what they share: that of one in which it is neither at rest nor restless, as it shows to
/// all. `hidden` is an input that is no parameter. Says which inputs are shared.
fn share(given: &mut [Vec<Values>], trial: &Trial, hidden: Option<usize>) -> Vec<usize> {
    let inputs = (0..trial.design.inputs.len()).filter(|input| Some(*input) != hidden);
    let shared = inputs.zip(trial.shared).filter(|(_, shared)| **shared);
    let shared: Vec<usize> = shared.map(|(input, _)| input).collect();
    for &input in &shared {
        let changes = |ticks: &&Vec<Values>| -> usize {
            ticks.windows(2).filter(|tick| tick[0][input] != tick[1][input]).count()
        };
        let best = given.iter().min_by_key(|ticks| changes(ticks).abs_diff(trial.ticks.isqrt()));
        let best: Vec<_> = best.into_iter().flatten().map(|tick| tick[input].clone()).collect();
        for ticks in given.iter_mut() {
            ticks.iter_mut().zip(&best).for_each(|(tick, value)| tick[input].clone_from(value));
        }
    }
    shared
}
