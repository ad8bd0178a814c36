//! What is to be measured: every instance of every cipher, in every slicing on every target, by every C compiler.

use super::{Measurement, Outcome};
use crate::choice::TargetChoice;
use crate::manifest::Instance;
use crate::session::Failure;
use crate::subjects::{self, Cipher, Compiled};
use crate::tuned::{self, Found};
use nakiri::compile::{legality, Kernel, Options};
use nakiri::core::Port;
use nakiri::isa;
use nakiri::layout::memory_bytes;
use nakiri_verify::cc::Compiler;
use nakiri_verify::exec;
use std::cmp::Ordering;
use std::path::Path;

/// One row to be.
pub struct Job {
    /// The cipher's name.
    pub cipher: String,
    /// The instance's prefix.
    pub instance: String,
    /// The slicing, the target and the compiler's choices.
    pub options: Options,
    /// What the compiler made of it.
    pub compiled: Compiled,
    /// The bytes of a block that are counted.
    pub counted: Counted,
    /// The C compiler.
    pub compiler: Compiler,
    /// Its flags.
    pub flags: Vec<String>,
}

/// The bytes of a block that cycles are divided by.
#[derive(Clone, Debug)]
pub struct Counted {
    /// How many.
    pub bytes: usize,
    /// Which, for people.
    pub of: String,
}

impl Counted {
    /// Those of the parameter that the manifest calls the message, or else of all inputs, or of all outputs if they are more.
    fn of(instance: &Instance, kernel: &Kernel) -> Counted {
        let bytes = |port: &Port| memory_bytes(port.ty.bits(), port.count());
        let inputs: Vec<&Port> = kernel.inputs().iter().filter(|port| !port.constant).collect();
        let message = instance.message.as_ref().map(|name| name.get_ref());
        if let Some(port) = message.and_then(|name| inputs.iter().find(|port| port.name == *name)) {
            return Counted { bytes: bytes(port), of: format!("of `{}`", port.name) };
        }
        let input: usize = inputs.iter().map(|port| bytes(port)).sum();
        let output: usize = kernel.outputs().iter().map(bytes).sum();
        let of = match input.cmp(&output) {
            Ordering::Equal => "",
            Ordering::Less => "of output",
            Ordering::Greater if inputs.len() > 1 => "of all inputs",
            Ordering::Greater => "of input",
        };
        Counted { bytes: input.max(output), of: of.to_string() }
    }
}

impl Job {
    /// What messages call it.
    pub fn what(&self) -> String {
        format!("{} with {}", what(&self.instance, &self.options), self.compiler.program)
    }
}

fn what(instance: &str, options: &Options) -> String {
    format!("{instance} {} {}", options.direction, options.target.name)
}

/// The jobs that the command line asks for; those of an instance on a target stand together.
///
/// # Errors
/// [`Failure`] if the command line asks for what there isn't. Ciphers that are wrong are noted in `outcome`.
pub fn jobs(
    ciphers: &[String],
    how: &Measurement,
    compilers: &[Compiler],
    outcome: &mut Outcome,
) -> Result<Vec<Job>, Failure> {
    let configurations = how.configurations()?;
    let mut jobs = Vec::new();
    for folder in subjects::folders(ciphers)? {
        if let Some(cipher) = open(&folder, outcome)? {
            let lines = cipher.source_lines();
            let named = cipher.instances().iter().map(|i| (i.prefix.get_ref().clone(), lines));
            outcome.source_lines.extend(named);
            for instance in instances(how, &cipher) {
                let also = outcome.also(instance);
                for options in configurations.iter().chain(&also) {
                    of_instance(how, compilers, (&cipher, instance), options, &mut jobs, outcome)?;
                }
            }
        }
    }
    let target = |job: &Job| isa::all().iter().position(|t| t.name == job.options.target.name);
    // The sort is stable: instances keep the order of the manifest, slicings that in which they were asked for.
    let instances: Vec<String> = jobs.iter().map(|job| job.instance.clone()).collect();
    let first = |job: &Job| instances.iter().position(|name| *name == job.instance);
    jobs.sort_by_key(|job| (first(job), target(job)));
    Ok(jobs)
}

