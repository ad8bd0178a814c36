//! What is known of registers, flags and memory along an executed path, and what instructions do to it.

use iced_x86::{
    ConditionCode, Instruction, InstructionInfo, Mnemonic, OpAccess, OpKind, Register, RflagsBits,
};
use std::collections::HashMap;

/// Arguments in the order of the calling convention.
const ARGUMENTS: [Register; 6] =
    [Register::RDI, Register::RSI, Register::RDX, Register::RCX, Register::R8, Register::R9];

/// The stack pointer before the call, aligned as the calling convention has it.
pub const STACK: u64 = 0x7fff_0000_0000;

/// The sign of a number of some bytes.
fn sign(value: u64, bytes: usize) -> bool {
    value >> (8 * bytes - 1) & 1 == 1
}

fn truncated(value: u64, bytes: usize) -> u64 {
    if bytes >= 8 {
        value
    } else {
        value & ((1 << (8 * bytes)) - 1)
    }
}

fn extended(value: u64, bytes: usize) -> u64 {
    let unused = 64 - 8 * bytes.min(8) as u32;
    ((value << unused) as i64 >> unused) as u64
}

/// Known registers, flags and memory.
#[derive(Clone, Debug)]
pub struct Values {
    /// What each holds, and which of its eight bytes are known.
    registers: [(u64, u8); 16],
    /// The flags that are known, and which of them are set.
    known: u32,
    set: u32,
    /// Eight bytes each, and which of them are known.
    memory: HashMap<u64, (u64, u8)>,
}

impl Values {
    /// The state at a call: each argument is the number given, or else a pointer to memory of its own.
    pub fn entry(arguments: &[Option<u64>]) -> Values {
        let mut values =
            Values { registers: [(0, 0); 16], known: 0, set: 0, memory: HashMap::new() };
        for (k, register) in ARGUMENTS.into_iter().enumerate() {
            let given = arguments.get(k).copied().flatten();
            // Far apart, and no small number in its lower half either.
            let pointer = ((k as u64 + 1) << 32) + (1 << 28);
            values.set(register, Some(given.unwrap_or(pointer)));
        }
        values.set(Register::RSP, Some(STACK - 8));
        values
    }

    /// What a general register holds. Bits 8 to 15 alone (`ah`) are not followed.
    pub fn get(&self, register: Register) -> Option<u64> {
        let (value, known) = self.registers[number(register)?];
        let bytes = bytes_of(register);
        (!is_high(register) && known & bytes == bytes).then(|| truncated(value, register.size()))
    }

    /// Writes a general register; one of 32 bits clears the rest of the whole, a narrower one keeps it.
    pub fn set(&mut self, register: Register, value: Option<u64>) {
        let Some(number) = number(register) else { return };
        let (held, known) = &mut self.registers[number];
        let size = register.size();
        (*held, *known) = match value {
            Some(value) if size >= 4 => (truncated(value, size), u8::MAX),
            None if size >= 4 => (0, 0),
            Some(value) if !is_high(register) => {
                let mask = truncated(u64::MAX, size);
                (*held & !mask | value & mask, *known | bytes_of(register))
            }
            _ => (*held, *known & !bytes_of(register)),
        };
    }

    /// What a few bytes of memory hold.
    pub fn load(&self, address: u64, bytes: usize) -> Option<u64> {
        (0..bytes as u64).try_fold(0, |sum, i| {
            let at = address.wrapping_add(i);
            let (word, known) = self.memory.get(&(at >> 3))?;
            let byte = (at & 7) as u32;
            (known >> byte & 1 == 1).then_some(sum | (word >> (8 * byte) & 0xff) << (8 * i))
        })
    }

    /// Writes memory.
    pub fn store(&mut self, address: u64, bytes: usize, value: Option<u64>) {
        let value = value.filter(|_| bytes <= 8);
        if value.is_none() && self.memory.is_empty() {
            return;
        }
        for i in 0..bytes as u64 {
            let at = address.wrapping_add(i);
            let byte = (at & 7) as u32;
            match value {
                Some(value) => {
                    let (word, known) = self.memory.entry(at >> 3).or_default();
                    *word = *word & !(0xff << (8 * byte)) | (value >> (8 * i) & 0xff) << (8 * byte);
                    *known |= 1 << byte;
                }
                None => {
                    if let Some((_, known)) = self.memory.get_mut(&(at >> 3)) {
                        *known &= !(1 << byte);
                    }
                }
            }
        }
    }

