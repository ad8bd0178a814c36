//! Local search: a node and all that serves only it are thrown away and built again.

use super::super::network::{Literal, Network, Node};
use super::super::random::Random;
use super::construct::{and, invert_if, xor, Bits, Goal, Pool};
use super::Settings;

/// One in how many steps tries chains of the full length; the others try single gates only, which
/// is much faster.
const LONG_CHAINS: usize = 16;

/// How often steps uphill become half as frequent in the course of a walk.
const COOLING: usize = 6;

/// The smallest network on a random walk of `settings.steps` steps from `network`.
pub(super) fn improve<const W: usize>(
    network: Network,
    outputs: Vec<Literal>,
    settings: Settings,
    random: &mut Random,
) -> (Network, Vec<Literal>) {
    let mut current = compact(&network, &outputs);
    let mut best = current.clone();
    for number in 0..settings.steps {
        let rarity = settings.uphill << (COOLING * number / settings.steps);
        let size = current.0.nodes.len();
        let uphill = settings.uphill > 0
            && size < best.0.nodes.len() + settings.excess
            && random.below(rarity) == 0;
        let chain = if random.below(LONG_CHAINS) == 0 { settings.chain } else { 1 };
        let settings = Settings { chain, ..settings };
        if let Some(next) = step::<W>(&current.0, &current.1, settings, uphill, random) {
            current = next;
        }
        if current.0.nodes.len() < best.0.nodes.len() {
            best = current.clone();
        }
    }
    if current.0.nodes.len() == best.0.nodes.len() {
        return current;
    }
    best
}

/// The network without dead nodes.
fn compact(network: &Network, outputs: &[Literal]) -> (Network, Vec<Literal>) {
    let live = network.live(outputs);
    let mut compact = Network::new(network.inputs);
    let mut literals = vec![Literal::FALSE; network.nodes.len()];
    for (index, node) in network.nodes.iter().enumerate() {
        let at = |literal: Literal| literals[literal.node()].invert_if(literal.is_inverted());
        literals[index] = match *node {
            Node::Constant | Node::Input => Literal::new(index, false),
            _ if !live[index] => Literal::FALSE,
            Node::And(a, b) => compact.and(at(a), at(b)),
            Node::Xor(a, b) => compact.xor(at(a), at(b)),
        };
    }
    let at = |lit: &Literal| literals[lit.node()].invert_if(lit.is_inverted());
    let outputs = outputs.iter().map(at).collect();
    (compact, outputs)
}

/// Builds a random node again; none if that fails or takes more gates than it may.
fn step<const W: usize>(
    network: &Network,
    outputs: &[Literal],
    settings: Settings,
    uphill: bool,
    random: &mut Random,
) -> Option<(Network, Vec<Literal>)> {
    let first = network.inputs + 1;
    let gates = network.nodes.len() - first;
    if gates == 0 {
        return None;
    }
    let node = first + random.below(gates);
    let mut whole = Pool::<W>::new(network.inputs, settings);
    network.nodes[first..].iter().for_each(|&gate| {
        whole.push(gate);
    });
    let above = above(network, node);
    let goal = Goal { target: whole.functions[node], care: care(&whole, outputs, node, &above) };
    let serving = serving(network, outputs, node);
    let limit = serving.iter().filter(|&&serves| serves).count();

    let mut pool = Pool::<W>::new(network.inputs, settings);
    let mut literals: Vec<Literal> = (0..first).map(|node| Literal::new(node, false)).collect();
    literals.resize(network.nodes.len(), Literal::FALSE);
    for index in (first..network.nodes.len()).filter(|&index| !above[index] && !serving[index]) {
        literals[index] = copy(&mut pool, network.nodes[index], &literals);
    }
    let mut free: Vec<usize> = (0..network.inputs).collect();
    random.shuffle(&mut free);
    literals[node] = pool.create(&goal, &free, limit + usize::from(uphill), random)?;
    for index in (first..network.nodes.len()).filter(|&index| above[index] && index != node) {
        literals[index] = copy(&mut pool, network.nodes[index], &literals);
    }
    let at = |lit: &Literal| literals[lit.node()].invert_if(lit.is_inverted());
    let outputs: Vec<Literal> = outputs.iter().map(at).collect();
    let (network, outputs) = pool.to_network(&outputs);
    Some(compact(&network, &outputs))
}

/// Adds `node` to `pool` with its operands replaced.
fn copy<const W: usize>(pool: &mut Pool<W>, node: Node, literals: &[Literal]) -> Literal {
    let at = |literal: Literal| literals[literal.node()].invert_if(literal.is_inverted());
    match node {
        Node::Constant | Node::Input => Literal::FALSE,
        Node::And(a, b) => pool.push(Node::And(at(a), at(b))),
        Node::Xor(a, b) => {
            let [a, b] = [at(a), at(b)];
            let inverted = a.is_inverted() ^ b.is_inverted();
            let [a, b] = [a, b].map(|literal| literal.invert_if(literal.is_inverted()));
            pool.push(Node::Xor(a, b)).invert_if(inverted)
        }
    }
}

/// For each node, whether it depends on `node`, which does itself.
fn above(network: &Network, node: usize) -> Vec<bool> {
    let mut above = vec![false; network.nodes.len()];
    above[node] = true;
    for index in node + 1..network.nodes.len() {
        above[index] =
            network.nodes[index].operands().into_iter().flatten().any(|lit| above[lit.node()]);
    }
    above
}

/// For each node, whether it serves no output but through `node`; `node` does itself.
fn serving(network: &Network, outputs: &[Literal], node: usize) -> Vec<bool> {
    let mut needed = vec![false; network.nodes.len()];
    for output in outputs.iter().filter(|output| output.node() != node) {
        needed[output.node()] = true;
    }
    for index in (0..network.nodes.len()).rev().filter(|&index| index != node) {
        if needed[index] {
            for operand in network.nodes[index].operands().into_iter().flatten() {
                needed[operand.node()] = true;
            }
        }
    }
    needed[node] = false;
    let first = network.inputs + 1;
    needed.iter().enumerate().map(|(index, &needed)| index >= first && !needed).collect()
}

/// The indices at which an output changes if `node` does.
fn care<const W: usize>(
    pool: &Pool<W>,
    outputs: &[Literal],
    node: usize,
    above: &[bool],
) -> Bits<W> {
    let mut changed = pool.functions.clone();
    changed[node] = invert_if(&changed[node], true);
    for index in (node + 1..changed.len()).filter(|&index| above[index]) {
        let at = |literal: Literal| invert_if(&changed[literal.node()], literal.is_inverted());
        changed[index] = match pool.nodes[index] {
            Node::Constant | Node::Input => changed[index],
            Node::And(a, b) => and(&at(a), &at(b)),
            Node::Xor(a, b) => xor(&at(a), &at(b)),
        };
    }
    let mut care = [0; W];
    for output in outputs {
        let difference = xor(&changed[output.node()], &pool.functions[output.node()]);
        care = std::array::from_fn(|word| care[word] | difference[word]);
    }
    care
}
