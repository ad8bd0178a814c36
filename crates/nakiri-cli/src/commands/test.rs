//! `nakiri test`: vectors through what is emitted, compiled and run on this machine.

mod engine;
mod plan;

use crate::interrupt;
use crate::output::{self, counted};
use crate::package::Languages;
use crate::session::Failure;
use crate::subjects;
use engine::{Engines, Outcome};
use nakiri::core::Direction;
use nakiri_bench::parallel;
use plan::{Plan, Subject};
use std::fmt::Write;
use std::path::Path;

/// Computes vectors by the interpreter, and by C and Rust in every slicing on every target that runs here
///
/// What is compiled is a library for each slicing, whose self test goes through all targets. Ends with 1 if a vector comes out wrong.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folders with a cipher.toml, their names in `ciphers` and `modes`, or `all`
    #[arg(value_name = "PRIMITIVE", default_value = "all")]
    primitives: Vec<String>,
    /// The targets; by default all that this CPU runs
    #[arg(long, value_name = "T,…", value_delimiter = ',')]
    target: Vec<String>,
    /// Take targets of other CPUs, too, where a cross compiler and an emulator are installed
    #[arg(long, conflicts_with = "target")]
    emulate: bool,
    /// The slicings, such as B,V; by default all that are legal
    #[arg(long, value_name = "S,…", value_delimiter = ',')]
    slicing: Vec<Direction>,
    /// Only what `nakiri build` makes for this CPU, in Rust and by one C compiler
    #[arg(long, conflicts_with_all = ["target", "emulate", "slicing"])]
    quick: bool,
    /// The languages
    #[arg(long, value_enum, default_value = "both")]
    lang: Languages,
    /// The C compilers for this CPU; by default every one that is found
    #[arg(long, value_name = "CC,…", value_delimiter = ',')]
    cc: Vec<String>,
}

/// Runs the command.
///
/// # Errors
/// [`Failure::Wrong`] if a vector comes out wrong, or something can't be built or compiled.
pub fn run(args: &Args) -> Result<(), Failure> {
    let folders = subjects::primitives(&args.primitives)?;
    let plan = Plan::new(args)?;
    let engines = Engines::new(args)?;
    interrupt::watch_and_stop_programs();
    let mut totals = Totals::default();
    for folder in &folders {
        let text = totals.test(folder, &plan, &engines);
        if interrupt::happened() {
            return Err(interrupt::failure("what follows was not tested"));
        }
        output::print(&text)?;
    }
    let lacks = plan.lacks.iter().chain(&engines.lacks).filter(|_| totals.read > 0);
    for lack in lacks {
        output::print(&format!("not run: {lack}\n"))?;
    }
    let Totals { vectors, runs, failed, .. } = totals;
    let counts = [(folders.len(), "folder"), (vectors, "vector"), (runs, "compiled program")];
    let counts = counts.map(|(count, what)| counted(count, what)).join(", ");
    match failed {
        0 => output::print(&format!("{counts}: all is right\n")),
        _ => Err(Failure::Wrong(format!("{counts}: {failed} FAILED"))),
    }
}

#[derive(Default)]
struct Totals {
    /// Folders without faults.
    read: usize,
    vectors: usize,
    /// Self tests, by the compilers that they were given to.
    runs: usize,
    failed: usize,
}

impl Totals {
    /// Tests a folder, and gives the lines about it.
    fn test(&mut self, folder: &Path, plan: &Plan, engines: &Engines) -> String {
        let subject = match Subject::read(folder) {
            Ok(subject) => subject,
            Err(failure) => {
                self.failed += 1;
                let message = match failure.message() {
                    "" => "it is refused",
                    message => message,
                };
                return format!("{}\n  FAILED: {message}\n", folder.display());
            }
        };
        self.read += 1;
        self.vectors += subject.vectors;
        let mut text = format!("{}: {}\n", subject.name, subject.title);
        let _ = writeln!(text, "  interpreter: {}", counted(subject.vectors, "vector"));
        let jobs = plan.jobs(&subject);
        let done = parallel::map(&jobs, |job| engines.run(folder, job));
        for (job, outcomes) in jobs.iter().zip(done) {
            for (engine, outcome) in outcomes {
                let _ = write!(text, "  {engine}: {job}");
                let _ = match outcome {
                    Outcome::Right => writeln!(text),
                    Outcome::Lacking(ref why) => writeln!(text, " not run: {why}"),
                    Outcome::Wrong(ref why) => {
                        writeln!(text, " FAILED\n    {}", why.trim().replace('\n', "\n    "))
                    }
                };
                self.runs += usize::from(!matches!(outcome, Outcome::Lacking(_)));
                self.failed += usize::from(matches!(outcome, Outcome::Wrong(_)));
            }
        }
        if jobs.is_empty() {
            text += "  not run: no slicing is legal on these targets\n";
        }
        text
    }
}
