//! `nakiri explain`: more about each error code, and about the passes.

use crate::codes;
use crate::output;
use crate::session::Failure;
use nakiri::compile::pipeline::PASSES;
use nakiri::diagnostic::suggestion;
use nakiri::{check, pass, run, syntax, verilog};

/// Explains error codes, or lists the compiler's passes
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Codes such as E0203, or the word `passes`
    #[arg(required = true, value_name = "CODE")]
    codes: Vec<String>,
}

/// Every code with its explanation.
pub fn all() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    [
        syntax::codes::CODES,
        check::codes::CODES,
        pass::codes::CODES,
        codes::CODES,
        verilog::codes::CODES,
        run::codes::CODES,
    ]
    .into_iter()
    .flatten()
}

/// Runs the command.
///
/// # Errors
/// [`Failure::Usage`] for a code that there is not.
pub fn run(args: &Args) -> Result<(), Failure> {
    let mut texts = Vec::new();
    for wanted in &args.codes {
        if wanted == "passes" {
            texts.push(passes());
            continue;
        }
        let code = wanted.to_uppercase();
        let Some((code, text)) = all().find(|(known, _)| *known == code) else {
            let near = suggestion(&code, all().map(|(known, _)| *known));
            let help = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "codes look like E0203".to_string(),
            };
            let message = format!("there is no code `{wanted}`; {help}");
            return Err(Failure::Usage(message));
        };
        texts.push(format!("{code}: {text}\n"));
    }
    output::print(&texts.join("\n"))
}

fn passes() -> String {
    let width = PASSES.iter().map(|pass| pass.name.len()).max().unwrap_or(0);
    let mut text =
        "From the checked program to a kernel, in this order (see `build --emit after:PASS`):\n"
            .to_string();
    for pass in PASSES {
        text += &format!("  {:width$}  {}\n", pass.name, pass.purpose);
    }
    text
}
