//! What is computed from known numbers and addresses of the stack: exact results and flags, so that branches on them are
//! decided.

use super::state::{Flags, State, Value, FLAGS};
use super::transfer::loaded;
use iced_x86::{
    ConditionCode, Instruction, InstructionInfo, Mnemonic, OpAccess, OpKind, Register, RflagsBits,
};

/// An exact result with the flags that are known after it.
pub(super) struct Exact {
    pub value: Value,
    pub flags: Flags,
}

/// The number of bits of a register or a memory operand that the general instructions compute with.
#[derive(Clone, Copy)]
struct Width(u32);

impl Width {
    fn mask(self) -> u64 {
        u64::MAX >> (64 - self.0)
    }

    fn sign(self, n: u64) -> bool {
        n >> (self.0 - 1) & 1 != 0
    }

    /// A number with its sign in all upper bits.
    fn extended(self, n: u64) -> u64 {
        ((n << (64 - self.0)) as i64 >> (64 - self.0)) as u64
    }
}

/// The exact result of an instruction, if everything that it computes from is known.
pub(super) fn exact(
    state: &State,
    instruction: &Instruction,
    info: &InstructionInfo,
) -> Option<Exact> {
    if instruction.op_mask() != Register::None {
        return None;
    }
    let of = |value| Exact { value, flags: state.flags };
    if clears(instruction) {
        let logic = instruction.op0_register().is_gpr();
        let flags = if logic { result_flags(Width(64), 0) } else { state.flags };
        return Some(Exact { value: Value::Number(0), flags });
    }
    let operands = Operands { state, instruction, info };
    match instruction.mnemonic() {
        Mnemonic::Mov | Mnemonic::Movzx if instruction.op_count() == 2 => {
            Some(of(operands.value(1)?))
        }
        Mnemonic::Push => Some(of(operands.value(0)?)),
        Mnemonic::Pop | Mnemonic::Leave => Some(of(operands.loaded()?)),
        Mnemonic::Movsx | Mnemonic::Movsxd => {
            let (from, to) = (operands.width(1)?, operands.width(0)?);
            let number = from.extended(operands.number(1)?) & to.mask();
            Some(of(Value::Number(number)))
        }
        Mnemonic::Movd | Mnemonic::Movq | Mnemonic::Vmovd | Mnemonic::Vmovq => {
            Some(of(operands.scalar(1)?))
        }
        Mnemonic::Movaps
        | Mnemonic::Movups
        | Mnemonic::Movdqa
        | Mnemonic::Movdqu
        | Mnemonic::Vmovaps
        | Mnemonic::Vmovups
        | Mnemonic::Vmovdqa
        | Mnemonic::Vmovdqu
        | Mnemonic::Vmovdqa64
        | Mnemonic::Vmovdqu64 => Some(of(operands.vector(1)?)),
        Mnemonic::Lea => lea(state, instruction).map(of),
        mnemonic if instruction.condition_code() != ConditionCode::None => {
            let holds = state.flags.hold(instruction.condition_code())?;
            let name = format!("{mnemonic:?}");
            match (name.starts_with("Set"), name.starts_with("Cmov")) {
                (true, _) => Some(of(Value::Number(holds.into()))),
                (_, true) => Some(of(operands.value(if holds { 1 } else { 0 })?)),
                _ => None,
            }
        }
        _ => operands.computed(),
    }
}

/// Whether an instruction makes its result zero whatever it reads.
fn clears(instruction: &Instruction) -> bool {
    use Mnemonic::*;
    let last = instruction.op_count().saturating_sub(1);
    let registers = (0..=last).all(|i| instruction.op_kind(i) == OpKind::Register);
    let xor = matches!(
        instruction.mnemonic(),
        Xor | Sub | Pxor | Xorps | Xorpd | Vpxor | Vpxord | Vpxorq | Vxorps | Vxorpd
    );
    let same = last > 0 && instruction.op_register(last) == instruction.op_register(last - 1);
    // The upper part of a narrow register stays.
    let wide = !instruction.op0_register().is_gpr8() && !instruction.op0_register().is_gpr16();
    xor && registers && same && wide
}

