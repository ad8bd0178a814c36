//! Where the circuits of a table come from.

use super::{library, synthesis, tower, Circuit, Table};
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// Where a circuit came from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Origin {
    /// The library entry of this name.
    Library(&'static str),
    /// What whoever compiles knows of the table: [`crate::core::Table::circuits`].
    Known,
    /// A tower of fields: the table is inversion but for affine maps.
    Inversion,
    /// General synthesis.
    Synthesized,
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Library(name) => write!(formatter, "the library's {name}"),
            Origin::Known => write!(formatter, "kept by `nakiri circuit`"),
            Origin::Inversion => {
                write!(formatter, "inversion in GF(2^8) up to affine maps, over a tower of fields")
            }
            Origin::Synthesized => write!(formatter, "synthesis"),
        }
    }
}

/// A circuit of two-input gates that computes `table`: the library's smallest, if it has the table
/// in either bit order, or else the smallest that can be made quickly. The same table always gives the same circuit.
pub fn for_table(table: &Table) -> (Circuit, Origin) {
    let (circuit, origin) = match library::find(table) {
        Some((name, circuit)) => (circuit, Origin::Library(name)),
        None => made(table)[0].clone(),
    };
    debug_assert!(circuit.computes(table));
    (circuit, origin)
}

/// The circuits that compute `table` among which a target chooses: the library's, and if it has none of two-input gates those
/// that can be made quickly. There is at least one of two-input gates.
pub fn circuits_for(table: &Table) -> Vec<(Circuit, Origin)> {
    let entries = library::entries_for(table).into_iter();
    let mut circuits: Vec<(Circuit, Origin)> =
        entries.map(|entry| (entry.circuit, Origin::Library(entry.name))).collect();
    if circuits.iter().all(|(circuit, _)| circuit.is_ternary()) {
        circuits.extend(made(table).iter().cloned());
    }
    circuits
}

/// What can be made quickly, the smallest circuit first: over a tower of fields, or by synthesis.
fn made(table: &Table) -> Arc<Vec<(Circuit, Origin)>> {
    // Choices are made by compiling a program many times.
    type Made = FxHashMap<Table, Arc<Vec<(Circuit, Origin)>>>;
    static MADE: LazyLock<Mutex<Made>> = LazyLock::new(Mutex::default);
    let lock = || MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = lock().get(table) {
        return known.clone();
    }
    let mut circuits = tower::brief(table);
    let mut origin = Origin::Inversion;
    if circuits.is_empty() {
        (circuits, origin) = (vec![synthesis::synthesize(table)], Origin::Synthesized);
    }
    let made = Arc::new(circuits.into_iter().map(|circuit| (circuit, origin)).collect::<Vec<_>>());
    lock().insert(table.clone(), made.clone());
    made
}
