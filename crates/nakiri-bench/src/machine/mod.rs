//! Machine models: what a microarchitecture can do in a cycle. One data file each in `machines/`; the file's form is
//! [`Machine`].

pub mod class;

pub use class::Class;

use serde::{Deserialize, Serialize};

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
    /// The CPUs that it fits.
    #[serde(default)]
    pub cpu: Vec<Cpu>,
    /// The front end.
    pub front_end: FrontEnd,
    /// Registers that a program can name.
    pub registers: Registers,
    /// The names of the ports. An operation names those that it can go to; loads and stores have theirs too.
    pub ports: Vec<String>,
    /// Its operations: at most one for each class and width.
    #[serde(rename = "operation")]
    pub operations: Vec<Operation>,
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
}

/// What reaches the ports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrontEnd {
    /// Instructions per cycle at best.
    pub width: f64,
    /// Instructions that the op cache holds; none means no op cache.
    pub op_cache: Option<u32>,
    /// Instructions per cycle for code that the op cache doesn't hold.
    pub decode: f64,
    /// Bytes of code per cycle for such code.
    pub decode_bytes: f64,
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
    pub class: Class,
    /// Bits of the registers that it works on.
    pub widths: Vec<u32>,
    /// Core cycles from the last argument to the result.
    pub latency: f64,
    /// The ports that it can go to, by name; for an operation of several micro-operations one set for each.
    pub uses: Vec<Vec<String>>,
    /// Operations of this class per cycle at best, where that is less than the ports would allow.
    pub throughput: Option<f64>,
    /// Where these figures come from, if not from the model's origin.
    pub origin: Option<String>,
}
