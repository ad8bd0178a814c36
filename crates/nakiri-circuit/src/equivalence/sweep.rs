//! Proofs of equality, from the leaves upwards.

use super::cut;
use super::sat::{self, Answer};
use crate::effort::Effort;
use nakiri::map::{Literal, Network};
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;
use std::hash::Hasher;

/// Values of a node on random leaves, in words of 64.
const WORDS: usize = 32;
/// The most conflicts of a proof that two nodes inside are equal.
const CONFLICTS: i32 = 500;
/// The most conflicts of proofs about outputs: all are tried with few before any is with many.
const ROUNDS: [i32; 2] = [2_000, 200_000];
/// With how many nodes that behave like it a node is compared.
const CANDIDATES: usize = 4;

type Values = [u64; WORDS];

/// What is known about two outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// They are equal for all values of the leaves.
    Equal,
    /// They differ where these leaves are one and all others zero; leaves are numbered as nodes.
    Different(Vec<u32>),
    /// Neither was found within the effort.
    Unknown,
}

/// How comparisons ended, the worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// Each pair is equal or different.
    Complete,
    /// Some are too hard for the solver.
    Hard,
    /// The time was over.
    Late,
    /// It was stopped.
    Stopped,
}

impl End {
    /// Of comparisons that had some effort.
    pub fn of(verdicts: &[Verdict], effort: &Effort) -> End {
        match verdicts.contains(&Verdict::Unknown) {
            false => End::Complete,
            true if effort.is_interrupted() => End::Stopped,
            true if effort.is_over() => End::Late,
            true => End::Hard,
        }
    }
}

/// Compares pairs of literals of a network whose gates come behind their operands, where another literal is true. Those that
/// depend on the fewest nodes come first, so that what is cheap is known though the effort ends.
pub fn sweep(
    network: &Network,
    pairs: &[(Literal, Literal)],
    assumed: Literal,
    effort: &Effort,
) -> Vec<Verdict> {
    let mut merged = Merged::new(network);
    let mut verdicts = vec![Verdict::Unknown; pairs.len()];
    let assumed = merged.literal(assumed, effort);
    let sizes = sizes(network, pairs);
    let mut open: Vec<usize> = (0..pairs.len()).collect();
    open.sort_by_key(|&pair| (sizes[pair], pair));
    for conflicts in ROUNDS {
        open.retain(|&pair| {
            let (a, b) = pairs[pair];
            if a == b {
                verdicts[pair] = Verdict::Equal;
                return false;
            }
            if effort.is_over() {
                return true;
            }
            let (a, b) = (merged.literal(a, effort), merged.literal(b, effort));
            verdicts[pair] = merged.compared((a, b), assumed, conflicts, effort);
            verdicts[pair] == Verdict::Unknown
        });
    }
    verdicts
}

/// How many nodes each pair depends on. To count takes time too: of large networks the rest counts as largest.
fn sizes(network: &Network, pairs: &[(Literal, Literal)]) -> Vec<usize> {
    /// The most nodes that are visited.
    const MOST: usize = 1 << 27;
    let mut seen = vec![u32::MAX; network.len()];
    let (mut visited, mut stack) = (0, Vec::new());
    let size = |(pair, &(a, b)): (usize, &(Literal, Literal))| {
        if visited > MOST {
            return usize::MAX;
        }
        let before = visited;
        stack.extend([a.node(), b.node()]);
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut seen[node as usize], pair as u32) != pair as u32 {
                visited += 1;
                stack.extend(network.fanins(node));
            }
        }
        visited - before
    };
    pairs.iter().enumerate().map(size).collect()
}

/// The nodes of a network as those of one without nodes that are known to be equal.
struct Merged<'a> {
    network: &'a Network,
    sweep: Sweep,
    /// What stands for each node that was asked for.
    literals: FxHashMap<u32, Literal>,
    /// The leaves of the network by those of the other.
    leaves: FxHashMap<u32, u32>,
}

impl Merged<'_> {
    fn new(network: &Network) -> Merged<'_> {
        let literals = FxHashMap::from_iter([(0, Literal::FALSE)]);
        Merged { network, sweep: Sweep::new(), literals, leaves: FxHashMap::default() }
    }

    /// What stands for a literal.
    fn literal(&mut self, literal: Literal, effort: &Effort) -> Literal {
        // Chains of gates are longer than the stack is deep.
        let mut waiting = vec![literal.node()];
        while let Some(&node) = waiting.last() {
            if self.literals.contains_key(&node) {
                waiting.pop();
                continue;
            }
            let fanins = self.network.fanins(node);
            let missing = fanins.iter().rev().filter(|fanin| !self.literals.contains_key(fanin));
            let before = waiting.len();
            waiting.extend(missing);
            if waiting.len() > before {
                continue;
            }
            waiting.pop();
            let own = match self.network.gate_of(node) {
                None => {
                    let leaf = self.sweep.leaf();
                    self.leaves.insert(leaf.node(), node);
                    leaf
                }
                Some(gate) => {
                    let operands: Vec<Literal> =
                        gate.fanins().iter().map(|fanin| self.literals[fanin]).collect();
                    self.sweep.gate(&operands, gate.table, effort)
                }
            };
            self.literals.insert(node, own);
        }
        self.literals[&literal.node()].invert_if(literal.is_inverted())
    }

    /// Compares two that stand for others.
    fn compared(
        &self,
        (a, b): (Literal, Literal),
        assumed: Literal,
        conflicts: i32,
        effort: &Effort,
    ) -> Verdict {
        if a == b {
            return Verdict::Equal;
        }
        match sat::equal(&self.sweep.network, (a, b), assumed, conflicts, effort) {
            Answer::Equal => Verdict::Equal,
            Answer::Different(values) => {
                let ones = values.into_iter().filter(|&(_, value)| value);
                let mut ones: Vec<u32> = ones.map(|(leaf, _)| self.leaves[&leaf]).collect();
                ones.sort_unstable();
                Verdict::Different(ones)
            }
            Answer::Unknown => Verdict::Unknown,
        }
    }
}

