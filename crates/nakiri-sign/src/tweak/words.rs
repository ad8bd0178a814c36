//! Nodes as rows of words of 32 bits, most significant byte first.

use crate::memory::{halves, halves_mut};

/// Sets the node of a lane.
pub fn put(nodes: &mut [u64], lanes: usize, lane: usize, node: &[u8]) {
    let rows = halves_mut(nodes);
    for (row, bytes) in node.chunks_exact(4).enumerate() {
        rows[row * lanes + lane] = u32::from_be_bytes(bytes.try_into().expect("four bytes"));
    }
}

/// Reads the node of a lane.
pub fn get(nodes: &[u64], lanes: usize, lane: usize, node: &mut [u8]) {
    let rows = halves(nodes);
    for (row, bytes) in node.chunks_exact_mut(4).enumerate() {
        bytes.copy_from_slice(&rows[row * lanes + lane].to_be_bytes());
    }
}
