//! Networks of shuffles: what moves a batch of blocks between memory and registers.
//!
//! A network is a list of passes. A pass is a loop nest over a straight line of steps, whose places in memory and
//! in arrays are affine in the loop variables: a transposition of hundreds of registers stays a few lines of C.
//! [`Network::load`] and [`Network::store`] give the meaning.

use crate::core::Direction;
use crate::layout;
use crate::target::Target;

/// All that a transposition needs to know of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Bits of a register.
    pub bits: u32,
    /// Whether its registers are vectors with shuffles.
    pub simd: bool,
}

impl From<&Target> for Machine {
    fn from(target: &Target) -> Machine {
        Machine { bits: target.bits, simd: target.simd }
    }
}

impl Machine {
    /// The number of bits of the registers that hold atoms of this direction and width.
    pub fn register_bits(self, direction: Direction, width: u16) -> u32 {
        if self.simd || direction == Direction::B {
            self.bits
        } else {
            u32::from(width)
        }
    }

    /// How many blocks a batch has.
    pub fn lanes(self, direction: Direction, width: u16) -> u32 {
        layout::lanes(direction, width, self.register_bits(direction, width))
    }
}

/// The way of a transposition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// From memory to registers.
    Load,
    /// From registers to memory.
    Store,
}

/// A transposition of one batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// Which way.
    pub way: Way,
    /// Bits of a register.
    pub bits: u32,
    /// Number of registers on the register side.
    pub registers: u32,
    /// Number of bytes on the memory side.
    pub bytes: usize,
    /// Length of [`Array::Scratch`].
    pub scratch: u32,
    /// Length of [`Array::Words`].
    pub words: u32,
    /// What is done, in order.
    pub passes: Vec<Pass>,
}

/// A loop nest around a straight line of steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    /// The trip count of each loop, innermost first.
    pub loops: Vec<u32>,
    /// The number of locals; each is defined once, before it is used.
    pub locals: u32,
    /// The body.
    pub steps: Vec<Step>,
}

/// An array of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Array {
    /// The registers of the port.
    Registers,
    /// Room for values between passes.
    Scratch,
    /// The atoms in little-endian order, for layouts that are made from that one.
    Words,
}

/// An offset or index: `base` plus, for each loop, its stride times its variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The place in the first iteration.
    pub base: i32,
    /// One stride for each loop of the pass.
    pub strides: Vec<i32>,
}

impl Place {
    fn at(&self, iteration: &[u32]) -> usize {
        let moved: i32 = self.strides.iter().zip(iteration).map(|(s, i)| s * *i as i32).sum();
        (self.base + moved) as usize
    }
}

/// A value of the body of a pass: one register.
pub type Local = u32;

