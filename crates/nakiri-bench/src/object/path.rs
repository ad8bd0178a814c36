//! The instructions that a function executes.
//!
//! Emitted kernels branch on public counters only. A walk that knows the numbers in registers, flags and memory, but no
//! data, therefore follows the one way that every call takes, through loops and calls inside the object.

use super::decode::{fuses, Decoder};
use super::values::{Values, STACK};
use crate::sequence::{Sequence, Step};
use iced_x86::{FlowControl, Formatter, Instruction, IntelFormatter, OpKind, Register};
use nakiri_verify::image::{Destination, Image, Place};
use std::collections::{BTreeSet, HashMap};

/// The longest path that is followed.
const LIMIT: usize = 16_000_000;

/// Why there is no path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The object has no such function.
    NoFunction(String),
    /// A jump that depends on what is not known, by function, address in its section and text.
    Unknown(String, u64, String),
    /// Instructions that are not modelled.
    NotModelled(Vec<String>),
    /// The path is longer than a model follows.
    Endless,
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Error::NoFunction(name) => write!(f, "the object has no function `{name}`"),
            Error::Unknown(name, address, text) => write!(
                f,
                "what `{name}` executes depends on its data or on an argument that is not known: \
                 at {address:#x}: {text}"
            ),
            Error::NotModelled(list) => {
                let first: Vec<&str> = list.iter().take(5).map(String::as_str).collect();
                write!(f, "{} instructions are not modelled: {}", list.len(), first.join("; "))
            }
            Error::Endless => write!(
                f,
                "the function executes more than {LIMIT} instructions; if an argument is a number, say so with --arguments"
            ),
        }
    }
}

/// The instructions that one call of a function executes.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// What models need of them.
    pub sequence: Sequence,
    /// The machine instruction of each of [`Sequence::code`].
    pub code: Vec<Instruction>,
}

/// Follows one call of a function. Each of its six integer arguments is a number, or a pointer to memory of its own.
///
/// # Errors
/// See [`Error`].
pub fn path(image: &Image, name: &str, arguments: &[Option<u64>]) -> Result<Path, Error> {
    let start = image.function(name).ok_or_else(|| Error::NoFunction(name.to_string()))?;
    let mut walk = Walk {
        image,
        name,
        decoder: Decoder::default(),
        values: Values::entry(arguments),
        known: HashMap::new(),
        not_modelled: BTreeSet::new(),
        left_out: BTreeSet::new(),
        path: Path::default(),
        calls: Vec::new(),
    };
    let mut place = Some(start);
    while let Some(here) = place {
        if walk.path.sequence.steps.len() == LIMIT {
            return Err(Error::Endless);
        }
        place = walk.step(here)?;
    }
    if !walk.not_modelled.is_empty() {
        return Err(Error::NotModelled(walk.not_modelled.into_iter().collect()));
    }
    walk.path.sequence.left_out = walk.left_out.into_iter().collect();
    Ok(walk.path)
}

struct Walk<'a> {
    image: &'a Image,
    name: &'a str,
    decoder: Decoder,
    values: Values,
    /// The number of each place in [`Sequence::code`].
    known: HashMap<Place, u32>,
    not_modelled: BTreeSet<String>,
    left_out: BTreeSet<String>,
    path: Path,
    /// Where calls return to.
    calls: Vec<Place>,
}

