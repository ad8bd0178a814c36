//! Which value each register holds, and where else values are.

use super::uses::{Time, NEVER};
use super::{Bank, Base, Function, Home, Line, Memory, Operand, Register, Turn, Value};
use crate::isa::Target;

/// How many masks of elements there are that instructions can be told to use.
const MASKS: u8 = 7;

/// The state of all registers at a place of a function, and the lines up to there.
#[derive(Clone)]
pub struct State<'a> {
    /// The function.
    pub function: &'a Function,
    /// The target.
    pub target: &'static Target,
    /// The lines.
    pub lines: Vec<Line>,
    /// What each register holds: vectors, then masks.
    held: [Vec<Option<Value>>; 2],
    /// The register of each value.
    at: Vec<Option<Register>>,
    /// Where each value is beside registers.
    homes: Vec<Option<Home>>,
    /// When each value that is in a register is read next.
    pub next: Vec<Time>,
    /// Slots and pairs that hold what can be forgotten; in a loop also what an iteration has read of pairs, until its end.
    free: Vec<Base>,
    /// Those that the step at hand may read still.
    ending: Vec<Base>,
    /// How many slots there are.
    pub slots: u32,
    /// How many pairs there are.
    pub pairs: u32,
    /// The slot, or the pair, that is a value's own.
    own: Vec<Option<Base>>,
    /// Where a value goes if it must leave its register: what a loop hands on has a place already.
    pub wishes: Vec<Option<Memory>>,
    /// In which register a value should be made.
    pub hints: Vec<Option<Register>>,
    /// Values that were stored for want of registers.
    pub spilled: Vec<Value>,
    /// In a loop, what is the same in all iterations, by the numbers of values.
    pub lasting: Vec<Value>,
}

