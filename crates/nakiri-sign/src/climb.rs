//! From leaves and their authentication paths to roots, on lanes.

use crate::rows::{Address, Addresses, Rows};
use crate::tweak::Suite;

/// A leaf with its path.
pub struct Climb<'a> {
    /// The leaf's place among all.
    pub index: u32,
    /// The leaf.
    pub leaf: &'a [u8],
    /// Its siblings up to the root, one after another.
    pub path: &'a [u8],
}

/// The roots, one after another, for paths of the same length; `address` is that of an inner node on the way of a climb, by its
/// height and index.
pub fn roots(
    suite: &Suite,
    climbs: &[Climb],
    address: impl Fn(usize, u32, u32) -> Address,
) -> Vec<u8> {
    let n = suite.n();
    let hash = suite.for_calls(climbs.len());
    let (lanes, words) = (hash.lanes(), hash.words());
    let mut memory = Rows::new(8 * 3 * words);
    let (left, rest) = memory.words_mut().split_at_mut(words);
    let (right, above) = rest.split_at_mut(words);
    let mut addresses = Addresses::new(lanes);
    let mut nodes: Vec<u8> = climbs.iter().flat_map(|climb| climb.leaf).copied().collect();
    for (batch, climbs) in climbs.chunks(lanes).enumerate() {
        let nodes = &mut nodes[n * lanes * batch..][..n * climbs.len()];
        for level in 0..climbs[0].path.len() / n {
            for (lane, (climb, node)) in climbs.iter().zip(nodes.chunks_exact(n)).enumerate() {
                let sibling = &climb.path[n * level..][..n];
                let (l, r) = match climb.index >> level & 1 {
                    0 => (node, sibling),
                    _ => (sibling, node),
                };
                hash.put(left, lane, l);
                hash.put(right, lane, r);
                let height = level as u32 + 1;
                let above = address(batch * lanes + lane, height, climb.index >> height);
                addresses.set(lane, &above);
            }
            hash.h(&addresses, left, right, above);
            for (lane, node) in nodes.chunks_exact_mut(n).enumerate() {
                hash.get(above, lane, node);
            }
        }
    }
    nodes
}
