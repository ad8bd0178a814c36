//! `nakiri bench`: what emitted libraries cost, kernels part by part and functions on messages as they are called.

mod build;
mod measure;
mod messages;
mod plan;

use crate::against::AgainstArgs;
use crate::choice::ChoiceArgs;
use crate::interrupt;
use crate::manifest::Instance;
use crate::output::{self, say};
use crate::session::Failure;
use crate::subjects;
use nakiri::compile::Options;
use nakiri::core::Direction;
use nakiri::isa;
use nakiri_bench::against::Unavailable;
use nakiri_bench::bench::cache::Cache;
use nakiri_bench::bench::{csv, table, worker};
use nakiri_bench::results::{Host, Results, Skipped};
use nakiri_bench::suite::{render, Suite, Wanted};
use nakiri_bench::{machine, measure as clock};
use nakiri_verify::cc::Compiler;
use nakiri_verify::exec;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Measures ciphers and modes: cycles per byte of kernels, transpositions and whole messages
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folders of ciphers and modes, their names in `ciphers` and `modes`, or `all`, which is all ciphers
    #[arg(required_unless_present_any = ["self_test", "suite"], value_name = "CIPHER")]
    ciphers: Vec<String>,
    #[command(flatten)]
    measurement: Measurement,
    #[command(flatten)]
    calls: messages::CallArgs,
    /// Measure what a published comparison needs, and print its tables: papers, instructions
    #[arg(long, value_name = "SUITE")]
    suite: Option<String>,
    /// Print all figures as JSON
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print all figures as comma-separated values
    #[arg(long)]
    csv: bool,
    /// Write to a file instead of standard output
    #[arg(short = 'o', value_name = "FILE")]
    out: Option<PathBuf>,
    /// Measure loops of known cost instead, and compare
    #[arg(long, conflicts_with = "ciphers")]
    self_test: bool,
}

/// What is measured and how: the flags that `bench` and `report` share.
#[derive(Clone, Debug, clap::Args)]
pub struct Measurement {
    #[command(flatten)]
    choice: ChoiceArgs,
    /// The slicings, such as B,V; by default all that are legal
    #[arg(long, value_name = "S,…", value_delimiter = ',', conflicts_with_all = ["bitslice", "vertical", "horizontal"])]
    slicing: Vec<Direction>,
    /// Every instance, not only those with kernels of their own
    #[arg(long)]
    all_instances: bool,
    /// The C compilers; by default the first that is found
    #[arg(long, value_name = "CC,…", value_delimiter = ',')]
    cc: Vec<String>,
    /// The flags of the C compilers, in one word; by default those that `tune` has found, or -O3
    #[arg(long, allow_hyphen_values = true)]
    cflags: Option<String>,
    #[command(flatten)]
    against: AgainstArgs,
    /// The lengths of messages, in bytes
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "16384",
        value_parser = clap::value_parser!(u32).range(1..=1 << 26))]
    size: Vec<u32>,
    /// Samples of each figure
    #[arg(long, default_value = "21", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    samples: u32,
    /// The folder for compiled files, instead of that of NAKIRI_CACHE or the user's
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// [`Failure::Wrong`] if something that was asked for could not be measured; what could is printed all the same.
pub fn run(args: &Args) -> Result<(), Failure> {
    if args.self_test {
        return self_test();
    }
    let suite = suite(args.suite.as_deref())?;
    let mut asked = Asked::of(args, suite.as_ref())?;
    if let Some(suite) = &suite {
        let folder = |name: &str| Ok(subjects::primitives(&[name.to_string()])?.remove(0));
        asked.calls.extend(messages::of_suite(&suite.functions, folder)?);
    }
    outcome(&asked, &args.measurement, suite)?.print(args)
}

/// What is to be measured: kernels of ciphers, by the words of the command line, and functions on messages.
#[derive(Debug, Default)]
struct Asked {
    ciphers: Vec<String>,
    calls: Vec<messages::Wanted>,
}

