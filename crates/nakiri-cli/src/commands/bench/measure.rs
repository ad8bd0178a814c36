//! From shared objects to rows: the jobs of an instance on a target are timed side by side, beside other libraries.

use super::plan::Job;
use super::{Measurement, Outcome};
use crate::against;
use crate::interrupt;
use crate::output;
use crate::session::Failure;
use nakiri::core::Direction;
use nakiri_bench::bench;
use nakiri_bench::bench::cache::{Built, Cache};
use nakiri_bench::bench::processes::{Asked, Repeated, Worker};
use nakiri_bench::bench::worker::{Answer, Measured, Subject, Task};
use nakiri_bench::machine;
use nakiri_bench::measure::Statistics;
use nakiri_bench::results::{BoundRow, Code, ModeRow, Row};
use std::path::Path;

/// What this program is called with to time.
pub const WORKER: &[&str] = &["bench-worker"];

/// A job and its files.
type Ready = (Job, Built);

/// Measures all jobs; rows, and what could not be measured, go to `outcome`.
///
/// # Errors
/// [`Failure::Wrong`] if this program can't be started again.
pub fn all(
    how: &Measurement,
    cache: &Cache,
    ready: &[Ready],
    outcome: &mut Outcome,
) -> Result<(), Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::Wrong(format!("can't find this program: {error}")))?;
    let mut measure = Measure { how, cache, program: &program, outcome, timed: Vec::new() };
    let groups: Vec<&[Ready]> = groups(ready).collect();
    let mut tasks: Vec<Repeated> = groups.iter().map(|group| measure.repeated(group)).collect();
    rounds(&mut tasks);
    for (group, task) in groups.iter().zip(tasks) {
        measure.rows(group, task.answer());
    }
    for group in groups.iter().take_while(|_| !interrupt::happened()) {
        measure.break_even(group);
    }
    Ok(())
}

/// Gives each task in turn to one process after another: a disturbance that lasts does not meet a task twice.
fn rounds(tasks: &mut [Repeated]) {
    let bar = output::progress(0, "measuring");
    loop {
        let open: Vec<&mut Repeated> = tasks.iter_mut().filter(|task| !task.is_settled()).collect();
        if open.is_empty() {
            break;
        }
        bar.inc_length(open.len() as u64);
        for task in open {
            if interrupt::happened() {
                return;
            }
            task.again();
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
}

/// The jobs of each instance on each target.
fn groups(ready: &[Ready]) -> impl Iterator<Item = &[Ready]> {
    ready.chunk_by(|(a, _), (b, _)| {
        a.instance == b.instance && a.options.target.name == b.options.target.name
    })
}

struct Measure<'a> {
    how: &'a Measurement,
    cache: &'a Cache,
    program: &'a Path,
    outcome: &'a mut Outcome,
    /// The job of each row.
    timed: Vec<&'a Ready>,
}

impl<'a> Measure<'a> {
    fn repeated(&self, group: &[Ready]) -> Repeated<'a> {
        let variables = self.how.against.variables(group[0].0.options.target);
        let worker = Worker { program: self.program, arguments: WORKER, variables };
        Repeated::new(self.task(group), worker)
    }

    fn task(&self, group: &[Ready]) -> Task {
        let (job, _) = &group[0];
        let against = self.how.against.task(
            &job.instance,
            job.options.target,
            &job.compiled,
            self.cache.folder(),
            &job.compiler,
        );
        Task {
            subjects: group.iter().map(subject).collect(),
            sizes: self.sizes(job),
            samples: self.how.samples,
            parts: true,
            pairs: Vec::new(),
            against,
        }
    }

    /// The lengths of the messages of a job.
    fn sizes(&self, job: &Job) -> Vec<usize> {
        self.how.size.iter().map(|size| whole(*size as usize, job)).collect()
    }

    /// The rows of a group.
    fn rows(&mut self, group: &'a [Ready], answer: Result<Answer, String>) {
        let answer = match answer {
            Ok(answer) => answer,
            Err(message) => {
                group.iter().for_each(|(job, _)| self.outcome.fail(job.what(), message.clone()));
                return;
            }
        };
        self.outcome.results.host.core_per_tick = answer.core_per_tick;
        answer.warnings.into_iter().for_each(|warning| self.outcome.warn(warning));
        let libraries = self.how.against.libraries();
        let others: Vec<_> = libraries.into_iter().zip(answer.others).collect();
        for (name, other) in &others {
            if let Err(why) = other {
                let what = format!("{name} beside {}", group[0].0.instance);
                self.outcome.unavailable(&self.how.against, what, why);
            }
        }
        for (ready, measured) in group.iter().zip(answer.subjects) {
            match measured {
                Ok(measured) => {
                    let mut row = row(&ready.0, &self.sizes(&ready.0), &measured);
                    against::add(&mut row, &others);
                    row.code = self.code(ready);
                    row.bound = self.bound(ready);
                    self.outcome.results.rows.push(row);
                    self.timed.push(ready);
                }
                Err(why) => self.outcome.fail(ready.0.what(), why),
            }
        }
    }

    /// What the object code says.
    fn code(&mut self, (job, built): &Ready) -> Code {
        bench::code(&built.object).unwrap_or_else(|why| {
            self.outcome.skip(format!("the instructions of {}", job.what()), why);
            Code::default()
        })
    }

    /// What the machine model says, if there is one for this CPU.
    fn bound(&mut self, (job, built): &Ready) -> Option<BoundRow> {
        let bound = bench::bound(&built.object, machine::host()?);
        let bytes = (job.counted.bytes * job.compiled.kernel.blocks()) as f64;
        let skip = |why| self.outcome.skip(format!("the bound of {}", job.what()), why);
        bound.map_err(skip).ok().map(|bound| bound.row(bytes))
    }

    /// Finds out from how many blocks on the jobs of an instance on a target beat the next narrower target, and those in
    /// lanes that in rows of words, which is the narrower one of the same target.
    fn break_even(&mut self, group: &[Ready]) {
        for compiler in compilers(group) {
            let same = |(job, _): &&'a Ready| {
                job.instance == group[0].0.instance && job.compiler.program == compiler
            };
            let rows: Vec<usize> =
                (0..self.timed.len()).filter(|row| same(&self.timed[*row])).collect();
            let options = |row: &usize| &self.timed[*row].0.options;
            let own = group[0].0.options.target;
            let wide = rows.iter().copied().filter(|row| options(row).target.name == own.name);
            let packed = wide.clone().find(|row| options(row).direction == Direction::P);
            let beside = |row: &usize| packed.is_some() && options(row).direction == Direction::V;
            let (lanes, wide): (Vec<usize>, Vec<usize>) = wide.partition(beside);
            let bits = |row: &usize| options(row).target.bits;
            let narrower = rows.iter().map(bits).filter(|bits| *bits < own.bits).max();
            let cost = |row: &&usize| cost(&self.outcome.results.rows[**row]);
            let narrow = rows.iter().filter(|row| Some(bits(row)) == narrower);
            let narrow = narrow.min_by(|a, b| cost(a).total_cmp(&cost(b))).copied();
            for (wide, narrow) in [(lanes, packed), (wide, narrow)] {
                if let Some(narrow) = narrow.filter(|_| !wide.is_empty()) {
                    self.pairs(&wide, narrow);
                }
            }
        }
    }

    /// Fills in from how many blocks on some rows beat another one.
    fn pairs(&mut self, wide: &[usize], narrow: usize) {
        let rows = std::iter::once(&narrow).chain(wide);
        let task = Task {
            subjects: rows.map(|row| subject(self.timed[*row])).collect(),
            sizes: Vec::new(),
            samples: self.how.samples,
            parts: false,
            pairs: (1..=wide.len()).map(|row| (row, 0)).collect(),
            against: None,
        };
        let worker = Worker { program: self.program, arguments: WORKER, variables: Vec::new() };
        match worker.ask::<Answer>(&Asked::Parts(task)) {
            Ok(answer) => {
                for (row, blocks) in wide.iter().zip(answer.break_even) {
                    self.outcome.results.rows[*row].break_even = blocks;
                }
            }
            Err(why) => {
                let what = self.timed[narrow].0.what();
                self.outcome
                    .skip(format!("from how many blocks on wider targets beat {what}"), why);
            }
        }
    }
}

