//! Local search for circuits of two- or three-input tables of up to eight inputs: a random walk over circuits of one
//! size, on which a node is computed from other signals wherever its value matters, and whatever serves nothing then is
//! dropped. Now and then a node is made of two, or a circuit may grow for a while.

mod divide;
mod network;

use crate::basis::Basis;
use crate::effort::Effort;
use divide::{dividers, Goal};
use fastrand::Rng;
use nakiri::circuit::Circuit;
use network::{Network, Node};
use std::cmp::Ordering;

/// What is to be small.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Objective {
    /// The number of gates.
    Gates,
    /// The number of gates on the longest path, then the number of gates.
    Depth,
}

/// How a walk goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The seed of all choices.
    pub seed: u64,
    /// What is to be small.
    pub objective: Objective,
    /// The largest number of steps.
    pub steps: u64,
    /// How many gates above the best size the walk may stray.
    pub excess: usize,
    /// One in how many steps tries to make a node of two.
    pub pairs: u32,
    /// One in how many of these may make the circuit larger.
    pub uphill: u32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            seed: 1,
            objective: Objective::Gates,
            steps: u64::MAX,
            excess: 2,
            pairs: 8,
            uphill: 40,
        }
    }
}

/// How many ways to compute a node are collected, of which one is taken.
const WAYS: usize = 40;

/// How many pairs of signals are tried when a node is made of two.
const PAIRS: usize = 24;

/// The smallest circuit on a walk from `circuit`, of gates of two inputs or three as `basis` has them, written as
/// three-input tables; `improved` is told of each smaller one. Circuits of more than eight inputs come back as they are.
pub fn walk(
    circuit: &Circuit,
    basis: Basis,
    settings: Settings,
    effort: &Effort,
    improved: &mut dyn FnMut(&Circuit),
) -> Circuit {
    let arity = basis.arity();
    match circuit.inputs {
        0..=6 => Walk::<1>::new(circuit, arity, settings).run(effort, improved),
        7 => Walk::<2>::new(circuit, arity, settings).run(effort, improved),
        8 => Walk::<4>::new(circuit, arity, settings).run(effort, improved),
        _ => circuit.clone(),
    }
}

struct Walk<const W: usize> {
    current: Network<W>,
    best: Network<W>,
    arity: usize,
    settings: Settings,
    rng: Rng,
}

impl<const W: usize> Walk<W> {
    fn new(circuit: &Circuit, arity: usize, settings: Settings) -> Walk<W> {
        let current = Network::of_circuit(circuit);
        let best = current.clone();
        Walk { current, best, arity, settings, rng: Rng::with_seed(settings.seed) }
    }

    fn run(mut self, effort: &Effort, improved: &mut dyn FnMut(&Circuit)) -> Circuit {
        for number in 0..self.settings.steps {
            if number % 16 == 0 && effort.is_over() {
                break;
            }
            if self.current.nodes.is_empty() {
                break;
            }
            if let Some(next) = self.step() {
                if self.is_acceptable(&next) {
                    self.current = next;
                }
            }
            if self.cost(&self.current) < self.cost(&self.best) {
                self.best = self.current.clone();
                improved(&self.best.to_circuit());
            }
        }
        self.best.to_circuit()
    }

    /// What is to be small, the most important first: depth and how many gates make it so, if depth counts at all, then
    /// the number of gates.
    fn cost(&self, network: &Network<W>) -> [usize; 3] {
        let [depth, critical] = match self.settings.objective {
            Objective::Gates => [0, 0],
            Objective::Depth => network.critical(),
        };
        [depth, critical, network.nodes.len()]
    }

    fn is_acceptable(&self, next: &Network<W>) -> bool {
        match self.settings.objective {
            Objective::Gates => next.nodes.len() <= self.best.nodes.len() + self.settings.excess,
            Objective::Depth => {
                let [depth, critical, size] = self.cost(next);
                let current = self.cost(&self.current);
                let may_be = self.best.nodes.len() + self.settings.excess;
                match [depth, critical].cmp(&[current[0], current[1]]) {
                    Ordering::Less => true,
                    Ordering::Equal => size <= may_be,
                    Ordering::Greater => false,
                }
            }
        }
    }

