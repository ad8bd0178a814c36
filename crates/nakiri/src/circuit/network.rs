//! Networks of AND and XOR nodes with free inverters: what the searches work on.
//!
//! Inverters cost nothing here; [`super::phase`] decides where they end up.

use std::ops::Not;

use rustc_hash::FxHashMap;

use super::{Circuit, Gate, Output};

/// A node or its complement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(super) struct Literal(u32);

impl Literal {
    /// The constant zero.
    pub(super) const FALSE: Literal = Literal(0);

    /// The node numbered `node`, complemented if `inverted`.
    pub(super) fn new(node: usize, inverted: bool) -> Literal {
        Literal((node as u32) << 1 | u32::from(inverted))
    }

    /// The number of the node.
    pub(super) fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether this is the complement of the node.
    pub(super) fn is_inverted(self) -> bool {
        self.0 & 1 == 1
    }

    /// The complement if `inverted`, or else the literal itself.
    pub(super) fn invert_if(self, inverted: bool) -> Literal {
        Literal(self.0 ^ u32::from(inverted))
    }

    /// The constant, if the literal is one.
    pub(super) fn constant(self) -> Option<bool> {
        (self.node() == 0).then_some(self.is_inverted())
    }
}

impl Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}

/// What a node computes. Operands come before their node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Node {
    /// Zero; node 0 and no other.
    Constant,
    /// An input; node `i + 1` is input `i`.
    Input,
    /// The conjunction of two literals, the smaller first.
    And(Literal, Literal),
    /// The sum of two literals that are not inverted, the smaller first.
    Xor(Literal, Literal),
}

impl Node {
    /// The literals that the node reads.
    pub(super) fn operands(self) -> Option<[Literal; 2]> {
        match self {
            Node::Constant | Node::Input => None,
            Node::And(a, b) | Node::Xor(a, b) => Some([a, b]),
        }
    }
}

/// Nodes in an order in which operands come first, without structural duplicates.
#[derive(Clone, Debug)]
pub(super) struct Network {
    /// The number of inputs.
    pub(super) inputs: usize,
    /// The constant, the inputs, then the gates.
    pub(super) nodes: Vec<Node>,
    unique: FxHashMap<Node, usize>,
}

impl Network {
    /// A network of inputs only.
    pub(super) fn new(inputs: usize) -> Network {
        let mut nodes = vec![Node::Constant];
        nodes.resize(inputs + 1, Node::Input);
        Network { inputs, nodes, unique: FxHashMap::default() }
    }

    /// Input number `input`.
    pub(super) fn input(input: usize) -> Literal {
        Literal::new(input + 1, false)
    }

    /// The conjunction of `a` and `b`.
    pub(super) fn and(&mut self, a: Literal, b: Literal) -> Literal {
        let (a, b) = (a.min(b), a.max(b));
        match a.constant() {
            Some(false) => return Literal::FALSE,
            Some(true) => return b,
            None if a == b => return a,
            None if a == !b => return Literal::FALSE,
            None => {}
        }
        for (x, y) in [(a, b), (b, a)] {
            if let Some(result) = self.absorb(x, y) {
                return result;
            }
        }
        Literal::new(self.insert(Node::And(a, b)), false)
    }

    /// The conjunction of `x` and `y` where `y` is itself a conjunction that mentions `x`.
    fn absorb(&mut self, x: Literal, y: Literal) -> Option<Literal> {
        let Node::And(p, q) = self.nodes[y.node()] else { return None };
        let (hit, other) = match x.node() {
            node if node == p.node() => (p, q),
            node if node == q.node() => (q, p),
            _ => return None,
        };
        Some(match (y.is_inverted(), hit == x) {
            (false, true) => y,
            (false, false) => Literal::FALSE,
            (true, true) => self.and(x, !other),
            (true, false) => x,
        })
    }

    /// The disjunction of `a` and `b`.
    pub(super) fn or(&mut self, a: Literal, b: Literal) -> Literal {
        !self.and(!a, !b)
    }

