//! The way from one arrangement of a batch to another.
//!
//! The bits of a batch are numbered by *coordinates*: the address bits of the bit in its chunk and the bits of the
//! block's number. An [`Arrangement`] says which coordinate each bit of the position in a register and each bit of
//! the register's number stands for. Every shuffle of whole registers permutes these; [`route`] finds a short
//! sequence of shuffles from one arrangement to another.

use super::network::Machine;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A coordinate of the bits of a batch.
pub type Coordinate = u8;

/// Where the coordinates are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrangement {
    /// The coordinate that each bit of the position in a register stands for, lowest first.
    pub positions: Vec<Coordinate>,
    /// The coordinate that each bit of the register's number stands for.
    pub registers: Vec<Coordinate>,
    /// For each coordinate, whether it is complemented.
    pub flips: Vec<bool>,
}

/// A shuffle of all registers; `register` is the bit of the register's number that takes part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    /// Complements a bit of the register's number; costs nothing.
    Rename {
        /// Which bit.
        register: usize,
    },
    /// Exchanges a bit of the register's number with a bit of the position, at most the sixth.
    Exchange {
        /// The bit of the number.
        register: usize,
        /// The bit of the position.
        position: usize,
    },
    /// Exchanges two bits of the position, at most the sixth.
    Swap {
        /// The lower one.
        low: usize,
        /// The higher one.
        high: usize,
    },
    /// Moves a bit of the register's number to the first position of a cycle, each position to the next one, and
    /// the last one to the register's number.
    Bring {
        /// The bit of the number.
        register: usize,
        /// The positions.
        cycle: &'static [usize],
    },
    /// Permutes the positions from `first` on: the new position `first + i` is the old `from[i]`, complemented if
    /// `flip[i]`.
    Permute {
        /// The lowest position.
        first: usize,
        /// Old positions.
        from: Vec<usize>,
        /// Complements.
        flip: Vec<bool>,
    },
    /// Complements a bit of the position, at most the sixth.
    Flip {
        /// Which bit.
        position: usize,
    },
}

/// The first position above those in a byte.
const BYTE: usize = 3;
/// The first position above those in a 128-bit segment.
const SEGMENT: usize = 7;

/// The cycles that shuffles of two registers offer, with the register sizes that have them: unpacking elements of
/// 8 to 64 bits, and the shuffles of 128-bit segments.
const CYCLES: [(&[usize], &[u32]); 7] = [
    (&[3, 4, 5, 6], &[128, 256, 512]),
    (&[4, 5, 6], &[128, 256, 512]),
    (&[5, 6], &[128, 256, 512]),
    (&[6], &[128, 256, 512]),
    (&[7], &[256]),
    (&[8], &[512]),
    (&[8, 7], &[512]),
];

impl Move {
    /// How many operations it takes for two general-purpose registers.
    fn operations(&self) -> u32 {
        match self {
            Move::Rename { .. } => 0,
            Move::Exchange { .. } => 6,
            Move::Swap { .. } => 12,
            Move::Flip { .. } => 10,
            Move::Bring { .. } | Move::Permute { .. } => 2,
        }
    }

    /// The bit of the register's number that takes part.
    pub fn register(&self) -> Option<usize> {
        match self {
            Move::Rename { register }
            | Move::Exchange { register, .. }
            | Move::Bring { register, .. } => Some(*register),
            Move::Swap { .. } | Move::Permute { .. } | Move::Flip { .. } => None,
        }
    }
}

impl Arrangement {
    fn register_of(&self, coordinate: Coordinate) -> Option<usize> {
        self.registers.iter().position(|&c| c == coordinate)
    }

    fn position_of(&self, coordinate: Coordinate) -> Option<usize> {
        self.positions.iter().position(|&c| c == coordinate)
    }

    fn apply(&mut self, step: &Move) {
        match step {
            Move::Rename { register } => {
                let coordinate = self.registers[*register];
                self.flips[usize::from(coordinate)] ^= true;
            }
            Move::Exchange { register, position } => {
                std::mem::swap(&mut self.registers[*register], &mut self.positions[*position]);
            }
            Move::Swap { low, high } => self.positions.swap(*low, *high),
            Move::Bring { register, cycle } => {
                for &position in *cycle {
                    std::mem::swap(&mut self.registers[*register], &mut self.positions[position]);
                }
            }
            Move::Permute { first, from, flip } => {
                let old = self.positions.clone();
                for (i, (&from, &flip)) in from.iter().zip(flip).enumerate() {
                    self.positions[first + i] = old[from];
                    self.flips[usize::from(old[from])] ^= flip;
                }
            }
            Move::Flip { position } => {
                self.flips[usize::from(self.positions[*position])] ^= true;
            }
        }
    }
}

