//! Cuts: sets of at most three nodes that a node is a function of.

use super::network::Gate;
use super::table;
use smallvec::SmallVec;

/// How many cuts of a node are kept.
const KEPT: usize = 10;

/// A set of nodes, and the function of them that a node is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    leaves: [u32; 3],
    len: u8,
    pub(super) table: u8,
    /// What it costs, where each leaf's cost is shared by the nodes that read it.
    pub(super) flow: f32,
    /// The most gates on a way to it, itself included.
    pub(super) depth: u32,
}

pub(super) type Cuts = SmallVec<[Cut; KEPT]>;

impl Cut {
    pub(super) fn leaves(&self) -> &[u32] {
        &self.leaves[..usize::from(self.len)]
    }

    /// The cut that is the node itself.
    fn trivial(node: u32) -> Cut {
        Cut { leaves: [node, 0, 0], len: 1, table: table::inputs()[0], flow: 0.0, depth: 0 }
    }

    /// The function of `leaves`, among which the cut's own are.
    fn table_over(&self, leaves: &[u32]) -> u8 {
        let mut values = table::inputs();
        for (value, leaf) in values.iter_mut().zip(self.leaves()) {
            let place = leaves.iter().position(|l| l == leaf).expect("a leaf of the union");
            *value = table::inputs()[place];
        }
        table::compose(self.table, values)
    }

    fn covers(&self, other: &Cut) -> bool {
        self.leaves().iter().all(|leaf| other.leaves().contains(leaf))
    }
}

/// What is known of a node that cuts end at.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Estimate {
    /// What it costs to each that reads it.
    pub(super) flow: f32,
    /// The most gates on a way to it.
    pub(super) depth: u32,
}

/// The cheapest cuts of a gate, the best first, from those of its fanins.
pub(super) fn of_gate(gate: &Gate, cuts: &[Cuts], estimates: &[Estimate]) -> Cuts {
    let choices: SmallVec<[SmallVec<[Cut; KEPT]>; 3]> = gate
        .fanins()
        .iter()
        .map(|&fanin| cuts[fanin as usize].iter().copied().chain([Cut::trivial(fanin)]).collect())
        .collect();
    let mut found = Cuts::new();
    merge(&choices, &mut SmallVec::new(), &mut |leaves, chosen| {
        add(&mut found, cut(gate, leaves, chosen, estimates));
    });
    found
}

/// Calls `f` for every choice of a cut for each fanin whose leaves are three at most together.
fn merge(
    choices: &[SmallVec<[Cut; KEPT]>],
    chosen: &mut SmallVec<[Cut; 3]>,
    f: &mut dyn FnMut(&[u32], &[Cut]),
) {
    let Some(leaves) = union(chosen) else { return };
    let Some(next) = choices.get(chosen.len()) else { return f(&leaves, chosen) };
    for cut in next {
        chosen.push(*cut);
        merge(choices, chosen, f);
        chosen.pop();
    }
}

/// All leaves in order, if they are three at most.
fn union(cuts: &[Cut]) -> Option<SmallVec<[u32; 3]>> {
    let mut leaves: SmallVec<[u32; 3]> = SmallVec::new();
    for leaf in cuts.iter().flat_map(Cut::leaves) {
        if !leaves.contains(leaf) {
            if leaves.len() == 3 {
                return None;
            }
            leaves.push(*leaf);
        }
    }
    leaves.sort_unstable();
    Some(leaves)
}

fn cut(gate: &Gate, leaves: &[u32], chosen: &[Cut], estimates: &[Estimate]) -> Cut {
    let mut values = table::inputs();
    for (value, cut) in values.iter_mut().zip(chosen) {
        *value = cut.table_over(leaves);
    }
    let mut kept = [0; 3];
    kept[..leaves.len()].copy_from_slice(leaves);
    let (len, table) = table::reduce(&mut kept, leaves.len(), table::compose(gate.table, values));
    let at = |leaf: &u32| estimates[*leaf as usize];
    let flow = 1.0 + kept[..len].iter().map(|leaf| at(leaf).flow).sum::<f32>();
    let depth = 1 + kept[..len].iter().map(|leaf| at(leaf).depth).max().unwrap_or(0);
    Cut { leaves: kept, len: len as u8, table, flow, depth }
}

/// Adds a cut in its place, unless one of fewer leaves does; drops those that it makes superfluous.
fn add(cuts: &mut Cuts, cut: Cut) {
    if cuts.iter().any(|other| other.covers(&cut)) {
        return;
    }
    cuts.retain(|other| !cut.covers(other));
    let is_better =
        |other: &Cut| (cut.flow, cut.depth, cut.len) < (other.flow, other.depth, other.len);
    let place = cuts.iter().position(is_better).unwrap_or(cuts.len());
    if place < KEPT {
        cuts.truncate(KEPT - 1);
        cuts.insert(place, cut);
    }
}
