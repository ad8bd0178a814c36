//! Signing by keys of which each index may be used once: LMS, HSS, XMSS, XMSS^MT.

#[cfg(test)]
mod cuts;
mod scheme;
mod signer;
mod store;
mod tree;

pub use scheme::Scheme;
pub use signer::Signer;
pub(crate) use tree::Keys;

use crate::Engine;
use tree::Tree;

/// The trees of each layer from the top down that were hashed last.
#[derive(Default)]
pub(crate) struct Trees {
    layers: Vec<Kept>,
    /// Whether a tree was hashed since they were written.
    grown: bool,
}

/// A tree of a layer.
#[derive(Default)]
enum Kept {
    /// None yet.
    #[default]
    Nothing,
    /// The upper nodes of the tree with this number, as they were read.
    Read(u64, Vec<u8>),
    /// The tree with this number.
    Tree(u64, Tree),
}

impl Trees {
    /// A tree of a layer, which is hashed if it isn't there.
    pub fn at(&mut self, layer: usize, number: u64, keys: &Keys, engine: &Engine) -> &mut Tree {
        if self.layers.len() <= layer {
            self.layers.resize_with(layer + 1, Kept::default);
        }
        let found = match std::mem::take(&mut self.layers[layer]) {
            Kept::Tree(own, tree) if own == number => Some(tree),
            Kept::Read(own, bytes) if own == number => Tree::from_bytes(keys, &bytes),
            _ => None,
        };
        self.grown |= found.is_none();
        let tree = found.unwrap_or_else(|| Tree::new(keys, engine.threads));
        self.layers[layer] = Kept::Tree(number, tree);
        match &mut self.layers[layer] {
            Kept::Tree(_, tree) => tree,
            _ => unreachable!("it was set"),
        }
    }

    /// Whether a tree was hashed since it was asked.
    fn has_grown(&mut self) -> bool {
        std::mem::take(&mut self.grown)
    }

    /// All that is kept: for each layer a number, a length and upper nodes.
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![];
        for layer in &self.layers {
            let (number, nodes) = match layer {
                Kept::Nothing => (0, vec![]),
                Kept::Read(number, nodes) => (*number, nodes.clone()),
                Kept::Tree(number, tree) => (*number, tree.to_bytes()),
            };
            bytes.extend(number.to_be_bytes());
            bytes.extend((nodes.len() as u64).to_be_bytes());
            bytes.extend(nodes);
        }
        bytes
    }

    /// What [`Trees::to_bytes`] gave.
    fn of_bytes(bytes: Vec<u8>) -> Trees {
        let mut trees = Trees::default();
        let mut rest = &bytes[..];
        while let Some((numbers, behind)) = rest.split_first_chunk::<16>() {
            let number = |k| u64::from_be_bytes(*crate::memory::part(numbers, k));
            let length = usize::try_from(number(8)).unwrap_or(usize::MAX);
            let Some((nodes, behind)) = behind.split_at_checked(length) else { break };
            trees.layers.push(Kept::Read(number(0), nodes.to_vec()));
            rest = behind;
        }
        trees
    }
}
