//! What a simulator calls the variables of a design. Yosys and Icarus Verilog agree on the names that the source gives; a
//! generate block without one is `genblk` with a number, and which blocks there are and how they are numbered they see in
//! ways of their own.

use crate::cc::Work;
use crate::preset::{Preset, Word};
use crate::simulate::{self, Design};
use crate::Error;
use nakiri::verilog::Netlist;
use std::collections::BTreeMap;

/// What there is in a design below its top module, as a simulator calls it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variables {
    /// In the order of the source.
    found: BTreeMap<Kin, Vec<Found>>,
}

/// A variable, a memory or a net.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    numbers: Vec<u64>,
    path: String,
    /// Whether it keeps what it is given, as nets don't, which something drives.
    keeps: bool,
    /// The first and the last index of a memory's words.
    words: Option<(i64, i64)>,
}

impl Found {
    /// Whether it has what an index in brackets names: a netlist has words as many as an address reaches.
    fn has(&self, index: &str) -> bool {
        let number = index.trim_matches(['[', ']']).parse::<i64>();
        match (self.words, number) {
            (Some((a, b)), Ok(number)) => (a.min(b)..=a.max(b)).contains(&number),
            _ => true,
        }
    }
}

/// A path without generate blocks that have no name, and whether it has any.
type Kin = (String, bool);

impl Variables {
    /// Those of a design, as Icarus Verilog compiles it.
    ///
    /// # Errors
    /// Those of [`simulate::simulate`].
    pub fn of(design: &Design) -> Result<Variables, Error> {
        let work = Work::new()?;
        let bench = format!("module {}; \\{} dut (); endmodule\n", simulate::BENCH, design.top);
        simulate::compile(design, &bench, &work, None)?;
        Ok(Variables::read(&String::from_utf8_lossy(&work.read("bench")?)))
    }

    /// Those below the instance `dut` that a program of Icarus Verilog declares: a statement a line, `LABEL .KIND "NAME" …`, a
    /// scope with the label of the one around it at the end.
    fn read(program: &str) -> Variables {
        let mut variables = Variables::default();
        let mut paths: BTreeMap<&str, String> = BTreeMap::new();
        let mut scope = None;
        for line in program.lines() {
            let Some((label, statement)) = line.split_once(" .") else { continue };
            let Some((kind, rest)) = statement.split_once([' ', '/']) else { continue };
            // A name that is written escaped has no path that could be written here.
            let name = rest.split('"').nth(1).filter(|name| kind == "scope" || is_plain(name));
            let Some(name) = name else { continue };
            if kind == "scope" {
                let around = rest.rsplit_once(' ').map(|(_, label)| label.trim_end_matches(';'));
                let path = match around.and_then(|label| paths.get(label)) {
                    Some(around) => Some(format!("{around}{name}.")),
                    None => (name == "dut").then(String::new),
                };
                scope.clone_from(&path);
                paths.extend(path.map(|path| (label, path)));
            } else if let (Some(scope), "var" | "array" | "net") = (&scope, kind) {
                let path = format!("{scope}{name}");
                let (kin, numbers) = kin(&path);
                // An array of nets has one range, that of its words.
                let keeps = kind == "var" || kind == "array" && rest.matches(',').count() == 2;
                let words = rest.split(',').nth(1).filter(|_| kind == "array").and_then(range);
                let found = Found { numbers, path, keeps, words };
                variables.found.entry(kin).or_default().push(found);
            }
        }
        variables.found.values_mut().for_each(|found| found.sort());
        variables
    }

    /// The words of a preset as the simulator calls them, without those that are nets there or that it doesn't have.
    ///
    /// Where the simulator has as many paths as the netlist has names that differ in generate blocks without a name alone,
    /// they are the same, one after another. Where it has not, they are all given a value if that is the same for all, and
    /// none otherwise.
    pub fn called(&self, preset: &Preset, netlist: &Netlist) -> Preset {
        let mut names: BTreeMap<Kin, Vec<(Vec<u64>, &str)>> = BTreeMap::new();
        for name in netlist.names.iter().filter(|name| !name.hidden) {
            let (kin, numbers) = kin(&name.name);
            names.entry(kin).or_default().push((numbers, &name.name));
        }
        names.values_mut().for_each(|names| names.sort());
        let mut families: BTreeMap<Kin, Vec<&Word>> = BTreeMap::new();
        for word in &preset.words {
            families.entry(kin(&word.name).0).or_default().push(word);
        }
        let mut words = Vec::new();
        for (kin, family) in families {
            let found = self.like(&kin);
            let own = names.get(&kin).map_or(&[][..], |names| names);
            let bits = if own.len() == found.len() {
                let bits = |name: &str| family.iter().find(|word| word.name == name);
                own.iter().map(|(_, name)| bits(name).map(|word| &word.bits)).collect()
            } else {
                let same = family.iter().all(|word| word.bits == family[0].bits);
                vec![same.then_some(&family[0].bits); found.len()]
            };
            let called = found.into_iter().zip(bits).filter(|(found, _)| found.keeps);
            words.extend(called.filter_map(|(found, bits)| {
                bits.map(|bits| Word { name: found.path, bits: bits.clone() })
            }));
        }
        Preset { words, ..*preset }
    }

    /// The paths of some kin, which may be a word of a memory.
    fn like(&self, (plain, has_unnamed): &Kin) -> Vec<Found> {
        let (name, index) = match plain.rfind('[').filter(|_| plain.ends_with(']')) {
            Some(place) => plain.split_at(place),
            None => (&plain[..], ""),
        };
        let found = self.found.get(&(name.to_string(), *has_unnamed)).into_iter().flatten();
        let found = found.filter(|found| index.is_empty() || found.has(index));
        found
            .map(|found| Found { path: format!("{}{index}", found.path), ..found.clone() })
            .collect()
    }
}

/// Two numbers.
fn range(text: &str) -> Option<(i64, i64)> {
    let (a, b) = text.trim().split_once(' ')?;
    Some((a.parse().ok()?, b.parse().ok()?))
}

/// Whether a name is one that is no path.
fn is_plain(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
}

/// The kin of a path, and the numbers of its generate blocks without a name, which whoever counts them counts in the order of
/// the source. Of a block in a loop the index stays.
fn kin(path: &str) -> (Kin, Vec<u64>) {
    let (mut plain, mut numbers) = (Vec::new(), Vec::new());
    for part in path.split('.') {
        let (block, index) = part.split_at(part.find('[').unwrap_or(part.len()));
        match block.strip_prefix("genblk").and_then(|number| number.parse().ok()) {
            Some(number) => {
                numbers.push(number);
                plain.extend((!index.is_empty()).then_some(index));
            }
            None => plain.push(part),
        }
    }
    ((plain.join("."), !numbers.is_empty()), numbers)
}
