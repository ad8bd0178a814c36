//! Gives out registers: what finds none waits in memory, and what is read last goes first (L. A. Belady, A study of replacement
//! algorithms for a virtual-storage computer, 1966). Operands stay in memory where instructions read them there; results take
//! the registers of operands that end.

use super::registers::State;
use super::shuffle::{shuffle, Move, Place};
use super::uses::{self, LoopUses, StepUses, Time, Uses, NEVER};
use super::{
    Action, Allocated, Bank, Base, Code, Computation, Function, Home, Item, Line, Loop, Memory,
    Operand, Part, Register, Step, Value,
};
use crate::isa::Operands;
use smallvec::SmallVec;

/// How often the registers at the head of a loop are taken from those at the end of its body.
const ROUNDS: usize = 3;

/// Gives out the registers of all functions.
pub fn allocate(code: &Code) -> Vec<Allocated> {
    code.functions.iter().map(|function| allocated(function, code)).collect()
}

fn allocated(function: &Function, code: &Code) -> Allocated {
    let mut state = State::new(function, code.target);
    let mut now = 0;
    for (item, uses) in function.body.iter().zip(uses::of(function)) {
        match (item, uses) {
            (Item::Step(step), Uses::Step(uses)) => state.step(step, &uses, now),
            (Item::Loop(l), Uses::Loop(uses)) => state.counted(l, &uses, now),
            _ => {}
        }
        now += uses::duration(item);
    }
    let State { lines, slots, .. } = state;
    let Function { id, pointers, ref arrays, .. } = *function;
    Allocated { id, pointers, arrays: arrays.clone(), slots, lines }
}

/// Where values are at the head of a loop, in each iteration.
#[derive(Clone, Debug)]
struct Head {
    /// What is carried: the register, or a slot of its own.
    carried: Vec<Option<Register>>,
    /// What only is read.
    invariants: Vec<(Value, Register)>,
    /// What leaves its register in the body, so that memory should have it before.
    saved: Vec<Value>,
}

