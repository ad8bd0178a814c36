//! Turns written-out `forall`s into loops, or into straight-line code.
//!
//! Iterations can share one body if they differ only in constants and indices that move at a fixed step, and in
//! values handed from each iteration to one of the next few. Then an array such as `state[i+1] = f(state[i])` needs
//! one slot: what passes from one iteration to the next is a carried value. A body may be several iterations long
//! (Serpent's eight S-boxes), and a first or last iteration that differs stays outside.
//!
//! Needs: no loops. Guarantees: no foralls; loops don't nest.

mod group;
mod hoist;

use super::weight::weight;
use crate::core::{Forall, Func, Program, Stmt, ValueId};
use crate::source::Span;
use group::Rolled;
use rustc_hash::FxHashMap;

/// How large a forall's written-out code must be, in instructions, to become a loop unless the source decides:
/// beyond it the code would strain the op cache and the C compiler more than a loop costs.
const UNROLL_LIMIT: usize = 1000;

/// The most iterations that one loop body may take.
const MAX_PERIOD: usize = 16;

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
}

named!(
    Unroll, "choice of loops",
    "auto" => Unroll::Auto, "always" => Unroll::Always, "never" => Unroll::Never,
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
        (Unroll::Never, _) | (_, Some(false)) => true,
        (Unroll::Auto, None) => size > UNROLL_LIMIT,
    };
    let flat: Vec<Vec<Stmt>> = forall.iterations.iter().map(|i| flatten(i.clone())).collect();
    if rolls {
        if let Some(rolled) = attempt(&flat, program, func, used_after, forall.span) {
            renamed.extend(rolled.renamed);
            out.extend(rolled.stmts);
            return;
        }
        let (loads, flat) = hoist::loads(flat, func);
        if let Some(rolled) = attempt(&flat, program, func, used_after, forall.span) {
            renamed.extend(rolled.renamed);
            out.extend(loads);
            out.extend(rolled.stmts);
            return;
        }
        let (constants, flat) = hoist::constants(flat, func);
        if let Some(rolled) = attempt(&flat, program, func, used_after, forall.span) {
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

/// The shortest period and the smallest prefix left outside for which the iterations share one body.
fn attempt(
    iterations: &[Vec<Stmt>],
    program: &mut Program,
    func: &mut Func,
    used_after: &UsesAfter,
    span: Span,
) -> Option<Rolled> {
    for period in 1..=MAX_PERIOD.min(iterations.len() / 2) {
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
    }
    None
}
