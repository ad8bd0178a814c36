//! The key schedules of a library: for each variant the slicing in which one key takes the least time.

use crate::choice;
use crate::library::Settings;
use nakiri::compile::{self, Kernel, Options};
use nakiri::core::{Direction, Program};
use nakiri::cost;
use nakiri::diagnostic::Diagnostic;
use nakiri::emit::keys;
use nakiri::isa::{self, Target};
use nakiri::pass::interleave::Interleave;
use std::sync::Mutex;

/// What making images of others counts for, beside schedules that need not.
const MADE: f64 = 100.0;

/// A program, what it was compiled for, and what came of it.
type Known = (Program, Options, Result<Kernel, Vec<Diagnostic>>);

/// What was compiled in this run for more than one use: key schedules, which the variants of a library and the kernels of a table
/// share, and pieces of modes, of which some differ in nothing but their names.
#[derive(Debug, Default)]
pub struct Compiled(Mutex<Vec<Known>>);

impl Compiled {
    fn kernel(&self, program: &Program, options: Options) -> Result<Kernel, Vec<Diagnostic>> {
        let is = |known: &&Known| known.1 == options && known.0 == *program;
        let known = || self.0.lock().expect("no thread panics");
        if let Some((.., kernel)) = known().iter().find(is) {
            return kernel.clone();
        }
        let kernel = compile::compile(program, &options, &mut |_, _| {});
        known().push((program.clone(), options, kernel.clone()));
        kernel
    }

    /// The kernel of a program, or of one that is the same but for its name and its place in the source.
    ///
    /// # Errors
    /// Why it can't be compiled so.
    pub fn alike(&self, program: &Program, options: Options) -> Result<Kernel, Vec<Diagnostic>> {
        let mut nameless = program.canonical();
        nameless.funcs[program.entry.index()].name.clear();
        match self.kernel(&nameless, options) {
            Ok(kernel) => Ok(kernel),
            // What is said has places.
            Err(_) => compile::compile(program, &options, &mut |_, _| {}),
        }
    }
}

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