impl State<'_> {
    fn step(&mut self, step: &Step, uses: &StepUses, now: Time) {
        self.begin();
        match &step.action {
            Action::Compute(computation) => self.compute(*computation, step, uses, now),
            Action::Store(to) => {
                let value = step.args[0];
                let from = self.fetch(value, &[], now);
                self.lines.push(Line::Store { to: *to, from });
                self.read(value, uses.args[0]);
            }
            Action::Call(callee, pointers) => {
                let all = self.all();
                for (value, _) in &all {
                    self.save(*value);
                }
                all.iter().for_each(|(value, _)| self.leave(*value));
                self.lines.push(Line::Call { callee: *callee, pointers: pointers.clone() });
            }
        }
    }

    /// A value was read; it is read again at a time.
    fn read(&mut self, value: Value, next: Time) {
        self.next[value as usize] = next;
        if next == NEVER {
            self.forget(value);
        }
    }

    fn compute(&mut self, computation: Computation, step: &Step, uses: &StepUses, now: Time) {
        let Some(result) = step.result.filter(|_| uses.result != NEVER) else {
            step.args.iter().zip(&uses.args).for_each(|(arg, next)| self.read(*arg, *next));
            return;
        };
        let mut args: SmallVec<[Value; 3]> = step.args.clone();
        let mut computation = computation;
        let folded = self.folded(&computation, &args, uses);
        if let Some(at) = folded {
            computation = last(computation, &mut args, at);
        }
        let in_registers = args.len() - usize::from(folded.is_some());
        for at in 0..in_registers {
            self.fetch(args[at], &args, now);
        }
        let next = |value: Value| {
            let at = step.args.iter().position(|arg| *arg == value);
            at.map_or(NEVER, |at| uses.args[at])
        };
        let overwritten = match computation.form.operands {
            Operands::Tied => Some(args[0]),
            Operands::Table => {
                let ends = (0..in_registers).find(|at| next(args[*at]) == NEVER);
                computation = first(computation, &mut args, ends.unwrap_or(0));
                Some(args[0])
            }
            _ => None,
        };
        let mut operands: SmallVec<[Operand; 3]> =
            args[..in_registers].iter().map(|value| self.operand(*value)).collect();
        if folded.is_some() {
            if let Some(Home::Memory(memory)) = self.home(args[in_registers]) {
                operands.push(Operand::Memory(memory));
            }
        }
        // An operand that is overwritten but not read again gives its register to the result.
        let ends = overwritten.is_some_and(|value| next(value) == NEVER);
        let own = if ends { self.register(args[0]) } else { None };
        let register = match (overwritten, own) {
            (Some(_), Some(register)) => {
                self.all_read(step, uses);
                self.put(result, register);
                register
            }
            (Some(value), None) => {
                let to = self.take(result, &args, now);
                let from = self.register(value).unwrap_or(to);
                self.lines.push(Line::Copy { to, from });
                operands[0] = Operand::Register(to);
                self.all_read(step, uses);
                to
            }
            (None, _) => {
                self.all_read(step, uses);
                self.take(result, &[], now)
            }
        };
        self.next[result as usize] = uses.result;
        self.lines.push(Line::Compute { computation, result: register, operands });
    }

    fn all_read(&mut self, step: &Step, uses: &StepUses) {
        step.args.iter().zip(&uses.args).for_each(|(arg, next)| self.read(*arg, *next));
    }

    /// The operand that stays in memory.
    fn folded(&self, by: &Computation, args: &[Value], uses: &StepUses) -> Option<usize> {
        let bits = self.target.bits;
        if !by.form.reads_memory(bits) {
            return None;
        }
        let fits = |at: &usize| {
            let value = args[*at];
            let Some(Home::Memory(memory)) = self.home(value) else { return false };
            let part = match memory.part {
                Part::Whole => true,
                Part::Repeated(bytes) => by
                    .form
                    .repeated(by.width, bits)
                    .is_some_and(|bits| bytes * 8 % usize::from(bits) == 0 && bytes <= 8),
            };
            let once = args.iter().filter(|arg| **arg == value).count() == 1;
            let vector = self.function.banks[value as usize] == Bank::Vector;
            part && once
                && vector
                && self.register(value).is_none()
                && self.stays(value, uses.args[*at])
        };
        let last = args.len() - 1;
        let places: &[usize] = match (by.form.operands, by.form.commutes) {
            (Operands::Table, _) => &[2, 1, 0],
            (_, true) => &[1, 0],
            _ => &[last],
        };
        places.iter().copied().find(fits)
    }

    fn counted(&mut self, l: &Loop, uses: &LoopUses, start: Time) {
        // What the loop doesn't read waits in memory.
        let read = |value: &Value| {
            uses.invariants.iter().any(|(of, _)| of == value)
                || l.carried.iter().any(|c| c.init == *value)
        };
        for (value, _) in self.all() {
            if !read(&value) {
                self.save(value);
                self.leave(value);
            }
        }
        let mut head = self.first_head(l);
        let mut best: Option<State> = None;
        for _ in 0..ROUNDS {
            let mut tried = self.clone();
            let next = tried.turn(l, uses, start, &head);
            if best.as_ref().is_none_or(|best| tried.lines.len() < best.lines.len()) {
                best = Some(tried);
            }
            head = next;
        }
        *self = best.unwrap_or_else(|| self.clone());
        for (value, next) in &uses.after {
            self.read(*value, *next);
        }
        for (c, next) in l.carried.iter().zip(&uses.results) {
            self.read(c.result, *next);
        }
    }

    /// Registers for all that is carried, as far as there are any.
    fn first_head(&self, l: &Loop) -> Head {
        let mut free = [self.target.registers as usize, 0].map(|count| 0..count as u8);
        let register = |c: &super::Carried| {
            let bank = self.function.banks[c.inside as usize];
            Some(Register { bank, number: free[bank as usize].next()? })
        };
        Head {
            carried: l.carried.iter().map(register).collect(),
            invariants: Vec::new(),
            saved: Vec::new(),
        }
    }

    /// The loop with these places at its head; those that the end of its body suggests.
    fn turn(&mut self, l: &Loop, uses: &LoopUses, start: Time, head: &Head) -> Head {
        let slots: Vec<Option<u32>> =
            head.carried.iter().map(|register| register.is_none().then(|| self.slot())).collect();
        self.enter(l, uses, head, &slots);
        self.lines.push(Line::Begin { count: l.count, steps: self.steps(l) });
        for ((c, register), slot) in l.carried.iter().zip(&head.carried).zip(&slots) {
            self.hints[c.next as usize] = *register;
            self.wishes[c.next as usize] = slot.filter(|_| !is_read_late(l, c));
        }
        self.spilled.clear();
        for ((now, step), uses) in (start..).zip(&l.body).zip(&uses.body) {
            self.step(step, uses, now);
        }
        let next = self.suggested(l, uses);
        self.leave_turn(l, head, &slots);
        self.lines.push(Line::End);
        for ((c, register), slot) in l.carried.iter().zip(&head.carried).zip(&slots) {
            self.next[c.result as usize] = NEVER;
            match (register, slot) {
                (Some(register), _) => self.put(c.result, *register),
                (None, Some(slot)) => self.owns(c.result, *slot),
                (None, None) => {}
            }
        }
        next
    }

    /// Brings everything to its place at the head of a loop.
    fn enter(&mut self, l: &Loop, uses: &LoopUses, head: &Head, slots: &[Option<u32>]) {
        let stays = |value: Value| head.invariants.iter().any(|(of, _)| *of == value);
        for (value, _) in self.all() {
            let is_read = uses.invariants.iter().any(|(of, _)| *of == value);
            let ends = l
                .carried
                .iter()
                .zip(&uses.inits)
                .any(|(c, next)| c.init == value && *next == NEVER);
            if !(ends && !is_read || stays(value)) || head.saved.contains(&value) {
                self.save(value);
            }
        }
        let mut moves = Vec::new();
        for ((c, register), slot) in l.carried.iter().zip(&head.carried).zip(slots) {
            moves.push(Move { to: destination(*register, *slot), from: self.place(c.init) });
        }
        for (value, register) in &head.invariants {
            moves.push(Move { to: Place::Register(*register), from: self.place(*value) });
        }
        shuffle(self, moves);
        for (value, _) in self.all() {
            self.leave(value);
        }
        for (c, next) in l.carried.iter().zip(&uses.inits) {
            self.read(c.init, *next);
        }
        self.take_places(l, head, slots);
        for (value, next) in &uses.invariants {
            self.next[*value as usize] = *next;
        }
        for (c, next) in l.carried.iter().zip(&uses.insides) {
            self.next[c.inside as usize] = *next;
        }
    }

    fn take_places(&mut self, l: &Loop, head: &Head, slots: &[Option<u32>]) {
        for ((c, register), slot) in l.carried.iter().zip(&head.carried).zip(slots) {
            if let Some(register) = register {
                self.put(c.inside, *register);
            }
            if let Some(slot) = slot {
                self.is_at(c.inside, Home::Memory(Memory::whole(Base::Slot(*slot), 0)));
            }
        }
        for (value, register) in &head.invariants {
            self.put(*value, *register);
        }
    }

    /// Brings everything back to its place at the head of the loop.
    fn leave_turn(&mut self, l: &Loop, head: &Head, slots: &[Option<u32>]) {
        let mut moves = Vec::new();
        for ((c, register), slot) in l.carried.iter().zip(&head.carried).zip(slots) {
            moves.push(Move { to: destination(*register, *slot), from: self.place(c.next) });
        }
        for (value, register) in &head.invariants {
            moves.push(Move { to: Place::Register(*register), from: self.place(*value) });
        }
        shuffle(self, moves);
        for (value, _) in self.all() {
            self.leave(value);
        }
        let invariant = |value: Value| head.invariants.iter().any(|(of, _)| *of == value);
        for c in &l.carried {
            self.forget(c.inside);
            self.hints[c.next as usize] = None;
            self.wishes[c.next as usize] = None;
            if !invariant(c.next) && l.body.iter().any(|step| step.result == Some(c.next)) {
                self.forget(c.next);
            }
        }
        for (value, register) in &head.invariants {
            self.put(*value, *register);
        }
    }

    /// By how much places of a loop move.
    fn steps(&self, l: &Loop) -> Vec<isize> {
        let home = |value: &Value| match self.function.homes[*value as usize] {
            Some(Home::Memory(memory)) => Some(memory.step),
            _ => None,
        };
        let stored = l.body.iter().filter_map(|step| match &step.action {
            Action::Store(to) => Some(to.step),
            _ => None,
        });
        let read = l.body.iter().flat_map(|step| step.args.iter().filter_map(home));
        let mut steps: Vec<isize> = stored.chain(read).filter(|step| *step != 0).collect();
        steps.sort_unstable();
        steps.dedup();
        steps
    }

    /// Where a value is.
    fn place(&self, value: Value) -> Place {
        match (self.register(value), self.home(value)) {
            (Some(register), _) => Place::Register(register),
            (None, Some(home)) => Place::Home(home),
            (None, None) => panic!("value {value} is nowhere"),
        }
    }

    /// The places at the end of a loop's body as those at its head.
    fn suggested(&self, l: &Loop, uses: &LoopUses) -> Head {
        let mut used: Vec<Register> = Vec::new();
        let mut take = |register: Option<Register>| {
            let register = register.filter(|register| !used.contains(register));
            used.extend(register);
            register
        };
        let carried = l.carried.iter().map(|c| take(self.register(c.next))).collect();
        let held = uses.invariants.iter().filter_map(|(v, _)| Some((*v, take(self.register(*v))?)));
        let invariants = held.collect();
        let saved = self.spilled.iter().copied();
        let saved = saved.filter(|value| uses.invariants.iter().any(|(of, _)| of == value));
        Head { invariants, carried, saved: saved.collect() }
    }
}

