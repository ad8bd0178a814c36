//! Questions about nodes of a network, for a SAT solver.

use crate::effort::Effort;
use cadical::{Callbacks, Solver};
use nakiri::map::{Literal, Network};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, BinaryHeap};

/// Ends the solver when the effort is over.
struct Watch(Effort);

impl Callbacks for Watch {
    fn terminate(&mut self) -> bool {
        self.0.is_over()
    }
}

/// What came of a question.
pub(super) enum Answer {
    /// The literals are equal for all values of the leaves.
    Equal,
    /// They differ where these nodes have these values.
    Different(FxHashMap<u32, bool>),
    /// The solver gave up.
    Unknown,
}

/// Whether two literals are equal where a third is true. The solver gives up after so many conflicts.
pub(super) fn equal(
    network: &Network,
    (a, b): (Literal, Literal),
    assumed: Literal,
    conflicts: i32,
    effort: &Effort,
) -> Answer {
    // What the solver is told takes time too.
    if effort.is_over() {
        return Answer::Unknown;
    }
    let order = network.order(&[a, b, assumed]);
    let mut question = Question::new(network, &order, effort);
    question.assume(assumed);
    question.solve((a, b), conflicts)
}

/// The most nodes of a question about what is near two literals, and its conflicts.
const NEAR: (usize, i32) = (400, 200);

/// Whether two literals are equal whatever the nodes are that are not near below them. If they are not, they may still be equal,
/// because these nodes don't take all values.
pub(super) fn are_equal_above(
    network: &Network,
    (a, b): (Literal, Literal),
    effort: &Effort,
) -> bool {
    let mut waiting = BinaryHeap::from([a.node(), b.node()]);
    let mut near = Vec::new();
    while near.len() < NEAR.0 {
        // The highest first, so that each is met once.
        let Some(node) = waiting.pop() else { return false };
        if near.last() != Some(&node) {
            near.push(node);
            waiting.extend(network.fanins(node));
        }
    }
    let free: BTreeSet<u32> = waiting.into_iter().collect();
    near.retain(|node| !free.contains(node));
    let order: Vec<u32> = free.into_iter().chain(near.into_iter().rev()).collect();
    let question = Question::new(network, &order, effort);
    matches!(question.solve((a, b), NEAR.1), Answer::Equal)
}

/// A solver that knows some nodes.
struct Question<'a> {
    network: &'a Network,
    solver: Solver<Watch>,
    /// Those that are known, each behind its operands unless it is free.
    order: &'a [u32],
    variables: FxHashMap<u32, i32>,
}

impl<'a> Question<'a> {
    /// The nodes are functions of their operands as far as these are among them.
    fn new(network: &'a Network, order: &'a [u32], effort: &Effort) -> Question<'a> {
        let mut solver: Solver<Watch> = Solver::new();
        solver.set_callbacks(Some(Watch(effort.clone())));
        let variables: FxHashMap<u32, i32> = order.iter().copied().zip(1..).collect();
        for &node in order {
            let own = variables[&node];
            let Some(gate) = network.gate_of(node) else { continue };
            let operands = gate.fanins().iter().map(|fanin| variables.get(fanin).copied());
            let Some(operands) = operands.collect::<Option<Vec<i32>>>() else { continue };
            for row in 0..1u32 << operands.len() {
                let differs = operands.iter().enumerate();
                let differs = differs.map(|(k, &v)| if row >> k & 1 == 1 { -v } else { v });
                let value = if gate.table >> row & 1 == 1 { own } else { -own };
                solver.add_clause(differs.chain([value]));
            }
        }
        Question { network, solver, order, variables }
    }

    fn variable(&self, literal: Literal) -> i32 {
        let variable = self.variables[&literal.node()];
        if literal.is_inverted() {
            -variable
        } else {
            variable
        }
    }

    /// A literal is true.
    fn assume(&mut self, literal: Literal) {
        let variable = self.variable(literal);
        self.solver.add_clause([variable]);
    }

    /// Whether two literals are equal.
    fn solve(mut self, (a, b): (Literal, Literal), conflicts: i32) -> Answer {
        let (a, b) = (self.variable(a), self.variable(b));
        self.solver.add_clause([a, b]);
        self.solver.add_clause([-a, -b]);
        // An unknown name is the only way to fail, and then the solver has no limit of its own.
        let _ = self.solver.set_limit("conflicts", conflicts);
        match self.solver.solve() {
            Some(false) => Answer::Equal,
            Some(true) => {
                let value =
                    |&node: &u32| (node, self.solver.value(self.variables[&node]) == Some(true));
                let leaf = |node: &&u32| self.network.gate_of(**node).is_none();
                Answer::Different(self.order.iter().filter(leaf).map(value).collect())
            }
            None => Answer::Unknown,
        }
    }
}