fn lea(state: &State, instruction: &Instruction) -> Option<Value> {
    let (base, index) = (instruction.memory_base(), instruction.memory_index());
    let wide = state.word() == 8;
    let is_full = |r: Register| if wide { r.is_gpr64() } else { r.is_gpr32() };
    let full = |r: Register| r == Register::None || is_full(r);
    if !full(base) || !full(index) {
        return None;
    }
    let base = if base == Register::None { Value::Number(0) } else { state.get(base) };
    let displacement = state.offset(Value::Number(instruction.memory_displacement64()));
    let base = state.offset(base);
    let base = base.sum(displacement).unwrap_or(base.mix(displacement));
    let value = state.wrapped(match index {
        Register::None => base,
        index => base.indexed(state.offset(state.get(index)), instruction.memory_index_scale()),
    });
    match (is_full(instruction.op0_register()), value) {
        (true, value) => Some(value),
        (false, Value::Number(n)) if instruction.op0_register().is_gpr32() => {
            Some(Value::Number(n & Width(32).mask()))
        }
        _ => None,
    }
}

struct Operands<'a> {
    state: &'a State<'a>,
    instruction: &'a Instruction,
    info: &'a InstructionInfo,
}

impl Operands<'_> {
    /// The width of an address.
    fn full(&self) -> Width {
        Width(8 * self.state.word() as u32)
    }

    fn width(&self, operand: u32) -> Option<Width> {
        let bytes = match self.instruction.op_kind(operand) {
            OpKind::Register => self.instruction.op_register(operand).size(),
            OpKind::Memory => self.instruction.memory_size().size(),
            _ => return None,
        };
        (1..=8).contains(&bytes).then_some(Width(8 * bytes as u32))
    }

    /// What an operand of up to 64 bits holds: a number, or all of an address.
    fn value(&self, operand: u32) -> Option<Value> {
        let value = match self.instruction.op_kind(operand) {
            OpKind::Register => {
                let register = self.instruction.op_register(operand);
                let upper = matches!(register, Register::AH | Register::BH | Register::CH)
                    || register == Register::DH;
                if !register.is_gpr() || upper {
                    return None;
                }
                self.state.get(register)
            }
            OpKind::Memory => self.loaded()?,
            _ => Value::Number(self.instruction.try_immediate(operand).ok()?),
        };
        let mask = self.width(operand).map_or(u64::MAX, Width::mask);
        match value {
            Value::Number(n) => Some(Value::Number(n & mask)),
            address if mask == self.full().mask() || mask == u64::MAX => Some(address),
            _ => None,
        }
    }

    /// What moves between a general and a vector register, or a vector register and memory.
    fn scalar(&self, operand: u32) -> Option<Value> {
        let register = self.instruction.op_register(operand);
        if self.instruction.op_kind(operand) != OpKind::Register || register.is_gpr() {
            return self.value(operand);
        }
        let width = self.width(0);
        match self.state.get(register) {
            Value::Number(n) => Some(Value::Number(n & width.map_or(u64::MAX, Width::mask))),
            other => Some(other).filter(|_| width.is_some_and(|w| w.0 == self.full().0)),
        }
    }

    /// A whole vector.
    fn vector(&self, operand: u32) -> Option<Value> {
        match self.instruction.op_kind(operand) {
            OpKind::Register => Some(self.state.get(self.instruction.op_register(operand))),
            _ => self.loaded(),
        }
    }

    fn number(&self, operand: u32) -> Option<u64> {
        match self.value(operand)? {
            Value::Number(n) => Some(n),
            _ => None,
        }
    }

    fn loaded(&self) -> Option<Value> {
        let reads = |access| matches!(access, OpAccess::Read | OpAccess::ReadWrite);
        let memory = self.info.used_memory().iter().find(|memory| reads(memory.access()))?;
        Some(loaded(self.state, memory))
    }

    fn computed(&self) -> Option<Exact> {
        let instruction = self.instruction;
        let width = self.width(0)?;
        if !matches!(instruction.op0_register(), Register::None)
            && !instruction.op0_register().is_gpr()
        {
            return None;
        }
        let a = match (self.value(0)?, self.value(1)) {
            (Value::Number(a), None | Some(Value::Number(_))) => a,
            (first, second) => return self.on_stack(first, second),
        };
        let number =
            |n: u64, flags: Flags| Some(Exact { value: Value::Number(n & width.mask()), flags });
        let carry = |state: &State| state.flags.hold(ConditionCode::b).map(u64::from);
        let kept = self.state.flags.only(RflagsBits::CF);
        match instruction.mnemonic() {
            Mnemonic::Add => {
                let (n, flags) = sum(width, a, self.number(1)?, 0);
                number(n, flags)
            }
            Mnemonic::Adc => {
                let (n, flags) = sum(width, a, self.number(1)?, carry(self.state)?);
                number(n, flags)
            }
            Mnemonic::Sub | Mnemonic::Cmp => {
                let (n, flags) = difference(width, a, self.number(1)? & width.mask(), 0);
                number(n, flags)
            }
            Mnemonic::Sbb => {
                let (n, flags) =
                    difference(width, a, self.number(1)? & width.mask(), carry(self.state)?);
                number(n, flags)
            }
            Mnemonic::Inc => {
                let (n, flags) = sum(width, a, 1, 0);
                number(n, flags.without(RflagsBits::CF).and(kept))
            }
            Mnemonic::Dec => {
                let (n, flags) = difference(width, a, 1, 0);
                number(n, flags.without(RflagsBits::CF).and(kept))
            }
            Mnemonic::Neg => {
                let (n, flags) = difference(width, 0, a, 0);
                number(n, flags)
            }
            Mnemonic::Not => number(!a, self.state.flags),
            Mnemonic::And | Mnemonic::Test => {
                let n = a & self.number(1)? & width.mask();
                number(n, result_flags(width, n))
            }
            Mnemonic::Or => {
                let n = (a | self.number(1)?) & width.mask();
                number(n, result_flags(width, n))
            }
            Mnemonic::Xor => {
                let n = (a ^ self.number(1)?) & width.mask();
                number(n, result_flags(width, n))
            }
            Mnemonic::Shl | Mnemonic::Shr | Mnemonic::Sar => {
                let count = self.number(1)? as u32 & if width.0 == 64 { 63 } else { 31 };
                if count == 0 || count >= width.0 {
                    return None;
                }
                let n = match instruction.mnemonic() {
                    Mnemonic::Shl => a << count & width.mask(),
                    Mnemonic::Shr => a >> count,
                    _ => ((width.extended(a) as i64) >> count) as u64 & width.mask(),
                };
                let unknown = RflagsBits::CF | RflagsBits::OF;
                number(n, result_flags(width, n).without(unknown))
            }
            Mnemonic::Imul if instruction.op_count() > 1 => {
                let last = instruction.op_count() - 1;
                let other = self.number(last)?;
                let one = if last == 2 { self.number(1)? } else { a };
                number(one.wrapping_mul(other), Flags::default())
            }
            _ => None,
        }
    }

    /// What is computed from addresses of the stack.
    fn on_stack(&self, first: Value, second: Option<Value>) -> Option<Exact> {
        let of = |value| Exact { value, flags: Flags::default() };
        let mnemonic = self.instruction.mnemonic();
        let wrapped = |value| of(self.state.wrapped(value));
        let first = self.state.offset(first);
        if mnemonic == Mnemonic::Neg {
            return first.negated().map(wrapped);
        }
        match (mnemonic, first, self.state.offset(second?)) {
            (Mnemonic::Sub | Mnemonic::Cmp, Value::Stack(at), Value::Stack(to)) => {
                // The stack lies on one side of the middle of the address space.
                let (n, flags) = difference(self.full(), at as u64, to as u64, 0);
                let below = Flags::of(RflagsBits::CF, at < to);
                Some(Exact {
                    value: Value::Number(n),
                    flags: flags
                        .without(RflagsBits::CF | RflagsBits::OF | RflagsBits::SF)
                        .and(below),
                })
            }
            (Mnemonic::And, Value::Stack(at), Value::Number(mask))
                if (-64..0).contains(&(mask as i64)) =>
            {
                Some(of(Value::Stack(at & mask as i64)))
            }
            (Mnemonic::Add, first, second) => first.sum(second).map(wrapped),
            (Mnemonic::Sub, first, second) => first.sum(second.negated()?).map(wrapped),
            _ => None,
        }
    }
}

