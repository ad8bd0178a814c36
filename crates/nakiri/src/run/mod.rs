//! Runs: from a program with registers and a schedule of its control to a program without registers, which does all ticks.
//!
//! In hardware a controller starts a core, counts its rounds and says when it is done. If it does the same in every lane, a
//! run needs none of it: a [`Schedule`] says what the inputs that control it are, tick by tick; all that depends on these
//! and on reset values alone is computed here, once ([`fold`]), and what is left of each tick are the operations on data
//! ([`unfold`]). Ticks that are equal but for constants call one function, in `forall`s over all of them, so that behind it
//! a run is a program like others: loops, slicings, targets and prices are those of any cipher.
//!
//! Without a schedule, but with inputs that are the same in all lanes, control is [`Shared`]: computed once in each tick.

pub mod codes;
mod fold;
mod plan;
mod schedule;
mod shape;
mod shared;
mod trace;
mod unfold;

pub use schedule::Schedule;
pub use shared::Shared;

use crate::core::{interp, Program};
use crate::diagnostic::Diagnostic;
use plan::Drive;

/// A program with registers, run as a schedule says.
#[derive(Clone, Debug)]
pub struct Run {
    /// What it computes: a program without registers. Its parameters are the data, its results what the schedule takes, by
    /// default the outputs of the last tick that depend on data.
    pub program: Program,
    /// The program that is run.
    pub hardware: Program,
    /// What each input is, tick by tick.
    ticks: Vec<Vec<Drive>>,
    /// For each result the tick and the output that it is taken from.
    taken: Vec<(usize, usize)>,
}

impl Run {
    /// The run of a program.
    ///
    /// # Errors
    /// A schedule that does not fit the program, one whose end depends on data or never comes, a program without registers
    /// or with a word size that is not fixed.
    pub fn new(hardware: &Program, schedule: &Schedule) -> Result<Run, Vec<Diagnostic>> {
        let plan = plan::Plan::new(hardware, schedule)?;
        let unfolded = unfold::unfold(hardware, &plan).map_err(|wrong| vec![wrong])?;
        Ok(Run {
            program: unfolded.program,
            hardware: hardware.clone(),
            ticks: unfolded.ticks,
            taken: unfolded.taken,
        })
    }

    /// How many ticks it has.
    pub fn ticks(&self) -> usize {
        self.ticks.len()
    }

    /// The inputs of the hardware, tick by tick, for the parameters of the run. `number` makes an atom of a number.
    pub fn inputs<'a, T: Clone>(
        &'a self,
        data: &'a [Vec<T>],
        number: impl Fn(u128) -> T + Copy + 'a,
    ) -> impl Iterator<Item = Vec<Vec<T>>> + 'a {
        let input = move |drive: &Drive| match drive {
            Drive::Number(atoms) => atoms.iter().map(|&atom| number(atom)).collect(),
            Drive::Data(param) => data[*param].clone(),
        };
        self.ticks.iter().map(move |tick| tick.iter().map(input).collect())
    }

    /// The results of the run in the outputs of the hardware, tick by tick.
    pub fn results<T: Clone>(&self, outputs: &[Vec<T>]) -> Vec<T> {
        self.taken.iter().map(|&(tick, output)| outputs[tick][output].clone()).collect()
    }

    /// For each result the tick and the output that it is taken from, both counted from 0.
    pub fn taken(&self) -> &[(usize, usize)] {
        &self.taken
    }

    /// What the run means: the results of the hardware, stepped by the interpreter tick by tick.
    pub fn stepped(&self, data: &[Vec<u128>]) -> Vec<Vec<u128>> {
        let mut machine = interp::Machine::new(&self.hardware);
        let inputs = self.inputs(data, |number| number);
        let outputs: Vec<Vec<Vec<u128>>> = inputs.map(|inputs| machine.step(&inputs)).collect();
        self.results(&outputs)
    }
}
