//! What is known before an instruction: for each register, flag and byte of the stack whether it is public.

use super::memory::Memory;
use super::Argument;
use crate::image::Image;
use iced_x86::{Register, RflagsBits};

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// Public, and this number; in a vector register, with zeros above it.
    Number(u64),
    /// Public, and no address of the stack.
    Public,
    /// This address of the stack, relative to the stack pointer before the call of the checked function.
    Stack(i64),
    /// This address of the stack or one above it: a pointer that walks upwards through an array.
    Above(i64),
    /// This number less the stack pointer before the call: compilers keep what they add to a pointer into the stack.
    Minus(i64),
    /// Public, and perhaps an address of the stack.
    Anywhere,
    /// It may depend on secret data.
    Secret,
}

impl Value {
    /// What holds for both; `self` is what held until now. A bound that would sink is given up, so that joins come to an end.
    pub fn join(self, other: Value) -> Value {
        use Value::*;
        match (self, other) {
            (a, b) if a == b => a,
            (Stack(a), Stack(b) | Above(b)) => Above(a.min(b)),
            (Above(a), Stack(b) | Above(b)) if a <= b => Above(a),
            (Secret, _) | (_, Secret) => Secret,
            (Number(_) | Public, Number(_) | Public) => Public,
            _ => Anywhere,
        }
    }

    /// What is computed from both in some way.
    pub fn mix(self, other: Value) -> Value {
        use Value::*;
        match (self, other) {
            (Secret, _) | (_, Secret) => Secret,
            (Number(_) | Public, Number(_) | Public) => Public,
            _ => Anywhere,
        }
    }

    /// A base with a scaled index.
    pub fn indexed(self, index: Value, scale: u32) -> Value {
        let exact = match index {
            Value::Number(n) => Some(self.plus(n.wrapping_mul(scale.into()) as i64)),
            _ if scale == 1 => self.sum(index),
            _ => None,
        };
        exact.unwrap_or(self.mix(index))
    }

    /// The sum, if it is known exactly.
    pub fn sum(self, other: Value) -> Option<Value> {
        use Value::*;
        match (self, other) {
            (Number(n), known @ (Number(_) | Stack(_) | Above(_) | Minus(_)))
            | (known @ (Stack(_) | Above(_) | Minus(_)), Number(n)) => Some(known.plus(n as i64)),
            (Stack(at), Minus(n)) | (Minus(n), Stack(at)) => {
                Some(Number(at.wrapping_add(n) as u64))
            }
            _ => None,
        }
    }

    /// The negative, if it is known exactly.
    pub fn negated(self) -> Option<Value> {
        match self {
            Value::Number(n) => Some(Value::Number(n.wrapping_neg())),
            Value::Stack(at) => Some(Value::Minus(at.wrapping_neg())),
            Value::Minus(n) => Some(Value::Stack(n.wrapping_neg())),
            _ => None,
        }
    }

    /// What an address may be, or one above it.
    pub fn upwards(self) -> Value {
        match self {
            Value::Stack(at) => Value::Above(at),
            other => other,
        }
    }

    /// The value with a known number added.
    pub fn plus(self, n: i64) -> Value {
        match self {
            Value::Stack(at) => Value::Stack(at.wrapping_add(n)),
            Value::Above(at) => Value::Above(at.saturating_add(n)),
            Value::Minus(m) => Value::Minus(m.wrapping_add(n)),
            Value::Number(m) => Value::Number(m.wrapping_add_signed(n)),
            other => other,
        }
    }
}

/// General, vector and mask registers, each in full.
const REGISTERS: usize = 16 + 32 + 8;

/// The arithmetic flags.
pub(super) const FLAGS: u32 = RflagsBits::OF
    | RflagsBits::SF
    | RflagsBits::ZF
    | RflagsBits::AF
    | RflagsBits::CF
    | RflagsBits::PF;

/// The arithmetic flags of which it is known whether they are set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flags {
    pub known: u32,
    /// Those among them that are set.
    pub set: u32,
}

/// What is known before an instruction.
#[derive(Clone, Debug)]
pub(super) struct State<'a> {
    /// The object, whose constants are public.
    image: &'a Image,
    registers: [Value; REGISTERS],
    /// The low bytes of general registers of which more is known: above them may be something else.
    low: [Option<Value>; 16],
    /// What is known of the flags.
    pub flags: Flags,
    /// The flags that may depend on secret data.
    pub secret_flags: u32,
    stack: Memory,
}

const ARGUMENTS: [Register; 6] =
    [Register::RDI, Register::RSI, Register::RDX, Register::RCX, Register::R8, Register::R9];

const PRESERVED: [Register; 6] =
    [Register::RBX, Register::RBP, Register::R12, Register::R13, Register::R14, Register::R15];

/// Whether a register is the lowest byte of another.
fn is_low(register: Register) -> bool {
    use Register::*;
    register.is_gpr8() && !matches!(register, AH | BH | CH | DH)
}

