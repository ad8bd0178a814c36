//! Signing (FIPS 205, sections 6 to 10). Which leaves a message selects is public, as the signature tells it.

use super::message::{randomizer, select, Encoded, Message, Selected};
use super::places::{FORS_SECRET, FORS_TREE};
use super::{Set, SigningKey};
use crate::engine::Engine;
use crate::forest::{Forest, Leaves, Place, Tree};
use crate::rows::{Address, Addresses, Rows};
use crate::secrecy::declassify;
use crate::spot::Spot;
use crate::tweak::{compressed, Suite, Tweakable};
use crate::wots::{self, digits};
use crate::Error;
use std::sync::Mutex;
use zeroize::Zeroizing;

/// Where the randomizer of a signature comes from.
#[derive(Clone, Copy, Debug)]
pub enum Randomness<'a> {
    /// From the operating system: signatures of a message differ, and faults and side channels tell less.
    Hedged,
    /// From the public seed: a message has one signature.
    Deterministic,
    /// As given, n bytes.
    Given(&'a [u8]),
}

impl SigningKey {
    /// The signature of a message (algorithms 22 and 23).
    ///
    /// # Errors
    /// If the context is too long, if there are no random numbers or not as many as needed, or if the key's root is not that of
    /// its seeds.
    pub fn sign(
        &self,
        message: &Message,
        randomness: Randomness,
        engine: &Engine,
    ) -> Result<Vec<u8>, Error> {
        let set = self.verifying_key().set();
        let mut random = vec![0; set.n];
        match randomness {
            Randomness::Hedged => getrandom::fill(&mut random).map_err(|_| Error::NoRandomness)?,
            Randomness::Deterministic => random.copy_from_slice(self.verifying_key().seed()),
            Randomness::Given(bytes) if bytes.len() == set.n => random.copy_from_slice(bytes),
            Randomness::Given(_) => return Err(Error::NoRandomness),
        }
        self.sign_encoded(&message.encoded()?, &random, engine)
    }

    /// The signature of M' as it is, with a randomizer of n bytes (algorithm 19): for protocols that make M' themselves.
    ///
    /// # Errors
    /// If the randomizer has another length, or the key's root is not that of its seeds.
    pub fn sign_internal(
        &self,
        message: &[u8],
        random: &[u8],
        engine: &Engine,
    ) -> Result<Vec<u8>, Error> {
        match random.len() == self.verifying_key().set().n {
            true => self.sign_encoded(&Encoded::plain(message), random, engine),
            false => Err(Error::NoRandomness),
        }
    }

    /// The signature of M' (algorithm 19).
    fn sign_encoded(
        &self,
        message: &Encoded,
        random: &[u8],
        engine: &Engine,
    ) -> Result<Vec<u8>, Error> {
        let public = self.verifying_key();
        let set = public.set();
        let suite = set.suite(engine, public.seed(), Some(&self.secret));
        let mut signature = randomizer(set, &self.prf, random, message);
        declassify(&signature);
        let selected = select(set, &signature, public.seed(), public.root(), message);
        let mut node = fors(set, &suite, &selected, engine.threads, &mut signature);
        let spots: Vec<Spot> =
            (0..set.layers).map(|layer| set.spot(selected.tree, selected.leaf, layer)).collect();
        let leaves = TreeLeaves::new(set, &spots, true);
        let trees = trees(&suite, &leaves, engine.threads);
        for (tree, kept) in trees.iter().zip(leaves.kept) {
            let kept = kept.into_inner().expect("nobody panicked");
            for (chain, digit) in digits(&node, 4, set.chains()).into_iter().enumerate() {
                signature
                    .extend_from_slice(&kept[set.n * (16 * chain + digit as usize)..][..set.n]);
            }
            signature.extend_from_slice(&tree.path);
            node.clone_from(&tree.root);
        }
        declassify(&signature);
        match node == public.root() {
            true => Ok(signature),
            false => Err(Error::WrongRoot),
        }
    }
}

