//! Building one function after another on a pool of signals.

use super::super::boolean::Function;
use super::super::network::{Literal, Network, Node};
use super::super::random::Random;
use super::super::Table;
use super::Settings;

/// All values of a function of up to 6, 7 or 8 inputs (`W` = 1, 2, 4).
pub(super) type Bits<const W: usize> = [u64; W];

fn zip<const W: usize>(a: &Bits<W>, b: &Bits<W>, f: impl Fn(u64, u64) -> u64) -> Bits<W> {
    std::array::from_fn(|word| f(a[word], b[word]))
}

/// The conjunction.
pub(super) fn and<const W: usize>(a: &Bits<W>, b: &Bits<W>) -> Bits<W> {
    zip(a, b, |a, b| a & b)
}

/// The sum.
pub(super) fn xor<const W: usize>(a: &Bits<W>, b: &Bits<W>) -> Bits<W> {
    zip(a, b, |a, b| a ^ b)
}

/// The complement if `inverted`, or else the bits themselves.
pub(super) fn invert_if<const W: usize>(a: &Bits<W>, inverted: bool) -> Bits<W> {
    let mask = if inverted { u64::MAX } else { 0 };
    a.map(|word| word ^ mask)
}

fn is_zero<const W: usize>(a: &Bits<W>) -> bool {
    a.iter().all(|&word| word == 0)
}

/// What a function must be, and where.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal<const W: usize> {
    /// The values.
    pub(super) target: Bits<W>,
    /// The indices that matter.
    pub(super) care: Bits<W>,
}

impl<const W: usize> Goal<W> {
    /// Whether `function` or its complement meets the goal; if so, whether the complement.
    fn is_met_by(&self, function: &Bits<W>) -> Option<bool> {
        let wrong = and(&xor(function, &self.target), &self.care);
        if is_zero(&wrong) {
            Some(false)
        } else if wrong == self.care {
            Some(true)
        } else {
            None
        }
    }

    /// Whether the target, complemented if `inverted`, is zero where `function` is.
    fn is_within(&self, inverted: bool, function: &Bits<W>) -> bool {
        let mask = if inverted { u64::MAX } else { 0 };
        (0..W).all(|word| (self.target[word] ^ mask) & !function[word] & self.care[word] == 0)
    }
}

/// Nodes with their functions, and how to search among them.
#[derive(Clone, Debug)]
pub(super) struct Pool<const W: usize> {
    inputs: usize,
    /// The constant, the inputs, then the gates.
    pub(super) nodes: Vec<Node>,
    /// The function of each node.
    pub(super) functions: Vec<Bits<W>>,
    chain: usize,
    breadth: usize,
}

/// A gate, complemented if the flag is set.
type Gate = (Node, bool);

impl<const W: usize> Pool<W> {
    /// The pool of the inputs only.
    pub(super) fn new(inputs: usize, settings: Settings) -> Pool<W> {
        let mut nodes = vec![Node::Constant];
        nodes.resize(inputs + 1, Node::Input);
        let mut functions = vec![[0; W]];
        functions.extend((0..inputs).map(|input| to_bits(&Function::input(inputs, input))));
        Pool { inputs, nodes, functions, chain: settings.chain, breadth: settings.breadth }
    }

    /// A network for `table`, built output by output in a random order.
    pub(super) fn build(table: &Table, settings: Settings) -> (Network, Vec<Literal>) {
        let mut random = Random::new(settings.seed);
        let mut pool = Pool::<W>::new(usize::from(table.inputs), settings);
        let mut order: Vec<usize> = (0..usize::from(table.outputs)).collect();
        random.shuffle(&mut order);
        let mut outputs = vec![Literal::FALSE; order.len()];
        for output in order {
            let target = to_bits(&Function::output(table, output));
            let goal = Goal { target, care: [u64::MAX; W] };
            let free: Vec<usize> = (0..pool.inputs).collect();
            // Without a limit there is always a solution: the constants, in the end.
            if let Some(literal) = pool.create(&goal, &free, usize::MAX, &mut random) {
                outputs[output] = literal;
            }
        }
        pool.to_network(&outputs)
    }

