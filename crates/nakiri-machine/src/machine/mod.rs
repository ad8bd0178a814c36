//! Machine models: what a microarchitecture can do in a cycle. One data file each in `machines/`; the file's form is
//! [`Machine`].

pub mod class;
pub mod files;
mod model;
pub mod parse;

pub use class::Class;
pub use files::all;

use crate::sequence::{Instruction, Micro, Work};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A machine model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// Its name on the command line, such as `zen5`.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// Where the figures come from, for all operations without their own origin.
    pub origin: String,
    /// Its instruction set: `x86-64` unless the file says something else.
    #[serde(default = "x86_64")]
    pub architecture: String,
    /// Instructions that can wait at once for their arguments and for older ones; none means that instructions are issued
    /// in the program's order.
    pub reorder: Option<u32>,
    /// Vector instructions that can wait at once for their arguments and their ports, if that is known.
    pub scheduler: Option<u32>,
    /// The CPUs that it fits.
    #[serde(default)]
    pub cpu: Vec<Cpu>,
    /// The front end.
    pub front_end: FrontEnd,
    /// The first-level data cache; none means that it is not priced.
    pub cache: Option<Cache>,
    /// What loads cost that are taken for others; none means that this is not priced.
    pub renaming: Option<Renaming>,
    /// What ports idle where several batches just fill the time that one alone waits, as a part of their time, if that is known.
    pub idle: Option<f64>,
    /// Registers that a program can name.
    pub registers: Registers,
    /// The names of the ports. An operation names those that it can go to; loads and stores have theirs too.
    pub ports: Vec<String>,
    /// Its operations: at most one for each class and width.
    #[serde(rename = "operation")]
    pub operations: Vec<Operation>,
}

fn x86_64() -> String {
    "x86-64".to_string()
}

/// A CPU by what `cpuid` says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cpu {
    /// The vendor, such as `AuthenticAMD`.
    pub vendor: String,
    /// The family, extended family added.
    pub family: u32,
    /// The models, extended model included.
    pub models: Vec<u32>,
    /// What it must have besides, as C compilers name it: a hypervisor may give a CPU the model of an older one.
    #[serde(default)]
    pub features: Vec<String>,
}

impl Cpu {
    /// Whether a CPU that says so of itself, and has the features that `has` tells, is meant.
    pub fn fits(&self, vendor: &str, family: u32, model: u32, has: &dyn Fn(&str) -> bool) -> bool {
        self.vendor == vendor
            && self.family == family
            && self.models.contains(&model)
            && self.features.iter().all(|feature| has(feature))
    }
}

/// What reaches the ports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrontEnd {
    /// Instructions per cycle at best.
    pub width: f64,
    /// Instructions that the op cache holds; none means no op cache.
    pub op_cache: Option<u32>,
    /// How many of these are in an entry at most, if entries end with lines of 64 bytes of code.
    pub op_cache_entry: Option<u32>,
    /// Instructions per cycle for code that the op cache doesn't hold.
    pub decode: f64,
    /// Bytes of code per cycle for such code.
    pub decode_bytes: f64,
    /// Whether nothing after a jump is issued in the jump's cycle.
    #[serde(default)]
    pub branch_ends_cycle: bool,
    /// Whether a copy from register to register may enter as one with the operation after it.
    #[serde(default)]
    pub joins_copies: bool,
}

impl FrontEnd {
    /// Whether an instruction surely takes a place of its own.
    pub fn enters(&self, instruction: &Instruction) -> bool {
        let Work { load, compute, store } = instruction.work;
        let copy =
            compute.is_some_and(|micro| micro.class == Class::Move) && load.or(store).is_none();
        instruction.issued && !instruction.fused && !(self.joins_copies && copy)
    }
}

/// The first-level data cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cache {
    /// Bytes that it holds.
    pub bytes: u32,
    /// Bytes per cycle from the second level, or to it.
    pub refill: f64,
    /// Where these figures come from, if not from the model's origin.
    pub origin: Option<String>,
}

/// Renaming of memory: of what was stored from a general-purpose register and what is loaded into one, offsets from the same
/// base register are taken for equal if they are so modulo a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Renaming {
    /// The bytes after which offsets look the same.
    pub bytes: u32,
    /// Core cycles of a load that was taken for another one.
    pub cycles: f64,
}

/// Registers of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registers {
    /// General-purpose registers that a function may use.
    pub general: u32,
    /// Vector registers; 0 if there are none.
    pub vector: u32,
}

/// What one class of operations costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operation {
    /// Which.
    #[serde(with = "class")]
    pub class: Class,
    /// Bits of the registers that it works on.
    pub widths: Vec<u32>,
    /// Core cycles from the last argument to the result; for a store, to the result of a load that reads it back.
    pub latency: f64,
    /// The ports that it can go to, by name; for an operation of several micro-operations, or one that keeps its port for
    /// several cycles, one set for each. None at all if no port is needed, as for copies that renaming makes.
    pub uses: Vec<Vec<String>>,
    /// Operations of this class per cycle at best, where that is less than the ports would allow.
    pub throughput: Option<f64>,
    /// Where these figures come from, if not from the model's origin.
    pub origin: Option<String>,
}

/// An operation that a kernel needs and a machine file lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingOperation {
    /// The machine's name.
    pub machine: String,
    /// What is missing.
    pub micro: Micro,
}

impl fmt::Display for MissingOperation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let MissingOperation { machine, micro: Micro { class, width } } = self;
        write!(
            f,
            "the machine `{machine}` has no operation `{}` of {width} bits; add it to its file as \
             {{ class = \"{}\", widths = [{width}], latency = …, uses = [[…]] }}, or choose a machine that has it",
            class.name(),
            class.name()
        )
    }
}

impl std::error::Error for MissingOperation {}

impl Machine {
    /// The row for an operation.
    ///
    /// # Errors
    /// That there is none.
    pub fn cost(&self, class: Class, width: u32) -> Result<&Operation, MissingOperation> {
        let fits = |row: &&Operation| row.class == class && row.widths.contains(&width);
        self.operations.iter().find(fits).ok_or_else(|| MissingOperation {
            machine: self.name.clone(),
            micro: Micro { class, width },
        })
    }

    /// The widest registers on which it has a class of operations, in bits; 0 if it hasn't.
    pub fn widest(&self, class: Class) -> u32 {
        let rows = self.operations.iter().filter(|row| row.class == class);
        rows.flat_map(|row| row.widths.iter().copied()).max().unwrap_or(0)
    }
}
