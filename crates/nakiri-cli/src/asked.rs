//! What other programs than the command ask: words of its command line in, data out.

use crate::session::Failure;
use clap::error::ErrorKind;

/// The arguments of a sub-command that some words are, those behind its name.
///
/// # Errors
/// [`Failure::Usage`] with what is wrong with them.
pub fn arguments<A: clap::Args>(words: &[String]) -> Result<A, Failure> {
    let refused = |error: clap::Error| Failure::Usage(message(&error));
    let command = clap::Command::new("nakiri").no_binary_name(true).disable_help_flag(true);
    let matches = A::augment_args(command).try_get_matches_from(words).map_err(refused)?;
    A::from_arg_matches(&matches).map_err(refused)
}

/// The first paragraph of an error: how a command line is written is nothing to a program that has none.
fn message(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    match error.kind() {
        ErrorKind::MissingRequiredArgument => "there is nothing to compile".to_string(),
        _ => text.split("\n\nUsage").next().unwrap_or(text).trim_end().to_string(),
    }
}
