//! What is known before an instruction: for each register, flag and byte of the stack whether it is public.

use super::Argument;
use iced_x86::{Register, RflagsBits};
use std::collections::BTreeMap;

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// Public, and this number.
    Number(u64),
    /// Public, and no address of the stack.
    Public,
    /// This address of the stack, relative to the stack pointer before the call of the checked function.
    Stack(i64),
    /// This address of the stack or one above it: a pointer that walks upwards through an array.
    Above(i64),
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

    /// The value with a known number added.
    pub fn plus(self, n: i64) -> Value {
        match self {
            Value::Stack(at) => Value::Stack(at.wrapping_add(n)),
            Value::Above(at) => Value::Above(at.saturating_add(n)),
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

/// What is known before an instruction.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct State {
    registers: [Value; REGISTERS],
    /// The flags that may depend on secret data.
    pub secret_flags: u32,
    /// The bytes of the stack that are public, by address, with the value of which each is the byte.
    stack: BTreeMap<i64, (Value, u8)>,
}

const ARGUMENTS: [Register; 6] =
    [Register::RDI, Register::RSI, Register::RDX, Register::RCX, Register::R8, Register::R9];

const PRESERVED: [Register; 6] =
    [Register::RBX, Register::RBP, Register::R12, Register::R13, Register::R14, Register::R15];

impl State {
    /// The state at the start of a function.
    pub fn entry(arguments: &[Argument]) -> State {
        let registers = [Value::Secret; REGISTERS];
        let mut state = State { registers, secret_flags: FLAGS, stack: BTreeMap::new() };
        for (register, argument) in ARGUMENTS.iter().zip(arguments) {
            if *argument == Argument::Public {
                state.set(*register, Value::Public);
            }
        }
        for register in PRESERVED {
            state.set(register, Value::Public);
        }
        state.set(Register::RSP, Value::Stack(-8));
        state
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
            Some(number) => self.registers[number],
            None if register.is_st() || register.is_mm() || register.is_tmm() => Value::Secret,
            None => Value::Public,
        }
    }

    /// Gives a whole register a value.
    pub fn set(&mut self, register: Register, value: Value) {
        if let Some(number) = State::number(register) {
            self.registers[number] = value;
        }
    }

    /// Forgets what a call may change.
    pub fn clobber(&mut self) {
        let kept: Vec<(Register, Value)> =
            PRESERVED.iter().chain(&[Register::RSP]).map(|&r| (r, self.get(r))).collect();
        self.registers = [Value::Secret; REGISTERS];
        kept.into_iter().for_each(|(register, value)| self.set(register, value));
        self.secret_flags = FLAGS;
    }

    /// What `size` bytes of memory hold.
    pub fn load(&self, address: Value, size: usize) -> Value {
        let Value::Stack(at) = address else { return Value::Secret };
        let Some(&(first, 0)) = self.stack.get(&at) else { return self.mixed(at, size) };
        let whole = (0..size).all(|i| self.stack.get(&(at + i as i64)) == Some(&(first, i as u8)));
        let exact = matches!(first, Value::Number(_) | Value::Stack(_) | Value::Above(_));
        match whole && (size == 8 || !exact) {
            true => first,
            false => self.mixed(at, size),
        }
    }

    /// What bytes of several values hold.
    fn mixed(&self, at: i64, size: usize) -> Value {
        let bytes = (0..size).map(|i| self.stack.get(&(at + i as i64)).map(|(value, _)| *value));
        bytes.fold(Value::Public, |sum, byte| sum.mix(byte.unwrap_or(Value::Secret)))
    }

    /// Stores `size` bytes.
    pub fn store(&mut self, address: Value, size: usize, value: Value) {
        match address {
            Value::Stack(at) => {
                let bytes = at..at.saturating_add_unsigned(size as u64);
                let old: Vec<i64> = self.stack.range(bytes).map(|(at, _)| *at).collect();
                old.iter().for_each(|at| {
                    self.stack.remove(at);
                });
                if value != Value::Secret {
                    for i in 0..size {
                        self.stack.insert(at + i as i64, (value, i.min(255) as u8));
                    }
                }
            }
            Value::Above(at) => self.store_somewhere(at, value),
            Value::Anywhere | Value::Secret => self.store_somewhere(i64::MIN, value),
            // Not the stack.
            Value::Public | Value::Number(_) => {}
        }
    }

    /// Stores to an unknown address of the stack, `from` or above.
    fn store_somewhere(&mut self, from: i64, value: Value) {
        if value == Value::Secret {
            self.stack.split_off(&from);
        }
        for (_, (old, _)) in self.stack.range_mut(from..) {
            *old = old.join(value).mix(Value::Public);
        }
    }

    /// Adds what holds in another state; says whether anything changed.
    pub fn join(&mut self, other: &State) -> bool {
        let before = self.clone();
        for (mine, theirs) in self.registers.iter_mut().zip(&other.registers) {
            *mine = mine.join(*theirs);
        }
        self.secret_flags |= other.secret_flags;
        self.stack.retain(|at, _| other.stack.contains_key(at));
        for (at, (value, byte)) in &mut self.stack {
            let (theirs, index) = other.stack[at];
            if (theirs, index) != (*value, *byte) {
                *value = value.join(theirs);
                if *byte != index {
                    (*value, *byte) = (value.mix(Value::Public), u8::MAX);
                }
            }
        }
        *self != before
    }
}
