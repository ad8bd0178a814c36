//! The key schedules of a library: for each variant the slicing in which one key takes the least time.

use crate::choice;
use crate::compiled::Compiled;
use crate::library::Settings;
use nakiri::compile::{Kernel, Options};
use nakiri::core::{Direction, Program};
use nakiri::cost;
use nakiri::diagnostic::Diagnostic;
use nakiri::emit::keys;
use nakiri::isa::{self, Target};
use nakiri::pass::interleave::Interleave;

/// The slicings in which a key schedule is tried, that with the least code first.
const DIRECTIONS: [Direction; 4] = [Direction::P, Direction::V, Direction::H, Direction::B];

/// For each of some kernels the key schedule that makes its images.
pub struct Schedules<'a> {
    program: Program,
    settings: &'a Settings,
    compiled: &'a Compiled,
}

impl<'a> Schedules<'a> {
    /// Those of a program from a key to round keys.
    pub fn new(program: &Program, settings: &'a Settings, compiled: &'a Compiled) -> Schedules<'a> {
        Schedules { program: keys::uniform(program), settings, compiled }
    }

    /// Of the kernels in every slicing, for its target and for one that every CPU has, the one by which one key is expanded in
    /// the least time, with what makes the kernel's images of its results.
    ///
    /// # Errors
    /// Why there is none.
    pub fn cheapest(&self, kernel: &Kernel) -> Result<Kernel, Vec<Diagnostic>> {
        let machine = choice::machine(None, kernel.target, false).ok();
        let price = |schedule: &Kernel| {
            let machine = machine.as_ref()?;
            let part = keys::scheduled(kernel, schedule).ok()?;
            let estimate = cost::estimate_once(schedule, machine).ok()?;
            Some(estimate.cycles + part.operations() as f64 / machine.width)
        };
        let mut targets = vec![kernel.target, isa::everywhere()];
        targets.dedup_by_key(|target| target.name);
        let mut taken: Option<(f64, Kernel)> = None;
        let mut first = None;
        for direction in DIRECTIONS {
            // Gates of everything are many: they are for want of anything else, unless the kernel is made of them too.
            if direction == Direction::B && kernel.direction != direction && taken.is_some() {
                continue;
            }
            for target in &targets {
                match self.kernel(direction, target) {
                    Ok(schedule) => {
                        let price = price(&schedule).unwrap_or(f64::MAX);
                        if taken.as_ref().is_none_or(|(least, _)| cost::SURE * price < *least) {
                            taken = Some((price, schedule));
                        }
                    }
                    Err(why) => first = first.or(Some(why)),
                }
            }
        }
        taken.map(|(_, schedule)| schedule).ok_or_else(|| first.unwrap_or_default())
    }

    fn kernel(
        &self,
        direction: Direction,
        target: &'static Target,
    ) -> Result<Kernel, Vec<Diagnostic>> {
        let options = Options::new(direction, target).with(&self.settings.choices);
        let interleave = Some(Interleave::default());
        let options = Options { interleave, short: None, ..options };
        self.compiled.kernel(&self.program, options)
    }
}
