//! Networks of gates of up to three inputs.

use super::table;
use rustc_hash::FxHashMap;

/// A node or its complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal(u32);

impl Literal {
    /// Zero.
    pub const FALSE: Literal = Literal(0);

    /// The node of this number, complemented if asked for.
    pub fn new(node: u32, inverted: bool) -> Literal {
        Literal(node << 1 | u32::from(inverted))
    }

    /// The number of the node.
    pub fn node(self) -> u32 {
        self.0 >> 1
    }

    /// Whether this is the complement of the node.
    pub fn is_inverted(self) -> bool {
        self.0 & 1 == 1
    }

    /// The complement if `inverted`, else the literal itself.
    pub fn invert_if(self, inverted: bool) -> Literal {
        Literal(self.0 ^ u32::from(inverted))
    }
}

/// The product of two literals.
pub(super) const AND: u8 = 0b1000_1000;

/// A function of the values of up to three distinct nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Gate {
    pub(super) fanins: [u32; 3],
    pub(super) arity: u8,
    /// The function: bit i is its value where fanin k is bit k of i. It doesn't depend on missing fanins.
    pub table: u8,
}

impl Gate {
    pub(super) fn new(fanins: &[u32], table: u8) -> Gate {
        let mut all = [0; 3];
        all[..fanins.len()].copy_from_slice(fanins);
        Gate { fanins: all, arity: fanins.len() as u8, table }
    }

    /// The nodes that it reads.
    pub fn fanins(&self) -> &[u32] {
        &self.fanins[..usize::from(self.arity)]
    }
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// A value from outside.
    Leaf,
    /// A function of other nodes.
    Gate(Gate),
}

/// Nodes by number; node 0 is zero. Fanins may have larger numbers than their gates, but there is no cycle.
#[derive(Clone, Debug)]
pub struct Network {
    nodes: Vec<Node>,
    known: FxHashMap<Gate, u32>,
}

impl Default for Network {
    fn default() -> Network {
        Network::new()
    }
}

impl Network {
    /// Nothing but zero.
    pub fn new() -> Network {
        let zero = Node::Gate(Gate::new(&[], 0));
        Network { nodes: vec![zero], known: FxHashMap::default() }
    }

