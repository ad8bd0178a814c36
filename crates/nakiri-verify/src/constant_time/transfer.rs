//! What an instruction does to the state.

use super::arithmetic::{exact, Exact};
use super::state::{Flags, State, Value, FLAGS};
use iced_x86::{
    EncodingKind, Instruction, InstructionInfo, Mnemonic, OpAccess, OpKind, Register, UsedMemory,
};

/// The largest copy whose bytes are followed one by one.
pub(super) const MAX_COPY: usize = 1 << 20;

/// What an instruction reads, put together.
pub(super) struct Inputs {
    /// What it computes from.
    pub value: Value,
    /// What its addresses are made from.
    pub address: Value,
}

/// The address of a memory access.
pub(super) fn address(state: &State, memory: &UsedMemory) -> Value {
    let register = |r: Register| match r {
        Register::None => Value::Number(0),
        r => state.get(r),
    };
    let displacement = state.offset(Value::Number(memory.displacement()));
    let base = state.offset(register(memory.base()));
    let base = base.sum(displacement).unwrap_or(base.mix(displacement));
    state.wrapped(match memory.index() {
        Register::None => base,
        index => base.indexed(state.offset(register(index)), memory.scale()),
    })
}

/// What a memory operand holds. The guard of the stack is compared with itself, so that the comparison tells nothing.
pub(super) fn loaded(state: &State, memory: &UsedMemory) -> Value {
    let bare = (memory.base(), memory.index()) == (Register::None, Register::None);
    let guard = (memory.segment(), memory.displacement());
    match state.word() {
        8 if bare && guard == (Register::FS, 0x28) => Value::Public,
        4 if bare && guard == (Register::GS, 0x14) => Value::Public,
        _ => state.load(address(state, memory), memory.memory_size().size()),
    }
}

fn reads(access: OpAccess) -> bool {
    use OpAccess::*;
    matches!(access, Read | CondRead | ReadWrite | ReadCondWrite)
}

fn writes(access: OpAccess) -> bool {
    use OpAccess::*;
    matches!(access, Write | CondWrite | ReadWrite | ReadCondWrite)
}

/// Whether a register is read for the address of a memory operand and for nothing else.
fn only_points(instruction: &Instruction, register: Register) -> bool {
    let full = register.full_register();
    let points = [instruction.memory_base(), instruction.memory_index()]
        .iter()
        .any(|part| part.full_register() == full);
    let is_operand = (0..instruction.op_count()).any(|i| {
        instruction.op_kind(i) == OpKind::Register
            && instruction.op_register(i).full_register() == full
    });
    points && !is_operand && instruction.mnemonic() != Mnemonic::Lea
}