    /// The network with a random node computed otherwise.
    fn step(&mut self) -> Option<Network<W>> {
        let network = &self.current;
        let signal = network.inputs + self.rng.usize(..network.nodes.len());
        let above = network.above(signal);
        let goal = Goal { target: network.values[signal], care: network.care(signal, &above) };
        let mut signals: Vec<usize> =
            (0..network.values.len()).filter(|&other| !above[other]).collect();
        self.rng.shuffle(&mut signals);
        let is_output = network.outputs.contains(&Ok(signal));
        for &other in &signals {
            for complement in [false, true] {
                if !(complement && is_output) && goal.is(&network.values[other], complement) {
                    return Some(network.substituted(signal, other, complement));
                }
            }
        }
        if self.rng.u32(..self.settings.pairs) == 0 {
            return self.pair(signal, &goal, &signals);
        }
        self.single(signal, &goal, &signals)
    }

    /// The network with `signal` made of other signals, of ways that leave equally few nodes a random one.
    fn single(&mut self, signal: usize, goal: &Goal<W>, signals: &[usize]) -> Option<Network<W>> {
        let network = &self.current;
        let own = network.nodes[signal - network.inputs].operands;
        let mut ways = dividers(goal, signals, &network.values, self.arity, WAYS);
        let sorted = |mut operands: [usize; 3]| {
            operands.sort_unstable();
            operands
        };
        ways.retain(|&way| sorted(way) != sorted(own));
        let serving = network.serving(signal);
        let served = |way: &[usize; 3]| way.iter().filter(|&&operand| serving[operand]).count();
        let levels = network.levels();
        let rank = |way: &[usize; 3]| match self.settings.objective {
            Objective::Gates => served(way),
            Objective::Depth => way.iter().map(|&operand| levels[operand]).max().unwrap_or(0),
        };
        let fewest = ways.iter().map(rank).min()?;
        ways.retain(|way| rank(way) == fewest);
        let way = ways[self.rng.usize(..ways.len())];
        let node = goal.node(way, way.map(|operand| &network.values[operand]), &mut self.rng);
        Some(network.replaced(signal, node, &[]))
    }

    /// The network with `signal` made of a new node and other signals.
    fn pair(&mut self, signal: usize, goal: &Goal<W>, signals: &[usize]) -> Option<Network<W>> {
        let network = &self.current;
        let serving = network.serving(signal);
        let saved = serving.iter().filter(|&&serves| serves).count();
        let uphill = self.rng.u32(..self.settings.uphill) == 0;
        if saved < 2 && !uphill {
            return None;
        }
        let cheap: Vec<usize> = match (uphill, self.settings.objective) {
            (true, Objective::Depth) => {
                let levels = network.levels();
                let early = |other: &usize| levels[*other] + 1 < levels[signal];
                signals.iter().copied().filter(early).collect()
            }
            (true, _) => signals.to_vec(),
            (false, _) => signals.iter().copied().filter(|&other| !serving[other]).collect(),
        };
        if cheap.len() < 3 {
            return None;
        }
        for _ in 0..PAIRS {
            let a = cheap[self.rng.usize(..cheap.len())];
            let b = match self.arity {
                3 => cheap[self.rng.usize(..cheap.len())],
                _ => a,
            };
            let classes = goal.classes(&network.values[a], &network.values[b]);
            for remainder in classes.remainders(goal) {
                let ways = dividers(&remainder, &cheap, &network.values, self.arity, 1);
                let Some(&way) = ways.first() else { continue };
                let inner =
                    remainder.node(way, way.map(|operand| &network.values[operand]), &mut self.rng);
                let value = inner.value(&network.values);
                let place = network.values.len();
                let values = [&network.values[a], &network.values[b], &value];
                let outer: Node = goal.node([a, b, place], values, &mut self.rng);
                return Some(network.replaced(signal, outer, &[inner]));
            }
        }
        None
    }
}
