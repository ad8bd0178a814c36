//! From a sequence of moves to the passes of a network: which registers a pass works on at once, which of the rest
//! is a loop, and where everything is read and written.

use super::network::{Array, Local, Network, Pass, Place, Step, Way};
use super::route::{Arrangement, Move};
use super::synthesis::{Chunk, Port};

/// Where the register side of a network is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The port's registers.
    Registers,
    /// Words from which (or to which) they are recombined.
    Words,
}

/// A chunk of all blocks with the moves that transpose it.
pub struct Batch<'a> {
    /// Which part of the blocks.
    pub chunk: &'a Chunk,
    /// The arrangement before the moves.
    pub start: &'a Arrangement,
    /// The arrangement after them.
    pub end: &'a Arrangement,
    /// The moves.
    pub moves: &'a [Move],
}

/// Builds a network chunk by chunk.
pub struct Builder<'a> {
    port: &'a Port,
    way: Way,
    side: Side,
    network: Network,
}

/// Where the values of a pass are read from or written to, by the register's number.
enum End {
    Memory { chunk: Chunk, arrangement: Arrangement },
    Array { array: Array, index: Vec<Option<u32>> },
}

impl<'a> Builder<'a> {
    /// A builder of an empty network.
    pub fn new(port: &'a Port, way: Way, side: Side) -> Builder<'a> {
        let network = Network {
            way,
            adds: false,
            bits: port.register_bits(),
            registers: port.registers(),
            bytes: port.bits.len() / 8 * port.lanes() as usize,
            scratch: 0,
            words: if side == Side::Words { port.count } else { 0 },
            low: 0,
            passes: Vec::new(),
        };
        Builder { port, way, side, network }
    }

    /// The network.
    pub fn finish(self) -> Network {
        self.network
    }

    /// Adds the passes of a chunk.
    pub fn chunk(&mut self, batch: &Batch) {
        let groups = self.groups(batch.moves);
        let (memory, registers) = match self.way {
            Way::Load => (batch.start, batch.end),
            Way::Store => (batch.end, batch.start),
        };
        let index = self.index(batch.chunk, registers);
        let array = if self.side == Side::Words { Array::Words } else { Array::Registers };
        let between = self.between(array, &index, groups.len());
        for (i, moves) in groups.iter().enumerate() {
            let memory = || End::Memory { chunk: batch.chunk.clone(), arrangement: memory.clone() };
            let registers = || End::Array { array, index: index.clone() };
            let (first, last) = (i == 0, i == groups.len() - 1);
            let source = match self.way {
                Way::Load if first => memory(),
                Way::Store if first => registers(),
                _ => between.clone_array(),
            };
            let sink = match self.way {
                Way::Load if last => registers(),
                Way::Store if last => memory(),
                _ => between.clone_array(),
            };
            self.pass(registers_of(moves), moves, &source, &sink, batch.start.registers.len());
        }
    }

    /// Cuts the moves into groups that work on few enough registers to be kept in the machine's.
    fn groups<'m>(&self, moves: &'m [Move]) -> Vec<&'m [Move]> {
        let most = if self.port.machine.simd { 4 } else { 3 };
        let (mut groups, mut start) = (Vec::new(), 0);
        for end in 1..=moves.len() {
            if registers_of(&moves[start..end]).len() > most {
                groups.push(&moves[start..end - 1]);
                start = end - 1;
            }
        }
        groups.push(&moves[start..]);
        groups
    }

    /// The register in which each value ends (or starts), `None` for padding.
    fn index(&self, chunk: &Chunk, arrangement: &Arrangement) -> Vec<Option<u32>> {
        let register = |value: usize| {
            let mut bit = chunk.offset * 8;
            for (i, &coordinate) in arrangement.registers.iter().enumerate() {
                if (value >> i & 1 != 0) != arrangement.flips[usize::from(coordinate)] {
                    bit += 1 << coordinate;
                }
            }
            self.port.bits[bit].and_then(|bit| self.port.register(bit))
        };
        (0..1 << arrangement.registers.len()).map(register).collect()
    }

    /// Where values stay between passes: in their final register if that is regular, else in scratch room.
    fn between(&mut self, array: Array, index: &[Option<u32>], passes: usize) -> End {
        let regular = (0..index.len().ilog2()).all(|bit| stride(index, bit as usize).is_some());
        if self.way == Way::Load && regular && index.iter().all(Option::is_some) {
            return End::Array { array, index: index.to_vec() };
        }
        if passes > 1 {
            self.network.scratch = self.network.scratch.max(index.len() as u32);
        }
        let index = (0..index.len() as u32).map(Some).collect();
        End::Array { array: Array::Scratch, index }
    }

    /// Adds a pass: the `active` bits of a register's number are worked on in the body; of the others those with
    /// regular places become loops, and the body is repeated for the rest.
    fn pass(
        &mut self,
        active: Vec<usize>,
        moves: &[Move],
        source: &End,
        sink: &End,
        register_bits: usize,
    ) {
        let idle: Vec<usize> = (0..register_bits).filter(|bit| !active.contains(bit)).collect();
        let regular = |bit: &usize| source.stride(*bit).is_some() && sink.stride(*bit).is_some();
        let (loops, copies): (Vec<usize>, Vec<usize>) = idle.into_iter().partition(regular);
        for copy in 0..1 << copies.len() {
            let base = spread(copy, &copies);
            let mut body = Body {
                steps: Vec::new(),
                locals: 0,
                bits: self.network.bits,
                loops: &loops,
                values: Vec::new(),
            };
            for value in 0..1 << active.len() {
                body.read(source, base | spread(value, &active));
            }
            moves.iter().for_each(|step| body.step(step, &active));
            for value in 0..1 << active.len() {
                body.write(sink, base | spread(value, &active), body.values[value]);
            }
            let mut pass =
                Pass { loops: vec![2; loops.len()], locals: body.locals, steps: body.steps };
            pass.prune();
            merge_loops(&mut pass);
            self.network.passes.push(pass);
        }
    }
}