/// The C compilers of some jobs, each once.
fn compilers(group: &[Ready]) -> Vec<&str> {
    let mut programs: Vec<&str> = Vec::new();
    for (job, _) in group {
        if !programs.contains(&job.compiler.program.as_str()) {
            programs.push(&job.compiler.program);
        }
    }
    programs
}

fn subject((job, built): &Ready) -> Subject {
    Subject {
        shared: built.shared.clone(),
        key: job.compiled.key.clone(),
        counter: job.compiled.counter.clone(),
    }
}

/// The bytes that are processed for a message: in CTR as many as it has, otherwise those of whole blocks, at least one.
fn whole(size: usize, job: &Job) -> usize {
    if job.compiled.counter_place.is_some() {
        return size;
    }
    (size / job.counted.bytes).max(1) * job.compiled.kernel.block_bytes()
}

/// What a row's longest message costs.
fn cost(row: &Row) -> f64 {
    let longest = row.modes.iter().max_by_key(|mode| mode.bytes);
    longest.map_or(f64::INFINITY, |mode| mode.cost.median)
}

fn row(job: &Job, sizes: &[usize], measured: &Measured) -> Row {
    let counted = job.counted.bytes;
    let batch = (measured.blocks * counted) as f64;
    let message = |(size, cost): (&usize, &Statistics)| {
        let bytes = size * counted / measured.block_bytes;
        let cost = cost.per(bytes as f64);
        ModeRow { mode: measured.mode.clone(), bytes: bytes as u64, cost, against: Vec::new() }
    };
    Row {
        cipher: job.cipher.clone(),
        instance: job.instance.clone(),
        slicing: job.options.direction.to_string(),
        target: job.options.target.name.to_string(),
        configuration: job.options.to_string(),
        compiler: job.compiler.version(),
        flags: job.flags.clone(),
        blocks: measured.blocks as u32,
        block_bytes: counted as u32,
        bytes_of: job.counted.of.clone(),
        kernel: measured.kernel.per(batch),
        transposition: measured.transposition.per(batch),
        modes: sizes.iter().zip(&measured.messages).map(message).collect(),
        latency: measured.latency,
        key: measured.key,
        break_even: None,
        code: Code::default(),
        bound: None,
        counted: measured.counted,
    }
}
