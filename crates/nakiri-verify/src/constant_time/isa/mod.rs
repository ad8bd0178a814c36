//! Machines other than x86: what their instructions do, in steps that are the same for all of them.
//!
//! Each machine has a table of instructions. One that isn't in it is refused, so that a table that lacks something finds too
//! much, never too little.

mod aarch64;
mod arm;
mod powerpc;
mod riscv;

use object::Architecture;

/// A register, by its number in [`file`].
pub type Register = usize;

/// The numbers of registers. Each machine uses those that it has.
pub mod file {
    /// The first general register.
    pub const GENERAL: usize = 0;
    /// The first vector register or part of one.
    pub const VECTOR: usize = 32;
    /// The first register of flags.
    pub const FLAGS: usize = 96;
    /// The carry, where it is kept apart from other flags.
    pub const CARRY: usize = 104;
    /// The counter of loops.
    pub const COUNT: usize = 105;
    /// The address of the caller, where it is no general register.
    pub const LINK: usize = 106;
    /// What instructions of several steps keep between them.
    pub const SCRATCH: usize = 107;
    /// How many there are.
    pub const SIZE: usize = 108;
}

/// What a step reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// A register.
    Register(Register),
    /// This number.
    Number(i64),
}

/// What a step computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The same.
    Move,
    Add,
    Subtract,
    And,
    Or,
    /// A shift to the left.
    Left,
    /// A shift to the right, of zeros.
    Right,
    /// The first, with 16 bits of the second put in at its place.
    Insert,
    /// Anything else, of which no number is known.
    Other,
}

/// An address in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    pub base: Term,
    /// What is added, shifted to the left by so many bits.
    pub index: Option<(Register, u32)>,
    pub displacement: i64,
}

/// How flags are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    /// Negative, zero, no borrow, overflow: those of the difference.
    Difference,
    /// Negative, zero, carry, overflow: those of the sum.
    Sum,
    /// Negative and zero: those of what both have in common.
    Common,
    /// Less, greater, equal: signed numbers.
    Signed,
    /// Less, greater, equal: unsigned numbers.
    Unsigned,
}

/// The size of what is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Width {
    pub bits: u32,
    /// Whether the bits above it are those of its sign.
    pub signed: bool,
}

/// A step of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A register becomes what an operation makes of some terms.
    Set { to: Register, operation: Operation, from: Vec<Term>, width: Width },
    /// A register of flags becomes the comparison of two terms.
    Flags { to: Register, compare: Compare, of: [Term; 2], bits: u32 },
    /// So many bytes of memory become those of a register.
    Load { to: Register, at: Address, bytes: usize, width: Width },
    /// Data of the code's own, at an address in its section.
    Literal { to: Register, at: u64 },
    /// So many bytes of memory become those of a term.
    Store { from: Term, at: Address, bytes: usize },
    /// Memory is touched, and nothing else is done.
    Touch { at: Address },
    /// The instruction takes a time that depends on a term.
    Slow { on: Term },
}

/// When something is done: a register of flags, and for each of their sixteen values a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct When {
    pub flags: Register,
    pub holds: u16,
}

/// Where the code goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flow {
    Next,
    /// To an address in the section, perhaps only on a condition.
    Jump {
        to: u64,
        when: Option<When>,
    },
    /// To an address in the section, and back.
    Call {
        to: u64,
    },
    Return,
    /// To the address in a register, and back if it is a call.
    Computed {
        by: Register,
        calls: bool,
    },
    /// Nowhere: the program ends.
    End,
}

/// What an instruction does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    pub steps: Vec<Step>,
    pub flow: Flow,
    /// Whether all of it is done only on a condition.
    pub when: Option<When>,
}

impl Decoded {
    pub fn steps(steps: Vec<Step>) -> Decoded {
        Decoded { steps, flow: Flow::Next, when: None }
    }

    pub fn flow(flow: Flow) -> Decoded {
        Decoded { steps: vec![], flow, when: None }
    }
}