/// The bits of the register's number that moves work on.
fn registers_of(moves: &[Move]) -> Vec<usize> {
    let mut registers: Vec<usize> = moves.iter().filter_map(Move::register).collect();
    registers.sort_unstable();
    registers.dedup();
    registers
}

/// Puts the bits of a number to the given places.
fn spread(number: usize, places: &[usize]) -> usize {
    places.iter().enumerate().map(|(i, place)| (number >> i & 1) << place).sum()
}

/// How far apart the entries are that a bit of the index tells apart, if it is the same everywhere.
fn stride(index: &[Option<u32>], bit: usize) -> Option<i32> {
    let difference = |low: usize| match (index[low], index[low | 1 << bit]) {
        (Some(low), Some(high)) => Some(high as i32 - low as i32),
        _ => None,
    };
    let mut lows = (0..index.len()).filter(|low| low >> bit & 1 == 0);
    let first = difference(lows.next()?)?;
    lows.all(|low| difference(low) == Some(first)).then_some(first)
}

impl End {
    fn clone_array(&self) -> End {
        match self {
            End::Memory { chunk, arrangement } => {
                End::Memory { chunk: chunk.clone(), arrangement: arrangement.clone() }
            }
            End::Array { array, index } => End::Array { array: *array, index: index.clone() },
        }
    }

    /// How far a bit of the register's number moves the place.
    fn stride(&self, bit: usize) -> Option<i32> {
        match self {
            End::Memory { chunk, arrangement } => {
                let coordinate = arrangement.registers[bit];
                let bytes = (chunk.distance(coordinate) / 8) as i32;
                Some(if arrangement.flips[usize::from(coordinate)] { -bytes } else { bytes })
            }
            End::Array { index, .. } => stride(index, bit),
        }
    }

