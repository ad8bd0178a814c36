//! The process that times: it is given compiled libraries and says what their parts cost. A crash of what is timed ends
//! it alone.

use super::probed::Probed;
use super::processes::Asked;
use crate::against::timing::{self, Other, Timed};
use crate::against::Unavailable;
use crate::measure::counters::{self, Counted};
use crate::measure::{addresses, clock, interleaved, pin, Plan, Statistics, Workload};
use serde::{Deserialize, Serialize};
use std::io::{Error, Write};
use std::path::PathBuf;

/// What is to be timed side by side.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Task {
    /// The libraries.
    pub subjects: Vec<Subject>,
    /// The lengths of the messages, in bytes.
    pub sizes: Vec<usize>,
    /// Samples of each figure.
    pub samples: u32,
    /// Whether kernel, transposition and latency are timed too.
    pub parts: bool,
    /// Pairs of subjects of which it is asked from how many blocks on the first is faster.
    pub pairs: Vec<(usize, usize)>,
    /// Other libraries that are timed beside the subjects, which then are all of one instance.
    pub against: Option<timing::Task>,
}

/// A compiled library: one instance of a cipher in one configuration.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Subject {
    /// The shared object, made from `nakiri::emit::c::probed`.
    pub shared: PathBuf,
    /// The key.
    pub key: Vec<u8>,
    /// The first counter block, if it has a counter mode.
    pub counter: Vec<u8>,
}

/// What was found out.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// Core cycles for each time-stamp cycle.
    pub core_per_tick: f64,
    /// What limits the figures.
    pub warnings: Vec<String>,
    /// For each subject its costs, or why it was not timed.
    pub subjects: Vec<Result<Measured, String>>,
    /// For each pair the number of blocks from which on the first is faster, if there is one.
    pub break_even: Vec<Option<u32>>,
    /// For each other library its costs, or why it was not timed; nothing if no subject was.
    pub others: Vec<Result<Timed, Unavailable>>,
}

/// What the parts of a library cost, in core cycles.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// Blocks of one run of the kernel.
    pub blocks: usize,
    /// Bytes of a block: of its parameters, or of its results if these are more.
    pub block_bytes: usize,
    /// The mode of the messages: see [`crate::against::Mode`].
    pub mode: String,
    /// One run of the kernel.
    pub kernel: Statistics,
    /// One batch into registers and one back to memory.
    pub transposition: Statistics,
    /// One batch from memory to memory, alone.
    pub latency: Statistics,
    /// From a key to what the library keeps of it, if there is one.
    pub key: Option<Statistics>,
    /// A message of each length.
    pub messages: Vec<Statistics>,
    /// One run of the kernel by the CPU's own counters, where there are any.
    pub counted: Option<Counted>,
}

impl Task {
    /// Does the task in this process.
    ///
    /// # Safety
    /// Every subject's file must be one made from `nakiri::emit::c::probed` for a target that this CPU runs.
    pub unsafe fn run(&self) -> Answer {
        let warnings = pin::pin().err().into_iter().chain(addresses::warning()).collect();
        let longest = self.sizes.iter().copied().max().unwrap_or(0);
        let mut loaded: Vec<Result<Probed, String>> = vec![];
        for subject in &self.subjects {
            // SAFETY: the caller's promise.
            let probed =
                unsafe { Probed::load(&subject.shared, &subject.key, &subject.counter, longest) };
            loaded.push(probed.and_then(|mut probed| probed.check().map(|()| probed)));
        }
        let mut good: Vec<&mut Probed> = loaded.iter_mut().flatten().collect();
        let mut others = self.others(&mut good);
        let mut competing: Vec<&mut Other> = others.iter_mut().flatten().collect();
        let (measured, costs) = self.measure(&mut good, &mut competing);
        let (mut measured, mut costs) = (measured.into_iter(), costs.into_iter());
        let others = others
            .into_iter()
            .map(|other| other.map(|other| other.timed(costs.next().unwrap_or_default())))
            .collect();
        let break_even =
            self.pairs.iter().map(|pair| self.break_even(&mut loaded, *pair)).collect();
        let subjects = loaded
            .into_iter()
            .map(|probed| probed.map(|_| measured.next().expect("one for each that was loaded")))
            .collect();
        Answer { core_per_tick: clock::core_per_tick(), warnings, subjects, break_even, others }
    }

