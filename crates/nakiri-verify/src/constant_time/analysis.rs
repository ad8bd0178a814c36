//! The check of code for x86.

use super::state::{State, Value};
use super::transfer::{apply, inputs, MAX_COPY};
use super::walk::{walk, Machine, Next};
use super::{ends, Argument, Reason, Violation};
use crate::image::{Destination, Image, Place};
use iced_x86::{
    EncodingKind, FlowControl, Formatter, Instruction, InstructionInfoFactory, IntelFormatter,
    Mnemonic, OpAccess, OpKind, Register,
};
use std::collections::{BTreeMap, BTreeSet};

/// How deep calls may nest: beyond it is recursion.
const MAX_DEPTH: usize = 32;

/// How many instructions are followed at the most: beyond it, a loop of known numbers doesn't end.
const MAX_STEPS: usize = 50_000_000;

/// The check of functions of an object.
pub(super) struct Analysis<'a> {
    image: &'a Image,
    /// The function that is being checked.
    name: String,
    factory: InstructionInfoFactory,
    /// Whether wider registers than those of the older vector instructions are in use.
    vex: bool,
    depth: usize,
    steps: usize,
    /// Every instruction that jumps and calls lead to.
    pub reachable: BTreeMap<Place, Instruction>,
    /// Those that were followed.
    pub followed: BTreeSet<Place>,
    /// The conditional branches among them.
    pub branches: BTreeSet<Place>,
    /// What is wrong, by place.
    pub violations: BTreeMap<Place, Violation>,
}

impl<'a> Machine for Analysis<'a> {
    type State = State<'a>;

    fn step(&mut self, place: Place, state: &mut State<'a>) -> Next {
        self.step(place, state)
    }

    fn join(state: &mut State<'a>, other: &State<'a>) -> bool {
        state.join(other)
    }
}