    /// The place of a value; `None` for padding.
    fn place(&self, value: usize, loops: &[usize]) -> Option<Place> {
        let base = match self {
            End::Memory { chunk, arrangement } => {
                let coordinates = arrangement.registers.iter().enumerate();
                let distance = |(i, &coordinate): (usize, &u8)| {
                    let one = (value >> i & 1 != 0) != arrangement.flips[usize::from(coordinate)];
                    if one {
                        chunk.distance(coordinate) / 8
                    } else {
                        0
                    }
                };
                (chunk.offset + coordinates.map(distance).sum::<usize>()) as i32
            }
            End::Array { index, .. } => index[value]? as i32,
        };
        let strides = loops.iter().map(|&bit| self.stride(bit).unwrap_or_default()).collect();
        Some(Place { base, strides })
    }
}

/// The body of a pass under construction.
struct Body<'a> {
    steps: Vec<Step>,
    locals: u32,
    bits: u32,
    loops: &'a [usize],
    /// The value of each register that is worked on.
    values: Vec<Local>,
}

impl Body<'_> {
    fn local(&mut self) -> Local {
        self.locals += 1;
        self.locals - 1
    }

    fn read(&mut self, source: &End, value: usize) {
        let to = self.local();
        self.values.push(to);
        let step = match (source.place(value, self.loops), source) {
            (None, _) => Step::Zero { to },
            (Some(at), End::Array { array, .. }) => Step::Read { to, array: *array, at },
            (Some(at), End::Memory { chunk, arrangement }) => {
                let (piece, pieces) = pieces(chunk, arrangement);
                Step::Load { to, at, piece, pieces }
            }
        };
        self.steps.push(step);
    }

    fn write(&mut self, sink: &End, value: usize, from: Local) {
        let step = match (sink.place(value, self.loops), sink) {
            (None, _) => return,
            (Some(at), End::Array { array, .. }) => Step::Write { from, array: *array, at },
            (Some(at), End::Memory { chunk, arrangement }) => {
                let (piece, pieces) = pieces(chunk, arrangement);
                Step::Store { from, at, piece, pieces }
            }
        };
        self.steps.push(step);
    }

    fn step(&mut self, step: &Move, active: &[usize]) {
        if let Some(register) = step.register() {
            let bit = active.iter().position(|&bit| bit == register).unwrap_or_default();
            for low in (0..self.values.len()).filter(|low| low >> bit & 1 == 0) {
                self.pair(step, [low, low | 1 << bit]);
            }
        } else {
            (0..self.values.len()).for_each(|value| self.single(step, value));
        }
    }

    /// A move on two registers.
    fn pair(&mut self, step: &Move, places: [usize; 2]) {
        let from = places.map(|place| self.values[place]);
        if let Move::Rename { .. } = step {
            self.values.swap(places[0], places[1]);
            return;
        }
        let to = [self.local(), self.local()];
        match step {
            Move::Exchange { position, .. } => {
                let mask = low_half(*position, self.bits);
                self.steps.push(Step::Exchange { to, from, shift: 1 << position, mask });
            }
            Move::Bring { cycle, .. } if cycle[0] < 7 => {
                for (to, high) in to.into_iter().zip([false, true]) {
                    self.steps.push(Step::Unpack { to, from, element: 1 << cycle[0], high });
                }
            }
            Move::Mix { from: old, flip, .. } => {
                for (number, to) in to.into_iter().enumerate() {
                    self.steps.push(Step::Permute { to, from, pick: mixed(old, flip, number) });
                }
            }
            Move::Bring { cycle, .. } => {
                for (number, to) in to.into_iter().enumerate() {
                    let pick = segments(cycle, number, self.bits);
                    self.steps.push(Step::Segments { to, from, pick });
                }
            }
            _ => return,
        }
        self.values[places[0]] = to[0];
        self.values[places[1]] = to[1];
    }

    /// A move on one register.
    fn single(&mut self, step: &Move, place: usize) {
        let (from, mut to) = (self.values[place], self.local());
        if let Move::Flip { position } = step {
            let (low, shift) = (low_half(*position, self.bits), 1 << position);
            self.steps.push(Step::Deposit { to, onto: None, from, shift, mask: low << shift });
            let onto = Some(to);
            to = self.local();
            self.steps.push(Step::Deposit { to, onto, from, shift: -shift, mask: low });
        }
        self.values[place] = to;
        self.steps.push(match step {
            Move::Swap { low, high } => {
                let mask = low_half(*high, self.bits) & !low_half(*low, self.bits);
                Step::Swap { to, from, shift: (1 << high) - (1 << low), mask }
            }
            Move::Permute { first, from: old, flip } => {
                let pick = permuted(*first, old, flip);
                match (*first, old.len()) {
                    (3, 6) => Step::Permute { to, from: [from, from], pick },
                    (3, _) => {
                        let bytes = (self.bits / 8) as usize;
                        Step::Bytes {
                            to,
                            from,
                            pick: pick.into_iter().cycle().take(bytes).collect(),
                        }
                    }
                    _ => Step::Quads { to, from, pick },
                }
            }
            Move::Transpose => Step::Transpose { to, from },
            _ => return,
        });
    }
}

