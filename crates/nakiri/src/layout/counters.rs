//! Counter blocks made in registers, without a transposition.
//!
//! Batches are counted in groups, of as many as are interleaved if that is a power of two. The number of a group's first
//! block has low bits, as many as tell its blocks apart, and high bits. Adding the number of a block in the group changes the
//! low bits, and carries at most once into the high ones. A group is as many blocks as the low bits count, so that low bits
//! and carries are the same in all groups of a message: they are made once, by an adder on masks ([`Counters::low`]). What
//! differs from group to group is the same in all lanes, but that those with a carry have another one's high bits: registers
//! filled with the atoms of one block, and with the bits that change in the next group where there is a carry
//! ([`Counters::batch`]). Bitsliced counters are made so for the first batches alone: the next ones' are theirs with a number
//! added, by an adder on registers ([`Counters::advance`]).
//!
//! General-purpose registers hold so few blocks that counting in memory and transposing costs less, but for bitsliced ones.

use super::network::{Array, Gate, Local, Network, Pass, Place, Step, Way};
use super::synthesis::Port;
use super::{memory_bytes, recombine, register_bit, Machine};
use crate::core::{Direction, Layout};
use rustc_hash::FxHashMap;

/// The field of a counter block that counts the blocks, modulo its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// Where it begins in the block, in bytes.
    pub offset: usize,
    /// Its size in bytes, at most 16.
    pub bytes: usize,
    /// Whether its most significant byte is first.
    pub big_endian: bool,
}

impl Counter {
    /// The byte of a block that holds the counter's byte of this significance, 0 the least.
    pub fn place(&self, significance: usize) -> usize {
        match self.big_endian {
            true => self.offset + self.bytes - 1 - significance,
            false => self.offset + significance,
        }
    }

    /// The significance of a bit of a block, if it is one of the counter's.
    fn significance(&self, bit: usize) -> Option<usize> {
        let byte = (bit / 8).checked_sub(self.offset).filter(|byte| *byte < self.bytes)?;
        let byte = if self.big_endian { self.bytes - 1 - byte } else { byte };
        Some(8 * byte + bit % 8)
    }
}

/// The networks that make a port's registers for a batch of consecutive counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counters {
    /// How batches are counted.
    pub groups: Groups,
    /// From the low bits of the first number of the message, 8 bytes in little-endian order, to what all groups share: for
    /// each batch as many registers as [`Counters::batch`] takes. `None` if a group is one block.
    pub low: Option<Network>,
    /// From [`Counters::blocks`], and the batch's part of what is shared, to the registers.
    pub batch: Network,
    /// From the registers of a batch to those of a later one, in place; `None` where they are made anew.
    pub advance: Option<Network>,
    /// What is read from memory.
    pub blocks: Blocks,
}

/// How the batches that are made at once are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// How many groups they are.
    pub count: usize,
    /// How many batches each has.
    pub batches: usize,
    /// How many of the shared registers each batch takes.
    pub share: usize,
}

impl Groups {
    /// All as one group where lanes and batches are counted by the same bits, else each as its own. Nothing is shared yet.
    fn of(batches: u32) -> Groups {
        let all = batches as usize;
        let (count, batches) = if batches.is_power_of_two() { (1, all) } else { (all, 1) };
        Groups { count, batches, share: 0 }
    }

    /// The group of a batch, and the first shared register that is its own.
    pub fn place(self, batch: usize) -> (usize, usize) {
        (batch / self.batches, batch % self.batches * self.share)
    }

    /// How many registers all groups share.
    pub fn shared(self) -> usize {
        self.batches * self.share
    }
}

/// The counter blocks that a group is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// The first one, but for its low bits, which are zero, and so many bytes behind it its difference to that of the next
    /// group, zero but for the counter.
    First {
        /// How many bytes.
        stride: usize,
    },
    /// All, one after another.
    All {
        /// The size of each.
        bytes: usize,
    },
}

impl Blocks {
    /// How many bytes are read for a group, where a batch has so many lanes.
    pub fn room(self, lanes: usize) -> usize {
        match self {
            Blocks::First { stride } => 2 * stride,
            Blocks::All { bytes } => (bytes * lanes).next_multiple_of(8).max(16),
        }
    }
}

