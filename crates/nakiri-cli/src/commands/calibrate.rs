//! `nakiri calibrate`: a machine model of this CPU.

use super::bench;
use crate::output::{self, say};
use crate::session::Failure;
use nakiri_bench::calibrate::{self, file, Effort, Request, STAGES};
use nakiri_verify::cc::Compiler;
use std::path::{Path, PathBuf};

/// Measures this CPU and writes a machine file for `nakiri bound --machine`
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The machine file; by default standard output
    #[arg(short = 'o', value_name = "FILE")]
    out: Option<PathBuf>,
    /// The machine's name; by default that of the file
    #[arg(long)]
    name: Option<String>,
    /// The C compiler, which assembles the loops that are timed; by default the first that is found
    #[arg(long, value_name = "CC")]
    cc: Option<String>,
    /// Measure for a second or two only: good for a first impression on a quiet machine
    #[arg(long)]
    quick: bool,
}

/// Runs the command.
///
/// # Errors
/// [`Failure::Wrong`] if nothing can be measured here, [`Failure::Usage`] if the file can't be written.
pub fn run(args: &Args) -> Result<(), Failure> {
    let out = args.out.as_deref().unwrap_or(Path::new("-"));
    // Better said now than after a minute.
    output::try_write(out)?;
    let compiler = match &args.cc {
        Some(name) => Compiler::named(name),
        None => Compiler::find(),
    };
    let compiler = compiler.map_err(|error| Failure::Wrong(error.to_string()))?;
    let stem = out.file_stem().filter(|_| args.out.is_some() && out != Path::new("-"));
    let stem = stem.map_or("host".into(), |stem| stem.to_string_lossy());
    let date = bench::date();
    let request = Request {
        name: args.name.as_deref().unwrap_or(&stem),
        date: date.split('T').next().unwrap_or_default(),
        compiler: &compiler,
        effort: if args.quick { Effort::QUICK } else { Effort::FULL },
    };
    let bar = output::progress(0, STAGES[0]);
    let measured = calibrate::calibrate(&request, &mut |stage, done, of| {
        bar.set_message(STAGES[stage]);
        bar.set_length(of as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    let calibration = measured.map_err(Failure::Wrong)?;
    for warning in &calibration.warnings {
        say!("warning: {warning}");
    }
    output::write(out, &file::text(&calibration.machine, &calibration.remarks))
}
