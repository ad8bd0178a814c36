//! A network that knows the function of each node, and so never holds one function twice.

use rustc_hash::FxHashMap;

use super::boolean::Function;
use super::network::{Literal, Network};
use super::Circuit;

/// A network with the function of every node.
#[derive(Clone, Debug)]
pub(super) struct Builder {
    /// The network.
    pub(super) network: Network,
    functions: Vec<Function>,
    /// The node of each function that is zero at index 0, and of complements of such.
    nodes: FxHashMap<Function, usize>,
}

impl Builder {
    /// A builder of functions of `inputs` inputs.
    pub(super) fn new(inputs: usize) -> Builder {
        let mut functions = vec![Function::zero(inputs)];
        functions.extend((0..inputs).map(|input| Function::input(inputs, input)));
        let nodes = functions.iter().cloned().zip(0..).collect();
        Builder { network: Network::new(inputs), functions, nodes }
    }

    /// The function of `literal`.
    pub(super) fn function(&self, literal: Literal) -> Function {
        self.functions[literal.node()].invert_if(literal.is_inverted())
    }

    /// The literal that computes `function`, if there is one.
    pub(super) fn find(&self, function: &Function) -> Option<Literal> {
        let normalized = function.normalized();
        let node = *self.nodes.get(&normalized)?;
        Some(Literal::new(node, self.functions[node] != *function))
    }

    /// The conjunction of `a` and `b`.
    pub(super) fn and(&mut self, a: Literal, b: Literal) -> Literal {
        let function = self.function(a).and(&self.function(b));
        self.add(function, |network| network.and(a, b))
    }

    /// The disjunction of `a` and `b`.
    pub(super) fn or(&mut self, a: Literal, b: Literal) -> Literal {
        !self.and(!a, !b)
    }

    /// The sum of `a` and `b`.
    pub(super) fn xor(&mut self, a: Literal, b: Literal) -> Literal {
        let function = self.function(a).xor(&self.function(b));
        self.add(function, |network| network.xor(a, b))
    }

    /// The literal of `function`, made by `make` if there is none yet.
    fn add(&mut self, function: Function, make: impl FnOnce(&mut Network) -> Literal) -> Literal {
        if let Some(literal) = self.find(&function) {
            return literal;
        }
        let literal = make(&mut self.network);
        let own = function.invert_if(literal.is_inverted());
        self.nodes.insert(own.normalized(), literal.node());
        self.functions.push(own);
        debug_assert_eq!(self.functions.len(), self.network.nodes.len());
        literal
    }

    /// Adds the gates of `circuit` and returns the literals of its outputs.
    pub(super) fn add_circuit(&mut self, circuit: &Circuit) -> Vec<Literal> {
        let mut plain = Network::new(self.network.inputs);
        let outputs = plain.add_circuit(circuit);
        self.add_network(&plain, &outputs)
    }

    /// Adds the nodes of `network` that `outputs` need and returns the literals of `outputs` here.
    pub(super) fn add_network(&mut self, network: &Network, outputs: &[Literal]) -> Vec<Literal> {
        use super::network::Node;
        let live = network.live(outputs);
        let mut literals: Vec<Literal> =
            (0..=network.inputs).map(|node| Literal::new(node, false)).collect();
        for (index, node) in network.nodes.iter().enumerate().skip(network.inputs + 1) {
            let at = |literal: Literal| literals[literal.node()].invert_if(literal.is_inverted());
            let literal = match *node {
                _ if !live[index] => Literal::FALSE,
                Node::Constant | Node::Input => Literal::FALSE,
                Node::And(a, b) => self.and(at(a), at(b)),
                Node::Xor(a, b) => self.xor(at(a), at(b)),
            };
            literals.push(literal);
        }
        outputs.iter().map(|lit| literals[lit.node()].invert_if(lit.is_inverted())).collect()
    }

    /// A gate of two existing nodes, numbered below `limit`, that computes `function`.
    pub(super) fn find_pair(&self, function: &Function, limit: usize) -> Option<Pair> {
        let limit = limit.min(self.functions.len());
        for (node, other) in self.functions[1..limit].iter().enumerate() {
            if let Some(partner) = self.find(&function.xor(other)) {
                if partner.node() < limit {
                    return Some(Pair::Xor(Literal::new(node + 1, false), partner));
                }
            }
        }
        for inverted in [false, true] {
            if let Some((a, b)) = self.find_conjunction(function, inverted, limit) {
                return Some(Pair::And(a, b, inverted));
            }
        }
        None
    }

    /// Two existing literals whose conjunction is `function`, complemented if `inverted`.
    fn find_conjunction(
        &self,
        function: &Function,
        inverted: bool,
        limit: usize,
    ) -> Option<(Literal, Literal)> {
        let mut above: Vec<Literal> = Vec::new();
        let target = function.invert_if(inverted);
        for (node, other) in self.functions[..limit].iter().enumerate().skip(1) {
            for other_inverted in [false, true] {
                if !target.implies(false, other, other_inverted) {
                    continue;
                }
                let literal = Literal::new(node, other_inverted);
                let own = self.function(literal);
                let fits = |&&partner: &&Literal| own.and(&self.function(partner)) == target;
                if let Some(&partner) = above.iter().find(fits) {
                    return Some((partner, literal));
                }
                above.push(literal);
            }
        }
        None
    }

    /// Adds the gate of `pair`.
    pub(super) fn add_pair(&mut self, pair: Pair) -> Literal {
        match pair {
            Pair::Xor(a, b) => self.xor(a, b),
            Pair::And(a, b, inverted) => self.and(a, b).invert_if(inverted),
        }
    }
}

/// A gate that [`Builder::find_pair`] found.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pair {
    /// The sum.
    Xor(Literal, Literal),
    /// The conjunction, complemented if the flag is set.
    And(Literal, Literal, bool),
}