/// A step. Masks are 64-bit patterns repeated over the register (cut off if it is narrower).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Makes a register from pieces of memory, lowest first.
    Load {
        /// The register.
        to: Local,
        /// Byte offset in the batch.
        at: Place,
        /// Bytes of a piece.
        piece: u32,
        /// Offset of each piece from `at`.
        pieces: Vec<i32>,
    },
    /// Stores a register in pieces.
    Store {
        /// The register.
        from: Local,
        /// Byte offset in the batch.
        at: Place,
        /// Bytes of a piece.
        piece: u32,
        /// Offset of each piece from `at`.
        pieces: Vec<i32>,
    },
    /// Reads an element of an array.
    Read {
        /// The value read.
        to: Local,
        /// Which array.
        array: Array,
        /// Index.
        at: Place,
    },
    /// Writes an element of an array.
    Write {
        /// The value written.
        from: Local,
        /// Which array.
        array: Array,
        /// Index.
        at: Place,
    },
    /// All bits zero.
    Zero {
        /// The result.
        to: Local,
    },
    /// The bits of the first argument outside of `mask` change places with the bits of the second one under it,
    /// `shift` lower.
    Exchange {
        /// The two results.
        to: [Local; 2],
        /// The two arguments.
        from: [Local; 2],
        /// Distance in bits.
        shift: u32,
        /// Which bits of the second argument.
        mask: u64,
    },
    /// The bits under `mask` change places with those `shift` higher.
    Swap {
        /// The result.
        to: Local,
        /// The argument.
        from: Local,
        /// Distance in bits.
        shift: u32,
        /// The lower bits of the pairs.
        mask: u64,
    },
    /// Interleaves the elements of the low (or high) halves of two registers, in each 128-bit segment.
    Unpack {
        /// The result.
        to: Local,
        /// The two arguments.
        from: [Local; 2],
        /// Bits of an element: 8, 16, 32 or 64.
        element: u32,
        /// Whether the high halves are meant.
        high: bool,
    },
    /// Takes each 128-bit segment from two registers; with four segments the first two come from the first one.
    Segments {
        /// The result.
        to: Local,
        /// The two arguments.
        from: [Local; 2],
        /// For each segment its number in the two registers together.
        pick: Vec<u8>,
    },
    /// Permutes the 64-bit elements of a register of several segments.
    Quads {
        /// The result.
        to: Local,
        /// The argument.
        from: Local,
        /// For each element its number in the argument.
        pick: Vec<u8>,
    },
    /// Permutes bytes within 128-bit segments, or reverses the bytes of a general-purpose register.
    Bytes {
        /// The result.
        to: Local,
        /// The argument.
        from: Local,
        /// For each byte its number in the segment, or [`ZERO`].
        pick: Vec<u8>,
    },
    /// The bits under `mask` of the argument shifted left (right if negative), added to another value.
    Deposit {
        /// The result.
        to: Local,
        /// What the bits are added to.
        onto: Option<Local>,
        /// Where they come from.
        from: Local,
        /// Distance in bits.
        shift: i32,
        /// Which bits of the result.
        mask: u64,
    },
    /// Bitwise or.
    Or {
        /// The result.
        to: Local,
        /// The two arguments.
        from: [Local; 2],
    },
}

/// In the pattern of [`Step::Bytes`]: a zero byte.
pub const ZERO: u8 = 0x80;

impl Network {
    /// Runs a network from memory to registers on a batch. The registers are little-endian images.
    pub fn load(&self, memory: &[u8]) -> Vec<Vec<u8>> {
        let mut machine = Simulation::new(self);
        machine.memory.copy_from_slice(&memory[..self.bytes]);
        machine.run(self);
        machine.registers
    }

    /// Runs a network from registers to memory.
    pub fn store(&self, registers: &[Vec<u8>]) -> Vec<u8> {
        let mut machine = Simulation::new(self);
        machine.registers.clone_from_slice(&registers[..self.registers as usize]);
        machine.run(self);
        machine.memory
    }

    /// The number of register operations, loads and stores for one batch, without address arithmetic.
    pub fn operations(&self) -> u64 {
        let pass = |pass: &Pass| {
            let trips: u64 = pass.loops.iter().map(|&count| u64::from(count)).product();
            trips * pass.steps.iter().map(|step| step.operations(self.bits)).sum::<u64>()
        };
        self.passes.iter().map(pass).sum()
    }

    /// The number of steps as written, which is what a C compiler sees.
    pub fn size(&self) -> usize {
        self.passes.iter().map(|pass| pass.steps.len()).sum()
    }
}

impl Pass {
    /// For each local whether a step uses it.
    pub fn used(&self) -> Vec<bool> {
        let mut used = vec![false; self.locals as usize];
        for local in self.steps.iter().flat_map(Step::arguments) {
            used[local as usize] = true;
        }
        used
    }

    /// Removes the steps whose results are not used, such as those on padding.
    pub fn prune(&mut self) {
        let mut used = vec![false; self.locals as usize];
        let mut kept = Vec::new();
        for step in self.steps.drain(..).rev() {
            let results = step.results();
            if results.is_empty() || results.iter().any(|&local| used[local as usize]) {
                step.arguments().into_iter().for_each(|local| used[local as usize] = true);
                kept.push(step);
            }
        }
        kept.reverse();
        self.steps = kept;
    }
}

