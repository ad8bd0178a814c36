//! Reading machine files. A file that says something impossible, or not enough, is refused with the place.

use super::{Class, Machine, Operation};
use serde::de::IgnoredAny;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fmt;
use toml::Spanned;

/// What is wrong with a machine file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The file.
    pub file: String,
    /// The line, counted from 1, if one place is at fault.
    pub line: Option<usize>,
    /// What is wrong, and what to do about it.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

/// What every machine has.
const GENERAL: &[Class] = &[
    Class::Move,
    Class::Logic,
    Class::Add,
    Class::Multiply,
    Class::Shift,
    Class::Rotate,
    Class::Branch,
    Class::Load,
    Class::Store,
];

/// What a machine has at every width of its vectors.
const VECTOR: &[Class] = &[
    Class::Move,
    Class::VectorLogic,
    Class::VectorAdd,
    Class::VectorMultiply,
    Class::VectorShift,
    Class::VectorShuffle,
    Class::VectorShuffleBytes,
    Class::VectorPermute,
    Class::Transfer,
    Class::VectorLoad,
    Class::VectorStore,
];

/// The most ports that a machine may have.
pub const MAX_PORTS: usize = 32;

/// Only the places of the operations.
#[derive(Deserialize)]
struct Places {
    operation: Vec<Spanned<IgnoredAny>>,
}

impl Machine {
    /// Reads a machine file; `file` is its name for messages.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(text: &str, file: &str) -> Result<Machine, Vec<Error>> {
        let error = |line, message: String| Error { file: file.to_string(), line, message };
        let machine: Machine = toml::from_str(text).map_err(|refused| {
            let line = refused.span().map(|span| line(text, span.start));
            vec![error(line, refused.message().to_string())]
        })?;
        let places: Vec<usize> = match toml::from_str::<Places>(text) {
            Ok(places) => places.operation.iter().map(|p| line(text, p.span().start)).collect(),
            Err(_) => Vec::new(),
        };
        let mut errors = Vec::new();
        for message in machine.general_faults() {
            errors.push(error(None, message));
        }
        let mut seen = BTreeSet::new();
        for (k, operation) in machine.operations.iter().enumerate() {
            let mut faults = machine.faults(operation);
            for width in &operation.widths {
                if !seen.insert((operation.class, *width)) {
                    faults.push(format!("there is another row for {width} bits; keep one of them"));
                }
            }
            let name = operation.class.name();
            errors.extend(faults.into_iter().map(|fault| {
                error(places.get(k).copied(), format!("the operation `{name}`: {fault}"))
            }));
        }
        errors.extend(machine.missing().into_iter().map(|message| error(None, message)));
        if errors.is_empty() {
            Ok(machine)
        } else {
            Err(errors)
        }
    }

    fn general_faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let front = &self.front_end;
        for (name, value) in
            [("width", front.width), ("decode", front.decode), ("decode_bytes", front.decode_bytes)]
        {
            if !(value > 0.0 && value <= 1e3) {
                faults.push(format!(
                    "front_end.{name} is {value}; it is a number of things per cycle, above 0"
                ));
            }
        }
        if front.op_cache_entry.is_some_and(|entry| Some(entry) > front.op_cache || entry == 0) {
            faults.push("front_end.op_cache_entry is a part of op_cache, above 0".to_string());
        }
        if let Some(cache) = &self.cache {
            if cache.bytes == 0 || !(cache.refill > 0.0 && cache.refill <= 1e3) {
                faults.push(format!(
                    "cache: {} bytes and {} a cycle; both are above 0",
                    cache.bytes, cache.refill
                ));
            }
        }
        if let Some(renaming) = &self.renaming {
            let known = renaming.bytes.is_power_of_two() && renaming.cycles > 0.0;
            if !(known && renaming.cycles <= 1e3) {
                faults.push(format!(
                    "renaming: {} bytes and {} cycles; the bytes are a power of two, the cycles above 0",
                    renaming.bytes, renaming.cycles
                ));
            }
        }
        if let Some(idle) = self.idle.filter(|idle| !(0.0..=1.0).contains(idle)) {
            faults.push(format!("idle is {idle}; it is a part of the time, from 0 to 1"));
        }
        let distinct: BTreeSet<&String> = self.ports.iter().collect();
        if distinct.len() != self.ports.len() {
            faults.push("a port is named twice in `ports`".to_string());
        }
        if self.ports.is_empty() || self.ports.len() > MAX_PORTS {
            let count = self.ports.len();
            faults.push(format!("there are {count} ports; a machine has 1 to {MAX_PORTS}"));
        }
        faults
    }

    /// What is wrong with a row.
    fn faults(&self, operation: &Operation) -> Vec<String> {
        let mut faults = Vec::new();
        let known = self.ports.join(", ");
        for port in operation.uses.iter().flatten().filter(|port| !self.ports.contains(port)) {
            faults.push(format!("there is no port `{port}`; `ports` has {known}"));
        }
        if operation.uses.iter().any(Vec::is_empty) {
            faults.push(
                "a set of `uses` is empty; `uses = []` means that no port is needed".to_string(),
            );
        }
        let latency = operation.latency;
        if !(0.0..=1000.0).contains(&latency) {
            faults.push(format!("a latency of {latency}; it is a number of cycles, 0 to 1000"));
        }
        if let Some(throughput) = operation.throughput.filter(|t| !(*t > 0.0 && *t <= 100.0)) {
            faults.push(format!(
                "a throughput of {throughput}; it is a number of operations per cycle, above 0"
            ));
        }
        if operation.widths.is_empty() {
            faults.push(
                "it has no widths; say the bits of its registers, such as [128, 256]".to_string(),
            );
        }
        for width in operation.widths.iter().filter(|w| !w.is_power_of_two() || **w > 4096) {
            faults.push(format!("registers of {width} bits; they have a power of two"));
        }
        faults
    }

    /// The operations that a machine can't do without.
    fn missing(&self) -> Vec<String> {
        let word = self.widest(Class::Load).max(32);
        let general = GENERAL.iter().map(|class| (*class, word));
        let rows = self.operations.iter().filter(|row| row.class == Class::VectorLogic);
        let widths: BTreeSet<u32> = rows.flat_map(|row| row.widths.iter().copied()).collect();
        let vector =
            VECTOR.iter().flat_map(|class| widths.iter().map(move |width| (*class, *width)));
        let needed = general.chain(vector);
        let missing = needed.filter_map(|(class, width)| self.cost(class, width).err());
        missing.map(|missing| missing.to_string()).collect()
    }
}

/// The line of an offset, counted from 1.
fn line(text: &str, offset: usize) -> usize {
    text.get(..offset).map_or(0, |before| before.matches('\n').count()) + 1
}
