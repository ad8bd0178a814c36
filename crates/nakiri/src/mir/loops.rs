//! Registers of loops: at the head of its body each value is in one place, whichever iteration it is. Where that is, is what a walk
//! through the body leaves at its end, so that little has to be brought back. What waits in memory, and is still read when the next
//! value of it is there, has a pair of places: an iteration reads one and writes the other, and then they change.

use super::registers::State;
use super::shuffle::{shuffle, Move, Place};
use super::uses::{LoopUses, Time, NEVER};
use super::{Action, Carried, Home, Line, Loop, Memory, Register, Turn, Value};

/// How many walks there are, each of which begins as the one before ended.
const WALKS: usize = 3;

/// Where values are at the head of a loop, in each iteration.
#[derive(Clone, Debug)]
struct Head {
    /// What is carried: the register, or none and a place or two of its own.
    carried: Vec<Option<Register>>,
    /// What only is read.
    invariants: Vec<(Value, Register)>,
    /// What leaves its register in the body, so that memory should have it before.
    saved: Vec<Value>,
}

/// Where a loop hands on a value.
#[derive(Clone, Copy, Debug)]
enum Seat {
    Register(Register),
    /// One place, where nothing reads the value after that of the next iteration is made.
    Slot(Memory),
    /// A pair of places, by its number.
    Pair(u32),
}

impl Seat {
    fn place(self, turn: Turn) -> Place {
        match self {
            Seat::Register(register) => Place::Register(register),
            Seat::Slot(slot) => Place::Home(Home::Memory(slot)),
            Seat::Pair(pair) => Place::Home(Home::Memory(Memory::pair(pair, turn))),
        }
    }
}

impl Head {
    fn keeps(&self, value: Value) -> bool {
        self.invariants.iter().any(|(of, _)| *of == value)
    }
}

