//! Costs of configurations by measurement: each is timed beside the best so far, so that the machine's moods cancel out.

use super::journal::Journal;
use super::search::{Judge, Point};
use super::space::{Candidate, Space};
use crate::bench::processes::{self, Asked};
use crate::bench::worker::{self, Subject, Task};
use crate::bench::{
    self,
    cache::{Built, Cache},
};
use crate::machine::{self, Machine};
use crate::parallel;
use nakiri_verify::cc::Compiler;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A configuration in C, with entry points for measuring.
#[derive(Clone, Debug)]
pub struct Source {
    /// The C.
    pub text: String,
    /// A key.
    pub key: Vec<u8>,
    /// A first counter block, if there is a counter mode.
    pub counter: Vec<u8>,
    /// Bytes that one run of its kernel processes.
    pub batch_bytes: f64,
}

/// From a configuration (the text form of `nakiri::compile::Options`) to its source, or why there is none.
pub type Sources<'a> = dyn FnMut(&str) -> Result<Source, String> + 'a;

/// A process of this program that times: the program and its arguments.
#[derive(Clone, Debug)]
pub struct Worker {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl Worker {
    /// The cost of the messages of each subject in core cycles per byte, or why it was not timed.
    fn run(&self, task: &Task) -> Result<Vec<Result<f64, String>>, String> {
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        let (program, variables) = (self.program.as_path(), Vec::new());
        let worker = processes::Worker { program, arguments: &arguments, variables };
        let answer: worker::Answer = worker.ask(&Asked::Parts(task.clone()))?;
        let bytes = task.sizes[0] as f64;
        let cost = |measured: Result<worker::Measured, String>| {
            measured.map(|measured| measured.messages[0].median / bytes)
        };
        Ok(answer.subjects.into_iter().map(cost).collect())
    }
}

/// How long, and on what, configurations are timed.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// When the search has to end.
    pub deadline: Instant,
    /// How many configurations are timed at the most, those of the journal not counted.
    pub most: usize,
    /// How long a C compiler may take for one configuration.
    pub compilation: Duration,
    /// Bytes of the message.
    pub message: usize,
    /// Samples of each figure.
    pub samples: u32,
    /// Whether the search has to end at once.
    pub interrupted: fn() -> bool,
}

impl Effort {
    fn left(&self) -> Duration {
        match (self.interrupted)() {
            true => Duration::ZERO,
            false => self.deadline.saturating_duration_since(Instant::now()),
        }
    }

    /// How long the next compilation may take.
    fn limit(&self) -> Duration {
        self.compilation.min(self.left())
    }
}

/// The judge of the configurations of one instance on one target.
pub struct Timer<'a> {
    /// The space.
    pub space: &'a Space,
    /// Where compiled files are kept.
    pub cache: &'a Cache,
    /// What times.
    pub worker: &'a Worker,
    /// What is known from before.
    pub journal: Journal,
    /// How much is done.
    pub effort: Effort,
    /// Called after each new cost, with the candidate and the cost.
    pub progress: &'a mut dyn FnMut(&Candidate, f64),
    sources: &'a mut Sources<'a>,
    compiled: BTreeMap<String, Result<Source, String>>,
    built: BTreeMap<Candidate, Result<Built, String>>,
    /// Costs by shared object: many configurations come to the same code.
    costs: BTreeMap<PathBuf, f64>,
    /// How many configurations it has timed.
    timed: usize,
    /// Lower bounds in core cycles per byte by object.
    bounds: BTreeMap<PathBuf, Option<f64>>,
    /// The model of this CPU, if there is one.
    machine: Option<&'static Machine>,
    /// The best so far: what it is timed with, and its cost.
    best: Option<(Subject, f64)>,
}

