//! Tweakable hash functions on lanes: what one-time keys, trees and few-time keys are made of.

mod lms;
mod row_hash;
mod sha2;
mod shake;
mod words;
mod xmss;

pub use lms::Lms;
pub use row_hash::RowHash;
pub use sha2::Sha2;
pub use shake::Shake;
pub use xmss::Xmss;

use crate::kernels::sha256_alone;
use crate::rows::{Address, Addresses, Rows};
use crate::Engine;
use std::sync::atomic::{AtomicU64, Ordering};

/// Tweakable hash functions under one public seed (FIPS 205, section 11; RFC 8391, section 4.1; RFC 8554), on lanes.
///
/// The *nodes* of all lanes lie side by side in words, in an order that is the function's own: `n` bytes of each lane, moved in and
/// out by [`Tweakable::put`] and [`Tweakable::get`].
pub trait Tweakable: Sync {
    /// How many lanes there are.
    fn lanes(&self) -> usize;
    /// How many bytes a node has.
    fn n(&self) -> usize;
    /// Sets the node of a lane: in rows of words of 32 bits, unless the function has another order.
    fn put(&self, nodes: &mut [u64], lane: usize, node: &[u8]) {
        words::put(nodes, self.lanes(), lane, &node[..self.n()]);
    }
    /// Reads the node of a lane.
    fn get(&self, nodes: &[u64], lane: usize, node: &mut [u8]) {
        words::get(nodes, self.lanes(), lane, &mut node[..self.n()]);
    }
    /// A step in a chain, or the leaf of a few-time key.
    fn f(&self, addresses: &Addresses, nodes: &[u64], out: &mut [u64]);
    /// The parent of two nodes.
    fn h(&self, addresses: &Addresses, left: &[u64], right: &[u64], out: &mut [u64]);
    /// Of several nodes of each lane, one after another, one.
    fn t(&self, addresses: &Addresses, nodes: &[u64], out: &mut [u64]);
    /// The secret value at an address.
    fn prf(&self, addresses: &Addresses, out: &mut [u64]);

    /// How many words the nodes of all lanes are.
    fn words(&self) -> usize {
        self.lanes() * self.n() / 8
    }
}

/// The same functions with many lanes, and with one.
pub struct Suite {
    /// For batches.
    pub many: Box<dyn Tweakable>,
    /// For one call after another.
    pub one: Box<dyn Tweakable>,
    /// How many calls of one lane take as long as one of many lanes.
    pub worth: usize,
    /// Counts leaves of trees.
    leaves: Option<&'static AtomicU64>,
}

impl Suite {
    /// The functions of many lanes and of one; `slow` if one stream has no instructions made for it.
    pub fn new(
        engine: &Engine,
        many: Box<dyn Tweakable>,
        one: Box<dyn Tweakable>,
        slow: bool,
    ) -> Suite {
        let by_instructions = !slow && sha256_alone().tweaked.is_none();
        let worth = match many.lanes() {
            1 => 1,
            _ if by_instructions => 7,
            _ => 2,
        };
        Suite { many, one, worth, leaves: engine.leaves }
    }

    /// What is best for so many independent calls.
    pub fn for_calls(&self, calls: usize) -> &dyn Tweakable {
        if calls < self.worth {
            &*self.one
        } else {
            &*self.many
        }
    }

    /// How many bytes a node has.
    pub fn n(&self) -> usize {
        self.many.n()
    }

    /// Counts so many leaves that were hashed, if somebody asked for that.
    pub fn count_leaves(&self, leaves: usize) {
        if let Some(count) = self.leaves {
            count.fetch_add(leaves as u64, Ordering::Relaxed);
        }
    }
}

/// Images of what is the same in all lanes, 8 bytes a word, as kernels of Nakiri take them.
fn images(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// T at each address of its nodes, which lie one after another and are equally many. The results lie so, too.
pub fn compressed(suite: &Suite, of: &[(Address, &[u8])]) -> Vec<u8> {
    let (hash, n) = (suite.for_calls(of.len()), suite.n());
    let (lanes, words) = (hash.lanes(), hash.words());
    let count = of.first().map_or(0, |(_, nodes)| nodes.len() / n);
    let mut memory = Rows::new(8 * words * (count + 1));
    let (out, all) = memory.words_mut().split_at_mut(words);
    let all = &mut all[..words * count];
    let mut addresses = Addresses::new(lanes);
    let mut compressed = vec![0; n * of.len()];
    for (of, made) in of.chunks(lanes).zip(compressed.chunks_mut(n * lanes)) {
        for (lane, (address, nodes)) in of.iter().enumerate() {
            addresses.set(lane, address);
            for (rows, node) in all.chunks_exact_mut(words).zip(nodes.chunks_exact(n)) {
                hash.put(rows, lane, node);
            }
        }
        hash.t(&addresses, all, out);
        for (lane, node) in made.chunks_exact_mut(n).enumerate() {
            hash.get(out, lane, node);
        }
    }
    compressed
}