    /// Forgets what a call of an unknown function may change.
    pub fn clobber(&mut self) {
        use Register as R;
        for register in [R::RAX, R::RCX, R::RDX, R::RSI, R::RDI, R::R8, R::R9, R::R10, R::R11] {
            self.set(register, None);
        }
        self.known = 0;
    }

    /// Whether a condition holds; `None` if that is not known.
    pub fn holds(&self, condition: ConditionCode) -> Option<bool> {
        use ConditionCode as C;
        let flag = |flag: u32| (self.known & flag != 0).then_some(self.set & flag != 0);
        let (carry, zero) = (flag(RflagsBits::CF), flag(RflagsBits::ZF));
        let (sign, overflow) = (flag(RflagsBits::SF), flag(RflagsBits::OF));
        let less = || Some(sign? != overflow?);
        Some(match condition {
            C::None => return None,
            C::o => overflow?,
            C::no => !overflow?,
            C::b => carry?,
            C::ae => !carry?,
            C::e => zero?,
            C::ne => !zero?,
            C::be => carry? || zero?,
            C::a => !(carry? || zero?),
            C::s => sign?,
            C::ns => !sign?,
            C::p => flag(RflagsBits::PF)?,
            C::np => !flag(RflagsBits::PF)?,
            C::l => less()?,
            C::ge => !less()?,
            C::le => less()? || zero?,
            C::g => !(less()? || zero?),
        })
    }

    /// Applies an instruction that goes on to the next one. `address` is that of its memory operand, `constant` what a
    /// relocated immediate stands for.
    pub fn apply(
        &mut self,
        instruction: &Instruction,
        info: &InstructionInfo,
        address: Option<u64>,
        constant: Option<u64>,
    ) {
        let operands = Operands { values: self, instruction, address, constant };
        let effect = operands.effect();
        let changed = instruction.rflags_modified();
        match effect {
            Some(Effect { result, flags, target }) => {
                self.write(instruction, target, address, result);
                self.known = self.known & !changed | flags.map_or(0, |_| changed & ALL_FLAGS);
                self.set = self.set & !changed | flags.unwrap_or(0) & changed;
            }
            None if self.string(instruction, info) => {}
            None => {
                self.forget(info, address);
                self.known &= !changed;
            }
        }
        if instruction.is_stack_instruction() && instruction.mnemonic() != Mnemonic::Leave {
            let moved = i64::from(instruction.stack_pointer_increment());
            let pointer = self.get(Register::RSP).map(|p| p.wrapping_add_signed(moved));
            self.set(Register::RSP, pointer);
        }
    }

    fn write(
        &mut self,
        instruction: &Instruction,
        target: Target,
        address: Option<u64>,
        result: Option<u64>,
    ) {
        match target {
            Target::Nothing => {}
            Target::Register(register) => self.set(register, result),
            Target::Memory => match address {
                Some(address) => {
                    let size = match instruction.mnemonic() {
                        Mnemonic::Push => 8,
                        _ => instruction.memory_size().size(),
                    };
                    self.store(address, size, result);
                }
                None => self.memory.clear(),
            },
            Target::Frame => {
                let base = self.get(Register::RBP);
                self.set(Register::RSP, base.map(|base| base.wrapping_add(8)));
                self.set(Register::RBP, result);
            }
        }
    }

    /// A copy or fill of memory, one or many elements, upwards. Says whether the instruction is one.
    fn string(&mut self, instruction: &Instruction, info: &InstructionInfo) -> bool {
        const LARGEST: u64 = 1 << 24;
        if !instruction.is_string_instruction() {
            return false;
        }
        let element = info.used_memory().first().map_or(8, |m| m.memory_size().size()) as u64;
        let repeated = instruction.has_rep_prefix() || instruction.has_repne_prefix();
        let count = if repeated { self.get(Register::RCX) } else { Some(1) };
        let bytes = count.and_then(|n| n.checked_mul(element)).filter(|bytes| *bytes < LARGEST);
        match (self.get(Register::RDI), bytes) {
            (Some(to), Some(bytes)) => self.store(to, bytes as usize, None),
            _ => self.memory.clear(),
        }
        let reads = info.used_registers().iter().any(|used| used.register() == Register::RSI);
        for register in [Register::RDI].into_iter().chain(reads.then_some(Register::RSI)) {
            let moved = self.get(register).zip(bytes).map(|(at, bytes)| at.wrapping_add(bytes));
            self.set(register, moved);
        }
        if repeated {
            self.set(Register::RCX, count.map(|_| 0));
        }
        true
    }