    /// How many nodes there are, those that serve nothing included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is nothing but zero.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 1
    }

    /// A new value from outside.
    pub fn leaf(&mut self) -> Literal {
        self.nodes.push(Node::Leaf);
        Literal::new(self.nodes.len() as u32 - 1, false)
    }

    /// The function `table` of up to three literals (the value where literal k is bit k of i in bit i), by an
    /// existing node where one computes it in the same way.
    pub fn gate(&mut self, literals: &[Literal], table: u8) -> Literal {
        let (gate, inverted) = normal(literals, table);
        if let Some(literal) = single(&gate) {
            return literal.invert_if(inverted);
        }
        let next = self.nodes.len() as u32;
        let node = *self.known.entry(gate).or_insert(next);
        if node == next {
            self.nodes.push(Node::Gate(gate));
        }
        Literal::new(node, inverted)
    }

    /// The gate of a node; none if it is a leaf.
    pub fn gate_of(&self, node: u32) -> Option<&Gate> {
        match &self.nodes[node as usize] {
            Node::Leaf => None,
            Node::Gate(gate) => Some(gate),
        }
    }

    /// The nodes that a node reads.
    pub fn fanins(&self, node: u32) -> &[u32] {
        self.gate_of(node).map_or(&[], Gate::fanins)
    }

    pub(super) fn set(&mut self, node: u32, gate: Gate) {
        self.nodes[node as usize] = Node::Gate(gate);
    }

    /// The nodes that `outputs` need, leaves included, operands first.
    pub fn order(&self, outputs: &[Literal]) -> Vec<u32> {
        let mut seen = vec![false; self.nodes.len()];
        let mut order = Vec::new();
        // A node is on the stack twice: before its operands, and with the flag after them.
        let mut stack = Vec::new();
        for output in outputs {
            stack.push((output.node(), false));
            while let Some((node, done)) = stack.pop() {
                if done {
                    order.push(node);
                } else if !std::mem::replace(&mut seen[node as usize], true) {
                    stack.push((node, true));
                    stack.extend(self.fanins(node).iter().rev().map(|&fanin| (fanin, false)));
                }
            }
        }
        order
    }

    /// How many gates `outputs` need.
    pub fn size(&self, outputs: &[Literal]) -> usize {
        let is_gate = |&node: &u32| !self.fanins(node).is_empty();
        self.order(outputs).into_iter().filter(is_gate).count()
    }

    /// The most gates on a way to one of `outputs`.
    pub fn depth(&self, outputs: &[Literal]) -> usize {
        let mut depths = vec![0; self.nodes.len()];
        for node in self.order(outputs) {
            let fanins = self.fanins(node).iter();
            depths[node as usize] = fanins.map(|&f| depths[f as usize] + 1).max().unwrap_or(0);
        }
        outputs.iter().map(|output| depths[output.node() as usize]).max().unwrap_or(0)
    }

    /// How often gates and outputs read each node; `order` is that of [`Network::order`].
    pub(super) fn reads(&self, outputs: &[Literal], order: &[u32]) -> Vec<u32> {
        let mut reads = vec![0; self.nodes.len()];
        let fanins = order.iter().flat_map(|&node| self.fanins(node).iter().copied());
        let read = fanins.chain(outputs.iter().map(|output| output.node()));
        read.for_each(|node| reads[node as usize] += 1);
        reads
    }

    /// The two literals that a node is the product of, or, if so flagged, the complement of their product.
    pub(super) fn product(&self, node: u32) -> Option<([Literal; 2], bool)> {
        let gate = self.gate_of(node)?;
        let &[a, b] = gate.fanins() else { return None };
        [(false, false), (true, false), (false, true), (true, true)].into_iter().find_map(
            |(x, y)| {
                let literals = [Literal::new(a, x), Literal::new(b, y)];
                let (product, inverted) = normal(&literals, AND);
                (product.table == gate.table).then_some((literals, inverted))
            },
        )
    }

    /// Merges equal gates, and replaces gates of one input or none by what they are.
    pub(super) fn clean(&mut self, outputs: &mut [Literal]) {
        let mut literals: Vec<Literal> =
            (0..self.nodes.len() as u32).map(|node| Literal::new(node, false)).collect();
        self.known.clear();
        for node in self.order(outputs) {
            let Some(&gate) = self.gate_of(node) else { continue };
            let mut operands = [Literal::FALSE; 3];
            for (operand, fanin) in operands.iter_mut().zip(gate.fanins()) {
                *operand = literals[*fanin as usize];
            }
            let (gate, inverted) = normal(&operands[..gate.fanins().len()], gate.table);
            let literal = single(&gate).unwrap_or_else(|| {
                self.nodes[node as usize] = Node::Gate(gate);
                Literal::new(*self.known.entry(gate).or_insert(node), false)
            });
            literals[node as usize] = literal.invert_if(inverted);
        }
        for output in outputs {
            *output = literals[output.node() as usize].invert_if(output.is_inverted());
        }
    }
}

/// The gate with its fanins in order, each of them once and needed, whose value is 0 where they are; and whether it is the
/// complement of what was asked for.
pub(super) fn normal(literals: &[Literal], table: u8) -> (Gate, bool) {
    let mut fanins = [0; 3];
    let mut len = 0;
    for literal in literals {
        if !fanins[..len].contains(&literal.node()) {
            fanins[len] = literal.node();
            len += 1;
        }
    }
    fanins[..len].sort_unstable();
    let mut values = table::inputs();
    for (value, literal) in values.iter_mut().zip(literals) {
        let place = fanins[..len].iter().position(|&fanin| fanin == literal.node());
        *value = table::inputs()[place.expect("collected above")];
        if literal.is_inverted() {
            *value = !*value;
        }
        if literal.node() == 0 {
            *value = if literal.is_inverted() { !0 } else { 0 };
        }
    }
    let table = table::compose(table, values);
    let inverted = table & 1 == 1;
    let table = if inverted { !table } else { table };
    let (arity, table) = table::reduce(&mut fanins, len, table);
    (Gate::new(&fanins[..arity], table), inverted)
}

/// The literal that a gate of less than two inputs is.
fn single(gate: &Gate) -> Option<Literal> {
    match *gate.fanins() {
        [] => Some(Literal::FALSE),
        [fanin] => Some(Literal::new(fanin, false)),
        _ => None,
    }
}
