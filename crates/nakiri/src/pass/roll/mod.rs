//! Turns written-out `forall`s into loops, or into straight-line code.
//!
//! Iterations can share one body if they differ only in constants and indices that move at a fixed step, and in
//! values handed from each iteration to one of the next few. Then an array such as `state[i+1] = f(state[i])` needs
//! one slot: what passes from one iteration to the next is a carried value. A body may be several iterations long
//! (Serpent's eight S-boxes), and a first or last iteration that differs stays outside. If values only move from slot to slot,
//! the body becomes as many iterations long as they take to come round: then nothing moves.
//!
//! Needs: no loops. Guarantees: no foralls; loops don't nest.

mod group;
mod hoist;

use super::weight::weight;
use crate::core::{Carried, Forall, Func, Program, Stmt, ValueId};
use crate::source::Span;
use group::Rolled;
use rustc_hash::FxHashMap;

/// How large a forall's written-out code must be, in instructions, to become a loop unless the source decides:
/// beyond it the code would strain the op cache and the C compiler more than a loop costs.
const UNROLL_LIMIT: usize = 1000;

/// The most iterations that one loop body may take.
const MAX_PERIOD: usize = 16;

/// How large a body may become, in instructions, to spare moves: an op cache holds about as many.
const BODY_LIMIT: usize = 4000;

/// Which foralls become loops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unroll {
    /// Those whose code is large.
    #[default]
    Auto,
    /// None, whatever the source says.
    Always,
    /// All that can, unless the source says `_unroll`.
    Never,
    /// The same, two iterations in each turn.
    Twice,
    /// The same, four iterations in each turn.
    FourTimes,
}

impl Unroll {
    /// How many iterations of the source a turn of a loop takes at least.
    fn times(self) -> usize {
        match self {
            Unroll::Auto | Unroll::Always | Unroll::Never => 1,
            Unroll::Twice => 2,
            Unroll::FourTimes => 4,
        }
    }
}

named!(
    Unroll, "choice of loops",
    "auto" => Unroll::Auto, "always" => Unroll::Always, "never" => Unroll::Never,
    "2" => Unroll::Twice, "4" => Unroll::FourTimes,
);

/// Rolls or unrolls every forall.
pub fn run(program: &mut Program, unroll: Unroll) {
    for i in 0..program.funcs.len() {
        let mut func = program.funcs[i].clone();
        let body = std::mem::take(&mut func.body);
        let mut out = Vec::with_capacity(body.len());
        let mut used_after = UsesAfter::new(&body);
        let mut renamed = FxHashMap::default();
        for (at, stmt) in body.into_iter().enumerate() {
            let mut stmt = stmt;
            stmt.map_uses(&mut |v| renamed.get(&v).copied().unwrap_or(v));
            used_after.pass(at);
            match stmt {
                Stmt::Forall(forall) => {
                    lower(forall, program, &mut func, unroll, &used_after, &mut renamed, &mut out);
                }
                stmt => out.push(stmt),
            }
        }
        func.body = out;
        program.funcs[i] = func;
    }
}

/// For each value the last top-level statement that uses it.
struct UsesAfter {
    last: FxHashMap<ValueId, usize>,
    now: usize,
}

impl UsesAfter {
    fn new(body: &[Stmt]) -> UsesAfter {
        let mut last = FxHashMap::default();
        for (at, stmt) in body.iter().enumerate() {
            stmt.uses(&mut |value| {
                last.insert(value, at);
            });
        }
        UsesAfter { last, now: 0 }
    }

    fn pass(&mut self, at: usize) {
        self.now = at;
    }

    fn contains(&self, value: ValueId) -> bool {
        self.last.get(&value).is_some_and(|&last| last > self.now)
    }
}

#[allow(clippy::too_many_arguments)]
fn lower(
    forall: Forall,
    program: &mut Program,
    func: &mut Func,
    unroll: Unroll,
    used_after: &UsesAfter,
    renamed: &mut FxHashMap<ValueId, ValueId>,
    out: &mut Vec<Stmt>,
) {
    let size: usize = forall.iterations.iter().flatten().map(|s| weight(s, func)).sum();
    let rolls = match (unroll, forall.unroll) {
        (Unroll::Always, _) | (_, Some(true)) => false,
        (Unroll::Never | Unroll::Twice | Unroll::FourTimes, _) | (_, Some(false)) => true,
        (Unroll::Auto, None) => size > UNROLL_LIMIT,
    };
    let flat: Vec<Vec<Stmt>> = forall.iterations.iter().map(|i| flatten(i.clone())).collect();
    if rolls {
        if let Some(rolled) = attempt(&flat, unroll.times(), program, func, used_after, forall.span)
        {
            renamed.extend(rolled.renamed);
            out.extend(rolled.stmts);
            return;
        }
        let (loads, flat) = hoist::loads(flat, func);
        if let Some(rolled) = attempt(&flat, unroll.times(), program, func, used_after, forall.span)
        {
            renamed.extend(rolled.renamed);
            out.extend(loads);
            out.extend(rolled.stmts);
            return;
        }
        let (constants, flat) = hoist::constants(flat, func);
        if let Some(rolled) = attempt(&flat, unroll.times(), program, func, used_after, forall.span)
        {
            renamed.extend(rolled.renamed);
            out.extend(loads);
            out.extend(constants);
            out.extend(rolled.stmts);
            return;
        }
    }
    for iteration in forall.iterations {
        for mut stmt in iteration {
            stmt.map_uses(&mut |v| renamed.get(&v).copied().unwrap_or(v));
            out.push(stmt);
        }
    }
    splice_nested(out);
}

