//! What trials of nodes gave, kept as long as nothing is changed where they looked; and where they have to look.

/// How many neighbouring places are remembered as one.
const TOGETHER: usize = 32;

/// What a trial gave, and where it looked.
#[derive(Clone, Copy)]
pub(super) struct Trial {
    /// How many complements more there are; none if it ended at its reach.
    pub change: Option<isize>,
    /// At how many nodes it looked.
    pub looked: usize,
    /// The first and the last place at which it looked.
    pub places: (usize, usize),
}

/// The last trial of each node.
pub(super) struct Trials {
    of: Vec<Option<(Trial, usize, u32)>>,
    /// How many changes there were, and which was the last one in each neighbourhood.
    changes: u32,
    changed: Vec<u32>,
}

impl Trials {
    /// None yet of so many nodes.
    pub(super) fn new(nodes: usize) -> Trials {
        let changed = vec![0; nodes / TOGETHER + 1];
        Trials { of: vec![None; nodes], changes: 0, changed }
    }

    /// What another trial with this reach would give, if that is known.
    pub(super) fn known(&self, node: u32, reach: usize) -> Option<isize> {
        let (trial, reached, changes) = self.of[node as usize]?;
        let (first, last) = trial.places;
        let around = &self.changed[first / TOGETHER..=last / TOGETHER];
        if around.iter().any(|&change| change > changes) {
            return None;
        }
        match trial.change {
            // The node itself comes on top.
            Some(change) if trial.looked <= reach + 1 => Some(change),
            None if reach > reached => None,
            _ => Some(isize::MAX),
        }
    }

    /// A trial was made, and what it changed put back.
    pub(super) fn made(&mut self, node: u32, reach: usize, trial: Trial) {
        self.of[node as usize] = Some((trial, reach, self.changes));
    }

    /// What is in these places is no longer what it was.
    pub(super) fn change(&mut self, (first, last): (usize, usize)) {
        self.changes += 1;
        self.changed[first / TOGETHER..=last / TOGETHER].fill(self.changes);
    }
}

/// Places that are to be looked at, each once.
#[derive(Default)]
pub(super) struct Places {
    bits: Vec<u64>,
    /// Behind the last one.
    end: usize,
}

impl Places {
    /// None of so many.
    pub(super) fn none_of(count: usize) -> Places {
        Places { bits: vec![0; count / 64 + 1], end: 0 }
    }

    /// One more.
    pub(super) fn insert(&mut self, place: usize) {
        self.bits[place / 64] |= 1 << (place % 64);
        self.end = self.end.max(place + 1);
    }

    /// Takes out the first one; none stands before `start`.
    pub(super) fn take_from(&mut self, start: usize) -> Option<usize> {
        let words = start / 64..self.end.div_ceil(64);
        let word = words.into_iter().find(|&word| self.bits[word] != 0)?;
        let place = word * 64 + self.bits[word].trailing_zeros() as usize;
        self.bits[word] &= self.bits[word] - 1;
        Some(place)
    }

    /// Takes out all; none stands before `start`.
    pub(super) fn clear_from(&mut self, start: usize) {
        let words = start / 64..self.end.div_ceil(64).max(start / 64);
        self.bits[words].fill(0);
        self.end = 0;
    }
}