/// A route under construction.
struct Route<'a> {
    machine: Machine,
    at: Arrangement,
    goal: &'a Arrangement,
    moves: Vec<Move>,
}

/// Finds moves from `start` to an arrangement whose positions, with their complements, are those of `goal`; the
/// order and complements of the register bits are whatever comes out. Returns the moves and the arrangement
/// reached. `None` if the target's shuffles don't get there.
pub fn route(
    machine: Machine,
    start: &Arrangement,
    goal: &Arrangement,
) -> Option<(Vec<Move>, Arrangement)> {
    let (moves, at) = match machine.simd {
        true => Route::by_shuffles(machine, start, goal)?,
        false => {
            // Complements may be left to the instruction that puts the bytes in the other order.
            let ways = [false, true].map(|reverse| Route::by_shifts(machine, start, goal, reverse));
            let operations = |(moves, _): &(Vec<Move>, Arrangement)| {
                moves.iter().map(Move::operations).sum::<u32>()
            };
            ways.into_iter().flatten().min_by_key(operations)?
        }
    };
    let flipped = |&c: &Coordinate| at.flips[usize::from(c)] != goal.flips[usize::from(c)];
    let arrived = at.positions == goal.positions && !at.positions.iter().any(flipped);
    arrived.then_some((moves, at))
}

/// The arrangement with the bytes of each register in the other order.
fn reversed(arrangement: &Arrangement) -> Arrangement {
    let mut reversed = arrangement.clone();
    for &coordinate in arrangement.positions.iter().skip(BYTE) {
        reversed.flips[usize::from(coordinate)] ^= true;
    }
    reversed
}

