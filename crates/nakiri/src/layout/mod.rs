//! Where bits lie: in memory by a port's layout, in registers by its direction. Everything that moves data
//! (transpositions, test harnesses, key images) is made from, or checked against, these two functions.

pub mod counters;
pub mod gather;
pub mod image;
mod memory;
pub mod network;
mod passes;
mod recombine;
mod route;
mod search;
mod simulation;
mod sizes;
pub mod synthesis;

pub use counters::{counters, Counter};
pub use memory::{from_memory, port_bytes, to_memory};
pub use network::Machine;
pub use synthesis::{load, store};

use crate::core::{Direction, Layout};

/// The number of bytes that `count` atoms of `width` bits take in memory; a last partial byte is padded with zeros.
pub fn memory_bytes(width: u16, count: u32) -> usize {
    (usize::from(width) * count as usize).div_ceil(8)
}

/// The bit of a block in memory that holds bit `position` (0 = most significant) of atom `atom`: the bit
/// `k % 8` (0 = least significant) of byte `k / 8`. `None` if the layout doesn't fit `count` atoms of `width` bits.
pub fn memory_bit(
    layout: &Layout,
    width: u16,
    count: u32,
    atom: u32,
    position: u16,
) -> Option<usize> {
    let (width, atom, position) = (usize::from(width), atom as usize, usize::from(position));
    match layout {
        Layout::Le => Some(atom * width + (width - 1 - position)),
        Layout::Be => Some(most_significant_first(atom * width + position)),
        Layout::Planes if count.is_multiple_of(8) => {
            Some((atom / 8 * width + position) * 8 + (7 - atom % 8))
        }
        Layout::Planes => None,
        Layout::Perm { entries, .. } => {
            let entry = *entries.get(atom * width + position)?;
            Some(most_significant_first(entry as usize - 1))
        }
    }
}

/// The layout of rows of `length` atoms of `width` bits each, side by side from the lowest bits, as atoms of as many bits as a
/// row: `layout` is that of the `count` atoms.
pub fn of_rows(layout: &Layout, width: u16, count: u32, length: u16) -> Layout {
    if matches!(layout, Layout::Le) {
        return Layout::Le;
    }
    let (rows, bits) = (count / u32::from(length), width * length);
    let place = |bit: u32| {
        let (row, position) = (bit / u32::from(bits), (bit % u32::from(bits)) as u16);
        let atom = row * u32::from(length) + u32::from(length - 1 - position / width);
        let bit = memory_bit(layout, width, count, atom, position % width).unwrap_or(0);
        most_significant_first(bit) as u32 + 1
    };
    let entries = (0..rows * u32::from(bits)).map(place).collect();
    Layout::Perm { name: "rows".to_owned(), entries }
}

/// The memory bit with this index when the bits of each byte are counted from the most significant one.
fn most_significant_first(index: usize) -> usize {
    index / 8 * 8 + (7 - index % 8)
}

/// How many blocks a register of `bits` bits holds; packed atoms are rows here. Vertical general-purpose registers hold one
/// (`bits` is then the atom's width).
pub fn lanes(direction: Direction, width: u16, bits: u32) -> u32 {
    match direction {
        Direction::B => bits,
        _ => bits / u32::from(width),
    }
}

/// The bit of a register (bit `k % 8` of byte `k / 8` of its memory image) that holds bit `position`
/// (0 = most significant) of the atom of block `lane`.
///
/// Vertical: lane l is element l, elements from low to high; packed likewise, with a row for an atom. Horizontal: position p is element p of the
/// segment, and the lanes of a segment are the bits of the element from low to high; a general-purpose register has its elements from high to
/// low, so that the atom's shifts are the register's. Bitslice (one-bit atoms, position 0): lane l is bit l.
pub fn register_bit(
    machine: Machine,
    direction: Direction,
    width: u16,
    lane: u32,
    position: u16,
) -> u32 {
    let (width, position) = (u32::from(width), u32::from(position));
    match direction {
        Direction::B => lane,
        Direction::V | Direction::P => lane * width + (width - 1 - position),
        Direction::H => {
            let segment = machine.segment_bits(width as u16);
            let lanes = segment / width;
            let element = if machine.simd { position } else { width - 1 - position };
            lane / lanes * segment + element * lanes + lane % lanes
        }
    }
}
