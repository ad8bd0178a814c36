//! One-time keys of chains: WOTS+ (FIPS 205, section 5; RFC 8391, section 3) and LM-OTS (RFC 8554, section 4).

use crate::chains::{run, Chain};
use crate::climb::{roots, Climb};
use crate::forest::Place;
use crate::rows::{Address, Addresses, Rows, CHAIN, KIND, STEP};
use crate::tweak::{compressed, Suite, Tweakable};

/// The kinds of addresses that a scheme has for one-time keys.
#[derive(Clone, Copy, Debug)]
pub struct Kinds {
    /// Of a chain's secret value.
    pub secret: u32,
    /// Of a chain's steps.
    pub chain: u32,
    /// Of what makes one node of all chains' ends.
    pub ends: u32,
}

/// One-time keys of so many chains.
#[derive(Clone, Copy, Debug)]
pub struct Wots {
    /// Chains.
    pub chains: usize,
    /// Values of a digit, which are the nodes of a chain.
    pub values: u32,
    /// The kinds of addresses.
    pub kinds: Kinds,
}

impl Wots {
    /// The public keys at an address in each lane, as nodes. `keep` is told of each node on the way: its chain, its place in
    /// that, and all lanes.
    pub fn public_keys(
        &self,
        hash: &dyn Tweakable,
        addresses: &mut Addresses,
        out: &mut [u64],
        mut keep: impl FnMut(usize, u32, &[u64]),
    ) {
        let words = hash.words();
        let mut memory = Rows::new(8 * words * (self.chains + 1));
        let (ends, other) = memory.words_mut().split_at_mut(words * self.chains);
        for (chain, mut node) in ends.chunks_exact_mut(words).enumerate() {
            // Of two places, the last step writes that at the end.
            let mut next = &mut other[..words];
            if self.values.is_multiple_of(2) {
                std::mem::swap(&mut node, &mut next);
            }
            addresses.row_mut(CHAIN).fill(chain as u32);
            addresses.row_mut(STEP).fill(0);
            addresses.row_mut(KIND).fill(self.kinds.secret);
            hash.prf(addresses, node);
            keep(chain, 0, node);
            addresses.row_mut(KIND).fill(self.kinds.chain);
            for step in 0..self.values - 1 {
                addresses.row_mut(STEP).fill(step);
                hash.f(addresses, node, next);
                std::mem::swap(&mut node, &mut next);
                keep(chain, step + 1, node);
            }
        }
        addresses.row_mut(KIND).fill(self.kinds.ends);
        addresses.row_mut(CHAIN).fill(0);
        addresses.row_mut(STEP).fill(0);
        hash.t(addresses, ends, out);
    }
}

impl Wots {
    /// The values at the places of digits, which sign what these are of.
    pub fn signature(&self, suite: &Suite, address: &Address, digits: &[u32]) -> Vec<u8> {
        let (hash, n) = (&*suite.many, suite.n());
        let mut memory = Rows::new(8 * hash.words());
        let mut addresses = Addresses::new(hash.lanes());
        let (mut chains, mut nodes) = (vec![], vec![0; n * digits.len()]);
        for (batch, digits) in digits.chunks(hash.lanes()).enumerate() {
            let at = |lane: usize, kind: u32| {
                let mut address = *address;
                (address[CHAIN], address[KIND]) = ((batch * hash.lanes() + lane) as u32, kind);
                address
            };
            for lane in 0..digits.len() {
                addresses.set(lane, &at(lane, self.kinds.secret));
            }
            hash.prf(&addresses, memory.words_mut());
            for (lane, digit) in digits.iter().enumerate() {
                hash.get(memory.words(), lane, &mut nodes[n * chains.len()..][..n]);
                chains.push(Chain { address: at(lane, self.kinds.chain), from: 0, to: *digit });
            }
        }
        run(suite, chains, &mut nodes);
        nodes
    }

    /// The roots of the trees that signatures show, one after another; `inner` is the address of an inner node of the tree of a
    /// signature, by its height and index.
    pub fn roots(
        &self,
        suite: &Suite,
        signatures: &[TreeSignature],
        inner: impl Fn(usize, u32, u32) -> Address,
    ) -> Vec<u8> {
        let leaves = self.completed(suite, signatures);
        let climbs: Vec<Climb> = (signatures.iter().zip(leaves.chunks_exact(suite.n())))
            .map(|(signature, leaf)| Climb { index: signature.leaf, leaf, path: signature.path })
            .collect();
        roots(suite, &climbs, inner)
    }

    /// The public keys that values at the places of digits lead to, one after another.
    fn completed(&self, suite: &Suite, signatures: &[TreeSignature]) -> Vec<u8> {
        let (mut chains, mut nodes) = (vec![], vec![]);
        for signature in signatures {
            nodes.extend_from_slice(signature.values);
            let mut address = signature.address;
            address[KIND] = self.kinds.chain;
            for (chain, digit) in (0..).zip(&signature.digits) {
                address[CHAIN] = chain;
                chains.push(Chain { address, from: *digit, to: self.values - 1 });
            }
        }
        run(suite, chains, &mut nodes);
        let keys: Vec<(Address, &[u8])> = (signatures.iter())
            .zip(nodes.chunks_exact(suite.n() * self.chains))
            .map(|(signature, ends)| {
                let mut address = signature.address;
                address[KIND] = self.kinds.ends;
                (address, ends)
            })
            .collect();
        compressed(suite, &keys)
    }
}

/// A signature by a leaf of a tree: that of a one-time key, and the authentication path of the key.
pub struct TreeSignature<'a> {
    /// The leaf.
    pub leaf: u32,
    /// The address of its one-time key.
    pub address: Address,
    /// The digits of what is signed.
    pub digits: Vec<u32>,
    /// The values at their places in the chains, one after another.
    pub values: &'a [u8],
    /// The siblings up to the root, one after another.
    pub path: &'a [u8],
}

/// Digits of w bits each, most significant first, and their checksum, of so many digits in all.
pub fn digits(message: &[u8], bits: u32, all: usize) -> Vec<u32> {
    let per_byte = 8 / bits;
    let mask = (1 << bits) - 1;
    let of_byte = |byte: &u8| {
        let byte = u32::from(*byte);
        (0..per_byte).rev().map(move |k| byte >> (bits * k) & mask)
    };
    let mut digits: Vec<u32> = message.iter().flat_map(of_byte).collect();
    let checksum: u32 = digits.iter().map(|digit| mask - digit).sum();
    let more = all - digits.len();
    digits.extend((0..more as u32).rev().map(|k| checksum >> (bits * k) & mask));
    digits
}

/// The address of a one-time key in each lane, the same for all but places.
pub fn addresses(lanes: usize, places: &[Place], address: impl Fn(Place) -> Address) -> Addresses {
    let mut addresses = Addresses::new(lanes);
    for (lane, place) in places.iter().enumerate() {
        addresses.set(lane, &address(*place));
    }
    addresses
}
