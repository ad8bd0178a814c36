//! Turns written-out `forall`s into loops, or into straight-line code.
//!
//! Iterations can share one body if they differ only in constants and indices that move at a fixed step, and in
//! values handed from each iteration to one of the next few. Then an array such as `state[i+1] = f(state[i])` needs
//! one slot: what passes from one iteration to the next is a carried value. A body may be several iterations long
//! (Serpent's eight S-boxes), and a first or last iteration that differs stays outside. If values only move from slot to slot,
//! the body becomes as many iterations long as they take to come round: then nothing moves. Where that would be too long, as
//! for a key register that rotates by no divisor of its size, they do move, which [delay lines](crate::core::delay) make cheap.
//!
//! Needs: no loops. Guarantees: no foralls; loops don't nest.

mod copies;
mod group;
mod hoist;
mod refused;

use super::weight::weight;
use crate::core::{Carried, Forall, Func, Program, Stmt, ValueId};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use group::{Operands, Rolled};
use rustc_hash::{FxHashMap, FxHashSet};

/// How large a forall's written-out code must be, in instructions, to become a loop unless the source decides:
/// beyond it the code would strain the op cache and the C compiler more than a loop costs.
const UNROLL_LIMIT: usize = 1000;

/// The most iterations that one loop body may take.
const MAX_PERIOD: usize = 16;

/// How large a body may become, in instructions, to spare moves: an op cache holds about as many.
const BODY_LIMIT: usize = 4000;

/// How many instructions, written out, each value that moves must save: it costs two before the loop, and in a delay line
/// memory.
const WORTH_A_MOVE: usize = 32;

/// The most values that move in one loop.
const MOST_MOVES: usize = 4096;

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
    /// How many iterations a turn of a loop takes at least, if a forall that is so many instructions when written out is to
    /// be one; `asked` is what the source says of it.
    pub fn turn(self, asked: Option<bool>, size: usize) -> Option<usize> {
        let rolls = match (self, asked) {
            (Unroll::Always, _) | (_, Some(true)) => false,
            (Unroll::Never | Unroll::Twice | Unroll::FourTimes, _) | (_, Some(false)) => true,
            (Unroll::Auto, None) => size > UNROLL_LIMIT,
        };
        rolls.then(|| self.times())
    }

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
    rolled(program, unroll, &mut Vec::new());
}

/// Warnings about foralls that can't be the loops which the source asks for, or `asked`.
pub fn refused(mut program: Program, asked: Option<Unroll>) -> Vec<Diagnostic> {
    let mut refused = Vec::new();
    rolled(&mut program, asked.unwrap_or_default(), &mut refused);
    refused
}