    /// What is left after an instruction whose results are not followed.
    fn forget(&mut self, info: &InstructionInfo, address: Option<u64>) {
        let writes = |access| {
            use OpAccess::*;
            matches!(access, Write | CondWrite | ReadWrite | ReadCondWrite)
        };
        for used in info.used_registers().iter().filter(|used| writes(used.access())) {
            if used.register() != Register::RSP {
                self.set(used.register(), None);
            }
        }
        for memory in info.used_memory().iter().filter(|memory| writes(memory.access())) {
            match address {
                Some(address) => self.store(address, memory.memory_size().size(), None),
                None => self.memory.clear(),
            }
        }
    }
}

const ALL_FLAGS: u32 =
    RflagsBits::CF | RflagsBits::ZF | RflagsBits::SF | RflagsBits::OF | RflagsBits::PF;

/// What an instruction does that is followed.
struct Effect {
    result: Option<u64>,
    /// The flags that are set, if they are known.
    flags: Option<u32>,
    target: Target,
}

/// Where a result goes.
#[derive(Clone, Copy)]
enum Target {
    Nothing,
    Register(Register),
    Memory,
    /// `leave`.
    Frame,
}

struct Operands<'a> {
    values: &'a Values,
    instruction: &'a Instruction,
    address: Option<u64>,
    constant: Option<u64>,
}

