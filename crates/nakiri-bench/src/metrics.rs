//! Counts of kernels that are kept in git, so that what a change of the compiler does to every kernel is seen as a change of
//! text. None depends on the machine that counts.

use crate::mix::Mix;
use crate::results::Code;
use serde::{Deserialize, Serialize};

/// A kernel: an instance of a cipher in a slicing on a target, compiled by default choices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The instance's prefix.
    pub instance: String,
    /// Its slicing.
    pub slicing: String,
    /// Its target.
    pub target: String,
    /// What the compiler chose, in the text form of `nakiri::compile::Options`.
    pub configuration: String,
    /// Blocks that one run processes.
    pub blocks: usize,
    /// Operations that one run executes, by class: see [`Mix`].
    pub logic: u64,
    /// Three-input logic.
    pub ternary: u64,
    /// Sums, differences, products.
    pub arithmetic: u64,
    /// Shifts and rotations.
    pub shift: u64,
    /// What moves elements of registers.
    pub shuffle: u64,
    /// Loads.
    pub load: u64,
    /// Stores.
    pub store: u64,
    /// Constants.
    pub constant: u64,
    /// The C compiler of the object code, with its version and flags.
    pub compiler: String,
    /// Instructions that one run executes.
    pub instructions: u64,
    /// Its reads of memory.
    pub reads: u64,
    /// Its writes of memory.
    pub writes: u64,
    /// Those of the writes that are spills.
    pub spills: u64,
    /// Bytes of the object code.
    pub bytes: u64,
    /// The beginning of the SHA-256 of the emitted C: with the same compiler it gives the same object code.
    pub source: String,
}

impl Row {
    /// With the operations that one run executes.
    pub fn with_mix(self, mix: &Mix) -> Row {
        let [logic, ternary, arithmetic, shift, shuffle, load, store, constant] = mix.counts;
        Row { logic, ternary, arithmetic, shift, shuffle, load, store, constant, ..self }
    }

    /// With the counts of the object code that a C compiler makes.
    pub fn with_code(self, compiler: &str, code: &Code) -> Row {
        Row {
            compiler: compiler.to_string(),
            instructions: code.instructions,
            reads: code.loads,
            writes: code.stores,
            spills: code.spills,
            bytes: code.bytes,
            ..self
        }
    }

    /// The instance, the slicing and the target.
    fn name(&self) -> String {
        format!("{} {} {}", self.instance, self.slicing, self.target)
    }

    /// Whether a row that was kept says the same of what is emitted now. Its object code was counted by a C compiler that may
    /// be missing here; it is what it was if the emitted C is.
    fn agrees(&self, kept: &Row) -> bool {
        let code = Code {
            bytes: kept.bytes,
            instructions: kept.instructions,
            loads: kept.reads,
            stores: kept.writes,
            spills: kept.spills,
        };
        self.clone().with_code(&kept.compiler, &code) == *kept
    }
}

/// The row that was kept of a kernel, if it says what counting it again would with this compiler.
pub fn known<'a>(kept: &'a [Row], now: &Row, compiler: &str) -> Option<&'a Row> {
    kept.iter().find(|row| row.compiler == compiler && now.agrees(row))
}

/// Which kernels have other counts than those that were kept, are new, or are gone. `now` needs no counts of object code.
pub fn stale(kept: &[Row], now: &[Row]) -> Vec<String> {
    let find = |rows: &[Row], name: &str| rows.iter().find(|row| row.name() == name).cloned();
    let changed = now.iter().filter_map(|row| match find(kept, &row.name()) {
        None => Some(format!("{} is new", row.name())),
        Some(old) => (!row.agrees(&old)).then(|| format!("{} has changed", row.name())),
    });
    let gone = kept.iter().filter(|row| find(now, &row.name()).is_none());
    changed.chain(gone.map(|row| format!("{} is gone", row.name()))).collect()
}

/// Rows as comma-separated values (RFC 4180).
///
/// # Errors
/// What the writer says.
pub fn to_csv(rows: &[Row]) -> Result<String, String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    rows.iter().try_for_each(|row| writer.serialize(row)).map_err(|error| error.to_string())?;
    let bytes = writer.into_inner().map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| error.to_string())
}

/// The rows of [`to_csv`].
///
/// # Errors
/// Where the text is no such row.
pub fn from_csv(text: &str) -> Result<Vec<Row>, String> {
    let rows = csv::Reader::from_reader(text.as_bytes()).into_deserialize();
    rows.collect::<Result<_, _>>().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn emitted(target: &str, gates: u64) -> Row {
        let row = Row {
            instance: "x".to_string(),
            slicing: "V".to_string(),
            target: target.to_string(),
            configuration: "V, \"quoted\"".to_string(),
            ..Row::default()
        };
        row.with_mix(&Mix { counts: [gates, 0, 0, 0, 0, 0, 0, 0] })
    }

    #[test]
    fn what_is_known_is_of_the_same_text_and_compiler() {
        let code = Code { bytes: 5, instructions: 4, loads: 3, stores: 2, spills: 1 };
        let kept = [emitted("gp64", 7).with_code("gcc 12", &code)];
        assert_eq!(known(&kept, &emitted("gp64", 7), "gcc 12"), Some(&kept[0]));
        assert_eq!(known(&kept, &emitted("gp64", 7), "gcc 13"), None);
        assert_eq!(known(&kept, &emitted("gp64", 8), "gcc 12"), None);
        let other = Row { source: "another".to_string(), ..emitted("gp64", 7) };
        assert_eq!(known(&kept, &other, "gcc 12"), None);
    }

    #[test]
    fn rows_survive_their_text_and_what_differs_is_named() {
        let code = Code { bytes: 5, instructions: 4, loads: 3, stores: 2, spills: 1 };
        let kept: Vec<Row> =
            ["a", "b", "c"].map(|target| emitted(target, 7).with_code("gcc, -O3", &code)).to_vec();
        let text = to_csv(&kept).expect("text");
        let read = from_csv(&text).expect("rows");
        assert_eq!(read, kept);
        let now = [emitted("a", 7), emitted("b", 8), emitted("d", 7)];
        let found = stale(&read, &now);
        assert_eq!(found, ["x V b has changed", "x V d is new", "x V c is gone"]);
        assert!(from_csv(&text.replace(",7,", ",seven,")).is_err());
    }
}
