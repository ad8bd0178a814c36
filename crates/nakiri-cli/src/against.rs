//! Other libraries on the command line of `bench`: which, under which masks, and their figures beside ours.

use crate::subjects::Compiled;
use clap::builder::PossibleValuesParser;
use nakiri::isa::Target;
use nakiri_bench::against::timing::{Task, Timed};
use nakiri_bench::against::{environment, Unavailable, COMPETITORS};
use nakiri_bench::results::{AgainstRow, Row};
use nakiri_verify::cc::Compiler;
use std::path::Path;

/// The flags.
#[derive(Clone, Debug, clap::Args)]
pub struct AgainstArgs {
    /// Libraries to time beside it, as they are installed
    #[arg(long, value_name = "LIB,…", value_delimiter = ',',
        value_parser = PossibleValuesParser::new(names()))]
    against: Vec<String>,
    /// The CPU features that these libraries may use, where they can be told
    #[arg(long, value_enum, default_value = "target", requires = "against")]
    features: Features,
}

/// What other libraries may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Features {
    /// The target's instructions, without AES-NI and the like
    Target,
    /// All that the CPU has
    All,
}

const ALL: &str = "all";

fn names() -> Vec<&'static str> {
    COMPETITORS.iter().map(|competitor| competitor.name).chain([ALL]).collect()
}

impl AgainstArgs {
    fn is_all(&self) -> bool {
        self.against.iter().any(|name| name == ALL)
    }

    /// The names of the libraries that were asked for, each once.
    pub fn libraries(&self) -> Vec<String> {
        let asked = |name: &&str| self.is_all() || self.against.iter().any(|other| other == name);
        let names = COMPETITORS.iter().map(|competitor| competitor.name);
        names.filter(asked).map(str::to_string).collect()
    }

    /// The environment of the process that times a target.
    pub fn variables(&self, target: &Target) -> Vec<(String, String)> {
        match self.features {
            Features::Target if !self.against.is_empty() => environment(target)
                .into_iter()
                .map(|(name, value)| (name.to_string(), value))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// What is to be timed beside an instance; nothing if no library was asked for.
    pub fn task(
        &self,
        instance: &str,
        target: &Target,
        compiled: &Compiled,
        cache: &Path,
        compiler: &Compiler,
    ) -> Option<Task> {
        let place = compiled.counter_place;
        (!self.against.is_empty()).then(|| Task {
            libraries: self.libraries(),
            instance: instance.to_string(),
            target: target.name.to_string(),
            counter: place.map(|place| (place.offset, place.bytes, place.big_endian)),
            folder: cache.join("against"),
            compiler: compiler.program.clone(),
        })
    }

    /// Whether it is worth saying that a library was not timed: of `all` those without the cipher need no mention.
    pub fn is_news(&self, why: &Unavailable) -> bool {
        !(self.is_all() && matches!(why, Unavailable::Lacks { .. }))
    }

    /// Whether the user has to know by the exit status that a library was not timed: not if it has no such cipher, nor if
    /// it is not installed and was not named.
    pub fn is_failure(&self, why: &Unavailable) -> bool {
        match why {
            Unavailable::Lacks { .. } => false,
            Unavailable::Missing { .. } => !self.is_all(),
            _ => true,
        }
    }
}

/// Puts the figures of libraries beside ours.
pub fn add(row: &mut Row, others: &[(String, Result<Timed, Unavailable>)]) {
    for (library, timed) in others {
        let Ok(timed) = timed else { continue };
        for (mode, cost) in row.modes.iter_mut().zip(&timed.messages) {
            let cost = cost.per(mode.bytes as f64);
            mode.against.push(AgainstRow {
                library: library.clone(),
                version: timed.version.clone(),
                features: timed.features.clone(),
                cost,
                ratio: cost.median / mode.cost.median.max(f64::MIN_POSITIVE),
            });
        }
    }
}
