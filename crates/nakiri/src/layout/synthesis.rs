//! Synthesis of the transpositions between blocks in memory and sliced registers.
//!
//! A block is cut into chunks of a power of two bytes. Where the map from a chunk's bits to the registers permutes
//! (and complements) address bits, [`route`](super::route) finds the shuffles for it; this covers all layouts under
//! B, where the registers' order is free, and `@le`, `@be` and `@planes` elsewhere. Other layouts are recombined
//! from `@le` words on the register side ([`recombine`](super::recombine)).

use super::network::{Machine, Network, Way};
use super::passes::{Batch, Builder, Side};
use super::recombine;
use super::route::{route, Arrangement, Coordinate};
use super::{memory_bit, memory_bytes, register_bit};
use crate::core::{Direction, Layout};

/// The network that loads a batch of blocks of `count` atoms of `width` bits into registers: under V, H and P (whose atoms
/// are rows here) one register for each atom, under B one for each bit, the most significant bit of an atom first.
///
/// An error says why the target has no such registers, or why the layout doesn't fit the atoms.
pub fn load(
    machine: Machine,
    direction: Direction,
    width: u16,
    count: u32,
    layout: &Layout,
) -> Result<Network, String> {
    Port::new(machine, direction, width, count, layout)?.network(Way::Load)
}

/// The network that stores such registers, the inverse of [`load`]; the padding of a block's last byte is zero.
pub fn store(
    machine: Machine,
    direction: Direction,
    width: u16,
    count: u32,
    layout: &Layout,
) -> Result<Network, String> {
    Port::new(machine, direction, width, count, layout)?.network(Way::Store)
}

/// A bit of an atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AtomBit {
    /// Which atom.
    pub atom: u32,
    /// Which position in it, 0 is the most significant.
    pub position: u16,
}

/// A port on a machine.
pub(crate) struct Port {
    /// The machine.
    pub machine: Machine,
    /// How the atoms are sliced.
    pub direction: Direction,
    /// Bits of an atom.
    pub width: u16,
    /// Number of atoms.
    pub count: u32,
    /// For each bit of a block in memory the atom's bit that it holds; `None` for padding.
    pub bits: Vec<Option<AtomBit>>,
}

impl Port {
    /// The port, if the target has registers for it and the layout fits.
    pub fn new(
        machine: Machine,
        direction: Direction,
        width: u16,
        count: u32,
        layout: &Layout,
    ) -> Result<Port, String> {
        check(machine, direction, width)?;
        let bits = block_bits(layout, width, count)?;
        Ok(Port { machine, direction, width, count, bits })
    }

    /// Bits of a register.
    pub fn register_bits(&self) -> u32 {
        self.machine.register_bits(self.direction, self.width)
    }

    /// Number of blocks in a batch.
    pub fn lanes(&self) -> u32 {
        self.machine.lanes(self.direction, self.width)
    }

    /// Number of registers.
    pub fn registers(&self) -> u32 {
        match self.direction {
            Direction::B => self.count * u32::from(self.width),
            _ => self.count,
        }
    }

    /// The register that holds a bit of an atom, if it is not one of the padding.
    pub fn register(&self, bit: AtomBit) -> Option<u32> {
        let register = match self.direction {
            Direction::B => bit.atom * u32::from(self.width) + u32::from(bit.position),
            _ => bit.atom,
        };
        (register < self.registers()).then_some(register)
    }

    /// The port of the same bytes as atoms in little-endian order: more of them, where the last byte has room for more.
    pub fn words(&self) -> Port {
        let room = (self.bits.len() / usize::from(self.width)) as u32;
        let count = if self.direction == Direction::B { self.count } else { room };
        Port { count, bits: padded(&Layout::Le, self.width, count), ..*self }
    }

    fn network(&self, way: Way) -> Result<Network, String> {
        if let Some(network) = self.shuffles(way, Side::Registers) {
            return Ok(network);
        }
        if self.direction == Direction::P {
            return Err("rows lie in memory in an order that no shuffle makes".to_owned());
        }
        let words = self.words();
        let side = if way == Way::Load { Side::Registers } else { Side::Words };
        let network = words.shuffles(way, side).ok_or("the target's shuffles don't reach it")?;
        Ok(recombine::recombine(self, way, network))
    }

