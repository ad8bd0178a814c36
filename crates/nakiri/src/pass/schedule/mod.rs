//! Puts statements in an order that suits registers or latencies.
//!
//! Needs: no foralls. Guarantees: straight-line code between loops, and each loop's body, is in the order of a list
//! schedule: statements are placed one by one, each the best of those whose operands are there. Loads and constants
//! stand where they are read first, stores where their value has been made.

mod graph;
mod judge;
mod list;
mod region;
#[cfg(test)]
mod tests;
mod traffic;

use crate::core::{Func, Loop, Program, Stmt, ValueId};
use crate::isa::Target;
use graph::{reads, At, Graph};
pub(crate) use judge::{faster, Core};
use list::First;
use region::{LookAhead, Rule};
use rustc_hash::FxHashSet;

/// The order of the statements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// As in the source.
    #[default]
    Source,
    /// Few values alive at once: first the statement that ends most live ranges. Of several rules for ties, and the order of
    /// the source, the one is taken that needs least memory traffic.
    Pressure,
    /// As a core of the target's issue width and latency would like it, as far as registers suffice: the longest way to the
    /// end first, or an order for few live values in which later statements fill the time that others wait. Of these for
    /// several numbers of registers, and all other orders, the fastest by a model.
    Latency,
}

named!(
    Schedule, "schedule",
    "source" => Schedule::Source, "pressure" => Schedule::Pressure, "latency" => Schedule::Latency,
);

/// Schedules every function.
pub fn run(program: &mut Program, schedule: Schedule, target: &Target) {
    if schedule == Schedule::Source {
        return;
    }
    for func in &mut program.funcs {
        let body = std::mem::take(&mut func.body);
        let live = Liveness::new(func.values.len(), &body);
        let numbers = vec![None; func.values.len()];
        let mut scheduler = Scheduler { func, schedule, target, live, numbers };
        func.body = scheduler.stmts(body);
    }
}

/// Which values are alive while statements are placed.
#[derive(Clone)]
struct Liveness {
    /// For each value how many of the statements that read it are not placed yet.
    reads: Vec<u32>,
    /// How many values are alive.
    count: usize,
}

impl Liveness {
    fn new(values: usize, body: &[Stmt]) -> Liveness {
        let mut live = Liveness { reads: vec![0; values], count: 0 };
        live.expect(body);
        live
    }

    fn expect(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            match stmt {
                Stmt::Loop(l) => {
                    let parts = [distinct(l.carried.iter().map(|c| c.init)), outer(l), nexts(l)];
                    parts.iter().flatten().for_each(|value| self.reads[value.index()] += 1);
                    self.expect(&l.body);
                }
                stmt => reads(stmt).iter().for_each(|v| self.reads[v.index()] += 1),
            }
        }
    }

    fn define(&mut self, value: ValueId) {
        self.count += usize::from(self.reads[value.index()] > 0);
    }

    fn read(&mut self, value: ValueId) {
        self.reads[value.index()] -= 1;
        self.count -= usize::from(self.reads[value.index()] == 0);
    }
}

fn distinct(values: impl Iterator<Item = ValueId>) -> Vec<ValueId> {
    let mut seen = FxHashSet::default();
    values.filter(|value| seen.insert(*value)).collect()
}

/// What the body of a loop leaves for the next iteration.
fn nexts(l: &Loop) -> Vec<ValueId> {
    distinct(l.carried.iter().map(|c| c.next))
}

/// The values from outside that the body of a loop reads: they live as long as the loop runs.
fn outer(l: &Loop) -> Vec<ValueId> {
    let mut inner: FxHashSet<ValueId> = l.carried.iter().map(|c| c.inside).collect();
    let mut read = Vec::new();
    for stmt in &l.body {
        stmt.uses(&mut |value| read.push(value));
        stmt.definitions(&mut |value| inner.extend([value]));
    }
    distinct(read.into_iter().filter(|value| !inner.contains(value)))
}

