//! Long functions in parts: C compilers take more than twice the time for statements without branches that are twice as many.
//!
//! A function with more statements than a language wants becomes functions that are called one after another. It is cut
//! where the fewest values are alive; these lie in arrays from part to part. What costs no more to make anew than to fetch,
//! constants and atoms of parameters, does not.

use crate::core::{Func, Instr, Op, Stmt, Type, ValueId};
use std::collections::BTreeMap;

/// A function in parts.
pub struct Parts<'a> {
    /// The statements of each part.
    pub parts: Vec<Vec<&'a Stmt>>,
    /// For each type of values that go from part to part, how many of them are kept at once.
    pub kept: BTreeMap<Type, u32>,
    /// For each value where it comes from.
    homes: Vec<Home<'a>>,
}

/// Where the parts behind the first that has a value find it.
#[derive(Clone, Copy)]
pub enum Home<'a> {
    /// It is of no part, or of one alone.
    Nowhere,
    /// This instruction makes it anew.
    Anew(&'a Instr),
    /// In this place of the array for its type.
    Kept(u32),
}

/// Where a value is defined and read last, by numbers of statements.
#[derive(Clone, Copy)]
struct Range {
    defined: usize,
    last: usize,
}

impl<'a> Parts<'a> {
    /// The parts of a function with these statements, of about `most` each at most; `None` if it is no longer than that.
    pub fn of(func: &Func, stmts: Vec<&'a Stmt>, most: usize) -> Option<Parts<'a>> {
        let sizes: Vec<usize> = stmts.iter().map(|stmt| size(stmt)).collect();
        let total: usize = sizes.iter().sum();
        if total <= most {
            return None;
        }
        let (mut homes, ranges) = ranges(func, &stmts);
        let alive = alive(&ranges, &homes, stmts.len());
        let ends = ends(&sizes, &alive, total.div_ceil(most));
        let kept = keep(func, &ranges, &ends, &mut homes);
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let parts = starts.zip(&ends).map(|(start, end)| stmts[start..*end].to_vec()).collect();
        Some(Parts { parts, kept, homes })
    }

    /// Where a value is found by parts that don't define it.
    pub fn home(&self, value: ValueId) -> Home<'a> {
        self.homes[value.index()]
    }
}

fn size(stmt: &Stmt) -> usize {
    match stmt {
        Stmt::Loop(l) => 1 + l.body.iter().map(size).sum::<usize>(),
        _ => 1,
    }
}

/// What is made anew, and where each value that statements define begins and ends.
fn ranges<'a>(func: &Func, stmts: &[&'a Stmt]) -> (Vec<Home<'a>>, Vec<Option<Range>>) {
    let mut homes = vec![Home::Nowhere; func.values.len()];
    let mut ranges: Vec<Option<Range>> = vec![None; func.values.len()];
    for (at, &stmt) in stmts.iter().enumerate() {
        stmt.definitions(&mut |value| {
            ranges[value.index()] = Some(Range { defined: at, last: at });
        });
        if let Stmt::Let(instr) = stmt {
            if matches!(instr.op, Op::Const(_) | Op::Constants(..) | Op::Load(..)) {
                homes[instr.results[0].index()] = Home::Anew(instr);
            }
        }
        stmt.uses(&mut |value| {
            if let Some(range) = &mut ranges[value.index()] {
                range.last = at;
            }
        });
    }
    (homes, ranges)
}

/// How many values a cut before each statement would have to keep.
fn alive(ranges: &[Option<Range>], homes: &[Home], stmts: usize) -> Vec<u32> {
    let mut changes = vec![0i64; stmts + 2];
    for (range, home) in ranges.iter().zip(homes) {
        if let (Some(range), Home::Nowhere) = (range, home) {
            changes[range.defined + 1] += 1;
            changes[range.last + 1] -= 1;
        }
    }
    let sums = changes.iter().scan(0, |alive, change| {
        *alive += change;
        Some(*alive as u32)
    });
    sums.collect()
}

/// Where so many parts end: each cut is where the fewest values are alive, at most a quarter of a part off its place.
fn ends(sizes: &[usize], alive: &[u32], count: usize) -> Vec<usize> {
    let mut before = Vec::with_capacity(sizes.len() + 1);
    before.push(0);
    for size in sizes {
        before.push(before[before.len() - 1] + size);
    }
    let total = before[sizes.len()];
    let reach = total / count / 4;
    let cut = |number: usize| {
        let place = total * number / count;
        let from = before.partition_point(|&size| size < place - reach);
        let to = before.partition_point(|&size| size <= place + reach);
        (from..to).min_by_key(|&at| (alive[at], before[at].abs_diff(place)))
    };
    (1..count).filter_map(cut).chain([sizes.len()]).collect()
}

/// Gives each value that is read behind its part a place; places are used again by later parts.
fn keep(
    func: &Func,
    ranges: &[Option<Range>],
    ends: &[usize],
    homes: &mut [Home],
) -> BTreeMap<Type, u32> {
    let part = |at: usize| ends.partition_point(|&end| end <= at);
    let mut all: Vec<(usize, Range)> = Vec::new();
    for (value, range) in ranges.iter().enumerate() {
        if let (Some(range), Home::Nowhere) = (range, homes[value]) {
            if part(range.defined) < part(range.last) {
                all.push((value, *range));
            }
        }
    }
    all.sort_by_key(|(_, range)| range.defined);
    let mut kept: BTreeMap<Type, u32> = BTreeMap::new();
    let mut free: BTreeMap<Type, Vec<u32>> = BTreeMap::new();
    // For each part the places that are free behind it.
    let mut ending: Vec<Vec<(Type, u32)>> = vec![Vec::new(); ends.len()];
    let mut freed = 0;
    for (value, range) in all {
        while freed < part(range.defined) {
            for (ty, place) in ending[freed].drain(..) {
                free.entry(ty).or_default().push(place);
            }
            freed += 1;
        }
        let ty = func.values[value];
        let again = free.get_mut(&ty).and_then(Vec::pop);
        let place = again.unwrap_or_else(|| {
            let count = kept.entry(ty).or_default();
            *count += 1;
            *count - 1
        });
        homes[value] = Home::Kept(place);
        ending[part(range.last)].push((ty, place));
    }
    kept
}
