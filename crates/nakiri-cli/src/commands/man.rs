//! `nakiri man`: manual pages.

use crate::session::Failure;
use std::path::{Path, PathBuf};

/// Writes the manual pages of this command and of each sub-command
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder of nakiri.1, nakiri-build.1 and so on, such as ~/.local/share/man/man1
    #[arg(short = 'o', value_name = "DIR")]
    out: PathBuf,
}

/// Runs the command, for the whole command line.
///
/// # Errors
/// [`Failure::Usage`] if a page can't be written.
pub fn run(args: &Args, all: clap::Command) -> Result<(), Failure> {
    if args.out == Path::new("-") {
        let message =
            "manual pages are files, which standard output can't be: name their folder with -o";
        return Err(Failure::Usage(message.to_string()));
    }
    std::fs::create_dir_all(&args.out)
        .and_then(|()| clap_mangen::generate_to(all.disable_help_subcommand(true), &args.out))
        .map_err(|error| Failure::Usage(format!("can't write `{}`: {error}", args.out.display())))
}
