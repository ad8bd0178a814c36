//! `nakiri metrics`: what every kernel of ciphers consists of, counted and not timed.

use crate::choice;
use crate::manifest::Instance;
use crate::output;
use crate::session::{unreadable, Failure};
use crate::subjects::{self, Cipher};
use nakiri::compile::legality::PREFERENCE;
use nakiri::compile::{self, Options};
use nakiri::core::Direction;
use nakiri::cost::{self, Decision};
use nakiri::diagnostic::instead_of;
use nakiri::isa::{self, Target};
use nakiri_bench::bench;
use nakiri_bench::bench::cache::Cache;
use nakiri_bench::metrics::{self, Row};
use nakiri_bench::mix::Mix;
use nakiri_bench::parallel;
use nakiri_library::digest;
use nakiri_verify::cc::{self, Compiler};
use std::path::{Path, PathBuf};

/// The flags of the C compiler.
const FLAGS: &str = "-O3";

/// Counts the gates, instructions, spills and bytes of kernels in every slicing on every target
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Ciphers' folders, their names in `ciphers`, or `all`
    #[arg(value_name = "CIPHER", default_value = "all")]
    ciphers: Vec<String>,
    /// Only these targets, of this machine's architecture
    #[arg(long, value_name = "T,…", value_delimiter = ',', value_parser = target)]
    target: Vec<&'static Target>,
    /// Write a file for each cipher into a folder, instead of all to standard output
    #[arg(short = 'o', value_name = "DIR")]
    out: Option<PathBuf>,
    /// Compare with the files of a folder, without a C compiler; end with 1 if these are not what is compiled now
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    check: Option<PathBuf>,
    /// The C compiler; by default the first that is found
    #[arg(long, conflicts_with = "check")]
    cc: Option<String>,
    /// The folder for compiled files, instead of that of NAKIRI_CACHE or the user's
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
}

/// Instructions are counted in object code of this architecture.
fn here() -> impl Iterator<Item = &'static Target> {
    isa::all().iter().copied().filter(|target| cc::is_host(target.architecture))
}

fn target(name: &str) -> Result<&'static Target, String> {
    let found = here().find(|target| target.name == name);
    let names = || here().map(|target| target.name).collect::<Vec<_>>();
    found.ok_or_else(|| format!("there is no target `{name}` here; {}", instead_of(name, &names())))
}

impl Args {
    /// Whether a target is asked for.
    fn takes(&self, name: &str) -> bool {
        self.target.is_empty() || self.target.iter().any(|target| target.name == name)
    }
}

/// Runs the command.
///
/// # Errors
/// [`Failure`] if a cipher is wrong, a file can't be read or written, or what is compared differs.
pub fn run(args: &Args) -> Result<(), Failure> {
    let folders = subjects::folders(&args.ciphers)?;
    let ciphers: Vec<Cipher> =
        folders.iter().map(|folder| Cipher::open(folder, &[])).collect::<Result<_, _>>()?;
    match &args.check {
        Some(folder) => check(args, &ciphers, folder),
        None => count(args, &ciphers),
    }
}

/// A kernel that was emitted, and its C.
struct Kernel {
    /// Without counts of the object code.
    row: Row,
    source: String,
}

/// Every legal kernel of each cipher, by the choices for the machine that its target names: the same everywhere.
fn kernels(args: &Args, ciphers: &[Cipher]) -> Result<Vec<Vec<Kernel>>, Failure> {
    let mut work = Vec::new();
    for (place, cipher) in ciphers.iter().enumerate() {
        for instance in cipher.distinct_instances() {
            let wanted = here().filter(|target| args.takes(target.name));
            work.extend(wanted.map(|target| (place, instance, target)));
        }
    }
    let of_target = |&(place, instance, target): &(usize, &Instance, &'static Target)| {
        (place, on_target(&ciphers[place], instance, target))
    };
    let mut kernels: Vec<Vec<Kernel>> = ciphers.iter().map(|_| Vec::new()).collect();
    for (place, found) in parallel::map(&work, of_target) {
        kernels[place].extend(found?);
    }
    Ok(kernels)
}

fn on_target(
    cipher: &Cipher,
    instance: &Instance,
    target: &'static Target,
) -> Result<Vec<Kernel>, Failure> {
    let mut kernels = Vec::new();
    let served = |direction: &Direction| cipher.is_served(instance, target, *direction);
    for direction in PREFERENCE.into_iter().filter(served) {
        let open = Options::new(direction, target);
        let Ok(decision) = cipher.decide(instance, &open, false)? else { continue };
        let options = decision.options;
        let Ok(compiled) = cipher.compile_without_modes(instance, &options)? else { continue };
        is_what_was_priced(&decision, &compiled.kernel)?;
        let row = Row {
            instance: instance.prefix.get_ref().clone(),
            slicing: direction.to_string(),
            target: target.name.to_string(),
            configuration: options.to_string(),
            blocks: compiled.kernel.blocks(),
            source: digest::short(&compiled.source),
            ..Row::default()
        };
        let row = row.with_mix(&Mix::of(&compiled.kernel));
        kernels.push(Kernel { row, source: compiled.source });
    }
    Ok(kernels)
}

