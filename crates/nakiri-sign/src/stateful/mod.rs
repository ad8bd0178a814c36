//! Signing by keys of which each index may be used once: LMS, HSS, XMSS, XMSS^MT.

mod tree;

pub(crate) use tree::Keys;

use crate::Engine;
use tree::Tree;

/// The trees of each layer from the top down that were hashed last, with their numbers in their layers.
#[derive(Default)]
pub(crate) struct Trees(Vec<Option<(u64, Tree)>>);

impl Trees {
    /// A tree of a layer, which is hashed if it isn't there.
    pub fn at(&mut self, layer: usize, number: u64, keys: &Keys, engine: &Engine) -> &mut Tree {
        if self.0.len() <= layer {
            self.0.resize_with(layer + 1, || None);
        }
        let slot = &mut self.0[layer];
        if slot.as_ref().is_some_and(|(found, _)| *found != number) {
            *slot = None;
        }
        &mut slot.get_or_insert_with(|| (number, Tree::new(keys, engine.threads))).1
    }
}
