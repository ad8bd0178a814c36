//! What was measured, as it is printed, stored and drawn. The JSON of `nakiri bench --json` is [`Results`].

use crate::measure::counters::Counted;
use crate::measure::Statistics;
pub use nakiri_machine::bound::BoundRow;
use serde::{Deserialize, Serialize};

/// One run of the harness.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// The machine it ran on.
    pub host: Host,
    /// When, as an RFC 3339 date and time in UTC.
    pub date: String,
    /// Nakiri's version.
    pub version: String,
    /// A row for each configuration of each cipher.
    pub rows: Vec<Row>,
    /// A row for each function on messages, with messages of each length.
    #[serde(default)]
    pub functions: Vec<FunctionRow>,
    /// What was not run, and why.
    pub skipped: Vec<Skipped>,
}

/// The machine that measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// The CPU as it names itself.
    pub cpu: String,
    /// The machine model that fits it, such as `zen5`, if there is one.
    pub model: Option<String>,
    /// The CPU features that targets ask for and it has.
    pub features: Vec<String>,
    /// Core cycles for each cycle of the time-stamp counter.
    pub core_per_tick: f64,
    /// What disturbs or limits the measurement, such as that the process could not be pinned.
    pub warnings: Vec<String>,
}

/// One instance of a cipher in one configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The cipher's folder name.
    pub cipher: String,
    /// The instance's prefix, such as `rectangle80`.
    pub instance: String,
    /// Its slicing: `B`, `V` or `H`.
    pub slicing: String,
    /// Its target.
    pub target: String,
    /// All choices of the compiler, in the text form of `nakiri::compile::Options`.
    pub configuration: String,
    /// The C compiler and its version, such as `gcc 12.2.0`.
    pub compiler: String,
    /// Its flags beside the warnings.
    pub flags: Vec<String>,
    /// Blocks that the kernel processes at once.
    pub blocks: u32,
    /// Bytes of a block that are counted: of its message, if it is known which parameter that is, or else of its input, or
    /// of its output if that is larger.
    pub block_bytes: u32,
    /// Which these are, such as `of all inputs`; nothing where input and output have as many.
    #[serde(default)]
    pub bytes_of: String,
    /// The kernel alone, on data in registers' form; core cycles per byte.
    pub kernel: Statistics,
    /// Into and out of registers' form; core cycles per byte.
    pub transposition: Statistics,
    /// Whole messages, the mode and its size in bytes first; core cycles per byte.
    pub modes: Vec<ModeRow>,
    /// One batch from memory to memory; core cycles.
    pub latency: Statistics,
    /// From a key to what the library keeps of it, if there is one; core cycles.
    #[serde(default)]
    pub key: Option<Statistics>,
    /// The number of blocks from which on it beats the next narrower target of the same cipher, if it does so.
    pub break_even: Option<u32>,
    /// The kernel's object code.
    pub code: Code,
    /// The smallest time that the machine model allows for the kernel, in core cycles per byte, and what limits it.
    pub bound: Option<BoundRow>,
    /// One run of the kernel by the CPU's own counters, where there are any.
    #[serde(default)]
    pub counted: Option<Counted>,
}

/// A whole message in one mode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModeRow {
    /// `ctr`, `ecb`, or `blocks` for permutations.
    pub mode: String,
    /// Bytes of the message.
    pub bytes: u64,
    /// Core cycles per byte.
    pub cost: Statistics,
    /// Others in the same run, same message, same mode.
    pub against: Vec<AgainstRow>,
}

/// A competitor's figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgainstRow {
    /// The library, such as `openssl`.
    pub library: String,
    /// Its version as it tells it.
    pub version: String,
    /// What it may use, such as `ssse3` or `as installed`.
    pub features: String,
    /// Core cycles per byte.
    pub cost: Statistics,
    /// Its median over ours: above 1 means that ours is faster.
    pub ratio: f64,
}

/// A function on messages of one length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FunctionRow {
    /// The folder's name.
    pub folder: String,
    /// The function's name, such as `aes128_gcm_seal`.
    pub function: String,
    /// What its library was compiled for, as `--target` takes it.
    pub target: String,
    /// The variant that is measured by itself; empty where it is the one that is taken when the function is called.
    pub variant: String,
    /// The C compiler and its version, such as `gcc 12.2.0`.
    pub compiler: String,
    /// Its flags beside the warnings.
    pub flags: Vec<String>,
    /// Bytes of a message.
    pub bytes: u64,
    /// What messages cost that are processed at once, their number first; core cycles per byte of all.
    pub costs: Vec<(u32, Statistics)>,
    /// Others in the same run, on a message alone.
    pub against: Vec<AgainstRow>,
}

impl FunctionRow {
    /// What so many messages cost that are processed at once.
    pub fn cost(&self, messages: u32) -> Option<&Statistics> {
        self.costs.iter().find(|(count, _)| *count == messages).map(|(_, cost)| cost)
    }
}

/// Counts of one batch of the kernel in the object code, as executed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Code {
    /// Bytes of the function and of those that it calls.
    pub bytes: u64,
    /// Instructions.
    pub instructions: u64,
    /// Reads of memory, those of spilled values included.
    pub loads: u64,
    /// Writes of memory, those of spilled values included.
    pub stores: u64,
    /// Writes of values to the stack for want of registers.
    pub spills: u64,
}

/// What was asked for and not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// What.
    pub what: String,
    /// Why.
    pub why: String,
}