/// The flags that only the result decides, with those that logic clears.
fn result_flags(width: Width, n: u64) -> Flags {
    Flags::of(RflagsBits::CF | RflagsBits::OF, false)
        .and(Flags::of(RflagsBits::ZF, n == 0))
        .and(Flags::of(RflagsBits::SF, width.sign(n)))
        .and(Flags::of(RflagsBits::PF, (n as u8).count_ones().is_multiple_of(2)))
}

fn sum(width: Width, a: u64, b: u64, carry: u64) -> (u64, Flags) {
    let b = b & width.mask();
    let whole = u128::from(a) + u128::from(b) + u128::from(carry);
    let n = whole as u64 & width.mask();
    let overflow = width.sign((a ^ n) & (b ^ n));
    (n, arithmetic_flags(width, n, whole >> width.0 != 0, overflow))
}

fn difference(width: Width, a: u64, b: u64, borrow: u64) -> (u64, Flags) {
    let n = a.wrapping_sub(b).wrapping_sub(borrow) & width.mask();
    let below = u128::from(a) < u128::from(b) + u128::from(borrow);
    let overflow = width.sign((a ^ b) & (a ^ n));
    (n, arithmetic_flags(width, n, below, overflow))
}

fn arithmetic_flags(width: Width, n: u64, carry: bool, overflow: bool) -> Flags {
    result_flags(width, n)
        .without(RflagsBits::CF | RflagsBits::OF)
        .and(Flags::of(RflagsBits::CF, carry))
        .and(Flags::of(RflagsBits::OF, overflow))
}

