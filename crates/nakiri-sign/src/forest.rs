//! Hash trees of equal height, many at once. Each lane grows a subtree of its own, in step with all others, so that nothing moves
//! between lanes; what lies above is hashed level by level.

use crate::parallel;
use crate::rows::{Address, Addresses, Rows};
use crate::secrecy::declassify;
use crate::tweak::{Suite, Tweakable};

/// A node: the tree, how many levels above the leaves, and its place in its level.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The number of its tree in the forest.
    pub tree: usize,
    /// Levels above the leaves.
    pub height: u32,
    /// From the left, in its level.
    pub index: u32,
}

/// What grows: leaves, and the addresses of the nodes above them.
pub trait Leaves: Sync {
    /// The leaves at a place in each lane. `places` may be fewer than there are lanes.
    fn leaves(&self, hash: &dyn Tweakable, places: &[Place], out: &mut [u64]);
    /// The address of an inner node.
    fn address(&self, place: Place) -> Address;
}

/// Trees of equal height.
pub struct Forest<'a> {
    /// The hash functions.
    pub suite: &'a Suite,
    /// The leaves.
    pub leaves: &'a dyn Leaves,
    /// Levels above the leaves, less than 32.
    pub height: u32,
    /// For each tree the leaf whose authentication path is asked for.
    pub wanted: &'a [Option<u32>],
    /// How many threads may work.
    pub threads: usize,
}

/// What is asked of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The root.
    pub root: Vec<u8>,
    /// The siblings from a leaf up to the root, one after another; nothing if no leaf was asked for.
    pub path: Vec<u8>,
}

/// What a batch of subtrees gives: their roots, and nodes of paths.
struct Batch {
    roots: Vec<u8>,
    found: Vec<(Place, Vec<u8>)>,
}

impl Forest<'_> {
    /// Grows all trees.
    pub fn grow(&self) -> Vec<Tree> {
        let n = self.suite.n();
        let levels = self.levels();
        let subtrees = self.wanted.len() << (self.height - levels);
        let lanes = self.suite.many.lanes();
        let batches = parallel::map(self.threads, subtrees.div_ceil(lanes), |batch| {
            let all = batch * lanes..subtrees.min((batch + 1) * lanes);
            self.subtrees(&*self.suite.many, all, levels)
        });
        let path = |wanted: &Option<u32>| vec![0; wanted.map_or(0, |_| n * self.height as usize)];
        let mut trees: Vec<Tree> =
            self.wanted.iter().map(path).map(|path| Tree { root: vec![], path }).collect();
        let mut nodes = vec![];
        for batch in batches {
            nodes.extend(batch.roots);
            self.place(&mut trees, batch.found);
        }
        for height in levels..self.height {
            let per_tree = 1 << (self.height - height - 1);
            let place = |node: usize| {
                let (tree, index) = (node / per_tree, (node % per_tree) as u32);
                Place { tree, height: height + 1, index }
            };
            nodes = parents(self.suite, self.leaves, self.threads, &nodes, place);
            for (node, bytes) in nodes.chunks_exact(n).enumerate() {
                if self.is_wanted(place(node)) {
                    self.place(&mut trees, vec![(place(node), bytes.to_vec())]);
                }
            }
        }
        for (tree, root) in trees.iter_mut().zip(nodes.chunks_exact(n)) {
            tree.root = root.to_vec();
            declassify(&tree.root);
            declassify(&tree.path);
        }
        trees
    }

    /// The height of subtrees with which the fewest hash calls are made on lanes that have nothing to do.
    fn levels(&self) -> u32 {
        let lanes = self.suite.many.lanes();
        let cost =
            |levels: &u32| (self.wanted.len() << (self.height - levels)).div_ceil(lanes) << levels;
        (0..=self.height).rev().min_by_key(cost).unwrap_or(0)
    }

    /// Grows a subtree in each lane.
    fn subtrees(&self, hash: &dyn Tweakable, all: std::ops::Range<usize>, levels: u32) -> Batch {
        let (n, words) = (self.suite.n(), hash.words());
        let per_tree = 1 << (self.height - levels);
        let at = |subtree: usize, height: u32, step: u32| Place {
            tree: subtree / per_tree,
            height,
            index: (((subtree % per_tree) as u32) << (levels - height)) + step,
        };
        let mut memory = Rows::new(8 * words * (levels as usize + 3));
        let (waiting, rest) = memory.words_mut().split_at_mut(words * (levels as usize + 1));
        let (mut node, mut next) = rest.split_at_mut(words);
        let mut addresses = Addresses::new(hash.lanes());
        let mut found = vec![];
        for leaf in 0..1_u32 << levels {
            let places: Vec<Place> = all.clone().map(|subtree| at(subtree, 0, leaf)).collect();
            self.leaves.leaves(hash, &places, node);
            self.suite.count_leaves(places.len());
            self.find(hash, &places, node, &mut found);
            let mut height = 0;
            while leaf >> height & 1 == 1 {
                height += 1;
                let place = |subtree| at(subtree, height, leaf >> height);
                let places: Vec<Place> = all.clone().map(place).collect();
                for (lane, place) in places.iter().enumerate() {
                    addresses.set(lane, &self.leaves.address(*place));
                }
                let left = &waiting[words * (height as usize - 1)..][..words];
                hash.h(&addresses, left, &node[..words], next);
                std::mem::swap(&mut node, &mut next);
                self.find(hash, &places, node, &mut found);
            }
            waiting[words * height as usize..][..words].copy_from_slice(&node[..words]);
        }
        let mut roots = vec![0; n * all.len()];
        for (lane, root) in roots.chunks_exact_mut(n).enumerate() {
            hash.get(node, lane, root);
        }
        Batch { roots, found }
    }

    /// Whether a node is on the path of a leaf.
    fn is_wanted(&self, place: Place) -> bool {
        let is_sibling = |leaf: u32| (leaf >> place.height) ^ 1 == place.index;
        place.height < self.height && self.wanted[place.tree].is_some_and(is_sibling)
    }

    /// Keeps those nodes of lanes that are on a path.
    fn find(
        &self,
        hash: &dyn Tweakable,
        places: &[Place],
        nodes: &[u64],
        found: &mut Vec<(Place, Vec<u8>)>,
    ) {
        for (lane, place) in places.iter().enumerate().filter(|(_, place)| self.is_wanted(**place))
        {
            let mut node = vec![0; self.suite.n()];
            hash.get(nodes, lane, &mut node);
            found.push((*place, node));
        }
    }

    /// Puts what was found into paths.
    fn place(&self, trees: &mut [Tree], found: Vec<(Place, Vec<u8>)>) {
        for (place, node) in found {
            let n = node.len();
            trees[place.tree].path[n * place.height as usize..][..n].copy_from_slice(&node);
        }
    }
}

