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

/// Registers of more bits are not on all CPUs as wide as they look.
const WIDE: u32 = 256;

/// A schedule, and what it costs for a kernel.
struct Priced {
    schedule: Kernel,
    /// Core cycles of a run alone.
    run: f64,
    /// Core cycles of what is made of the key and of the results, about.
    images: f64,
    /// Whether its results are the kernel's images.
    gives_images: bool,
}

impl Priced {
    fn never(schedule: Kernel) -> Priced {
        Priced { schedule, run: f64::MAX, images: 0.0, gives_images: false }
    }

    fn cycles(&self) -> f64 {
        self.run + self.images
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

    /// For each kernel of a variant that has images of its own, the schedule by which one key is expanded in the least time: that
    /// which is cheapest for it alone, or one for all, which runs once.
    ///
    /// # Errors
    /// Why there is none.
    pub fn cheapest(&self, kernels: &[&Kernel]) -> Result<Vec<Kernel>, Vec<Diagnostic>> {
        let own: Result<Vec<Priced>, _> = kernels.iter().map(|k| self.cheapest_of(k)).collect();
        let own = own?;
        let each: f64 = own.iter().map(Priced::cycles).sum();
        // What is made of the images of another kernel needs no schedule of its own.
        let for_all = own.iter().filter(|priced| kernels.len() > 1 && priced.gives_images);
        let for_all = for_all.filter_map(|priced| {
            let made =
                kernels.iter().map(|kernel| Some(self.priced(kernel, &priced.schedule)?.images));
            Some((priced.run + made.sum::<Option<f64>>()?, &priced.schedule))
        });
        match for_all.min_by(|(a, _), (b, _)| a.total_cmp(b)) {
            Some((cycles, schedule)) if cost::SURE * cycles < each => {
                Ok(vec![schedule.clone(); kernels.len()])
            }
            _ => Ok(own.into_iter().map(|priced| priced.schedule).collect()),
        }
    }

    /// Of the schedules in every slicing, for a kernel's target, for one of half its registers and for one that every CPU has, the
    /// cheapest for it.
    fn cheapest_of(&self, kernel: &Kernel) -> Result<Priced, Vec<Diagnostic>> {
        // One key needs no lanes, and halves of wide registers may take turns.
        let narrower = kernel.target.narrower().filter(|_| kernel.target.bits > WIDE);
        let mut targets: Vec<&Target> = narrower.into_iter().chain([kernel.target]).collect();
        targets.push(isa::everywhere());
        targets.dedup_by_key(|target| target.name);
        let mut taken: Option<Priced> = None;
        let mut first = None;
        for direction in DIRECTIONS {
            // Gates of everything are many: they are for want of anything else, unless the kernel is made of them too.
            if direction == Direction::B && kernel.direction != direction && taken.is_some() {
                continue;
            }
            for target in &targets {
                match self.kernel(direction, target) {
                    Ok(schedule) => {
                        let priced = self
                            .priced(kernel, &schedule)
                            .unwrap_or_else(|| Priced::never(schedule));
                        let is_cheaper =
                            |taken: &Priced| cost::SURE * priced.cycles() < taken.cycles();
                        if taken.as_ref().is_none_or(is_cheaper) {
                            taken = Some(priced);
                        }
                    }
                    Err(why) => first = first.or(Some(why)),
                }
            }
        }
        taken.ok_or_else(|| first.unwrap_or_default())
    }

    /// What a schedule costs that makes the images of a kernel, if it can.
    fn priced(&self, kernel: &Kernel, schedule: &Kernel) -> Option<Priced> {
        // Not this CPU's: the command in a file's head makes the same file anywhere.
        let machine = choice::machine(None, kernel.target, false).ok()?;
        let part = keys::scheduled(kernel, schedule).ok()?;
        let run = cost::estimate_once(schedule, &machine).ok()?.cycles;
        let images = part.operations() as f64 / machine.width;
        let gives_images = part.schedule.is_some_and(|schedule| schedule.of_results.is_empty());
        Some(Priced { schedule: schedule.clone(), run, images, gives_images })
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
