//! When each value is read next: what decides which of them keep their registers.

use super::{Function, Item, Loop, Step, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// A time, in steps from the beginning of the function.
pub type Time = u32;

/// Not any more.
pub const NEVER: Time = Time::MAX;

/// When what a step reads and makes is read next.
#[derive(Clone, Debug, Default)]
pub struct StepUses {
    /// Each of its arguments.
    pub args: SmallVec<[Time; 3]>,
    /// Its result.
    pub result: Time,
}

/// When values are read that a loop has to do with.
#[derive(Clone, Debug)]
pub struct LoopUses {
    /// What each step of the body reads.
    pub body: Vec<StepUses>,
    /// What is carried into it: after it was.
    pub inits: Vec<Time>,
    /// What the body reads of what it doesn't make, when that is the next time, by the numbers of values.
    pub invariants: Vec<(Value, Time)>,
    /// What is carried: when the body reads it first, or its end.
    pub insides: Vec<Time>,
    /// Values that the body reads, after the loop.
    pub after: Vec<(Value, Time)>,
    /// What is carried out of it.
    pub results: Vec<Time>,
}

impl LoopUses {
    /// Whether the body reads a value that it doesn't make.
    pub fn reads(&self, value: Value) -> bool {
        self.invariants.binary_search_by_key(&value, |(of, _)| *of).is_ok()
    }
}

/// Uses of an item.
#[derive(Clone, Debug)]
pub enum Uses {
    /// Of a step.
    Step(StepUses),
    /// Of a loop.
    Loop(LoopUses),
}

type Next = FxHashMap<Value, Time>;

/// How many units of time an item takes.
pub fn duration(item: &Item) -> Time {
    match item {
        Item::Step(_) => 1,
        Item::Loop(l) => l.body.len() as Time + 1,
    }
}

/// The uses of each item of a function.
pub fn of(function: &Function) -> Vec<Uses> {
    let mut end: Time = function.body.iter().map(duration).sum();
    let mut next = Next::default();
    let mut all: Vec<Uses> = Vec::with_capacity(function.body.len());
    for item in function.body.iter().rev() {
        end -= duration(item);
        all.push(match item {
            Item::Step(step) => Uses::Step(of_step(step, end, &mut next)),
            Item::Loop(l) => Uses::Loop(of_loop(l, end, &mut next)),
        });
    }
    all.reverse();
    all
}

fn of_step(step: &Step, now: Time, next: &mut Next) -> StepUses {
    let result = step.result.and_then(|result| next.remove(&result)).unwrap_or(NEVER);
    let args = step.args.iter().map(|arg| next.get(arg).copied().unwrap_or(NEVER)).collect();
    step.args.iter().for_each(|arg| {
        next.insert(*arg, now);
    });
    StepUses { args, result }
}

fn of_loop(l: &Loop, start: Time, next: &mut Next) -> LoopUses {
    let end = start + l.body.len() as Time;
    let made = l.body.iter().filter_map(|step| step.result);
    let inside = l.carried.iter().map(|c| c.inside);
    let own: FxHashSet<Value> = made.chain(inside).chain(l.moving.iter().copied()).collect();
    let mut first = Next::default();
    for (now, step) in (start..).zip(&l.body) {
        step.args.iter().for_each(|arg| {
            first.entry(*arg).or_insert(now);
        });
    }
    let is_outer = |value: &Value| !own.contains(value);
    let mut outer: Vec<Value> = first.keys().copied().filter(is_outer).collect();
    outer.extend(l.carried.iter().map(|c| c.next).filter(|value| is_outer(value)));
    outer.sort_unstable();
    outer.dedup();
    let insides: Vec<Time> =
        l.carried.iter().map(|c| first.get(&c.inside).copied().unwrap_or(end)).collect();
    let results = l.carried.iter().map(|c| next.remove(&c.result).unwrap_or(NEVER)).collect();
    let after: Vec<(Value, Time)> =
        outer.iter().map(|v| (*v, next.get(v).copied().unwrap_or(NEVER))).collect();
    // The next iteration comes after the end.
    let again = |time: Time| end + (time - start);
    let mut within = Next::default();
    let invariants: Vec<(Value, Time)> =
        outer.iter().map(|v| (*v, first.get(v).copied().unwrap_or(end))).collect();
    for (value, time) in &invariants {
        within.insert(*value, again(*time));
    }
    for (c, time) in l.carried.iter().zip(&insides) {
        let own = within.entry(c.next).or_insert(again(*time));
        *own = again(*time).min(*own);
    }
    let mut body: Vec<StepUses> = (start..end)
        .zip(&l.body)
        .rev()
        .map(|(now, step)| of_step(step, now, &mut within))
        .collect();
    body.reverse();
    for (value, time) in &invariants {
        next.insert(*value, *time);
    }
    let inits = l.carried.iter().map(|c| next.get(&c.init).copied().unwrap_or(NEVER)).collect();
    l.carried.iter().for_each(|c| {
        next.insert(c.init, start);
    });
    LoopUses { body, inits, invariants, insides, after, results }
}
