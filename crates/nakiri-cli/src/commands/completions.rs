//! `nakiri completions`: what lets a shell complete commands and flags.

use crate::output;
use crate::session::Failure;
use clap_complete::Shell;

/// Prints what lets a shell complete commands and flags
///
/// For bash: `nakiri completions bash > ~/.local/share/bash-completion/completions/nakiri`
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs the command, for the whole command line.
///
/// # Errors
/// Those of [`output::print`].
pub fn run(args: &Args, all: &clap::Command) -> Result<(), Failure> {
    const NAME: &str = "nakiri";
    // Whatever is hidden would be completed, too.
    let shown = all.get_subcommands().filter(|command| !command.is_hide_set());
    let mut shown = clap::Command::new(NAME).version("").subcommands(shown.cloned());
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut shown, NAME, &mut text);
    output::print(&String::from_utf8_lossy(&text))
}
