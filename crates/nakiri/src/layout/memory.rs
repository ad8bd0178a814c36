//! Atoms as bytes in memory, by their port's layout.

use super::{memory_bit, memory_bytes};
use crate::core::Port;

/// The size of a port in memory, in bytes. Its word size must be known.
pub fn port_bytes(port: &Port) -> usize {
    memory_bytes(port.ty.bits(), port.count())
}

/// The atoms that a port's bytes in memory hold; `None` if there are too few or too many bytes, or the layout does not
/// fit the port.
pub fn from_memory(port: &Port, bytes: &[u8]) -> Option<Vec<u128>> {
    let (width, count) = (port.ty.bits(), port.count());
    if bytes.len() != memory_bytes(width, count) {
        return None;
    }
    let bit = |atom, position| {
        let place = memory_bit(&port.layout, width, count, atom, position)?;
        Some(u128::from(bytes.get(place / 8)? >> (place % 8) & 1))
    };
    let atom = |atom| (0..width).try_fold(0, |sum, position| Some(sum << 1 | bit(atom, position)?));
    (0..count).map(atom).collect()
}

/// The bytes in memory of a port's atoms; `None` if the layout does not fit the port.
pub fn to_memory(port: &Port, atoms: &[u128]) -> Option<Vec<u8>> {
    let (width, count) = (port.ty.bits(), port.count());
    let mut bytes = vec![0; memory_bytes(width, count)];
    for (atom, value) in (0..count).zip(atoms) {
        for position in 0..width {
            let place = memory_bit(&port.layout, width, count, atom, position)?;
            let bit = (value >> (width - 1 - position) & 1) as u8;
            *bytes.get_mut(place / 8)? |= bit << (place % 8);
        }
    }
    Some(bytes)
}
