//! `nakiri tune`: the configuration that makes a cipher fastest on this machine.

use crate::budget::Budget;
use crate::commands::bench;
use crate::interrupt;
use crate::manifest::Instance;
use crate::output::{self, say};
use crate::session::Failure;
use crate::subjects::{self, Cipher};
use crate::tuned;
use crate::{choice, jobs};
use nakiri::compile::{legality, Options};
use nakiri::core::Direction;
use nakiri::cost;
use nakiri::isa::{self, Target};
use nakiri_bench::bench::cache::Cache;
use nakiri_bench::bench::table::figure;
use nakiri_bench::tune::judge::{self, Effort, Source, Timer, Worker};
use nakiri_bench::tune::search::{self, Point};
use nakiri_bench::tune::space::{Candidate, Space, Tried};
use nakiri_bench::tune::store::{Choice, Tuned};
use nakiri_library::digest;
use nakiri_verify::cc::{self, Compiler};
use nakiri_verify::exec;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Searches for the fastest configuration of ciphers on this machine, which `build` then uses
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Ciphers' folders, their names in `ciphers`, or `all`
    #[arg(required_unless_present_any = ["job", "merge"], value_name = "CIPHER")]
    ciphers: Vec<String>,
    /// The targets, or `all` that this CPU runs
    #[arg(long, value_name = "T,…", value_delimiter = ',', default_value = "native")]
    target: Vec<String>,
    /// The slicings, such as B,V; by default all that are legal
    #[arg(long, value_name = "S,…", value_delimiter = ',', conflicts_with_all = ["job", "merge"])]
    slicing: Vec<Direction>,
    /// How long the search may take in all, such as 90s or 10m, or how many configurations each search times, such as 40
    #[arg(long, default_value = "60s", value_name = "TIME|N")]
    budget: Budget,
    /// The C compilers; by default every one that is found
    #[arg(long, value_name = "CC,…", value_delimiter = ',')]
    cc: Vec<String>,
    /// Bytes of the messages that are timed
    #[arg(long, default_value = "16384", value_parser = clap::value_parser!(u32).range(1..=1 << 26))]
    size: u32,
    /// Forget what earlier searches have found
    #[arg(long)]
    anew: bool,
    /// The folder for compiled files and what was found so far, instead of that of NAKIRI_CACHE or the user's
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Write jobs for other processes or machines into a folder instead of searching
    #[arg(long, value_name = "DIR", conflicts_with_all = ["job", "merge"])]
    plan: Option<PathBuf>,
    /// Do a job that --plan has written, and write its result beside it
    #[arg(long, value_name = "FILE", conflicts_with = "merge")]
    job: Option<PathBuf>,
    /// Read results of jobs, and keep the best in the ciphers' folders
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "ciphers")]
    merge: Vec<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// [`Failure::Wrong`] if nothing could be timed for something that was asked for.
pub fn run(args: &Args) -> Result<(), Failure> {
    if let Some(job) = &args.job {
        return do_job(args, job);
    }
    let folders = subjects::folders(&args.ciphers)?;
    if !args.merge.is_empty() {
        return tuned::merge(&folders, &args.merge);
    }
    let ciphers =
        folders.iter().map(|folder| Cipher::open(folder, &[])).collect::<Result<Vec<_>, _>>()?;
    let targets = targets(&args.target)?;
    if let Some(folder) = &args.plan {
        let compilers = compilers(&args.cc)?;
        return jobs::plan(folder, &ciphers, &targets, &args.slicing, &compilers, args.budget);
    }
    interrupt::watch();
    let mut tuner = Tuner::new(args, args.budget)?;
    // Who asks for all targets wants no slicing on one that does what it does on another.
    let slicings = |cipher: &Cipher, instance: &Instance, target: &Target| -> Vec<Direction> {
        let asked = |s: &Direction| args.slicing.is_empty() || args.slicing.contains(s);
        let of_use =
            |s: &Direction| args.target != ["all"] || cipher.is_served(instance, target, *s);
        legality::PREFERENCE.into_iter().filter(asked).filter(of_use).collect()
    };
    let searches_of = |cipher: &Cipher| -> usize {
        let is_searched = |i: &Instance, t: &Target| !slicings(cipher, i, t).is_empty();
        let of = |i: &Instance| targets.iter().filter(|t| is_searched(i, t)).count();
        cipher.distinct_instances().into_iter().map(of).sum()
    };
    let searches: usize = ciphers.iter().map(searches_of).sum();
    tuner.left = searches;
    let mut failed = 0;
    for cipher in &ciphers {
        let mut found = Tuned { machine: tuned::fingerprint(), choices: Vec::new() };
        for instance in cipher.distinct_instances() {
            for target in &targets {
                let slicings = slicings(cipher, instance, target);
                if slicings.is_empty() {
                    continue;
                }
                let choices = tuner.search(cipher, instance, target, &slicings)?;
                failed += usize::from(choices.is_empty());
                found.choices.extend(choices);
            }
        }
        tuned::keep(cipher.path(), &found, Tuned::replace)?;
    }
    match failed {
        0 => Ok(()),
        n => Err(Failure::Wrong(format!("for {n} of {searches} searches nothing could be timed"))),
    }
}

