//! Resubstitution: a node whose function is also a gate of two other nodes is computed so, where
//! this lets other gates die.

use super::super::builder::{Builder, Pair};
use super::super::network::{Literal, Network, Node};

/// Networks with more gates than this are left as they are.
const MOST_GATES: usize = 1_500;

/// A network with at most as many gates, and its outputs.
pub(super) fn resubstitute(network: Network, outputs: Vec<Literal>) -> (Network, Vec<Literal>) {
    let (mut network, mut outputs) = (network, outputs);
    loop {
        let mut builder = Builder::new(network.inputs);
        outputs = builder.add_network(&network, &outputs);
        if builder.network.nodes.len() > MOST_GATES {
            return (builder.network, outputs);
        }
        let before = builder.network.cost(&outputs);
        network = Uses::new(&builder, &outputs).replace_all();
        if network.cost(&outputs) >= before {
            return (builder.network, outputs);
        }
    }
}

/// A network whose nodes are being replaced, with the number of uses of each.
struct Uses<'a> {
    builder: &'a Builder,
    network: Network,
    counts: Vec<usize>,
}

impl<'a> Uses<'a> {
    fn new(builder: &'a Builder, outputs: &[Literal]) -> Uses<'a> {
        let network = builder.network.clone();
        let mut counts = vec![0; network.nodes.len()];
        let operands = network.nodes.iter().filter_map(|node| node.operands()).flatten();
        for literal in operands.chain(outputs.iter().copied()) {
            counts[literal.node()] += 1;
        }
        Uses { builder, network, counts }
    }

    /// Replaces nodes from the last to the first.
    fn replace_all(mut self) -> Network {
        for node in (self.network.inputs + 1..self.network.nodes.len()).rev() {
            if self.counts[node] > 0 {
                self.replace(node);
            }
        }
        self.network
    }

    /// Replaces `node` if that frees a gate.
    fn replace(&mut self, node: usize) {
        let function = self.builder.function(Literal::new(node, false));
        let Some(new) = self.builder.find_pair(&function, node).and_then(as_node) else { return };
        let old = self.network.nodes[node];
        let freed = self.release(old);
        self.network.nodes[node] = new;
        if self.acquire(new) >= freed {
            self.release(new);
            self.network.nodes[node] = old;
            self.acquire(old);
        }
    }

    /// Takes back one use of each operand of `node`; the number of gates that die.
    fn release(&mut self, node: Node) -> usize {
        let mut freed = 0;
        for operand in node.operands().into_iter().flatten() {
            self.counts[operand.node()] -= 1;
            if self.counts[operand.node()] == 0 {
                if let below @ (Node::And(..) | Node::Xor(..)) = self.network.nodes[operand.node()]
                {
                    freed += 1 + self.release(below);
                }
            }
        }
        freed
    }

    /// Adds one use of each operand of `node`; the number of gates that come alive.
    fn acquire(&mut self, node: Node) -> usize {
        let mut revived = 0;
        for operand in node.operands().into_iter().flatten() {
            self.counts[operand.node()] += 1;
            if self.counts[operand.node()] == 1 {
                if let below @ (Node::And(..) | Node::Xor(..)) = self.network.nodes[operand.node()]
                {
                    revived += 1 + self.acquire(below);
                }
            }
        }
        revived
    }
}

/// The pair as a node with the very function that was asked for, if there is one such.
fn as_node(pair: Pair) -> Option<Node> {
    match pair {
        Pair::And(a, b, false) => Some(Node::And(a.min(b), a.max(b))),
        Pair::Xor(a, b) if a.is_inverted() == b.is_inverted() => {
            let [a, b] = [a, b].map(|literal| literal.invert_if(literal.is_inverted()));
            Some(Node::Xor(a.min(b), a.max(b)))
        }
        Pair::And(..) | Pair::Xor(..) => None,
    }
}