/// The networks for blocks of `count` atoms of `width` bits, so many batches at once.
///
/// # Errors
/// If the target has no such registers, or the layout doesn't fit the atoms.
pub fn counters(
    machine: Machine,
    direction: Direction,
    width: u16,
    count: u32,
    layout: &Layout,
    counter: &Counter,
    batches: u32,
) -> Result<Counters, String> {
    let bytes = memory_bytes(width, count);
    if !machine.simd && direction != Direction::B {
        let batch = super::load(machine, direction, width, count, layout)?;
        let blocks = Blocks::All { bytes };
        let groups = Groups { count: batches as usize, batches: 1, share: 0 };
        return Ok(Counters { groups, low: None, batch, advance: None, blocks });
    }
    let port = Port::new(machine, direction, width, count, layout)?;
    if let Some(counters) = Maker::new(&port, counter, batches).run(bytes) {
        return Ok(counters);
    }
    if direction == Direction::P {
        return Err("rows of counters lie in memory in an order that no shuffle makes".to_owned());
    }
    let words = port.words();
    let counters = Maker::new(&words, counter, batches).run(bytes);
    let counters = counters.ok_or("its words can't be filled")?;
    Ok(Counters { batch: recombine::recombine(&port, Way::Load, counters.batch), ..counters })
}

/// A bit of a register's atom.
struct Source {
    /// Its position in the atom, 0 is the most significant.
    position: u16,
    /// Where it is in a block.
    place: usize,
    /// Its significance, if it is one of the counter's.
    significance: Option<usize>,
}

struct Maker<'a> {
    port: &'a Port,
    /// For each register the bits of its atom, by position.
    sources: Vec<Vec<Source>>,
    /// How batches are counted.
    groups: Groups,
    /// How many bits of the counter tell the blocks of a group apart.
    low: usize,
    /// How many bits the counter has.
    bits: usize,
    stride: usize,
    steps: Vec<Step>,
    locals: u32,
    /// What was loaded from memory: the words by their offset and size.
    loaded: FxHashMap<(usize, u32), Local>,
}

