//! Explicit spilling: the text stores what finds no register, and loads it again, by the same account of registers as prices.
//!
//! A value is under the name of a local variable as long as it has a register, and where it lies in memory otherwise. What
//! has a place of its own there is never stored: atoms of parameters, constants, results of calls, what a loop carries.

use super::{stands_alone, written_out, Printer};
use crate::core::{Carried, Loop, Stmt, Type, ValueId};
use crate::isa::Target;
use crate::registers::{Access, Accesses, File, Use, LATER, NEVER};
use std::collections::{BTreeMap, BTreeSet};

/// Registers of the general-purpose ones that hold addresses, and what a loop counts.
const ADDRESSES: u32 = 4;

/// As many places as a compiler's frame may have.
const LITTLE: u32 = 128;

/// What registers and memory hold while a function is printed.
pub(super) struct Spilling {
    file: File,
    sequence: Sequence,
    /// Where values lie in memory, those that have no place of their own aside.
    homes: BTreeMap<ValueId, String>,
    /// The places of values that were stored.
    places: BTreeMap<ValueId, u32>,
    /// The rooms for values of each type.
    rooms: BTreeMap<Type, Room>,
    /// The places that values enter as soon as they are made.
    entering: BTreeMap<ValueId, Vec<u32>>,
    /// How many values were loaded into variables.
    loaded: u32,
}

/// Statements one after another: a function's, or those of a loop's body.
#[derive(Default)]
struct Sequence {
    /// For each value the numbers of the statements that read it, the next one last.
    reads: BTreeMap<ValueId, Vec<u32>>,
    /// The number of the statement at hand.
    now: u32,
    /// The values of a loop's body; others are read again in its next turn. A function has all its values.
    inside: Option<BTreeSet<ValueId>>,
}

impl Sequence {
    /// Statements of a function, or of a loop's body behind which values are read.
    fn new(stmts: &[&Stmt], body: Option<(&Loop, &[ValueId])>) -> Sequence {
        let mut reads: BTreeMap<ValueId, Vec<u32>> = BTreeMap::new();
        let mut read = |value, at| {
            let times = reads.entry(value).or_default();
            if times.last() != Some(&at) {
                times.push(at);
            }
        };
        let behind = body.map_or(&[][..], |(_, behind)| behind);
        behind.iter().for_each(|value| read(*value, stmts.len() as u32));
        let carried = body.map_or(&[][..], |(l, _)| &l.carried);
        let mut inside: BTreeSet<ValueId> = carried.iter().map(|c| c.inside).collect();
        for (at, stmt) in stmts.iter().enumerate().rev() {
            let at = at as u32;
            stmt.uses(&mut |value| read(value, at));
            stmt.definitions(&mut |value| inside.extend([value]));
        }
        Sequence { reads, now: 0, inside: body.map(|_| inside) }
    }

    /// When a value is read behind the statement at hand.
    fn next(&mut self, value: ValueId) -> u32 {
        let now = self.now;
        let times = self.reads.get_mut(&value);
        let next = times.and_then(|times| {
            while times.last().is_some_and(|at| *at <= now) {
                times.pop();
            }
            times.last().copied()
        });
        let again = self.inside.as_ref().is_some_and(|inside| !inside.contains(&value));
        next.unwrap_or(if again { LATER } else { NEVER })
    }
}

/// An array for values of one type.
#[derive(Default)]
struct Room {
    count: u32,
    free: Vec<u32>,
}

impl Room {
    fn place(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        })
    }
}

impl Spilling {
    /// For a function of so many values, on a target.
    pub(super) fn new(values: usize, target: &Target) -> Spilling {
        let registers = target.registers - if target.simd { 0 } else { ADDRESSES };
        Spilling {
            file: File::new(registers as usize, vec![false; values]),
            sequence: Sequence::default(),
            homes: BTreeMap::new(),
            places: BTreeMap::new(),
            rooms: BTreeMap::new(),
            entering: BTreeMap::new(),
            loaded: 0,
        }
    }

    /// Whether so little was spilled that the compiler may see to it: its frame is as large as what renamed memory tells apart, and
    /// a loop that it can make vectors of should have no addresses that it doesn't know.
    pub(super) fn is_little(&self) -> bool {
        self.rooms.values().map(|room| room.count).sum::<u32>() <= LITTLE
    }

