//! What the functions of a library on messages cost: one message and several at once, of some lengths, beside other libraries.

use super::functions::{Called, Functions};
use super::processes::{Answers, Asked, Figures, Worker};
use crate::against::messages::{Peer, Peers, Task as Against, Timed};
use crate::measure::{addresses, clock, interleaved, pin, Plan, Statistics, Workload};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What is to be timed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Task {
    /// The shared object, made from `nakiri::emit::c::timed`.
    pub shared: PathBuf,
    /// How the names of the functions begin that are timed; all if there is none.
    pub functions: Vec<String>,
    /// The lengths of the messages, in bytes.
    pub sizes: Vec<usize>,
    /// How many messages are processed at once; 1 is a message alone.
    pub messages: Vec<usize>,
    /// Whether each variant is timed by itself, too.
    pub variants: bool,
    /// Samples of each figure.
    pub samples: u32,
    /// Other libraries that are timed beside messages alone.
    pub against: Option<Against>,
}

/// What was found out.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// Core cycles for each time-stamp cycle.
    pub core_per_tick: f64,
    /// What limits the figures.
    pub warnings: Vec<String>,
    /// Each function with messages of each length.
    pub rows: Vec<Measured>,
}

/// A function and messages of one length.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// Its name.
    pub function: String,
    /// The variant; empty for that which is taken when it is called.
    pub variant: String,
    /// Bytes of a message.
    pub bytes: usize,
    /// Core cycles of some messages at once, their number first.
    pub costs: Vec<(usize, Statistics)>,
    /// For each other library the core cycles of a message alone, or why there are none.
    pub others: Vec<Timed>,
}

/// The most core cycles that the samples of a figure take, roughly: what runs long is sampled in fewer places, and less often.
const PATIENCE: f64 = 4e9;

impl Task {
    /// Does the task in this process.
    ///
    /// # Errors
    /// If the library can't be loaded, or computes other than its vectors say.
    ///
    /// # Safety
    /// The file must be one made from `nakiri::emit::c::timed`.
    pub unsafe fn run(&self) -> Result<Answer, String> {
        let warnings = pin::pin().err().into_iter().chain(addresses::warning()).collect();
        // SAFETY: the caller's promise.
        let functions = unsafe { Functions::load(&self.shared) }?;
        // They are timed on a message alone, beside ours.
        let against = self.against.as_ref().filter(|_| self.messages.contains(&1));
        let mut peers = against.map(Against::peers);
        let wanted = |name: &&String| {
            let begins = |beginning: &String| name.starts_with(beginning);
            self.functions.is_empty() || self.functions.iter().any(begins)
        };
        let mut rows = Vec::new();
        for name in functions.names().iter().filter(wanted) {
            for bytes in &self.sizes {
                rows.extend(self.measured(&functions, name, *bytes, peers.as_mut()));
            }
            let variants = if self.variants { functions.variants(name) } else { Vec::new() };
            for variant in variants {
                functions.use_variant(name, Some(&variant));
                let own = self.sizes.iter();
                let own = own.filter_map(|bytes| self.measured(&functions, name, *bytes, None));
                let variant = variant.to_string_lossy().into_owned();
                rows.extend(own.map(|row| Measured { variant: variant.clone(), ..row }));
            }
            functions.use_variant(name, None);
        }
        Ok(Answer { core_per_tick: clock::core_per_tick(), warnings, rows })
    }

    /// A function with messages of one length, if it takes such.
    fn measured(
        &self,
        functions: &Functions,
        name: &str,
        bytes: usize,
        peers: Option<&mut Peers>,
    ) -> Option<Measured> {
        let called = |count: &usize| Some((*count, functions.called(name, bytes, *count)?));
        let (counts, mut ours): (Vec<usize>, Vec<Called>) =
            self.messages.iter().filter_map(called).unzip();
        let bytes = ours.first()?.length();
        let mut others = match peers.zip(functions.called(name, bytes, 1)) {
            Some((peers, mut alone)) => peers.prepared(name, &mut alone),
            None => Vec::new(),
        };
        let plan = self.plan(&mut ours);
        let costs = {
            let mut theirs: Vec<_> = others.iter_mut().filter_map(Peer::run).collect();
            let own = ours.iter_mut().map(|called| called as &mut dyn Workload);
            let theirs = theirs.iter_mut().map(|run| run as &mut dyn Workload);
            interleaved(&mut own.chain(theirs).collect::<Vec<_>>(), &plan)
        };
        let mut costs = costs.into_iter();
        let own = counts.into_iter().zip(&mut costs).collect();
        let others = others.into_iter().map(|other| other.timed(&mut costs)).collect();
        let (function, variant) = (name.to_string(), String::new());
        Some(Measured { function, variant, bytes, costs: own, others })
    }

    fn plan(&self, ours: &mut [Called]) -> Plan {
        let again = 2;
        let all = |places, tries| Plan {
            samples: self.samples,
            again,
            places,
            tries,
            warm_up: 1,
            ..Plan::default()
        };
        let longest = ours.iter_mut().map(cycles).fold(1.0, f64::max);
        let runs = |plan: &Plan| f64::from(plan.places * plan.tries * (1 + plan.again));
        let (whole, short) = (all(8, 2), all(1, 1));
        if f64::from(self.samples) * runs(&whole) * longest <= PATIENCE {
            return whole;
        }
        let fit = (PATIENCE / (runs(&short) * longest)) as u32;
        Plan { samples: fit.clamp(self.samples.min(5), self.samples), ..short }
    }
}

/// Core cycles of one run.
fn cycles(called: &mut Called) -> f64 {
    called.run();
    let start = clock::ticks();
    called.run();
    (clock::ticks() - start) as f64 * clock::core_per_tick()
}

impl Figures for Answer {
    fn figures(&mut self) -> Vec<&mut Statistics> {
        let mut all = Vec::new();
        for Measured { costs, others, .. } in &mut self.rows {
            all.extend(costs.iter_mut().map(|(_, cost)| cost));
            all.extend(others.iter_mut().filter_map(|other| other.cost.as_mut().ok()));
        }
        all
    }
}

/// What several processes answer, one after another, until they agree, or it is to stop.
///
/// # Errors
/// What to say if one ends without an answer, or can't do the task.
pub fn repeated(
    task: &Task,
    worker: &Worker,
    is_to_stop: impl Fn() -> bool,
) -> Result<Answer, String> {
    let again = || -> Result<Answer, String> {
        worker.ask::<Result<Answer, String>>(&Asked::Messages(task.clone()))?
    };
    let mut answers = Answers::new(again()?);
    while !answers.are_settled() && !is_to_stop() {
        answers = answers.and(again()?);
    }
    Ok(answers.agreed())
}