impl Flags {
    /// These flags, all clear or all set.
    fn of(flags: u32, set: bool) -> Flags {
        Flags { known: flags & FLAGS, set: if set { flags } else { 0 } }
    }

    fn only(self, flags: u32) -> Flags {
        Flags { known: self.known & flags, set: self.set & flags }
    }

    fn without(self, flags: u32) -> Flags {
        self.only(!flags)
    }

    fn and(self, other: Flags) -> Flags {
        Flags { known: self.known | other.known, set: self.set | other.set }
    }

    /// Whether a condition holds, if the flags that it reads are known.
    pub fn hold(self, condition: ConditionCode) -> Option<bool> {
        let flag = |flag| (self.known & flag != 0).then_some(self.set & flag != 0);
        let (carry, zero) = (flag(RflagsBits::CF), flag(RflagsBits::ZF));
        let less = || Some(flag(RflagsBits::SF)? != flag(RflagsBits::OF)?);
        use ConditionCode::*;
        match condition {
            None => Option::None,
            o => flag(RflagsBits::OF),
            no => flag(RflagsBits::OF).map(|set| !set),
            b => carry,
            ae => carry.map(|set| !set),
            e => zero,
            ne => zero.map(|set| !set),
            be => Some(carry? || zero?),
            a => Some(!carry? && !zero?),
            s => flag(RflagsBits::SF),
            ns => flag(RflagsBits::SF).map(|set| !set),
            p => flag(RflagsBits::PF),
            np => flag(RflagsBits::PF).map(|set| !set),
            l => less(),
            ge => less().map(|less| !less),
            le => Some(less()? || zero?),
            g => Some(!less()? && !zero?),
        }
    }
}