impl State<'_> {
    pub(super) fn counted(&mut self, l: &Loop, uses: &LoopUses, start: Time) {
        // What the loop doesn't read waits in memory.
        for (value, _) in self.all() {
            if !uses.reads(value) && !l.carried.iter().any(|c| c.init == value) {
                self.save(value);
                self.leave(value);
            }
        }
        let mut head = self.first_head(l);
        let mut best: Option<(u64, State)> = None;
        for _ in 0..WALKS {
            let mut tried = self.clone();
            let (next, executed) = tried.walk(l, uses, start, &head);
            if best.as_ref().is_none_or(|(least, _)| executed < *least) {
                best = Some((executed, tried));
            }
            head = next;
        }
        if let Some((_, best)) = best {
            *self = best;
        }
        uses.after.iter().for_each(|(value, next)| self.read(*value, *next));
        l.carried.iter().zip(&uses.results).for_each(|(c, next)| self.read(c.result, *next));
    }

    /// Registers for all that is carried, as far as there are any.
    fn first_head(&self, l: &Loop) -> Head {
        // Masks are too few to be carried.
        let mut free = [self.target.registers as u8, 0].map(|count| 0..count);
        let register = |c: &Carried| {
            let bank = self.function.banks[c.inside as usize];
            Some(Register { bank, number: free[bank as usize].next()? })
        };
        let carried = l.carried.iter().map(register).collect();
        Head { carried, invariants: Vec::new(), saved: Vec::new() }
    }

    /// The loop with these places at its head; those that the end of its body suggests, and how many lines are executed.
    fn walk(&mut self, l: &Loop, uses: &LoopUses, start: Time, head: &Head) -> (Head, u64) {
        let before = self.lines.len();
        let seat = |(c, register): (&Carried, &Option<Register>)| match register {
            Some(register) => Seat::Register(*register),
            None if is_read_late(l, c) => Seat::Pair(self.pair()),
            None => Seat::Slot(self.slot(true)),
        };
        let seats: Vec<Seat> = l.carried.iter().zip(&head.carried).map(seat).collect();
        self.enter(l, uses, head, &seats);
        let entered = self.lines.len();
        let turns = seats.iter().any(|seat| matches!(seat, Seat::Pair(_)));
        self.lines.push(Line::Begin { count: l.count, steps: self.steps(l), turns });
        for (c, seat) in l.carried.iter().zip(&seats) {
            let next = c.next as usize;
            match seat {
                Seat::Register(register) => self.hints[next] = Some(*register),
                Seat::Slot(slot) => self.wishes[next] = Some(*slot),
                Seat::Pair(pair) => self.wishes[next] = Some(Memory::pair(*pair, Turn::Next)),
            }
        }
        self.spilled.clear();
        self.lasting = uses.invariants.iter().map(|(value, _)| *value).collect();
        for ((now, step), uses) in (start..).zip(&l.body).zip(&uses.body) {
            self.step(step, uses, now);
        }
        let next = self.suggested(l, uses);
        self.come_back(l, head, &seats);
        self.lines.push(Line::End);
        self.end_turns();
        let last = if l.count.is_multiple_of(2) { Turn::First } else { Turn::Second };
        for (c, seat) in l.carried.iter().zip(&seats) {
            self.next[c.result as usize] = NEVER;
            match seat {
                Seat::Register(register) => self.put(c.result, *register),
                Seat::Slot(slot) => self.owns(c.result, *slot),
                Seat::Pair(pair) => self.owns(c.result, Memory::pair(*pair, last)),
            }
        }
        let body = (self.lines.len() - entered) as u64;
        (next, (entered - before) as u64 + u64::from(l.count) * body)
    }

    /// Brings everything to its place at the head of a loop.
    fn enter(&mut self, l: &Loop, uses: &LoopUses, head: &Head, seats: &[Seat]) {
        for (value, _) in self.all() {
            let mut inits = l.carried.iter().zip(&uses.inits);
            let ends = inits.any(|(c, next)| c.init == value && *next == NEVER);
            let goes = !(ends && !uses.reads(value) || head.keeps(value));
            if goes || head.saved.contains(&value) {
                self.save(value);
            }
        }
        self.bring(l, head, seats, Turn::First, |c| c.init);
        l.carried.iter().zip(&uses.inits).for_each(|(c, next)| self.read(c.init, *next));
        for (c, seat) in l.carried.iter().zip(seats) {
            match seat {
                Seat::Register(register) => self.put(c.inside, *register),
                Seat::Slot(slot) => self.is_at(c.inside, Home::Memory(*slot)),
                Seat::Pair(pair) => self.owns(c.inside, Memory::pair(*pair, Turn::Now)),
            }
        }
        self.keep(head);
        for (value, next) in &uses.invariants {
            self.next[*value as usize] = *next;
        }
        for (c, next) in l.carried.iter().zip(&uses.insides) {
            self.next[c.inside as usize] = *next;
        }
    }

    /// Brings everything back to its place at the head of the loop.
    fn come_back(&mut self, l: &Loop, head: &Head, seats: &[Seat]) {
        self.bring(l, head, seats, Turn::Next, |c| c.next);
        for c in &l.carried {
            self.forget(c.inside);
            self.hints[c.next as usize] = None;
            self.wishes[c.next as usize] = None;
            if !head.keeps(c.next) && l.body.iter().any(|step| step.result == Some(c.next)) {
                self.forget(c.next);
            }
        }
        self.keep(head);
    }

    /// Adds the copies of what is carried, and of what is kept, to their places at the head. Then no register is said to hold
    /// anything.
    fn bring(
        &mut self,
        l: &Loop,
        head: &Head,
        seats: &[Seat],
        turn: Turn,
        of: impl Fn(&Carried) -> Value,
    ) {
        let carried = l.carried.iter().zip(seats).map(|(c, seat)| (seat.place(turn), of(c)));
        let kept = head.invariants.iter().map(|(value, to)| (Place::Register(*to), *value));
        let moves = carried.chain(kept).map(|(to, value)| Move { to, from: self.place(value) });
        shuffle(self, moves.collect());
        self.all().into_iter().for_each(|(value, _)| self.leave(value));
    }

    fn keep(&mut self, head: &Head) {
        head.invariants.iter().for_each(|(value, register)| self.put(*value, *register));
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
        let held = uses.invariants.iter();
        let invariants = held.filter_map(|(v, _)| Some((*v, take(self.register(*v))?))).collect();
        let saved = self.spilled.iter().copied().filter(|value| uses.reads(*value)).collect();
        Head { carried, invariants, saved }
    }
}

/// Whether a carried value is read after its next one is made, or handed on itself: they can't share a place.
fn is_read_late(l: &Loop, c: &Carried) -> bool {
    let made = l.body.iter().position(|step| step.result == Some(c.next));
    let handed = l.carried.iter().any(|other| other.next == c.inside);
    let shared = l.carried.iter().filter(|other| other.next == c.next).count() > 1;
    let Some(made) = made else { return true };
    handed || shared || l.body[made + 1..].iter().any(|step| step.args.contains(&c.inside))
}
