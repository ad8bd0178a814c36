//! A register file while code is executed in some order: what is loaded and stored for want of registers.
//!
//! A value that finds no register takes that of the one whose next use is furthest, one half as far if it must be stored
//! first (L. A. Belady, A study of replacement algorithms for a virtual-storage computer, 1966). C compilers do worse, so
//! that these are the fewest accesses to be expected of an order.

use crate::core::Direction;
use crate::isa::Target;
use smallvec::SmallVec;

/// Who stores and loads what finds no register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spill {
    /// The compiler of the emitted language, as it sees fit.
    #[default]
    Compiler,
    /// The emitted text, in functions that spill much. It stores by one address and loads by another, each in a register of its
    /// own, so that no core which renames memory takes what is loaded for another value that was stored.
    Explicit,
    /// The emitted text in all functions.
    Always,
    /// Nakiri: the kernel is assembly, where the target's instructions have names in it.
    Assembly,
}

named!(
    Spill, "choice of spilling",
    "compiler" => Spill::Compiler, "explicit" => Spill::Explicit, "always" => Spill::Always,
    "assembly" => Spill::Assembly,
);

impl Spill {
    /// Whether a target has it: not all have instructions with names in assembly.
    pub fn is_for(self, target: &Target) -> bool {
        self != Spill::Assembly || target.is_assembled()
    }

    /// Whether it matters: many values wait in memory under B, and what vectors are stored and loaded no core renames.
    pub fn matters(direction: Direction, target: &Target) -> bool {
        direction == Direction::B && !target.simd
    }
}

/// The time of a next use: none any more.
pub const NEVER: u32 = u32::MAX;

/// The time of a next use: after all that is executed here.
pub const LATER: u32 = u32::MAX - 1;

/// A value that is read or made, and the time when it is read next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// Its number.
    pub value: u32,
    /// When it is read next, or [`LATER`], or [`NEVER`].
    pub next: u32,
}

/// An access to memory that an instruction needs before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A value is read; if it is folded, by the instruction itself and into no register.
    Load {
        /// Its number.
        value: u32,
        /// Whether the instruction itself reads it.
        folded: bool,
    },
    /// A value is written so that its register can be given up.
    Store {
        /// Its number.
        value: u32,
    },
}

/// The accesses of an instruction, in their order.
pub type Accesses = SmallVec<[Access; 4]>;

/// A value in a register.
#[derive(Clone, Copy)]
struct Held {
    value: u32,
    /// When it is read next.
    next: u32,
    /// Whether memory has it too.
    stored: bool,
    /// Whether the instruction at hand reads it.
    read: bool,
}

/// A register file.
pub struct File {
    registers: usize,
    held: Vec<Held>,
    /// For each value whether memory has it.
    stored: Vec<bool>,
}

impl File {
    /// So many registers, all free; `stored` says of each value whether memory has it.
    pub fn new(registers: usize, stored: Vec<bool>) -> File {
        File { registers, held: Vec::with_capacity(registers + 1), stored }
    }

    /// An instruction reads values at a time; if it `folds`, one of them may stay in memory. Whether a register became free.
    pub fn read(&mut self, now: u32, reads: &[Use], folds: bool, out: &mut Accesses) -> bool {
        let mut missing: SmallVec<[Use; 4]> = SmallVec::new();
        for &read in reads {
            match self.held.iter_mut().find(|held| held.value == read.value) {
                Some(held) => (held.next, held.read) = (read.next, true),
                None => missing.push(read),
            }
        }
        missing.sort_by_key(|read| std::cmp::Reverse(read.next));
        let mut folded = None;
        for (k, &read) in missing.iter().enumerate() {
            if folds && k == 0 && self.stays_in_memory(read) {
                folded = Some(read.value);
            } else {
                self.hold(read, true, now, out);
            }
            out.push(Access::Load { value: read.value, folded: folded == Some(read.value) });
        }
        let before = self.held.len();
        self.held.retain(|held| held.next != NEVER);
        self.held.iter_mut().for_each(|held| held.read = false);
        self.held.len() < before
    }

    /// An instruction makes a value.
    pub fn make(&mut self, now: u32, made: Use, out: &mut Accesses) {
        self.stored[made.value as usize] = false;
        if made.next != NEVER {
            self.hold(made, false, now, out);
        }
    }

    /// A function is called that uses all registers: their values are stored.
    pub fn call(&mut self, out: &mut Accesses) {
        for held in std::mem::take(&mut self.held) {
            self.save(held.value, out);
        }
    }

    /// Notes that memory has a value.
    pub fn is_stored(&mut self, value: u32) {
        self.stored[value as usize] = true;
        let held = self.held.iter_mut().filter(|held| held.value == value);
        held.for_each(|held| held.stored = true);
    }

    /// Whether an operand in memory is not worth a register.
    fn stays_in_memory(&self, read: Use) -> bool {
        let last = || self.held.iter().map(|held| held.next).max();
        read.next == NEVER || (self.held.len() >= self.registers && Some(read.next) >= last())
    }

    fn hold(&mut self, taken: Use, read: bool, now: u32, out: &mut Accesses) {
        if self.held.len() >= self.registers {
            self.give_up(now, out);
        }
        let Use { value, next } = taken;
        self.held.push(Held { value, next, stored: self.stored[value as usize], read });
    }

    /// Frees the register of a value that is not read now.
    fn give_up(&mut self, now: u32, out: &mut Accesses) {
        let gladness = |held: &Held| {
            let cost = if held.stored { 1 } else { 2 };
            held.next.saturating_sub(now) / cost
        };
        let others = (0..self.held.len()).filter(|k| !self.held[*k].read);
        let given_up = others.max_by_key(|k| gladness(&self.held[*k]));
        let Some(given_up) = given_up else { return };
        let value = self.held.swap_remove(given_up).value;
        self.save(value, out);
    }

    /// Stores a value unless memory has it.
    fn save(&mut self, value: u32, out: &mut Accesses) {
        if !std::mem::replace(&mut self.stored[value as usize], true) {
            out.push(Access::Store { value });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_last_goes_first() {
        let mut file = File::new(2, vec![false; 3]);
        let mut out = Accesses::new();
        file.make(0, Use { value: 0, next: 9 }, &mut out);
        file.make(1, Use { value: 1, next: 5 }, &mut out);
        assert!(out.is_empty());
        file.make(2, Use { value: 2, next: 4 }, &mut out);
        assert_eq!(out[..], [Access::Store { value: 0 }]);
        out.clear();
        // Two operands in registers that end there make room.
        let ends = [Use { value: 2, next: NEVER }, Use { value: 1, next: NEVER }];
        assert!(file.read(4, &ends, true, &mut out) && out.is_empty());
        file.read(9, &[Use { value: 0, next: NEVER }], true, &mut out);
        assert_eq!(out[..], [Access::Load { value: 0, folded: true }]);
    }

    #[test]
    fn what_memory_has_is_given_up_more_gladly() {
        let mut file = File::new(2, vec![true, false, false]);
        let mut out = Accesses::new();
        file.read(0, &[Use { value: 0, next: 8 }], false, &mut out);
        file.make(0, Use { value: 1, next: 10 }, &mut out);
        out.clear();
        file.make(1, Use { value: 2, next: 3 }, &mut out);
        let held: Vec<u32> = file.held.iter().map(|held| held.value).collect();
        assert!(out.is_empty() && held == [1, 2], "{held:?}");
    }
}
