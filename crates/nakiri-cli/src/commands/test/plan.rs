//! What is compiled of a folder: libraries, each of the targets that share a slicing and a compiler.

use super::Args;
use crate::choice;
use crate::package::Languages;
use crate::program::Input;
use crate::session::{Failure, Session};
use crate::vectors::{self, Nodes};
use nakiri::check;
use nakiri::compile::{legality, Options};
use nakiri::core::{Direction, Program};
use nakiri::isa::{self, Target};
use nakiri_verify::{cc, exec, Error};
use std::fmt;
use std::path::Path;

/// A folder whose vectors the interpreter computes.
pub struct Subject {
    /// The name of its files.
    pub name: String,
    /// What it is.
    pub title: String,
    /// How many vectors it has.
    pub vectors: usize,
    /// The programs that slicings must be legal for.
    programs: Vec<Program>,
    /// The only slicing, if there is but one.
    only: Option<Direction>,
}

impl Subject {
    /// Reads a folder and runs its vectors through the interpreter.
    ///
    /// # Errors
    /// What is wrong with it, reported.
    pub fn read(folder: &Path) -> Result<Subject, Failure> {
        let mut session = Session::default();
        let input = Input::find(&mut session, folder)?;
        let checked = session.check(&input.source, &check::Options::default())?;
        let Some(folder) = &input.folder else {
            return Err(Failure::Usage(format!("`{}` is no cipher's folder", folder.display())));
        };
        let agreed = vectors::check(&session, folder, &checked)?;
        let manifest = &folder.manifest;
        let nodes = manifest.instances.iter();
        let nodes = nodes.map(|instance| vectors::nodes(&session, folder, &checked, instance));
        let nodes = nodes.collect::<Result<Vec<_>, _>>()?;
        let shared = manifest.instances.iter().any(|instance| instance.shared.is_some());
        Ok(Subject {
            name: manifest.name.get_ref().clone(),
            title: manifest.title.clone(),
            vectors: agreed.blocks + agreed.messages + agreed.ticks,
            programs: nodes.iter().flat_map(Nodes::of_blocks).cloned().collect(),
            only: shared.then_some(Direction::B),
        })
    }

    fn programs(&self) -> Vec<&Program> {
        self.programs.iter().collect()
    }
}

/// A library to compile.
pub struct Job {
    /// The language.
    pub language: Language,
    /// The slicing and its targets; without any what `nakiri build` makes.
    sliced: Option<(Direction, Vec<&'static Target>)>,
    /// What is added since a crate needs it.
    everywhere: Option<Direction>,
}

/// What a library is written in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// C.
    C,
    /// Rust.
    Rust,
}

impl Job {
    /// A target that says which compilers take it.
    pub fn target(&self) -> Option<&'static Target> {
        self.sliced.as_ref().map(|(_, targets)| targets[0])
    }

    /// The targets as `--target` takes them.
    pub fn targets(&self) -> Option<String> {
        let (direction, targets) = self.sliced.as_ref()?;
        let own = targets.iter().map(|target| (*target, *direction));
        let everywhere = self.everywhere.map(|direction| (isa::everywhere(), direction));
        let named = own.chain(everywhere).map(|(target, direction)| {
            // Several words in a register are a target of their own.
            let single = direction == Direction::V && target.several().is_some();
            format!("{}:{direction}{}", target.name, if single { "+one-word" } else { "" })
        });
        Some(named.collect::<Vec<_>>().join(","))
    }
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Some((direction, targets)) = &self.sliced else {
            return write!(f, "what `nakiri build` makes for this CPU");
        };
        let names: Vec<&str> = targets.iter().map(|target| target.name).collect();
        write!(f, "-{direction} {}", names.join(" "))
    }
}

/// What is asked for.
pub struct Plan {
    /// The targets; none if what `nakiri build` makes is asked for.
    targets: Option<Vec<&'static Target>>,
    /// Whether targets that a program doesn't gain by are taken.
    is_named: bool,
    slicings: Vec<Direction>,
    languages: Languages,
    /// What is left out, and why.
    pub lacks: Vec<String>,
}

