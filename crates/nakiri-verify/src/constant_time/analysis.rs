//! The fixed point over the code that is reached from one function.

use super::state::{State, Value};
use super::transfer::{apply, inputs, MAX_COPY};
use super::{Argument, Reason, Violation};
use crate::image::{Destination, Image, Place};
use iced_x86::{
    EncodingKind, FlowControl, Formatter, Instruction, InstructionInfoFactory, IntelFormatter,
    Mnemonic, OpAccess, Register,
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

/// What follows an instruction.
enum Next {
    /// This place.
    Place(Place),
    /// One of these places.
    Fork([Place; 2]),
    /// The caller.
    Return,
    /// Nothing: it ends the program, or can't be followed.
    End,
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
        self.run(place, State::entry(self.image, arguments));
    }

    /// Follows the code from a place until it returns, and gives the state in which it does. States are joined where the
    /// code may go either way; each way is followed from there in what then is known.
    fn run(&mut self, start: Place, state: State<'a>) -> Option<State<'a>> {
        let mut forks: BTreeMap<Place, State<'a>> = BTreeMap::new();
        let mut todo = vec![(start, state)];
        let mut returned: Option<State<'a>> = None;
        while let Some((mut place, mut state)) = todo.pop() {
            loop {
                match self.step(place, &mut state) {
                    Next::Place(next) => place = next,
                    Next::Fork(ways) => {
                        let changed = match forks.get_mut(&place) {
                            Some(known) => known.join(&state),
                            None => forks.insert(place, state).is_none(),
                        };
                        if changed {
                            todo.extend(ways.map(|way| (way, forks[&place].clone())));
                        }
                        break;
                    }
                    Next::Return => {
                        match &mut returned {
                            Some(known) => drop(known.join(&state)),
                            None => returned = Some(state),
                        }
                        break;
                    }
                    Next::End => break,
                }
            }
        }
        returned
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
            if matches!(flow, Next | ConditionalBranch | Call) {
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
        Some(instruction)
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
                        self.outside(place, &instruction, &name, state);
                        state.set(Register::RSP, state.get(Register::RSP).plus(8));
                        Next::Return
                    }
                }
            }
            FlowControl::Return => {
                state.set(Register::RSP, state.get(Register::RSP).plus(8));
                Next::Return
            }
            FlowControl::Call => match self.image.destination(place.0, &instruction) {
                Destination::Outside(name) => {
                    self.outside(place, &instruction, &name, state);
                    Next::Place(next)
                }
                Destination::Inside(to) => self.call(place, &instruction, to, state, next),
            },
            FlowControl::IndirectBranch | FlowControl::IndirectCall => {
                self.refuse(place, Some(&instruction), Reason::Indirect);
                Next::End
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
        let pointer = state.get(Register::RSP).plus(-8);
        state.set(Register::RSP, pointer);
        state.store(pointer, 8, Value::Public);
        self.depth += 1;
        let returned = self.run(to, state.clone());
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
        let (to, size) = (state.get(Register::RDI), state.get(Register::RDX));
        let second = state.get(Register::RSI);
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
            IntelFormatter::new().format(instruction, &mut text);
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
