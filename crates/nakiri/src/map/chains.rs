//! Products of many factors as chains.
//!
//! A gate of three inputs takes two factors more to a product, so that n factors need n / 2 gates; in a balanced tree most gates
//! take but two. Covering looks for cuts of the structure that is there.

use super::network::{normal, Literal, Network, AND};

/// The fewest factors that a tree may cost a gate more for.
const LEAST: usize = 4;

/// Makes each tree of products that nothing else reads a chain of as many.
pub(super) fn run(network: &mut Network, outputs: &[Literal]) {
    let order = network.order(outputs);
    let reads = network.reads(outputs, &order);
    let mut inside = vec![false; network.len()];
    for &root in order.iter().rev() {
        let Some((_, inverted)) = network.product(root).filter(|_| !inside[root as usize]) else {
            continue;
        };
        let (mut factors, mut gates) = (Vec::new(), Vec::new());
        let mut pending = vec![Literal::new(root, inverted)];
        while let Some(literal) = pending.pop() {
            let node = literal.node();
            let is_own = node == root || reads[node as usize] == 1;
            match network.product(node) {
                Some((literals, inverted)) if is_own && inverted == literal.is_inverted() => {
                    gates.push(node);
                    inside[node as usize] = true;
                    pending.extend(literals);
                }
                _ => factors.push(literal),
            }
        }
        if factors.len() >= LEAST {
            write(network, &factors, &gates, inverted);
        }
    }
}

/// The product of `factors`, or its complement, in the place of the gates of a tree, of which the first is the root.
fn write(network: &mut Network, factors: &[Literal], gates: &[u32], inverted: bool) {
    let mut product = factors[0];
    for (&factor, &node) in factors[1..].iter().zip(gates.iter().rev()) {
        let (mut gate, complement) = normal(&[product, factor], AND);
        let is_root = node == gates[0];
        if is_root && complement != inverted {
            gate.table = !gate.table;
        }
        network.set(node, gate);
        product = Literal::new(node, complement);
    }
}
