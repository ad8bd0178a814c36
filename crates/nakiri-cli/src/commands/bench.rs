//! `nakiri bench`: what emitted libraries cost, part by part.

use crate::against::{self, AgainstArgs};
use crate::choice::{self, ChoiceArgs};
use crate::output;
use crate::session::Failure;
use crate::subjects::{self, Cipher, Compiled};
use nakiri::compile::Options;
use nakiri::core::Direction;
use nakiri::target;
use nakiri_bench::against::Unavailable;
use nakiri_bench::bench::cache::{Built, Cache};
use nakiri_bench::bench::table;
use nakiri_bench::bench::worker::{self, Answer, Measured, Subject, Task};
use nakiri_bench::results::{Code, Host, ModeRow, Results, Row, Skipped};
use nakiri_verify::cc::Compiler;
use nakiri_verify::exec;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

/// Measures ciphers: cycles per byte of kernels, transpositions and whole messages
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Ciphers' folders, their names in `ciphers`, or `all`
    #[arg(required = true, value_name = "CIPHER")]
    ciphers: Vec<String>,
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
    /// The flags of the C compilers, in one word
    #[arg(long, default_value = "-O3", allow_hyphen_values = true)]
    cflags: String,
    #[command(flatten)]
    against: AgainstArgs,
    /// The lengths of messages, in bytes
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "16384",
        value_parser = clap::value_parser!(u32).range(1..=1 << 26))]
    size: Vec<u32>,
    /// Samples of each figure
    #[arg(long, default_value = "101", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    samples: u32,
    /// The folder for compiled files, instead of that of NAKIRI_CACHE or the user's
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Print all figures as JSON
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print all figures as comma-separated values
    #[arg(long)]
    csv: bool,
    /// Write to a file instead of standard output
    #[arg(short = 'o', value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// [`Failure::Wrong`] if something that was asked for could not be measured; what could is printed all the same.
