//! Multiplexers in multiplexers as sums of products.
//!
//! A choice among n values takes 3(n − 1) gates as multiplexers, and 2n − 1 as the sum of the values, each under the condition
//! that it is chosen. The conditions take gates too; but the bits of a register are chosen under the same.

use super::network::{normal, Literal, Network, AND};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::VecDeque;

/// How many choices must share their conditions, at least: the conditions take as many gates as two choices save, and more
/// if they must be complemented.
const SHARED: usize = 4;

/// How many values a choice is among, at most. The conditions of more would be shared by fewer; and what lies between two
/// choices is what a proof goes by.
const MOST: usize = 8;

const XOR: u8 = 0b0110_0110;

/// Makes sums of products where that takes fewer gates. No node is new: those of multiplexers become others.
pub fn as_sums(network: &mut Network, outputs: &mut [Literal]) {
    network.clean(outputs);
    let order = network.order(outputs);
    let finder = Finder::new(network, outputs, &order);
    let mut inside = vec![false; network.len()];
    let mut kinds: FxHashMap<Vec<Option<u32>>, usize> = FxHashMap::default();
    let mut groups: Vec<Vec<Choice>> = Vec::new();
    for &node in order.iter().rev().filter(|&&node| network.fanins(node).len() == 2) {
        if inside[node as usize] {
            continue;
        }
        let Some(choice) = finder.choice(node) else { continue };
        choice.spare.iter().for_each(|&node| inside[node as usize] = true);
        if choice.terms.len() > 2 {
            let group = *kinds.entry(choice.selects.clone()).or_insert(groups.len());
            groups.resize_with(groups.len().max(group + 1), Vec::new);
            groups[group].push(choice);
        }
    }
    for group in groups.into_iter().filter(|group| group.len() >= SHARED) {
        let spare = group.iter().flat_map(|choice| &choice.spare).copied().collect();
        let mut writer = Writer { network, spare, known: FxHashMap::default() };
        group.iter().for_each(|choice| writer.write(choice));
    }
    network.clean(outputs);
}

/// `select ? then : otherwise`.
struct Multiplexer {
    select: Literal,
    then: Literal,
    otherwise: Literal,
    /// The gates that nothing else needs, and how often they read both values.
    gates: SmallVec<[u32; 2]>,
    reads: [u32; 2],
}

/// What a node is as a choice among values.
struct Choice {
    node: u32,
    /// Each value, and what it is chosen under: all of these.
    terms: Vec<(Literal, SmallVec<[Literal; 4]>)>,
    /// The selects of its multiplexers and the places of its values, outermost first: choices that agree have the same conditions.
    selects: Vec<Option<u32>>,
    /// The gates that only it needs.
    spare: Vec<u32>,
}

struct Finder<'a> {
    network: &'a Network,
    /// How often each node is read.
    reads: Vec<u32>,
}