    /// The nodes as a network, and `outputs` there.
    pub(super) fn to_network(&self, outputs: &[Literal]) -> (Network, Vec<Literal>) {
        let mut network = Network::new(self.inputs);
        let mut literals: Vec<Literal> =
            (0..=self.inputs).map(|node| Literal::new(node, false)).collect();
        for node in &self.nodes[self.inputs + 1..] {
            let at = |literal: Literal| literals[literal.node()].invert_if(literal.is_inverted());
            let literal = match *node {
                Node::Constant | Node::Input => Literal::FALSE,
                Node::And(a, b) => network.and(at(a), at(b)),
                Node::Xor(a, b) => network.xor(at(a), at(b)),
            };
            literals.push(literal);
        }
        let at = |literal: &Literal| literals[literal.node()].invert_if(literal.is_inverted());
        (network, outputs.iter().map(at).collect())
    }

    /// The function of `literal`.
    pub(super) fn function(&self, literal: Literal) -> Bits<W> {
        invert_if(&self.functions[literal.node()], literal.is_inverted())
    }

    /// Adds `node`.
    pub(super) fn push(&mut self, node: Node) -> Literal {
        let function = match node {
            Node::Constant | Node::Input => [0; W],
            Node::And(a, b) => and(&self.function(a), &self.function(b)),
            Node::Xor(a, b) => xor(&self.function(a), &self.function(b)),
        };
        self.nodes.push(node);
        self.functions.push(function);
        Literal::new(self.nodes.len() - 1, false)
    }

    fn push_gate(&mut self, (node, inverted): Gate) -> Literal {
        self.push(node).invert_if(inverted)
    }

    fn truncate(&mut self, length: usize) {
        self.nodes.truncate(length);
        self.functions.truncate(length);
    }

    /// A literal that meets `goal` with at most `limit` new gates, splitting by the inputs in
    /// `free` where chains do not reach. The pool is as before if there is none.
    pub(super) fn create(
        &mut self,
        goal: &Goal<W>,
        free: &[usize],
        limit: usize,
        random: &mut Random,
    ) -> Option<Literal> {
        if let Some(literal) = self.existing(goal, random) {
            return Some(literal);
        }
        for length in 1..=self.chain.min(limit) {
            if let Some(literal) = self.chain(goal, length, random) {
                return Some(literal);
            }
        }
        if limit <= 2 {
            return None;
        }
        self.split(goal, free, limit, random)
    }

    /// An existing signal that meets `goal`.
    fn existing(&self, goal: &Goal<W>, random: &mut Random) -> Option<Literal> {
        let count = self.functions.len();
        let start = random.below(count);
        (start..count).chain(0..start).find_map(|node| {
            let inverted = goal.is_met_by(&self.functions[node])?;
            Some(Literal::new(node, inverted))
        })
    }

    /// A chain of exactly `length` new gates that meets `goal`.
    fn chain(&mut self, goal: &Goal<W>, length: usize, random: &mut Random) -> Option<Literal> {
        if length == 1 {
            return self.gate(goal, random).map(|gate| self.push_gate(gate));
        }
        let count = self.functions.len();
        let start = random.below(count);
        for node in (start..count).chain(0..start).filter(|&node| node > 0) {
            let plain = Literal::new(node, false);
            let function = self.functions[node];
            let rest = Goal { target: xor(&goal.target, &function), care: goal.care };
            if let Some(literal) = self.chain(&rest, length - 1, random) {
                return Some(self.push_gate(sum(plain, literal)));
            }
            for (inverted, complement) in
                [(false, false), (false, true), (true, false), (true, true)]
            {
                let function = invert_if(&function, complement);
                if !goal.is_within(inverted, &function) {
                    continue;
                }
                let target = invert_if(&goal.target, inverted);
                let rest = Goal { target, care: and(&goal.care, &function) };
                if let Some(literal) = self.chain(&rest, length - 1, random) {
                    let node = product(plain.invert_if(complement), literal);
                    return Some(self.push_gate((node, inverted)));
                }
            }
        }
        None
    }

    /// A gate of two existing signals that meets `goal`.
    fn gate(&self, goal: &Goal<W>, random: &mut Random) -> Option<Gate> {
        if random.bits() & 1 == 0 {
            self.sum_gate(goal, random).or_else(|| self.product_gate(goal))
        } else {
            self.product_gate(goal).or_else(|| self.sum_gate(goal, random))
        }
    }

