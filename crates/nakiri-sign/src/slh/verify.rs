//! Verification (FIPS 205, algorithms 20, 24 and 25).

use super::message::{select, Encoded, Message, Selected};
use super::places::FORS_TREE;
use super::{Set, VerifyingKey};
use crate::chains::{run, Chain};
use crate::climb::{roots, Climb};
use crate::engine::Engine;
use crate::rows::INDEX;
use crate::spot::Spot;
use crate::tweak::{alone, Suite};
use crate::wots::digits;

impl VerifyingKey {
    /// Whether a signature is one of a message.
    pub fn verify(&self, message: &Message, signature: &[u8], engine: &Engine) -> bool {
        message.encoded().is_ok_and(|encoded| self.verify_encoded(&encoded, signature, engine))
    }

    /// Whether a signature is one of M' as it is (algorithm 20).
    pub fn verify_internal(&self, message: &[u8], signature: &[u8], engine: &Engine) -> bool {
        self.verify_encoded(&Encoded::plain(message), signature, engine)
    }

    /// Whether a signature is one of M'.
    fn verify_encoded(&self, message: &Encoded, signature: &[u8], engine: &Engine) -> bool {
        let set = self.set();
        if signature.len() != set.signature_bytes() {
            return false;
        }
        let suite = set.suite(engine, self.seed(), None);
        let (r, rest) = signature.split_at(set.n);
        let (few_time, layers) = rest.split_at(set.n * set.fors_nodes());
        let selected = select(set, r, self.seed(), self.root(), message);
        let mut node = fors(set, &suite, &selected, few_time);
        for (layer, part) in (0..).zip(layers.chunks_exact(set.n * set.layer_nodes())) {
            let spot = set.spot(selected.tree, selected.leaf, layer);
            node = tree(set, &suite, spot, &node, part);
        }
        node == self.root()
    }
}

/// The public key of FORS that a signature shows (algorithm 17).
fn fors(set: Set, suite: &Suite, selected: &Selected, signature: &[u8]) -> Vec<u8> {
    let spot = Spot { layer: 0, tree: selected.tree, leaf: selected.leaf };
    let parts = signature.chunks_exact(set.n * (1 + set.fors_height as usize));
    let leaf_address = |tree: usize| spot.fors(set, FORS_TREE, tree, 0, selected.leaves[tree]);
    let mut leaves: Vec<Chain> = (parts.clone().enumerate())
        .map(|(tree, part)| {
            let address = leaf_address(tree);
            // Its index is where a chain has its step.
            let from = address[INDEX];
            Chain { address, from, to: from + 1, node: part[..set.n].to_vec() }
        })
        .collect();
    run(suite, &mut leaves);
    let climbs: Vec<Climb> = (leaves.into_iter().zip(parts).zip(&selected.leaves))
        .map(|((leaf, part), &index)| Climb { index, leaf: leaf.node, path: &part[set.n..] })
        .collect();
    let address = |tree: usize, height: u32| {
        spot.fors(set, FORS_TREE, tree, height, selected.leaves[tree] >> height)
    };
    alone(suite, &spot.fors_roots(), &roots(suite, &climbs, address))
}

/// The root of the tree whose leaf at a spot signs a node so (algorithms 8 and 11).
fn tree(set: Set, suite: &Suite, spot: Spot, node: &[u8], signature: &[u8]) -> Vec<u8> {
    let (values, path) = signature.split_at(set.n * set.chains());
    let digits = digits(node, 4, set.chains());
    let leaf = set.wots().completed(suite, &spot.one_time(), &digits, values);
    let climb = Climb { index: spot.leaf, leaf, path };
    let inner = |_, height: u32| spot.inner(height, spot.leaf >> height);
    roots(suite, &[climb], inner).remove(0)
}
