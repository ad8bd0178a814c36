//! Circuits that `nakiri circuit` has found: it keeps them in the user's folder for caches, and what compiles takes them.
//!
//! A file holds the best ones of one table, whose digest is its name, in the form of the library of circuits.

use crate::output::say;
use nakiri::check::Checked;
use nakiri::circuit::{circuits_for, read_entry, Circuit, Origin, Table};
use nakiri::compile::Kernel;
use nakiri::core::{self, Taken};
use nakiri::emit::c::Instance;
use nakiri_verify::verdict;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// The variable that names the folder, or says that there is none.
const VARIABLE: &str = "NAKIRI_CIRCUITS";

/// The folder of circuits; none if the user wants none, or has no folder for caches.
fn folder() -> Option<PathBuf> {
    match std::env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
        Some(value) if value == "off" => None,
        Some(value) => Some(PathBuf::from(value)),
        None => Some(verdict::cache_folder()?.join("circuits")),
    }
}

/// The file of a table.
fn file(folder: &Path, table: &Table) -> PathBuf {
    let entries: Vec<String> = table.entries.iter().map(u32::to_string).collect();
    let text = format!("{} {} {}", table.inputs, table.outputs, entries.join(" "));
    let digest = Sha256::digest(text);
    let name: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    folder.join(format!("{name}.txt"))
}

/// The entries of a table's file, as text and as circuits. A file that can't be read, and what is wrong in it, is none; a
/// note says so.
fn read(path: &Path, table: &Table) -> Vec<(String, Circuit)> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Vec::new(),
        Err(error) => {
            say!("note: can't read the circuits in `{}`: {error}", path.display());
            return Vec::new();
        }
    };
    let entries = text.trim().split("\n\n").map(|entry| {
        let circuit = read_entry(entry).filter(|circuit| circuit.computes(table));
        circuit.map(|circuit| (entry.to_string(), circuit))
    });
    let entries: Vec<_> = entries.collect();
    if entries.iter().any(Option::is_none) {
        let path = path.display();
        say!("note: a circuit in `{path}` doesn't compute the table of this file; it is not taken");
    }
    entries.into_iter().flatten().collect()
}

/// Tells a program of the circuits that were found for its tables.
pub fn tell(checked: &mut Checked) {
    let Some(folder) = folder() else { return };
    checked.know(&mut |table: &core::Table| {
        if table.outputs > 32 || table.inputs > 16 {
            return Vec::new();
        }
        let entries = table.entries.iter().map(|entry| *entry as u32).collect();
        let table = Table { inputs: table.inputs, outputs: table.outputs, entries };
        let entries = read(&file(&folder, &table), &table).into_iter();
        entries.map(|(_, circuit)| circuit).collect()
    });
}

/// Keeps what was found for a table, `entry` in the library's form, unless what is known is as good. A note says why it
/// couldn't be kept.
pub fn keep(table: &Table, circuit: &Circuit, entry: &str) {
    let Some(folder) = folder() else { return };
    if circuits_for(table).iter().any(|(known, _)| known == circuit) {
        return;
    }
    let path = file(&folder, table);
    let old = read(&path, table);
    let mut all = old.clone();
    all.push((entry.trim().to_string(), circuit.clone()));
    let best = best(all);
    if best == old {
        return;
    }
    let text = best.into_iter().map(|(text, _)| text + "\n").collect::<Vec<_>>().join("\n");
    if let Err(error) = write(&path, &text) {
        say!("note: can't keep the circuit in `{}`: {error}", path.display());
    }
}