/// The bits of a 64-bit pattern (cut off to `bits`) whose number has a 0 at this position.
fn low_half(position: usize, bits: u32) -> u64 {
    let all = u64::MAX >> (64 - bits.min(64));
    all & (u64::MAX / ((1 << (1 << position)) + 1))
}

/// Where the pieces of a register are, from the first one on, and the bytes of each.
fn pieces(chunk: &Chunk, arrangement: &Arrangement) -> (u32, Vec<i32>) {
    let piece = chunk.piece as usize;
    let slots = &arrangement.positions[piece..];
    let offset = |number: usize| {
        let slots = slots.iter().enumerate();
        let distance = |(i, c): (usize, &u8)| (number >> i & 1) * chunk.distance(*c) / 8;
        slots.map(distance).sum::<usize>() as i32
    };
    (1 << (piece - 3), (0..1 << slots.len()).map(offset).collect())
}

/// The pattern of a permutation of the positions from `first` on.
fn permuted(first: usize, from: &[usize], flip: &[bool]) -> Vec<u8> {
    let source = |number: usize| {
        let bit = |(i, from): (usize, &usize)| {
            usize::from((number >> i & 1 != 0) != flip[i]) << (from - first)
        };
        from.iter().enumerate().map(bit).sum::<usize>() as u8
    };
    (0..1 << from.len()).map(source).collect()
}

/// The bytes of two registers that make up result `number` of a permutation of the positions above the byte, of which the
/// last is the register's number.
fn mixed(from: &[usize], flip: &[bool], number: usize) -> Vec<u8> {
    let all = permuted(0, from, flip);
    let bytes = all.len() / 2;
    all[number * bytes..][..bytes].to_vec()
}

/// The segments of two registers that make up result `number` of a cycle of segment positions.
fn segments(cycle: &[usize], number: usize, bits: u32) -> Vec<u8> {
    let count = (bits / 128) as usize;
    let source = |segment: usize| {
        let bit = |position: usize| segment >> (position - 7) & 1;
        let mut source = segment;
        let mut put = |position: usize, value: usize| {
            source = source & !(1 << (position - 7)) | value << (position - 7);
        };
        for pair in cycle.windows(2) {
            put(pair[0], bit(pair[1]));
        }
        put(cycle[cycle.len() - 1], number);
        (source + count * bit(cycle[0])) as u8
    };
    (0..count).map(source).collect()
}

/// Joins neighbouring loops that run over one range together.
fn merge_loops(pass: &mut Pass) {
    let mut i = 0;
    while i + 1 < pass.loops.len() {
        let count = pass.loops[i] as i32;
        let mut places = pass.steps.iter_mut().filter_map(Step::place_mut);
        if places.all(|at| at.strides[i + 1] == count * at.strides[i]) {
            let outer = pass.loops.remove(i + 1);
            pass.loops[i] *= outer;
            for at in pass.steps.iter_mut().filter_map(Step::place_mut) {
                at.strides.remove(i + 1);
            }
        } else {
            i += 1;
        }
    }
}

impl Step {
    /// The place in memory or in an array.
    fn place_mut(&mut self) -> Option<&mut Place> {
        match self {
            Step::Load { at, .. }
            | Step::Store { at, .. }
            | Step::Read { at, .. }
            | Step::Write { at, .. } => Some(at),
            _ => None,
        }
    }
}
