//! Gives out registers: a value that finds none takes that of the one whose next use is furthest (L. A. Belady, A study of
//! replacement algorithms for a virtual-storage computer, 1966). C compilers do worse, so that these are the fewest
//! spills to be expected of an order.

use super::lower::{step, Carried, Node, Slot, Step, Work};
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
}

/// No use any more.
const NEVER: u32 = u32::MAX;

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

/// A value in a register, and the step that reads it next.
#[derive(Clone, Copy)]
struct Resident {
    slot: Slot,
    next: u32,
}

struct Allocation<'a> {
    steps: Vec<Step>,
    room: &'a Room,
    /// For each step when its arguments are read again.
    again: Vec<SmallVec<[u32; 3]>>,
    /// For each step when its results are read first.
    first: Vec<SmallVec<[u32; 1]>>,
    resident: Vec<Resident>,
    /// Whether memory holds the value.
    stored: Vec<bool>,
    out: Vec<Step>,
    spilled: Spilled,
    /// Values that this code has had in registers: reading them again is for want of registers.
    seen: Vec<bool>,
}

impl Allocation<'_> {
    fn new(steps: Vec<Step>, room: &Room, slots: usize) -> Allocation<'_> {
        let mut next = vec![NEVER; slots];
        let mut again = vec![SmallVec::new(); steps.len()];
        let mut first = vec![SmallVec::new(); steps.len()];
        for (at, step) in steps.iter().enumerate().rev() {
            first[at] = step.results.iter().map(|slot| next[*slot as usize]).collect();
            again[at] = step.args.iter().map(|slot| next[*slot as usize]).collect();
            step.args.iter().for_each(|slot| next[*slot as usize] = at as u32);
        }
        Allocation {
            steps,
            room,
            again,
            first,
            resident: Vec::with_capacity(room.registers + 3),
            stored: vec![true; slots],
            out: Vec::new(),
            spilled: Spilled::default(),
            seen: vec![false; slots],
        }
    }

    /// The steps from the wanted ones on, with all that they need.
    fn run(mut self, wanted: std::ops::Range<usize>) -> (Vec<Step>, Spilled) {
        for at in 0..self.steps.len().min(wanted.end) {
            if at == wanted.start {
                self.out.clear();
                self.spilled = Spilled::default();
            }
            let step = self.steps[at].clone();
            match step.work {
                Work::Call(_) => self.call(at, step),
                _ => self.place(at, step),
            }
        }
        (self.out, self.spilled)
    }

    fn place(&mut self, at: usize, taken: Step) {
        let mut ends = false;
        let mut folded = false;
        for (k, slot) in taken.args.iter().enumerate() {
            let next = self.again[at][k];
            match self.resident.iter().position(|r| r.slot == *slot) {
                Some(place) if next == NEVER => {
                    self.resident.swap_remove(place);
                    ends = true;
                }
                Some(place) => self.resident[place].next = next,
                None => {
                    let folds = next == NEVER && !folded && matches!(taken.work, Work::Compute(_));
                    folded |= folds;
                    ends |= next == NEVER && !folds;
                    self.load(*slot, folds);
                    if next != NEVER {
                        self.make_room(&taken.args);
                        self.resident.push(Resident { slot: *slot, next });
                    }
                }
            }
        }
        let destroys = self.room.destructive && matches!(taken.work, Work::Compute(_));
        if destroys && !ends {
            self.out.push(step(Work::Move, [], []));
        }
        for (slot, next) in taken.results.iter().zip(self.first[at].clone()) {
            self.stored[*slot as usize] = false;
            self.seen[*slot as usize] = true;
            if next != NEVER {
                self.make_room(&[]);
                self.resident.push(Resident { slot: *slot, next });
            }
        }
        self.out.push(taken);
    }

    fn load(&mut self, slot: Slot, folded: bool) {
        self.spilled.loads += u64::from(self.seen[slot as usize]);
        self.seen[slot as usize] = true;
        self.out.push(Step { folded, ..step(Work::Load, [slot], [slot]) });
    }

    /// Takes a register from the value whose next use is furthest, none of those that are read now.
    fn make_room(&mut self, reads: &[Slot]) {
        if self.resident.len() < self.room.registers {
            return;
        }
        let candidates = self.resident.iter().enumerate().filter(|(_, r)| !reads.contains(&r.slot));
        let furthest = candidates.max_by_key(|(_, r)| (r.next, r.slot)).map(|(place, _)| place);
        let Some(place) = furthest else { return };
        let slot = self.resident.swap_remove(place).slot;
        self.save(slot);
    }

    /// Stores a value unless memory has it.
    fn save(&mut self, slot: Slot) {
        if !self.stored[slot as usize] {
            self.stored[slot as usize] = true;
            self.spilled.stores += 1;
            self.out.push(step(Work::Store, [slot], []));
        }
    }

    /// A function takes its arguments in memory, leaves its results there, and uses all registers.
    fn call(&mut self, at: usize, taken: Step) {
        for (k, slot) in taken.args.iter().enumerate() {
            let place = self.resident.iter().position(|r| r.slot == *slot);
            if place.is_none() {
                self.out.push(step(Work::Load, [*slot], [*slot]));
            }
            self.out.push(step(Work::Store, [*slot], []));
            match place {
                Some(place) if self.again[at][k] == NEVER => {
                    self.resident.swap_remove(place);
                }
                _ => {}
            }
        }
        let resident = std::mem::take(&mut self.resident);
        resident.iter().for_each(|r| self.save(r.slot));
        for slot in &taken.results {
            self.stored[*slot as usize] = true;
        }
        self.out.push(taken);
    }
}