    /// The other libraries, compared with the first subject.
    fn others(&self, good: &mut [&mut Probed]) -> Vec<Result<Other, Unavailable>> {
        let (Some(against), Some(ours), Some(subject)) =
            (&self.against, good.first_mut(), self.subjects.first())
        else {
            return Vec::new();
        };
        against.prepare(ours, &subject.key, &subject.counter, &self.sizes)
    }

    fn plan(&self) -> Plan {
        Plan { samples: self.samples, again: 2, places: 8, tries: 2, warm_up: 1, ..Plan::default() }
    }

    /// The costs of libraries, each part of all in turn, and those of messages of each of the others.
    fn measure(
        &self,
        probed: &mut [&mut Probed],
        others: &mut [&mut Other],
    ) -> (Vec<Measured>, Vec<Vec<Statistics>>) {
        const TIMES: usize = 16;
        let plan = self.plan();
        let none = vec![Statistics::default(); probed.len()];
        let (mut kernel, mut transposition, mut latency) = (none.clone(), none.clone(), none);
        let mut key = vec![None; probed.len()];
        let mut counted = vec![None; probed.len()];
        if self.parts {
            let per = |all: Vec<Statistics>| all.into_iter().map(|s| s.per(TIMES as f64)).collect();
            kernel = per(in_turn(probed, &plan, |probed| probed.kernel(TIMES)));
            transposition = per(in_turn(probed, &plan, |probed| probed.transposition(TIMES)));
            latency = in_turn(probed, &plan, |probed| {
                clock::fence();
                probed.blocks(probed.sizes.blocks);
                clock::fence();
            });
            let set_up = in_turn(probed, &plan, |probed| {
                clock::fence();
                probed.set_key();
                clock::fence();
            });
            for (k, cost) in set_up.into_iter().enumerate() {
                key[k] = (probed[k].sizes.key > 0).then_some(cost);
            }
            for (probed, counted) in probed.iter_mut().zip(&mut counted) {
                *counted = counters::counted(self.samples, &mut || probed.kernel(1));
            }
        }
        let messages: Vec<Vec<Statistics>> =
            self.sizes.iter().map(|size| messages_in_turn(probed, others, *size, &plan)).collect();
        let messages_of = |k: usize| messages.iter().map(|costs| costs[k]).collect();
        let of = |(k, probed): (usize, &&mut Probed)| Measured {
            blocks: probed.sizes.blocks,
            block_bytes: probed.block_bytes(),
            mode: probed.mode().name().to_string(),
            kernel: kernel[k],
            transposition: transposition[k],
            latency: latency[k],
            key: key[k],
            messages: messages_of(k),
            counted: counted[k],
        };
        let others = (0..others.len()).map(|k| messages_of(probed.len() + k)).collect();
        (probed.iter().enumerate().map(of).collect(), others)
    }

    /// The smallest number of blocks from which on the first of two is faster, as far as two of its batches.
    fn break_even(
        &self,
        loaded: &mut [Result<Probed, String>],
        (wide, narrow): (usize, usize),
    ) -> Option<u32> {
        let [Ok(wide), Ok(narrow)] = loaded.get_disjoint_mut([wide, narrow]).ok()? else {
            return None;
        };
        let (most, block) = (wide.sizes.blocks * 2, wide.block_bytes());
        let plan =
            Plan { samples: self.samples.min(15), again: 0, sample_cycles: 5_000.0, ..self.plan() };
        let mut pair = [wide, narrow];
        pair.iter_mut().for_each(|probed| probed.reserve(most * block));
        from_which_on(most, &mut |blocks| {
            let costs = in_turn(&mut pair, &plan, |probed| probed.message(blocks * block));
            costs[0].median < costs[1].median
        })
    }
}

