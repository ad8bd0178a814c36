//! `nakiri fmt`: one style for all sources.

use crate::output;
use crate::session::{Failure, Session};
use nakiri::syntax::printer;
use std::path::{Path, PathBuf};

/// Formats sources in place
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The files; `-` formats standard input to standard output
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Change nothing, name the files that would change, and fail if there are any
    #[arg(long)]
    check: bool,
}

/// Runs the command.
///
/// # Errors
/// [`Failure::Reported`] if a file can't be parsed or, with `--check`, is not formatted. All files are looked at first.
pub fn run(args: &Args) -> Result<(), Failure> {
    let mut all_well = true;
    for path in &args.files {
        let mut session = Session::default();
        let file = match session.read(path) {
            Err(Failure::Reported) => {
                all_well = false;
                continue;
            }
            read => read?,
        };
        let formatted = match printer::format(&session.sources, file) {
            Ok(formatted) => formatted,
            Err(diagnostics) => {
                session.report(&diagnostics);
                all_well = false;
                continue;
            }
        };
        let same = formatted == session.sources.file(file).text;
        if args.check {
            if !same {
                output::print(&format!("{} is not formatted\n", path.display()))?;
                all_well = false;
            }
        } else if !same || path == Path::new("-") {
            output::write(path, &formatted)?;
        }
    }
    if all_well {
        Ok(())
    } else {
        Err(Failure::Reported)
    }
}
