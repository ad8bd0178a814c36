//! What a build says when it is done: what was written, for what, and what was found right.

use crate::output::{counted, say};
use crate::package::targets;
use nakiri::emit::facts;
use nakiri::emit::library::Library;
use std::io::IsTerminal;
use std::path::Path;

/// How much is said.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Telling {
    /// Say on standard error what was written, for which variants, and how many vectors were right, as it is where that is a terminal
    #[arg(short = 'v', long, conflicts_with = "quiet")]
    verbose: bool,
    /// Say nothing but warnings and errors
    #[arg(short = 'q', long)]
    quiet: bool,
}

impl Telling {
    /// Says it of a library of which so many bytes were written to these places.
    pub fn tell(self, library: &Library, places: &[&Path], bytes: usize) {
        if self.verbose || (!self.quiet && std::io::stderr().is_terminal()) {
            say!("{}", summary(library, places, bytes));
        }
    }
}

fn summary(library: &Library, places: &[&Path], bytes: usize) -> String {
    let places: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
    let held: usize = library.instances.iter().map(facts::vectors_of).sum();
    let vectors = match held {
        0 => "warning: no vector says that this is right: a folder's vectors.toml holds some"
            .to_string(),
        held => {
            let evidence =
                library.evidence.iter().map(|found| format!("{found}; ")).collect::<String>();
            format!("checked: {evidence}the self tests hold {}", counted(held, "vector"))
        }
    };
    format!(
        "wrote {} ({} KB)\nvariants, best first: {}\n{vectors}",
        places.join(" and "),
        bytes.div_ceil(1000),
        targets(library).join(", ")
    )
}
