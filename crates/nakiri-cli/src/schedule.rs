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

/// What making images of others counts for, beside schedules that need not.
const MADE: f64 = 100.0;

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

    /// Of the kernels in its own slicing, for its target and for one that every CPU has, the one with the lowest price; if
    /// there is none, the same in words, and then in bits, of whose images the kernel's are made.
    ///
    /// # Errors
    /// Why there is none.
    pub fn cheapest(&self, kernel: &Kernel) -> Result<Kernel, Vec<Diagnostic>> {
        let everywhere = isa::everywhere();
        let own = [(kernel.direction, kernel.target), (kernel.direction, everywhere)];
        let others = [
            (Direction::V, kernel.target),
            (Direction::V, everywhere),
            (Direction::B, everywhere),
            (Direction::H, everywhere),
        ];
        let machine = choice::machine(None, kernel.target, false).ok();
        let mut taken: Option<(f64, Kernel)> = None;
        let mut first = None;
        for (direction, target) in own.into_iter().chain(others) {
            let own = direction == kernel.direction;
            let vertical = taken.as_ref().is_none_or(|(_, taken)| taken.direction == Direction::V);
            // Other slicings are for want of the kernel's own, and slower ones for want of words.
            if taken.is_some() && !own && !(direction == Direction::V && vertical) {
                continue;
            }
            let schedule = match self.kernel(direction, target) {
                Ok(schedule) => schedule,
                Err(why) => {
                    first = Some(why);
                    continue;
                }
            };
            let made = match keys::same_images(&schedule, kernel) {
                true => 0.0,
                false if own && direction != Direction::V => continue,
                false => MADE,
            };
            let priced = machine.as_ref().and_then(|m| cost::estimate_kernel(&schedule, m).ok());
            let price = priced.map_or(f64::MAX, |estimate| estimate.cycles) + made;
            if taken.as_ref().is_none_or(|(least, _)| price < *least) {
                taken = Some((price, schedule));
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
