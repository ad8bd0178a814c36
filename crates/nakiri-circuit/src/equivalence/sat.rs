//! Questions about nodes of a network, for a SAT solver.

use crate::effort::Effort;
use cadical::{Callbacks, Solver};
use nakiri::map::{Literal, Network};
use rustc_hash::FxHashMap;

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

/// Whether two literals are equal. The solver gives up after so many conflicts.
pub(super) fn equal(
    network: &Network,
    a: Literal,
    b: Literal,
    conflicts: i32,
    effort: &Effort,
) -> Answer {
    // What the solver is told takes time too.
    if effort.is_over() {
        return Answer::Unknown;
    }
    let mut solver: Solver<Watch> = Solver::new();
    solver.set_callbacks(Some(Watch(effort.clone())));
    let order = network.order(&[a, b]);
    let variables: FxHashMap<u32, i32> = order.iter().copied().zip(1..).collect();
    for &node in &order {
        let own = variables[&node];
        let Some(gate) = network.gate_of(node) else { continue };
        let operands: Vec<i32> = gate.fanins().iter().map(|fanin| variables[fanin]).collect();
        for row in 0..1u32 << operands.len() {
            let differs = operands.iter().enumerate();
            let differs = differs.map(|(k, &v)| if row >> k & 1 == 1 { -v } else { v });
            let value = if gate.table >> row & 1 == 1 { own } else { -own };
            solver.add_clause(differs.chain([value]));
        }
    }
    let literal = |literal: Literal| {
        let variable = variables[&literal.node()];
        if literal.is_inverted() {
            -variable
        } else {
            variable
        }
    };
    let (a, b) = (literal(a), literal(b));
    solver.add_clause([a, b]);
    solver.add_clause([-a, -b]);
    // An unknown name is the only way to fail, and then the solver has no limit of its own.
    let _ = solver.set_limit("conflicts", conflicts);
    match solver.solve() {
        Some(false) => Answer::Equal,
        Some(true) => {
            let value = |&node: &u32| (node, solver.value(variables[&node]) == Some(true));
            let leaf = |node: &&u32| network.gate_of(**node).is_none();
            Answer::Different(order.iter().filter(leaf).map(value).collect())
        }
        None => Answer::Unknown,
    }
}
