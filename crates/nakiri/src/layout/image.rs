//! Keys and constants: the compact images of single atoms that kernels broadcast.

use super::{memory_bit, memory_bytes, Machine};
use crate::core::{Direction, Layout};

/// The number of bytes of the image of one constant atom: under V the element repeated to 8 bytes, under P the row likewise
/// if it is shorter, under B 8 bytes of 0x00 or 0xff for each bit (the most significant first), under H one segment, repeated
/// to 8 bytes.
pub fn image_bytes(machine: Machine, direction: Direction, width: u16) -> usize {
    match direction {
        Direction::B => usize::from(width) * 8,
        Direction::H => (machine.segment_bits(width) as usize / 8).max(8),
        Direction::V | Direction::P => usize::from(width).div_ceil(8).max(8),
    }
}

/// The image of an atom with this value.
pub fn image(machine: Machine, direction: Direction, width: u16, value: u128) -> Vec<u8> {
    let bit = |position: usize| value >> (usize::from(width) - 1 - position) & 1 != 0;
    let fill = |one| if one { 0xff } else { 0 };
    let bytes = image_bytes(machine, direction, width);
    match direction {
        Direction::H if !machine.simd => {
            let lanes = bits_of_position(machine, width);
            let bit = |i: usize| value >> (i / lanes % usize::from(width)) & 1;
            (0..bytes).map(|i| (0..8).fold(0, |b, k| b | (bit(8 * i + k) as u8) << k)).collect()
        }
        Direction::B => (0..bytes).map(|i| fill(bit(i / 8))).collect(),
        Direction::H => (0..bytes).map(|i| fill(bit(i * usize::from(width) / bytes))).collect(),
        Direction::V | Direction::P => {
            let size = usize::from(width).div_ceil(8);
            value.to_le_bytes()[..size].iter().copied().cycle().take(bytes).collect()
        }
    }
}

/// How many bits of a general-purpose register hold the same position of horizontal atoms.
fn bits_of_position(machine: Machine, width: u16) -> usize {
    (machine.segment_bits(width) / u32::from(width)) as usize
}

/// The bit of memory of each bit of `count` atoms, counted from the least significant bit of the first atom.
///
/// # Errors
/// If the layout doesn't fit the atoms.
pub fn places(layout: &Layout, width: u16, count: u32) -> Result<Vec<usize>, String> {
    let misfit = || format!("the layout doesn't fit {count} atoms of {width} bits");
    let bytes = memory_bytes(width, count);
    let mut places = Vec::new();
    for atom in 0..count {
        for bit in 0..width {
            let position = width - 1 - bit;
            let entries_fit = match layout {
                Layout::Perm { entries, .. } => entries.iter().all(|&entry| entry > 0),
                _ => true,
            };
            let place = entries_fit.then(|| memory_bit(layout, width, count, atom, position));
            let place = place.flatten().filter(|&place| place < bytes * 8).ok_or_else(misfit)?;
            places.push(place);
        }
    }
    Ok(places)
}

/// For each bit of the images of some atoms, one after another, which of `places` it is: these are the atoms' bits, each atom's
/// from the least significant on.
pub fn sources(machine: Machine, direction: Direction, width: u16, places: &[usize]) -> Vec<usize> {
    let mut bits = vec![0; image_bytes(machine, direction, width) * 8];
    for bit in 0..width {
        let image = image(machine, direction, width, 1 << bit);
        for (place, from) in bits.iter_mut().enumerate() {
            if image[place / 8] >> (place % 8) & 1 == 1 {
                *from = usize::from(bit);
            }
        }
    }
    let atoms = places.chunks(usize::from(width));
    atoms.flat_map(|atom| bits.iter().map(|&bit| atom[bit])).collect()
}