fn destination(register: Option<Register>, slot: Option<u32>) -> Place {
    match (register, slot) {
        (Some(register), _) => Place::Register(register),
        (None, slot) => {
            let base = Base::Slot(slot.unwrap_or_default());
            Place::Home(Home::Memory(Memory::whole(base, 0)))
        }
    }
}

/// Whether a carried value is read after its next one is made, or handed on itself: they can't share a slot.
fn is_read_late(l: &Loop, c: &super::Carried) -> bool {
    let made = l.body.iter().position(|step| step.result == Some(c.next));
    let handed = l.carried.iter().any(|other| other.next == c.inside);
    let shared = l.carried.iter().filter(|other| other.next == c.next).count() > 1;
    let Some(made) = made else { return true };
    handed || shared || l.body[made + 1..].iter().any(|step| step.args.contains(&c.inside))
}

/// A computation with the operand at a place as its last.
fn last(by: Computation, args: &mut [Value], at: usize) -> Computation {
    exchange(by, args, at, args.len() - 1)
}

/// A computation with the operand at a place as its first.
fn first(by: Computation, args: &mut [Value], at: usize) -> Computation {
    exchange(by, args, 0, at)
}

/// A computation with two operands exchanged: what has a table of their bits has another one.
fn exchange(by: Computation, args: &mut [Value], one: usize, other: usize) -> Computation {
    args.swap(one, other);
    let (Operands::Table, Some(table)) = (by.form.operands, by.immediate) else { return by };
    let exchanged = |row: u8| {
        let bit = |at: usize| row >> (2 - at) & 1;
        let (a, b) = (bit(one), bit(other));
        let cleared = row & !(1 << (2 - one)) & !(1 << (2 - other));
        cleared | b << (2 - one) | a << (2 - other)
    };
    let table =
        (0..8).filter(|row| table >> exchanged(*row) & 1 == 1).fold(0, |all, row| all | 1 << row);
    Computation { immediate: Some(table), ..by }
}