/// The targets of a list: those that this CPU runs.
fn targets(names: &[String]) -> Result<Vec<&'static Target>, Failure> {
    let runs = |target: &&'static Target| exec::runnable(target).is_ok();
    if names == ["all"] {
        return Ok(isa::all().iter().copied().filter(runs).collect());
    }
    names
        .iter()
        .map(|name| {
            let target = choice::target(name)?;
            exec::runnable(target).map_err(|error| Failure::Wrong(error.to_string()))?;
            Ok(target)
        })
        .collect()
}

fn compilers(names: &[String]) -> Result<Vec<String>, Failure> {
    let wrong = |error: nakiri_verify::Error| Failure::Wrong(error.to_string());
    let found: Vec<Compiler> = match names {
        [] => cc::all(),
        names => {
            names.iter().map(|n| Compiler::named(n)).collect::<Result<_, _>>().map_err(wrong)?
        }
    };
    if found.is_empty() {
        Compiler::find().map_err(wrong)?;
    }
    Ok(found.into_iter().map(|compiler| compiler.program).collect())
}

/// Does one job: a search among a part of the configurations.
fn do_job(args: &Args, path: &Path) -> Result<(), Failure> {
    interrupt::watch();
    let job = jobs::read(path)?;
    let (work, cipher) = jobs::unpack(&job)?;
    let budget = job.budget.parse().map_err(Failure::Wrong)?;
    let mut tuner = Tuner::new(args, budget)?;
    tuner.left = 1;
    tuner.compilers = vec![job.compiler.clone()];
    let target = choice::target(&job.target)?;
    let instance = cipher.instances().iter().find(|i| *i.prefix.get_ref() == job.instance);
    let instance = instance.ok_or_else(|| {
        Failure::Wrong(format!(
            "`{}`: the cipher has no instance `{}`",
            path.display(),
            job.instance
        ))
    })?;
    let slicing = job.slicing.parse().map_err(Failure::Wrong)?;
    let choices = tuner.search(&cipher, instance, target, &[slicing])?;
    drop(work);
    let found = Tuned { machine: tuned::fingerprint(), choices };
    output::write(&jobs::result_path(path), &found.text())
}

/// What all searches of one run share.
struct Tuner<'a> {
    args: &'a Args,
    cache: Cache,
    worker: Worker,
    compilers: Vec<String>,
    /// The digest of this program: another one makes other code of a configuration.
    nakiri: String,
    budget: Budget,
    end: Instant,
    /// Searches that have not begun.
    left: usize,
}