impl<'a> State<'a> {
    /// Before the first line.
    pub fn new(function: &'a Function, target: &'static Target) -> State<'a> {
        let values = function.banks.len();
        State {
            function,
            target,
            lines: Vec::new(),
            held: [vec![None; target.registers as usize], vec![None; usize::from(MASKS)]],
            at: vec![None; values],
            homes: function.homes.clone(),
            next: vec![NEVER; values],
            free: Vec::new(),
            ending: Vec::new(),
            slots: 0,
            pairs: 0,
            own: vec![None; values],
            wishes: vec![None; values],
            hints: vec![None; values],
            spilled: Vec::new(),
            lasting: Vec::new(),
        }
    }

    /// The register of a value.
    pub fn register(&self, value: Value) -> Option<Register> {
        self.at[value as usize]
    }

    /// Where a value is beside registers.
    pub fn home(&self, value: Value) -> Option<Home> {
        self.homes[value as usize]
    }

    /// The value in a register.
    pub fn holds(&self, register: Register) -> Option<Value> {
        self.held[register.bank as usize][usize::from(register.number)]
    }

    /// What is in registers.
    pub fn all(&self) -> Vec<(Value, Register)> {
        let of = |value: &Option<Value>| Some(((*value)?, self.at[(*value)? as usize]?));
        self.held.iter().flatten().filter_map(of).collect()
    }

    /// A free register of a kind: the one asked for, if it is free.
    fn unused(&self, bank: Bank, hint: Option<Register>) -> Option<Register> {
        if let Some(hint) = hint.filter(|hint| hint.bank == bank && self.holds(*hint).is_none()) {
            return Some(hint);
        }
        let number = self.held[bank as usize].iter().position(Option::is_none)?;
        Some(Register { bank, number: number as u8 })
    }

    /// Notes that a register holds a value.
    pub fn put(&mut self, value: Value, register: Register) {
        self.held[register.bank as usize][usize::from(register.number)] = Some(value);
        self.at[value as usize] = Some(register);
    }

    /// Notes where a value is beside registers.
    pub fn is_at(&mut self, value: Value, home: Home) {
        self.homes[value as usize] = Some(home);
    }

    /// A value leaves its register, and is forgotten if it is nowhere else.
    pub fn leave(&mut self, value: Value) {
        if let Some(register) = self.at[value as usize].take() {
            self.held[register.bank as usize][usize::from(register.number)] = None;
        }
    }

    /// A value is not read any more.
    pub fn forget(&mut self, value: Value) {
        self.leave(value);
        if let Some(own) = self.own[value as usize].take() {
            self.homes[value as usize] = None;
            self.ending.push(own);
        }
    }

    /// A value is in a slot or one of a pair, which is free when it is forgotten.
    pub fn owns(&mut self, value: Value, place: Memory) {
        self.own[value as usize] = Some(place.base);
        self.is_at(value, Home::Memory(place));
    }

    /// A place on the stack; for what does not outlast an iteration it may be one of a pair.
    pub fn slot(&mut self, lasts: bool) -> Memory {
        let fits = |base: &Base| match base {
            Base::Pair(_, Turn::Now) => !lasts,
            base => matches!(base, Base::Slot(_)),
        };
        let base = self.freed(fits).unwrap_or_else(|| {
            self.slots += 1;
            Base::Slot(self.slots - 1)
        });
        Memory::whole(base, 0)
    }

    /// A pair of places on the stack.
    pub fn pair(&mut self) -> u32 {
        let fits = |base: &Base| matches!(base, Base::Pair(_, Turn::First | Turn::Second));
        match self.freed(fits) {
            Some(Base::Pair(pair, _)) => pair,
            _ => {
                self.pairs += 1;
                self.pairs - 1
            }
        }
    }

    /// What was freed last of what fits.
    fn freed(&mut self, fits: impl Fn(&Base) -> bool) -> Option<Base> {
        let at = self.free.iter().rposition(fits)?;
        Some(self.free.remove(at))
    }

    /// A place on the stack is free again, from the next step on.
    pub fn free(&mut self, place: Memory) {
        self.ending.push(place.base);
    }

    /// A loop ends: what its iterations have read is their pairs' again.
    pub fn end_turns(&mut self) {
        self.begin();
        self.free.retain(|base| !matches!(base, Base::Pair(_, Turn::Now)));
        self.lasting.clear();
    }

    /// A step begins.
    pub fn begin(&mut self) {
        self.free.append(&mut self.ending);
    }

    /// Stores a value that is in a register alone.
    pub fn save(&mut self, value: Value) {
        let (Some(from), None) = (self.register(value), self.home(value)) else { return };
        let to = match self.wishes[value as usize] {
            // It is the loop's, and not free when the value is forgotten.
            Some(place) => {
                self.is_at(value, Home::Memory(place));
                place
            }
            None => {
                let lasts = self.lasting.binary_search(&value).is_ok();
                let slot = self.slot(lasts);
                self.owns(value, slot);
                slot
            }
        };
        self.spilled.push(value);
        self.lines.push(Line::Store { to, from });
    }

    /// A register for a value, if need be that of the one that is read last (see [`crate::registers`]); none that holds one of
    /// the `kept`.
    pub fn take(&mut self, value: Value, kept: &[Value], now: Time) -> Register {
        let bank = self.function.banks[value as usize];
        let hint = self.hints[value as usize];
        let register = self.unused(bank, hint).unwrap_or_else(|| {
            let gladness = |held: &Value| {
                let cost = if self.home(*held).is_some() { 1 } else { 2 };
                self.next[*held as usize].saturating_sub(now) / cost
            };
            let others = self.held[bank as usize].iter().flatten().copied();
            let others = others.filter(|held| !kept.contains(held));
            let last = others
                .max_by_key(gladness)
                .expect("instructions read fewer registers than there are");
            self.save(last);
            let register = self.register(last).expect("it is in one");
            self.leave(last);
            register
        });
        self.put(value, register);
        register
    }

    /// The register of a value, into which it is loaded if it isn't there.
    pub fn fetch(&mut self, value: Value, kept: &[Value], now: Time) -> Register {
        if let Some(register) = self.register(value) {
            return register;
        }
        let from = self.home(value).expect("a value is in a register or has a home");
        let to = self.take(value, kept, now);
        self.lines.push(Line::Load { to, from });
        to
    }

    /// Whether an operand in memory is not worth a register: see [`crate::registers::File`].
    pub fn stays(&self, value: Value, next: Time) -> bool {
        let bank = self.function.banks[value as usize];
        let held = &self.held[bank as usize];
        let last = held.iter().flatten().map(|held| self.next[*held as usize]).max();
        next == NEVER || (held.iter().all(Option::is_some) && Some(next) >= last)
    }

    /// The operand that a value in a register is.
    pub fn operand(&self, value: Value) -> Operand {
        Operand::Register(self.register(value).expect("it is in one"))
    }
}
