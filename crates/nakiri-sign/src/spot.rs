//! Where a leaf stands in a hypertree, and the addresses of what belongs to it. SLH-DSA and XMSS^MT have the same (FIPS 205, section 4.2;
//! RFC 8391, section 2.5).

use crate::rows::{Address, HEIGHT, INDEX, KIND, LAYER, LEAF, TREE};

/// The inner nodes of a tree.
const TREE_KIND: u32 = 2;

/// A leaf of a tree of a hypertree.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    /// The layer, the lowest of which is 0.
    pub layer: u32,
    /// The tree in it.
    pub tree: u64,
    /// The leaf in that.
    pub leaf: u32,
}

impl Spot {
    /// The beginning of all addresses in its tree.
    fn base(self) -> Address {
        let mut address = Address::default();
        address[LAYER] = self.layer;
        (address[TREE], address[TREE + 1]) = ((self.tree >> 32) as u32, self.tree as u32);
        address
    }

    /// The address of its one-time key.
    pub fn one_time(self) -> Address {
        let mut address = self.base();
        address[LEAF] = self.leaf;
        address
    }

    /// The address of an inner node of its tree.
    pub fn inner(self, height: u32, index: u32) -> Address {
        let mut address = self.base();
        (address[KIND], address[HEIGHT], address[INDEX]) = (TREE_KIND, height, index);
        address
    }
}