    /// The network, if the map permutes address bits.
    fn shuffles(&self, way: Way, side: Side) -> Option<Network> {
        let mut builder = Builder::new(self, way, side);
        for chunk in self.chunks() {
            let memory = self.in_memory(&chunk);
            let registers = self.in_registers(&chunk)?;
            let memory = self.place_lanes(&chunk, memory, &registers);
            let (start, goal) = match way {
                Way::Load => (memory, registers),
                Way::Store => (registers, memory),
            };
            let (moves, end) = route(self.machine_of_registers(), &start, &goal)?;
            builder.chunk(&Batch { chunk: &chunk, start: &start, end: &end, moves: &moves });
        }
        Some(builder.finish())
    }

    fn machine_of_registers(&self) -> Machine {
        Machine { bits: self.register_bits(), ..self.machine }
    }

    /// Cuts a block into chunks of a power of two bytes, the longest first.
    fn chunks(&self) -> Vec<Chunk> {
        let (register, lanes) = (self.register_bits().ilog2(), self.lanes().ilog2());
        let mut chunks = Vec::new();
        let (mut offset, bytes) = (0, self.bits.len() / 8);
        while offset < bytes {
            let size = 1 << (bytes - offset).ilog2();
            let address = (size * 8_usize).ilog2();
            let contiguous = size == bytes || address >= register;
            let piece = if contiguous { register } else { address.min(7).min(register) };
            chunks.push(Chunk { offset, address, lanes, stride: bytes, piece });
            offset += size;
        }
        chunks
    }

    /// The arrangement in memory: registers are loaded from consecutive bytes. If a chunk is shorter than a
    /// register and not the whole block, they are loaded in pieces, for which any blocks may be chosen.
    fn in_memory(&self, chunk: &Chunk) -> Arrangement {
        let all = chunk.coordinates();
        let register = self.register_bits().ilog2() as usize;
        Arrangement {
            positions: (0..register as Coordinate).collect(),
            registers: (register as Coordinate..all).collect(),
            flips: vec![false; usize::from(all)],
        }
    }

    /// Chooses the blocks whose pieces make up a register: the ones that stay there, if possible.
    fn place_lanes(
        &self,
        chunk: &Chunk,
        mut memory: Arrangement,
        registers: &Arrangement,
    ) -> Arrangement {
        let piece = chunk.piece as usize;
        if piece == memory.positions.len() {
            return memory;
        }
        let all = 0..chunk.coordinates();
        let mut free: Vec<Coordinate> = all.skip(piece).collect();
        let mut chosen = memory.positions[..piece].to_vec();
        let stays = |slot: usize, free: &[Coordinate]| {
            let coordinate = registers.positions[slot];
            (free.contains(&coordinate) && chunk.is_lane(coordinate)).then_some(coordinate)
        };
        let slots = piece..registers.positions.len();
        let staying: Vec<_> = slots.map(|slot| stays(slot, &free)).collect();
        free.retain(|coordinate| !staying.contains(&Some(*coordinate)));
        // Those that aren't wanted in the lowest positions come last; they are the best to fill up with.
        let low = &registers.positions[..3.min(registers.positions.len())];
        free.sort_by_key(|coordinate| (chunk.is_lane(*coordinate), !low.contains(coordinate)));
        chosen.extend(staying.into_iter().map(|coordinate| match coordinate {
            Some(coordinate) => coordinate,
            None => free.pop().unwrap_or_default(),
        }));
        free.sort();
        memory.positions = chosen;
        memory.registers = free;
        memory
    }

    /// The arrangement in registers, if the map from the chunk's bits to registers permutes address bits.
    fn in_registers(&self, chunk: &Chunk) -> Option<Arrangement> {
        let address = chunk.address as Coordinate;
        let lanes = address..chunk.coordinates();
        let flips = vec![false; usize::from(chunk.coordinates())];
        if self.direction == Direction::B {
            let registers = (0..address).collect();
            return Some(Arrangement { positions: lanes.collect(), registers, flips });
        }
        let map = self.chunk_map(chunk)?;
        let position_bits = self.register_bits().ilog2();
        let mut places = vec![None; usize::from(chunk.coordinates())];
        let mut flips = flips;
        let mut put = |coordinate: Coordinate, difference: u64, base: u64| {
            let place = places.get_mut(difference.ilog2() as usize)?;
            *place = Some(coordinate);
            flips[usize::from(coordinate)] = base & difference != 0;
            difference.is_power_of_two().then_some(())
        };
        for coordinate in 0..address {
            let difference = map[0] ^ map[1 << coordinate];
            put(coordinate, difference, map[0])?;
            let permutes = |bit: usize| map[bit] ^ map[bit ^ 1 << coordinate] == difference;
            if !(0..map.len()).all(permutes) {
                return None;
            }
        }
        for coordinate in lanes {
            let lane = 1 << (coordinate - address);
            let position = |lane| register_bit(self.machine, self.direction, self.width, lane, 0);
            put(coordinate, u64::from(position(lane) ^ position(0)), 0)?;
        }
        let places: Vec<Coordinate> = places.into_iter().collect::<Option<_>>()?;
        let (positions, registers) = places.split_at(position_bits as usize);
        Some(Arrangement { positions: positions.to_vec(), registers: registers.to_vec(), flips })
    }

