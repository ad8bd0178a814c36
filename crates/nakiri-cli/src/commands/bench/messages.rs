//! Functions on messages: libraries of modes, as `build` makes them, compiled and timed, beside other libraries.

use super::measure::WORKER;
use super::{Measurement, Outcome};
use crate::commands::build;
use crate::interrupt;
use crate::output;
use crate::session::Failure;
use nakiri::emit::c;
use nakiri::isa::{self, Target};
use nakiri_bench::against::messages as against;
use nakiri_bench::against::Unavailable;
use nakiri_bench::bench::cache::Cache;
use nakiri_bench::bench::messages::{repeated, Answer, Measured, Task};
use nakiri_bench::bench::processes::Worker;
use nakiri_bench::measure::Statistics;
use nakiri_bench::results::{AgainstRow, FunctionRow};
use nakiri_bench::suite;
use nakiri_verify::cc::Compiler;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What is called of libraries of modes.
#[derive(Clone, Debug, clap::Args)]
pub struct CallArgs {
    /// Of modes the functions whose names begin so; by default all
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    function: Vec<String>,
    /// Of modes how many messages are processed at once; 1 is a message alone
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "1,64",
        value_parser = clap::value_parser!(u32).range(1..=64))]
    messages: Vec<u32>,
    /// Of modes each variant by itself, beside what is taken when a function is called
    #[arg(long)]
    variants: bool,
}

/// A library and what is called of it.
#[derive(Clone, Debug)]
pub struct Wanted {
    folder: PathBuf,
    /// Those of its variants, as `build --target` takes them; by default those of this CPU.
    target: Option<String>,
    functions: Vec<String>,
    bytes: Vec<u32>,
    messages: Vec<u32>,
    variants: bool,
}

/// What the command line asks of some modes.
pub fn asked(folders: Vec<PathBuf>, how: &Measurement, calls: &CallArgs) -> Vec<Wanted> {
    let of = |folder: PathBuf| Wanted {
        folder,
        target: how.choice.target.clone(),
        functions: calls.function.clone(),
        bytes: how.size.clone(),
        messages: calls.messages.clone(),
        variants: calls.variants,
    };
    folders.into_iter().map(of).collect()
}

/// What a suite compares. `folder` finds a cipher or a mode.
///
/// # Errors
/// Those of `folder`.
pub fn of_suite(
    tables: &[suite::Functions],
    folder: impl Fn(&str) -> Result<PathBuf, Failure>,
) -> Result<Vec<Wanted>, Failure> {
    let mut all = Vec::new();
    for table in tables {
        for row in &table.rows {
            all.push(Wanted {
                folder: folder(&row.folder)?,
                target: Some(row.target.clone()),
                functions: vec![row.function.clone()],
                bytes: table.bytes.clone(),
                messages: table.messages.clone(),
                variants: false,
            });
        }
    }
    Ok(all)
}

/// Measures all; rows, and what could not be measured, go to `outcome`.
///
/// # Errors
/// [`Failure`] if this program can't be started again, or there is no such target.
pub fn all(
    wanted: &[Wanted],
    how: &Measurement,
    cache: &Cache,
    compilers: &[Compiler],
    outcome: &mut Outcome,
) -> Result<(), Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::Wrong(format!("can't find this program: {error}")))?;
    let bar = output::progress(wanted.len() * compilers.len(), "measuring");
    for wanted in wanted.iter().take_while(|_| !interrupt::happened()) {
        let made = build::made(&wanted.folder, wanted.target.as_deref())?;
        let source = c::timed(&made.library).map_err(|error| Failure::Wrong(error.to_string()))?;
        let best = made.library.instances.first().and_then(|instance| instance.functions.first());
        let best = best.and_then(|function| function.variants.first());
        let target = best.map_or(isa::everywhere(), |kernel| kernel.target);
        for compiler in compilers.iter().take_while(|_| !interrupt::happened()) {
            let mut measure =
                Measure { wanted, name: &made.library.name, target, compiler, how, cache };
            measure.run(&source, &program, outcome);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(())
}

/// A library and how it is compiled.
struct Measure<'a> {
    wanted: &'a Wanted,
    name: &'a str,
    /// The target of its best variant.
    target: &'static Target,
    compiler: &'a Compiler,
    how: &'a Measurement,
    cache: &'a Cache,
}

