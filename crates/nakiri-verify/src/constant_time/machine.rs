//! The check of code for other machines than x86, by the tables of [`super::isa`].

use super::isa::{file, Address, Compare, Decoded, Flow, Isa, Operation, Register, Step};
use super::isa::{Term, When, Width, BACK};
use super::listing::Listed;
use super::memory::Memory;
use super::state::Value;
use super::walk::{walk, Machine, Next};
use super::{ends, Argument, Reason, Violation};
use crate::image::{Destination, Image, Place};
use std::collections::{BTreeMap, BTreeSet};

/// How deep calls may nest: beyond it is recursion.
const MAX_DEPTH: usize = 32;

/// How many instructions are followed at the most: beyond it, a loop of known numbers doesn't end.
const MAX_STEPS: usize = 20_000_000;

/// The largest copy whose bytes are followed one by one.
const MAX_COPY: u64 = 1 << 20;

/// The guard of the stack, where it is a variable.
const GUARD: &str = "__stack_chk_guard";

/// Functions that copy memory.
const COPIES: &[&str] = &["memcpy", "memmove", "__aeabi_memcpy*", "__aeabi_memmove*"];

/// What is known before an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    registers: Vec<Value>,
    stack: Memory,
}

/// The check of functions of an object.
pub(super) struct Analysis<'a> {
    isa: &'static Isa,
    image: &'a Image,
    lines: &'a BTreeMap<Place, Listed>,
    name: String,
    depth: usize,
    steps: usize,
    decoded: BTreeMap<Place, Option<Decoded>>,
    /// Those that were followed.
    pub followed: BTreeSet<Place>,
    /// The conditional branches among them.
    pub branches: BTreeSet<Place>,
    /// What is wrong, by place.
    pub violations: BTreeMap<Place, Violation>,
}

impl Machine for Analysis<'_> {
    type State = State;

    fn step(&mut self, place: Place, state: &mut State) -> Next {
        self.instruction(place, state)
    }

    fn join(state: &mut State, other: &State) -> bool {
        let before = state.clone();
        for (mine, theirs) in state.registers.iter_mut().zip(&other.registers) {
            *mine = mine.join(*theirs);
        }
        state.stack.join(&other.stack);
        *state != before
    }
}

impl<'a> Analysis<'a> {
    /// The check of an object, as it is listed.
    pub fn new(isa: &'static Isa, image: &'a Image, lines: &'a BTreeMap<Place, Listed>) -> Self {
        Analysis {
            isa,
            image,
            lines,
            name: String::new(),
            depth: 0,
            steps: 0,
            decoded: BTreeMap::new(),
            followed: BTreeSet::new(),
            branches: BTreeSet::new(),
            violations: BTreeMap::new(),
        }
    }

    /// Checks the function that starts here.
    pub fn entry(&mut self, name: &str, place: Place, arguments: &[Argument]) {
        self.name = name.to_string();
        self.steps = 0;
        let mut registers = vec![Value::Secret; file::SIZE];
        for register in self.isa.preserved {
            registers[*register] = Value::Public;
        }
        for (register, argument) in self.isa.arguments.iter().zip(arguments) {
            registers[*register] = known(*argument);
        }
        registers[self.isa.stack] = Value::Stack(0);
        registers[file::LINK] = Value::Public;
        let order = self.image.order();
        let mut stack = Memory::new(order);
        for (k, argument) in arguments.iter().skip(self.isa.arguments.len()).enumerate() {
            // Machines with few registers pass the others on the stack.
            stack.store(Value::Stack((order.word * k) as i64), order.word, known(*argument));
        }
        walk(self, place, State { registers, stack });
    }

    /// How many instructions jumps and calls lead to from those that were followed, whatever the conditions.
    pub fn reachable(&self) -> usize {
        let mut seen = BTreeSet::new();
        let mut todo: Vec<Place> = self.followed.iter().copied().collect();
        while let Some(place) = todo.pop() {
            let Some(listed) = self.lines.get(&place).filter(|_| seen.insert(place)) else {
                continue;
            };
            let Some(decoded) = (self.isa.decode)(&listed.line) else { continue };
            let next = (place.0, listed.next);
            match decoded.flow {
                Flow::Next => todo.push(next),
                Flow::Jump { to, when } => {
                    if let Destination::Inside(to) = self.destination(place, listed.next, to) {
                        todo.push(to);
                    }
                    if when.is_some() || decoded.when.is_some() {
                        todo.push(next);
                    }
                }
                Flow::Call { .. } | Flow::Computed { calls: true, .. } => todo.push(next),
                Flow::Return => todo.extend(decoded.when.map(|_| next)),
                Flow::Computed { .. } | Flow::End => {}
            }
        }
        seen.len()
    }

