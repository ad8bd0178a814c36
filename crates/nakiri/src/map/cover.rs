//! Covers a network by cuts: first those whose cost is least when it is shared by all readers, then, node by node, those that
//! add the fewest gates to all others.

use super::cuts::{of_gate, Cut, Cuts, Estimate};
use super::network::{Gate, Literal, Network};

/// How often costs are estimated from the cover before.
const FLOW_ROUNDS: usize = 3;
/// How often the exact cost of every node is looked at.
const EXACT_ROUNDS: usize = 2;
/// How many gates are followed for the exact cost of one.
const REACH: usize = 48;

/// Makes every gate that `outputs` need the function of its best cut.
pub(super) fn run(network: &mut Network, outputs: &[Literal]) {
    let order = network.order(outputs);
    let mut cover = Cover::new(network, outputs, &order);
    for _ in 0..FLOW_ROUNDS {
        cover.by_flow(&order);
    }
    for _ in 0..EXACT_ROUNDS {
        cover.exactly(&order);
    }
    let Cover { cuts, best, .. } = cover;
    for &node in &order {
        if let Some(cut) = cuts[node as usize].get(best[node as usize]) {
            network.set(node, Gate::new(cut.leaves(), cut.table));
        }
    }
}

struct Cover<'a> {
    network: &'a Network,
    outputs: &'a [Literal],
    /// The cuts of each node; none for leaves.
    cuts: Vec<Cuts>,
    /// Which of its cuts each node is made by.
    best: Vec<usize>,
    estimates: Vec<Estimate>,
    /// How many gates and outputs read each node, as far as is known.
    expected: Vec<f32>,
    /// How many do so in the present cover; 0 for what it doesn't need.
    readers: Vec<u32>,
}

impl<'a> Cover<'a> {
    fn new(network: &'a Network, outputs: &'a [Literal], order: &[u32]) -> Cover<'a> {
        let mut readers = vec![0u32; network.len()];
        let all = order.iter().flat_map(|&node| network.fanins(node).iter().copied());
        all.chain(outputs.iter().map(|o| o.node())).for_each(|node| readers[node as usize] += 1);
        Cover {
            network,
            outputs,
            cuts: vec![Cuts::new(); network.len()],
            best: vec![0; network.len()],
            estimates: vec![Estimate::default(); network.len()],
            expected: readers.iter().map(|&readers| readers as f32).collect(),
            readers,
        }
    }

    /// The cuts of least shared cost.
    fn by_flow(&mut self, order: &[u32]) {
        for &node in order {
            let at = node as usize;
            let Some(gate) = self.network.gate_of(node).filter(|g| !g.fanins().is_empty()) else {
                continue;
            };
            self.cuts[at] = of_gate(gate, &self.cuts, &self.estimates);
            self.best[at] = 0;
            let cut = self.cuts[at][0];
            let flow = cut.flow / self.expected[at].max(1.0);
            self.estimates[at] = Estimate { flow, depth: cut.depth };
        }
        self.count(order);
        for (expected, &readers) in self.expected.iter_mut().zip(&self.readers) {
            *expected = (*expected + 2.0 * readers as f32) / 3.0;
        }
    }

    /// Counts the readers in the present cover.
    fn count(&mut self, order: &[u32]) {
        self.readers.fill(0);
        self.outputs.iter().for_each(|output| self.readers[output.node() as usize] += 1);
        for &node in order.iter().rev() {
            let at = node as usize;
            if let Some(cut) = self.cuts[at].get(self.best[at]).filter(|_| self.readers[at] > 0) {
                cut.leaves().iter().for_each(|&leaf| self.readers[leaf as usize] += 1);
            }
        }
    }

    /// Gives each node of the cover the cut with which there are fewest gates.
    fn exactly(&mut self, order: &[u32]) {
        for &node in order {
            let at = node as usize;
            if self.readers[at] == 0 || self.cuts[at].is_empty() {
                continue;
            }
            let old = self.cuts[at][self.best[at]];
            if self.walk(&old, Walk::Release).is_none() {
                continue;
            }
            let mut least = None;
            for (place, cut) in self.cuts[at].clone().iter().enumerate() {
                let Some(gates) = self.walk(cut, Walk::Take) else { continue };
                self.walk(cut, Walk::Release).expect("what was taken can be released");
                let cost = (gates, self.depth(cut), place);
                if least.is_none_or(|least| cost < least) {
                    least = Some(cost);
                }
            }
            self.best[at] = least.map_or(self.best[at], |(_, _, place)| place);
            let cut = self.cuts[at][self.best[at]];
            self.walk(&cut, Walk::Take).expect("it was taken before");
            self.estimates[at].depth = self.depth(&cut);
        }
    }

    fn depth(&self, cut: &Cut) -> u32 {
        1 + cut.leaves().iter().map(|&l| self.estimates[l as usize].depth).max().unwrap_or(0)
    }

    /// Adds a cut's gates to the cover, or removes them: those that only it needs. How many these are; none, and nothing
    /// happens, if they are too many.
    fn walk(&mut self, cut: &Cut, direction: Walk) -> Option<usize> {
        let mut gates = 0;
        let mut touched: Vec<u32> = Vec::new();
        let mut next = 0;
        touched.extend(cut.leaves());
        while next < touched.len() {
            let leaf = touched[next];
            next += 1;
            if self.step(leaf, direction) {
                if let Some(cut) = self.cuts[leaf as usize].get(self.best[leaf as usize]) {
                    gates += 1;
                    touched.extend(cut.leaves());
                }
            }
            if gates > REACH {
                for &leaf in &touched[..next] {
                    self.step(leaf, direction.back());
                }
                return None;
            }
        }
        Some(gates)
    }

    /// One reader more or less; whether it is the first or was the last.
    fn step(&mut self, node: u32, direction: Walk) -> bool {
        let readers = &mut self.readers[node as usize];
        match direction {
            Walk::Take => {
                *readers += 1;
                *readers == 1
            }
            Walk::Release => {
                *readers -= 1;
                *readers == 0
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Walk {
    Take,
    Release,
}

impl Walk {
    fn back(self) -> Walk {
        match self {
            Walk::Take => Walk::Release,
            Walk::Release => Walk::Take,
        }
    }
}
