//! The search for a short sequence of shuffles of bytes, which [`route`](super::route) makes moves of.

use super::network::Machine;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The first position above those in a byte.
pub const BYTE: usize = 3;
/// The first position above those in a 128-bit segment.
const SEGMENT: usize = 7;
/// The most positions above the byte that a register has.
pub const SLOTS: usize = 6;

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

/// What the search knows of a coordinate: the slot (position above the byte) that wants it, or one of the constants here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(pub u8);

impl Label {
    /// The first of those that have to get out.
    pub const EVICTED: u8 = 100;
    const LAST_EVICTED: u8 = 254;
    /// It may fill a position that nothing else wants.
    pub const WELCOME: Label = Label(99);
    /// It may be anywhere.
    pub const OTHER: Label = Label(255);
}

/// A node of the search: the labels in the slots, and whether they are complemented.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node {
    /// By slot.
    pub slots: [Label; SLOTS],
    /// By slot.
    pub flipped: [bool; SLOTS],
}

/// An edge of the search.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// [`Move::Bring`](super::route::Move::Bring) of a coordinate with this label.
    Bring { label: Label, cycle: &'static [usize] },
    /// [`Move::Permute`](super::route::Move::Permute), with the complements that are due.
    Permute { first: usize, from: Vec<usize> },
}

/// A search for a shortest path (A*).
pub struct Search {
    /// The machine.
    pub machine: Machine,
    /// Which slots want a coordinate.
    pub wanted: Vec<bool>,
    /// The labels in the register's number at the start.
    pub outside: Vec<Label>,
    /// How many coordinates that are welcome must be in slots.
    pub welcome: usize,
    /// Whether no slot may hold a coordinate that has to get out; else those may that a swap reaches.
    pub strict: bool,
}

/// For each node reached, the cost and the last edge.
type Came = FxHashMap<Node, (u32, Option<(Node, Action)>)>;

impl Search {
    /// Gives up after this many nodes; the routes of usual ports take some hundreds.
    const LIMIT: usize = 200_000;

    /// The actions that lead to what is wanted.
    pub fn run(&self, start: Node) -> Option<Vec<Action>> {
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
            let (brings, direct) = (self.brings(&node, &all), self.direct(&node));
            for action in brings.iter().chain(&permutes).chain(&direct) {
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
        let settled = !node.flipped.contains(&true) && (0..self.wanted.len()).all(fits);
        settled && self.unwelcome(node) == 0
    }

    /// How many more of the coordinates that are welcome must come in.
    fn unwelcome(&self, node: &Node) -> usize {
        let here = node.slots.iter().filter(|label| **label == Label::WELCOME).count();
        self.welcome.saturating_sub(here)
    }

    /// A lower bound of the number of shuffles left: each brings in one coordinate.
    fn distance(&self, node: &Node) -> u32 {
        let here = node.slots.iter().filter(|label| **label < Label::WELCOME).count();
        let wanted = self.wanted.iter().filter(|&&wanted| wanted).count();
        let missing = wanted - here + self.unwelcome(node);
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
        let cycles = CYCLES.iter().filter(|(_, sizes)| sizes.contains(&self.machine.bits));
        let actions = |&(cycle, _): &(&'static [usize], _)| {
            outside.iter().map(move |&label| Action::Bring { label, cycle })
        };
        cycles.flat_map(actions).collect()
    }

    /// The permutation of all slots that puts what is here where it is wanted, if the machine has any.
    fn direct(&self, node: &Node) -> Option<Action> {
        if !self.machine.across {
            return None;
        }
        let slots = 0..self.wanted.len();
        let is_wanted =
            |slot: &usize| self.wanted.get(usize::from(node.slots[*slot].0)) == Some(&true);
        let mut rest = slots.clone().filter(|slot| !is_wanted(slot));
        let source = |to: usize| {
            let from = slots.clone().find(|from| usize::from(node.slots[*from].0) == to);
            from.filter(is_wanted)
        };
        let sources: Vec<Option<usize>> = slots.clone().map(source).collect();
        let from = sources.into_iter().map(|from| Some(BYTE + from.or_else(|| rest.next())?));
        Some(Action::Permute { first: BYTE, from: from.collect::<Option<_>>()? })
    }

    /// The permutations of positions in a segment, and of words of 64 bits.
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