/// Opens a cipher; one that is wrong is not timed.
fn open(folder: &Path, outcome: &mut Outcome) -> Result<Option<Cipher>, Failure> {
    match Cipher::open(folder, &[]) {
        Err(Failure::Reported) => {
            let why = "its source or its vectors are wrong, as said above; it is not timed";
            outcome.fail(folder.display().to_string(), why.to_string());
            Ok(None)
        }
        opened => opened.map(|cipher| Some(cipher.told_of_circuits())),
    }
}

/// The instances that are measured.
fn instances<'a>(how: &Measurement, cipher: &'a Cipher) -> Vec<&'a Instance> {
    match how.all_instances {
        true => cipher.instances().iter().collect(),
        false => cipher.distinct_instances(),
    }
}

/// Adds the jobs of an instance in one configuration, if it is to be measured so.
fn of_instance(
    how: &Measurement,
    compilers: &[Compiler],
    (cipher, instance): (&Cipher, &Instance),
    options: &Options,
    jobs: &mut Vec<Job>,
    outcome: &mut Outcome,
) -> Result<(), Failure> {
    let name = instance.prefix.get_ref();
    if let Err(error) = exec::runnable(options.target) {
        outcome.skip(what(name, options), error.to_string());
        return Ok(());
    }
    let named = how.choice.target.is_some();
    let of_use = named || cipher.is_served(instance, options.target, options.direction);
    if !of_use || !outcome.wants(name, options) {
        return Ok(());
    }
    let found = tuned::found(cipher.path(), options)?;
    let options = found.as_ref().map_or(options, |found| &found.options);
    let decided = cipher.decide(instance, options, true)?;
    let compiled = match decided {
        Ok(decision) => {
            let options = cipher.with_short(instance, decision.options)?;
            cipher.compile(instance, &options)?.map(|compiled| (options, compiled))
        }
        Err(diagnostics) => Err(diagnostics),
    };
    match compiled {
        Ok((options, compiled)) => jobs.extend(compilers.iter().map(|compiler| Job {
            cipher: cipher.name.clone(),
            instance: name.clone(),
            options,
            counted: Counted::of(instance, &compiled.kernel),
            compiled: compiled.clone(),
            compiler: compiler.clone(),
            flags: flags(how, compiler, found.as_ref()),
        })),
        // A slicing that was asked for must be legal; of all slicings those that are will do.
        Err(diagnostics) if how.asked_for_slicing() => {
            let why = diagnostics.first().map_or(String::new(), |d| d.message.clone());
            outcome.skip(what(name, options), why);
        }
        Err(_) => {}
    }
    Ok(())
}

/// The flags for a C compiler: those of the command line, or those that were found for it.
fn flags(how: &Measurement, compiler: &Compiler, found: Option<&Found>) -> Vec<String> {
    match (&how.cflags, found) {
        (Some(flags), _) => flags.split_whitespace().map(str::to_string).collect(),
        (None, Some(found)) if found.compiler == compiler.version() => found.flags.clone(),
        _ => vec!["-O3".to_string()],
    }
}

impl Measurement {
    fn asked_for_slicing(&self) -> bool {
        let flags = self.choice.slicing;
        !self.slicing.is_empty() || flags.bitslice || flags.vertical || flags.horizontal
    }

    /// Every slicing on every target that was asked for.
    ///
    /// # Errors
    /// [`Failure::Usage`] for targets that there aren't.
    pub fn configurations(&self) -> Result<Vec<Options>, Failure> {
        let choice = &self.choice;
        let mut targets = choice.variants()?;
        if targets.is_empty() {
            targets = isa::all().iter().map(|target| TargetChoice::plain(target)).collect();
        }
        let mut all = Vec::new();
        for target in &targets {
            let slicings = match target.direction.or(choice.slicing.direction()) {
                Some(direction) => vec![direction],
                None if self.slicing.is_empty() => legality::PREFERENCE.to_vec(),
                None => self.slicing.clone(),
            };
            all.extend(slicings.into_iter().map(|direction| {
                let options = Options::new(direction, target.target);
                options.with(&choice.choices()).with(&target.choices)
            }));
        }
        Ok(all)
    }
}
