//! From decoded instructions to those of a [`Sequence`](crate::sequence::Sequence).

use super::classify::{classify, zero_idiom};
use crate::sequence::{self, Work};
use iced_x86::{
    FlowControl, Formatter, Instruction, InstructionInfo, InstructionInfoFactory, IntelFormatter,
    Mnemonic, OpAccess, OpKind, Register, RflagsBits,
};

/// The bit of the stack pointer in [`Registers`](crate::sequence::Registers).
pub const STACK_POINTER: usize = 4;
const VECTORS: usize = 16;
const MASKS: usize = VECTORS + 32;
const CARRY: usize = MASKS + 8;
const FLAGS: usize = CARRY + 1;
/// The registers that programs give values, by their bits: general ones without the stack pointer, vectors, and masks of elements.
pub const BANKS: [(&str, u64); 3] = [
    ("general", 0xffff & !(1 << STACK_POINTER)),
    ("vector", 0xffff_ffff << VECTORS),
    ("mask", 0xff << MASKS),
];
const OTHER_FLAGS: u32 = RflagsBits::OF | RflagsBits::SF | RflagsBits::ZF | RflagsBits::PF;

/// The bit of a register; `None` for those that are not followed.
pub fn bit(register: Register) -> Option<usize> {
    let full = register.full_register();
    if full.is_gpr64() {
        Some(full as usize - Register::RAX as usize)
    } else if full.is_zmm() {
        Some(VECTORS + (full as usize - Register::ZMM0 as usize))
    } else if full.is_k() {
        Some(MASKS + (full as usize - Register::K0 as usize))
    } else {
        None
    }
}

/// What an instruction is called.
pub fn mnemonic(instruction: &Instruction) -> String {
    format!("{:?}", instruction.mnemonic()).to_lowercase()
}

/// Turns instructions into those of a sequence.
pub struct Decoder {
    factory: InstructionInfoFactory,
}

impl Default for Decoder {
    fn default() -> Decoder {
        Decoder { factory: InstructionInfoFactory::new() }
    }
}

impl Decoder {
    /// What is known of an instruction's registers and memory.
    pub fn info(&mut self, instruction: &Instruction) -> &InstructionInfo {
        self.factory.info(instruction)
    }

    /// What a model needs to know of an instruction.
    ///
    /// # Errors
    /// The text of an instruction that has no class.
    pub fn decode(&mut self, instruction: &Instruction) -> Result<sequence::Instruction, String> {
        let info = self.factory.info(instruction);
        let Some(work) = classify(instruction, info) else {
            let mut text = String::new();
            IntelFormatter::new().format(instruction, &mut text);
            return Err(text);
        };
        let mut decoded = sequence::Instruction {
            bytes: instruction.len() as u32,
            work,
            memory: info.used_memory().first().map_or(0, |m| m.memory_size().size() as u32),
            branch: instruction.flow_control() != FlowControl::Next,
            issued: !matches!(instruction.mnemonic(), Mnemonic::Nop | Mnemonic::Endbr64),
            ..sequence::Instruction::default()
        };
        registers(instruction, info, &mut decoded);
        flags(instruction, &mut decoded);
        Ok(decoded)
    }
}

fn registers(
    instruction: &Instruction,
    info: &InstructionInfo,
    decoded: &mut sequence::Instruction,
) {
    let idiom = zero_idiom(instruction);
    // The stack pointer is counted up and down in the renamer, without an addition.
    let stack = instruction.is_stack_instruction();
    let stack = |register: usize| stack && register == STACK_POINTER;
    for used in info.used_registers() {
        let Some(register) = bit(used.register()).filter(|register| !stack(*register)) else {
            continue;
        };
        let (read, written) = access(used.access(), used.register());
        if written {
            decoded.written.insert(register);
        }
        if read && !idiom {
            match points(instruction, used.register()) && decoded.work != Work::default() {
                true => decoded.address.insert(register),
                false => decoded.data.insert(register),
            }
        }
    }
}

/// Whether an access reads and writes. Instructions that write a part of a general register keep the rest.
fn access(access: OpAccess, register: Register) -> (bool, bool) {
    use OpAccess::*;
    let narrow = register.is_gpr8() || register.is_gpr16();
    match access {
        Read | CondRead => (true, false),
        Write => (narrow, true),
        CondWrite | ReadWrite | ReadCondWrite => (true, true),
        None | NoMemAccess => (false, false),
    }
}

/// Whether a register is read for an address in memory and for nothing else.
fn points(instruction: &Instruction, register: Register) -> bool {
    let same = |other: Register| other.full_register() == register.full_register();
    let data = (0..instruction.op_count())
        .any(|i| instruction.op_kind(i) == OpKind::Register && same(instruction.op_register(i)));
    let memory = same(instruction.memory_base()) || same(instruction.memory_index());
    memory && !data && instruction.mnemonic() != Mnemonic::Lea
}

fn flags(instruction: &Instruction, decoded: &mut sequence::Instruction) {
    let (read, written) = (instruction.rflags_read(), instruction.rflags_modified());
    for (flags, number) in [(RflagsBits::CF, CARRY), (OTHER_FLAGS, FLAGS)] {
        if read & flags != 0 {
            decoded.data.insert(number);
        }
        if written & flags != 0 {
            decoded.written.insert(number);
        }
    }
}

/// Whether a pair is executed as one: an instruction that sets flags, and the jump after it.
pub fn fuses(first: &Instruction, second: &Instruction) -> bool {
    use Mnemonic::*;
    second.flow_control() == FlowControl::ConditionalBranch
        && matches!(first.mnemonic(), Cmp | Test | Add | Sub | And | Or | Xor | Inc | Dec)
}