/// What a link register holds that is no register of its own: a jump to it returns. No program computes this number.
pub const BACK: u64 = 0x6e61_6b69_7269_5e0f;

/// A line of a disassembly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub mnemonic: String,
    /// What stands between commas, brackets kept together.
    pub operands: Vec<String>,
    /// An address that is named: that of a jump, or of data in the code.
    pub address: Option<u64>,
    /// Whether a linker fills in the address of a function, here or in the first of two instructions.
    pub linked: bool,
}

impl Line {
    /// An operand; empty if there are fewer.
    pub fn operand(&self, number: usize) -> &str {
        self.operands.get(number).map_or("", String::as_str)
    }
}

/// A machine.
pub struct Isa {
    /// Which it is.
    pub architecture: &'static [Architecture],
    /// The bits of an address.
    pub bits: u32,
    /// The pointer to the stack.
    pub stack: Register,
    /// Where arguments are passed.
    pub arguments: &'static [Register],
    /// What a callee leaves as it was.
    pub preserved: &'static [Register],
    /// What an instruction does, if it is known.
    pub decode: fn(&Line) -> Option<Decoded>,
}

static ALL: &[&Isa] = &[&aarch64::ISA, &arm::ISA, &powerpc::ISA, &riscv::ISA];

/// The machine of an architecture, if there is a table of its instructions.
pub fn find(architecture: Architecture) -> Option<&'static Isa> {
    ALL.iter().copied().find(|isa| isa.architecture.contains(&architecture))
}

/// A number as disassemblers write it.
pub fn number(text: &str) -> Option<i64> {
    let text = text.trim().trim_start_matches('#');
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let number = match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok()? as i64,
        None => digits.parse::<u64>().ok()? as i64,
    };
    Some(if negative { number.wrapping_neg() } else { number })
}

/// Whether a name is one of some, of which those that end in `*` stand for all that begin so.
pub fn listed(name: &str, names: &[&str]) -> bool {
    names.iter().any(|known| match known.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => *known == name,
    })
}

/// A register becomes something of which no number is known.
pub fn other(to: Register, from: impl IntoIterator<Item = Term>) -> Step {
    let width = Width { bits: 64, signed: false };
    Step::Set { to, operation: Operation::Other, from: from.into_iter().collect(), width }
}

/// The registers of a list of operands.
pub fn registers(operands: &[String], register: fn(&str) -> Option<Vec<Register>>) -> Vec<Term> {
    let words = operands.iter().flat_map(|operand| {
        operand.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.')
    });
    words.filter_map(register).flatten().map(Term::Register).collect()
}

/// The sixteen values of four flags, the highest bit the first, for which a condition holds.
pub fn flags(holds: impl Fn(bool, bool, bool, bool) -> bool) -> u16 {
    let bit = |flags: u16, bit: u16| flags >> bit & 1 == 1;
    let hold = |n: &u16| holds(bit(*n, 3), bit(*n, 2), bit(*n, 1), bit(*n, 0));
    (0..16).filter(hold).fold(0, |all, n| all | 1 << n)
}

/// The condition that Arm's machines name so.
pub fn condition(name: &str) -> Option<u16> {
    Some(match name {
        "eq" => flags(|_, z, _, _| z),
        "ne" => flags(|_, z, _, _| !z),
        "hs" | "cs" => flags(|_, _, c, _| c),
        "lo" | "cc" => flags(|_, _, c, _| !c),
        "mi" => flags(|n, _, _, _| n),
        "pl" => flags(|n, _, _, _| !n),
        "vs" => flags(|_, _, _, v| v),
        "vc" => flags(|_, _, _, v| !v),
        "hi" => flags(|_, z, c, _| c && !z),
        "ls" => flags(|_, z, c, _| !c || z),
        "ge" => flags(|n, _, _, v| n == v),
        "lt" => flags(|n, _, _, v| n != v),
        "gt" => flags(|n, z, _, v| !z && n == v),
        "le" => flags(|n, z, _, v| z || n != v),
        "al" => u16::MAX,
        _ => return None,
    })
}
