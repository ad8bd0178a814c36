//! Networks of shuffles: what moves a batch of blocks between memory and registers.
//!
//! A network is a list of passes. A pass is a loop nest over a straight line of steps, whose places in memory and
//! in arrays are affine in the loop variables: a transposition of hundreds of registers stays a few lines of C.
//! What the steps do is in [`simulation`](super::simulation).

use crate::core::Direction;
use crate::isa::Target;
use crate::layout;

/// All that a transposition needs to know of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Bits of a register.
    pub bits: u32,
    /// Whether its registers are vectors with shuffles.
    pub simd: bool,
    /// Whether several vertical atoms lie in a register, or one in a register of its own width.
    pub several: bool,
    /// Whether it permutes the bytes of one or two whole registers, and transposes the bits of 8 bytes.
    pub across: bool,
}

impl From<&Target> for Machine {
    fn from(target: &Target) -> Machine {
        Machine {
            bits: target.bits,
            simd: target.simd,
            several: target.several().is_none(),
            across: target.c.dialect.across.is_some(),
        }
    }
}

impl Machine {
    /// The number of bits of the registers that hold atoms of this direction and width.
    pub fn register_bits(self, direction: Direction, width: u16) -> u32 {
        if self.several || direction != Direction::V {
            self.bits
        } else {
            u32::from(width)
        }
    }

    /// The number of bits of the segment of a register over which one horizontal atom is spread.
    pub fn segment_bits(self, width: u16) -> u32 {
        match (self.simd, width) {
            (false, _) => self.bits,
            (true, ..=16) => 128,
            (true, _) => 512,
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
    /// Whether what it stores is added (by exclusive or) to a text.
    pub adds: bool,
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
    /// Length of [`Array::Low`].
    pub low: u32,
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
    /// What is the same in all batches of counters; see [`counters`](super::counters).
    Low,
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
    /// The same place in all iterations.
    pub fn fixed(index: u32) -> Place {
        Place { base: index as i32, strides: Vec::new() }
    }

    /// The place in one iteration.
    pub fn at(&self, iteration: &[u32]) -> usize {
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
    /// Takes the bytes of the result from two registers, or from one that is both.
    Permute {
        /// The result.
        to: Local,
        /// The two arguments.
        from: [Local; 2],
        /// For each byte its number in the two registers together.
        pick: Vec<u8>,
    },
    /// Transposes the bits of each 8 bytes, from the last byte to the first: bit i of byte j was bit j of byte 7 − i.
    Transpose {
        /// The result.
        to: Local,
        /// The argument.
        from: Local,
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
    /// A bitwise operation.
    Logic {
        /// The result.
        to: Local,
        /// Which operation.
        gate: Gate,
        /// The two arguments.
        from: [Local; 2],
    },
    /// A constant.
    Constant {
        /// The result.
        to: Local,
        /// Its bytes, lowest first.
        bytes: Vec<u8>,
    },
    /// Every bit of an element becomes one bit of it.
    Fill {
        /// The result.
        to: Local,
        /// The argument.
        from: Local,
        /// Bits of an element: 32, or 64 in a general-purpose register of that size, or 8 where one instruction does it.
        element: u32,
        /// Which bit, 0 the least significant.
        bit: u32,
    },
    /// Every bit of a byte becomes one bit of it.
    Test {
        /// The result.
        to: Local,
        /// The argument.
        from: Local,
        /// For each byte a mask of one bit.
        masks: Vec<u8>,
    },
}

/// A bitwise operation of two arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// And.
    And,
    /// Or.
    Or,
    /// Exclusive or.
    Xor,
}

/// In the pattern of [`Step::Bytes`]: a zero byte.
pub const ZERO: u8 = 0x80;

impl Network {
    /// The number of register operations, loads and stores for one batch, without address arithmetic.
    pub fn operations(&self) -> u64 {
        let pass = |pass: &Pass| {
            let trips: u64 = pass.loops.iter().map(|&count| u64::from(count)).product();
            trips * pass.steps.iter().map(|step| step.operations(self.bits)).sum::<u64>()
        };
        self.passes.iter().map(pass).sum()
    }

    /// The network from registers to memory that adds to a text what this one stores.
    pub fn adding(mut self) -> Network {
        self.adds = true;
        self.passes.iter_mut().for_each(Pass::add_text);
        self
    }

    /// Loads what it loads into [`Array::Words`].
    pub fn load_words(&mut self) {
        self.words = self.registers;
        for step in self.passes.iter_mut().flat_map(|pass| &mut pass.steps) {
            if let Step::Read { array, .. } | Step::Write { array, .. } = step {
                if *array == Array::Registers {
                    *array = Array::Words;
                }
            }
        }
    }

    /// The number of steps as written, which is what a C compiler sees.
    pub fn size(&self) -> usize {
        self.passes.iter().map(|pass| pass.steps.len()).sum()
    }
}

impl Pass {
    /// Puts a load of the text and an addition before each store.
    fn add_text(&mut self) {
        let mut steps = Vec::new();
        for step in self.steps.drain(..) {
            let Step::Store { from, at, piece, pieces } = step else {
                steps.push(step);
                continue;
            };
            let [text, sum] = [self.locals, self.locals + 1];
            self.locals += 2;
            let (to, read) = (at.clone(), pieces.clone());
            steps.push(Step::Load { to: text, at: to, piece, pieces: read });
            steps.push(Step::Logic { to: sum, gate: Gate::Xor, from: [from, text] });
            steps.push(Step::Store { from: sum, at, piece, pieces });
        }
        self.steps = steps;
    }

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
            | Step::Permute { to, .. }
            | Step::Transpose { to, .. }
            | Step::Deposit { to, .. }
            | Step::Logic { to, .. }
            | Step::Constant { to, .. }
            | Step::Fill { to, .. }
            | Step::Test { to, .. } => vec![*to],
        }
    }

    /// The locals that the step uses.
    fn arguments(&self) -> Vec<Local> {
        match self {
            Step::Load { .. } | Step::Read { .. } | Step::Zero { .. } | Step::Constant { .. } => {
                Vec::new()
            }
            Step::Exchange { from, .. }
            | Step::Unpack { from, .. }
            | Step::Segments { from, .. }
            | Step::Permute { from, .. }
            | Step::Logic { from, .. } => from.to_vec(),
            Step::Store { from, .. }
            | Step::Write { from, .. }
            | Step::Swap { from, .. }
            | Step::Quads { from, .. }
            | Step::Bytes { from, .. }
            | Step::Transpose { from, .. }
            | Step::Fill { from, .. }
            | Step::Test { from, .. } => vec![*from],
            Step::Deposit { from, onto, .. } => onto.iter().chain([from]).copied().collect(),
        }
    }

    /// How many instructions the step takes.
    fn operations(&self, bits: u32) -> u64 {
        match self {
            Step::Load { pieces, .. } if same(pieces) => 1,
            Step::Load { pieces, .. } | Step::Store { pieces, .. } => 2 * pieces.len() as u64 - 1,
            Step::Exchange { .. } if bits == 512 => 4,
            Step::Exchange { .. } | Step::Swap { .. } => 6,
            Step::Fill { element: 8, .. } => 1,
            Step::Fill { .. } | Step::Test { .. } => 2,
            Step::Deposit { shift, onto, .. } => {
                1 + u64::from(*shift != 0) + u64::from(onto.is_some())
            }
            _ => 1,
        }
    }
}

/// Whether a register is made from several pieces that are all the same one.
pub fn same(pieces: &[i32]) -> bool {
    pieces.len() > 1 && pieces.iter().all(|piece| *piece == pieces[0])
}
