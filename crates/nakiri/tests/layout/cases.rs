//! The ports that the tests transpose, and what the definition says of them.

use nakiri::core::{Direction, Layout};
use nakiri::layout::network::Network;
use nakiri::layout::{self, memory_bit, memory_bytes, register_bit, Machine};

/// The machines of all targets.
pub const MACHINES: [Machine; 8] = [
    Machine { bits: 32, simd: false, several: false, across: false },
    Machine { bits: 32, simd: false, several: true, across: false },
    Machine { bits: 64, simd: false, several: false, across: false },
    Machine { bits: 64, simd: false, several: true, across: false },
    Machine { bits: 128, simd: true, several: true, across: false },
    Machine { bits: 256, simd: true, several: true, across: false },
    Machine { bits: 512, simd: true, several: true, across: false },
    Machine { bits: 512, simd: true, several: true, across: true },
];

/// Width and number of the atoms: usual ones, odd ones, and blocks that are no power of two.
const SHAPES: [(u16, u32); 38] = [
    (1, 1),
    (1, 3),
    (1, 8),
    (1, 13),
    (1, 24),
    (1, 48),
    (1, 64),
    (1, 320),
    (2, 1),
    (2, 3),
    (2, 9),
    (2, 32),
    (4, 1),
    (4, 3),
    (4, 5),
    (4, 16),
    (5, 3),
    (8, 1),
    (8, 3),
    (8, 8),
    (8, 16),
    (8, 24),
    (13, 1),
    (16, 1),
    (16, 2),
    (16, 4),
    (16, 8),
    (16, 10),
    (32, 1),
    (32, 4),
    (32, 7),
    (32, 16),
    (64, 1),
    (64, 2),
    (64, 5),
    (64, 8),
    (128, 1),
    (128, 2),
];

/// A port on a machine.
pub struct Case {
    pub machine: Machine,
    pub direction: Direction,
    pub width: u16,
    pub count: u32,
    pub layout: Layout,
}

/// Pseudo-random numbers (xorshift).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| (self.next() >> 32) as u8).collect()
    }

    pub fn permutation(&mut self, count: u32) -> Vec<u32> {
        let mut entries: Vec<u32> = (1..=count).collect();
        for i in (1..entries.len()).rev() {
            entries.swap(i, (self.next() % (i as u64 + 1)) as usize);
        }
        entries
    }
}

/// Whether registers of this kind exist.
pub fn legal(machine: Machine, direction: Direction, width: u16) -> bool {
    match direction {
        // Several words in a general-purpose register are for words.
        Direction::B => machine.simd || !machine.several,
        Direction::V => {
            matches!(width, 8 | 16 | 32 | 64)
                && (!machine.several || u32::from(width) <= machine.bits)
        }
        Direction::H => {
            matches!(width, 2 | 4 | 8 | 16) && machine.simd
                || machine.bits == 512 && matches!(width, 32 | 64)
                || !machine.simd
                    && !machine.several
                    && matches!(width, 8 | 16 | 32)
                    && u32::from(width) < machine.bits
        }
        Direction::P => false,
    }
}

/// Whether atoms can have the layout.
pub fn fits(layout: &Layout, count: u32) -> bool {
    match layout {
        Layout::Planes => count.is_multiple_of(8),
        Layout::Le | Layout::Be | Layout::Perm { .. } => true,
    }
}

/// All cases.
pub fn all() -> Vec<Case> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut cases = Vec::new();
    for machine in MACHINES {
        for direction in [Direction::B, Direction::V, Direction::H] {
            for (width, count) in SHAPES {
                let entries = random.permutation(u32::from(width) * count);
                let perm = Layout::Perm { name: "shuffled".into(), entries };
                for layout in [Layout::Le, Layout::Be, Layout::Planes, perm] {
                    if legal(machine, direction, width) && fits(&layout, count) {
                        cases.push(Case { machine, direction, width, count, layout });
                    }
                }
            }
        }
    }
    cases
}

/// A few cases of each kind: those of the ciphers that matter most, and some awkward ones.
pub fn selected() -> Vec<Case> {
    let shapes = [(5, 3), (16, 4)];
    let mut cases = all();
    cases.retain(|case| shapes.contains(&(case.width, case.count)) && case.is_short());
    cases
}

impl Case {
    /// Whether compiling its C takes little time: not so for long blocks, and permutations without any order.
    pub fn is_short(&self) -> bool {
        let bits = u32::from(self.width) * self.count;
        bits <= if matches!(self.layout, Layout::Perm { .. }) { 24 } else { 160 }
            || (self.width, self.count) == (64, 5) && self.layout == Layout::Be
    }

    pub fn load(&self) -> Network {
        let Case { machine, direction, width, count, layout } = self;
        layout::load(*machine, *direction, *width, *count, layout)
            .unwrap_or_else(|message| panic!("{}: {message}", self.name()))
    }

    pub fn store(&self) -> Network {
        let Case { machine, direction, width, count, layout } = self;
        layout::store(*machine, *direction, *width, *count, layout)
            .unwrap_or_else(|message| panic!("{}: {message}", self.name()))
    }

    pub fn name(&self) -> String {
        let layout = match self.layout {
            Layout::Le => "le",
            Layout::Be => "be",
            Layout::Planes => "planes",
            Layout::Perm { .. } => "perm",
        };
        let Case { machine, direction, width, count, .. } = self;
        let across = if machine.across { "_across" } else { "" };
        format!("{}{across}_{direction:?}_u{width}x{count}_{layout}", machine.bits)
    }

    pub fn lanes(&self) -> u32 {
        self.machine.lanes(self.direction, self.width)
    }

    pub fn register_bytes(&self) -> usize {
        self.machine.register_bits(self.direction, self.width) as usize / 8
    }

    /// A batch of random blocks with zeros in the padding.
    pub fn random_memory(&self, random: &mut Random) -> Vec<u8> {
        let block = memory_bytes(self.width, self.count);
        let mut memory = random.bytes(block * self.lanes() as usize);
        let mut used = vec![0; block];
        for bit in self.bits() {
            used[bit.2 / 8] |= 1 << (bit.2 % 8);
        }
        memory.iter_mut().zip(used.iter().cycle()).for_each(|(byte, used)| *byte &= used);
        memory
    }

    /// Atom, position, and bit in memory.
    fn bits(&self) -> Vec<(u32, u16, usize)> {
        let place = |atom, position| {
            let bit = memory_bit(&self.layout, self.width, self.count, atom, position);
            (atom, position, bit.expect("the layout fits"))
        };
        (0..self.count).flat_map(|a| (0..self.width).map(move |p| place(a, p))).collect()
    }

    /// The registers that the definition gives for a batch.
    pub fn registers(&self, memory: &[u8]) -> Vec<Vec<u8>> {
        let bitslice = self.direction == Direction::B;
        let count = self.count * if bitslice { u32::from(self.width) } else { 1 };
        let mut registers = vec![vec![0; self.register_bytes()]; count as usize];
        let block = memory_bytes(self.width, self.count);
        for (atom, position, bit) in self.bits() {
            let register = match self.direction {
                Direction::B => atom * u32::from(self.width) + u32::from(position),
                _ => atom,
            };
            for lane in 0..self.lanes() {
                let position = if bitslice { 0 } else { position };
                let to = register_bit(self.machine, self.direction, self.width, lane, position);
                let to = to as usize;
                let value = memory[lane as usize * block + bit / 8] >> (bit % 8) & 1;
                registers[register as usize][to / 8] |= value << (to % 8);
            }
        }
        registers
    }
}