/// Writes out the foralls that are left in straight-line code.
fn splice_nested(out: &mut Vec<Stmt>) {
    if out.iter().any(|stmt| matches!(stmt, Stmt::Forall(_))) {
        *out = flatten(std::mem::take(out));
    }
}

/// The statements with every forall written out.
fn flatten(stmts: Vec<Stmt>) -> Vec<Stmt> {
    let mut out = Vec::with_capacity(stmts.len());
    for stmt in stmts {
        match stmt {
            Stmt::Forall(forall) => {
                out.extend(forall.iterations.into_iter().flat_map(flatten));
            }
            stmt => out.push(stmt),
        }
    }
    out
}

/// The loop of the shortest period that the iterations share, at least `times`; if its values move from slot to slot, one
/// in which they don't.
fn attempt(
    iterations: &[Vec<Stmt>],
    times: usize,
    program: &mut Program,
    func: &mut Func,
    used_after: &UsesAfter,
    span: Span,
) -> Option<Rolled> {
    let longest = MAX_PERIOD.min(iterations.len() / 2);
    let lists = program.constants.len();
    let (period, rolled) = (times..=longest).step_by(times).find_map(|period| {
        Some((period, with_period(iterations, period, program, func, used_after, span)?))
    })?;
    let still = period * moves(&rolled.stmts);
    let body = iterations.iter().take(still).flatten();
    let size: usize = body.map(|stmt| weight(stmt, func)).sum();
    if still == period || still > longest || size > BODY_LIMIT {
        return Some(rolled);
    }
    let constants = program.constants.split_off(lists);
    with_period(iterations, still, program, func, used_after, span).or_else(|| {
        program.constants.extend(constants);
        Some(rolled)
    })
}

/// For how many iterations a value moves from slot to slot, the one included in which it is made.
fn moves(stmts: &[Stmt]) -> usize {
    let Some(Stmt::Loop(l)) = stmts.iter().find(|stmt| matches!(stmt, Stmt::Loop(_))) else {
        return 1;
    };
    let from: FxHashMap<ValueId, ValueId> = l.carried.iter().map(|c| (c.inside, c.next)).collect();
    let moves = |carried: &Carried| {
        let earlier = |value: &ValueId| from.get(value).copied();
        std::iter::successors(Some(carried.next), earlier).take(MAX_PERIOD).count()
    };
    l.carried.iter().map(moves).max().unwrap_or(1)
}

/// A loop whose turns are so many iterations, the smallest prefix left outside.
fn with_period(
    iterations: &[Vec<Stmt>],
    period: usize,
    program: &mut Program,
    func: &mut Func,
    used_after: &UsesAfter,
    span: Span,
) -> Option<Rolled> {
    for first in 0..=1 {
        let count = (iterations.len() - first) / period;
        if count < 2 {
            continue;
        }
        let (before, rest) = iterations.split_at(first);
        let (repeated, after) = rest.split_at(count * period);
        let groups: Vec<Vec<&Stmt>> =
            repeated.chunks(period).map(|group| group.iter().flatten().collect()).collect();
        let later = |value| {
            used_after.contains(value)
                || after.iter().flatten().any(|stmt| {
                    let mut found = false;
                    stmt.uses(&mut |used| found |= used == value);
                    found
                })
        };
        if let Some(mut rolled) = group::roll(&groups, program, func, &later, span) {
            let mut stmts: Vec<Stmt> = before.iter().flatten().cloned().collect();
            stmts.append(&mut rolled.stmts);
            for mut stmt in after.iter().flatten().cloned() {
                stmt.map_uses(&mut |v| rolled.renamed.get(&v).copied().unwrap_or(v));
                stmts.push(stmt);
            }
            rolled.stmts = stmts;
            return Some(rolled);
        }
    }
    None
}