impl Route<'_> {
    fn by_shuffles(
        machine: Machine,
        start: &Arrangement,
        goal: &Arrangement,
    ) -> Option<(Vec<Move>, Arrangement)> {
        let mut route = Route { machine, at: start.clone(), goal, moves: Vec::new() };
        route.make_room(BYTE)?;
        route.settle(BYTE)?;
        route.finish()?;
        Some((route.moves, route.at))
    }

    fn by_shifts(
        machine: Machine,
        start: &Arrangement,
        goal: &Arrangement,
        reverse: bool,
    ) -> Option<(Vec<Move>, Arrangement)> {
        let goal = if reverse { &reversed(goal) } else { goal };
        let mut route = Route { machine, at: start.clone(), goal, moves: Vec::new() };
        route.settle(goal.positions.len())?;
        route.straighten();
        if reverse {
            route.reverse_bytes();
        }
        Some((route.moves, route.at))
    }

    fn push(&mut self, step: Move) {
        self.at.apply(&step);
        self.moves.push(step);
    }

    /// The low positions that don't hold their final coordinate.
    fn unsettled(&self, low: usize) -> Vec<usize> {
        (0..low).filter(|&j| self.at.positions[j] != self.goal.positions[j]).collect()
    }

    fn flipped(&self, coordinate: Coordinate) -> bool {
        let coordinate = usize::from(coordinate);
        self.at.flips[coordinate] != self.goal.flips[coordinate]
    }

    /// Brings the coordinates that the low positions wait for out of the higher positions, as far as there are
    /// registers for them, and the final ones into the higher positions.
    fn make_room(&mut self, low: usize) -> Option<()> {
        let waiting: Vec<Coordinate> =
            self.unsettled(low).into_iter().map(|j| self.goal.positions[j]).collect();
        if waiting.iter().all(|&c| self.at.register_of(c).is_some()) {
            return Some(());
        }
        let busy = &self.at.positions[..low];
        let slots = self.goal.positions[low..].iter();
        let wanted: Vec<_> = slots.map(|c| (!busy.contains(c)).then_some(*c)).collect();
        let strict = waiting.len() <= self.at.registers.len();
        self.search(&wanted, &waiting, strict)
    }

    /// Puts the final coordinates into the low positions.
    fn settle(&mut self, low: usize) -> Option<()> {
        while let Some(position) = self.next_unsettled(low) {
            let coordinate = self.goal.positions[position];
            if let Some(register) = self.at.register_of(coordinate) {
                if self.flipped(coordinate) {
                    self.push(Move::Rename { register });
                }
                self.push(Move::Exchange { register, position });
            } else {
                let other = self.at.position_of(coordinate)?;
                let (low, high) = (position.min(other), position.max(other));
                if high > 5 {
                    return None;
                }
                self.push(Move::Swap { low, high });
            }
        }
        Some(())
    }

    /// An unsettled position, if possible one whose coordinate is in the register's number.
    fn next_unsettled(&self, low: usize) -> Option<usize> {
        let unsettled = self.unsettled(low);
        let near = |j: &&usize| self.at.register_of(self.goal.positions[**j]).is_some();
        unsettled.iter().find(near).or(unsettled.first()).copied()
    }

    /// Puts the final coordinates into the positions above the byte.
    fn finish(&mut self) -> Option<()> {
        let wanted: Vec<_> = self.goal.positions[BYTE..].iter().map(|&c| Some(c)).collect();
        self.search(&wanted, &[], true)
    }

    /// Complements the positions of a general-purpose register that are not as they must be.
    fn straighten(&mut self) {
        for position in 0..self.at.positions.len() {
            if self.flipped(self.at.positions[position]) {
                self.push(Move::Flip { position });
            }
        }
    }

    /// Puts the bytes of a general-purpose register in the other order.
    fn reverse_bytes(&mut self) {
        let from: Vec<usize> = (BYTE..self.at.positions.len()).collect();
        let flip = vec![true; from.len()];
        self.push(Move::Permute { first: BYTE, from, flip });
    }

    /// Finds the fewest shuffles of bytes after which the positions above the byte hold what is `wanted` and none of
    /// them holds a coordinate of `evicted` (unless it is not `strict` and the position is one that a swap reaches).
    fn search(
        &mut self,
        wanted: &[Option<Coordinate>],
        evicted: &[Coordinate],
        strict: bool,
    ) -> Option<()> {
        let mut labels = vec![Label::OTHER; self.at.flips.len()];
        for (slot, coordinate) in wanted.iter().enumerate() {
            if let Some(coordinate) = coordinate {
                labels[usize::from(*coordinate)] = Label(slot as u8);
            }
        }
        for (i, &coordinate) in evicted.iter().enumerate() {
            labels[usize::from(coordinate)] = Label(Label::EVICTED + i as u8);
        }
        let mut start = Node { slots: [Label::OTHER; SLOTS], flipped: [false; SLOTS] };
        for (slot, coordinate) in self.at.positions[BYTE..].iter().enumerate() {
            start.slots[slot] = labels[usize::from(*coordinate)];
            let matters =
                wanted.contains(&Some(*coordinate)) || !strict && evicted.contains(coordinate);
            start.flipped[slot] = matters && self.flipped(*coordinate);
        }
        let search = Search {
            bits: self.machine.bits,
            wanted: wanted.iter().map(Option::is_some).collect(),
            outside: self.at.registers.iter().map(|&c| labels[usize::from(c)]).collect(),
            strict,
        };
        for action in search.run(start)? {
            self.perform(action, &labels)?;
        }
        Some(())
    }

    /// Does what the search found, with the coordinates in place of their labels.
    fn perform(&mut self, action: Action, labels: &[Label]) -> Option<()> {
        match action {
            Action::Bring { label, cycle } => {
                let is = |c: &Coordinate| labels[usize::from(*c)] == label;
                let register = self.at.registers.iter().position(is)?;
                let coordinate = self.at.registers[register];
                if self.flipped(coordinate) {
                    self.push(Move::Rename { register });
                }
                self.push(Move::Bring { register, cycle });
            }
            Action::Permute { first, from } => {
                let flip = from.iter().map(|&from| self.flipped(self.at.positions[from])).collect();
                self.push(Move::Permute { first, from, flip });
            }
        }
        Some(())
    }
}

/// What the search knows of a coordinate: the slot (position above the byte) that wants it, or that it has to get
/// out, or neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Label(u8);

impl Label {
    const EVICTED: u8 = 100;
    const LAST_EVICTED: u8 = 254;
    const OTHER: Label = Label(255);
}

/// A node of the search: the labels in the slots, and whether they are complemented.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Node {
    slots: [Label; SLOTS],
    flipped: [bool; SLOTS],
}

/// The most positions above the byte that a register has.
const SLOTS: usize = 6;

/// An edge of the search.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Action {
    Bring { label: Label, cycle: &'static [usize] },
    Permute { first: usize, from: Vec<usize> },
}

/// A search for a shortest path (A*).
struct Search {
    bits: u32,
    wanted: Vec<bool>,
    /// The labels in the register's number at the start.
    outside: Vec<Label>,
    strict: bool,
}

/// For each node reached, the cost and the last edge.
type Came = FxHashMap<Node, (u32, Option<(Node, Action)>)>;

impl Search {
    /// Gives up after this many nodes; the routes of usual ports take some hundreds.
    const LIMIT: usize = 200_000;