impl Operands<'_> {
    fn size(&self, operand: u32) -> usize {
        match self.instruction.op_kind(operand) {
            OpKind::Register => self.instruction.op_register(operand).size(),
            OpKind::Memory => self.instruction.memory_size().size(),
            // Immediates have the size of what they go to; pushed ones, that of the stack's slots.
            _ if operand > 0 => self.size(0),
            _ => 8,
        }
    }

    fn value(&self, operand: u32) -> Option<u64> {
        match self.instruction.op_kind(operand) {
            OpKind::Register => self.values.get(self.instruction.op_register(operand)),
            OpKind::Memory => self.values.load(self.address?, self.size(operand)),
            _ => match self.constant {
                Some(constant) if self.instruction.memory_base() == Register::None => {
                    Some(constant)
                }
                _ => self.instruction.try_immediate(operand).ok(),
            },
        }
        .map(|value| truncated(value, self.size(operand)))
    }

    fn target(&self) -> Target {
        match self.instruction.op_kind(0) {
            OpKind::Register => Target::Register(self.instruction.op_register(0)),
            _ => Target::Memory,
        }
    }

    /// `None` if the instruction is not followed: all that it writes is unknown then.
    fn effect(&self) -> Option<Effect> {
        use Mnemonic::*;
        let to = |result| Some(Effect { result, flags: None, target: self.target() });
        let vector = (0..self.instruction.op_count()).any(|i| {
            self.instruction.op_kind(i) == OpKind::Register
                && !self.instruction.op_register(i).is_gpr()
        });
        if vector {
            return None;
        }
        let size = if self.instruction.op_count() > 0 { self.size(0) } else { 8 };
        match self.instruction.mnemonic() {
            Mov | Movzx => to(self.value(1)),
            Movsx | Movsxd => to(self.value(1).map(|value| extended(value, self.size(1)))),
            Cdqe => {
                let value = self.values.get(Register::EAX).map(|value| extended(value, 4));
                Some(Effect { result: value, flags: None, target: Target::Register(Register::RAX) })
            }
            Lea => to(self.address),
            Push => Some(Effect { result: self.value(0), flags: None, target: Target::Memory }),
            Pop => to(self.address.and_then(|address| self.values.load(address, 8))),
            Leave => {
                let base = self.values.get(Register::RBP);
                let saved = base.and_then(|base| self.values.load(base, 8));
                Some(Effect { result: saved, flags: None, target: Target::Frame })
            }
            Not => to(self.value(0).map(|value| !value)),
            Imul if self.instruction.op_count() > 1 => {
                let last = self.instruction.op_count() - 1;
                let factors = self.value(last - 1).zip(self.value(last));
                to(factors.map(|(a, b)| a.wrapping_mul(b)))
            }
            Cmp | Sub => self.sum(size, true),
            Test | And | Or | Xor => Some(self.logic(size)),
            Add => self.sum(size, false),
            Inc => self.count(size, 1),
            Dec => self.count(size, u64::MAX),
            Neg => {
                let value = self.value(0).map(|value| value.wrapping_neg());
                let carry = self.value(0).map(|value| if value != 0 { RflagsBits::CF } else { 0 });
                let flags = value.zip(carry).map(|(value, carry)| status(value, size) | carry);
                Some(Effect { result: value, flags, target: self.target() })
            }
            Shl | Sal | Shr | Sar => self.shift(size),
            _ if self.instruction.condition_code() != ConditionCode::None => self.conditional(),
            _ => None,
        }
    }

    /// Sums and differences.
    fn sum(&self, size: usize, minus: bool) -> Option<Effect> {
        let target = match self.instruction.mnemonic() {
            Mnemonic::Cmp => Target::Nothing,
            _ => self.target(),
        };
        let Some((a, b)) = self.value(0).zip(self.value(1)) else {
            return Some(Effect { result: None, flags: None, target });
        };
        let result = if minus { a.wrapping_sub(b) } else { a.wrapping_add(b) };
        let result = truncated(result, size);
        let carried = if minus { a < b } else { result < a };
        let signs = (sign(a, size), sign(b, size) != minus, sign(result, size));
        let overflown = signs.0 == signs.1 && signs.0 != signs.2;
        let mut flags = status(result, size);
        flags |= if carried { RflagsBits::CF } else { 0 };
        flags |= if overflown { RflagsBits::OF } else { 0 };
        Some(Effect { result: Some(result), flags: Some(flags), target })
    }

    fn count(&self, size: usize, by: u64) -> Option<Effect> {
        let result = self.value(0).map(|value| truncated(value.wrapping_add(by), size));
        let extreme = if by == 1 { 1 << (8 * size - 1) } else { (1u64 << (8 * size - 1)) - 1 };
        let flags = result.map(|result| {
            status(result, size) | if result == extreme { RflagsBits::OF } else { 0 }
        });
        Some(Effect { result, flags, target: self.target() })
    }

    fn logic(&self, size: usize) -> Effect {
        let mnemonic = self.instruction.mnemonic();
        let same = self.instruction.op_kind(0) == OpKind::Register
            && self.instruction.op_kind(1) == OpKind::Register
            && self.instruction.op0_register() == self.instruction.op1_register();
        let result = match (mnemonic, self.value(0), self.value(1)) {
            (Mnemonic::Xor, ..) if same => Some(0),
            (Mnemonic::Xor, Some(a), Some(b)) => Some(a ^ b),
            (Mnemonic::Or, Some(a), Some(b)) => Some(a | b),
            (Mnemonic::And | Mnemonic::Test, Some(a), Some(b)) => Some(a & b),
            _ => None,
        };
        let target = match mnemonic {
            Mnemonic::Test => Target::Nothing,
            _ => self.target(),
        };
        Effect { result, flags: result.map(|result| status(result, size)), target }
    }

    /// Shifts; the flags that they leave are not followed.
    fn shift(&self, size: usize) -> Option<Effect> {
        let bits = 8 * size as u32;
        let (value, by) = self.value(0).zip(self.value(1))?;
        let by = by as u32 & if size == 8 { 63 } else { 31 };
        let result = match self.instruction.mnemonic() {
            _ if by >= bits => return None,
            Mnemonic::Shr => value >> by,
            Mnemonic::Sar => (extended(value, size) as i64 >> by) as u64,
            _ => value << by,
        };
        Some(Effect { result: Some(truncated(result, size)), flags: None, target: self.target() })
    }

    /// `cmov` and `set`.
    fn conditional(&self) -> Option<Effect> {
        let holds = self.values.holds(self.instruction.condition_code());
        let result = match self.instruction.op_count() {
            1 => holds.map(u64::from),
            _ => holds.and_then(|holds| self.value(u32::from(holds))),
        };
        Some(Effect { result, flags: None, target: self.target() })
    }
}

/// The flags that tell of a result by itself.
fn status(result: u64, size: usize) -> u32 {
    let mut flags = 0;
    let result = truncated(result, size);
    flags |= if result == 0 { RflagsBits::ZF } else { 0 };
    flags |= if sign(result, size) { RflagsBits::SF } else { 0 };
    flags |= if (result as u8).count_ones().is_multiple_of(2) { RflagsBits::PF } else { 0 };
    flags
}

/// Which bytes of the whole a register is, the lowest first.
fn bytes_of(register: Register) -> u8 {
    match is_high(register) {
        true => 0b10,
        false => u8::MAX >> (8 - register.size()),
    }
}

fn is_high(register: Register) -> bool {
    matches!(register, Register::AH | Register::BH | Register::CH | Register::DH)
}

fn number(register: Register) -> Option<usize> {
    let full = register.full_register();
    full.is_gpr64().then(|| full as usize - Register::RAX as usize)
}
