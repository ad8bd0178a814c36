//! What a machine can do in a cycle, ready for use: the form in which the compiler takes a machine model.

use super::Ports;
use crate::isa::{Class, Target};
use std::fmt;

/// A machine model.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// Instructions that can wait at once for their arguments and for older ones; none means that instructions start in
    /// the program's order.
    pub reorder: Option<u32>,
    /// Of these, computations that can wait for their arguments and their ports; none means that all can.
    pub scheduler: Option<u32>,
    /// Instructions that enter per cycle at best.
    pub width: f64,
    /// What holds decoded instructions; none means that all are decoded anew.
    pub op_cache: Option<OpCache>,
    /// Instructions per cycle for code that the op cache doesn't hold.
    pub decode: f64,
    /// Bytes of code per cycle for such code.
    pub decode_bytes: f64,
    /// The first-level data cache; none means that it is not priced.
    pub cache: Option<Cache>,
    /// What loads of general-purpose registers cost that are taken for others; none means that this is not priced.
    pub renaming: Option<Renaming>,
    /// What ports idle where several batches just fill the time that one alone waits, as a part of their time; none means that it
    /// is not known.
    pub idle: Option<f64>,
    /// Its operations: at most one for each class and width.
    pub operations: Vec<Operation>,
}

/// Bytes of a line of code.
const LINE: f64 = 64.0;

/// How many instructions a line may have more or less than the mean, since their lengths differ.
const SPREAD: [f64; 5] = [-2.0, -1.0, 0.0, 1.0, 2.0];

/// The code that compilers make of an order and what stands around a kernel, by what the order needs at least: at most.
const MADE: f64 = 4.0 / 3.0;

/// A cache of decoded instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpCache {
    /// Instructions that it holds at most.
    pub instructions: u32,
    /// How many of these an entry holds at most, if entries end with lines of 64 bytes of code. None means that code fills it evenly, and
    /// that `instructions` are those of an order, not of what compilers make of it.
    pub entry: Option<u32>,
}

impl OpCache {
    /// Whether it holds code of so many instructions and bytes.
    pub fn holds(self, instructions: u64, bytes: f64) -> bool {
        let Some(entry) = self.entry else { return instructions <= u64::from(self.instructions) };
        let in_line = instructions as f64 * LINE / bytes;
        let entries = SPREAD.map(|more| ((in_line + more) / f64::from(entry)).ceil().max(1.0));
        let entries_of_line = entries.iter().sum::<f64>() / SPREAD.len() as f64;
        MADE * bytes / LINE * entries_of_line * f64::from(entry) <= f64::from(self.instructions)
    }
}

/// A first-level data cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cache {
    /// Bytes that it holds.
    pub bytes: u32,
    /// Bytes per cycle that come from the second level, or go there.
    pub refill: f64,
}

/// A core that renames memory: of what was stored from a general-purpose register and what is loaded into one it takes offsets
/// from the same base register for equal if they are so modulo some power of two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Renaming {
    /// The bytes after which offsets look the same.
    pub bytes: u32,
    /// Core cycles that a load takes which was taken for another one.
    pub cycles: f64,
}

/// What one class of operations costs at one width.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// Which.
    pub class: Class,
    /// Bits of its registers.
    pub width: u32,
    /// Core cycles from the last argument to the result; for a store, to the result of a load that reads it back.
    pub latency: f64,
    /// The ports for each of its micro-operations. A class whose throughput is less than its ports allow has ports of
    /// its own besides, so few that they allow no more.
    pub uses: Vec<Ports>,
}

/// An operation that a kernel needs and a machine lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lacking {
    /// The machine's name.
    pub machine: String,
    /// What is missing.
    pub class: Class,
}

impl fmt::Display for Lacking {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Lacking { machine, class } = self;
        write!(f, "the machine `{machine}` has no operation `{}`", class.name())
    }
}

impl std::error::Error for Lacking {}

impl Machine {
    /// Whether it has all that a target uses.
    ///
    /// # Errors
    /// What it lacks.
    pub fn runs(&self, target: &Target) -> Result<(), Lacking> {
        let mut classes = target.rows().flat_map(|row| row.work.iter().copied().flatten());
        classes.try_for_each(|class| self.price(*class, target.bits).map(|_| ()))
    }

    /// What an operation costs. One that is wider than the machine's registers is several of the widest.
    ///
    /// # Errors
    /// That the machine has nothing of this class.
    pub fn price(&self, class: Class, width: u32) -> Result<Operation, Lacking> {
        let rows = || self.operations.iter().filter(|row| row.class == class);
        if let Some(row) = rows().find(|row| row.width == width) {
            return Ok(row.clone());
        }
        let narrower = rows().filter(|row| row.width < width).max_by_key(|row| row.width);
        let wider = rows().filter(|row| row.width > width).min_by_key(|row| row.width);
        let row = narrower.or(wider);
        let row = row.ok_or_else(|| Lacking { machine: self.name.clone(), class })?;
        let parts = (width / row.width).max(1) as usize;
        Ok(Operation { width, uses: row.uses.repeat(parts), ..row.clone() })
    }
}