impl Step {
    /// The locals that the step defines.
    fn results(&self) -> Vec<Local> {
        match self {
            Step::Store { .. } | Step::Write { .. } => Vec::new(),
            Step::Exchange { to, .. } => to.to_vec(),
            Step::Load { to, .. }
            | Step::Read { to, .. }
            | Step::Zero { to }
            | Step::Swap { to, .. }
            | Step::Unpack { to, .. }
            | Step::Segments { to, .. }
            | Step::Quads { to, .. }
            | Step::Bytes { to, .. }
            | Step::Deposit { to, .. }
            | Step::Or { to, .. } => vec![*to],
        }
    }

    /// The locals that the step uses.
    fn arguments(&self) -> Vec<Local> {
        match self {
            Step::Load { .. } | Step::Read { .. } | Step::Zero { .. } => Vec::new(),
            Step::Exchange { from, .. }
            | Step::Unpack { from, .. }
            | Step::Segments { from, .. }
            | Step::Or { from, .. } => from.to_vec(),
            Step::Store { from, .. }
            | Step::Write { from, .. }
            | Step::Swap { from, .. }
            | Step::Quads { from, .. }
            | Step::Bytes { from, .. } => vec![*from],
            Step::Deposit { from, onto, .. } => onto.iter().chain([from]).copied().collect(),
        }
    }

    /// How many instructions the step takes.
    fn operations(&self, bits: u32) -> u64 {
        match self {
            Step::Load { pieces, .. } | Step::Store { pieces, .. } => 2 * pieces.len() as u64 - 1,
            Step::Exchange { .. } if bits == 512 => 4,
            Step::Exchange { .. } | Step::Swap { .. } => 6,
            Step::Deposit { shift, onto, .. } => {
                1 + u64::from(*shift != 0) + u64::from(onto.is_some())
            }
            _ => 1,
        }
    }
}

/// The state of a simulated machine.
struct Simulation {
    bytes: usize,
    memory: Vec<u8>,
    registers: Vec<Vec<u8>>,
    scratch: Vec<Vec<u8>>,
    words: Vec<Vec<u8>>,
    locals: Vec<Vec<u8>>,
}

impl Simulation {
    fn new(network: &Network) -> Simulation {
        let bytes = network.bits as usize / 8;
        let array = |count: u32| vec![vec![0; bytes]; count as usize];
        Simulation {
            bytes,
            memory: vec![0; network.bytes],
            registers: array(network.registers),
            scratch: array(network.scratch),
            words: array(network.words),
            locals: Vec::new(),
        }
    }

    fn run(&mut self, network: &Network) {
        for pass in &network.passes {
            self.locals = vec![Vec::new(); pass.locals as usize];
            let mut iteration = vec![0; pass.loops.len()];
            loop {
                pass.steps.iter().for_each(|step| self.step(step, &iteration));
                if !advance(&mut iteration, &pass.loops) {
                    break;
                }
            }
        }
    }

    fn array(&mut self, array: Array) -> &mut Vec<Vec<u8>> {
        match array {
            Array::Registers => &mut self.registers,
            Array::Scratch => &mut self.scratch,
            Array::Words => &mut self.words,
        }
    }

    fn local(&self, local: Local) -> &[u8] {
        &self.locals[local as usize]
    }

    fn step(&mut self, step: &Step, iteration: &[u32]) {
        match step {
            Step::Load { to, at, piece, pieces } => {
                let at = at.at(iteration) as i32;
                let piece = *piece as usize;
                let part = |offset: &i32| {
                    let from = (at + offset) as usize;
                    self.memory[from..from + piece].to_vec()
                };
                self.locals[*to as usize] = pieces.iter().flat_map(part).collect();
            }
            Step::Store { from, at, piece, pieces } => {
                let at = at.at(iteration) as i32;
                let parts = self.locals[*from as usize].chunks(*piece as usize);
                for (offset, part) in pieces.iter().zip(parts) {
                    let to = (at + offset) as usize;
                    self.memory[to..to + part.len()].copy_from_slice(part);
                }
            }
            Step::Read { to, array, at } => {
                let value = self.array(*array)[at.at(iteration)].clone();
                self.locals[*to as usize] = value;
            }
            Step::Write { from, array, at } => {
                let value = self.local(*from).to_vec();
                self.array(*array)[at.at(iteration)] = value;
            }
            _ => self.compute(step),
        }
    }