impl Asked {
    /// What the words of the command line mean; without any all ciphers, if there is a suite that compares kernels.
    fn of(args: &Args, suite: Option<&Suite>) -> Result<Asked, Failure> {
        if args.ciphers.is_empty() && suite.is_some_and(Suite::is_of_functions) {
            return Ok(Asked::default());
        }
        if args.ciphers.is_empty() {
            return Ok(Asked { ciphers: vec!["all".to_string()], calls: Vec::new() });
        }
        let (modes, ciphers) = subjects::modes_and_others(&args.ciphers)?;
        Ok(Asked { ciphers, calls: messages::asked(modes, &args.measurement, &args.calls) })
    }
}

/// Measures ciphers, which are named as on the command line. What could not be measured is said on standard error and in
/// [`Results::skipped`].
///
/// # Errors
/// [`Failure`] if there is no such cipher, no compiler, or no folder to compile in.
pub fn results(ciphers: &[String], how: &Measurement) -> Result<Results, Failure> {
    let asked = Asked { ciphers: ciphers.to_vec(), calls: Vec::new() };
    outcome(&asked, how, None).map(|outcome| outcome.results)
}

fn outcome(asked: &Asked, how: &Measurement, suite: Option<Suite>) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::new(suite);
    let compilers = compilers(&how.cc)?;
    let cache = Cache::open(how.cache.as_deref()).map_err(Failure::Wrong)?;
    interrupt::watch();
    if !asked.ciphers.is_empty() {
        let jobs = plan::jobs(&asked.ciphers, how, &compilers, &mut outcome)?;
        let built = build::all(&cache, jobs, &mut outcome);
        measure::all(how, &cache, &built, &mut outcome)?;
    }
    messages::all(&asked.calls, how, &cache, &compilers, &mut outcome)?;
    Ok(outcome)
}

/// Measures what is known from the machine model.
fn self_test() -> Result<(), Failure> {
    let wrong = |error: &dyn std::fmt::Display| Failure::Wrong(error.to_string());
    let machine = machine::find("host").map_err(|error| wrong(&error))?;
    if let Err(warning) = clock::pin::pin() {
        say!("warning: {warning}");
    }
    let checks = clock::self_test(&machine).map_err(|error| wrong(&error))?;
    let mut text =
        format!("{:42} {:>7} {:>9}\n", "core cycles an instruction", "known", "measured");
    for check in &checks {
        let (known, median) = (check.known, check.measured.median);
        let error = 100.0 * check.error();
        text += &format!("{:42} {known:>7.3} {median:>9.3} {error:>+6.1} %\n", check.name);
    }
    output::print(&text)?;
    match checks.iter().filter(|check| !check.holds()).count() {
        0 => Ok(()),
        n => Err(Failure::Wrong(format!(
            "{n} of these differ by more than {} %: figures of this machine can't be trusted now",
            100.0 * clock::TOLERANCE
        ))),
    }
}

fn suite(name: Option<&str>) -> Result<Option<Suite>, Failure> {
    let found = |name: &str| {
        Suite::find(name).ok_or_else(|| {
            let known: Vec<&str> = Suite::names().collect();
            Failure::Usage(format!("there is no suite `{name}`; there are {}", known.join(", ")))
        })
    };
    name.map(found).transpose()
}

fn compilers(names: &[String]) -> Result<Vec<Compiler>, Failure> {
    let found = match names {
        [] => Compiler::find().map(|compiler| vec![compiler]),
        names => names.iter().map(|name| Compiler::named(name)).collect(),
    };
    found.map_err(|error| Failure::Wrong(error.to_string()))
}

/// What has come of the run so far.
struct Outcome {
    results: Results,
    /// How much of what was asked for could not be measured.
    failed: usize,
    /// The suite that is measured, with everything that it compares.
    suite: Option<(Suite, BTreeSet<Wanted>)>,
    /// The source lines of each instance's cipher.
    source_lines: BTreeMap<String, u32>,
}

