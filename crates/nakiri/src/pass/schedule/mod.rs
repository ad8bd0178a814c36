//! Puts statements in an order that suits registers or latencies.
//!
//! Needs: no foralls. Guarantees: straight-line code between loops, and each loop's body, is in the order of a list
//! schedule: statements are placed one by one, each the best of those whose operands are there. Loads and constants
//! stand where they are read first, stores where their value has been made.

mod list;
mod region;

use crate::core::{Func, Loop, Program, Stmt, ValueId};
use crate::target::Target;
use region::{LookAhead, Region};
use rustc_hash::FxHashSet;

/// The order of the statements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// As in the source.
    #[default]
    Source,
    /// Few values alive at once: first the statement that ends most live ranges. Of two rules for ties the one is taken that
    /// leaves fewer values without a register.
    Pressure,
    /// As a core of the target's issue width and latency would like it: the longest way to the end first, as far as
    /// registers suffice.
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
        let mut scheduler = Scheduler { func, schedule, target, live };
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
                stmt => region::reads(stmt).iter().for_each(|v| self.reads[v.index()] += 1),
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

struct Scheduler<'a> {
    func: &'a Func,
    schedule: Schedule,
    target: &'a Target,
    live: Liveness,
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
        if self.schedule == Schedule::Latency {
            let mut region = Region::new(stmts, &mut self.live);
            list::for_latency(&mut region, self.func, self.target);
            return out.append(&mut region.finish());
        }
        let orders = [LookAhead::Relief, LookAhead::Best].map(|ahead| {
            let mut live = self.live.clone();
            let mut region = Region::new(stmts.clone(), &mut live);
            let excess = list::for_pressure(&mut region, ahead, self.target.registers as usize);
            (excess, region.finish(), live)
        });
        if let Some((_, mut order, live)) = orders.into_iter().min_by_key(|(excess, ..)| *excess) {
            out.append(&mut order);
            self.live = live;
        }
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
