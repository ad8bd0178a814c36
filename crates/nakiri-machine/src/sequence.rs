//! Instructions as machine models see them: what they execute, what they read and write, in the order of execution.

use crate::machine::Class;

/// A set of registers and flags, one bit each. What the bits stand for is the business of who makes the sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Registers(pub u64);

impl Registers {
    /// How many registers a set can tell apart.
    pub const COUNT: usize = 64;

    /// Adds a register.
    pub fn insert(&mut self, register: usize) {
        self.0 |= 1 << register;
    }

    /// Its registers, in ascending order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let next = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(next)
        })
    }
}

/// An operation on registers of some width in bits: a row of a machine file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Micro {
    /// Which.
    pub class: Class,
    /// Bits of the registers that it works on.
    pub width: u32,
}

/// What an instruction executes, each part of which is optional.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// A read of memory, which comes first.
    pub load: Option<Micro>,
    /// What is done in registers.
    pub compute: Option<Micro>,
    /// A write of memory, which comes last.
    pub store: Option<Micro>,
}

impl Work {
    /// Its parts in order.
    pub fn parts(self) -> impl Iterator<Item = Micro> {
        [self.load, self.compute, self.store].into_iter().flatten()
    }
}

/// An instruction of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instruction {
    /// Its length in bytes.
    pub bytes: u32,
    /// What it executes.
    pub work: Work,
    /// Registers that its address is made from.
    pub address: Registers,
    /// Registers that it computes from or stores.
    pub data: Registers,
    /// Registers that it writes.
    pub written: Registers,
    /// Bytes of memory that it reads or writes.
    pub memory: u32,
    /// Whether it jumps, calls or returns.
    pub branch: bool,
    /// Whether it and the jump after it are executed as one.
    pub fused: bool,
    /// Whether it takes a place in the front end: `nop` doesn't.
    pub issued: bool,
}

/// An executed instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Which, in [`Sequence::code`].
    pub code: u32,
    /// The address of the memory that it reads or writes, if it does so and the address is known.
    pub address: Option<u64>,
}

/// Executed instructions in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sequence {
    /// The instructions of the program that are executed, in the order of their first execution.
    pub code: Vec<Instruction>,
    /// What is executed.
    pub steps: Vec<Step>,
    /// What the sequence should hold but can't, such as calls of functions that are not in the object: a lower bound is
    /// still one, but may be low.
    pub left_out: Vec<String>,
}

impl Sequence {
    /// The instruction of each step.
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction> {
        self.steps.iter().map(|step| &self.code[step.code as usize])
    }

    /// Bytes of all instructions that are executed.
    pub fn code_bytes(&self) -> u64 {
        self.code.iter().map(|instruction| u64::from(instruction.bytes)).sum()
    }
}