/// Whether what is built costs what it was taken for.
fn is_what_was_priced(decision: &Decision, built: &compile::Kernel) -> Result<(), Failure> {
    let machine = choice::machine(None, built.target, false)?;
    let (priced, now) = (decision.taken(), cost::estimate_kernel(built, &machine).ok());
    if priced.map(|candidate| &candidate.estimate) == now.as_ref() {
        return Ok(());
    }
    let cycles = |estimate: Option<f64>| estimate.map_or("no price".to_string(), |c| c.to_string());
    Err(Failure::Wrong(format!(
        "`{}` was taken for {} cycles, and what is built is estimated at {}; report this",
        decision.options,
        cycles(priced.map(|candidate| candidate.estimate.cycles)),
        cycles(now.map(|estimate| estimate.cycles))
    )))
}

fn file(folder: &Path, cipher: &Cipher) -> PathBuf {
    folder.join(format!("{}.csv", cipher.name))
}

fn count(args: &Args, ciphers: &[Cipher]) -> Result<(), Failure> {
    let compiler = match &args.cc {
        Some(name) => Compiler::named(name),
        None => Compiler::find(),
    };
    let compiler = compiler.map_err(|error| Failure::Wrong(error.to_string()))?;
    let cache = Cache::open(args.cache.as_deref()).map_err(Failure::Wrong)?;
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder).map_err(|error| {
            Failure::Usage(format!("can't make `{}`: {error}", folder.display()))
        })?;
    }
    let all = kernels(args, ciphers)?;
    let steps = all.iter().map(Vec::len).sum();
    let bar = output::progress(steps, "compiling");
    let mut printed = Vec::new();
    for (cipher, kernels) in ciphers.iter().zip(all) {
        let kept = args.out.as_deref().map_or(Ok(None), |folder| kept(folder, cipher))?;
        let kept = kept.unwrap_or_default();
        let rows = parallel::map(&kernels, |kernel| {
            let row = row(kernel, &kept, &compiler, &cache);
            bar.inc(1);
            row
        });
        let rows = rows.into_iter().collect::<Result<Vec<Row>, _>>().map_err(Failure::Wrong)?;
        match &args.out {
            Some(folder) => output::write(&file(folder, cipher), &csv(&rows)?)?,
            None => printed.extend(rows),
        }
    }
    bar.finish_and_clear();
    match args.out {
        Some(_) => Ok(()),
        None => output::print(&csv(&printed)?),
    }
}

fn csv(rows: &[Row]) -> Result<String, Failure> {
    metrics::to_csv(rows).map_err(Failure::Wrong)
}

/// With the counts of its object code: those that were kept, if its text and the compiler are the same.
fn row(kernel: &Kernel, kept: &[Row], compiler: &Compiler, cache: &Cache) -> Result<Row, String> {
    let name = format!("{} {FLAGS}", compiler.version());
    if let Some(known) = metrics::known(kept, &kernel.row, &name) {
        return Ok(known.clone());
    }
    let built = cache.build(&kernel.source, compiler, &[FLAGS.to_string()], None)?;
    let code = bench::code(&built.object)?;
    Ok(kernel.row.clone().with_code(&name, &code))
}

/// The rows of a cipher in a folder; none if there is no file of it.
fn kept(folder: &Path, cipher: &Cipher) -> Result<Option<Vec<Row>>, Failure> {
    let path = file(folder, cipher);
    let name = path.display().to_string();
    match std::fs::read_to_string(&path) {
        Ok(text) => metrics::from_csv(&text)
            .map(Some)
            .map_err(|error| Failure::Wrong(format!("`{name}`: {error}"))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::Usage(unreadable(&name, &error))),
    }
}

fn check(args: &Args, ciphers: &[Cipher], folder: &Path) -> Result<(), Failure> {
    let mut stale = Vec::new();
    for (cipher, now) in ciphers.iter().zip(kernels(args, ciphers)?) {
        let Some(mut kept) = kept(folder, cipher)? else {
            let name = file(folder, cipher);
            return Err(Failure::Usage(format!("there is no file `{}`", name.display())));
        };
        kept.retain(|row| args.takes(&row.target));
        let now: Vec<Row> = now.into_iter().map(|kernel| kernel.row).collect();
        stale.extend(metrics::stale(&kept, &now));
    }
    if stale.is_empty() {
        return Ok(());
    }
    let names: String = ciphers.iter().map(|cipher| format!(" {}", cipher.name)).collect();
    Err(Failure::Wrong(format!(
        "{} kernels are not what `{}` says: look at the change after `nakiri metrics{names} -o {}`\n  {}",
        stale.len(),
        folder.display(),
        folder.display(),
        stale.join("\n  ")
    )))
}