    fn instruction(&mut self, place: Place, state: &mut State) -> Next {
        self.steps += 1;
        let Some(listed) = self.lines.get(&place) else {
            self.refuse(place, Reason::Unknown);
            return Next::End;
        };
        let next = (place.0, listed.next);
        let decode = || (self.isa.decode)(&listed.line);
        let decoded = self.decoded.entry(place).or_insert_with(decode).clone();
        let Some(decoded) = decoded.filter(|_| self.steps < MAX_STEPS) else {
            self.refuse(place, Reason::Unknown);
            return Next::End;
        };
        self.followed.insert(place);
        let Some(when) = decoded.when else { return self.all(place, &decoded, next, state) };
        match self.holds(when, state) {
            Some(true) => self.all(place, &decoded, next, state),
            Some(false) => Next::Place(next),
            None => self.perhaps(place, &decoded, next, state),
        }
    }

    /// What is done on a condition that may hold or not.
    fn perhaps(&mut self, place: Place, decoded: &Decoded, next: Place, state: &mut State) -> Next {
        let when = decoded.when.map_or(Value::Public, |when| state.registers[when.flags]);
        let touches = |step: &Step| !matches!(step, Step::Set { .. } | Step::Flags { .. });
        if when == Value::Secret && decoded.flow == Flow::Next {
            if decoded.steps.iter().any(touches) {
                self.refuse(place, Reason::Branch);
            }
            self.all(place, decoded, next, state);
            for step in &decoded.steps {
                // Which of two public values it is tells the condition.
                if let Step::Set { to, .. } | Step::Flags { to, .. } | Step::Load { to, .. } = step
                {
                    state.registers[*to] = Value::Secret;
                }
            }
            return Next::Place(next);
        }
        if when == Value::Secret {
            self.refuse(place, Reason::Branch);
        }
        let skipped = state.clone();
        let after = self.all(place, decoded, next, state);
        match after {
            Next::Place(to) if to == next => {
                Self::join(state, &skipped);
                Next::Place(next)
            }
            Next::Place(to) => {
                self.branches.insert(place);
                *state = skipped;
                Next::Fork([to, next])
            }
            Next::Return => {
                self.branches.insert(place);
                Next::PerhapsReturn(next)
            }
            other => other,
        }
    }

    /// All that an instruction does.
    fn all(&mut self, place: Place, decoded: &Decoded, next: Place, state: &mut State) -> Next {
        for step in &decoded.steps {
            self.apply(place, step, next.1, state);
        }
        match &decoded.flow {
            Flow::Next => Next::Place(next),
            Flow::Return => Next::Return,
            Flow::End => Next::End,
            Flow::Computed { by, calls } => {
                let to = match state.registers[*by] {
                    Value::Number(BACK) if !*calls => return Next::Return,
                    Value::Number(n) => self.function(n),
                    _ => None,
                };
                match (to, calls) {
                    (Some(Destination::Inside(to)), true) => self.call(place, to, next, state),
                    (Some(Destination::Inside(to)), false) => Next::Place(to),
                    (Some(Destination::Outside(name)), _) if ends(&name) => Next::End,
                    (Some(Destination::Outside(name)), _) => {
                        self.outside(place, &name, state);
                        if *calls {
                            Next::Place(next)
                        } else {
                            Next::Return
                        }
                    }
                    (None, _) => {
                        self.refuse(place, Reason::Indirect);
                        Next::End
                    }
                }
            }
            Flow::Jump { to, when } => {
                let to = match self.destination(place, next.1, *to) {
                    Destination::Inside(to) => to,
                    Destination::Outside(name) => {
                        self.outside(place, &name, state);
                        return Next::Return;
                    }
                };
                let Some(when) = *when else { return Next::Place(to) };
                self.branches.insert(place);
                if state.registers[when.flags] == Value::Secret {
                    self.refuse(place, Reason::Branch);
                }
                match self.holds(when, state) {
                    Some(true) => Next::Place(to),
                    Some(false) => Next::Place(next),
                    None => Next::Fork([to, next]),
                }
            }
            Flow::Call { to } => match self.destination(place, next.1, *to) {
                Destination::Inside(to) => self.call(place, to, next, state),
                Destination::Outside(name) if ends(&name) => Next::End,
                Destination::Outside(name) => {
                    self.outside(place, &name, state);
                    Next::Place(next)
                }
            },
        }
    }