    fn run(&self, start: Node) -> Option<Vec<Action>> {
        let mut came = Came::default();
        let mut queue = BinaryHeap::new();
        let (all, permutes) = (self.labels(&start), self.permutes());
        came.insert(start, (0, None));
        queue.push(Reverse((self.distance(&start), self.distance(&start), start)));
        while let Some(Reverse((estimate, distance, node))) = queue.pop() {
            let cost = came[&node].0;
            if estimate > cost + distance {
                continue;
            }
            if self.reached(&node) {
                return Some(path(&came, node));
            }
            if came.len() > Self::LIMIT {
                return None;
            }
            for action in self.brings(&node, &all).iter().chain(&permutes) {
                let next = act(&node, action);
                if came.get(&next).is_none_or(|(known, _)| cost + 1 < *known) {
                    came.insert(next, (cost + 1, Some((node, action.clone()))));
                    let distance = self.distance(&next);
                    queue.push(Reverse((cost + 1 + distance, distance, next)));
                }
            }
        }
        None
    }

    /// All labels, those of the slots and those outside.
    fn labels(&self, start: &Node) -> Vec<Label> {
        let slots = &start.slots[..self.wanted.len()];
        let mut all: Vec<Label> = slots.iter().chain(&self.outside).copied().collect();
        all.sort();
        all
    }

    fn reached(&self, node: &Node) -> bool {
        let fits = |slot: usize| match node.slots[slot].0 {
            Label::EVICTED..=Label::LAST_EVICTED => !self.strict && slot < 3,
            label => !self.wanted[slot] || usize::from(label) == slot,
        };
        !node.flipped.contains(&true) && (0..self.wanted.len()).all(fits)
    }

    /// A lower bound of the number of shuffles left: each brings in one coordinate.
    fn distance(&self, node: &Node) -> u32 {
        let here = node.slots.iter().filter(|label| label.0 < Label::EVICTED).count();
        let missing = self.wanted.iter().filter(|&&wanted| wanted).count() - here;
        (missing as u32).max(u32::from(!self.reached(node)))
    }

    /// The ways to bring a coordinate in.
    fn brings(&self, node: &Node, all: &[Label]) -> Vec<Action> {
        let mut outside = all.to_vec();
        for label in &node.slots[..self.wanted.len()] {
            if let Some(at) = outside.iter().position(|other| other == label) {
                outside.remove(at);
            }
        }
        outside.dedup();
        let partial = self.wanted.contains(&false);
        outside.retain(|label| match label.0 {
            Label::EVICTED..=Label::LAST_EVICTED => !self.strict,
            _ => partial || *label != Label::OTHER,
        });
        let cycles = CYCLES.iter().filter(|(_, sizes)| sizes.contains(&self.bits));
        let actions = |&(cycle, _): &(&'static [usize], _)| {
            outside.iter().map(move |&label| Action::Bring { label, cycle })
        };
        cycles.flat_map(actions).collect()
    }

    /// The permutations of positions.
    fn permutes(&self) -> Vec<Action> {
        let ranges = [(BYTE, SEGMENT), (SEGMENT - 1, BYTE + self.wanted.len())];
        let mut actions = Vec::new();
        for (first, end) in ranges.into_iter().filter(|(first, end)| end - first > 1) {
            let all = permutations(&(first..end).collect::<Vec<_>>());
            actions.extend(all.into_iter().map(|from| Action::Permute { first, from }));
        }
        actions
    }
}

fn act(node: &Node, action: &Action) -> Node {
    let mut next = *node;
    match action {
        Action::Bring { label, cycle } => {
            let mut moving = (*label, false);
            for slot in cycle.iter().map(|position| position - BYTE) {
                let old = (next.slots[slot], next.flipped[slot]);
                (next.slots[slot], next.flipped[slot]) = moving;
                moving = old;
            }
        }
        Action::Permute { first, from } => {
            for (i, from) in from.iter().enumerate() {
                next.slots[first + i - BYTE] = node.slots[from - BYTE];
                next.flipped[first + i - BYTE] = false;
            }
        }
    }
    next
}

fn path(came: &Came, mut node: Node) -> Vec<Action> {
    let mut actions = Vec::new();
    while let Some((_, Some((previous, action)))) = came.get(&node) {
        actions.push(action.clone());
        node = *previous;
    }
    actions.reverse();
    actions
}

/// All orders of a few items, the given one first.
fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (i, item) in items.iter().enumerate() {
        let rest: Vec<usize> = [&items[..i], &items[i + 1..]].concat();
        all.extend(permutations(&rest).into_iter().map(|tail| [&[*item], &tail[..]].concat()));
    }
    all
}
