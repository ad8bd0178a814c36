//! The files `tuned/CPU.toml` in ciphers' folders: what `tune` keeps and `build` takes.

use crate::choice::{self, TargetChoice};
use crate::commands::bench;
use crate::library::Settings;
use crate::output;
use crate::session::Failure;
use crate::subjects::Cipher;
use nakiri::compile::{legality, Options};
use nakiri::core::{Direction, OpKind, Program};
use nakiri::isa::Target;
use nakiri_bench::machine;
use nakiri_bench::tune::store::{file_name, Choice, Fingerprint, Tuned};
use nakiri_library::digest;
use std::path::{Path, PathBuf};

/// This machine, as such files name it.
pub fn fingerprint() -> Fingerprint {
    let cpu = nakiri_bench::measure::cpu_name();
    let name = machine::host().map_or_else(|| file_name(&cpu), |machine| machine.name.clone());
    Fingerprint { name, cpu, features: bench::host().features }
}

/// The digest of a cipher's sources.
pub fn source_hash(cipher: &Cipher) -> String {
    digest::sources(&cipher.session.sources)
}

fn file(folder: &Path, machine: &str) -> PathBuf {
    folder.join("tuned").join(format!("{machine}.toml"))
}

/// What was found for a machine, if there is such a file.
///
/// # Errors
/// [`Failure::Wrong`] if it can't be read.
fn read(path: &Path) -> Result<Option<Tuned>, Failure> {
    let wrong = |why: String| {
        Failure::Wrong(format!(
            "`{}`: {why}\nDelete it, or make it anew with `nakiri tune`.",
            path.display()
        ))
    };
    match std::fs::read_to_string(path) {
        Ok(text) => Tuned::parse(&text).map(Some).map_err(wrong),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(wrong(error.to_string())),
    }
}

/// What the cipher's file has for this machine, an instance and a target.
///
/// # Errors
/// [`Failure::Wrong`] if the file can't be read.
pub fn stored(folder: &Path, instance: &str, target: &Target) -> Result<Vec<Choice>, Failure> {
    let tuned = read(&file(folder, &fingerprint().name))?;
    let mut choices = tuned.map_or(Vec::new(), |tuned| tuned.choices);
    choices.retain(|choice| choice.instance == instance && choice.target == target.name);
    Ok(choices)
}

/// Puts what was found into the cipher's file for that machine: by [`Tuned::replace`] or [`Tuned::merge`].
///
/// # Errors
/// [`Failure`] if the file can't be read or written.
pub fn keep(
    folder: &Path,
    found: &Tuned,
    put: impl FnOnce(&mut Tuned, &Tuned),
) -> Result<(), Failure> {
    if found.choices.is_empty() {
        return Ok(());
    }
    let path = file(folder, &found.machine.name);
    let mut all = read(&path)?.unwrap_or_else(|| Tuned { choices: Vec::new(), ..found.clone() });
    put(&mut all, found);
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(|error| {
            Failure::Usage(format!("can't make the folder `{}`: {error}", parent.display()))
        })?;
    }
    output::write(&path, &all.text())
}

/// Keeps the results of jobs, each in the folder of the cipher that has its instance.
///
/// # Errors
/// [`Failure::Wrong`] for a file that is no result, or one for no cipher that was named.
pub fn merge(folders: &[PathBuf], results: &[PathBuf]) -> Result<(), Failure> {
    let ciphers = folders.iter().map(|f| Cipher::open(f, &[])).collect::<Result<Vec<_>, _>>()?;
    for path in results {
        let missing = || Failure::Usage(format!("there is no file `{}`", path.display()));
        let found = read(path)?.ok_or_else(missing)?;
        for choice in &found.choices {
            let has = |cipher: &&Cipher| {
                cipher.instances().iter().any(|i| *i.prefix.get_ref() == choice.instance)
            };
            let cipher = ciphers.iter().find(has).ok_or_else(|| {
                Failure::Wrong(format!(
                    "`{}` is about `{}`, which none of the ciphers has: name its cipher too",
                    path.display(),
                    choice.instance
                ))
            })?;
            let only = Tuned { choices: vec![choice.clone()], ..found.clone() };
            keep(cipher.path(), &only, Tuned::merge)?;
        }
    }
    Ok(())
}

