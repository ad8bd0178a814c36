//! The machine form: instructions over values that have no registers yet, and where in memory values are without being made.
//!
//! It is made of a kernel for targets whose instructions are known by name ([`Target::is_assembled`]), given registers by
//! [`allocate`], and printed by [`crate::emit::assembly`].

mod allocate;
mod constants;
mod loops;
mod lower;
mod order;
mod registers;
mod row;
mod shuffle;
mod time;
mod uses;

pub use allocate::allocate;
pub use lower::lower;

use crate::core::FuncId;
use crate::isa::{Form, Target};
use smallvec::SmallVec;

/// A value: what one instruction makes, or what memory has.
pub type Value = u32;

/// All functions of a kernel, each after those that it calls; the last is its entry.
#[derive(Clone, Debug)]
pub struct Code {
    /// The target.
    pub target: &'static Target,
    /// The functions.
    pub functions: Vec<Function>,
    /// Constants as they lie in registers, each as wide as one.
    pub pool: Vec<Vec<u8>>,
    /// Lists of constants that loops step through: images one after another.
    pub tables: Vec<Vec<u8>>,
}

/// A function. It is called with addresses: those of its results' arrays, of its parameters', and, if it is the entry, of the
/// images of constants.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its number in the program.
    pub id: FuncId,
    /// With how many addresses it is called.
    pub pointers: u32,
    /// For each value the registers that can hold it.
    pub banks: Vec<Bank>,
    /// For each value where it is without being made.
    pub homes: Vec<Option<Home>>,
    /// The sizes in bytes of its arrays on the stack.
    pub arrays: Vec<usize>,
    /// What it does.
    pub body: Vec<Item>,
}

/// A kind of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bank {
    /// Vectors.
    Vector,
    /// Masks of elements.
    Mask,
}

/// Where a value is without being made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// In memory.
    Memory(Memory),
    /// In no memory: all bits 0.
    Zeros,
    /// In no memory: all bits 1.
    Ones,
}

/// A place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Memory {
    /// What the offset is from.
    pub base: Base,
    /// The offset in the first iteration, in bytes.
    pub offset: usize,
    /// How many bytes it moves from iteration to iteration.
    pub step: isize,
    /// How a register is filled from it.
    pub part: Part,
}

/// How a register is filled from memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// By as many bytes as it has.
    Whole,
    /// By so many bytes again and again; what is stored there are the first ones of the register.
    Repeated(usize),
}

/// What an offset is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// An address that the function is called with.
    Pointer(u32),
    /// A table of constants.
    Table(u32),
    /// An array of the function's.
    Array(u32),
    /// A place for what finds no register.
    Slot(u32),
    /// One of a pair of places for what a loop carries.
    Pair(u32, Turn),
    /// A constant of the pool.
    Pool(u32),
}

/// Which of a pair of places: what an iteration reads is in one, and what it makes for the next goes into the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Turn {
    /// Outside of the loop: that which the first iteration reads.
    First,
    /// Outside of the loop: the other one.
    Second,
    /// In the loop: that which this iteration reads.
    Now,
    /// In the loop: that which the next iteration reads.
    Next,
}

impl Memory {
    /// A whole register, always at the same place.
    pub fn whole(base: Base, offset: usize) -> Memory {
        Memory { base, offset, step: 0, part: Part::Whole }
    }

    /// One of a pair of places.
    pub fn pair(number: u32, turn: Turn) -> Memory {
        Memory::whole(Base::Pair(number, turn), 0)
    }
}

/// A step or a loop.
#[derive(Clone, Debug)]
pub enum Item {
    /// A step.
    Step(Step),
    /// A loop of steps.
    Loop(Loop),
}

/// An instruction before registers are given out, a store or a call.
#[derive(Clone, Debug)]
pub struct Step {
    /// What it does.
    pub action: Action,
    /// What it reads.
    pub args: SmallVec<[Value; 3]>,
    /// What it makes.
    pub result: Option<Value>,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// An instruction.
    Compute(Computation),
    /// Puts its argument into memory.
    Store(Memory),
    /// Calls a function, by its number in [`Code::functions`], with these addresses.
    Call(usize, Vec<Memory>),
}

/// An instruction with what is fixed of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Computation {
    /// How it is written.
    pub form: Form,
    /// Bits of its elements.
    pub width: u16,
    /// A number in it.
    pub immediate: Option<u8>,
}

/// A counted loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// How many times, at least twice.
    pub count: u32,
    /// What passes from one iteration to the next in registers, or in places of its own.
    pub carried: Vec<Carried>,
    /// Values in memory that are others in each iteration.
    pub moving: Vec<Value>,
    /// What is repeated.
    pub body: Vec<Step>,
}

/// A value that a loop hands on; see [`crate::core::Carried`].
#[derive(Clone, Copy, Debug)]
pub struct Carried {
    /// Its value before the loop.
    pub init: Value,
    /// The value that the body sees.
    pub inside: Value,
    /// What the body makes of it.
    pub next: Value,
    /// Its value after the loop.
    pub result: Value,
}

/// A function whose values have registers.
#[derive(Clone, Debug)]
pub struct Allocated {
    /// Its number in the program.
    pub id: FuncId,
    /// With how many addresses it is called.
    pub pointers: u32,
    /// The sizes in bytes of its arrays on the stack.
    pub arrays: Vec<usize>,
    /// How many registers find place on the stack.
    pub slots: u32,
    /// How many pairs of registers do.
    pub pairs: u32,
    /// Its lines.
    pub lines: Vec<Line>,
}

/// A register, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Register {
    /// Its kind.
    pub bank: Bank,
    /// Its number.
    pub number: u8,
}

/// An operand of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// In a register.
    Register(Register),
    /// In memory.
    Memory(Memory),
}

/// An instruction, or what begins or ends a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A computation; what it overwrites is its first operand already.
    Compute {
        /// What it computes.
        computation: Computation,
        /// Where the result goes.
        result: Register,
        /// Its operands.
        operands: SmallVec<[Operand; 3]>,
    },
    /// A copy between registers of one kind.
    Copy {
        /// To where.
        to: Register,
        /// From where.
        from: Register,
    },
    /// A value into a register.
    Load {
        /// To where.
        to: Register,
        /// From where.
        from: Home,
    },
    /// A register into memory.
    Store {
        /// To where.
        to: Memory,
        /// From where.
        from: Register,
    },
    /// A call.
    Call {
        /// The function, by its number in [`Code::functions`].
        callee: usize,
        /// With which addresses.
        pointers: Vec<Memory>,
    },
    /// The head of a loop.
    Begin {
        /// How often it is run.
        count: u32,
        /// By how many bytes its places move.
        steps: Vec<isize>,
        /// Whether places of its pairs change at its end.
        turns: bool,
    },
    /// Its end.
    End,
}

impl Line {
    /// Whether it reads a table, by its number.
    pub fn reads_table(&self, number: u32) -> bool {
        let is_it = |memory: &Memory| memory.base == Base::Table(number);
        match self {
            Line::Compute { operands, .. } => operands.iter().any(|operand| match operand {
                Operand::Memory(memory) => is_it(memory),
                Operand::Register(_) => false,
            }),
            Line::Load { from: Home::Memory(memory), .. } => is_it(memory),
            _ => false,
        }
    }
}