impl<'a> Analysis<'a> {
    pub fn new(image: &'a Image) -> Analysis<'a> {
        Analysis {
            image,
            name: String::new(),
            factory: InstructionInfoFactory::new(),
            vex: false,
            depth: 0,
            steps: 0,
            reachable: BTreeMap::new(),
            followed: BTreeSet::new(),
            branches: BTreeSet::new(),
            violations: BTreeMap::new(),
        }
    }

    /// Checks the function that starts here.
    pub fn entry(&mut self, name: &str, place: Place, arguments: &[Argument]) {
        self.name = name.to_string();
        self.steps = 0;
        self.reach(place);
        let wide =
            |i: &Instruction| matches!(i.code().encoding(), EncodingKind::VEX | EncodingKind::EVEX);
        self.vex = self.reachable.values().any(wide);
        walk(self, place, State::entry(self.image, arguments));
    }

    /// Finds the instructions that jumps and calls lead to from here.
    fn reach(&mut self, start: Place) {
        let mut todo = vec![start];
        while let Some(place) = todo.pop() {
            if self.reachable.contains_key(&place) {
                continue;
            }
            let Some(instruction) = self.instruction(place) else { continue };
            self.reachable.insert(place, instruction);
            let flow = instruction.flow_control();
            use FlowControl::*;
            if matches!(flow, ConditionalBranch | UnconditionalBranch | Call) {
                if let Destination::Inside(to) = self.image.destination(place.0, &instruction) {
                    todo.push(to);
                }
            }
            if let Some(Destination::Inside(to)) = self.loaded(&instruction) {
                todo.push(to);
            }
            if matches!(flow, Next | ConditionalBranch | Call | IndirectCall) {
                todo.push((place.0, instruction.next_ip()));
            }
        }
    }

    /// The instruction at a place, with the address of what it reads of the object's own data, if it does.
    fn instruction(&self, place: Place) -> Option<Instruction> {
        let mut instruction = self.image.instruction(place)?;
        if instruction.is_ip_rel_memory_operand() {
            if let Some(address) = self.image.constant_address(place.0, &instruction) {
                instruction.set_memory_base(Register::None);
                instruction.set_memory_displ_size(8);
                instruction.set_memory_displacement64(address);
            }
        }
        if self.image.order().word == 4 {
            self.fill_in(place, &mut instruction);
        }
        Some(instruction)
    }

    /// Puts the address of the object's own data where a linker does.
    fn fill_in(&self, place: Place, instruction: &mut Instruction) {
        let Some(address) = self.image.constant_address(place.0, instruction) else { return };
        let kinds: Vec<OpKind> =
            (0..instruction.op_count()).map(|i| instruction.op_kind(i)).collect();
        match (kinds.contains(&OpKind::Memory), kinds.contains(&OpKind::Immediate32)) {
            (true, false) => instruction.set_memory_displacement64(address),
            (false, true) => instruction.set_immediate32(address as u32),
            _ => {}
        }
    }

    /// The function to which a jump through the table of a library goes.
    fn loaded(&self, instruction: &Instruction) -> Option<Destination> {
        let is_slot =
            instruction.op0_kind() == OpKind::Memory && instruction.is_ip_rel_memory_operand();
        let address = is_slot.then(|| instruction.ip_rel_memory_address())?;
        self.image.slot(address).cloned()
    }

    /// Checks and applies one instruction.
    fn step(&mut self, place: Place, state: &mut State<'a>) -> Next {
        self.steps += 1;
        let instruction = self.reachable.get(&place).filter(|_| self.steps < MAX_STEPS).copied();
        let Some(instruction) = instruction else {
            self.refuse(place, None, Reason::Unknown);
            return Next::End;
        };
        self.followed.insert(place);
        self.check(place, &instruction, state);
        let next = (place.0, instruction.next_ip());
        let word = state.word() as i64;
        match instruction.flow_control() {
            FlowControl::Next => {
                let info = self.factory.info(&instruction);
                apply(state, &instruction, info, self.vex);
                Next::Place(next)
            }
            FlowControl::ConditionalBranch => {
                self.branches.insert(place);
                let taken = state.flags.hold(instruction.condition_code());
                match self.image.destination(place.0, &instruction) {
                    Destination::Inside(to) => match taken {
                        Some(taken) => Next::Place(if taken { to } else { next }),
                        None => Next::Fork([to, next]),
                    },
                    Destination::Outside(name) => {
                        self.refuse(place, Some(&instruction), Reason::Call(name));
                        Next::Place(next)
                    }
                }
            }
            FlowControl::UnconditionalBranch => {
                match self.image.destination(place.0, &instruction) {
                    Destination::Inside(to) => Next::Place(to),
                    Destination::Outside(name) => {
                        // The return address is above the arguments.
                        state.set(Register::RSP, state.get(Register::RSP).plus(word));
                        self.outside(place, &instruction, &name, state);
                        Next::Return
                    }
                }
            }
            FlowControl::Return => {
                state.set(Register::RSP, state.get(Register::RSP).plus(word));
                Next::Return
            }
            FlowControl::Call => match self.image.destination(place.0, &instruction) {
                Destination::Outside(name) if ends(&name) => Next::End,
                Destination::Outside(name) => {
                    self.outside(place, &instruction, &name, state);
                    Next::Place(next)
                }
                Destination::Inside(to) => self.call(place, &instruction, to, state, next),
            },
            FlowControl::IndirectBranch | FlowControl::IndirectCall => {
                let is_call = instruction.flow_control() == FlowControl::IndirectCall;
                match self.loaded(&instruction) {
                    Some(Destination::Inside(to)) if is_call => {
                        self.call(place, &instruction, to, state, next)
                    }
                    Some(Destination::Inside(to)) => Next::Place(to),
                    Some(Destination::Outside(name)) if ends(&name) => Next::End,
                    Some(Destination::Outside(name)) if is_call => {
                        self.outside(place, &instruction, &name, state);
                        Next::Place(next)
                    }
                    Some(Destination::Outside(name)) => {
                        state.set(Register::RSP, state.get(Register::RSP).plus(word));
                        self.outside(place, &instruction, &name, state);
                        Next::Return
                    }
                    None => {
                        self.refuse(place, Some(&instruction), Reason::Indirect);
                        Next::End
                    }
                }
            }
            // `ud2` ends the program whatever the data are.
            FlowControl::Exception => Next::End,
            FlowControl::Interrupt | FlowControl::XbeginXabortXend => {
                self.refuse(place, Some(&instruction), Reason::Unknown);
                Next::End
            }
        }
    }

    /// Follows a call inside the object.
    fn call(
        &mut self,
        place: Place,
        instruction: &Instruction,
        to: Place,
        state: &mut State<'a>,
        next: Place,
    ) -> Next {
        if self.depth == MAX_DEPTH {
            self.refuse(place, Some(instruction), Reason::Call("itself".to_string()));
            return Next::End;
        }
        let word = state.word();
        let pointer = state.get(Register::RSP).plus(-(word as i64));
        state.set(Register::RSP, pointer);
        state.store(pointer, word, Value::Public);
        self.depth += 1;
        let returned = walk(self, to, state.clone());
        self.depth -= 1;
        match returned {
            Some(after) => {
                *state = after;
                Next::Place(next)
            }
            None => Next::End,
        }
    }

    /// A call of a function that copies or fills memory; no other is known.
    fn outside(&mut self, place: Place, instruction: &Instruction, name: &str, state: &mut State) {
        let copies = matches!(name, "memcpy" | "memmove");
        if !copies && name != "memset" {
            self.refuse(place, Some(instruction), Reason::Call(name.to_string()));
        }
        let [to, second, size] = [0, 1, 2].map(|number| state.argument(number));
        let addresses = if copies { to.mix(second) } else { to };
        if addresses.mix(size) == Value::Secret {
            self.refuse(place, Some(instruction), Reason::Address);
        }
        let bytes = match size {
            Value::Number(n) => usize::try_from(n).ok().filter(|n| *n <= MAX_COPY),
            _ => None,
        };
        let value = match (copies, bytes) {
            (true, Some(n)) => state.load(second, n).mix(Value::Public),
            (true, None) => Value::Secret,
            (false, _) => second.mix(Value::Public),
        };
        match bytes {
            Some(n) => state.store(to, n, value),
            None => state.store(to.upwards(), 1, value),
        }
        state.clobber();
        state.set(Register::RAX, to);
    }

    /// Reports what an instruction gives away.
    fn check(&mut self, place: Place, instruction: &Instruction, state: &State) {
        let info = self.factory.info(instruction);
        let read = inputs(state, instruction, info);
        let registers = info.used_registers().iter();
        let counts =
            registers.filter(|r| r.access() == OpAccess::Read || r.access() == OpAccess::ReadWrite);
        let branch = instruction.rflags_read() & state.secret_flags != 0
            || counts.into_iter().any(|r| state.get(r.register()) == Value::Secret);
        let repeated = instruction.is_string_instruction()
            && (instruction.has_rep_prefix() || instruction.has_repne_prefix())
            && state.get(Register::RCX) == Value::Secret;
        if read.address == Value::Secret || repeated {
            self.refuse(place, Some(instruction), Reason::Address);
        }
        if instruction.flow_control() == FlowControl::ConditionalBranch && branch {
            self.refuse(place, Some(instruction), Reason::Branch);
        }
        if varies(instruction) && read.value == Value::Secret {
            self.refuse(place, Some(instruction), Reason::Duration);
        }
    }

    fn refuse(&mut self, place: Place, instruction: Option<&Instruction>, reason: Reason) {
        let mut text = String::new();
        if let Some(instruction) = instruction {
            let mut formatter = IntelFormatter::new();
            let options = formatter.options_mut();
            options.set_hex_prefix("0x");
            options.set_hex_suffix("");
            options.set_uppercase_hex(false);
            options.set_branch_leading_zeros(false);
            options.set_show_branch_size(false);
            formatter.format(instruction, &mut text);
        }
        self.violations.entry(place).or_insert(Violation {
            function: self.name.clone(),
            address: place.1,
            instruction: text,
            reason,
        });
    }
}

/// Whether the duration of an instruction depends on its operands on some CPU: divisions, roots, everything of the
/// x87 unit, `pdep` and `pext` (microcode before Zen 3), comparisons of strings.
fn varies(instruction: &Instruction) -> bool {
    use Mnemonic::*;
    let name = format!("{:?}", instruction.mnemonic());
    let name = name.strip_prefix('V').unwrap_or(&name);
    matches!(instruction.mnemonic(), Div | Idiv | Pdep | Pext)
        || name.starts_with("Div")
        || name.starts_with("Sqrt")
        || name.starts_with("Rsqrt")
        || name.starts_with("Rcp")
        || name.starts_with("Pcmpestr")
        || name.starts_with("Pcmpistr")
        || name.starts_with('F')
}