/// A network without nodes that are known to be equal.
struct Sweep {
    network: Network,
    /// What stands for each node: itself, or an equal one.
    instead: Vec<Literal>,
    values: Vec<Values>,
    /// The nodes that behave alike, by the [`digest`] of their values.
    alike: FxHashMap<u64, SmallVec<[u32; 2]>>,
    random: fastrand::Rng,
    /// The word of values that the next difference goes to.
    turn: usize,
}

impl Sweep {
    fn new() -> Sweep {
        let mut sweep = Sweep {
            network: Network::new(),
            instead: Vec::new(),
            values: Vec::new(),
            alike: FxHashMap::default(),
            random: fastrand::Rng::with_seed(1),
            turn: 0,
        };
        sweep.add(Literal::FALSE, [0; WORDS]);
        sweep
    }

    fn leaf(&mut self) -> Literal {
        let leaf = self.network.leaf();
        let values = std::array::from_fn(|_| self.random.u64(..));
        self.add(leaf, values);
        leaf
    }

    fn add(&mut self, literal: Literal, values: Values) {
        self.instead.push(literal);
        self.values.push(values);
        self.alike.entry(digest(&values)).or_default().push(literal.node());
    }

    /// The literal of a gate, or one that was proved to be equal.
    fn gate(&mut self, operands: &[Literal], table: u8, effort: &Effort) -> Literal {
        let literal = self.network.gate(operands, table);
        let node = literal.node() as usize;
        if node == self.instead.len() {
            let values = self.evaluated(literal.node());
            let candidates = self.alike.get(&digest(&values)).into_iter().flatten().copied();
            let candidates: Vec<u32> = candidates.take(CANDIDATES).collect();
            let own = Literal::new(literal.node(), false);
            self.add(own, values);
            for candidate in candidates {
                let is_inverted = (self.values[candidate as usize][0] ^ values[0]) & 1 == 1;
                let other = Literal::new(candidate, is_inverted);
                if self.is_equal(own, other, effort) {
                    self.instead[node] = other;
                    self.forget(node);
                    break;
                }
            }
        }
        self.instead[node].invert_if(literal.is_inverted())
    }

    fn is_equal(&mut self, a: Literal, b: Literal, effort: &Effort) -> bool {
        if effort.is_over() {
            return false;
        }
        if cut::equal(&self.network, a, b) {
            return true;
        }
        if sat::are_equal_above(&self.network, (a, b), effort) {
            return true;
        }
        let always = Literal::FALSE.invert_if(true);
        match sat::equal(&self.network, (a, b), always, CONFLICTS, effort) {
            Answer::Equal => true,
            Answer::Different(values) => {
                self.learn(&values);
                false
            }
            Answer::Unknown => false,
        }
    }

    /// A node that something else stands for is no candidate.
    fn forget(&mut self, node: usize) {
        if let Some(nodes) = self.alike.get_mut(&digest(&self.values[node])) {
            nodes.retain(|other| *other as usize != node);
        }
    }

    /// One word of values becomes those where two nodes were found to differ, and others near them.
    fn learn(&mut self, leaves: &FxHashMap<u32, bool>) {
        let word = self.turn;
        self.turn = (self.turn + 1) % WORDS;
        for node in 1..self.values.len() {
            let value = match self.network.gate_of(node as u32) {
                None => match leaves.get(&(node as u32)) {
                    // The first is as found; in each other one about one leaf in eight is flipped.
                    Some(&value) => {
                        let flips =
                            self.random.u64(..) & self.random.u64(..) & self.random.u64(..) & !1;
                        if value {
                            !flips
                        } else {
                            flips
                        }
                    }
                    None => self.random.u64(..),
                },
                Some(gate) => {
                    let operand = |f: &u32| [self.values[*f as usize][word]];
                    let operands: SmallVec<[[u64; 1]; 3]> =
                        gate.fanins().iter().map(operand).collect();
                    cut::apply(gate.table, &operands)[0]
                }
            };
            self.values[node][word] = value;
        }
        self.alike.clear();
        for (node, values) in self.values.iter().enumerate() {
            if self.instead[node].node() as usize == node {
                self.alike.entry(digest(values)).or_default().push(node as u32);
            }
        }
    }

    fn evaluated(&self, node: u32) -> Values {
        let gate = self.network.gate_of(node).expect("a gate");
        let operands: Vec<Values> =
            gate.fanins().iter().map(|&fanin| self.values[fanin as usize]).collect();
        cut::apply(gate.table, &operands)
    }
}

/// The same number for values and for their complements, and hardly ever for others.
fn digest(values: &Values) -> u64 {
    let flip = (values[0] & 1).wrapping_neg();
    let mut hasher = FxHasher::default();
    values.iter().for_each(|word| hasher.write_u64(word ^ flip));
    hasher.finish()
}