    fn compute(&mut self, step: &Step) {
        match step {
            Step::Exchange { to, from: [a, b], shift, mask } => {
                let (a, b) = (words(self.local(*a)), words(self.local(*b)));
                let differ = zip(&a, &b, |a, b| ((a >> shift) ^ b) & mask);
                let first = zip(&a, &differ, |a, d| a ^ (d << shift));
                let second = zip(&b, &differ, |b, d| b ^ d);
                self.locals[to[0] as usize] = bytes(&first, self.bytes);
                self.locals[to[1] as usize] = bytes(&second, self.bytes);
            }
            Step::Zero { to } => self.locals[*to as usize] = vec![0; self.bytes],
            Step::Swap { to, from, shift, mask } => {
                let swap = |x: u64| {
                    let differ = (x ^ (x >> shift)) & mask;
                    x ^ differ ^ (differ << shift)
                };
                let result: Vec<u64> = words(self.local(*from)).into_iter().map(swap).collect();
                self.locals[*to as usize] = bytes(&result, self.bytes);
            }
            Step::Unpack { to, from: [a, b], element, high } => {
                let size = *element as usize / 8;
                let (a, b) = (self.local(*a), self.local(*b));
                let pick = |i: usize| {
                    let (segment, element) = (i / 16 * 16, i % 16 / size);
                    let at = segment + usize::from(*high) * 8 + element / 2 * size + i % size;
                    if element % 2 == 0 {
                        a[at]
                    } else {
                        b[at]
                    }
                };
                self.locals[*to as usize] = (0..self.bytes).map(pick).collect();
            }
            Step::Segments { to, from: [a, b], pick } => {
                let both = [self.local(*a), self.local(*b)].concat();
                let part = |&p: &u8| both[usize::from(p) * 16..][..16].to_vec();
                self.locals[*to as usize] = pick.iter().flat_map(part).collect();
            }
            Step::Quads { to, from, pick } => {
                let part = |&p: &u8| self.local(*from)[usize::from(p) * 8..][..8].to_vec();
                self.locals[*to as usize] = pick.iter().flat_map(part).collect();
            }
            Step::Bytes { to, from, pick } => {
                let value = self.local(*from);
                let byte = |(i, &p): (usize, &u8)| match p {
                    ZERO => 0,
                    p => value[i / 16 * 16 + usize::from(p)],
                };
                self.locals[*to as usize] = pick.iter().enumerate().map(byte).collect();
            }
            Step::Deposit { to, onto, from, shift, mask } => {
                let moved = |x: u64| mask & if *shift < 0 { x >> -shift } else { x << shift };
                let mut result: Vec<u64> =
                    words(self.local(*from)).into_iter().map(moved).collect();
                if let Some(onto) = onto {
                    result = zip(&result, &words(self.local(*onto)), |a, b| a | b);
                }
                self.locals[*to as usize] = bytes(&result, self.bytes);
            }
            Step::Or { to, from: [a, b] } => {
                let result = zip(&words(self.local(*a)), &words(self.local(*b)), |a, b| a | b);
                self.locals[*to as usize] = bytes(&result, self.bytes);
            }
            Step::Load { .. } | Step::Store { .. } | Step::Read { .. } | Step::Write { .. } => {}
        }
    }
}

/// Moves to the next iteration of a loop nest; false after the last one.
fn advance(iteration: &mut [u32], loops: &[u32]) -> bool {
    for (i, count) in iteration.iter_mut().zip(loops) {
        *i += 1;
        if *i < *count {
            return true;
        }
        *i = 0;
    }
    false
}

/// The 64-bit words of a register image; a narrower register is extended by zeros.
fn words(image: &[u8]) -> Vec<u64> {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    image.chunks(8).map(word).collect()
}

fn bytes(words: &[u64], count: usize) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).take(count).collect()
}

fn zip(a: &[u64], b: &[u64], f: impl Fn(u64, u64) -> u64) -> Vec<u64> {
    a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
}
