//! Verification (FIPS 205, algorithms 20, 24 and 25), of several signatures at once.

use super::message::{select, Encoded, Message, Selected};
use super::places::FORS_TREE;
use super::{Set, VerifyingKey};
use crate::chains::{run, Chain};
use crate::climb::{roots, Climb};
use crate::engine::Engine;
use crate::rows::{Address, INDEX};
use crate::spot::Spot;
use crate::tweak::{compressed, Suite};
use crate::wots::{digits, TreeSignature};

impl VerifyingKey {
    /// Whether a signature is one of a message.
    pub fn verify(&self, message: &Message, signature: &[u8], engine: &Engine) -> bool {
        self.verify_many(&[(*message, signature)], engine)[0]
    }

    /// For each message and signature whether it is one of it. Those of many take less time each than one alone.
    pub fn verify_many(&self, signed: &[(Message, &[u8])], engine: &Engine) -> Vec<bool> {
        engine.verdicts(signed, |signed| {
            let claims: Vec<Option<Claim>> = (signed.iter())
                .map(|(message, signature)| self.claim(&message.encoded().ok()?, signature))
                .collect();
            self.are_right(&claims, engine)
        })
    }

    /// Whether a signature is one of M' as it is (algorithm 20).
    pub fn verify_internal(&self, message: &[u8], signature: &[u8], engine: &Engine) -> bool {
        self.are_right(&[self.claim(&Encoded::plain(message), signature)], engine)[0]
    }

    /// The parts of a signature and what a message selects, if it is as long as a signature.
    fn claim<'a>(&self, message: &Encoded, signature: &'a [u8]) -> Option<Claim<'a>> {
        let set = self.set();
        (signature.len() == set.signature_bytes()).then(|| {
            let (r, rest) = signature.split_at(set.n);
            let (few_time, layers) = rest.split_at(set.n * set.fors_nodes());
            let selected = select(set, r, self.seed(), self.root(), message);
            Claim { selected, few_time, layers }
        })
    }

    /// Which claims lead to the root.
    fn are_right(&self, claims: &[Option<Claim>], engine: &Engine) -> Vec<bool> {
        let set = self.set();
        let suite = set.suite(engine, self.seed(), None);
        let whole: Vec<&Claim> = claims.iter().flatten().collect();
        let mut nodes = fors(set, &suite, &whole);
        for layer in 0..set.layers {
            nodes = trees(set, &suite, &whole, layer, &nodes);
        }
        let mut nodes = nodes.chunks_exact(set.n);
        claims
            .iter()
            .map(|c| c.is_some() && nodes.next().is_some_and(|n| n == self.root()))
            .collect()
    }
}

/// A signature that says it is one.
struct Claim<'a> {
    selected: Selected,
    /// The part of FORS.
    few_time: &'a [u8],
    /// The parts of the layers from the lowest up.
    layers: &'a [u8],
}

impl<'a> Claim<'a> {
    /// Where FORS stands.
    fn spot(&self) -> Spot {
        Spot { layer: 0, tree: self.selected.tree, leaf: self.selected.leaf }
    }

    /// The secret value that is shown of a tree of FORS, and its path.
    fn part(&self, set: Set, tree: usize) -> (&'a [u8], &'a [u8]) {
        let bytes = set.n * (1 + set.fors_height as usize);
        self.few_time[bytes * tree..][..bytes].split_at(set.n)
    }
}

/// The public keys of FORS that signatures show, one after another (algorithm 17).
fn fors(set: Set, suite: &Suite, claims: &[&Claim]) -> Vec<u8> {
    let all =
        || claims.iter().flat_map(|claim| (0..set.fors_trees).map(move |tree| (*claim, tree)));
    let mut leaves: Vec<u8> =
        all().flat_map(|(claim, tree)| claim.part(set, tree).0).copied().collect();
    let chain = |(claim, tree): (&Claim, usize)| {
        let leaf = claim.selected.leaves[tree];
        let address = claim.spot().fors(set, FORS_TREE, tree, 0, leaf);
        // Its index is where a chain has its step.
        let from = address[INDEX];
        Chain { address, from, to: from + 1 }
    };
    run(suite, all().map(chain).collect(), &mut leaves);
    let climbs: Vec<Climb> = (all().zip(leaves.chunks_exact(set.n)))
        .map(|((claim, tree), leaf)| {
            let index = claim.selected.leaves[tree];
            Climb { index, leaf, path: claim.part(set, tree).1 }
        })
        .collect();
    let address = |climb: usize, height: u32, index: u32| {
        let (claim, tree) = (climb / set.fors_trees, climb % set.fors_trees);
        claims[claim].spot().fors(set, FORS_TREE, tree, height, index)
    };
    let roots = roots(suite, &climbs, address);
    let keys: Vec<(Address, &[u8])> =
        (claims.iter().zip(roots.chunks_exact(set.n * set.fors_trees)))
            .map(|(claim, roots)| (claim.spot().fors_roots(), roots))
            .collect();
    compressed(suite, &keys)
}

/// The roots of the trees of a layer whose leaves sign nodes so, one after another (algorithms 8 and 11).
fn trees(set: Set, suite: &Suite, claims: &[&Claim], layer: u32, nodes: &[u8]) -> Vec<u8> {
    let spot = |claim: &Claim| set.spot(claim.selected.tree, claim.selected.leaf, layer);
    let bytes = set.n * set.layer_nodes();
    let signatures: Vec<TreeSignature> = (claims.iter().zip(nodes.chunks_exact(set.n)))
        .map(|(claim, node)| {
            let part = &claim.layers[bytes * layer as usize..][..bytes];
            let (values, path) = part.split_at(set.n * set.chains());
            let (spot, digits) = (spot(claim), digits(node, 4, set.chains()));
            TreeSignature { leaf: spot.leaf, address: spot.one_time(), digits, values, path }
        })
        .collect();
    let inner = |claim: usize, height: u32, index: u32| spot(claims[claim]).inner(height, index);
    set.wots().roots(suite, &signatures, inner)
}