impl Plan {
    /// What the command line asks for.
    ///
    /// # Errors
    /// [`Failure::Usage`] for a target that there isn't.
    pub fn new(args: &Args) -> Result<Plan, Failure> {
        let mut lacks = Vec::new();
        let named = args.target.iter().map(|name| choice::target(name));
        let named = named.collect::<Result<Vec<_>, _>>()?;
        let is_named = !named.is_empty();
        let mut others = Vec::new();
        let runs = |target: &&'static Target| {
            let lack = match exec::runnable(target) {
                Ok(()) => return true,
                Err(lack) if cc::is_host(target.architecture) => lack,
                Err(_) if !args.emulate && !is_named => {
                    others.push(target.name);
                    return false;
                }
                Err(_) => match exec::emulated(target) {
                    Ok(_) => return true,
                    Err(lack) => lack,
                },
            };
            let why = lack.to_string();
            let why = why.trim_start_matches("not run: ");
            lacks.push(match lack {
                Error::NotRunnable { .. } => why.to_string(),
                _ => format!("{}: {why}", target.name),
            });
            false
        };
        let all = if is_named { named } else { isa::all().to_vec() };
        let targets = (!args.quick).then(|| all.into_iter().filter(runs).collect());
        if !others.is_empty() {
            let others = others.join(", ");
            lacks.push(format!("{others}: of other CPUs; --emulate takes what emulators run here"));
        }
        let (slicings, languages) = (args.slicing.clone(), args.lang);
        Ok(Plan { targets, is_named, slicings, languages, lacks })
    }

    /// The libraries of a folder.
    pub fn jobs(&self, subject: &Subject) -> Vec<Job> {
        let languages = [
            self.languages.c().then_some(Language::C),
            self.languages.rust().then_some(Language::Rust),
        ];
        let languages = languages.into_iter().flatten();
        let Some(targets) = &self.targets else {
            let job = |language| Job { language, sliced: None, everywhere: None };
            return languages.map(job).collect();
        };
        let programs = subject.programs();
        let mut jobs = Vec::new();
        for language in languages {
            let asked = |d: &Direction| self.slicings.is_empty() || self.slicings.contains(d);
            let asked = |d: &Direction| asked(d) && subject.only.is_none_or(|only| only == *d);
            for direction in legality::PREFERENCE.into_iter().filter(asked) {
                let gains = |target: &Target| {
                    let mut programs = programs.iter();
                    self.is_named || programs.any(|program| target.serves_in(direction, program))
                };
                // In a crate the first variant that every CPU runs is the last.
                let written = |target: &Target| {
                    let host = cc::is_host(target.architecture);
                    let hidden = target.guard().is_none() && target.name != isa::everywhere().name;
                    language == Language::C || host && !hidden && isa::rust::of(target).is_some()
                };
                let own = targets.iter().copied().filter(|target| gains(target) && written(target));
                let legal =
                    own.filter(|target| legality::is_legal_in(&programs, direction, target));
                let groups = by_compiler(legal);
                jobs.extend(groups.into_iter().map(|targets| {
                    let has = targets.iter().any(|target| target.name == isa::everywhere().name);
                    let needs = language == Language::Rust && !has;
                    let legal = || {
                        legality::directions(
                            &programs,
                            Options::new(Direction::V, isa::everywhere()),
                        )
                    };
                    let everywhere = needs.then(legal).and_then(|all| all.first().copied());
                    Job { language, sliced: Some((direction, targets)), everywhere }
                }));
            }
        }
        jobs
    }
}

/// Targets by the compilers that take them.
fn by_compiler(targets: impl Iterator<Item = &'static Target>) -> Vec<Vec<&'static Target>> {
    let mut groups: Vec<Vec<&'static Target>> = Vec::new();
    let alike =
        |a: &Target, b: &Target| a.architecture == b.architecture && a.extension == b.extension;
    for target in targets {
        match groups.iter_mut().find(|group| alike(group[0], target)) {
            Some(group) => group.push(target),
            None => groups.push(vec![target]),
        }
    }
    groups
}
