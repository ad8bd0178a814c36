//! Makes the choices that were left open: compiles each candidate up to its order and takes the cheapest.
//!
//! Candidates are tried from the simplest on; factors of interleaving end with the first that doesn't pay. Each is weighed by how
//! far the model can be trusted with it ([`Candidate::weighed`]).

use super::slicing::{Sliced, MESSAGE};
use super::{estimate_kernel, Estimate, Lengths, Machine};
use crate::compile::{Kernel, Mapped, Options, Specialized};
use crate::core::{Direction, Program, Stmt};
use crate::diagnostic::Diagnostic;
use crate::pass::inline::Inline;
use crate::pass::interleave::Interleave;
use crate::pass::roll::Unroll;
use crate::pass::schedule::Schedule;
use crate::registers::Spill;
use std::cmp::Ordering;

/// Options that were priced.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Every choice made.
    pub options: Options,
    /// What the kernel costs.
    pub estimate: Estimate,
    /// Bytes that one execution of it processes.
    pub bytes: f64,
    /// What is known of ports that idle.
    pub idling: Option<Idling>,
}

/// What ports idle of a machine of which that is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Idling {
    /// The machine's [`idle`](Machine::idle).
    part: f64,
    /// Core cycles per byte of one batch alone, where there are several side by side.
    alone: Option<f64>,
}

impl Candidate {
    /// Core cycles per byte.
    pub fn cost(&self) -> f64 {
        self.estimate.cycles / self.bytes
    }

    /// The same with what stands around each turn: nearly as much as kernels on rows take themselves.
    fn turn(&self) -> f64 {
        let around = if self.options.direction == Direction::P { TURN } else { 0.0 };
        (self.estimate.cycles + around) / self.bytes
    }

    /// The same, but no less than what ports need that idle although there is enough to do: they take instructions as they come,
    /// not so that the chains of all batches end at once. The less so the more work is at hand: twice the batches leave a quarter.
    fn uneven(&self) -> f64 {
        let known = self.idling.filter(|_| waits(&self.options));
        let Some((part, alone)) = known.and_then(|known| Some((known.part, known.alone?))) else {
            return self.turn();
        };
        let batches = f64::from(self.options.interleave.map_or(1, |interleave| interleave.factor));
        let busy = busy(&self.estimate) / self.bytes;
        let at_hand = (batches * busy / alone).max(1.0);
        self.turn().max(busy * (1.0 + part / at_hand.powi(2)))
    }

    /// The cost by which candidates are compared: some choices count for more, by as much as the model was seen to overrate them
    /// against measured kernels (vertical ones of ten ciphers with one to four batches in each order, on SSSE3, AVX2, AVX-512 and
    /// general-purpose registers of a Zen 5; loops of words on a Zen 4 too). C compilers order statements anew, and spread what
    /// comes as in the source, and, where registers are few, what is written out; calls cost more than their instructions; loops
    /// in code beyond the op cache push one another out of it; nothing fills the waiting of one batch of words, of which there is less
    /// where general-purpose registers keep the core busy (seen on a Zen 4); compilers spill
    /// more than they have to, which is waited for unless another batch is at hand; what the text spills they neither move nor
    /// make vectors of, and what calls leave in arrays is taken for nothing else in any case; more batches need more pointers
    /// around the kernel; and batches that lag behind one another need registers of their own, if they are not to wait for memory.
    pub fn weighed(&self) -> f64 {
        let batches = self.options.interleave.map_or(1, |interleave| interleave.factor);
        let waits = waits(&self.options);
        let bits = self.options.direction == Direction::B;
        let target = self.options.target;
        let few = self.options.direction == Direction::V && target.simd && target.registers <= FEW;
        let Estimate { spills, reloads, instructions, code, decoded, .. } = self.estimate;
        let spilling = (spills + reloads) as f64 / instructions.max(1) as f64;
        let calls = self.options.inline != Some(Inline::All);
        let lags = self.options.interleave.is_some_and(|interleave| interleave.lag > 0);
        let full = self.idling.is_some() && !target.simd && is_full(&self.estimate, FULL);
        let explicit = matches!(self.options.spill, Some(Spill::Explicit | Spill::Always));
        let handicaps = [
            (self.options.schedule == Some(Schedule::Source), 1.03),
            (calls, 1.1),
            (!few && self.options.unroll != Some(Unroll::Auto), 1.08),
            (few, 1.0 + LONGER * (code as f64 / 256.0).max(1.0).log2()),
            (decoded, 1.2),
            (explicit, 1.1),
            (explicit && calls, 1.2),
            (waits && batches == 1, if full { 1.05 } else { 1.1 }),
            (bits && batches > 1, 1.1),
            (!waits || batches == 1, 1.0 + 0.4 * spilling),
            (batches > 1 && spilling > 0.02, 1.05),
            (batches > 2, 1.03),
            (batches > 4 && spilling > 0.02, 1.1),
            (lags, LAGGING),
            (lags && spilling > 0.0, 1.08),
        ];
        let counted = handicaps.into_iter().filter(|(counts, _)| *counts);
        counted.fold(self.uneven(), |cost, (_, handicap)| cost * handicap)
    }
}