/// Of the circuits of two-input gates and of those with others, each the smallest and the one with the least depth; of equals
/// the first.
fn best(all: Vec<(String, Circuit)>) -> Vec<(String, Circuit)> {
    let size = |circuit: &Circuit| (circuit.size(), circuit.depth());
    let depth = |circuit: &Circuit| (circuit.depth(), circuit.size());
    let mut places = BTreeSet::new();
    for is_ternary in [false, true] {
        let fits = |place: &usize| all[*place].1.is_ternary() == is_ternary;
        let of_kind = || (0..all.len()).filter(fits);
        places.extend(of_kind().min_by_key(|place| size(&all[*place].1)));
        places.extend(of_kind().min_by_key(|place| depth(&all[*place].1)));
    }
    let all = all.into_iter().enumerate();
    all.filter(|(place, _)| places.contains(place)).map(|(_, entry)| entry).collect()
}

/// Writes a file beside its place and moves it there: whoever reads finds all of an old one or all of a new one.
fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let new = path.with_extension(format!("{}.new", std::process::id()));
    let written = std::fs::write(&new, text).and_then(|()| std::fs::rename(&new, path));
    if written.is_err() {
        // Nothing can be done about a file that stays.
        let _ = std::fs::remove_file(&new);
    }
    written
}

/// What took the place of the tables of a library's kernels: each kernel's slicing and target, table, and circuit.
fn taken(instances: &[Instance]) -> Vec<(String, String, Taken)> {
    let functions = instances.iter().flat_map(|instance| &instance.functions);
    let kernels = functions.flat_map(|function| &function.variants).flat_map(Kernel::chain);
    let schedules = instances.iter().filter_map(|instance| instance.key.as_ref());
    let schedules = schedules.flat_map(|key| key.schedules.iter().flatten());
    let mut taken = Vec::new();
    for kernel in kernels.chain(schedules) {
        let place = format!("-{} {}", kernel.direction, kernel.target.name);
        for table in &kernel.program.tables {
            for circuit in &table.taken {
                let found = (place.clone(), table.name.clone(), *circuit);
                if !taken.contains(&found) {
                    taken.push(found);
                }
            }
        }
    }
    taken
}

/// What the head of a library says of circuits that are not made of its sources alone.
pub fn evidence(instances: &[Instance]) -> Vec<String> {
    let mut lines = Vec::new();
    for (_, table, circuit) in taken(instances) {
        let line = format!(
            "table {table}: a circuit of {} gates that `nakiri circuit` kept in the user's cache; --no-cache takes none",
            circuit.gates
        );
        if circuit.origin == Origin::Known && !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// Where the circuits of a library come from, one line each.
pub fn explain(instances: &[Instance]) -> String {
    let line = |(place, table, circuit): &(String, String, Taken)| {
        let Taken { origin, gates } = circuit;
        format!("{place}: the table {table} is a circuit of {gates} gates: {origin}\n")
    };
    taken(instances).iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_of_each_kind_are_kept() {
        // Exclusive-ors of two inputs in some way, of so many gates, one after another or beside one another.
        let chain = "sbox 2 | a\ngates: 0^1 ~2 ~3\noutputs: 4";
        let small = "sbox 2 | b\ngates: 0^1\noutputs: 2";
        let table = "sbox 2 | c\ngates: 3c:0:1:1\noutputs: 2";
        let entry = |text: &str| (text.to_string(), read_entry(text).expect("an entry"));
        let kept = |all: &[&str]| {
            let best = best(all.iter().map(|text| entry(text)).collect());
            best.into_iter().map(|(text, _)| text).collect::<Vec<_>>()
        };
        assert_eq!(kept(&[chain, table]), [chain, table]);
        assert_eq!(kept(&[chain, table, small]), [table, small]);
        assert_eq!(kept(&[small, small]), [small]);
    }

    #[test]
    fn tables_have_files_of_their_own() {
        let table =
            |outputs, entries: &[u32]| Table { inputs: 1, outputs, entries: entries.to_vec() };
        let tables = [table(1, &[0, 1]), table(1, &[1, 0]), table(2, &[0, 1])];
        let files: BTreeSet<_> = tables.iter().map(|table| file(Path::new(""), table)).collect();
        assert_eq!(files.len(), 3);
    }
}