impl Outcome {
    fn new(suite: Option<Suite>) -> Outcome {
        let results = Results {
            host: host(),
            date: date(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            rows: Vec::new(),
            functions: Vec::new(),
            skipped: Vec::new(),
        };
        let suite = suite.map(|suite| {
            let wanted = suite.wanted();
            (suite, wanted)
        });
        Outcome { results, failed: 0, suite, source_lines: BTreeMap::new() }
    }

    /// Whether an instance is to be measured so: without a suite everything is.
    fn wants(&self, instance: &str, options: &Options) -> bool {
        let wanted = Wanted {
            instance: instance.to_string(),
            slicing: options.direction.to_string(),
            target: options.target.name.to_string(),
        };
        self.suite.as_ref().is_none_or(|(_, all)| all.contains(&wanted))
    }

    /// Configurations in which a suite measures an instance beside those of the command line.
    fn also(&self, instance: &Instance) -> Vec<Options> {
        self.suite.as_ref().map_or(vec![], |(suite, _)| suite.also(instance.prefix.get_ref()))
    }

    /// Notes once why something is not measured, which is as it should be.
    fn skip(&mut self, what: String, why: String) {
        let skipped = Skipped { what, why };
        if !self.results.skipped.contains(&skipped) {
            self.results.skipped.push(skipped);
        }
    }

    /// Notes why something that was asked for could not be measured.
    fn fail(&mut self, what: String, why: String) {
        self.failed += 1;
        self.skip(what, why);
    }

    /// Notes once why another library was not timed.
    fn unavailable(&mut self, against: &AgainstArgs, what: String, why: &Unavailable) {
        match (against.is_news(why), against.is_failure(why)) {
            (false, _) => {}
            (true, false) => self.skip(what, why.to_string()),
            (true, true) => self.fail(what, why.to_string()),
        }
    }

    /// Notes once what limits all figures.
    fn warn(&mut self, warning: String) {
        let warnings = &mut self.results.host.warnings;
        if !warnings.contains(&warning) {
            say!("warning: {warning}");
            warnings.push(warning);
        }
    }

    fn print(self, args: &Args) -> Result<(), Failure> {
        let Outcome { results, failed, suite, source_lines } = self;
        let text = match (args.json, args.csv) {
            (true, _) => {
                let json = serde_json::to_string_pretty(&results);
                json.map_err(|error| Failure::Wrong(error.to_string()))? + "\n"
            }
            (_, true) => csv::csv(&results),
            _ => match &suite {
                Some((suite, _)) => render(suite, &results, &source_lines),
                None => table::text(&results),
            },
        };
        output::write(args.out.as_deref().unwrap_or(Path::new("-")), &text)?;
        if interrupt::happened() {
            let message = "interrupted: what was measured before is printed; the rest is missing";
            return Err(interrupt::failure(message));
        }
        match (failed, results.rows.is_empty() && results.functions.is_empty()) {
            (0, false) => Ok(()),
            (0, true) => {
                let why: Vec<String> =
                    results.skipped.iter().map(|s| format!("\n  {}: {}", s.what, s.why)).collect();
                Err(Failure::Wrong(format!("nothing could be measured{}", why.concat())))
            }
            (n, _) => {
                let message = format!("{n} of what was asked for could not be measured: see above");
                Err(Failure::Wrong(message))
            }
        }
    }
}

/// The process that times: it reads a task from standard input.
///
/// # Errors
/// [`Failure::Wrong`] if the task is ill-formed.
pub fn worker() -> Result<(), Failure> {
    // SAFETY: whoever starts it, which is this program, made the files that the task names.
    unsafe { worker::serve() }.map_err(Failure::Wrong)
}

/// The machine that this runs on.
pub fn host() -> Host {
    let mut features: Vec<String> = Vec::new();
    for feature in isa::all().iter().flat_map(|target| target.features) {
        if exec::has_feature(feature) && !features.iter().any(|known| known == feature) {
            features.push(feature.to_string());
        }
    }
    Host {
        cpu: clock::cpu_name(),
        model: machine::host().map(|machine| machine.name.clone()),
        features,
        core_per_tick: 1.0,
        warnings: Vec::new(),
    }
}

/// The date and time in UTC, as RFC 3339 writes it.
pub fn date() -> String {
    humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string()
}