/// The settings with what was found for a machine, by default this one, for targets about which the command line says nothing more.
/// `programs` are what is compiled.
///
/// # Errors
/// [`Failure::Wrong`] if the file can't be read, [`Failure::Usage`] if there is no such machine.
pub fn apply(
    settings: Settings,
    folder: &Path,
    machine: Option<&str>,
    programs: &[&Program],
) -> Result<Settings, Failure> {
    if settings.direction.is_some() || !settings.choices.is_empty() {
        return Ok(settings);
    }
    let name = match machine {
        Some(machine) => choice::find_machine(machine)?.name,
        None => fingerprint().name,
    };
    let Some(tuned) = read(&file(folder, &name))? else { return Ok(settings) };
    let targets = match settings.targets.is_empty() {
        true => choice::default_targets(),
        false => settings.targets.clone(),
    };
    let found: Vec<TargetChoice> = targets
        .iter()
        .map(|target| found_for(&tuned, target, programs))
        .collect::<Result<_, _>>()?;
    let changed = found.iter().any(|choice| choice.direction.is_some());
    // Without anything found the defaults find their slicings themselves.
    Ok(if changed { Settings { targets: found, ..settings } } else { settings })
}

/// What was found on this machine for the kernels of a cipher.
pub struct Found {
    /// The slicing, the target and the choices.
    pub options: Options,
    /// The C compiler and its version.
    pub compiler: String,
    /// Its flags.
    pub flags: Vec<String>,
}

/// What was found on this machine for a slicing and a target about which nothing more was chosen.
///
/// # Errors
/// [`Failure::Wrong`] if the file can't be read.
pub fn found(folder: &Path, options: &Options) -> Result<Option<Found>, Failure> {
    let Options { direction, target, .. } = *options;
    if *options != Options::new(direction, target) {
        return Ok(None);
    }
    let Some(tuned) = read(&file(folder, &fingerprint().name))? else { return Ok(None) };
    let choice = |target: &Target| tuned.choice(target.name, &direction.to_string());
    // The C for a target that only adds features is mostly that for its base.
    let choice = choice(target).or_else(|| choice(target.base()?));
    let Some(choice) = choice else { return Ok(None) };
    let options = Options { target, ..configuration(&tuned, choice)? };
    let found = Found { options, compiler: choice.compiler.clone(), flags: choice.flags.clone() };
    Ok(Some(found))
}

fn configuration(tuned: &Tuned, choice: &Choice) -> Result<Options, Failure> {
    choice.configuration.parse().map_err(|why| {
        let name = &tuned.machine.name;
        Failure::Wrong(format!("tuned/{name}.toml: {why}: make it anew with `nakiri tune`"))
    })
}

/// Whether a program has look-ups of bytes for which a target has operations that another one makes of several.
fn looks_up_more(target: &Target, other: &Target, program: &Program) -> bool {
    let has = |target: &Target, kind| target.instance(kind, Direction::V, 8).is_some();
    let more = [OpKind::Substitute, OpKind::Invert, OpKind::Affine];
    more.into_iter().any(|kind| has(target, kind) && !has(other, kind)) && program.looks_up()
}

/// A target with what was found for it, unless the command line has said how it is to be.
fn found_for(
    tuned: &Tuned,
    target: &TargetChoice,
    programs: &[&Program],
) -> Result<TargetChoice, Failure> {
    let plain = target.direction.is_none() && target.choices.is_empty();
    let target = &target.clone().extended(programs);
    let of_base = || {
        // What is the fastest of all slicings there says nothing if features make others legal, or are there for this program.
        let base = target.target.base().filter(|_| !target.target.optional)?;
        let directions =
            |target| legality::directions(programs, Options::new(Direction::V, target));
        let alike = || directions(target.target) == directions(base);
        let gains = programs.iter().any(|program| looks_up_more(target.target, base, program));
        tuned.best(base.name).filter(|_| !gains && alike())
    };
    let found = tuned.best(target.target.name).or_else(of_base).filter(|_| plain);
    let Some(found) = found else { return Ok(target.clone()) };
    let options = configuration(tuned, found)?;
    let (direction, choices) = (Some(options.direction), options.choices());
    Ok(TargetChoice { direction, choices, measured: true, ..target.clone() })
}