    /// For each bit of a chunk of block 0 its place, counted from the first bit of the chunk's first register.
    fn chunk_map(&self, chunk: &Chunk) -> Option<Vec<u64>> {
        let first = chunk.offset * 8;
        let bits: Vec<AtomBit> = self.bits[first..first + (1 << chunk.address)]
            .iter()
            .copied()
            .collect::<Option<_>>()?;
        let atom = bits.iter().map(|bit| bit.atom).min()?;
        let place = |bit: &AtomBit| {
            let position = register_bit(self.machine, self.direction, self.width, 0, bit.position);
            u64::from(bit.atom - atom) * u64::from(self.register_bits()) + u64::from(position)
        };
        let map: Vec<u64> = bits.iter().map(place).collect();
        let size = u64::from(self.register_bits()) * map.len() as u64 / u64::from(self.width);
        map.iter().all(|&place| place < size).then_some(map)
    }
}

/// A part of each block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// Its first byte in the block.
    pub offset: usize,
    /// The number of its address bits; the coordinates from here on are those of the block's number.
    pub address: u32,
    /// The number of bits of the block's number.
    pub lanes: u32,
    /// Bytes from one block to the next.
    pub stride: usize,
    /// The number of address bits of what is loaded at once.
    pub piece: u32,
}

impl Chunk {
    /// The number of coordinates.
    pub fn coordinates(&self) -> Coordinate {
        (self.address + self.lanes) as Coordinate
    }

    /// Whether a coordinate is one of the block's number.
    pub fn is_lane(&self, coordinate: Coordinate) -> bool {
        u32::from(coordinate) >= self.address
    }

    /// How far in memory, in bits, the two halves are apart that a coordinate tells apart.
    pub fn distance(&self, coordinate: Coordinate) -> usize {
        if self.is_lane(coordinate) {
            (self.stride * 8) << (u32::from(coordinate) - self.address)
        } else {
            1 << coordinate
        }
    }
}

/// Whether the machine has registers for such atoms.
fn check(machine: Machine, direction: Direction, width: u16) -> Result<(), String> {
    let bits = machine.bits;
    let fits = match direction {
        Direction::B => width > 0,
        Direction::V if machine.several && u32::from(width) > bits => false,
        Direction::V => matches!(width, 8 | 16 | 32 | 64),
        Direction::H if !machine.simd => {
            !machine.several && matches!(width, 8 | 16 | 32) && u32::from(width) < bits
        }
        Direction::H => {
            matches!(width, 2 | 4 | 8 | 16) || (bits == 512 && matches!(width, 32 | 64))
        }
        Direction::P => machine.simd && matches!(width, 16 | 32 | 64 | 128),
    };
    if fits {
        Ok(())
    } else {
        Err(format!("registers of {bits} bits don't hold {direction:?} atoms of {width} bits"))
    }
}

/// The atom's bit that each bit of a block holds, padding being atoms that don't exist.
fn block_bits(layout: &Layout, width: u16, count: u32) -> Result<Vec<Option<AtomBit>>, String> {
    let total = usize::from(width) * count as usize;
    if let Layout::Perm { entries, name } = layout {
        let mut sorted = entries.clone();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(1..=total as u32) {
            return Err(format!("`{name}` doesn't permute {total} bits"));
        }
    }
    let bits = padded(layout, width, count);
    if bits.iter().flatten().filter(|bit| bit.atom < count).count() != total {
        return Err(format!("the layout doesn't fit {count} atoms of {width} bits"));
    }
    Ok(bits)
}

/// The atom's bit that each bit of a block holds, as far as the layout says one.
fn padded(layout: &Layout, width: u16, count: u32) -> Vec<Option<AtomBit>> {
    let mut bits = vec![None; memory_bytes(width, count) * 8];
    let more = (bits.len() as u32).div_ceil(u32::from(width)).max(count);
    let more = if matches!(layout, Layout::Planes) { count } else { more };
    for atom in 0..more {
        for position in 0..width {
            let bit = memory_bit(layout, width, more, atom, position);
            if let Some(place) = bit.and_then(|bit| bits.get_mut(bit)) {
                *place = Some(AtomBit { atom, position });
            }
        }
    }
    bits
}