/// Rolls or unrolls every forall, and warns of those that can't be what is asked for.
fn rolled(program: &mut Program, unroll: Unroll, refused: &mut Vec<Diagnostic>) {
    for i in 0..program.funcs.len() {
        let mut func = program.funcs[i].clone();
        copies::sink(&mut func);
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
                    let (func, used_after) = (&mut func, &used_after);
                    let span = forall.span;
                    Roller { program, func, used_after, unroll, span, refused }.lower(
                        forall,
                        &mut renamed,
                        &mut out,
                    );
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

/// Makes a loop of one forall.
struct Roller<'a> {
    program: &'a mut Program,
    func: &'a mut Func,
    used_after: &'a UsesAfter,
    unroll: Unroll,
    span: Span,
    refused: &'a mut Vec<Diagnostic>,
}

impl Roller<'_> {
    fn lower(
        mut self,
        forall: Forall,
        renamed: &mut FxHashMap<ValueId, ValueId>,
        out: &mut Vec<Stmt>,
    ) {
        let size: usize = forall.iterations.iter().flatten().map(|s| weight(s, self.func)).sum();
        let rolls = forall.iterations.len() >= 2 && self.unroll.turn(forall.unroll, size).is_some();
        let flat =
            || -> Vec<Vec<Stmt>> { forall.iterations.iter().map(|i| flatten(i.clone())).collect() };
        if let Some(rolled) = rolls.then(|| self.looped(flat(), size)).flatten() {
            renamed.extend(rolled.renamed);
            out.extend(rolled.stmts);
            return;
        }
        if rolls && (forall.unroll.is_some() || self.unroll != Unroll::Auto) {
            let after = |value| self.used_after.contains(value);
            let warning = refused::warning(&flat(), self.func, &after, self.span);
            if !self.refused.contains(&warning) {
                self.refused.push(warning);
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

    /// A loop of iterations that have so many instructions together, once what is no reason for them to differ stands before
    /// it. Values move in it if it has shorter turns then, and those without would be too long.
    fn looped(&mut self, iterations: Vec<Vec<Stmt>>, size: usize) -> Option<Rolled> {
        let turns = iterations.len();
        let lists = self.program.constants.len();
        let of_blocks = |func: &Func, param: u32| !func.params[param as usize].constant;
        let loads = hoist::loads(iterations.clone(), |param| of_blocks(self.func, param));
        let regular = self.attempt(&iterations, Operands::Regular);
        let regular = regular.or_else(|| {
            Some(self.attempt(&loads.iterations, Operands::Regular)?.behind_loads(&loads))
        });
        let regular = regular.or_else(|| {
            let (constants, alike) = hoist::constants(loads.iterations.clone(), self.func);
            let rolled = self.attempt(&alike, Operands::Regular)?;
            Some(rolled.behind(constants).behind_loads(&loads))
        });
        let period = regular.as_ref().map_or(usize::MAX, |rolled| rolled.period);
        let shortest = period <= self.unroll.times();
        if shortest || period.saturating_mul(size / turns) <= BODY_LIMIT {
            return regular;
        }
        let irregular = hoist::irregular(&loads.iterations);
        let keys = hoist::loads(loads.iterations.clone(), |param| irregular.contains(&param));
        let most = match self.unroll {
            Unroll::Auto => MOST_MOVES.min(size / WORTH_A_MOVE),
            _ => MOST_MOVES,
        };
        let constants = self.program.constants.split_off(lists);
        let moving = self.attempt(&keys.iterations, Operands::Moving { most });
        match moving.filter(|moving| moving.period < period) {
            Some(moving) => Some(moving.behind_loads(&keys).behind_loads(&loads)),
            None => {
                self.program.constants.truncate(lists);
                self.program.constants.extend(constants);
                regular
            }
        }
    }

    /// The loop of the shortest period that the iterations share, at least as many as asked for; if its values move from slot
    /// to slot, one in which they don't.
    fn attempt(&mut self, iterations: &[Vec<Stmt>], operands: Operands) -> Option<Rolled> {
        let times = self.unroll.times();
        let longest = MAX_PERIOD.min(iterations.len() / 2);
        let lists = self.program.constants.len();
        let (period, rolled) = (times..=longest)
            .step_by(times)
            .find_map(|period| Some((period, self.with_period(iterations, period, operands)?)))?;
        let still = period * moves(&rolled.stmts);
        let body = iterations.iter().take(still).flatten();
        let size: usize = body.map(|stmt| weight(stmt, self.func)).sum();
        if still == period || still > longest || size > BODY_LIMIT {
            return Some(rolled);
        }
        let constants = self.program.constants.split_off(lists);
        self.with_period(iterations, still, operands).or_else(|| {
            self.program.constants.extend(constants);
            Some(rolled)
        })
    }

    /// A loop whose turns are so many iterations, the smallest prefix left outside.
    fn with_period(
        &mut self,
        iterations: &[Vec<Stmt>],
        period: usize,
        operands: Operands,
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
            let mut used = FxHashSet::default();
            after.iter().flatten().for_each(|stmt| stmt.uses(&mut |value| _ = used.insert(value)));
            let later = |value| self.used_after.contains(value) || used.contains(&value);
            let rolled = group::roll(&groups, operands, self.program, self.func, &later, self.span);
            if let Some(mut rolled) = rolled {
                let mut stmts: Vec<Stmt> = before.iter().flatten().cloned().collect();
                stmts.append(&mut rolled.stmts);
                for mut stmt in after.iter().flatten().cloned() {
                    stmt.map_uses(&mut |v| rolled.renamed.get(&v).copied().unwrap_or(v));
                    stmts.push(stmt);
                }
                return Some(Rolled { stmts, period, ..rolled });
            }
        }
        None
    }
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