/// Whether one batch leaves a core waiting: bitsliced code has other gates at hand, and a core may start one instruction at a time.
fn waits(options: &Options) -> bool {
    options.direction != Direction::B && options.target.issue > 1
}

/// The choices for a program.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The options, with every choice made.
    pub options: Options,
    /// What was priced, in the order in which it was tried.
    pub candidates: Vec<Candidate>,
    /// What was weighed for the slicing, in the order of preference; nothing if there was no choice.
    pub slicings: Vec<Sliced>,
    /// The machine's name.
    pub machine: String,
    /// What takes short messages, once [`super::short()`] was asked.
    pub lengths: Option<Lengths>,
}

impl Decision {
    /// The candidate that was taken.
    pub fn taken(&self) -> Option<&Candidate> {
        self.candidates.iter().find(|candidate| candidate.options == self.options)
    }
}

/// Cycles by the most that anything but latency allows, from which on more batches can't save anything.
const FULL: f64 = 1.05;

/// Code of more instructions is not written out further, neither by longer turns nor by more batches: its price is that of an
/// op cache that can't hold it.
const LARGE: u64 = 12_000;

/// Vectors that are few: C compilers spill where rounds of words are written out.
const FEW: u32 = 16;

/// What twice the code counts for, if words are in one of few vectors: loops of rounds were as fast as rounds written out with clang, and
/// 1.08 times as fast with gcc, at a fifth of the code.
const LONGER: f64 = 0.02;

/// About the core cycles of counters, sums and the loop around a turn on rows: AES-128 in counter mode took 7 to 17 more than its
/// kernel, with four and eight batches of 128 and 256 bits (Zen 3, gcc 12, clang 19).
const TURN: f64 = 12.0;

/// What batches that lag behind one another count for, so that a kernel which is closer to its ports gains nothing by it.
const LAGGING: f64 = 1.03;

/// The lags that are tried, in statements of a batch: rounds have tens of them.
const LAGS: [u32; 4] = [8, 16, 32, 64];

/// The most batches that are tried.
const MOST: u32 = 8;

/// Chooses what the options leave open for a program on a machine. If the machine lacks what the target needs, nothing
/// has a price, and the choices are those that need no thought.
///
/// # Errors
/// Those of [`Specialized::new`].
pub fn choose(
    program: &Program,
    asked: &Options,
    machine: &Machine,
) -> Result<Decision, Vec<Diagnostic>> {
    let specialized = Specialized::new(program, asked)?;
    let mut search =
        Search { machine, specialized: &specialized, candidates: Vec::new(), alone: None };
    let mut seen: Vec<Program> = Vec::new();
    for inline in open(asked.inline, &[Inline::All, Inline::Small]) {
        for unroll in open(asked.unroll, unrollings(program)) {
            // Each turn is longer than the one before.
            let tried = search.candidates.iter().rfind(|c| c.options.inline == Some(inline));
            let large = tried.is_some_and(|c| c.estimate.code > LARGE);
            let longer = !matches!(unroll, Unroll::Auto | Unroll::Never);
            if asked.unroll.is_none() && longer && large {
                continue;
            }
            let options = Options { inline: Some(inline), unroll: Some(unroll), ..*asked };
            let mapped = specialized.mapped(&options, &mut |_, _| {});
            // Where no call remains nothing differs but names.
            let inlined = options.inline == Some(Inline::Small)
                && asked.inline.is_none()
                && mapped.program().funcs.len() == 1;
            if !inlined && !seen.contains(mapped.program()) {
                search.orders(&mapped, &options);
                seen.push(mapped.into_program());
            }
        }
    }
    if asked.interleave.is_none() {
        search.lags();
    }
    let taken = search.best().map(|candidate| candidate.options);
    let plain = || Options {
        inline: asked.inline.or(Some(Inline::default())),
        unroll: asked.unroll.or(Some(Unroll::default())),
        interleave: asked.interleave.or(Some(Interleave::default())),
        schedule: asked.schedule.or(Some(Schedule::default())),
        spill: asked.spill.or(plain_spill(asked)),
        ..*asked
    };
    Ok(Decision {
        options: taken.unwrap_or_else(plain),
        candidates: search.candidates,
        slicings: Vec::new(),
        machine: machine.name.clone(),
        lengths: None,
    })
}

/// What who spills is without thought, where it matters.
fn plain_spill(options: &Options) -> Option<Spill> {
    Spill::matters(options.direction, options.target).then_some(Spill::default())
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
        true => &[Unroll::Auto, Unroll::Never, Unroll::Twice, Unroll::FourTimes],
        false => &[Unroll::Auto, Unroll::Never, Unroll::Twice, Unroll::FourTimes, Unroll::Always],
    }
}