impl<'a> State<'a> {
    /// The state at the start of a function.
    pub fn entry(image: &'a Image, arguments: &[Argument]) -> State<'a> {
        let registers = [Value::Secret; REGISTERS];
        let (flags, stack) = (Flags::default(), Memory::new(image.order()));
        let secret_flags = FLAGS;
        let mut state = State { image, registers, low: [None; 16], flags, secret_flags, stack };
        let word = state.word();
        for (k, argument) in arguments.iter().enumerate() {
            let value = match argument {
                Argument::Public => Value::Public,
                Argument::Number(n) => Value::Number(*n),
                Argument::Secret => Value::Secret,
            };
            match ARGUMENTS.get(k).filter(|_| word == 8) {
                Some(register) => state.set(*register, value),
                None if word == 4 => state.stack.store(Value::Stack(4 * k as i64), 4, value),
                None => {}
            }
        }
        for register in state.preserved() {
            state.set(*register, Value::Public);
        }
        state.set(Register::RSP, Value::Stack(-(word as i64)));
        state
    }

    /// The size of an address, in bytes.
    pub fn word(&self) -> usize {
        self.image.order().word
    }

    /// A value as what is added to an address: numbers have signs there.
    pub fn offset(&self, value: Value) -> Value {
        match value {
            Value::Number(n) if self.word() == 4 => Value::Number(n as i32 as i64 as u64),
            other => other,
        }
    }

    /// An address without what is beyond its size.
    pub fn wrapped(&self, value: Value) -> Value {
        match value {
            Value::Number(n) if self.word() == 4 => Value::Number(n & 0xffff_ffff),
            other => other,
        }
    }

    /// What a callee leaves as it was.
    fn preserved(&self) -> &'static [Register] {
        match self.word() {
            4 => &[Register::RBX, Register::RBP, Register::RSI, Register::RDI],
            _ => &PRESERVED,
        }
    }

    /// An argument of a call that was not made yet.
    pub fn argument(&self, number: usize) -> Value {
        match (self.word(), self.get(Register::RSP)) {
            (4, pointer) => self.load(pointer.plus(4 * number as i64), 4),
            _ => self.get(ARGUMENTS[number]),
        }
    }

    /// The number of a full register; `None` for those that are not followed (`rip`, segments).
    fn number(register: Register) -> Option<usize> {
        let full = register.full_register();
        if full.is_gpr64() {
            Some(full as usize - Register::RAX as usize)
        } else if full.is_zmm() {
            Some(16 + (full as usize - Register::ZMM0 as usize))
        } else if full.is_k() {
            Some(48 + (full as usize - Register::K0 as usize))
        } else {
            None
        }
    }

    /// What a register holds. Registers that are not followed are public, except those of the x87 unit.
    pub fn get(&self, register: Register) -> Value {
        match State::number(register) {
            Some(number) => {
                let low = if is_low(register) { self.low[number] } else { None };
                low.unwrap_or(self.registers[number])
            }
            None if register.is_st() || register.is_mm() || register.is_tmm() => Value::Secret,
            None => Value::Public,
        }
    }

    /// Gives a whole register a value.
    pub fn set(&mut self, register: Register, value: Value) {
        if let Some(number) = State::number(register) {
            self.registers[number] = value;
            if let Some(low) = self.low.get_mut(number) {
                *low = None;
            }
        }
    }

    /// Gives the low 8 or 16 bits of a general register, or its second byte, a value.
    pub fn insert(&mut self, register: Register, value: Value) {
        let mask = if register.is_gpr8() { 0xff } else { 0xffff };
        let low = is_low(register);
        let full = register.full_register();
        let whole = match (self.get(full), value) {
            (Value::Number(old), Value::Number(new)) if low || register.is_gpr16() => {
                Value::Number(old & !mask | new & mask)
            }
            (old, new) => old.mix(new),
        };
        self.set(full, whole);
        if let (true, Some(number)) = (low, State::number(full)) {
            self.low[number] = Some(value);
        }
    }

    /// The lowest byte of a general register, if it is known apart from the rest.
    pub fn low(&self, register: Register) -> Option<Value> {
        *self.low.get(State::number(register)?)?
    }

    /// Says more of the lowest byte of a general register than of the rest.
    pub fn set_low(&mut self, register: Register, value: Value) {
        if let Some(low) = State::number(register).and_then(|number| self.low.get_mut(number)) {
            *low = Some(value);
        }
    }

    /// Forgets what a call may change.
    pub fn clobber(&mut self) {
        let kept: Vec<(Register, Value)> =
            self.preserved().iter().chain(&[Register::RSP]).map(|&r| (r, self.get(r))).collect();
        self.registers = [Value::Secret; REGISTERS];
        kept.into_iter().for_each(|(register, value)| self.set(register, value));
        self.secret_flags = FLAGS;
        self.flags = Flags::default();
    }

    /// What `size` bytes of memory hold.
    pub fn load(&self, address: Value, size: usize) -> Value {
        let at = match address {
            Value::Stack(at) => at,
            Value::Number(at) => return self.constant(at, size),
            _ => return Value::Secret,
        };
        self.stack.load(at, size)
    }

    /// What is at an address outside of the stack: a constant of the object, or data.
    fn constant(&self, address: u64, size: usize) -> Value {
        let Some(bytes) = self.image.constants(address, size) else { return Value::Secret };
        self.image.order().number(bytes).map_or(Value::Public, Value::Number)
    }

    /// Stores `size` bytes.
    pub fn store(&mut self, address: Value, size: usize, value: Value) {
        self.stack.store(address, size, value);
    }

    /// Adds what holds in another state; says whether anything changed.
    pub fn join(&mut self, other: &State) -> bool {
        let State { registers, low, flags, secret_flags, stack, .. } = self.clone();
        for (mine, theirs) in self.registers.iter_mut().zip(&other.registers) {
            *mine = mine.join(*theirs);
        }
        for (mine, theirs) in self.low.iter_mut().zip(&other.low) {
            *mine = mine.zip(*theirs).map(|(mine, theirs)| mine.join(theirs));
        }
        self.secret_flags |= other.secret_flags;
        let same = !(self.flags.set ^ other.flags.set);
        self.flags.known &= other.flags.known & same;
        self.flags.set &= self.flags.known;
        self.stack.join(&other.stack);
        let values = (self.registers, self.low) != (registers, low) || self.stack != stack;
        values || (self.flags, self.secret_flags) != (flags, secret_flags)
    }
}