impl Walk<'_> {
    /// Executes the instruction at a place; gives the next place, or nothing at the end.
    fn step(&mut self, place: Place) -> Result<Option<Place>, Error> {
        let Some(code) = self.known.get(&place).copied().or_else(|| self.decode(place)) else {
            return Err(self.unknown(place, "no instruction"));
        };
        let instruction = self.path.code[code as usize];
        let constant = self.image.constant_address(place.0, &instruction);
        let address = address(&self.values, &instruction, constant);
        let memory = self.path.sequence.code[code as usize].memory != 0;
        self.path.sequence.steps.push(Step { code, address: address.filter(|_| memory) });
        let next = (place.0, instruction.next_ip());
        match instruction.flow_control() {
            FlowControl::Next => {
                let info = self.decoder.info(&instruction);
                self.values.apply(&instruction, info, address, constant);
                Ok(Some(next))
            }
            FlowControl::ConditionalBranch => {
                match self.values.holds(instruction.condition_code()) {
                    Some(true) => self.jump(place, &instruction),
                    Some(false) => Ok(Some(next)),
                    None => Err(self.unknown(place, &text(&instruction))),
                }
            }
            FlowControl::UnconditionalBranch => self.jump(place, &instruction),
            FlowControl::Call => match self.image.destination(place.0, &instruction) {
                Destination::Inside(to) => {
                    self.calls.push(next);
                    let pointer = self.values.get(Register::RSP).map(|p| p.wrapping_sub(8));
                    self.values.set(Register::RSP, pointer);
                    Ok(Some(to))
                }
                Destination::Outside(name) => {
                    self.outside(name);
                    Ok(Some(next))
                }
            },
            FlowControl::Return => {
                let pointer = self.values.get(Register::RSP).map(|p| p.wrapping_add(8));
                self.values.set(Register::RSP, pointer);
                Ok(self.calls.pop())
            }
            _ => Err(self.unknown(place, &text(&instruction))),
        }
    }

    fn decode(&mut self, place: Place) -> Option<u32> {
        let instruction = self.image.instruction(place)?;
        let decoded = self.decoder.decode(&instruction).unwrap_or_else(|text| {
            self.not_modelled.insert(text);
            Default::default()
        });
        if let Some(last) = self.path.sequence.steps.last() {
            let before = last.code as usize;
            if fuses(&self.path.code[before], &instruction) {
                self.path.sequence.code[before].fused = true;
            }
        }
        let code = self.path.code.len() as u32;
        self.path.code.push(instruction);
        self.path.sequence.code.push(decoded);
        self.known.insert(place, code);
        Some(code)
    }

    fn jump(&mut self, place: Place, instruction: &Instruction) -> Result<Option<Place>, Error> {
        match self.image.destination(place.0, instruction) {
            Destination::Inside(to) => Ok(Some(to)),
            // A call at the end of the function.
            Destination::Outside(name) => {
                self.outside(name);
                let pointer = self.values.get(Register::RSP).map(|p| p.wrapping_add(8));
                self.values.set(Register::RSP, pointer);
                Ok(self.calls.pop())
            }
        }
    }

    /// A function that is not in the object: copies of memory are the only ones that kernels call.
    fn outside(&mut self, name: String) {
        let (to, bytes) = (self.values.get(Register::RDI), self.values.get(Register::RDX));
        if let (Some(to), Some(bytes)) = (to, bytes.filter(|bytes| *bytes < 1 << 24)) {
            self.values.store(to, bytes as usize, None);
        }
        self.values.clobber();
        self.values.set(Register::RAX, to);
        self.left_out.insert(format!("what `{name}` executes"));
    }

    fn unknown(&self, place: Place, text: &str) -> Error {
        Error::Unknown(self.name.to_string(), place.1, text.to_string())
    }
}

fn text(instruction: &Instruction) -> String {
    let mut text = String::new();
    IntelFormatter::new().format(instruction, &mut text);
    text
}

/// The address that an instruction computes or accesses.
fn address(values: &Values, instruction: &Instruction, constant: Option<u64>) -> Option<u64> {
    let explicit = (0..instruction.op_count()).any(|i| instruction.op_kind(i) == OpKind::Memory);
    if instruction.is_string_instruction() {
        return None;
    }
    if !explicit {
        let pointer = values.get(Register::RSP)?;
        let moved = instruction.stack_pointer_increment();
        return Some(if moved < 0 { pointer.wrapping_add_signed(moved.into()) } else { pointer });
    }
    let displacement = match constant {
        Some(address) => address,
        None => instruction.memory_displacement64(),
    };
    let part = |register: Register| match register {
        Register::None | Register::RIP => Some(0),
        register => values.get(register),
    };
    let index = part(instruction.memory_index())?;
    let scaled = index.wrapping_mul(instruction.memory_index_scale().into());
    Some(part(instruction.memory_base())?.wrapping_add(scaled).wrapping_add(displacement))
}

/// Whether an address is in the stack frames of the function and of those that it calls.
pub fn in_frame(address: u64) -> bool {
    (STACK - (1 << 28)..STACK).contains(&address)
}