impl Measure<'_> {
    fn what(&self) -> String {
        format!("{} {} with {}", self.name, self.target_name(), self.compiler.program)
    }

    fn target_name(&self) -> &str {
        self.wanted.target.as_deref().unwrap_or(self.target.name)
    }

    fn flags(&self) -> Vec<String> {
        let own = self.how.cflags.as_deref().unwrap_or("-O3");
        own.split_whitespace().map(str::to_string).collect()
    }

    fn run(&mut self, source: &str, program: &std::path::Path, outcome: &mut Outcome) {
        let built = self.cache.build(source, self.compiler, &self.flags(), None);
        let task = match built {
            Ok(built) => self.task(built.shared),
            Err(why) => return outcome.fail(self.what(), super::build::first_lines(&why)),
        };
        let variables = self.how.against.variables(self.target);
        let worker = Worker { program, arguments: WORKER, variables };
        match repeated(&task, &worker, interrupt::happened) {
            Ok(answer) if answer.rows.is_empty() => {
                let why = "this CPU doesn't run it, or it has no such function on messages of such lengths";
                outcome.skip(self.what(), why.to_string());
            }
            Ok(answer) => self.rows(answer, outcome),
            Err(why) => outcome.fail(self.what(), why),
        }
    }

    fn task(&self, shared: PathBuf) -> Task {
        let libraries = self.how.against.libraries();
        let against = (!libraries.is_empty()).then(|| against::Task {
            libraries,
            target: self.target.name.to_string(),
            folder: self.cache.folder().join("against"),
            compiler: self.compiler.program.clone(),
        });
        let numbers = |of: &[u32]| of.iter().map(|n| *n as usize).collect::<BTreeSet<usize>>();
        Task {
            shared,
            functions: self.wanted.functions.clone(),
            sizes: numbers(&self.wanted.bytes).into_iter().collect(),
            messages: numbers(&self.wanted.messages).into_iter().collect(),
            variants: self.wanted.variants,
            samples: self.how.samples,
            against,
        }
    }

    fn rows(&self, answer: Answer, outcome: &mut Outcome) {
        outcome.results.host.core_per_tick = answer.core_per_tick;
        answer.warnings.into_iter().for_each(|warning| outcome.warn(warning));
        for measured in answer.rows {
            let row = self.row(measured, outcome);
            outcome.results.functions.push(row);
        }
    }

    fn row(&self, measured: Measured, outcome: &mut Outcome) -> FunctionRow {
        let Measured { function, variant, bytes, costs, others } = measured;
        let per = |count: usize, cost: Statistics| cost.per((bytes * count) as f64);
        let alone = costs.iter().find(|(count, _)| *count == 1).map(|(_, cost)| cost.median);
        let mut against = Vec::new();
        for other in others {
            match other.cost {
                Ok(cost) => against.push(AgainstRow {
                    library: other.library,
                    version: other.version,
                    features: other.features,
                    cost: per(1, cost),
                    ratio: cost.median / alone.unwrap_or(f64::NAN).max(f64::MIN_POSITIVE),
                }),
                Err(why) => self.unavailable(&other.library, &function, &why, outcome),
            }
        }
        FunctionRow {
            folder: self.name.to_string(),
            function,
            target: self.target_name().to_string(),
            variant,
            compiler: self.compiler.version(),
            flags: self.flags(),
            bytes: bytes as u64,
            costs: costs.into_iter().map(|(n, cost)| (n as u32, per(n, cost))).collect(),
            against,
        }
    }

    fn unavailable(&self, library: &str, function: &str, why: &Unavailable, outcome: &mut Outcome) {
        outcome.unavailable(&self.how.against, format!("{library} beside {function}"), why);
    }
}