/// What an instruction reads in a state.
pub(super) fn inputs(state: &State, instruction: &Instruction, info: &InstructionInfo) -> Inputs {
    let mut value = Value::Public;
    let mut pointer = Value::Public;
    for used in info.used_registers().iter().filter(|used| reads(used.access())) {
        let held = state.get(used.register());
        // A pointer that only says where the data are is not computed with; a secret one is refused anyway.
        if held == Value::Secret || !only_points(instruction, used.register()) {
            value = value.mix(held);
        }
    }
    for memory in info.used_memory() {
        let at = address(state, memory);
        pointer = pointer.mix(at);
        if reads(memory.access()) {
            value = value.mix(loaded(state, memory));
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
    if copy_or_fill(state, instruction, info) || exchange(state, instruction) {
        return;
    }
    let exact = exact(state, instruction, info);
    let known = exact.as_ref().map_or(Flags::default(), |exact| exact.flags);
    let (value, whole) = match exact {
        Some(Exact { value, .. }) => (value, true),
        None => (inputs(state, instruction, info).value, false),
    };
    let stack_pointer = moved_stack_pointer(state, instruction);
    let low = moved_low_byte(state, instruction, info);
    let stores = info.used_memory().iter().filter(|memory| writes(memory.access()));
    let stores: Vec<(Value, &UsedMemory)> =
        stores.map(|memory| (address(state, memory), memory)).collect();
    for (at, memory) in stores {
        store(state, instruction, at, memory, value);
        if let Some(low) = low {
            state.store(at, 1, low);
        }
    }
    for used in info.used_registers().iter().filter(|used| writes(used.access())) {
        let register = used.register();
        let conditional = matches!(used.access(), OpAccess::CondWrite | OpAccess::ReadCondWrite);
        let narrow = register.is_gpr8() || register.is_gpr16();
        let legacy = vex
            && register.is_vector_register()
            && instruction.code().encoding() == EncodingKind::Legacy;
        let half = register.is_gpr32() && state.word() == 8;
        let new = if narrow || half { narrowed(value) } else { value };
        match (conditional && !whole) || legacy {
            _ if narrow && conditional => state.insert(register, state.get(register).mix(new)),
            _ if narrow => state.insert(register, new),
            true => state.set(register, state.get(register).mix(new)),
            false => state.set(register, new),
        }
    }
    if let (Some(low), OpKind::Register) = (low, instruction.op0_kind()) {
        state.set_low(instruction.op0_register(), low);
    }
    if let Some(pointer) = stack_pointer {
        state.set(Register::RSP, pointer);
    }
    let changed = instruction.rflags_modified() & FLAGS;
    let computed = instruction.rflags_written() & FLAGS;
    state.secret_flags &= !changed;
    state.flags.known = state.flags.known & !changed | known.known & changed;
    state.flags.set = (state.flags.set & !changed | known.set & changed) & state.flags.known;
    if value == Value::Secret {
        state.secret_flags |= computed | (instruction.rflags_undefined() & FLAGS);
    }
}

/// `xchg` of two whole registers: each has what the other had. Says whether it is one.
fn exchange(state: &mut State, instruction: &Instruction) -> bool {
    let registers = [0, 1].map(|k| (instruction.op_kind(k), instruction.op_register(k)));
    let whole = |(kind, register): (OpKind, Register)| {
        kind == OpKind::Register && register.is_gpr() && register.size() == state.word()
    };
    if instruction.mnemonic() != Mnemonic::Xchg || !registers.into_iter().all(whole) {
        return false;
    }
    let [(_, one), (_, other)] = registers;
    let (a, b) = (state.get(one), state.get(other));
    let (low_a, low_b) = (state.low(one), state.low(other));
    state.set(one, b);
    state.set(other, a);
    for (register, low) in [(one, low_b), (other, low_a)] {
        if let Some(low) = low {
            state.set_low(register, low);
        }
    }
    true
}

/// `movs` and `stos`, which compilers use for copies and fills of known size: what moves is data, where it moves and
/// how often isn't. Says whether it is one of them. Strings go upwards, as the calling convention has it.
fn copy_or_fill(state: &mut State, instruction: &Instruction, info: &InstructionInfo) -> bool {
    use Mnemonic::*;
    let copies = matches!(instruction.mnemonic(), Movsb | Movsw | Movsd | Movsq);
    let fills = matches!(instruction.mnemonic(), Stosb | Stosw | Stosd | Stosq);
    if !instruction.is_string_instruction() || !(copies || fills) {
        return false;
    }
    let element = info.used_memory().first().map_or(1, |memory| memory.memory_size().size());
    let repeated = instruction.has_rep_prefix() || instruction.has_repne_prefix();
    let bytes = match (repeated, state.get(Register::RCX)) {
        (false, _) => Some(element),
        (true, Value::Number(n)) => usize::try_from(n).ok().and_then(|n| n.checked_mul(element)),
        (true, _) => None,
    };
    let bytes = bytes.filter(|bytes| *bytes <= MAX_COPY);
    let (to, from) = (state.get(Register::RDI), state.get(Register::RSI));
    let value = match (copies, bytes) {
        (true, Some(bytes)) => state.load(from, bytes).mix(Value::Public),
        (true, None) => Value::Secret,
        (false, _) => state.get(Register::RAX).mix(Value::Public),
    };
    match (bytes, to) {
        (Some(bytes), _) => state.store(to, bytes, value),
        (None, _) => state.store(to.upwards(), element, value),
    }
    let moved = |pointer: Value| match bytes {
        Some(bytes) => pointer.plus(bytes as i64),
        None => pointer.mix(state.get(Register::RCX)),
    };
    let (to, from) = (moved(to), moved(from));
    state.set(Register::RDI, to);
    if copies {
        state.set(Register::RSI, from);
    }
    if repeated {
        let left = match state.get(Register::RCX) {
            Value::Number(_) => Value::Number(0),
            count => Value::Number(0).join(count.mix(Value::Public)),
        };
        state.set(Register::RCX, left);
    }
    true
}

/// The lowest byte of what a `mov` of more moves, if more is known of it than of the rest.
fn moved_low_byte(
    state: &State,
    instruction: &Instruction,
    info: &InstructionInfo,
) -> Option<Value> {
    let whole = instruction.mnemonic() == Mnemonic::Mov && instruction.op_count() == 2;
    let narrow =
        |i: u32| instruction.op_kind(i) == OpKind::Register && instruction.op_register(i).is_gpr8();
    if !whole || narrow(0) || narrow(1) {
        return None;
    }
    match instruction.op1_kind() {
        OpKind::Register => state.low(instruction.op1_register()),
        OpKind::Memory => {
            let memory = info.used_memory().first()?;
            let at = address(state, memory);
            let rest = state.load(at, memory.memory_size().size());
            (rest == Value::Secret).then(|| state.load(at, 1)).filter(|low| *low != Value::Secret)
        }
        _ => None,
    }
}

/// Half of an address is no address.
fn narrowed(value: Value) -> Value {
    match value {
        Value::Stack(_) | Value::Above(_) | Value::Minus(_) | Value::Anywhere => Value::Anywhere,
        other => other,
    }
}

/// Stores the result of an instruction to one of its memory operands.
fn store(
    state: &mut State,
    instruction: &Instruction,
    at: Value,
    memory: &UsedMemory,
    value: Value,
) {
    let size = memory.memory_size().size();
    let repeated = instruction.has_rep_prefix() || instruction.has_repne_prefix();
    let conditional = matches!(memory.access(), OpAccess::CondWrite | OpAccess::ReadCondWrite);
    if repeated && instruction.is_string_instruction() {
        // It goes on beyond.
        state.store(Value::Anywhere, size, value.mix(Value::Public));
    } else if conditional || instruction.op_mask() != Register::None {
        // Some of what was there stays.
        let old = state.load(at, size);
        state.store(at, size, old.mix(value));
    } else {
        state.store(at, size, value);
    }
}

/// What instructions that push and pop make of the stack pointer.
fn moved_stack_pointer(state: &State, instruction: &Instruction) -> Option<Value> {
    let pointer = state.get(Register::RSP);
    match instruction.mnemonic() {
        Mnemonic::Leave => Some(state.get(Register::RBP).plus(state.word() as i64)),
        Mnemonic::Pop if instruction.op0_register() == Register::RSP => None,
        _ if instruction.is_stack_instruction() => {
            Some(pointer.plus(instruction.stack_pointer_increment().into()))
        }
        _ => None,
    }
}
