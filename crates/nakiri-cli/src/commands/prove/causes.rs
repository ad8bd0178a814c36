//! Why a source is other hardware to a simulator than to a synthesizer.

use super::said::Said;
use super::simulation::listed;
use super::{Args, Subject};
use crate::session::{Failure, Session};
use crate::verilog::Mixed;
use serde_json::json;

/// What in a source tells a synthesizer that some values never come.
const PROMISES: [&str; 5] =
    ["full_case", "parallel_case", "unique case", "unique if", "priority case"];

/// Says what is found in a design that the two take for different things. `is_left_open` says that they agree as soon as
/// what the source leaves open is unknown, and
/// `mixed` has what is assigned in two ways.
///
/// # Errors
/// [`Failure::Usage`] if it can't be written.
pub fn say(
    args: &Args,
    subject: &Subject,
    is_left_open: bool,
    mixed: &[Mixed],
    said: &mut Said,
) -> Result<(), Failure> {
    let mut causes = Vec::new();
    let promises = promises(args)?;
    if !promises.is_empty() {
        causes.push(format!(
            "by {} the source promises that other values don't come: hardware may do anything then, and a simulation keeps what \
             there was; `--assume` says which inputs come",
            listed(&promises)
        ));
    }
    if is_left_open {
        causes.push(
            "the kernel and Yosys' reading of the source agree wherever that is defined: the source leaves the rest open, such \
             as a `case` without `default` and some of its values, or a word outside of an array, of which a `case` without \
             `default` makes what it was before in a simulation"
                .to_string(),
        );
    }
    causes.extend(of_flip_flops(subject));
    for mixed in mixed {
        causes.push(format!(
            "`{}` is assigned by `=` ({}) and by `<=` ({}) in one block: a simulation takes the `<=` last, Yosys whatever \
             stands last",
            mixed.name, mixed.blocking, mixed.nonblocking
        ));
    }
    if causes.is_empty() {
        causes.push(
            "registers that begin unknown may decide: give them an initial value or a reset; lists behind `always @` may be \
             incomplete: write `always @*`"
                .to_string(),
        );
    }
    said.print("  so Yosys and the simulator take the source for different hardware:\n")?;
    for cause in &causes {
        said.print(&format!("  - {cause}\n"))?;
    }
    said.set("causes", json!(causes));
    Ok(())
}

/// The places of promises.
fn promises(args: &Args) -> Result<Vec<String>, Failure> {
    let mut session = Session::new(&args.source.include);
    let mut places = Vec::new();
    for path in &args.files {
        let file = session.read(path)?;
        let file = session.sources.file(file);
        for (line, text) in file.text.lines().enumerate() {
            if let Some(promise) = PROMISES.iter().find(|promise| text.contains(*promise)) {
                places.push(format!("`{promise}` ({}:{})", file.path, line + 1));
            }
        }
    }
    Ok(places)
}

/// Registers that something overrides at once, which a simulation sees at edges alone.
fn of_flip_flops(subject: &Subject) -> Vec<String> {
    let names = |begin: &str| -> Vec<String> {
        let cells = subject.netlist.cells.iter().filter(|cell| cell.kind.starts_with(begin));
        let names = cells.filter_map(|cell| Some(subject.netlist.name_of(cell.stored()?)?.0));
        names.map(|name| format!("`{name}`")).collect()
    };
    let mut causes = Vec::new();
    let loaded = names("$_ALDFF");
    if !loaded.is_empty() {
        causes.push(format!(
            "{} asynchronously loaded with what is no constant: hardware shows it as long as the load is active, a simulation \
             takes what there is at an edge",
            are(&loaded)
        ));
    }
    let set = names("$_DFFSR");
    if !set.is_empty() {
        causes.push(format!(
            "{} set and reset asynchronously: if the reset ends first, hardware is set then, and a simulation sees no edge",
            are(&set)
        ));
    }
    causes
}

fn are(names: &[String]) -> String {
    format!("{} {}", listed(names), if names.len() == 1 { "is" } else { "are" })
}
