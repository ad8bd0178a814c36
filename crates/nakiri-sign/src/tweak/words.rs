//! Nodes as rows of words of 32 bits, most significant byte first.

use crate::memory::{halves, halves_mut};

/// Sets the node of a lane.
pub fn put(nodes: &mut [u64], lanes: usize, lane: usize, node: &[u8]) {
    let rows = halves_mut(nodes).iter_mut().skip(lane).step_by(lanes);
    for (word, bytes) in rows.zip(node.chunks_exact(4)) {
        *word = u32::from_be_bytes(bytes.try_into().expect("four bytes"));
    }
}

/// Reads the node of a lane.
pub fn get(nodes: &[u64], lanes: usize, lane: usize, node: &mut [u8]) {
    let rows = halves(nodes).iter().skip(lane).step_by(lanes);
    for (word, bytes) in rows.zip(node.chunks_exact_mut(4)) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
}