pub fn run(args: &Args) -> Result<(), Failure> {
    let mut bench = Bench::new(args)?;
    for folder in subjects::folders(&args.ciphers)? {
        bench.cipher(&folder)?;
    }
    bench.build();
    bench.measure()?;
    let results = bench.results;
    let text = match (args.json, args.csv) {
        (true, _) => {
            serde_json::to_string_pretty(&results)
                .map_err(|error| Failure::Wrong(error.to_string()))?
                + "\n"
        }
        (_, true) => table::csv(&results),
        _ => table::table(&results),
    };
    output::write(args.out.as_deref().unwrap_or(Path::new("-")), &text)?;
    match bench.failed {
        0 => Ok(()),
        n => Err(Failure::Wrong(format!("{n} of what was asked for could not be measured"))),
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

/// One row to be.
struct Job {
    cipher: String,
    instance: String,
    options: Options,
    compiled: Compiled,
    compiler: Compiler,
    flags: Vec<String>,
    built: Option<Built>,
}

struct Bench<'a> {
    args: &'a Args,
    cache: Cache,
    compilers: Vec<Compiler>,
    jobs: Vec<Job>,
    results: Results,
    failed: usize,
}

impl<'a> Bench<'a> {
    fn new(args: &'a Args) -> Result<Bench<'a>, Failure> {
        let cache = Cache::open(args.cache.as_deref()).map_err(Failure::Wrong)?;
        let found = match &args.cc[..] {
            [] => Compiler::find().map(|compiler| vec![compiler]),
            names => names.iter().map(|name| Compiler::named(name)).collect(),
        };
        let compilers = found.map_err(|error| Failure::Wrong(error.to_string()))?;
        let results = Results {
            host: host(),
            date: date(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            rows: Vec::new(),
            skipped: Vec::new(),
        };
        Ok(Bench { args, cache, compilers, jobs: Vec::new(), results, failed: 0 })
    }

    fn skip(&mut self, what: String, why: String) {
        self.results.skipped.push(Skipped { what, why });
    }

    /// The jobs of a cipher.
    fn cipher(&mut self, folder: &Path) -> Result<(), Failure> {
        let cipher = match Cipher::open(folder, &[]) {
            Err(Failure::Reported) => {
                self.failed += 1;
                let why = "its source or its vectors are wrong, as said above; it is not timed";
                self.skip(folder.display().to_string(), why.to_string());
                return Ok(());
            }
            opened => opened?,
        };
        let instances = match self.args.all_instances {
            true => cipher.instances().iter().collect(),
            false => cipher.distinct_instances(),
        };
        for instance in instances {
            for options in self.configurations()? {
                let name = instance.prefix.get_ref().clone();
                let what = format!("{name} {} {}", options.direction, options.target.name);
                if let Err(error) = exec::runnable(options.target) {
                    self.skip(what, error.to_string());
                    continue;
                }
                match cipher.compile(instance, &options)? {
                    Ok(compiled) => self.jobs(&cipher.name, &name, &options, compiled),
                    // A slicing that was asked for must be legal; of all slicings those that are will do.
                    Err(diagnostics) if self.asked_for_slicing() => {
                        let why = diagnostics.first().map_or(String::new(), |d| d.message.clone());
                        self.skip(what, why);
                    }
                    Err(_) => {}
                }
            }
        }
        Ok(())
    }

    fn asked_for_slicing(&self) -> bool {
        let flags = self.args.choice.slicing;
        !self.args.slicing.is_empty() || flags.bitslice || flags.vertical || flags.horizontal
    }

    fn jobs(&mut self, cipher: &str, instance: &str, options: &Options, compiled: Compiled) {
        for compiler in &self.compilers {
            self.jobs.push(Job {
                cipher: cipher.to_string(),
                instance: instance.to_string(),
                options: *options,
                compiled: compiled.clone(),
                compiler: compiler.clone(),
                flags: self.args.cflags.split_whitespace().map(str::to_string).collect(),
                built: None,
            });
        }
    }

    /// Every slicing on every target that was asked for.
    fn configurations(&self) -> Result<Vec<Options>, Failure> {
        let choice = &self.args.choice;
        let mut targets = choice.targets()?;
        if targets.is_empty() {
            targets = target::all().iter().map(|t| choice::TargetChoice::plain(t)).collect();
        }
        let mut all = Vec::new();
        for target in &targets {
            let own = target.direction.or(choice.slicing.direction()?);
            let slicings = match own {
                Some(direction) => vec![direction],
                None if self.args.slicing.is_empty() => choice::PREFERENCE.to_vec(),
                None => self.args.slicing.clone(),
            };
            all.extend(slicings.into_iter().map(|direction| {
                let options = Options::new(direction, target.target);
                options.with(&choice.choices()).with(&target.choices)
            }));
        }
        Ok(all)
    }

    /// Compiles what was not compiled before, on all cores.
    fn build(&mut self) {
        let bar = output::progress(self.jobs.len(), "compiling");
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<(usize, Result<Built, String>)>> = Mutex::new(Vec::new());
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some((k, job)) = take(&next, &self.jobs) {
                        let source = &job.compiled.source;
                        let built = self.cache.build(source, &job.compiler, &job.flags, None);
                        done.lock().unwrap_or_else(|e| e.into_inner()).push((k, built));
                        bar.inc(1);
                    }
                });
            }
        });
        bar.finish_and_clear();
        for (k, built) in done.into_inner().unwrap_or_default() {
            match built {
                Ok(built) => self.jobs[k].built = Some(built),
                Err(message) => {
                    let what = what(&self.jobs[k]);
                    self.failed += 1;
                    self.skip(what, first_lines(&message));
                }
            }
        }
    }

    /// Times all jobs: those of an instance on a target side by side.
    fn measure(&mut self) -> Result<(), Failure> {
        let program = std::env::current_exe()
            .map_err(|error| Failure::Wrong(format!("can't find this program: {error}")))?;
        let jobs: Vec<Job> =
            std::mem::take(&mut self.jobs).into_iter().filter(|job| job.built.is_some()).collect();
        let bar = output::progress(jobs.len(), "measuring");
        for group in jobs.chunk_by(|a, b| {
            a.instance == b.instance && a.options.target.name == b.options.target.name
        }) {
            let task = self.task(group);
            let variables = self.args.against.variables(group[0].options.target);
            match task.run_apart(&program, &["bench-worker"], &variables) {
                Ok(answer) => self.rows(group, answer),
                Err(message) => {
                    for job in group {
                        self.failed += 1;
                        self.skip(what(job), message.clone());
                    }
                }
            }
            bar.inc(group.len() as u64);
        }
        bar.finish_and_clear();
        Ok(())
    }

    fn task(&self, group: &[Job]) -> Task {
        let subject = |job: &Job| Subject {
            shared: job.built.as_ref().map(|built| built.shared.clone()).unwrap_or_default(),
            key: job.compiled.key.clone(),
            counter: job.compiled.counter.clone(),
        };
        Task {
            subjects: group.iter().map(subject).collect(),
            sizes: self.args.size.iter().map(|size| *size as usize).collect(),
            samples: self.args.samples,
            parts: true,
            pairs: Vec::new(),
            against: self.args.against.task(
                &group[0].instance,
                group[0].options.target,
                &group[0].compiled,
                self.cache.folder(),
                &group[0].compiler,
            ),
        }
    }

    fn rows(&mut self, group: &[Job], answer: Answer) {
        self.results.host.core_per_tick = answer.core_per_tick;
        for warning in answer.warnings {
            if !self.results.host.warnings.contains(&warning) {
                self.results.host.warnings.push(warning);
            }
        }
        let libraries = self.args.against.libraries();
        let others: Vec<_> = libraries.into_iter().zip(answer.others).collect();
        for (name, other) in &others {
            if let Err(why) = other {
                self.unavailable(format!("{name} beside {}", group[0].instance), why);
            }
        }
        for (job, measured) in group.iter().zip(answer.subjects) {
            match measured {
                Ok(measured) => {
                    let mut row = self.row(job, &measured);
                    against::add(&mut row, &others);
                    self.results.rows.push(row);
                }
                Err(why) => {
                    self.failed += 1;
                    self.skip(what(job), why);
                }
            }
        }
    }

    /// Says once why another library was not timed.
    fn unavailable(&mut self, what: String, why: &Unavailable) {
        let skipped = Skipped { what, why: why.to_string() };
        if self.args.against.is_news(why) && !self.results.skipped.contains(&skipped) {
            self.failed += usize::from(self.args.against.is_failure(why));
            self.results.skipped.push(skipped);
        }
    }

    fn row(&self, job: &Job, measured: &Measured) -> Row {
        let batch = (measured.blocks * measured.block_bytes) as f64;
        let message = |(size, cost): (&u32, &nakiri_bench::measure::Statistics)| ModeRow {
            mode: measured.mode.clone(),
            bytes: u64::from(*size),
            cost: cost.per(f64::from(*size)),
            against: Vec::new(),
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
            block_bytes: measured.block_bytes as u32,
            kernel: measured.kernel.per(batch),
            transposition: measured.transposition.per(batch),
            modes: self.args.size.iter().zip(&measured.messages).map(message).collect(),
            latency: measured.latency,
            break_even: None,
            code: Code::default(),
            bound: None,
        }
    }
}

/// The next of some jobs that no thread has taken.
fn take<'a>(next: &AtomicUsize, jobs: &'a [Job]) -> Option<(usize, &'a Job)> {
    let k = next.fetch_add(1, Ordering::Relaxed);
    jobs.get(k).map(|job| (k, job))
}

fn what(job: &Job) -> String {
    format!(
        "{} {} {} with {}",
        job.instance, job.options.direction, job.options.target.name, job.compiler.program
    )
}

fn first_lines(message: &str) -> String {
    message.lines().take(3).collect::<Vec<_>>().join("\n  ")
}

/// The machine that this runs on.
pub fn host() -> Host {
    let features = target::all().iter().flat_map(|target| target.features);
    let mut features: Vec<String> =
        features.filter(|f| exec::has_feature(f)).map(|f| f.to_string()).collect();
    features.dedup();
    Host {
        cpu: nakiri_bench::measure::cpu_name(),
        model: None,
        features,
        core_per_tick: 1.0,
        warnings: Vec::new(),
    }
}

/// The date and time in UTC, as RFC 3339 writes it.
pub fn date() -> String {
    humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string()
}
