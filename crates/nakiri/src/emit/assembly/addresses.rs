//! Which general-purpose registers hold addresses and counters, and the frame on the stack.

use super::{CONSTANTS, TABLES};
use crate::mir::{Allocated, Base, Code, Line, Memory, Turn};
use std::fmt::Write;

/// The registers in which System V passes integers.
const PASSED: [&str; 6] = ["rdi", "rsi", "rdx", "rcx", "r8", "r9"];
/// Other registers that a function may overwrite.
const SCRATCH: [&str; 3] = ["rax", "r10", "r11"];
/// Registers that it must give back as they were, with their numbers for debuggers.
const SAVED: [(&str, u32); 5] = [("rbx", 3), ("r12", 12), ("r13", 13), ("r14", 14), ("r15", 15)];

/// Where an address or a counter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Register(&'static str),
    /// So many bytes from the stack's pointer.
    Frame(usize),
}

/// The general-purpose registers and the frame of a function.
pub struct Addresses<'a> {
    code: &'a Code,
    is_entry: bool,
    pointers: Vec<Place>,
    /// Those of the tables that it reads.
    tables: Vec<Option<Place>>,
    /// The counters of a loop: one for each step of its places, or one that counts.
    counters: Vec<Place>,
    /// If there are pairs, registers for the address of those that are read in a loop, and of those that are written for the next
    /// iteration.
    turns: Option<[&'static str; 2]>,
    /// How many saved registers it uses.
    saved: usize,
    /// Registers for an address and a counter that are in the frame.
    scratch: [&'static str; 2],
    /// Where the slots begin, from the stack's pointer: before them lies what is passed to functions on the stack.
    slots: usize,
    /// Where the first ones of the pairs begin, and the second ones.
    pairs: [usize; 2],
    /// Where the arrays lie.
    arrays: Vec<usize>,
    /// The size of the frame, in bytes.
    frame: usize,
}

impl<'a> Addresses<'a> {
    pub fn new(function: &'a Allocated, code: &'a Code, is_entry: bool) -> Self {
        let calls = function.lines.iter().any(|line| matches!(line, Line::Call { .. }));
        let steps = function.lines.iter().filter_map(|line| match line {
            Line::Begin { steps, .. } => Some(steps.len().max(1)),
            _ => None,
        });
        let counters = steps.max().unwrap_or(0);
        let register = code.target.bits as usize / 8;
        let passed_on = function.lines.iter().map(|line| match line {
            Line::Call { pointers, .. } => 8 * pointers.len().saturating_sub(PASSED.len()),
            _ => 0,
        });
        let slots = passed_on.max().unwrap_or(0).next_multiple_of(register);
        let first = slots + function.slots as usize * register;
        let second = first + function.pairs as usize * register;
        let mut frame = second + function.pairs as usize * register;
        let mut arrays = Vec::new();
        for bytes in &function.arrays {
            arrays.push(frame);
            frame += bytes.next_multiple_of(register);
        }
        let passed = function.pointers as usize;
        // Calls overwrite the registers in which addresses came, and those for addresses in the frame stay free.
        let mut free: Vec<&'static str> = match calls {
            true => Vec::new(),
            false => PASSED.iter().skip(passed).copied().chain([SCRATCH[2]]).collect(),
        };
        free.extend(SAVED.map(|(register, _)| register));
        let mut free = free.into_iter();
        let mut register_for_turns = |_| free.next().expect("there are more saved ones");
        let turns = (function.pairs > 0).then(|| [0, 1].map(&mut register_for_turns));
        let mut place = |frame: &mut usize| match free.next() {
            Some(register) => Place::Register(register),
            None => {
                *frame += 8;
                Place::Frame(*frame - 8)
            }
        };
        let own = |k: usize| (!calls).then(|| PASSED.get(k)).flatten();
        let pointers = (0..passed).map(|k| match own(k) {
            Some(register) => Place::Register(register),
            None => place(&mut frame),
        });
        let pointers = pointers.collect::<Vec<_>>();
        let counters = (0..counters).map(|_| place(&mut frame)).collect::<Vec<_>>();
        let is_read = |table: u32| function.lines.iter().any(|line| line.reads_table(table));
        let tables = (0..code.tables.len() as u32).map(|k| is_read(k).then(|| place(&mut frame)));
        let tables = tables.collect::<Vec<_>>();
        let used = |(register, _): &(&'static str, u32)| {
            let mut all = pointers.iter().chain(&counters).chain(tables.iter().flatten());
            turns.is_some_and(|turns| turns.contains(register))
                || all.any(|place| *place == Place::Register(register))
        };
        let saved = SAVED.iter().rposition(used).map_or(0, |last| last + 1);
        Addresses {
            code,
            is_entry,
            pointers,
            tables,
            counters,
            turns,
            saved,
            scratch: [SCRATCH[0], SCRATCH[1]],
            slots,
            pairs: [first, second],
            arrays,
            frame: frame.next_multiple_of(register),
        }
    }

    /// How many bytes of stack the function needs at most: its frame, what aligns it, what it saves, and the address to return to.
    pub fn stack(&self) -> usize {
        self.frame + self.code.target.bits as usize / 8 + 8 * (self.saved + 2)
    }

    fn has_frame(&self) -> bool {
        self.frame > 0 || self.saved > 0
    }

    /// Makes the frame and brings addresses to their places.
    pub fn prologue(&self) -> String {
        let mut out = String::new();
        if self.is_entry {
            out.push_str("endbr64\n");
        }
        if self.has_frame() {
            out.push_str("push rbp\n.cfi_def_cfa_offset 16\n.cfi_offset 6, -16\nmov rbp, rsp\n.cfi_def_cfa_register 6\n");
            for (k, (register, number)) in SAVED.iter().take(self.saved).enumerate() {
                let _ = writeln!(out, "push {register}\n.cfi_offset {number}, -{}", 24 + 8 * k);
            }
            let register = self.code.target.bits / 8;
            let _ = writeln!(out, "and rsp, -{register}\nsub rsp, {}", self.frame);
        }
        for (k, place) in self.pointers.iter().enumerate() {
            let from = match PASSED.get(k) {
                Some(register) => register.to_string(),
                None => {
                    // Above them lie the address to return to and, where there is a frame, what was in `rbp`.
                    let base = if self.has_frame() { ("rbp", 16) } else { ("rsp", 8) };
                    let offset = base.1 + 8 * (k - PASSED.len());
                    let _ = writeln!(out, "mov {}, [{}+{offset}]", self.scratch[0], base.0);
                    self.scratch[0].to_string()
                }
            };
            out.push_str(&set(*place, &from));
        }
        let tables = (TABLES..).zip(&self.tables);
        for (label, place) in tables.filter_map(|(label, place)| Some((label, (*place)?))) {
            let to = match place {
                Place::Register(register) => register,
                Place::Frame(_) => self.scratch[0],
            };
            let _ = writeln!(out, "lea {to}, [rip+{label}b]");
            out.push_str(&set(place, to));
        }
        out
    }

    /// Gives the frame back and returns.
    pub fn epilogue(&self) -> String {
        let mut out = String::new();
        if self.is_entry && self.code.target.bits > 128 {
            out.push_str("vzeroupper\n");
        }
        if self.has_frame() {
            let _ = match self.saved {
                0 => writeln!(out, "mov rsp, rbp"),
                saved => writeln!(out, "lea rsp, [rbp-{}]", 8 * saved),
            };
            for (register, _) in SAVED.iter().take(self.saved).rev() {
                let _ = writeln!(out, "pop {register}");
            }
            out.push_str("pop rbp\n.cfi_def_cfa 7, 8\n");
        }
        out + "ret\n"
    }

    /// An address in brackets, after the lines that bring what it is made of into registers, which are added. `steps` are those
    /// of the loop around it.
    pub fn address(&self, memory: &Memory, steps: &[isize], out: &mut String) -> String {
        let register = self.code.target.bits as usize / 8;
        let (base, offset) = match memory.base {
            Base::Pointer(k) => (self.read(self.pointers[k as usize], 0, out), memory.offset),
            Base::Table(k) => {
                let place = self.tables[k as usize].expect("it has all that its lines read");
                (self.read(place, 0, out), memory.offset)
            }
            Base::Array(k) => ("rsp".to_string(), self.arrays[k as usize] + memory.offset),
            Base::Slot(k) => ("rsp".to_string(), self.slots + k as usize * register),
            Base::Pair(k, turn) => {
                let [now, next] = self.turns.expect("they are for pairs");
                let (base, offset) = match turn {
                    Turn::First => ("rsp", self.pairs[0]),
                    Turn::Second => ("rsp", self.pairs[1]),
                    Turn::Now => (now, 0),
                    Turn::Next => (next, 0),
                };
                (base.to_string(), offset + k as usize * register)
            }
            Base::Pool(k) => {
                let offset = k as usize * register;
                return format!("[rip+{CONSTANTS}b+{offset}]");
            }
        };
        let counter = steps.iter().position(|step| memory.step != 0 && *step == memory.step);
        let counter = counter.map(|at| self.read(self.counters[at], 1, out));
        let counter = counter.map_or(String::new(), |counter| format!("+{counter}"));
        match offset {
            0 => format!("[{base}{counter}]"),
            _ => format!("[{base}{counter}+{offset}]"),
        }
    }

    fn read(&self, place: Place, scratch: usize, out: &mut String) -> String {
        match place {
            Place::Register(register) => register.to_string(),
            Place::Frame(offset) => {
                let register = self.scratch[scratch];
                let _ = writeln!(out, "mov {register}, [rsp+{offset}]");
                register.to_string()
            }
        }
    }

    /// Brings addresses to where they are passed.
    pub fn pass(&self, pointers: &[Memory], out: &mut String) {
        for (k, memory) in pointers.iter().enumerate() {
            let address = self.address(memory, &[], out);
            let _ = match PASSED.get(k) {
                Some(register) => writeln!(out, "lea {register}, {address}"),
                None => {
                    let offset = 8 * (k - PASSED.len());
                    writeln!(out, "lea {0}, {address}\nmov [rsp+{offset}], {0}", self.scratch[0])
                }
            };
        }
    }

    /// The lines before a loop: its counters begin with zero, and what takes turns with the first of each pair.
    pub fn begin(&self, steps: &[isize], turns: bool) -> String {
        let mut out = String::new();
        for (register, offset) in self.turns.iter().flatten().zip(self.pairs).filter(|_| turns) {
            let _ = writeln!(out, "lea {register}, [rsp+{offset}]");
        }
        for counter in self.counters.iter().take(steps.len().max(1)) {
            let _ = match counter {
                Place::Register(register) => writeln!(out, "xor {0}, {0}", low(register)),
                Place::Frame(offset) => writeln!(out, "mov qword ptr [rsp+{offset}], 0"),
            };
        }
        out
    }

    /// The lines after a loop's body: its pairs change and its counters move, and unless they are through it is run again.
    pub fn again(&self, steps: &[isize], turns: bool, count: u32, label: &str) -> String {
        let plain = [1];
        let steps = if steps.is_empty() { &plain } else { steps };
        let mut out = match self.turns {
            Some([now, next]) if turns => format!("xchg {now}, {next}\n"),
            _ => String::new(),
        };
        let place = |k: usize| match self.counters[k] {
            Place::Register(register) => register.to_string(),
            Place::Frame(offset) => format!("qword ptr [rsp+{offset}]"),
        };
        for (k, step) in steps.iter().enumerate() {
            let _ = writeln!(out, "add {}, {step}", place(k));
        }
        let _ = writeln!(out, "cmp {}, {}\njne {label}", place(0), steps[0] * count as isize);
        out
    }
}

fn set(to: Place, from: &str) -> String {
    match to {
        Place::Register(register) if register == from => String::new(),
        Place::Register(register) => format!("mov {register}, {from}\n"),
        Place::Frame(offset) => format!("mov [rsp+{offset}], {from}\n"),
    }
}

/// The lower half of a register, which clears the upper one.
fn low(register: &str) -> String {
    match register.strip_prefix('r') {
        Some(number) if number.starts_with(|c: char| c.is_ascii_digit()) => format!("{register}d"),
        Some(name) => format!("e{name}"),
        None => register.to_string(),
    }
}
