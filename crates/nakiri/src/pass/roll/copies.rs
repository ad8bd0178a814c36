//! Copies of a forall's values to an output that stand outside of it, as `roundkey = k[4..35]` behind the forall that fills `k`: each moves
//! into an iteration, so that the iterations can share one body. Nothing reads an output, so that it may be written at any time.

use crate::core::{Func, Index, Stmt, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A store of the top level: where it stands, which atom it writes, and what.
#[derive(Clone, Copy)]
struct Copy {
    at: usize,
    index: u32,
    value: ValueId,
}

/// A copy, and the iteration that it moves into.
type Moved = (usize, usize);

/// Moves copies into the foralls of a function's top level, where each iteration but the first gets as many.
pub fn sink(func: &mut Func) {
    let outputs: Vec<Vec<Copy>> =
        (0..func.results.len() as u32).map(|result| copies(&func.body, result)).collect();
    let mut gone: FxHashSet<usize> = FxHashSet::default();
    let mut before: FxHashSet<ValueId> = FxHashSet::default();
    for at in 0..func.body.len() {
        if let Stmt::Forall(forall) = &func.body[at] {
            let inside = made(&forall.iterations);
            let left = |output: &Vec<Copy>| -> Vec<Copy> {
                output.iter().filter(|copy| !gone.contains(&copy.at)).copied().collect()
            };
            let turns = forall.iterations.len();
            let moved: Vec<Moved> = outputs
                .iter()
                .map(left)
                .filter(|output| output.iter().any(|copy| inside.contains_key(&copy.value)))
                .filter_map(|output| {
                    let in_turn = || in_turn(&output, &inside, &before, turns);
                    where_made(&output, &inside, turns).or_else(in_turn)
                })
                .flatten()
                .collect();
            let stmts: Vec<Stmt> = moved.iter().map(|(from, _)| func.body[*from].clone()).collect();
            if let Stmt::Forall(forall) = &mut func.body[at] {
                for ((_, turn), stmt) in moved.iter().zip(stmts) {
                    forall.iterations[*turn].push(stmt);
                }
            }
            gone.extend(moved.iter().map(|(from, _)| from));
        }
        func.body[at].instrs(&mut |instr| before.extend(&instr.results));
    }
    let mut at = 0..;
    func.body.retain(|_| at.next().is_some_and(|at| !gone.contains(&at)));
}

/// What a result is given at the top level, by its atoms.
fn copies(body: &[Stmt], of: u32) -> Vec<Copy> {
    let copy = |(at, stmt): (usize, &Stmt)| match *stmt {
        Stmt::Store { result, index: Index { base: index, .. }, value, .. } if result == of => {
            Some(Copy { at, index, value })
        }
        _ => None,
    };
    let mut copies: Vec<Copy> = body.iter().enumerate().filter_map(copy).collect();
    copies.sort_by_key(|copy| copy.index);
    copies
}

/// The iterations that make values.
fn made(iterations: &[Vec<Stmt>]) -> FxHashMap<ValueId, usize> {
    let mut made = FxHashMap::default();
    for (turn, iteration) in iterations.iter().enumerate() {
        for stmt in iteration {
            stmt.instrs(&mut |instr| made.extend(instr.results.iter().map(|value| (*value, turn))));
        }
    }
    made
}

/// Each copy in the iteration that makes its value, if all make as many; the first may make fewer.
fn where_made(
    copies: &[Copy],
    inside: &FxHashMap<ValueId, usize>,
    turns: usize,
) -> Option<Vec<Moved>> {
    let moved = |copy: &Copy| Some((copy.at, *inside.get(&copy.value)?));
    let moved: Vec<Moved> = copies.iter().filter_map(moved).collect();
    let mut counts = vec![0; turns];
    moved.iter().for_each(|(_, turn)| counts[*turn] += 1);
    let (first, rest) = counts.split_first()?;
    let each = *rest.first()?;
    // What a single iteration makes needs no loop.
    let several = *first == each || *first < each && rest.len() > 1;
    (several && rest.iter().all(|count| *count == each)).then_some(moved)
}

/// As many copies in each iteration, in the order of the output's atoms: `roundkey = k[0..31]`, where iteration i makes `k[i+4]`.
fn in_turn(
    copies: &[Copy],
    inside: &FxHashMap<ValueId, usize>,
    before: &FxHashSet<ValueId>,
    turns: usize,
) -> Option<Vec<Moved>> {
    if turns < 2 || !copies.len().is_multiple_of(turns) {
        return None;
    }
    let each = copies.len() / turns;
    let is_there = |value: &ValueId, turn: usize| match inside.get(value) {
        Some(made) => *made <= turn,
        None => before.contains(value),
    };
    let turn = |(number, copy): (usize, &Copy)| {
        let turn = number / each;
        is_there(&copy.value, turn).then_some((copy.at, turn))
    };
    copies.iter().enumerate().map(turn).collect()
}