/// The nodes above pairs of nodes, in the same order.
pub fn parents(
    suite: &Suite,
    leaves: &dyn Leaves,
    threads: usize,
    below: &[u8],
    place: impl Fn(usize) -> Place + Sync,
) -> Vec<u8> {
    let n = suite.n();
    let count = below.len() / n / 2;
    let hash = suite.for_calls(count);
    let (lanes, words) = (hash.lanes(), hash.words());
    let batches = parallel::map(threads, count.div_ceil(lanes), |batch| {
        let all = batch * lanes..count.min((batch + 1) * lanes);
        let mut memory = Rows::new(8 * 3 * words);
        let (left, rest) = memory.words_mut().split_at_mut(words);
        let (right, node) = rest.split_at_mut(words);
        let mut addresses = Addresses::new(lanes);
        let mut nodes = vec![0; n * all.len()];
        for (lane, number) in all.enumerate() {
            let pair = &below[2 * n * number..][..2 * n];
            hash.put(left, lane, &pair[..n]);
            hash.put(right, lane, &pair[n..]);
            addresses.set(lane, &leaves.address(place(number)));
        }
        hash.h(&addresses, left, right, node);
        for (lane, bytes) in nodes.chunks_exact_mut(n).enumerate() {
            hash.get(node, lane, bytes);
        }
        nodes
    });
    batches.concat()
}

/// The leaves at places.
pub fn leaves(suite: &Suite, leaves: &dyn Leaves, threads: usize, places: &[Place]) -> Vec<u8> {
    let hash = &*suite.many;
    let n = suite.n();
    let leaves = parallel::of_chunks(threads, places, hash.lanes(), |places| {
        let mut memory = Rows::new(8 * hash.words());
        leaves.leaves(hash, places, memory.words_mut());
        suite.count_leaves(places.len());
        let mut nodes = vec![0; n * places.len()];
        for (lane, bytes) in nodes.chunks_exact_mut(n).enumerate() {
            hash.get(memory.words(), lane, bytes);
        }
        nodes
    });
    declassify(&leaves);
    leaves
}