impl<'a> Tuner<'a> {
    fn new(args: &'a Args, budget: Budget) -> Result<Tuner<'a>, Failure> {
        let wrong = |error| Failure::Wrong(format!("can't read this program: {error}"));
        let program = std::env::current_exe().map_err(wrong)?;
        Ok(Tuner {
            args,
            nakiri: digest::short(std::fs::read(&program).map_err(wrong)?),
            cache: Cache::open(args.cache.as_deref()).map_err(Failure::Wrong)?,
            worker: Worker { program, arguments: vec!["bench-worker".to_string()] },
            compilers: compilers(&args.cc)?,
            budget,
            end: Instant::now() + budget.time(),
            left: 0,
        })
    }

    /// The compilers, with the flags that each takes.
    fn tried(&self) -> Vec<Tried> {
        const SMALL: &str = "extern int taken;\n";
        let tried = |program: &String| {
            let compiler = Compiler::new(program.clone());
            let takes = |flags: &[String]| self.cache.build(SMALL, &compiler, flags, None).is_ok();
            Tried::new(program, &takes)
        };
        self.compilers.iter().map(tried).collect()
    }

    /// Searches among the configurations of an instance on a target, in its share of the time: the fastest of each slicing.
    fn search(
        &mut self,
        cipher: &Cipher,
        instance: &Instance,
        target: &'static Target,
        asked: &[Direction],
    ) -> Result<Vec<Choice>, Failure> {
        let share = self.end.saturating_duration_since(Instant::now()) / self.left.max(1) as u32;
        self.left = self.left.saturating_sub(1);
        let slicings = legal(cipher, instance, target, asked)?;
        let name = instance.prefix.get_ref();
        let place = format!("{name} on {}", target.name);
        if slicings.is_empty() {
            say!("{place}: no slicing is legal");
            return Ok(Vec::new());
        }
        let space = Space::new(target.name, &slicings, self.tried());
        let defaults = defaults(cipher, instance, target, &slicings)?;
        let source = tuned::source_hash(cipher);
        let versions: Vec<String> =
            self.compilers.iter().map(|c| Compiler::new(c.clone()).version()).collect();
        let stored = tuned::stored(cipher.path(), name, target)?;
        let stored = stored.into_iter().filter_map(|choice| {
            let compiler = versions.iter().position(|version| *version == choice.compiler)?;
            let compiler = self.compilers[compiler].clone();
            Some(Candidate { configuration: choice.configuration, compiler, flags: choice.flags })
        });
        let (stored, known): (Vec<Candidate>, Vec<Point>) =
            stored.filter_map(|stored| Some((stored.clone(), space.point_of(&stored)?))).unzip();
        let cpu = nakiri_bench::measure::cpu_name();
        let size = self.args.size.to_string();
        let identity =
            [&self.nakiri, name, target.name, &*source, &*versions.join(","), &*cpu, &*size];
        let journal =
            judge::journal(&self.cache, &identity, self.args.anew).map_err(Failure::Wrong)?;
        let effort = Effort {
            deadline: Instant::now() + share,
            compilation: (share / 2).max(Duration::from_secs(5)),
            message: self.args.size as usize,
            most: self.budget.configurations(),
            samples: 5,
            interrupted: interrupt::happened,
        };
        let bar = output::search_bar(self.budget.share(self.left + 1), &place);
        let (mut timed, mut best) = (0, f64::INFINITY);
        let mut progress = |_: &Candidate, cost: f64| {
            timed += 1;
            best = best.min(cost);
            bar.set_message(format!("{place}: {timed} timed, best {} c/B", figure(best)));
        };
        let message = f64::from(self.args.size).max(cost::MESSAGE);
        let mut sources = |configuration: &str| source_of(cipher, instance, configuration, message);
        let mut timer = Timer::new(
            &space,
            &self.cache,
            &self.worker,
            journal,
            effort,
            &mut sources,
            &mut progress,
        );
        let starts = [space.starts(&defaults), known].concat();
        let found = search::search(space.axes(), &starts, &mut timer);
        if interrupt::happened() {
            bar.finish_and_clear();
            let timed = found.timed.len();
            let message =
                format!("{place}: interrupted; the next search goes on from the {timed} timed");
            return Err(interrupt::failure(&message));
        }
        let default = default(&space, &defaults);
        let winners = duel(&mut timer, &space, &found, stored, default);
        bar.finish_and_clear();
        report(&place, &found, &winners);
        let choice = |Winner { candidate, cost, default_cost }| Choice {
            instance: name.clone(),
            target: target.name.to_string(),
            compiler: Compiler::new(candidate.compiler).version(),
            configuration: candidate.configuration,
            flags: candidate.flags,
            cost,
            default_cost,
            date: bench::date(),
            source: source.clone(),
        };
        Ok(winners.into_iter().map(choice).collect())
    }
}

/// The fastest of a slicing.
struct Winner {
    candidate: Candidate,
    /// Core cycles per byte.
    cost: f64,
    /// The same of the default, if that could be timed.
    default_cost: Option<f64>,
}

/// The fastest of each slicing, after the few cheapest of each, what is stored, and the default have been timed side by side with
/// many samples; the fastest of all first. The default stays unless another one is faster by more than chance.
fn duel(
    timer: &mut Timer,
    space: &Space,
    found: &search::Found,
    stored: Vec<Candidate>,
    default: Option<Candidate>,
) -> Vec<Winner> {
    const FINALISTS: usize = 3;
    const SAMPLES: u32 = 41;
    const CHANCE: f64 = 0.99;
    // The time may be up; most of these have been compiled.
    timer.effort.deadline = Instant::now() + timer.effort.compilation;
    let mut candidates: BTreeMap<String, Vec<Candidate>> = BTreeMap::new();
    for candidate in found.timed.iter().filter_map(|(point, _)| space.candidate(point)) {
        let slicing = candidate.configuration.split(' ').next().unwrap_or_default().to_string();
        let finalists = candidates.entry(slicing).or_default();
        if finalists.len() < FINALISTS {
            finalists.push(candidate);
        }
    }
    let mut finalists: Vec<Candidate> = candidates.into_values().flatten().collect();
    for other in stored.into_iter().chain(default.clone()) {
        if !finalists.contains(&other) {
            finalists.push(other);
        }
    }
    let costs = timer.side_by_side(&finalists, SAMPLES);
    let at = finalists.iter().position(|finalist| default.as_ref() == Some(finalist));
    let default_cost = at.and_then(|at| costs.get(at).copied().flatten());
    let worth = |winner: &Winner| match default.as_ref() == Some(&winner.candidate) {
        true => CHANCE * winner.cost,
        false => winner.cost,
    };
    let slicing = |winner: &Winner| {
        let configuration = &winner.candidate.configuration;
        configuration.split(' ').next().unwrap_or_default().to_string()
    };
    let timed = finalists.into_iter().zip(costs);
    let timed = timed.filter_map(|(candidate, cost)| Some((candidate, cost?)));
    let mut timed: Vec<Winner> =
        timed.map(|(candidate, cost)| Winner { candidate, cost, default_cost }).collect();
    timed.sort_by(|a, b| worth(a).total_cmp(&worth(b)));
    let mut seen = BTreeSet::new();
    timed.retain(|winner| seen.insert(slicing(winner)));
    timed
}

/// What the cost model chooses for each slicing.
fn defaults(
    cipher: &Cipher,
    instance: &Instance,
    target: &'static Target,
    slicings: &[String],
) -> Result<Vec<String>, Failure> {
    let mut chosen = Vec::new();
    for slicing in slicings {
        let open: Options = format!("{slicing} {}", target.name).parse().map_err(Failure::Wrong)?;
        chosen.extend(cipher.decide(instance, &open, true)?.ok().map(|d| d.options.to_string()));
    }
    Ok(chosen)
}

/// What is built without any file of this command's: the slicing and the choices of the cost model, the first C
/// compiler.
fn default(space: &Space, defaults: &[String]) -> Option<Candidate> {
    let first = space.starts(defaults.get(..1)?);
    space.candidate(first.first()?)
}

/// The slicings among those that were asked for in which an instance can be built for a target, the default first.
fn legal(
    cipher: &Cipher,
    instance: &Instance,
    target: &'static Target,
    asked: &[Direction],
) -> Result<Vec<String>, Failure> {
    let mut legal = Vec::new();
    let slicings = cipher.slicings(instance, target)?.into_iter();
    for direction in slicings.filter(|s| asked.contains(s)) {
        if cipher.compile(instance, &Options::new(direction, target))?.is_ok() {
            legal.push(direction.to_string());
        }
    }
    Ok(legal)
}

/// The source of a configuration. Several batches side by side must fit the message, or that for which the model chooses: a part
/// of them would be processed by other kernels, which would be timed in their place.
fn source_of(
    cipher: &Cipher,
    instance: &Instance,
    configuration: &str,
    message: f64,
) -> Result<Source, String> {
    let options: Options = configuration.parse()?;
    let compiled = match cipher.compile(instance, &options) {
        Ok(Ok(compiled)) => compiled,
        Ok(Err(diagnostics)) => {
            return Err(diagnostics.first().map_or(String::new(), |first| first.message.clone()))
        }
        Err(_) => return Err("its manifest does not fit its nodes".to_string()),
    };
    let batch_bytes = compiled.kernel.bytes();
    if options.interleave.is_some_and(|interleave| interleave.factor > 1) && batch_bytes > message {
        return Err("its batches are longer than the message".to_string());
    }
    Ok(Source { batch_bytes, text: compiled.source, key: compiled.key, counter: compiled.counter })
}

/// What a search has found, for people.
fn report(place: &str, found: &search::Found, winners: &[Winner]) {
    let ended = if found.complete { "complete" } else { "the budget is used up" };
    say!(
        "{place}: {} timed, {} left out by their bounds, {} failed; {ended}",
        found.timed.len(),
        found.hopeless,
        found.failed.len()
    );
    for Winner { candidate, cost, default_cost } in winners {
        let Candidate { configuration, compiler, flags } = candidate;
        let against = default_cost
            .map_or("the default could not be timed".to_string(), |default| {
                format!("{:.2} times as fast as the default", default / cost)
            });
        let flags = flags.join(" ");
        say!("  {} c/B, {against}: {configuration}; {compiler} {flags}", figure(*cost));
    }
    if winners.is_empty() {
        say!("  nothing could be timed");
    }
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, why) in &found.failed {
        *reasons.entry(why.lines().next().unwrap_or_default()).or_default() += 1;
    }
    for (why, times) in reasons {
        say!("  failed {times} times: {why}");
    }
}