/// The smallest number from which on all are good as far as `most`, found by looking at few of them: downwards by a
/// quarter, and by halves between the first bad one and the last good one.
fn from_which_on(most: usize, good: &mut dyn FnMut(usize) -> bool) -> Option<u32> {
    let (mut last_good, mut bad) = (None, 0);
    let mut number = most;
    while number > 0 {
        if !good(number) {
            bad = number;
            break;
        }
        last_good = Some(number);
        number -= number.div_ceil(4);
    }
    let mut last_good = last_good?;
    while last_good - bad > 1 {
        let middle = (bad + last_good) / 2;
        match good(middle) {
            true => last_good = middle,
            false => bad = middle,
        }
    }
    Some(last_good as u32)
}

/// Work of a library.
struct Part<'a, W> {
    probed: &'a mut Probed,
    work: W,
}

impl<W: Fn(&mut Probed)> Workload for Part<'_, W> {
    fn move_to(&mut self, place: usize) {
        self.probed.move_to(place);
    }

    fn run(&mut self) {
        (self.work)(self.probed);
    }
}

/// Core cycles of the same work of each library.
fn in_turn(probed: &mut [&mut Probed], plan: &Plan, work: impl Fn(&mut Probed)) -> Vec<Statistics> {
    let mut runs: Vec<_> = probed.iter_mut().map(|probed| Part { probed, work: &work }).collect();
    let mut runs: Vec<&mut dyn Workload> = runs.iter_mut().map(|run| run as _).collect();
    interleaved(&mut runs, plan)
}

/// Core cycles of a message of each library and of each of the others.
fn messages_in_turn(
    probed: &mut [&mut Probed],
    others: &mut [&mut Other],
    bytes: usize,
    plan: &Plan,
) -> Vec<Statistics> {
    let work = |probed: &mut Probed| probed.message(bytes);
    let mut ours: Vec<_> = probed.iter_mut().map(|probed| Part { probed, work }).collect();
    let mut theirs: Vec<_> = others.iter_mut().map(|other| || other.message(bytes)).collect();
    let ours = ours.iter_mut().map(|run| run as &mut dyn Workload);
    let theirs = theirs.iter_mut().map(|run| run as &mut dyn Workload);
    interleaved(&mut ours.chain(theirs).collect::<Vec<_>>(), plan)
}

/// Reads what is asked from standard input and writes the answer to standard output: the process that times.
///
/// # Errors
/// What is wrong with what is asked.
///
/// # Safety
/// That of [`Task::run`] and [`super::messages::Task::run`], for the task that is read.
pub unsafe fn serve() -> Result<(), String> {
    /// Bytes of the stack: many times what emitted code needs.
    const STACK: usize = 32 << 20;
    let panicked = |_| Error::other("the thread that times panicked");
    let asked: Asked =
        serde_json::from_reader(std::io::stdin().lock()).map_err(|error| error.to_string())?;
    // A thread's stack begins at a page; that of the process begins after its environment, wherever that ends.
    let run = || {
        // SAFETY: the caller's promise.
        unsafe {
            match &asked {
                Asked::Parts(task) => serde_json::to_vec(&task.run()),
                Asked::Messages(task) => serde_json::to_vec(&task.run()),
            }
        }
    };
    let thread = std::thread::Builder::new().stack_size(STACK);
    let answer =
        std::thread::scope(|scope| thread.spawn_scoped(scope, run)?.join().map_err(panicked));
    let answer = answer.map_err(|error: Error| error.to_string())?;
    let answer = answer.map_err(|error| error.to_string())?;
    std::io::stdout().lock().write_all(&answer).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::from_which_on;

    #[test]
    fn the_smallest_good_number_is_found() {
        for first in 1..=100 {
            assert_eq!(from_which_on(100, &mut |n| n >= first), Some(first as u32));
        }
        assert_eq!(from_which_on(100, &mut |_| false), None);
    }
}
