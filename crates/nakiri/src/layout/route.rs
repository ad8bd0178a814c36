//! The way from one arrangement of a batch to another.
//!
//! The bits of a batch are numbered by *coordinates*: the address bits of the bit in its chunk and the bits of the
//! block's number. An [`Arrangement`] says which coordinate each bit of the position in a register and each bit of
//! the register's number stands for. Every shuffle of whole registers permutes these; [`route`] finds a short
//! sequence of shuffles from one arrangement to another.

use super::network::Machine;
use super::search::{Action, Label, Node, Search, BYTE, SLOTS};

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
    /// Exchanges the three positions in a byte with the three above them, which are complemented.
    Transpose,
    /// Permutes the positions above the byte with a bit of the register's number, which is the last of them: the new
    /// position `3 + i` is the old `3 + from[i]`, complemented if `flip[i]`.
    Mix {
        /// The bit of the number.
        register: usize,
        /// Old positions.
        from: Vec<usize>,
        /// Complements.
        flip: Vec<bool>,
    },
}

impl Move {
    /// How many operations it takes for two registers of this many bits.
    fn operations(&self, bits: u32) -> u32 {
        match self {
            Move::Rename { .. } => 0,
            Move::Exchange { .. } if bits == 512 => 4,
            Move::Exchange { .. } => 6,
            Move::Swap { .. } => 12,
            Move::Flip { .. } => 10,
            Move::Bring { .. } | Move::Permute { .. } => 2,
            Move::Transpose | Move::Mix { .. } => 2,
        }
    }

    /// The bit of the register's number that takes part.
    pub fn register(&self) -> Option<usize> {
        match self {
            Move::Rename { register }
            | Move::Exchange { register, .. }
            | Move::Bring { register, .. }
            | Move::Mix { register, .. } => Some(*register),
            Move::Swap { .. } | Move::Permute { .. } | Move::Flip { .. } | Move::Transpose => None,
        }
    }