impl<'a> Finder<'a> {
    fn new(network: &'a Network, outputs: &[Literal], order: &[u32]) -> Finder<'a> {
        Finder { network, reads: network.reads(outputs, order) }
    }

    /// The choice that a node makes, if it is a multiplexer.
    fn choice(&self, node: u32) -> Option<Choice> {
        let mut choice = Choice { node, terms: Vec::new(), selects: Vec::new(), spare: Vec::new() };
        // Values that may be chosen, under what, and whether only multiplexers of this choice read them.
        let mut pending = VecDeque::from([(Literal::new(node, false), SmallVec::new(), true)]);
        while let Some((value, conditions, is_own)) = pending.pop_front() {
            let may = is_own && choice.terms.len() + pending.len() + 2 <= MOST;
            let found = if may { self.multiplexer(value) } else { None };
            let Some(found) = found else {
                choice.selects.push(None);
                choice.terms.push((value, conditions));
                continue;
            };
            if value.node() != node {
                choice.spare.push(value.node());
            }
            choice.spare.extend(&found.gates);
            choice.selects.push(Some(found.select.node()));
            let arms = [(found.then, false), (found.otherwise, true)];
            for ((arm, inverted), reads) in arms.into_iter().zip(found.reads) {
                let mut conditions = conditions.clone();
                conditions.push(found.select.invert_if(inverted));
                pending.push_back((arm, conditions, self.reads[arm.node() as usize] == reads));
            }
        }
        (choice.terms.len() > 1).then_some(choice)
    }

    /// The multiplexer that makes a literal. Its select is not complemented.
    fn multiplexer(&self, value: Literal) -> Option<Multiplexer> {
        let found = self.by_difference(value.node()).or_else(|| self.by_sum(value.node()))?;
        let [then, otherwise] =
            [found.then, found.otherwise].map(|arm| arm.invert_if(value.is_inverted()));
        Some(match found.select.is_inverted() {
            false => Multiplexer { then, otherwise, ..found },
            true => Multiplexer {
                select: found.select.invert_if(true),
                then: otherwise,
                otherwise: then,
                reads: [found.reads[1], found.reads[0]],
                ..found
            },
        })
    }

    /// `b ^ (s & (a ^ b))`.
    fn by_difference(&self, node: u32) -> Option<Multiplexer> {
        let [p, q] = self.operands(node, XOR)?;
        [(p, q), (q, p)].into_iter().find_map(|(change, b)| {
            let (terms, inverted) = self.product(change)?;
            let both = [(terms[0], terms[1]), (terms[1], terms[0])];
            both.into_iter().find_map(|(select, difference)| {
                let operands = self.own(difference.node()).then_some(difference.node())?;
                let a = match self.operands(operands, XOR)? {
                    [x, y] if y == b => x,
                    [x, y] if x == b => y,
                    _ => return None,
                };
                Some(Multiplexer {
                    select,
                    then: Literal::new(a, inverted != difference.is_inverted()),
                    otherwise: Literal::new(b, inverted),
                    gates: [change, difference.node()].into(),
                    reads: [1, 2],
                })
            })
        })
    }

    /// `(s & a) + (!s & b)`, whichever sum it is, or complements of that.
    fn by_sum(&self, node: u32) -> Option<Multiplexer> {
        let (products, inverted) = match self.operands(node, XOR) {
            Some([p, q]) => {
                let (one, other) = (self.product(p)?, self.product(q)?);
                (([p, q], [one.0, other.0]), one.1 != other.1)
            }
            None => {
                let ([p, q], inverted) = self.network.product(node)?;
                let (one, other) = (self.product(p.node())?, self.product(q.node())?);
                // Both are complements of products: their product is that of the sum.
                if one.1 == p.is_inverted() || other.1 == q.is_inverted() {
                    return None;
                }
                (([p.node(), q.node()], [one.0, other.0]), !inverted)
            }
        };
        let (gates, [one, other]) = products;
        let pairs = [(0, 0), (0, 1), (1, 0), (1, 1)];
        let (i, j) = pairs.into_iter().find(|&(i, j)| one[i] == other[j].invert_if(true))?;
        Some(Multiplexer {
            select: one[i],
            then: one[1 - i].invert_if(inverted),
            otherwise: other[1 - j].invert_if(inverted),
            gates: gates.into(),
            reads: [1, 1],
        })
    }

    /// The two literals that a node is the product of, or the complement of their product, if only one other reads it.
    fn product(&self, node: u32) -> Option<([Literal; 2], bool)> {
        self.own(node).then(|| self.network.product(node))?
    }

    fn operands(&self, node: u32, table: u8) -> Option<[u32; 2]> {
        let gate = self.network.gate_of(node).filter(|gate| gate.table == table)?;
        gate.fanins().try_into().ok()
    }

    fn own(&self, node: u32) -> bool {
        self.reads[node as usize] == 1
    }
}

struct Writer<'a> {
    network: &'a mut Network,
    spare: Vec<u32>,
    /// The conditions that are written.
    known: FxHashMap<[Literal; 2], Literal>,
}

impl Writer<'_> {
    fn write(&mut self, choice: &Choice) {
        let mut terms = Vec::with_capacity(choice.terms.len());
        for (value, conditions) in &choice.terms {
            let mut condition = conditions[0];
            for &other in &conditions[1..] {
                condition = match self.known.get(&[condition, other]) {
                    Some(&known) => known,
                    None => {
                        let made = self.gate([condition, other], AND);
                        self.known.insert([condition, other], made);
                        made
                    }
                };
            }
            terms.push(self.gate([condition, *value], AND));
        }
        let last = terms.pop().expect("a choice has values");
        let others = terms.into_iter().reduce(|sum, term| self.gate([sum, term], XOR));
        let (mut gate, inverted) = normal(&[others.unwrap_or(Literal::FALSE), last], XOR);
        if inverted {
            gate.table = !gate.table;
        }
        self.network.set(choice.node, gate);
    }

    /// A gate in the place of one that is no longer needed.
    fn gate(&mut self, literals: [Literal; 2], table: u8) -> Literal {
        let node = self.spare.pop().expect("choices have more gates than sums and conditions");
        let (gate, inverted) = normal(&literals, table);
        self.network.set(node, gate);
        Literal::new(node, inverted)
    }
}
