//! What an instruction does to the state.

use super::state::{State, Value, FLAGS};
use iced_x86::{
    EncodingKind, Instruction, InstructionInfo, Mnemonic, OpAccess, OpKind, Register, UsedMemory,
};

/// What an instruction reads, put together.
pub(super) struct Inputs {
    /// What it computes from.
    pub value: Value,
    /// What its addresses are made from.
    pub address: Value,
}

/// The address of a memory access.
fn address(state: &State, memory: &UsedMemory) -> Value {
    let register = |r: Register| match r {
        Register::None => Value::Number(0),
        r => state.get(r),
    };
    let base = register(memory.base());
    let displacement = memory.displacement() as i64;
    if memory.index() == Register::None {
        return base.plus(displacement);
    }
    base.mix(register(memory.index()))
}

fn reads(access: OpAccess) -> bool {
    use OpAccess::*;
    matches!(access, Read | CondRead | ReadWrite | ReadCondWrite)
}

fn writes(access: OpAccess) -> bool {
    use OpAccess::*;
    matches!(access, Write | CondWrite | ReadWrite | ReadCondWrite)
}

/// What an instruction reads in a state.
pub(super) fn inputs(state: &State, instruction: &Instruction, info: &InstructionInfo) -> Inputs {
    let mut value = Value::Public;
    let mut pointer = Value::Public;
    for used in info.used_registers().iter().filter(|used| reads(used.access())) {
        value = value.mix(state.get(used.register()));
    }
    for memory in info.used_memory() {
        let at = address(state, memory);
        pointer = pointer.mix(at);
        if reads(memory.access()) {
            value = value.mix(state.load(at, memory.memory_size().size()));
        }
    }
    if instruction.rflags_read() & state.secret_flags != 0 {
        value = Value::Secret;
    }
    Inputs { value, address: pointer }
}

/// The state after an instruction that goes on to the next one. `vex`: vector registers are wider than what
/// instructions of the older encoding write.
pub(super) fn apply(
    state: &mut State,
    instruction: &Instruction,
    info: &InstructionInfo,
    vex: bool,
) {
    let value = match exact(state, instruction, info) {
        Some(value) => value,
        None => inputs(state, instruction, info).value,
    };
    let stores: Vec<(Value, usize)> = info
        .used_memory()
        .iter()
        .filter(|memory| writes(memory.access()))
        .map(|memory| (address(state, memory), memory.memory_size().size()))
        .collect();
    let stack_pointer = moved_stack_pointer(state, instruction);
    let repeated = instruction.has_rep_prefix() || instruction.has_repne_prefix();
    for (at, size) in stores {
        // Conditional and masked stores keep some of what was there, repeated ones go on beyond.
        let partial = repeated || instruction.op_mask() != Register::None;
        match partial {
            true if value == Value::Secret => state.store(Value::Anywhere, size, value),
            true => state.store(Value::Anywhere, size, value.mix(Value::Public)),
            false => state.store(at, size, value),
        }
    }
    for used in info.used_registers().iter().filter(|used| writes(used.access())) {
        let register = used.register();
        let conditional = matches!(used.access(), OpAccess::CondWrite | OpAccess::ReadCondWrite);
        let narrow = register.is_gpr8() || register.is_gpr16();
        let legacy = vex
            && register.is_vector_register()
            && instruction.code().encoding() == EncodingKind::Legacy;
        let new = if narrow || register.is_gpr32() { narrowed(value) } else { value };
        match conditional || narrow || legacy {
            true => state.set(register, state.get(register).mix(new)),
            false => state.set(register, new),
        }
    }
    if let Some(pointer) = stack_pointer {
        state.set(Register::RSP, pointer);
    }
    let changed = instruction.rflags_modified() & FLAGS;
    let computed = instruction.rflags_written() & FLAGS;
    state.secret_flags &= !changed;
    if value == Value::Secret {
        state.secret_flags |= computed | (instruction.rflags_undefined() & FLAGS);
    }
}

/// Half of an address is no address.
fn narrowed(value: Value) -> Value {
    match value {
        Value::Stack(_) | Value::Anywhere => Value::Anywhere,
        other => other,
    }
}

/// The results of instructions that move addresses and numbers about.
fn exact(state: &State, instruction: &Instruction, info: &InstructionInfo) -> Option<Value> {
    let immediate = |operand: u32| instruction.try_immediate(operand).ok();
    let operand = |i: u32| match instruction.op_kind(i) {
        OpKind::Register if instruction.op_register(i).is_gpr64() => {
            Some(state.get(instruction.op_register(i)))
        }
        _ => immediate(i).map(Value::Number),
    };
    match instruction.mnemonic() {
        Mnemonic::Mov | Mnemonic::Push if instruction.op_count() > 0 => {
            let source = operand(instruction.op_count() - 1);
            source.or_else(|| loaded(state, info))
        }
        Mnemonic::Pop => loaded(state, info),
        Mnemonic::Lea => {
            let (base, index) = (instruction.memory_base(), instruction.memory_index());
            let known = index == Register::None && base.is_gpr64();
            let displacement = instruction.memory_displacement64() as i64;
            known.then(|| state.get(base).plus(displacement))
        }
        Mnemonic::Add => sum(operand(0)?, immediate(1)? as i64),
        Mnemonic::Sub => sum(operand(0)?, (immediate(1)? as i64).wrapping_neg()),
        Mnemonic::And => match (operand(0)?, immediate(1)? as i64) {
            (Value::Stack(at), mask) if mask < 0 => Some(Value::Stack(at & mask)),
            _ => None,
        },
        _ => None,
    }
}

/// The exact value that a load of a general register gives.
fn loaded(state: &State, info: &InstructionInfo) -> Option<Value> {
    let memory = info.used_memory().iter().find(|memory| reads(memory.access()))?;
    Some(state.load(address(state, memory), memory.memory_size().size()))
}

fn sum(value: Value, n: i64) -> Option<Value> {
    matches!(value, Value::Stack(_)).then(|| value.plus(n))
}

/// What instructions that push and pop make of the stack pointer.
fn moved_stack_pointer(state: &State, instruction: &Instruction) -> Option<Value> {
    let pointer = state.get(Register::RSP);
    match instruction.mnemonic() {
        Mnemonic::Leave => Some(state.get(Register::RBP).plus(8)),
        Mnemonic::Pop if instruction.op0_register() == Register::RSP => None,
        _ if instruction.is_stack_instruction() => {
            Some(pointer.plus(instruction.stack_pointer_increment().into()))
        }
        _ => None,
    }
}