    fn call(&mut self, place: Place, to: Place, next: Place, state: &mut State) -> Next {
        if self.depth == MAX_DEPTH {
            self.refuse(place, Reason::Call("itself".to_string()));
            return Next::End;
        }
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
    fn outside(&mut self, place: Place, name: &str, state: &mut State) {
        if self.saved(name, state) {
            return;
        }
        let copies = super::isa::listed(name, COPIES);
        let clears = name.starts_with("__aeabi_memclr");
        // Its value comes last there.
        let fills_so = name.starts_with("__aeabi_memset");
        if !copies && !clears && !fills_so && name != "memset" {
            self.refuse(place, Reason::Call(name.to_string()));
        }
        let argument = |n: usize| state.registers[self.isa.arguments[n]];
        let size = argument(if clears || fills_so { 1 } else { 2 });
        let (to, from) = (argument(0), argument(1));
        let addresses = if copies { to.mix(from) } else { to };
        if addresses.mix(size) == Value::Secret {
            self.refuse(place, Reason::Address);
        }
        let bytes = match size {
            Value::Number(n) if n <= MAX_COPY => Some(n as usize),
            _ => None,
        };
        let value = match bytes {
            _ if clears => Value::Number(0),
            _ if fills_so => argument(2).mix(Value::Public),
            _ if !copies => from.mix(Value::Public),
            Some(bytes) => self.load(state, from, bytes).mix(Value::Public),
            None => Value::Secret,
        };
        match bytes {
            Some(bytes) => state.stack.store(to, bytes, value),
            None => state.stack.store(to.upwards(), 1, value),
        }
        let kept: Vec<Register> =
            self.isa.preserved.iter().copied().chain([self.isa.stack]).collect();
        for (register, value) in state.registers.iter_mut().enumerate() {
            if !kept.contains(&register) {
                *value = Value::Secret;
            }
        }
        state.registers[self.isa.arguments[0]] = to;
    }

    /// Functions that linkers add on Power: the last registers below a pointer are stored or loaded. Says whether it is one.
    fn saved(&self, name: &str, state: &mut State) -> bool {
        let saves = name.strip_prefix("_savegpr");
        let Some(rest) = saves.or_else(|| name.strip_prefix("_restgpr")) else { return false };
        let Some((kind, first)) = rest.split_once('_') else { return false };
        let Ok(first) = first.parse::<usize>() else { return false };
        let pointer = state.registers[if kind == "0" { self.isa.stack } else { 12 }];
        for register in first..file::VECTOR {
            let at = pointer.plus(-8 * (file::VECTOR - register) as i64);
            match saves {
                Some(_) => state.stack.store(at, 8, state.registers[register]),
                None => state.registers[register] = self.load(state, at, 8),
            }
        }
        true
    }

    /// Where a jump or call goes.
    fn destination(&self, place: Place, next: u64, to: u64) -> Destination {
        match self.image.reference(place.0, place.1, next) {
            Some(Destination::Inside((section, at))) => {
                // A symbol of Thumb code is odd.
                let odd = self.isa.bits == 32;
                Destination::Inside((*section, if odd { at & !1 } else { *at }))
            }
            Some(outside) => outside.clone(),
            None => Destination::Inside(self.image.code_at(place.0, to)),
        }
    }

    /// The function that has this number as its address.
    fn function(&self, number: u64) -> Option<Destination> {
        let inside = self.image.starting_at(number).map(Destination::Inside);
        let outside = || self.image.elsewhere(number).map(str::to_string);
        inside.or_else(|| outside().map(Destination::Outside))
    }

    /// The address of data or of a function of the object that an instruction names; what jumps there names none.
    fn named(&self, place: Place, next: u64) -> Option<Value> {
        let decoded = self.decoded.get(&place)?.as_ref();
        decoded.filter(|decoded| decoded.flow == Flow::Next)?;
        match self.image.reference(place.0, place.1, next)? {
            Destination::Inside(to) => {
                let address = self.image.address(*to);
                let names = to.0 != place.0 || self.image.starting_at(address).is_some();
                names.then_some(Value::Number(address))
            }
            Destination::Outside(name) => self.image.name(name).map(Value::Number),
        }
    }

    fn holds(&self, when: When, state: &State) -> Option<bool> {
        match state.registers[when.flags] {
            Value::Number(flags) => Some(when.holds >> (flags & 15) & 1 == 1),
            _ if when.holds == u16::MAX => Some(true),
            _ => None,
        }
    }

    fn apply(&mut self, place: Place, step: &Step, next: u64, state: &mut State) {
        match step {
            Step::Set { to, operation, from, width } => {
                let values: Vec<Value> = from.iter().map(|term| value(state, *term)).collect();
                let computed = self.computed(*operation, &values, *width);
                let named = self.named(place, next).filter(|_| *to < file::VECTOR);
                state.registers[*to] = named.unwrap_or(computed);
            }
            Step::Flags { to, compare, of, bits } => {
                let [a, b] = of.map(|term| value(state, term));
                state.registers[*to] = compared(*compare, a, b, *bits);
            }
            Step::Load { to, at, bytes, width } => {
                let at = self.address(place, next, at, state);
                let loaded = self.load(state, at, *bytes);
                state.registers[*to] = match loaded {
                    Value::Number(n) => Value::Number(extended(n, *width)),
                    other => other,
                };
            }
            Step::Literal { to, at } => {
                let size = self.image.order().word;
                let number = self.image.literal((place.0, *at), size);
                let number = number.map(|n| extended(n, Width { bits: 32, signed: true }));
                state.registers[*to] = match self.image.reference(place.0, *at, at + 1) {
                    Some(_) if self.image.is_relative((place.0, *at)) => Value::Public,
                    Some(Destination::Inside(data)) => Value::Number(self.image.address(*data)),
                    Some(Destination::Outside(name)) => {
                        self.image.name(name).map_or(Value::Public, Value::Number)
                    }
                    None => number.map_or(Value::Public, Value::Number),
                };
            }
            Step::Store { from, at, bytes } => {
                let at = self.address(place, next, at, state);
                let from = value(state, *from);
                state.stack.store(at, *bytes, from);
            }
            Step::Touch { at } => {
                self.address(place, next, at, state);
            }
            Step::Slow { on } => {
                if value(state, *on) == Value::Secret {
                    self.refuse(place, Reason::Duration);
                }
            }
        }
    }

    /// What an operation makes of values.
    fn computed(&self, operation: Operation, values: &[Value], width: Width) -> Value {
        let mixed = values.iter().fold(Value::Public, |sum, value| sum.mix(*value));
        let number = |n: u64| Some(Number(extended(n, width)));
        let whole = width.bits >= self.isa.bits;
        use Value::{Number, Stack};
        let exact = match (operation, values) {
            (Operation::Move, [Number(n)]) => number(*n),
            (Operation::Move, [value]) if whole => Some(*value),
            (Operation::Add, [Number(a), Number(b)]) => number(a.wrapping_add(*b)),
            (Operation::Add, [a, b]) if whole => a.sum(*b),
            (Operation::Subtract, [Number(a), Number(b)]) => number(a.wrapping_sub(*b)),
            (Operation::Subtract, [a, b]) if whole => b.negated().and_then(|b| a.sum(b)),
            (Operation::And, [Number(a), Number(b)]) => number(a & b),
            (Operation::And, [Stack(at), Number(mask)])
                if whole && (-64..0).contains(&(*mask as i64)) =>
            {
                Some(Stack(at & *mask as i64))
            }
            (Operation::Or, [Number(a), Number(b)]) => number(a | b),
            (Operation::Left, [Number(a), Number(b)]) if *b < 64 => number(a << b),
            (Operation::Right, [Number(a), Number(b)]) if *b < 64 => {
                number(extended(*a, Width { signed: false, ..width }) >> b)
            }
            (Operation::Insert, [Number(a), Number(part), Number(place)]) if *place < 64 => {
                number(a & !(0xffff << place) | part << place)
            }
            _ => None,
        };
        exact.unwrap_or(mixed)
    }

    /// The address of an access, which must not be secret.
    fn address(&mut self, place: Place, next: u64, at: &Address, state: &State) -> Value {
        let base = self.named(place, next).unwrap_or(value(state, at.base)).plus(at.displacement);
        let base = match at.index {
            None => base,
            Some((index, shift)) => base.indexed(state.registers[index], 1 << shift),
        };
        if base == Value::Secret {
            self.refuse(place, Reason::Address);
        }
        base
    }

    /// What memory holds.
    fn load(&self, state: &State, at: Value, bytes: usize) -> Value {
        match at {
            Value::Stack(at) => state.stack.load(at, bytes),
            Value::Number(at) => match (self.image.constants(at, bytes), self.image.slot(at)) {
                (Some(data), _) => {
                    self.image.order().number(data).map_or(Value::Public, Value::Number)
                }
                (None, Some(Destination::Inside(to))) => Value::Number(self.image.address(*to)),
                (None, Some(Destination::Outside(name))) => {
                    self.image.name(name).map_or(Value::Public, Value::Number)
                }
                // Its address and what is there: it is only compared with itself.
                _ if self.image.elsewhere(at) == Some(GUARD) => Value::Number(at),
                (None, None) => Value::Secret,
            },
            _ => Value::Secret,
        }
    }

    fn refuse(&mut self, place: Place, reason: Reason) {
        let instruction = self.lines.get(&place).map(|listed| listed.text.clone());
        self.violations.entry(place).or_insert(Violation {
            function: self.name.clone(),
            address: place.1,
            instruction: instruction.unwrap_or_default(),
            reason,
        });
    }
}

/// What is known of an argument.
fn known(argument: Argument) -> Value {
    match argument {
        Argument::Public => Value::Public,
        Argument::Number(n) => Value::Number(n),
        Argument::Secret => Value::Secret,
    }
}

fn value(state: &State, term: Term) -> Value {
    match term {
        Term::Register(register) => state.registers[register],
        Term::Number(n) => Value::Number(n as u64),
    }
}

/// A number of so many bits, as its register holds it.
fn extended(n: u64, width: Width) -> u64 {
    let above = 64 - width.bits.min(64);
    match width.signed {
        true => ((n << above) as i64 >> above) as u64,
        false => n << above >> above,
    }
}

/// The flags of a comparison; those of two addresses of the stack are known too, as it doesn't wrap.
fn compared(compare: Compare, a: Value, b: Value, bits: u32) -> Value {
    let middle = 1u64 << (bits - 2);
    let (a, b) = match (a, b) {
        (Value::Number(a), Value::Number(b)) => (a, b),
        (Value::Stack(a), Value::Stack(b)) if compare != Compare::Common => {
            (middle.wrapping_add_signed(a), middle.wrapping_add_signed(b))
        }
        _ => return a.mix(b).mix(Value::Public),
    };
    let width = Width { bits, signed: false };
    let (a, b) = (extended(a, width), extended(b, width));
    let signed = |n| extended(n, Width { bits, signed: true }) as i64;
    let negative = |n: u64| n >> (bits - 1) & 1 == 1;
    let bits = |flags: [bool; 4]| flags.iter().fold(0, |all, flag| all << 1 | u64::from(*flag));
    let order =
        |order: std::cmp::Ordering| bits([order.is_lt(), order.is_gt(), order.is_eq(), false]);
    Value::Number(match compare {
        Compare::Difference => {
            let n = extended(a.wrapping_sub(b), width);
            bits([negative(n), n == 0, a >= b, negative((a ^ b) & (a ^ n))])
        }
        Compare::Sum => {
            let n = extended(a.wrapping_add(b), width);
            let carry = u128::from(a) + u128::from(b) != u128::from(n);
            bits([negative(n), n == 0, carry, negative((a ^ n) & (b ^ n))])
        }
        Compare::Common => bits([negative(a & b), a & b == 0, false, false]),
        Compare::Signed => order(signed(a).cmp(&signed(b))),
        Compare::Unsigned => order(a.cmp(&b)),
    })
}