impl<'a> Maker<'a> {
    fn new(port: &'a Port, counter: &Counter, batches: u32) -> Maker<'a> {
        let groups = Groups::of(batches);
        let blocks = port.lanes() as usize * groups.batches;
        let mut sources: Vec<Vec<Source>> = (0..port.registers()).map(|_| Vec::new()).collect();
        for (place, bit) in port.bits.iter().enumerate() {
            let Some(bit) = *bit else { continue };
            if let Some(register) = port.register(bit) {
                let significance = counter.significance(place);
                let position = if port.direction == Direction::B { 0 } else { bit.position };
                sources[register as usize].push(Source { position, place, significance });
            }
        }
        sources.iter_mut().for_each(|bits| bits.sort_by_key(|bit| bit.position));
        Maker {
            port,
            sources,
            groups,
            low: (blocks.ilog2() as usize).min(8 * counter.bytes),
            bits: 8 * counter.bytes,
            stride: (port.bits.len() / 8).next_multiple_of(8).max(16),
            steps: Vec::new(),
            locals: 0,
            loaded: FxHashMap::default(),
        }
    }

    /// The networks for blocks of so many bytes; `None` if an atom's bits don't lie in memory as registers can be filled with
    /// them.
    fn run(mut self, bytes: usize) -> Option<Counters> {
        let low = (self.low > 0).then(|| self.shared());
        let share = low.as_ref().map_or(0, |low| low.registers / self.groups.batches as u32);
        let batch = self.batch(share)?;
        let advance = self.advance();
        let blocks = match low {
            Some(_) => Blocks::First { stride: self.stride },
            None => Blocks::All { bytes },
        };
        let groups = Groups { share: share as usize, ..self.groups };
        Some(Counters { groups, low, batch, advance, blocks })
    }

    /// The network from a number to what each batch of a group takes.
    fn shared(&mut self) -> Network {
        let batches = 0..self.groups.batches as u32;
        let shared: Vec<Local> = batches.flat_map(|batch| self.adder(batch)).collect();
        self.network(8, (0..).zip(shared).collect(), 0)
    }

    /// From a number to the carry out of the low bits, and the low bits in their places for each register that has any.
    fn adder(&mut self, batch: u32) -> Vec<Local> {
        let (mut sums, mut carry) = (Vec::new(), None);
        let before = batch * self.port.lanes();
        for bit in 0..self.low {
            let word = self.word(bit);
            let lanes = self.constant(self.mask(|lane, _| (before + lane) >> bit & 1 != 0));
            let first = self.fill(word, bit);
            let differ = self.gate(Gate::Xor, lanes, first);
            let both = self.gate(Gate::And, lanes, first);
            (sums, carry) = match carry {
                None => (vec![differ], Some(both)),
                Some(carry) => {
                    sums.push(self.gate(Gate::Xor, differ, carry));
                    let passed = self.gate(Gate::And, differ, carry);
                    (sums, Some(self.gate(Gate::Or, both, passed)))
                }
            };
        }
        let mut shared: Vec<Local> = carry.into_iter().collect();
        for register in 0..self.sources.len() {
            shared.extend(self.low_bits(register, &sums));
        }
        shared
    }

    /// The low bits of the counter in a register, if there are any.
    fn low_bits(&mut self, register: usize, sums: &[Local]) -> Option<Local> {
        let mut result = None;
        let bits = self.sources[register].iter();
        let bits = bits.filter_map(|bit| Some((bit.position, *sums.get(bit.significance?)?)));
        for (at, sum) in bits.collect::<Vec<_>>() {
            let mask = self.mask(|_, position| position == at);
            let term = match mask.iter().all(|&byte| byte == 0xff) {
                true => sum,
                false => {
                    let mask = self.constant(mask);
                    self.gate(Gate::And, sum, mask)
                }
            };
            result = Some(result.map_or(term, |sum| self.gate(Gate::Xor, sum, term)));
        }
        result
    }

    /// The network from blocks, and so many shared registers, to the registers.
    fn batch(&mut self, share: u32) -> Option<Network> {
        let mut results = Vec::new();
        let mut lows = 1..share;
        let carry = (share > 0).then(|| self.read(Array::Low, 0));
        for register in 0..self.sources.len() {
            let mut value = self.atom(register, 0)?;
            let is = |bits: &[Source], f: &dyn Fn(usize) -> bool| {
                bits.iter().filter_map(|bit| bit.significance).any(f)
            };
            let high = is(&self.sources[register], &|bit| bit >= self.low);
            if let Some(carry) = carry.filter(|_| high) {
                let change = self.atom(register, self.stride)?;
                let change = self.gate(Gate::And, carry, change);
                value = self.gate(Gate::Xor, value, change);
            }
            if is(&self.sources[register], &|bit| bit < self.low) {
                let low = lows.next()?;
                let low = self.read(Array::Low, low);
                value = self.gate(Gate::Xor, value, low);
            }
            results.push((register as u32, value));
        }
        let blocks = if share > 0 { 2 } else { 1 };
        Some(self.network(blocks * self.stride, results, share))
    }

    /// The network that adds all groups to bitsliced counters; `None` if a bit above the low ones has no register, or
    /// there is none.
    fn advance(&mut self) -> Option<Network> {
        let groups = self.groups.count;
        let sources = self.sources.iter().enumerate();
        let by_significance =
            sources.filter_map(|(register, bits)| Some((bits.first()?.significance?, register)));
        let registers: FxHashMap<usize, usize> = by_significance.collect();
        if self.port.direction != Direction::B || self.low >= self.bits {
            return None;
        }
        let (mut results, mut carry) = (Vec::new(), None);
        for bit in self.low..self.bits {
            let register = *registers.get(&bit)? as u32;
            let is_one =
                groups.checked_shr((bit - self.low) as u32).is_some_and(|rest| rest & 1 != 0);
            if carry.is_none() && !is_one {
                continue;
            }
            let value = self.read(Array::Registers, register);
            let mut sum = carry.map_or(value, |carry| self.gate(Gate::Xor, value, carry));
            let mut passed = carry.map_or(value, |carry| self.gate(Gate::And, value, carry));
            if is_one {
                let ones = self.constant(vec![0xff; self.bytes()]);
                sum = self.gate(Gate::Xor, sum, ones);
                passed = carry.map_or(value, |carry| self.gate(Gate::Or, value, carry));
            }
            results.push((register, sum));
            carry = Some(passed);
        }
        let registers = self.sources.len() as u32;
        Some(Network { registers, ..self.network(0, results, 0) })
    }

    /// The network of the steps so far, from this many bytes to these registers.
    fn network(&mut self, bytes: usize, results: Vec<(u32, Local)>, low: u32) -> Network {
        let mut steps = std::mem::take(&mut self.steps);
        self.loaded.clear();
        let registers = results.len() as u32;
        for (register, from) in results {
            steps.push(Step::Write { from, array: Array::Registers, at: Place::fixed(register) });
        }
        let locals = std::mem::take(&mut self.locals);
        let mut pass = Pass { loops: Vec::new(), locals, steps };
        pass.prune();
        Network {
            way: Way::Load,
            adds: false,
            bits: self.port.register_bits(),
            registers,
            bytes,
            scratch: 0,
            words: 0,
            low,
            passes: vec![pass],
        }
    }

    /// A register with the atom of the block at `base` in all lanes; `None` if its bits don't lie in memory as the target
    /// could take them from there.
    fn atom(&mut self, register: usize, base: usize) -> Option<Local> {
        match self.port.direction {
            Direction::B => {
                let place = 8 * base + self.sources[register].first()?.place;
                let word = self.word(place);
                Some(self.fill(word, place))
            }
            Direction::H => self.horizontal(register, base),
            _ => self.vertical(register, base),
        }
    }

    /// A vertical atom, or a row: whole bytes from one word or segment of memory, in any order.
    fn vertical(&mut self, register: usize, base: usize) -> Option<Local> {
        let bits: Vec<usize> = self.sources[register].iter().map(|bit| bit.place).collect();
        let bytes: Vec<usize> = bits.chunks(8).map(|bits| bits[0] / 8).collect();
        let whole =
            |bits: &[usize]| (0..8).all(|i| bits.get(i) == Some(&(bits[0] / 8 * 8 + 7 - i)));
        let size = bytes.len();
        if !bits.chunks(8).all(whole) {
            return None;
        }
        let first = *bytes.iter().min()?;
        let little = bytes.iter().rev().copied().eq(first..first + size);
        if bytes.iter().any(|&byte| byte >= first + size) {
            return None;
        }
        let value = self.load(base + first, size as u32);
        if little {
            return Some(value);
        }
        let pick = (0..self.bytes()).map(|byte| {
            let from = bytes[size - 1 - byte % size] - first;
            (byte % 16 / size * size + from) as u8
        });
        let (to, pick) = (self.local(), pick.collect());
        self.steps.push(Step::Bytes { to, from: value, pick });
        Some(to)
    }

    /// A horizontal atom: bits of 16 bytes.
    fn horizontal(&mut self, register: usize, base: usize) -> Option<Local> {
        let places: Vec<usize> = self.sources[register].iter().map(|bit| bit.place).collect();
        let first = (places.iter().min()? / 8).min(self.stride - 16);
        if places.iter().any(|place| place / 8 >= first + 16) {
            return None;
        }
        let size = self.bytes();
        let (mut pick, mut masks) = (vec![0; size], vec![0; size]);
        for lane in (0..self.port.lanes()).step_by(8) {
            for (&place, position) in places.iter().zip(0..) {
                let Port { machine, direction, width, .. } = *self.port;
                // A byte of a register holds one position of eight lanes.
                let byte = register_bit(machine, direction, width, lane, position) as usize / 8;
                (pick[byte], masks[byte]) = ((place / 8 - first) as u8, 1 << (place % 8));
            }
        }
        let mut value = self.load(base + first, 16);
        if !pick.iter().enumerate().all(|(byte, &pick)| usize::from(pick) == byte % 16) {
            let to = self.local();
            self.steps.push(Step::Bytes { to, from: value, pick });
            value = to;
        }
        let to = self.local();
        self.steps.push(Step::Test { to, from: value, masks });
        Some(to)
    }

    /// The bytes of a register.
    fn bytes(&self) -> usize {
        self.port.register_bits() as usize / 8
    }

    /// The bits of the words that are filled with one of their bits.
    fn element(&self) -> u32 {
        match self.port.machine {
            Machine { across: true, .. } => 8,
            Machine { simd: true, .. } => 32,
            Machine { bits, .. } => bits,
        }
    }

    /// The word of memory that has a bit, in all of a register.
    fn word(&mut self, bit: usize) -> Local {
        let bytes = self.element() as usize / 8;
        self.load(bit / 8 / bytes * bytes, bytes as u32)
    }

    /// Some bytes of memory, in all of a register.
    fn load(&mut self, at: usize, piece: u32) -> Local {
        if let Some(known) = self.loaded.get(&(at, piece)) {
            return *known;
        }
        let to = self.local();
        let pieces = vec![0; self.bytes() / piece as usize];
        self.steps.push(Step::Load { to, at: Place::fixed(at as u32), piece, pieces });
        self.loaded.insert((at, piece), to);
        to
    }

    fn read(&mut self, array: Array, index: u32) -> Local {
        let to = self.local();
        self.steps.push(Step::Read { to, array, at: Place::fixed(index) });
        to
    }

    fn local(&mut self) -> Local {
        self.locals += 1;
        self.locals - 1
    }

    fn constant(&mut self, bytes: Vec<u8>) -> Local {
        let to = self.local();
        self.steps.push(Step::Constant { to, bytes });
        to
    }

    /// A bit of memory in all of a register, from the word that has it.
    fn fill(&mut self, from: Local, bit: usize) -> Local {
        let (to, element) = (self.local(), self.element());
        self.steps.push(Step::Fill { to, from, element, bit: bit as u32 % element });
        to
    }

    fn gate(&mut self, gate: Gate, a: Local, b: Local) -> Local {
        let to = self.local();
        self.steps.push(Step::Logic { to, gate, from: [a, b] });
        to
    }

    /// The bytes of a register with ones in the bits of atoms (by lane and position) for which `f` holds.
    fn mask(&self, f: impl Fn(u32, u16) -> bool) -> Vec<u8> {
        let Port { machine, direction, width, .. } = *self.port;
        let positions = if direction == Direction::B { 1 } else { width };
        let mut mask = vec![0; self.bytes()];
        for lane in 0..self.port.lanes() {
            for position in (0..positions).filter(|position| f(lane, *position)) {
                let bit = register_bit(machine, direction, width, lane, position) as usize;
                mask[bit / 8] |= 1 << (bit % 8);
            }
        }
        mask
    }
}