    /// The reads of a statement, each value once.
    fn reads(&mut self, stmt: &Stmt) -> Vec<Use> {
        let mut values = BTreeSet::new();
        stmt.uses(&mut |value| values.extend([value]));
        values.into_iter().map(|v| Use { value: v.0, next: self.sequence.next(v) }).collect()
    }
}

impl Printer<'_> {
    /// Begins a sequence of statements; the one that it stands in.
    pub(super) fn begin(&mut self, stmts: &[&Stmt], body: Option<(&Loop, &[ValueId])>) -> Outer {
        let begin = |spilling: &mut Spilling| {
            std::mem::replace(&mut spilling.sequence, Sequence::new(stmts, body))
        };
        Outer(self.spilling.as_mut().map(begin))
    }

    /// Ends a sequence.
    pub(super) fn end(&mut self, outer: Outer) {
        self.flush();
        if let (Some(spilling), Outer(Some(outer))) = (self.spilling.as_mut(), outer) {
            spilling.sequence = outer;
        }
    }

    /// Has what a statement reads where its text finds it.
    pub(super) fn before(&mut self, stmt: &Stmt) {
        let Some(spilling) = self.spilling.as_mut() else { return };
        let reads = spilling.reads(stmt);
        // What calls other code, or repeats its own, reads values in memory.
        if stands_alone(stmt) {
            self.flush();
            reads.iter().for_each(|read| self.stays_in_memory(ValueId(read.value)));
        } else {
            let (now, mut accesses) = (spilling.sequence.now, Accesses::new());
            spilling.file.read(now, &reads, true, &mut accesses);
            self.access(&accesses);
        }
    }

    /// Goes on to the next statement: gives up the places of what is not read again.
    pub(super) fn after(&mut self, stmt: &Stmt) {
        let Some(spilling) = self.spilling.as_mut() else { return };
        for read in spilling.reads(stmt).into_iter().filter(|read| read.next == NEVER) {
            let value = ValueId(read.value);
            if let Some(place) = spilling.places.remove(&value) {
                spilling.rooms.entry(self.func.ty(value)).or_default().free.push(place);
            }
        }
        spilling.sequence.now += 1;
    }

    /// Notes that a variable has a value.
    pub(super) fn made(&mut self, value: ValueId) {
        let Some(spilling) = self.spilling.as_mut() else { return };
        let made = Use { value: value.0, next: spilling.sequence.next(value) };
        let (now, mut accesses) = (spilling.sequence.now, Accesses::new());
        spilling.file.make(now, made, &mut accesses);
        self.access(&accesses);
        if let Some(home) = self.kept_in(value) {
            self.is_at(value, home);
        }
        self.enter(value);
    }

    /// Notes that a value has a place of its own, which the printer knows.
    pub(super) fn has_place(&mut self, value: ValueId) {
        let Some(spilling) = self.spilling.as_mut() else { return };
        spilling.file.is_stored(value.0);
        spilling.homes.insert(value, self.places[&value].clone());
        self.enter(value);
    }

    /// Puts a value where a loop carries it.
    fn enter(&mut self, value: ValueId) {
        let entering = self.spilling.as_mut().and_then(|s| s.entering.remove(&value));
        for place in entering.unwrap_or_default() {
            self.put(value, place);
            self.lies_at(value, place);
        }
    }

    /// Stores what is in registers alone, and gives these up.
    pub(super) fn flush(&mut self) {
        let Some(spilling) = self.spilling.as_mut() else { return };
        let mut accesses = Accesses::new();
        spilling.file.call(&mut accesses);
        self.access(&accesses);
    }

    fn access(&mut self, accesses: &[Access]) {
        for access in accesses {
            match *access {
                Access::Store { value } => {
                    let value = ValueId(value);
                    let place = self.new_place(value);
                    self.put(value, place);
                    self.lies_at(value, place);
                    if let Some(spilling) = &mut self.spilling {
                        spilling.places.insert(value, place);
                    }
                }
                Access::Load { value, folded } => match folded && self.is_operand(ValueId(value)) {
                    true => self.stays_in_memory(ValueId(value)),
                    false => self.load_again(ValueId(value)),
                },
            }
        }
    }

    /// Whether an operation can read a value where it lies: constants may be longer expressions there.
    fn is_operand(&self, value: ValueId) -> bool {
        let home = self.spilling.as_ref().and_then(|spilling| spilling.homes.get(&value));
        home.is_some_and(|home| !home.contains(' '))
    }

    /// A value is read where it lies.
    fn stays_in_memory(&mut self, value: ValueId) {
        let home = self.spilling.as_ref().and_then(|spilling| spilling.homes.get(&value));
        if let Some(home) = home.cloned() {
            self.places.insert(value, home);
        }
    }

    fn load_again(&mut self, value: ValueId) {
        self.stays_in_memory(value);
        let Some(spilling) = &mut self.spilling else { return };
        spilling.loaded += 1;
        let local = format!("v{}_{}", value.0, spilling.loaded);
        let (register, text) = (self.register(value), self.name(value));
        self.line(&self.signature.syntax.define(&register, &local, &text));
        self.places.insert(value, local);
    }

    fn new_place(&mut self, value: ValueId) -> u32 {
        let ty = self.func.ty(value);
        self.spilling.as_mut().map_or(0, |s| s.rooms.entry(ty).or_default().place())
    }

    fn put(&mut self, value: ValueId, place: u32) {
        let (room, name) = (room(self.func.ty(value)), self.name(value));
        self.line(&self.signature.syntax.spill(&room, place, &name));
    }

    fn lies_at(&mut self, value: ValueId, place: u32) {
        let home = self.signature.syntax.spilled(&room(self.func.ty(value)), place);
        self.is_at(value, home);
    }

    fn is_at(&mut self, value: ValueId, home: String) {
        if let Some(spilling) = &mut self.spilling {
            spilling.file.is_stored(value.0);
            spilling.homes.insert(value, home);
        }
    }

    /// Gives what a loop carries places in memory. The values that are put there behind its body, with their places, because
    /// the old ones are read until then.
    pub(super) fn carry(&mut self, l: &Loop, variables: &[Carried]) -> Vec<(ValueId, u32)> {
        let mut late = Vec::new();
        let last = last_reads(l);
        let carries: BTreeSet<ValueId> = variables.iter().map(|c| c.inside).collect();
        for carried in variables {
            let place = self.new_place(carried.inside);
            self.put(carried.init, place);
            self.lies_at(carried.inside, place);
            self.lies_at(carried.result, place);
            self.stays_in_memory(carried.result);
            let next = carried.next;
            let again = variables.iter().any(|other| other.next == carried.inside);
            let early = !again && last.defined.get(&next) >= last.read.get(&carried.inside);
            let Some(spilling) = &mut self.spilling else { continue };
            if early && !carries.contains(&next) && last.defined.contains_key(&next) {
                spilling.entering.entry(next).or_default().push(place);
            } else if next != carried.inside {
                late.push((next, place));
            }
        }
        late
    }

    /// Puts values into places behind a loop's body, all at once.
    pub(super) fn carry_late(&mut self, late: &[(ValueId, u32)]) {
        let values: BTreeSet<ValueId> = late.iter().map(|(value, _)| *value).collect();
        values.into_iter().for_each(|value| self.load_again(value));
        late.iter().for_each(|(value, place)| self.put(*value, *place));
    }

    /// The rooms of what was spilled.
    pub(super) fn rooms(&self) -> Vec<String> {
        let rooms = self.spilling.iter().flat_map(|spilling| &spilling.rooms);
        let lines = rooms.flat_map(|(&ty, Room { count, .. })| {
            let (register, zero) = (self.signature.register(ty), self.signature.zero(ty));
            self.signature.syntax.spill_room(&register, &room(ty), *count, &zero)
        });
        lines.collect()
    }
}

/// The sequence around another.
pub(super) struct Outer(Option<Sequence>);

/// The name of the room for values of a type.
fn room(ty: Type) -> String {
    crate::emit::type_name(ty).to_lowercase()
}

/// Where a loop's body defines its values, and reads values last.
struct Last {
    defined: BTreeMap<ValueId, usize>,
    read: BTreeMap<ValueId, usize>,
}

fn last_reads(l: &Loop) -> Last {
    let mut last = Last { defined: BTreeMap::new(), read: BTreeMap::new() };
    for (at, stmt) in written_out(&l.body).into_iter().enumerate() {
        stmt.definitions(&mut |value| last.defined.extend([(value, at)]));
        stmt.uses(&mut |value| last.read.extend([(value, at)]));
    }
    last
}
