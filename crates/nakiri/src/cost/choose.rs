//! Makes the choices that were left open: compiles each candidate up to its order and takes the cheapest.
//!
//! Candidates are tried from the simplest on. One that is not clearly cheaper than those before it is not taken, since
//! the model is not that exact, and factors of interleaving end with the first that doesn't pay.

use super::{estimate, Estimate, Limit, Machine};
use crate::compile::{self, Kernel, Options, Unordered};
use crate::core::{Program, Stmt};
use crate::diagnostic::Diagnostic;
use crate::pass::inline::Inline;
use crate::pass::interleave::Interleave;
use crate::pass::roll::Unroll;
use crate::pass::schedule::Schedule;

/// Options that were priced.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Every choice made.
    pub options: Options,
    /// What the kernel costs.
    pub estimate: Estimate,
    /// Bytes that one execution of it processes.
    pub bytes: f64,
}

impl Candidate {
    /// Core cycles per byte.
    pub fn cost(&self) -> f64 {
        self.estimate.cycles / self.bytes
    }
}

/// The choices for a program.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The options, with every choice made.
    pub options: Options,
    /// What was priced, in the order in which it was tried.
    pub candidates: Vec<Candidate>,
}

impl Decision {
    /// The candidate that was taken.
    pub fn taken(&self) -> Option<&Candidate> {
        self.candidates.iter().find(|candidate| candidate.options == self.options)
    }
}

/// By how much a candidate must be cheaper than a simpler one.
const GAIN: f64 = 0.97;

/// Code of more instructions is not written out further: its price is that of an op cache that can't hold it.
const LARGE: u64 = 12_000;

/// The most batches that are tried: buffers grow with them.
const MOST: u32 = 8;

/// Chooses what the options leave open for a program on a machine. If the machine lacks what the target needs, nothing
/// has a price, and the choices are those that need no thought.
///
/// # Errors
/// Those of [`compile::specialize`].
pub fn choose(
    program: &Program,
    options: &Options,
    machine: &Machine,
) -> Result<Decision, Vec<Diagnostic>> {
    let mut search = Search { machine, candidates: Vec::new(), best: None };
    let mut seen: Vec<Program> = Vec::new();
    for inline in open(options.inline, &[Inline::All, Inline::Small]) {
        for unroll in open(options.unroll, unrollings(program)) {
            let tried = search.candidates.iter().filter(|c| c.options.inline == Some(inline));
            let large = tried.map(|c| c.estimate.instructions).max() > Some(LARGE);
            if options.unroll.is_none() && unroll == Unroll::Always && large {
                continue;
            }
            let options = Options { inline: Some(inline), unroll: Some(unroll), ..*options };
            let unordered = compile::unordered(program, &options, &mut |_, _| {})?;
            if !seen.contains(&unordered.program) {
                search.orders(&unordered, &options);
                seen.push(unordered.program);
            }
        }
    }
    let taken = search.best.map(|best| search.candidates[best].options);
    let plain = || Options {
        inline: options.inline.or(Some(Inline::default())),
        unroll: options.unroll.or(Some(Unroll::default())),
        interleave: options.interleave.or(Some(Interleave::default())),
        schedule: options.schedule.or(Some(Schedule::default())),
        ..*options
    };
    Ok(Decision { options: taken.unwrap_or_else(plain), candidates: search.candidates })
}

/// What was chosen, or all that could be.
fn open<T: Copy>(chosen: Option<T>, all: &[T]) -> Vec<T> {
    chosen.map_or_else(|| all.to_vec(), |chosen| vec![chosen])
}

/// The ways to treat foralls that leave what the source says about them as it is.
fn unrollings(program: &Program) -> &'static [Unroll] {
    fn kept(stmts: &[Stmt]) -> bool {
        stmts.iter().any(|stmt| match stmt {
            Stmt::Forall(forall) => {
                forall.unroll == Some(false) || forall.iterations.iter().any(|i| kept(i))
            }
            _ => false,
        })
    }
    match program.funcs.iter().any(|func| kept(&func.body)) {
        true => &[Unroll::Auto, Unroll::Never],
        false => &[Unroll::Auto, Unroll::Never, Unroll::Always],
    }
}

struct Search<'a> {
    machine: &'a Machine,
    candidates: Vec<Candidate>,
    best: Option<usize>,
}

impl Search<'_> {
    /// Tries factors of interleaving, with each order.
    fn orders(&mut self, unordered: &Unordered, options: &Options) {
        let asked = options.interleave.or(unordered.program.entry().interleave.map(Interleave::of));
        if let Some(interleave) = asked {
            self.schedules(unordered, interleave, options);
            return;
        }
        let mut last = f64::INFINITY;
        for factor in 1..=MOST {
            let Some(candidate) = self.schedules(unordered, Interleave::of(factor), options) else {
                return;
            };
            // Only latencies can be filled, and loads of what the batches share be saved.
            let full = !matches!(candidate.estimate.binds(), Limit::Latency | Limit::Loads);
            let cost = candidate.cost();
            if full || cost >= last * GAIN.sqrt() {
                return;
            }
            last = cost;
        }
    }

    /// Tries each order; gives the cheapest.
    fn schedules(
        &mut self,
        unordered: &Unordered,
        interleave: Interleave,
        options: &Options,
    ) -> Option<Candidate> {
        let all = [Schedule::Source, Schedule::Pressure, Schedule::Latency];
        let tried = open(options.schedule, &all).into_iter().filter_map(|schedule| {
            let options =
                Options { interleave: Some(interleave), schedule: Some(schedule), ..*options };
            let kernel = unordered.clone().ordered(interleave, &options, &mut |_, _| {});
            self.price(&kernel, options)
        });
        tried.min_by(|a, b| a.cost().total_cmp(&b.cost()))
    }

    /// Prices a kernel, and takes it if it is clearly cheaper than what was tried before.
    fn price(&mut self, kernel: &Kernel, options: Options) -> Option<Candidate> {
        let estimate = estimate(&kernel.program, kernel.target, self.machine).ok()?;
        let candidate = Candidate { options, estimate, bytes: kernel.bytes() };
        let cheaper = |best: usize| candidate.cost() < GAIN * self.candidates[best].cost();
        if self.best.is_none_or(cheaper) {
            self.best = Some(self.candidates.len());
        }
        self.candidates.push(candidate.clone());
        Some(candidate)
    }
}