    /// Two moves of bytes as one, if one of them is within registers: what comes of coordinates that say where they were.
    fn and(&self, next: &Move) -> Option<Move> {
        let register = match (self, next) {
            (Move::Permute { .. }, Move::Bring { register, .. })
            | (Move::Bring { register, .. }, Move::Permute { .. }) => *register,
            _ => return None,
        };
        let outside = (BYTE + SLOTS) as Coordinate;
        let mut at = Arrangement {
            positions: (0..outside).collect(),
            registers: vec![outside; register + 1],
            flips: vec![false; usize::from(outside) + 1],
        };
        at.apply(self);
        at.apply(next);
        let places = at.positions[BYTE..].iter().chain([&at.registers[register]]);
        let (from, flip) =
            places.map(|&c| (usize::from(c) - BYTE, at.flips[usize::from(c)])).unzip();
        Some(Move::Mix { register, from, flip })
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
            Move::Transpose => {
                for position in 0..BYTE {
                    self.positions.swap(position, BYTE + position);
                    self.flips[usize::from(self.positions[position])] ^= true;
                }
            }
            Move::Mix { register, from, flip } => {
                let mut old = self.positions[BYTE..].to_vec();
                old.push(self.registers[*register]);
                for (i, (&from, &flip)) in from.iter().zip(flip).enumerate() {
                    match self.positions.get_mut(BYTE + i) {
                        Some(position) => *position = old[from],
                        None => self.registers[*register] = old[from],
                    }
                    self.flips[usize::from(old[from])] ^= flip;
                }
            }
        }
    }

    /// The arrangement of which [`Move::Transpose`] makes this one, as far as that says where anything is.
    fn before_transposition(&self) -> Arrangement {
        let mut before = self.clone();
        for position in 0..BYTE {
            before.positions.swap(position, BYTE + position);
            before.flips[usize::from(self.positions[position])] ^= true;
        }
        before
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
    let ways = match machine.simd {
        true => [
            Route::by_shuffles(machine, start, goal),
            Route::by_transposition(machine, start, goal),
        ],
        // Complements may be left to the instruction that puts the bytes in the other order.
        false => [false, true].map(|reverse| Route::by_shifts(machine, start, goal, reverse)),
    };
    let operations = |(moves, _): &(Vec<Move>, Arrangement)| {
        moves.iter().map(|step| step.operations(machine.bits)).sum::<u32>()
    };
    let (moves, at) = ways.into_iter().flatten().min_by_key(operations)?;
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
        Some(route.done())
    }

    /// Brings the coordinates that the lowest positions wait for into those above, and exchanges them there; so many of the
    /// higher positions get their coordinates before that as there is room, so that a permutation is part of a shuffle of two.
    fn by_transposition(
        machine: Machine,
        start: &Arrangement,
        goal: &Arrangement,
    ) -> Option<(Vec<Move>, Arrangement)> {
        if !machine.across || start.positions.len() != BYTE + SLOTS {
            return None;
        }
        let before = goal.before_transposition();
        let mut route = Route { machine, at: start.clone(), goal: &before, moves: Vec::new() };
        let (low, high) = before.positions[BYTE..].split_at(BYTE);
        let wanted: Vec<_> =
            low.iter().map(|&c| Some(c)).chain(high.iter().map(|_| None)).collect();
        let welcome: Vec<Coordinate> = goal.positions[BYTE..].to_vec();
        route.search(&wanted, Others::Welcome(&welcome))?;
        route.push(Move::Transpose);
        route.goal = goal;
        route.finish()?;
        Some(route.done())
    }

    /// The moves, of which neighbours are one where the machine does both at once, and where they led.
    fn done(self) -> (Vec<Move>, Arrangement) {
        let mut moves: Vec<Move> = Vec::new();
        for step in self.moves {
            let joined = moves.last().filter(|_| self.machine.across);
            match joined.and_then(|last| last.and(&step)) {
                Some(both) => *moves.last_mut().expect("a move") = both,
                // It concerns no position, and would part moves that can be one.
                None if self.machine.across && matches!(step, Move::Rename { .. }) => {
                    let within = moves.last().is_some_and(|last| last.register().is_none());
                    moves.insert(moves.len() - usize::from(within), step);
                }
                None => moves.push(step),
            }
        }
        (moves, self.at)
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
        let others = if strict { Others::Out(&waiting) } else { Others::Near(&waiting) };
        self.search(&wanted, others)
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
        self.search(&wanted, Others::Out(&[]))
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

    /// Finds the fewest shuffles of bytes after which the positions above the byte hold what is `wanted`, and the others are
    /// where they must.
    fn search(&mut self, wanted: &[Option<Coordinate>], others: Others) -> Option<()> {
        let mut labels = vec![Label::OTHER; self.at.flips.len()];
        if let Others::Welcome(welcome) = others {
            welcome.iter().for_each(|&c| labels[usize::from(c)] = Label::WELCOME);
        }
        for (slot, coordinate) in wanted.iter().enumerate() {
            if let Some(coordinate) = coordinate {
                labels[usize::from(*coordinate)] = Label(slot as u8);
            }
        }
        let (strict, evicted) = match others {
            Others::Out(evicted) => (true, evicted),
            Others::Near(evicted) => (false, evicted),
            Others::Welcome(_) => (true, &[][..]),
        };
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
        let movable = self.at.positions[BYTE..].iter().chain(&self.at.registers);
        let welcome = movable.filter(|&&c| labels[usize::from(c)] == Label::WELCOME).count();
        let room = wanted.iter().filter(|slot| slot.is_none()).count();
        let search = Search {
            machine: self.machine,
            wanted: wanted.iter().map(Option::is_some).collect(),
            outside: self.at.registers.iter().map(|&c| labels[usize::from(c)]).collect(),
            welcome: welcome.min(room),
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

/// What a search does with coordinates that aren't wanted in a position.
#[derive(Clone, Copy)]
enum Others<'a> {
    /// These must go to the register's number.
    Out(&'a [Coordinate]),
    /// These must go to the register's number, or to a position that a swap reaches.
    Near(&'a [Coordinate]),
    /// As many of these as there is room for must be in the positions.
    Welcome(&'a [Coordinate]),
}