    /// A sum of two existing signals that meets `goal`.
    fn sum_gate(&self, goal: &Goal<W>, random: &mut Random) -> Option<Gate> {
        let count = self.functions.len();
        let start = random.below(count);
        for a in (start..count).chain(0..start) {
            let rest = Goal { target: xor(&goal.target, &self.functions[a]), care: goal.care };
            let partner = self.functions[..a].iter().enumerate();
            let found = partner
                .skip(1)
                .find_map(|(b, function)| rest.is_met_by(function).map(|inverted| (b, inverted)));
            if let Some((b, inverted)) = found {
                return Some((Node::Xor(Literal::new(b, false), Literal::new(a, false)), inverted));
            }
        }
        None
    }

    /// A conjunction of two existing literals, or its complement, that meets `goal`.
    fn product_gate(&self, goal: &Goal<W>) -> Option<Gate> {
        for inverted in [false, true] {
            let off = zip(&goal.target, &goal.care, |target, care| {
                if inverted {
                    target & care
                } else {
                    !target & care
                }
            });
            let mut above: Vec<(Literal, Bits<W>)> = Vec::new();
            for (node, function) in self.functions.iter().enumerate().skip(1) {
                for complement in [false, true] {
                    let function = invert_if(function, complement);
                    if !goal.is_within(inverted, &function) {
                        continue;
                    }
                    let literal = Literal::new(node, complement);
                    let wrong = and(&function, &off);
                    if let Some((other, _)) =
                        above.iter().find(|(_, other)| is_zero(&and(other, &wrong)))
                    {
                        return Some((product(*other, literal), inverted));
                    }
                    above.push((literal, wrong));
                }
            }
        }
        None
    }

    /// The cheapest of some splits by an input, of at most `limit` gates.
    fn split(
        &mut self,
        goal: &Goal<W>,
        free: &[usize],
        limit: usize,
        random: &mut Random,
    ) -> Option<Literal> {
        let before = self.nodes.len();
        let mut choices: Vec<(usize, bool)> =
            free.iter().flat_map(|&input| [(input, false), (input, true)]).collect();
        random.shuffle(&mut choices);
        let breadth = if free.len() >= 5 { 1 } else { self.breadth };
        let mut best: Option<(Vec<Node>, Literal)> = None;
        let mut limit = limit;
        for (input, value) in choices.into_iter().take(breadth) {
            if let Some(literal) = self.split_by(goal, input, value, free, limit, random) {
                let added = self.nodes.len() - before;
                best = Some((self.nodes[before..].to_vec(), literal));
                limit = added - 1;
            }
            self.truncate(before);
        }
        let (nodes, literal) = best?;
        nodes.into_iter().for_each(|node| {
            self.push(node);
        });
        Some(literal)
    }

    /// `base ^ (x & change)` where `x` is whether `input` is `value`, of at most `limit` gates.
    fn split_by(
        &mut self,
        goal: &Goal<W>,
        input: usize,
        value: bool,
        free: &[usize],
        limit: usize,
        random: &mut Random,
    ) -> Option<Literal> {
        let before = self.nodes.len();
        let x = Network::input(input).invert_if(!value);
        let on = self.function(x);
        let free: Vec<usize> = free.iter().copied().filter(|&other| other != input).collect();
        let outside = Goal { target: goal.target, care: and(&goal.care, &invert_if(&on, true)) };
        let base = self.create(&outside, &free, limit.checked_sub(2)?, random)?;
        let left = limit - 2 - (self.nodes.len() - before);
        let target = xor(&goal.target, &self.function(base));
        let inside = Goal { target, care: and(&goal.care, &on) };
        let Some(change) = self.create(&inside, &free, left, random) else {
            self.truncate(before);
            return None;
        };
        let product = self.push(product(x, change));
        Some(self.push_gate(sum(base, product)))
    }
}

fn product(a: Literal, b: Literal) -> Node {
    Node::And(a.min(b), a.max(b))
}

fn sum(a: Literal, b: Literal) -> Gate {
    let inverted = a.is_inverted() ^ b.is_inverted();
    let [a, b] = [a, b].map(|literal| literal.invert_if(literal.is_inverted()));
    (Node::Xor(a.min(b), a.max(b)), inverted)
}

/// The first `W` words of `function`.
fn to_bits<const W: usize>(function: &Function) -> Bits<W> {
    std::array::from_fn(|word| function.words().get(word).copied().unwrap_or(0))
}