/// Appends the part of a signature that FORS makes, and gives its public key (algorithms 16 and 17).
fn fors(
    set: Set,
    suite: &Suite,
    selected: &Selected,
    threads: usize,
    signature: &mut Vec<u8>,
) -> Vec<u8> {
    let leaves =
        FewTimeLeaves { set, spot: Spot { layer: 0, tree: selected.tree, leaf: selected.leaf } };
    let wanted: Vec<Option<u32>> = selected.leaves.iter().copied().map(Some).collect();
    let forest =
        Forest { suite, leaves: &leaves, height: set.fors_height, wanted: &wanted, threads };
    let trees = forest.grow();
    let hash = &*suite.many;
    let mut memory = Rows::new(8 * hash.words());
    for (batch, trees) in trees.chunks(hash.lanes()).enumerate() {
        let place = |lane| {
            let tree = batch * hash.lanes() + lane;
            Place { tree, height: 0, index: selected.leaves[tree] }
        };
        let places: Vec<Place> = (0..trees.len()).map(place).collect();
        hash.prf(&leaves.addresses(hash, &places, FORS_SECRET), memory.words_mut());
        for (lane, tree) in trees.iter().enumerate() {
            let mut secret = vec![0; set.n];
            hash.get(memory.words(), lane, &mut secret);
            signature.extend(secret);
            signature.extend_from_slice(&tree.path);
        }
    }
    let roots: Vec<u8> = trees.into_iter().flat_map(|tree| tree.root).collect();
    compressed(suite, &[(leaves.spot.fors_roots(), &roots)])
}

/// The leaves of FORS.
struct FewTimeLeaves {
    set: Set,
    spot: Spot,
}

impl FewTimeLeaves {
    fn addresses(&self, hash: &dyn Tweakable, places: &[Place], kind: u32) -> Addresses {
        let address = |place: Place| self.spot.fors(self.set, kind, place.tree, 0, place.index);
        wots::addresses(hash.lanes(), places, address)
    }
}

impl Leaves for FewTimeLeaves {
    fn leaves(&self, hash: &dyn Tweakable, places: &[Place], out: &mut [u64]) {
        let mut secrets = Rows::new(8 * hash.words());
        hash.prf(&self.addresses(hash, places, FORS_SECRET), secrets.words_mut());
        hash.f(&self.addresses(hash, places, FORS_TREE), secrets.words(), out);
    }

    fn address(&self, place: Place) -> Address {
        self.spot.fors(self.set, FORS_TREE, place.tree, place.height, place.index)
    }
}

/// The leaves of trees of the hypertree. The nodes of all chains of the leaves that sign are kept, so that nothing is hashed twice.
pub(super) struct TreeLeaves<'a> {
    set: Set,
    spots: &'a [Spot],
    /// For each tree the nodes of each chain of its leaf that signs; nothing if no leaf signs.
    kept: Vec<Mutex<Zeroizing<Vec<u8>>>>,
}

impl TreeLeaves<'_> {
    /// The trees at spots, whose leaves sign or not.
    pub fn new(set: Set, spots: &[Spot], signs: bool) -> TreeLeaves<'_> {
        let bytes = if signs { 16 * set.n * set.chains() } else { 0 };
        let room = |_| Mutex::new(Zeroizing::new(vec![0; bytes]));
        TreeLeaves { set, spots, kept: (0..spots.len()).map(room).collect() }
    }
}

impl Leaves for TreeLeaves<'_> {
    fn leaves(&self, hash: &dyn Tweakable, places: &[Place], out: &mut [u64]) {
        let n = self.set.n;
        let spot = |place: Place| Spot { leaf: place.index, ..self.spots[place.tree] };
        let mut addresses = wots::addresses(hash.lanes(), places, |place| spot(place).one_time());
        let mut signing: Vec<_> = places
            .iter()
            .enumerate()
            .filter(|(_, place)| place.index == self.spots[place.tree].leaf)
            .map(|(lane, place)| (lane, self.kept[place.tree].lock().expect("nobody panicked")))
            .filter(|(_, kept)| !kept.is_empty())
            .collect();
        let keep = |chain: usize, step: u32, nodes: &[u64]| {
            for (lane, kept) in &mut signing {
                hash.get(nodes, *lane, &mut kept[n * (16 * chain + step as usize)..][..n]);
            }
        };
        self.set.wots().public_keys(hash, &mut addresses, out, keep);
    }

    fn address(&self, place: Place) -> Address {
        self.spots[place.tree].inner(place.height, place.index)
    }
}

/// The trees of leaves, with the paths of the leaves that sign.
pub(super) fn trees(suite: &Suite, leaves: &TreeLeaves, threads: usize) -> Vec<Tree> {
    let wanted: Vec<Option<u32>> = leaves.spots.iter().map(|spot| Some(spot.leaf)).collect();
    Forest { suite, leaves, height: leaves.set.height, wanted: &wanted, threads }.grow()
}
