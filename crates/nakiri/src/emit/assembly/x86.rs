//! Lines of functions as instructions of x86-64.

use super::addresses::Addresses;
use super::{symbol, Names, LOOPS};
use crate::isa::Operands;
use crate::mir::{Allocated, Bank, Code, Computation, Home, Line, Memory, Operand, Part, Register};
use std::fmt::Write;

/// What a function calls another one.
fn called(number: usize, from: &Allocated, code: &Code, names: Names) -> String {
    let name = symbol(number, code, names);
    let is_entry = code.functions.last().is_some_and(|entry| entry.id == from.id);
    match names {
        Names::Symbols(_) => name,
        Names::Numbers if is_entry => name + "f",
        Names::Numbers => name + "b",
    }
}

struct Writer<'a> {
    code: &'a Code,
    addresses: &'a Addresses<'a>,
    /// The steps of the loop that is written.
    steps: Vec<isize>,
    /// Whether places of its pairs change at its end.
    turns: bool,
    out: String,
}

/// The lines of a function after its frame is made.
pub fn body(function: &Allocated, code: &Code, addresses: &Addresses, names: Names) -> String {
    let mut writer =
        Writer { code, addresses, steps: Vec::new(), turns: false, out: String::new() };
    let mut loops = Vec::new();
    for line in &function.lines {
        match line {
            Line::Compute { computation, result, operands } => {
                writer.compute(computation, *result, operands);
            }
            Line::Copy { to, from } => writer.copy(*to, *from),
            Line::Load { to, from } => writer.load(*to, from),
            Line::Store { to, from } => writer.store(to, *from),
            Line::Call { callee, pointers } => {
                addresses.pass(pointers, &mut writer.out);
                let _ = writeln!(writer.out, "call {}", called(*callee, function, code, names));
            }
            Line::Begin { count, steps, turns } => {
                let label = LOOPS + loops.len();
                writer.out.push_str(&addresses.begin(steps, *turns));
                let _ = writeln!(writer.out, ".p2align 5\n{label}:");
                writer.steps.clone_from(steps);
                writer.turns = *turns;
                loops.push(*count);
            }
            Line::End => {
                // Loops don't nest.
                if let Some(count) = loops.last() {
                    let label = format!("{}b", LOOPS + loops.len() - 1);
                    let steps = std::mem::take(&mut writer.steps);
                    writer.out.push_str(&addresses.again(&steps, writer.turns, *count, &label));
                }
            }
        }
    }
    writer.out + &addresses.epilogue()
}

impl Writer<'_> {
    fn bits(&self) -> u32 {
        self.code.target.bits
    }

    fn wide(&self) -> bool {
        self.bits() == 512
    }

    fn register(&self, register: Register) -> String {
        match register.bank {
            Bank::Mask => format!("k{}", register.number + 1),
            Bank::Vector => self.vector(register, self.bits()),
        }
    }

    /// So many of the lower bits of a register.
    fn vector(&self, register: Register, bits: u32) -> String {
        let kind = match bits {
            128 => "xmm",
            256 => "ymm",
            _ => "zmm",
        };
        format!("{kind}{}", register.number)
    }

    fn address(&mut self, memory: &Memory) -> String {
        self.addresses.address(memory, &self.steps, &mut self.out)
    }

    fn line(&mut self, name: &str, operands: &[String]) {
        let _ = writeln!(self.out, "{name} {}", operands.join(", "));
    }

    fn compute(&mut self, by: &Computation, result: Register, operands: &[Operand]) {
        let form = by.form;
        let mut written = vec![self.register(result)];
        let mut operands = operands;
        match (form.operands, operands) {
            (Operands::Tied | Operands::Table, [_, others @ ..]) => operands = others,
            (Operands::Blend, [Operand::Register(mask), others @ ..]) => {
                let _ = write!(written[0], "{{{}}}", self.register(*mask));
                operands = others;
            }
            (Operands::Zeroing, [Operand::Register(mask), others @ ..]) => {
                let _ = write!(written[0], "{{{}}}{{z}}", self.register(*mask));
                operands = others;
            }
            _ => {}
        }
        for operand in operands {
            let text = match operand {
                Operand::Register(register) => self.register(*register),
                Operand::Memory(memory) => {
                    let address = self.address(memory);
                    match (memory.part, form.repeated(by.width, self.bits())) {
                        (Part::Repeated(_), Some(bits)) => {
                            let size = if bits == 32 { "dword" } else { "qword" };
                            format!("{size} ptr {address}{{1to{}}}", self.bits() / u32::from(bits))
                        }
                        _ => address,
                    }
                }
            };
            written.push(text);
        }
        written.extend(by.immediate.map(|number| number.to_string()));
        self.line(&form.name(by.width, self.bits()), &written);
    }

    fn copy(&mut self, to: Register, from: Register) {
        let name = match (to.bank, self.wide()) {
            (Bank::Mask, _) => "kmovq",
            (Bank::Vector, true) => "vmovdqa64",
            (Bank::Vector, false) => "vmovdqa",
        };
        self.line(name, &[self.register(to), self.register(from)]);
    }

    fn load(&mut self, to: Register, from: &Home) {
        let own = self.register(to);
        match (from, self.wide()) {
            (Home::Zeros, true) => self.line("vpxorq", &[own.clone(), own.clone(), own]),
            (Home::Zeros, false) => self.line("vpxor", &[own.clone(), own.clone(), own]),
            (Home::Ones, true) => {
                self.line("vpternlogd", &[own.clone(), own.clone(), own, "255".to_string()]);
            }
            (Home::Ones, false) => self.line("vpcmpeqd", &[own.clone(), own.clone(), own]),
            (Home::Memory(memory), wide) => {
                let address = self.address(memory);
                let name = match (to.bank, memory.part, self.bits()) {
                    (Bank::Mask, ..) => "kmovq",
                    (_, Part::Repeated(8), 128) => "vmovddup",
                    (_, Part::Repeated(8), _) => "vpbroadcastq",
                    (_, Part::Repeated(16), 256) => "vbroadcasti128",
                    (_, Part::Repeated(16), 512) => "vbroadcasti32x4",
                    _ if wide => "vmovdqu64",
                    _ => "vmovdqu",
                };
                self.line(name, &[own, address]);
            }
        }
    }

    fn store(&mut self, to: &Memory, from: Register) {
        let address = self.address(to);
        let (name, bits) = match (from.bank, to.part, self.wide()) {
            (Bank::Mask, ..) => ("kmovq", 64),
            (_, Part::Repeated(8), _) => ("vmovq", 128),
            (_, Part::Repeated(_), true) => ("vmovdqu64", 128),
            (_, Part::Repeated(_), false) => ("vmovdqu", 128),
            (_, Part::Whole, true) => ("vmovdqu64", 512),
            (_, Part::Whole, false) => ("vmovdqu", self.bits()),
        };
        let from = match from.bank {
            Bank::Mask => self.register(from),
            Bank::Vector => self.vector(from, bits),
        };
        let address = if name == "vmovq" { format!("qword ptr {address}") } else { address };
        self.line(name, &[address, from]);
    }
}