/// The rules of the orders of which the best is taken.
const RULES: [Rule; 4] = [
    Rule { ahead: LookAhead::Relief, recent: false },
    Rule { ahead: LookAhead::Best, recent: false },
    Rule { ahead: LookAhead::Relief, recent: true },
    Rule { ahead: LookAhead::Best, recent: true },
];

/// That of the source, and one for few live values by each rule.
fn orders(graph: &Graph) -> Vec<Vec<At>> {
    let others = RULES.iter().map(|rule| list::for_pressure(graph, *rule));
    std::iter::once(list::as_in_source(graph, RULES[0])).chain(others).collect()
}

fn least_traffic(graph: &Graph, target: &Target, orders: &[Vec<At>]) -> Vec<At> {
    let cost = |order: &&Vec<At>| traffic::traffic(graph, order, target.registers);
    orders.iter().min_by_key(cost).cloned().unwrap_or_default()
}

/// With how many quarters of the registers statements may move up in an order.
const ROOM: [u32; 3] = [4, 5, 6];

fn fastest(graph: &Graph, func: &Func, target: &Target) -> Vec<At> {
    let latencies = judge::latencies(graph, func, target);
    let list = |first: &First, registers| {
        list::for_latency(graph, first, &latencies, target.issue, registers)
    };
    let orders = orders(graph);
    let dense = least_traffic(graph, target, &orders);
    let longest = [target.registers, target.registers * 7 / 8, target.registers * 3 / 4];
    let longest = longest.into_iter().map(|count| list(&First::Longest(RULES[0]), count));
    let overlapping =
        ROOM.into_iter().map(|k| list(&First::Ordered(&dense), k * target.registers / 4));
    let timed = |order: Vec<At>| (judge::cycles(graph, &order, &latencies, target), order);
    let all = longest.chain(orders).chain(overlapping).map(timed);
    all.reduce(faster).map(|(_, order)| order).unwrap_or_default()
}

struct Scheduler<'a> {
    func: &'a Func,
    schedule: Schedule,
    target: &'a Target,
    live: Liveness,
    /// Room for the numbers of values in a graph.
    numbers: Vec<Option<usize>>,
}

impl Scheduler<'_> {
    fn stmts(&mut self, stmts: Vec<Stmt>) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(stmts.len());
        let mut straight = Vec::new();
        for stmt in stmts {
            match stmt {
                Stmt::Loop(l) => {
                    self.straight(std::mem::take(&mut straight), &mut out);
                    out.push(Stmt::Loop(self.counted(l)));
                }
                stmt => straight.push(stmt),
            }
        }
        self.straight(straight, &mut out);
        out
    }

    fn straight(&mut self, stmts: Vec<Stmt>, out: &mut Vec<Stmt>) {
        let graph = Graph::new(stmts, &self.live.reads, self.live.count, &mut self.numbers);
        for stmt in &graph.stmts {
            stmt.definitions(&mut |value| self.live.define(value));
            reads(stmt).into_iter().for_each(|value| self.live.read(value));
        }
        let order = match self.schedule {
            Schedule::Source => (0..graph.len()).collect(),
            Schedule::Pressure => least_traffic(&graph, self.target, &orders(&graph)),
            Schedule::Latency => fastest(&graph, self.func, self.target),
        };
        out.append(&mut graph.ordered(&order));
    }

    fn counted(&mut self, mut l: Loop) -> Loop {
        let (outer, nexts) = (outer(&l), nexts(&l));
        distinct(l.carried.iter().map(|c| c.init)).into_iter().for_each(|v| self.live.read(v));
        l.carried.iter().for_each(|c| self.live.define(c.inside));
        l.body = self.stmts(l.body);
        nexts.into_iter().chain(outer).for_each(|value| self.live.read(value));
        l.carried.iter().for_each(|c| self.live.define(c.result));
        l
    }
}