/// Whether the cycles are less than so many times the most that anything but latency allows.
fn is_full(estimate: &Estimate, times: f64) -> bool {
    estimate.cycles < times * busy(estimate)
}

/// The most that anything but latency allows.
fn busy(estimate: &Estimate) -> f64 {
    let Estimate { ports, loads, stores, front_end, .. } = *estimate;
    ports.max(loads).max(stores).max(front_end)
}

struct Search<'a> {
    machine: &'a Machine,
    specialized: &'a Specialized,
    candidates: Vec<Candidate>,
    /// What one batch costs of what is mapped now, per byte.
    alone: Option<f64>,
}

impl Search<'_> {
    /// The cheapest; of equal ones that which idles more, and of these the first, which is the simplest.
    fn best(&self) -> Option<&Candidate> {
        let costs = |candidate: &Candidate| (candidate.weighed(), candidate.cost());
        let mut taken: Option<&Candidate> = None;
        for candidate in &self.candidates {
            if taken.is_none_or(|best| costs(candidate) < costs(best)) {
                taken = Some(candidate);
            }
        }
        taken
    }

    /// Tries what it saves if the batches of the cheapest lag behind one another.
    fn lags(&mut self) {
        let Some(&Candidate { options, ref estimate, .. }) = self.best() else { return };
        let interleave = options.interleave.unwrap_or_default();
        if interleave.factor == 1 || is_full(estimate, LAGGING) {
            return;
        }
        let mapped = self.specialized.mapped(&options, &mut |_, _| {});
        for lag in LAGS {
            let lagging = self.specialized.mapped_again(&mapped, Interleave { lag, ..interleave });
            self.schedules(&lagging, &options);
        }
    }

    /// Tries factors of interleaving, with each order. What was mapped is for those that are asked for, or for one batch.
    fn orders(&mut self, mapped: &Mapped, options: &Options) {
        let asked = options.interleave.or(mapped.program().entry().interleave.map(Interleave::of));
        self.alone = None;
        if asked.is_some() {
            self.schedules(mapped, options);
            return;
        }
        let mut last = f64::INFINITY;
        for factor in 1..=MOST {
            let mapped = self.specialized.mapped_again(mapped, Interleave::of(factor));
            let tried = self.schedules(&mapped, options);
            let costs = |candidate: &&Candidate| [candidate.uneven(), candidate.cost()];
            let cheapest = tried
                .iter()
                .min_by(|a, b| costs(a).partial_cmp(&costs(b)).unwrap_or(Ordering::Equal));
            let Some(best) = cheapest else { return };
            let (full, code) = (is_full(&best.estimate, FULL), best.estimate.code);
            let one = best.bytes / f64::from(factor);
            let long = one * f64::from(factor + 1) > MESSAGE;
            let cost = best.uneven();
            // The model lets one batch wait too little, and no more can be saved than what idles and what stands around a turn.
            let full = full && (factor > 1 || !waits(options)) && cost < FULL * best.cost();
            if full || long || code > LARGE || cost >= last {
                return;
            }
            last = cost;
            self.alone = self.alone.or(Some(cost));
        }
    }

    /// Tries each order.
    fn schedules(&mut self, mapped: &Mapped, options: &Options) -> &[Candidate] {
        let all = [Schedule::Source, Schedule::Pressure, Schedule::Latency];
        let before = self.candidates.len();
        for schedule in open(options.schedule, &all) {
            let interleave = Some(mapped.interleave());
            let options = Options { interleave, schedule: Some(schedule), ..*options };
            self.spills(mapped.ordered(&options, &mut |_, _| {}), &options);
        }
        &self.candidates[before..]
    }

    /// Tries who spills: the text, if the machine may take what a compiler spills for something else. What the machine can't run
    /// has no price.
    fn spills(&mut self, kernel: Kernel, options: &Options) {
        let asked = options.spill.or(plain_spill(options));
        let (kernel, mistaken) = self.priced(kernel, asked, options);
        if mistaken > 0.0 && options.spill.is_none() {
            self.priced(kernel, Some(Spill::Explicit), options);
        }
    }

    /// Prices a kernel with who spills; the cycles of what the machine may take for something else.
    fn priced(&mut self, kernel: Kernel, spill: Option<Spill>, options: &Options) -> (Kernel, f64) {
        let kernel = kernel.with_spill(spill.unwrap_or_default());
        let Ok(estimate) = estimate_kernel(&kernel, self.machine) else { return (kernel, 0.0) };
        let (options, mistaken) = (Options { spill, ..*options }, estimate.mistaken);
        let idling = self.machine.idle.map(|part| Idling { part, alone: self.alone });
        self.candidates.push(Candidate { options, estimate, bytes: kernel.bytes(), idling });
        (kernel, mistaken)
    }
}