    /// The sum of `a` and `b`.
    pub(super) fn xor(&mut self, a: Literal, b: Literal) -> Literal {
        let inverted = a.is_inverted() ^ b.is_inverted();
        let (a, b) = (a.min(b).invert_if(a.min(b).is_inverted()), a.max(b));
        let b = b.invert_if(b.is_inverted());
        if a == b {
            return Literal::FALSE.invert_if(inverted);
        }
        if a == Literal::FALSE {
            return b.invert_if(inverted);
        }
        for (x, y) in [(a, b), (b, a)] {
            if let Some(result) = self.cancel(x, y) {
                return result.invert_if(inverted);
            }
        }
        Literal::new(self.insert(Node::Xor(a, b)), false).invert_if(inverted)
    }

    /// Bit `4 a + 2 b + c` of `table`, as sums and conjunctions of its algebraic normal form in `a`.
    fn lookup(&mut self, table: u8, [a, b, c]: [Literal; 3]) -> Literal {
        let zero = self.lookup_pair(table & 15, b, c);
        let difference = self.lookup_pair((table ^ table >> 4) & 15, b, c);
        let change = self.and(a, difference);
        self.xor(zero, change)
    }

    /// Bit `2 b + c` of `table`.
    fn lookup_pair(&mut self, table: u8, b: Literal, c: Literal) -> Literal {
        let single = |table: u8| match table & 3 {
            0 => Literal::FALSE,
            1 => !c,
            2 => c,
            _ => !Literal::FALSE,
        };
        let change = self.and(b, single(table ^ table >> 2));
        self.xor(single(table), change)
    }

    /// The sum of `x` and `y` where `y` is a node that mentions `x`.
    fn cancel(&mut self, x: Literal, y: Literal) -> Option<Literal> {
        let node = self.nodes[y.node()];
        let [p, q] = node.operands()?;
        let (hit, other) = match x.node() {
            node if node == p.node() => (p, q),
            node if node == q.node() => (q, p),
            _ => return None,
        };
        Some(match node {
            Node::Xor(..) => other,
            _ if hit.is_inverted() => self.or(x, other),
            _ => self.and(x, !other),
        })
    }

    /// The number of `node`, which is added if it is new.
    fn insert(&mut self, node: Node) -> usize {
        let next = self.nodes.len();
        let index = *self.unique.entry(node).or_insert(next);
        if index == next {
            self.nodes.push(node);
        }
        index
    }

    /// Adds the gates of `circuit` and returns the literals of its outputs.
    pub(super) fn add_circuit(&mut self, circuit: &Circuit) -> Vec<Literal> {
        let mut signals: Vec<Literal> =
            (0..usize::from(circuit.inputs)).map(Network::input).collect();
        for gate in &circuit.gates {
            let [a, b, c] = gate.operands().map(|signal| signals[signal.0 as usize]);
            signals.push(match *gate {
                Gate::And(..) => self.and(a, b),
                Gate::Or(..) => self.or(a, b),
                Gate::Xor(..) => self.xor(a, b),
                Gate::AndNot(..) => self.and(!a, b),
                Gate::OrNot(..) => self.or(!a, b),
                Gate::Not(..) => !a,
                Gate::Ternary(table, _) => self.lookup(table, [a, b, c]),
            });
        }
        let outputs = circuit.outputs.iter();
        outputs
            .map(|output| match *output {
                Output::Signal(signal) => signals[signal.0 as usize],
                Output::Constant(value) => Literal::FALSE.invert_if(value),
            })
            .collect()
    }

    /// For each node, whether `outputs` depend on it.
    pub(super) fn live(&self, outputs: &[Literal]) -> Vec<bool> {
        let mut live = vec![false; self.nodes.len()];
        for output in outputs {
            live[output.node()] = true;
        }
        for index in (0..self.nodes.len()).rev().filter(|&index| index > self.inputs) {
            if live[index] {
                for operand in self.nodes[index].operands().into_iter().flatten() {
                    live[operand.node()] = true;
                }
            }
        }
        live
    }

    /// The number of gates that `outputs` need, inverters not counted.
    pub(super) fn cost(&self, outputs: &[Literal]) -> usize {
        self.live(outputs).iter().skip(self.inputs + 1).filter(|&&live| live).count()
    }
}
