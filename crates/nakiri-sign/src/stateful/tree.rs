//! A tree of one-time keys of which the upper nodes are kept, and those below them where it is signed.

use crate::forest::{self, Leaves, Place};
use crate::rows::Address;
use crate::tweak::{Suite, Tweakable};
use crate::wots::{self, Wots};

/// Trees of more levels are kept in two parts.
const WHOLE: u32 = 10;

/// The one-time keys of a tree, and where they and the nodes above them stand.
pub struct Keys<'a> {
    /// The hash functions, with the secret seed.
    pub suite: Suite,
    /// The one-time keys.
    pub wots: Wots,
    /// Levels above the leaves.
    pub height: u32,
    /// The address of a one-time key.
    pub one_time: Box<dyn Fn(u32) -> Address + Sync + 'a>,
    /// The address of an inner node, by height and index.
    pub inner: Box<dyn Fn(u32, u32) -> Address + Sync + 'a>,
}

impl Leaves for Keys<'_> {
    fn leaves(&self, hash: &dyn Tweakable, places: &[Place], out: &mut [u64]) {
        let mut addresses =
            wots::addresses(hash.lanes(), places, |place| (self.one_time)(place.index));
        self.wots.public_keys(hash, &mut addresses, out, |_, _, _| {});
    }

    fn address(&self, place: Place) -> Address {
        (self.inner)(place.height, place.index)
    }
}

/// The nodes of a level, one after another.
type Level = Vec<u8>;

/// The nodes of a tree that are kept.
pub struct Tree {
    height: u32,
    n: usize,
    /// The levels from [`Tree::low`] up to the root.
    top: Vec<Level>,
    /// A subtree below them, and which it is.
    below: Option<(u32, Vec<Level>)>,
}

impl Tree {
    /// The level up to which nodes are hashed again when they are needed.
    fn low(height: u32) -> u32 {
        if height <= WHOLE {
            0
        } else {
            height / 2
        }
    }

    /// Hashes a whole tree.
    pub fn new(keys: &Keys, threads: usize) -> Tree {
        let low = Tree::low(keys.height);
        let mut first = vec![];
        match low {
            0 => {
                let place = |index| Place { tree: 0, height: 0, index };
                let places: Vec<Place> = (0..1 << keys.height).map(place).collect();
                first = forest::leaves(&keys.suite, keys, threads, &places);
            }
            _ => {
                for subtree in 0..1 << (keys.height - low) {
                    first.extend(&subtree_levels(keys, threads, subtree, low)[low as usize]);
                }
            }
        }
        let top = levels(keys, threads, first, 0, low, keys.height);
        Tree { height: keys.height, n: keys.suite.n(), top, below: None }
    }

    /// The root.
    pub fn root(&self) -> &[u8] {
        &self.top[self.top.len() - 1]
    }

    /// The siblings from a leaf up to the root.
    pub fn path(&mut self, keys: &Keys, threads: usize, leaf: u32) -> Vec<u8> {
        let low = Tree::low(self.height);
        let subtree = leaf >> low;
        if low > 0 && self.below.as_ref().is_none_or(|(number, _)| *number != subtree) {
            self.below = Some((subtree, subtree_levels(keys, threads, subtree, low)));
        }
        let (n, mut path) = (self.n, vec![]);
        for height in 0..self.height {
            let sibling = (leaf >> height) ^ 1;
            let (level, index) = match (&self.below, height.checked_sub(low)) {
                (_, Some(above)) => (&self.top[above as usize], sibling),
                (Some((_, levels)), None) => {
                    (&levels[height as usize], sibling & ((1 << (low - height)) - 1))
                }
                (None, None) => unreachable!("what is below was hashed"),
            };
            path.extend_from_slice(&level[n * index as usize..][..n]);
        }
        path
    }

    /// Its upper nodes, to be kept in a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.top.concat()
    }

    /// The tree of upper nodes, if they are as many as they should be.
    pub fn from_bytes(keys: &Keys, bytes: &[u8]) -> Option<Tree> {
        let (n, low) = (keys.suite.n(), Tree::low(keys.height));
        let (mut rest, mut top) = (bytes, vec![]);
        for height in low..=keys.height {
            let (level, behind) = rest.split_at_checked(n << (keys.height - height))?;
            top.push(level.to_vec());
            rest = behind;
        }
        rest.is_empty().then_some(Tree { height: keys.height, n, top, below: None })
    }
}

/// All levels of a subtree of so many levels.
fn subtree_levels(keys: &Keys, threads: usize, subtree: u32, low: u32) -> Vec<Level> {
    let first = subtree << low;
    let place = |index| Place { tree: 0, height: 0, index: first + index };
    let places: Vec<Place> = (0..1 << low).map(place).collect();
    let leaves = forest::leaves(&keys.suite, keys, threads, &places);
    levels(keys, threads, leaves, first, 0, low)
}

/// A level and those above it, up to a height. Below its first node the first leaf has this index.
fn levels(keys: &Keys, threads: usize, level: Level, first: u32, from: u32, to: u32) -> Vec<Level> {
    let mut levels = vec![level];
    for height in from + 1..=to {
        let place = |node: usize| Place { tree: 0, height, index: (first >> height) + node as u32 };
        let below = &levels[levels.len() - 1];
        let above = forest::parents(&keys.suite, keys, threads, below, place);
        levels.push(above);
    }
    levels
}
