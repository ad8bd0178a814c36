//! `nakiri audit`: whether object code, whoever made it, runs in constant time.

mod parameters;
mod text;

use crate::output;
use crate::session::{self, unreadable, Failure, Format};
use nakiri::diagnostic::instead_of;
use nakiri_verify::constant_time::{self, Audit, Audited, Unreadable};
use parameters::{Named, Parameters};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Checks object code for branches, addresses and durations that depend on data
///
/// The machine code of each function is interpreted abstractly: registers, flags and bytes of the stack are public or secret. All
/// that is read from memory is secret, but for the object's own constants. Of the parameters, the first six integers and pointers are
/// taken as public, so that a key or a text passed by value must be named with --secret; what pointers point to is secret, lengths
/// in it too. Parameters are counted from 1; a hidden pointer to a structure that is returned is one of them.
///
/// Where nothing is found, no branch, no address and no instruction of variable duration in that code depends on secret data, for
/// all values of the public parameters. That says nothing about speculation, prefetchers and power, about functions of other objects,
/// about multiplications on CPUs on which they take a varying time, or about what another compiler would make of the same source.
///
/// The exit code is 0 if nothing is found, 1 if something leaks or a file is no object, 2 if the command was used wrongly or a tool is
/// missing, and 3 if nothing leaks as far as the code could be followed, but some of it could not.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Objects, shared objects, programs or archives of ELF, for x86-64, i386, AArch64, Arm, RISC-V or Power
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// A function to check (may be given several times); by default all that a file exports
    #[arg(long, value_name = "NAME")]
    function: Vec<String>,
    /// The public parameters of a function, all others of which are secret: `f:1,2`, with a length that is known `f:1,2,3=64`
    #[arg(long, value_name = "FUNCTION:PARAMETER,…")]
    public: Vec<Named>,
    /// The secret parameters of a function, all others of which are public
    #[arg(long, value_name = "FUNCTION:PARAMETER,…")]
    secret: Vec<Named>,
    /// How it is said
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

/// What is known of an object.
struct Examined {
    /// The file, with the member of an archive in parentheses.
    place: String,
    /// What was found, or why it can't be checked.
    audit: Result<Audit, String>,
}

/// What is said in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    /// Nothing was found.
    Clean,
    /// Not all could be followed.
    Open,
    /// Data decides about time or addresses.
    Leaks,
}

impl Verdict {
    fn of(function: &Audited) -> Verdict {
        let worst = function.found.iter().map(|finding| match finding.violation.reason.leaks() {
            true => Verdict::Leaks,
            false => Verdict::Open,
        });
        worst.max().unwrap_or(Verdict::Clean)
    }

    fn of_object(object: &Examined) -> Verdict {
        match &object.audit {
            Ok(audit) => audit.functions.iter().map(Verdict::of).max().unwrap_or(Verdict::Clean),
            Err(_) => Verdict::Open,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Verdict::Clean => "nothing found",
            Verdict::Open => "open",
            Verdict::Leaks => "leaks",
        }
    }
}

/// Runs the command.
///
/// # Errors
/// [`Failure::Reported`] if something leaks, [`Failure::Open`] if not all could be followed, [`Failure::Wrong`] for a file that is no
/// object, [`Failure::Usage`] for one that can't be read, a function that is not there, or a missing disassembler.
pub fn run(args: &Args) -> Result<(), Failure> {
    let parameters = Parameters::new(&args.public, &args.secret)?;
    let mut known = BTreeSet::new();
    let mut examined = Vec::new();
    for path in &args.files {
        examined.extend(file(args, path, &parameters, &mut known)?);
    }
    let named = args.function.iter().map(String::as_str).chain(parameters.functions());
    for name in named {
        if !known.contains(name) {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            return Err(Failure::Usage(format!(
                "there is no function `{name}`; {}",
                instead_of(name, &known)
            )));
        }
    }
    if examined
        .iter()
        .all(|object| object.audit.as_ref().is_ok_and(|audit| audit.functions.is_empty()))
    {
        return Err(Failure::Wrong("there is no function to check; symbols name them".to_string()));
    }
    let verdict = examined.iter().map(Verdict::of_object).max().unwrap_or(Verdict::Open);
    match args.format {
        Format::Json => session::print_json(&text::json(&examined, &parameters, verdict))?,
        Format::Human => output::print(&text::human(&examined, &parameters, verdict))?,
    }
    match verdict {
        Verdict::Clean => Ok(()),
        Verdict::Open => Err(Failure::Open),
        Verdict::Leaks => Err(Failure::Reported),
    }
}

/// The objects of a file, with what was found in them.
fn file(
    args: &Args,
    path: &Path,
    parameters: &Parameters,
    known: &mut BTreeSet<String>,
) -> Result<Vec<Examined>, Failure> {
    let name = path.display().to_string();
    if path.is_dir() {
        return Err(Failure::Usage(format!("`{name}` is a folder, an object is needed here")));
    }
    let bytes = std::fs::read(path).map_err(|error| Failure::Usage(unreadable(&name, &error)))?;
    let wrong = |message: String| Failure::Wrong(format!("`{name}` can't be checked: {message}"));
    let members = constant_time::members(&bytes).map_err(wrong)?;
    let mut examined = Vec::new();
    for member in members {
        let wanted = (!args.function.is_empty()).then_some(&args.function[..]);
        let audit =
            constant_time::audit(&member.bytes, wanted, &|function| parameters.of(function));
        let audit = match (audit, &member.name) {
            (Err(Unreadable::Tool(message)), _) => return Err(Failure::Usage(message)),
            (Err(Unreadable::File(message)), None) => return Err(wrong(message)),
            (Err(Unreadable::File(message)), Some(_)) => Err(message),
            (Ok(audit), _) => Ok(audit),
        };
        if let Ok(audit) = &audit {
            known.extend(audit.functions.iter().map(|function| function.name.clone()));
            known.extend(audit.unreached.iter().cloned());
        }
        // Of an archive, a function that is asked for is in one member.
        let has_none = audit.as_ref().is_ok_and(|audit| audit.functions.is_empty());
        if has_none && !args.function.is_empty() {
            continue;
        }
        let place = member.name.map_or(name.clone(), |member| format!("{name}({member})"));
        examined.push(Examined { place, audit });
    }
    Ok(examined)
}
