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

/// The check of one function.
pub(super) struct Analysis<'a> {
    image: &'a Image,
    name: &'a str,
    factory: InstructionInfoFactory,
    /// Whether wider registers than those of the older vector instructions are in use.
    vex: bool,
    depth: usize,
    /// Every instruction that can be reached.
    pub reached: BTreeSet<Place>,
    /// The conditional branches among them.
    pub branches: BTreeSet<Place>,
    /// What is wrong, by place.
    pub violations: BTreeMap<Place, Violation>,
}

/// What follows an instruction.
enum Next {
    /// These places.
    Places(Vec<Place>),
    /// The caller.
    Return,
}

impl<'a> Analysis<'a> {
    pub fn new(image: &'a Image, name: &'a str) -> Analysis<'a> {
        Analysis {
            image,
            name,
            factory: InstructionInfoFactory::new(),
            vex: false,
            depth: 0,
            reached: BTreeSet::new(),
            branches: BTreeSet::new(),
            violations: BTreeMap::new(),
        }
    }

    /// Checks the function that starts here.
    pub fn entry(&mut self, place: Place, arguments: &[Argument]) {
        self.run(place, State::entry(arguments));
        if self.vex {
            // What was seen before the first wide instruction is seen again.
            self.run(place, State::entry(arguments));
        }
    }

    /// Follows the code from a place until it returns, and gives the state in which it does.
    fn run(&mut self, start: Place, state: State) -> Option<State> {
        let joins = self.joins(start);
        let mut before: BTreeMap<Place, State> = BTreeMap::from([(start, state)]);
        let mut todo = BTreeSet::from([start]);
        let mut returned: Option<State> = None;
        while let Some(block) = todo.pop_first() {
            let mut state = before[&block].clone();
            let mut place = block;
            loop {
                let next = match self.step(place, &mut state) {
                    Next::Places(next) => next,
                    Next::Return => {
                        match &mut returned {
                            Some(known) => {
                                known.join(&state);
                            }
                            None => returned = Some(state),
                        }
                        break;
                    }
                };
                if let [only] = next[..] {
                    if !joins.contains(&only) {
                        place = only;
                        continue;
                    }
                }
                for place in next {
                    let changed = match before.get_mut(&place) {
                        Some(known) => known.join(&state),
                        None => {
                            before.insert(place, state.clone());
                            true
                        }
                    };
                    if changed {
                        todo.insert(place);
                    }
                }
                break;
            }
        }
        returned
    }

    /// The places that jumps from here on lead to.
    fn joins(&self, start: Place) -> BTreeSet<Place> {
        let mut joins = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut todo = vec![start];
        while let Some(place) = todo.pop() {
            if !seen.insert(place) {
                continue;
            }
            let Some(instruction) = self.image.instruction(place) else { continue };
            let next = (place.0, instruction.next_ip());
            match instruction.flow_control() {
                FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch => {
                    if let Destination::Inside(to) = self.image.destination(place.0, &instruction) {
                        joins.insert(to);
                        todo.push(to);
                    }
                    if instruction.flow_control() == FlowControl::ConditionalBranch {
                        joins.insert(next);
                        todo.push(next);
                    }
                }
                FlowControl::Next | FlowControl::Call => todo.push(next),
                _ => {}
            }
        }
        joins
    }

    /// Checks and applies one instruction.
    fn step(&mut self, place: Place, state: &mut State) -> Next {
        let Some(instruction) = self.image.instruction(place) else {
            self.refuse(place, None, Reason::Unknown);
            return Next::Places(vec![]);
        };
        self.reached.insert(place);
        self.vex |= matches!(instruction.code().encoding(), EncodingKind::VEX | EncodingKind::EVEX);
        self.check(place, &instruction, state);
        let next = (place.0, instruction.next_ip());
        match instruction.flow_control() {
            FlowControl::Next => {
                let info = self.factory.info(&instruction);
                apply(state, &instruction, info, self.vex);
                Next::Places(vec![next])
            }
            FlowControl::ConditionalBranch => {
                self.branches.insert(place);
                match self.image.destination(place.0, &instruction) {
                    Destination::Inside(to) => Next::Places(vec![to, next]),
                    Destination::Outside(name) => {
                        self.refuse(place, Some(&instruction), Reason::Call(name));
                        Next::Places(vec![next])
                    }
                }
            }
            FlowControl::UnconditionalBranch => {
                match self.image.destination(place.0, &instruction) {
                    Destination::Inside(to) => Next::Places(vec![to]),
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
                    Next::Places(vec![next])
                }
                Destination::Inside(to) => self.call(place, &instruction, to, state, next),
            },
            FlowControl::IndirectBranch | FlowControl::IndirectCall => {
                self.refuse(place, Some(&instruction), Reason::Indirect);
                Next::Places(vec![])
            }
            // `ud2` ends the program whatever the data are.
            FlowControl::Exception => Next::Places(vec![]),
            FlowControl::Interrupt | FlowControl::XbeginXabortXend => {
                self.refuse(place, Some(&instruction), Reason::Unknown);
                Next::Places(vec![])
            }
        }
    }

    /// Follows a call inside the object.
    fn call(
        &mut self,
        place: Place,
        instruction: &Instruction,
        to: Place,
        state: &mut State,
        next: Place,
    ) -> Next {
        if self.depth == MAX_DEPTH {
            self.refuse(place, Some(instruction), Reason::Call("itself".to_string()));
            return Next::Places(vec![]);
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
                Next::Places(vec![next])
            }
            None => Next::Places(vec![]),
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
            None if matches!(to, Value::Stack(_)) => state.store(Value::Anywhere, 1, value),
            None => state.store(to, 1, value),
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
            function: self.name.to_string(),
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
