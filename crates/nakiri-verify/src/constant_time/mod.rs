//! Whether object code runs in constant time: no branch, no address and no instruction of variable duration depends
//! on secret data.
//!
//! The machine code of each function is interpreted abstractly: every register, flag and byte of the stack is public or
//! secret. Arguments are what the caller says; everything loaded through a pointer is secret, but for the object's own constants,
//! at addresses that are known; what is computed from something secret is secret. Calls inside the object are followed, so that a callee is checked for what it is given;
//! on other machines than x86 those through a register, too, that holds the address of a function.
//!
//! Public numbers and addresses of the stack are known exactly as long as they can be. A branch whose condition is known goes
//! one way, so that a loop of a known number of iterations is followed iteration by iteration. Any other goes both ways; there
//! what was known at earlier visits is joined, until nothing changes. If a function is given its lengths and pointers as
//! numbers, no branch is open, everything on the stack keeps its place, and nothing is refused but what leaks.
//!
//! Code for x86 is decoded; that of other machines is read from `llvm-objdump`'s listing, by a table of instructions for each
//! (`isa`). An instruction that no table has is refused, as is a call of a function that is not known. Of an instruction that is
//! done on a condition (Arm), the condition must be public if it touches memory.
//!
//! What is assumed: nobody writes sections of read-only data; code obeys the machine's usual calling convention, memory outside of the stack frame doesn't overlap it,
//! and the stack is aligned to 64 bytes at the call (any other alignment moves the same slots); the guard of the stack holds, and a
//! shared object's calls of what it exports are calls of its own functions.
//! A store of something secret to an unknown place of the stack makes all of the stack secret, or all above where the
//! pointer set out if it has only grown (and has not wrapped): code that is not optimized at all keeps its loop counters
//! there and may be refused wrongly.

mod analysis;
mod arithmetic;
mod audit;
mod isa;
mod listing;
mod machine;
mod memory;
mod state;
mod transfer;
mod walk;

pub use audit::{audit, members, Audit, Audited, Finding, Member};
pub use listing::disassembler;

use crate::image::{Image, Place};
use listing::Listed;
use object::Architecture;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A function to be checked and what its integer arguments are.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// Its symbol.
    pub name: &'a str,
    /// Its integer and pointer arguments in order, at most six; those not listed are secret.
    pub arguments: &'a [Argument],
}

/// What an argument is. A pointer is public; what it points to is secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A pointer, a length or another number that anyone may know: what is found holds for all of them.
    Public,
    /// A pointer, a length or another public number that is this one: what is found holds for it alone.
    Number(u64),
    /// Data.
    Secret,
}

/// What was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The number of instructions that were followed.
    pub instructions: usize,
    /// The number of instructions that jumps and calls lead to, whatever the conditions.
    pub reachable: usize,
    /// The number of conditional branches that were followed, all on public conditions.
    pub branches: usize,
}

/// A place whose time or memory accesses depend on secret data, or that can't be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The checked function from which the place is reached.
    pub function: String,
    /// The address in its section.
    pub address: u64,
    /// The instruction.
    pub instruction: String,
    /// What is wrong.
    pub reason: Reason,
}

/// What is wrong with an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A conditional branch on secret flags or registers.
    Branch,
    /// An address made from secret data.
    Address,
    /// An instruction whose duration depends on secret data.
    Duration,
    /// A jump or call to a computed address.
    Indirect,
    /// A call of a function outside of the object, or recursion.
    Call(String),
    /// Bytes that are no instruction, or a trap into the system.
    Unknown,
    /// The object can't be read or has no such function.
    Object(String),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Violation { function, address, instruction, reason } = self;
        write!(f, "{function}: {address:#x}: {instruction}: {reason}")
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Reason::Branch => write!(f, "branches on secret data"),
            Reason::Address => write!(f, "accesses memory at an address made from secret data"),
            Reason::Duration => write!(f, "takes a time that depends on secret data"),
            Reason::Indirect => write!(f, "jumps to a computed address"),
            Reason::Call(name) => write!(f, "calls `{name}`, which is not checked"),
            Reason::Unknown => write!(f, "is not understood"),
            Reason::Object(message) => write!(f, "{message}"),
        }
    }
}