impl<'a> Timer<'a> {
    /// A judge that has timed nothing yet.
    pub fn new(
        space: &'a Space,
        cache: &'a Cache,
        worker: &'a Worker,
        journal: Journal,
        effort: Effort,
        sources: &'a mut Sources<'a>,
        progress: &'a mut dyn FnMut(&Candidate, f64),
    ) -> Timer<'a> {
        Timer {
            space,
            cache,
            worker,
            journal,
            effort,
            progress,
            sources,
            compiled: BTreeMap::new(),
            built: BTreeMap::new(),
            costs: BTreeMap::new(),
            timed: 0,
            bounds: BTreeMap::new(),
            machine: machine::host(),
            best: None,
        }
    }

    /// Times some candidates side by side, with many samples in each of several processes: the cost of each in core cycles
    /// per byte, the middle one of the processes', if it has one.
    pub fn side_by_side(&mut self, candidates: &[Candidate], samples: u32) -> Vec<Option<f64>> {
        const PROCESSES: usize = 5;
        let subjects: Vec<Option<Subject>> =
            candidates.iter().map(|candidate| self.subject(candidate).ok()).collect();
        let task = self.task(subjects.iter().flatten().cloned().collect(), samples);
        let runs: Vec<Vec<Result<f64, String>>> =
            (0..PROCESSES).filter_map(|_| self.worker.run(&task).ok()).collect();
        let middle = |number: usize| {
            let costs = runs.iter().filter_map(|run| run.get(number)?.as_ref().ok());
            let mut costs: Vec<f64> = costs.copied().collect();
            costs.sort_by(f64::total_cmp);
            costs.get(costs.len() / 2).copied()
        };
        let mut numbers = 0..;
        subjects.into_iter().map(|subject| subject.and_then(|_| middle(numbers.next()?))).collect()
    }

    fn task(&self, subjects: Vec<Subject>, samples: u32) -> Task {
        Task {
            subjects,
            sizes: vec![self.effort.message],
            samples,
            parts: false,
            pairs: Vec::new(),
            against: None,
        }
    }

    fn source(&mut self, configuration: &str) -> Result<Source, String> {
        if let Some(known) = self.compiled.get(configuration) {
            return known.clone();
        }
        let source = (self.sources)(configuration);
        self.compiled.insert(configuration.to_string(), source.clone());
        source
    }

    fn built(&mut self, candidate: &Candidate) -> Result<Built, String> {
        if let Some(known) = self.built.get(candidate) {
            return known.clone();
        }
        let source = self.source(&candidate.configuration)?;
        let built = build(self.cache, candidate, &source, self.effort.limit());
        self.built.insert(candidate.clone(), built.clone());
        built
    }

    fn subject(&mut self, candidate: &Candidate) -> Result<Subject, String> {
        let (built, source) = (self.built(candidate)?, self.source(&candidate.configuration)?);
        Ok(Subject { shared: built.shared, key: source.key, counter: source.counter })
    }

    /// The cost of a candidate, measured beside the best so far.
    fn time(&mut self, candidate: &Candidate) -> Result<f64, String> {
        let subject = self.subject(candidate)?;
        if let Some(cost) = self.costs.get(&subject.shared) {
            return Ok(*cost);
        }
        let mut subjects = vec![subject.clone()];
        subjects.extend(self.best.iter().map(|(best, _)| best.clone()));
        let costs = self.worker.run(&self.task(subjects, self.effort.samples))?;
        let costs = costs.into_iter().collect::<Result<Vec<f64>, _>>()?;
        let cost = match (&self.best, &costs[..]) {
            // The best has one cost, whatever the clock does today: the other's is relative to it.
            (Some((_, best)), [own, beside]) => best * own / beside,
            _ => costs[0],
        };
        self.costs.insert(subject.shared.clone(), cost);
        self.remember_best(subject, cost);
        Ok(cost)
    }

    fn remember_best(&mut self, subject: Subject, cost: f64) {
        if self.best.as_ref().is_none_or(|(_, best)| cost < *best) {
            self.best = Some((subject, cost));
        }
    }
}

fn build(
    cache: &Cache,
    candidate: &Candidate,
    source: &Source,
    left: Duration,
) -> Result<Built, String> {
    let compiler = Compiler::new(candidate.compiler.clone());
    cache.build(&source.text, &compiler, &candidate.flags, Some(left))
}

impl Judge for Timer<'_> {
    fn exists(&self, point: &Point) -> bool {
        self.space.candidate(point).is_some()
    }

    fn prepare(&mut self, points: &[Point]) {
        let mut jobs: Vec<(Candidate, Source)> = Vec::new();
        for point in points {
            let Some(candidate) = self.space.candidate(point) else { continue };
            let known =
                self.built.contains_key(&candidate) || self.journal.get(&candidate).is_some();
            if known || self.stop() {
                continue;
            }
            if let Ok(source) = self.source(&candidate.configuration) {
                jobs.push((candidate, source));
            }
        }
        let done = parallel::map(&jobs, |(candidate, source)| {
            build(self.cache, candidate, source, self.effort.limit())
        });
        let candidates = jobs.into_iter().map(|(candidate, _)| candidate);
        self.built.extend(candidates.zip(done));
    }

    fn bound(&mut self, point: &Point) -> Option<f64> {
        let machine = self.machine?;
        let candidate = self.space.candidate(point)?;
        let built = self.built(&candidate).ok()?;
        if let Some(known) = self.bounds.get(&built.object) {
            return *known;
        }
        let bytes = self.source(&candidate.configuration).ok()?.batch_bytes;
        let bound = bench::bound(&built.object, machine).ok().map(|bound| bound.row(bytes).cost);
        self.bounds.insert(built.object, bound);
        bound
    }

    fn measure(&mut self, point: &Point) -> Result<f64, String> {
        let candidate = self.space.candidate(point).ok_or("the same as another")?;
        if let Some(cost) = self.journal.get(&candidate) {
            if let Ok(subject) = self.subject(&candidate) {
                self.remember_best(subject, cost);
            }
            return Ok(cost);
        }
        let cost = self.time(&candidate)?;
        self.timed += 1;
        self.journal
            .put(&candidate, cost)
            .map_err(|error| format!("can't write what was found: {error}"))?;
        (self.progress)(&candidate, cost);
        Ok(cost)
    }

    fn stop(&mut self) -> bool {
        self.timed >= self.effort.most || self.effort.left().is_zero()
    }
}

/// The journal of a search: a file in the cache that is named after all that its costs depend on.
///
/// # Errors
/// If it can't be read or written.
pub fn journal(cache: &Cache, identity: &[&str], anew: bool) -> Result<Journal, String> {
    use sha2::{Digest, Sha256};
    let mut digest = Sha256::new();
    for part in identity {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    let name: String = digest.finalize().iter().take(16).map(|b| format!("{b:02x}")).collect();
    let path: &Path = &cache.folder().join(format!("{name}.tuned.jsonl"));
    Journal::open(path, anew).map_err(|error| format!("`{}`: {error}", path.display()))
}
