//! Gives out registers: adds to the steps of a function what they load and store for want of registers.

use super::lower::{step, Carried, Node, Slot, Step, Work};
use crate::registers::{Access, Accesses, File, Use, NEVER};
use smallvec::SmallVec;

/// What there is to be given out.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Registers.
    pub registers: usize,
    /// Whether an instruction overwrites one of its operands.
    pub destructive: bool,
    /// Slots of the function.
    pub slots: usize,
}

/// What is stored and loaded for want of registers: in one execution of straight-line code, or in one iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spilled {
    pub stores: u64,
    pub loads: u64,
    /// The most values that wait in memory at once.
    pub places: u64,
}

/// Adds loads, stores and copies to the steps of a node. What no step of it makes is in memory when it begins; of a loop
/// the second iteration stands for all.
pub fn allocate(node: &mut Node, room: &Room) -> Spilled {
    match node {
        Node::Straight(steps) => {
            let allocation = Allocation::new(std::mem::take(steps), room, room.slots);
            let (allocated, spilled) = allocation.run(0..usize::MAX);
            *steps = allocated;
            spilled
        }
        Node::Loop { carried, moving, body, .. } => {
            let unrolled = Unrolled::new(body, carried, moving, room.slots);
            let middle = body.len()..2 * body.len();
            let allocation = Allocation::new(unrolled.steps, room, 3 * room.slots);
            let (mut allocated, spilled) = allocation.run(middle);
            let back = |slot: &mut Slot| *slot = unrolled.back[*slot as usize];
            allocated.iter_mut().for_each(|s| s.args.iter_mut().for_each(back));
            allocated.iter_mut().for_each(|s| s.results.iter_mut().for_each(back));
            *body = allocated;
            spilled
        }
    }
}

/// Three iterations of a loop with slots of their own.
struct Unrolled {
    steps: Vec<Step>,
    /// The slots of the second iteration in the body.
    back: Vec<Slot>,
}

impl Unrolled {
    fn new(body: &[Step], carried: &[Carried], moving: &[Slot], slots: usize) -> Unrolled {
        let mut names: Vec<Slot> = (0..slots as Slot).collect();
        let mut back: Vec<Slot> = (0..3 * slots as Slot).collect();
        let mut steps = Vec::with_capacity(3 * body.len());
        for iteration in 0..3 {
            let fresh = |slot: Slot| slot + iteration * slots as Slot;
            if iteration > 0 {
                let nexts: Vec<Slot> = carried.iter().map(|c| names[c.next as usize]).collect();
                for (c, next) in carried.iter().zip(nexts) {
                    names[c.inside as usize] = next;
                }
            }
            let made = body.iter().flat_map(|step| step.results.iter());
            for slot in made.chain(moving) {
                names[*slot as usize] = fresh(*slot);
            }
            if iteration == 1 {
                let inside = carried.iter().map(|c| &c.inside);
                let made = body.iter().flat_map(|step| step.results.iter());
                for slot in inside.chain(made).chain(moving) {
                    back[names[*slot as usize] as usize] = *slot;
                }
            }
            let name = |slot: &Slot| names[*slot as usize];
            steps.extend(body.iter().map(|step| Step {
                args: step.args.iter().map(name).collect(),
                results: step.results.iter().map(name).collect(),
                ..step.clone()
            }));
        }
        Unrolled { steps, back }
    }
}

struct Allocation<'a> {
    steps: Vec<Step>,
    room: &'a Room,
    /// For each step its arguments, and when they are read again.
    again: Vec<SmallVec<[Use; 3]>>,
    /// For each step its results, and when they are read first.
    first: Vec<SmallVec<[Use; 1]>>,
    file: File,
    out: Vec<Step>,
    spilled: Spilled,
    /// Values that this code has had in registers: reading them again is for want of registers.
    seen: Vec<bool>,
    /// Values that were stored for want of registers and are read again.
    waiting: Vec<bool>,
    /// How many these are.
    waiters: u64,
}

impl Allocation<'_> {
    fn new(steps: Vec<Step>, room: &Room, slots: usize) -> Allocation<'_> {
        let mut next = vec![NEVER; slots];
        let mut again = vec![SmallVec::new(); steps.len()];
        let mut first = vec![SmallVec::new(); steps.len()];
        for (at, step) in steps.iter().enumerate().rev() {
            let used = |slot: &Slot| Use { value: *slot, next: next[*slot as usize] };
            first[at] = step.results.iter().map(used).collect();
            // What a call reads is in memory.
            if !matches!(step.work, Work::Call(_)) {
                again[at] = step.args.iter().map(used).collect();
                step.args.iter().for_each(|slot| next[*slot as usize] = at as u32);
            }
        }
        Allocation {
            steps,
            room,
            again,
            first,
            file: File::new(room.registers, vec![true; slots]),
            out: Vec::new(),
            spilled: Spilled::default(),
            seen: vec![false; slots],
            waiting: vec![false; slots],
            waiters: 0,
        }
    }

    /// The steps from the wanted ones on, with all that they need.
    fn run(mut self, wanted: std::ops::Range<usize>) -> (Vec<Step>, Spilled) {
        for at in 0..self.steps.len().min(wanted.end) {
            if at == wanted.start {
                self.out.clear();
                self.spilled = Spilled { places: self.waiters, ..Spilled::default() };
            }
            let step = self.steps[at].clone();
            match step.work {
                Work::Call(_) => self.call(step),
                _ => self.place(at, step),
            }
            self.leave(at);
        }
        (self.out, self.spilled)
    }

    fn place(&mut self, at: usize, taken: Step) {
        let computes = matches!(taken.work, Work::Compute(_));
        let mut accesses = Accesses::new();
        let ends = self.file.read(at as u32, &self.again[at], computes, &mut accesses);
        self.access(&accesses);
        if self.room.destructive && computes && !ends {
            self.out.push(step(Work::Move, [], []));
        }
        accesses.clear();
        for &made in &self.first[at] {
            self.seen[made.value as usize] = true;
            self.file.make(at as u32, made, &mut accesses);
        }
        self.access(&accesses);
        self.out.push(taken);
    }

    fn access(&mut self, accesses: &[Access]) {
        for access in accesses {
            match *access {
                Access::Load { value, folded } => {
                    let seen = std::mem::replace(&mut self.seen[value as usize], true);
                    self.spilled.loads += u64::from(seen);
                    self.out.push(Step { folded, ..step(Work::Load, [value], [value]) });
                }
                Access::Store { value } => {
                    self.spilled.stores += 1;
                    self.waiters += 1;
                    self.waiting[value as usize] = true;
                    self.spilled.places = self.spilled.places.max(self.waiters);
                    self.out.push(step(Work::Store, [value], []));
                }
            }
        }
    }

    /// Frees the places of values that this step was the last to read.
    fn leave(&mut self, at: usize) {
        for read in self.again[at].iter().filter(|read| read.next == NEVER) {
            let waited = std::mem::take(&mut self.waiting[read.value as usize]);
            self.waiters -= u64::from(waited);
        }
    }

    /// A function leaves its results in memory, and uses all registers.
    fn call(&mut self, taken: Step) {
        let mut accesses = Accesses::new();
        self.file.call(&mut accesses);
        self.access(&accesses);
        taken.results.iter().for_each(|slot| self.file.is_stored(*slot));
        self.out.push(taken);
    }
}