/// Checks functions of an ELF object: for x86-64, i386, AArch64, Arm, RISC-V or Power of 64 bits.
///
/// # Errors
/// Every violation, by function and address.
pub fn check_object(object: &[u8], entries: &[Entry]) -> Result<Report, Vec<Violation>> {
    let code = Code::read(object).map_err(|error| vec![refused("", error.to_string())])?;
    let mut violations = Vec::new();
    let places = entries.iter().filter_map(|entry| match code.image.function(entry.name) {
        Some(place) => Some((entry, place)),
        None => {
            violations.push(refused(entry.name, "no such function".to_string()));
            None
        }
    });
    let checked = code.check(&places.collect::<Vec<_>>());
    violations.extend(checked.violations.into_values());
    if violations.is_empty() {
        Ok(checked.report)
    } else {
        Err(violations)
    }
}

fn refused(function: &str, message: String) -> Violation {
    Violation {
        function: function.to_string(),
        address: 0,
        instruction: String::new(),
        reason: Reason::Object(message),
    }
}

/// Why an object can't be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// The disassembler of its machine is missing: what to install.
    Tool(String),
    /// It is no object, or one for a machine that isn't known.
    File(String),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Unreadable::Tool(message) | Unreadable::File(message) => f.write_str(message),
        }
    }
}

/// The code of an object, with how it is read.
struct Code {
    image: Image,
    reading: Reading,
}

enum Reading {
    /// Decoded, for x86.
    Decoded,
    /// Listed, for a machine with a table of its instructions.
    Listed(&'static isa::Isa, BTreeMap<Place, Listed>),
}

/// What came of some functions.
struct Checked {
    report: Report,
    followed: BTreeSet<Place>,
    violations: BTreeMap<Place, Violation>,
}

impl Code {
    fn read(object: &[u8]) -> Result<Code, Unreadable> {
        let image = Image::read(object).map_err(Unreadable::File)?;
        let reading = match isa::find(image.architecture) {
            _ if matches!(image.architecture, Architecture::X86_64 | Architecture::I386) => {
                Reading::Decoded
            }
            Some(isa) => {
                disassembler().map_err(Unreadable::Tool)?;
                Reading::Listed(isa, listing::list(object, &image).map_err(Unreadable::File)?)
            }
            None => {
                let message = format!("{:?} is a machine that isn't known", image.architecture);
                return Err(Unreadable::File(message));
            }
        };
        Ok(Code { image, reading })
    }

    fn check(&self, entries: &[(&Entry, Place)]) -> Checked {
        match &self.reading {
            Reading::Decoded => {
                let mut analysis = analysis::Analysis::new(&self.image);
                for (entry, place) in entries {
                    analysis.entry(entry.name, *place, entry.arguments);
                }
                let report = Report {
                    instructions: analysis.followed.len(),
                    reachable: analysis.reachable.len(),
                    branches: analysis.branches.len(),
                };
                Checked { report, followed: analysis.followed, violations: analysis.violations }
            }
            Reading::Listed(isa, lines) => {
                let mut analysis = machine::Analysis::new(isa, &self.image, lines);
                for (entry, place) in entries {
                    analysis.entry(entry.name, *place, entry.arguments);
                }
                let report = Report {
                    instructions: analysis.followed.len(),
                    reachable: analysis.reachable(),
                    branches: analysis.branches.len(),
                };
                Checked { report, followed: analysis.followed, violations: analysis.violations }
            }
        }
    }
}

/// Functions that end the program where it is not as it should be.
const ENDS: &[&str] = &[
    "__stack_chk_fail",
    "__stack_chk_fail_local",
    "__fortify_fail",
    "__chk_fail",
    "__assert_fail",
    "abort",
];

/// Whether a function ends the program: what leads to its call is a branch that is checked.
fn ends(name: &str) -> bool {
    let of_rust =
        name.starts_with("_ZN4core") || (name.starts_with("_R") && name.contains("4core"));
    let panics = of_rust && ["panic", "_fail"].iter().any(|part| name.contains(part));
    panics || ENDS.contains(&name)
}

/// The names of the functions that an object exports.
///
/// # Errors
/// What is wrong with the object.
pub fn exported_functions(object: &[u8]) -> Result<Vec<String>, String> {
    Image::read(object).map(|image| image.exported)
}
