//! Gives out registers: what finds none waits in memory, and what is read last goes first (L. A. Belady, A study of replacement
//! algorithms for a virtual-storage computer, 1966). Operands stay in memory where instructions read them there; results take
//! the registers of operands that end. Of several orders the core's is taken, or one that is clearly faster with its registers.

use super::order::orders;
use super::registers::State;
use super::time::cycles;
use super::uses::{self, StepUses, Time, Uses, NEVER};
use super::{
    Action, Allocated, Bank, Code, Computation, Function, Home, Item, Line, Operand, Part, Step,
    Value,
};
use crate::isa::Operands;
use crate::pass::schedule::faster;
use smallvec::SmallVec;

/// Gives out the registers of all functions.
pub fn allocate(code: &Code) -> Vec<Allocated> {
    let timed = |ordered: Function| {
        let allocated = allocated(&ordered, code);
        (cycles(&allocated, code.target), allocated)
    };
    let fastest = |function| orders(function).map(timed).reduce(faster);
    code.functions.iter().filter_map(fastest).map(|(_, allocated)| allocated).collect()
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
    let State { lines, slots, pairs, .. } = state;
    let Function { id, pointers, ref arrays, .. } = *function;
    Allocated { id, pointers, arrays: arrays.clone(), slots, pairs, lines }
}

/// The values that an instruction reads, in the order in which it is written.
struct Operation {
    computation: Computation,
    args: SmallVec<[Value; 3]>,
    /// Whether the last of them stays in memory.
    folds: bool,
}

impl State<'_> {
    pub(super) fn step(&mut self, step: &Step, uses: &StepUses, now: Time) {
        self.begin();
        match &step.action {
            Action::Compute(computation) => match step.result {
                Some(result) if uses.result != NEVER => {
                    self.compute(*computation, step, result, uses, now);
                }
                _ => self.all_read(step, uses),
            },
            Action::Store(to) => {
                let from = self.fetch(step.args[0], &[], now);
                self.lines.push(Line::Store { to: *to, from });
                self.all_read(step, uses);
            }
            Action::Call(callee, pointers) => {
                for (value, _) in self.all() {
                    self.save(value);
                    self.leave(value);
                }
                self.lines.push(Line::Call { callee: *callee, pointers: pointers.clone() });
            }
        }
    }

    /// A value was read; it is read again at a time.
    pub(super) fn read(&mut self, value: Value, next: Time) {
        self.next[value as usize] = next;
        if next == NEVER {
            self.forget(value);
        }
    }

    fn all_read(&mut self, step: &Step, uses: &StepUses) {
        step.args.iter().zip(&uses.args).for_each(|(arg, next)| self.read(*arg, *next));
    }

    fn compute(
        &mut self,
        computation: Computation,
        step: &Step,
        result: Value,
        uses: &StepUses,
        now: Time,
    ) {
        let ends = |value: Value| {
            let at = step.args.iter().position(|arg| *arg == value);
            at.is_none_or(|at| uses.args[at] == NEVER)
        };
        let Operation { computation, args, folds } = self.written(computation, step, uses, &ends);
        let (held, in_memory) = args.split_at(args.len() - usize::from(folds));
        held.iter().for_each(|value| {
            self.fetch(*value, &args, now);
        });
        let mut operands: SmallVec<[Operand; 3]> =
            held.iter().map(|value| self.operand(*value)).collect();
        operands.extend(in_memory.iter().filter_map(|value| match self.home(*value) {
            Some(Home::Memory(memory)) => Some(Operand::Memory(memory)),
            _ => None,
        }));
        let is_overwritten = matches!(computation.form.operands, Operands::Tied | Operands::Table);
        let register = match self.register(args[0]) {
            Some(from) if is_overwritten && !ends(args[0]) => {
                let to = self.take(result, &args, now);
                self.lines.push(Line::Copy { to, from });
                operands[0] = Operand::Register(to);
                self.all_read(step, uses);
                to
            }
            Some(register) if is_overwritten => {
                self.all_read(step, uses);
                self.put(result, register);
                register
            }
            _ => {
                self.all_read(step, uses);
                self.take(result, &[], now)
            }
        };
        self.next[result as usize] = uses.result;
        self.lines.push(Line::Compute { computation, result: register, operands });
    }

    /// The order in which operands are written: one that stays in memory is last, and one that may be overwritten first.
    fn written(
        &self,
        computation: Computation,
        step: &Step,
        uses: &StepUses,
        ends: &dyn Fn(Value) -> bool,
    ) -> Operation {
        let mut args = step.args.clone();
        let mut computation = computation;
        let folded = self.folded(&computation, step, uses);
        if let Some(at) = folded {
            let last = args.len() - 1;
            computation = exchange(computation, &mut args, at, last);
        }
        let folds = folded.is_some();
        if computation.form.operands == Operands::Table {
            let held = &args[..args.len() - usize::from(folds)];
            let first = held.iter().position(|value| ends(*value)).unwrap_or(0);
            computation = exchange(computation, &mut args, 0, first);
        }
        Operation { computation, args, folds }
    }

    /// The operand that stays in memory.
    fn folded(&self, by: &Computation, step: &Step, uses: &StepUses) -> Option<usize> {
        let (bits, args) = (self.target.bits, &step.args);
        if !by.form.reads_memory(bits) {
            return None;
        }
        let repeated = by.form.repeated(by.width, bits).map(|bits| usize::from(bits) / 8);
        let fits = |at: &usize| {
            let value = args[*at];
            let Some(Home::Memory(memory)) = self.home(value) else { return false };
            let is_read_so = match (memory.part, repeated) {
                (Part::Whole, _) => true,
                // What it repeats is all that there is, or repeats itself in that.
                (Part::Repeated(bytes), Some(own)) => bytes <= 8 && bytes % own == 0,
                (Part::Repeated(_), None) => false,
            };
            is_read_so
                && args.iter().filter(|arg| **arg == value).count() == 1
                && self.function.banks[value as usize] == Bank::Vector
                && self.register(value).is_none()
                && self.stays(value, uses.args[*at])
        };
        let places: &[usize] = match (by.form.operands, by.form.commutes) {
            (Operands::Table, _) => &[2, 1, 0],
            (_, true) => &[1, 0],
            _ => &[args.len() - 1],
        };
        places.iter().copied().find(fits)
    }
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
