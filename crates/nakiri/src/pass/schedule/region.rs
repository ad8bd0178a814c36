//! Straight-line code while it is put in order.

use super::Liveness;
use crate::core::{Instr, Op, Stmt, ValueId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cmp::Reverse;

/// The values that a statement reads, each once.
pub(super) fn reads(stmt: &Stmt) -> SmallVec<[ValueId; 3]> {
    let mut reads = SmallVec::new();
    stmt.uses(&mut |value| {
        if !reads.contains(&value) {
            reads.push(value);
        }
    });
    reads
}

/// A load or a constant: it is placed where it is read first.
fn is_leaf(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Let(Instr { op: Op::Load(..) | Op::Const(_) | Op::Constants(..), .. }))
}

/// How much a statement is wanted where few values shall be alive, the greater the more: stores before all others; by how
/// many values fewer are alive after it; by the [`LookAhead`]; then the order of the source.
pub(super) type Wish = (bool, i32, i32, Reverse<usize>);

/// What counts between two statements after which as many values are alive: no rule is the best one for every graph.
#[derive(Clone, Copy)]
pub(super) enum LookAhead {
    /// Whether a statement that waits for it alone ends more live ranges than it begins.
    Relief,
    /// By how many values fewer are alive after the best statement that waits for it alone.
    Best,
}

/// Statements without loops, of which some have been placed.
pub(super) struct Region<'a> {
    pub(super) live: &'a mut Liveness,
    /// Those that have not been placed.
    stmts: Vec<Option<Stmt>>,
    pub(super) reads: Vec<SmallVec<[ValueId; 3]>>,
    makes: Vec<SmallVec<[ValueId; 1]>>,
    /// The statement that makes a value.
    pub(super) makers: FxHashMap<ValueId, usize>,
    /// The statements that read a value.
    readers: FxHashMap<ValueId, Vec<usize>>,
    /// For each statement how many of its operands have not been made, loads and constants not counted.
    waits: Vec<usize>,
    out: Vec<Stmt>,
}

impl<'a> Region<'a> {
    pub(super) fn new(stmts: Vec<Stmt>, live: &'a mut Liveness) -> Region<'a> {
        let reads: Vec<_> = stmts.iter().map(reads).collect();
        let mut makes = vec![SmallVec::new(); stmts.len()];
        let mut makers = FxHashMap::default();
        let mut readers: FxHashMap<ValueId, Vec<usize>> = FxHashMap::default();
        let mut waits = vec![0; stmts.len()];
        for (at, stmt) in stmts.iter().enumerate() {
            let made = |value: &&ValueId| makers.get(*value).is_some_and(|&m| !is_leaf(&stmts[m]));
            waits[at] = reads[at].iter().filter(made).count();
            reads[at].iter().for_each(|value| readers.entry(*value).or_default().push(at));
            stmt.definitions(&mut |value| {
                makes[at].push(value);
                makers.insert(value, at);
            });
        }
        let out = Vec::with_capacity(stmts.len());
        let stmts = stmts.into_iter().map(Some).collect();
        Region { live, stmts, reads, makes, makers, readers, waits, out }
    }

    pub(super) fn len(&self) -> usize {
        self.stmts.len()
    }

    /// A statement that has not been placed.
    pub(super) fn stmt(&self, at: usize) -> Option<&Stmt> {
        self.stmts[at].as_ref()
    }

    /// The statements that read what a statement makes.
    pub(super) fn readers(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        self.makes[at].iter().filter_map(|value| self.readers.get(value)).flatten().copied()
    }

    /// Whether a statement can be the next one.
    pub(super) fn is_ready(&self, at: usize) -> bool {
        self.waits[at] == 0 && self.stmts[at].as_ref().is_some_and(|stmt| !is_leaf(stmt))
    }

    /// By how many values more are alive after a statement than before.
    pub(super) fn growth(&self, at: usize) -> i32 {
        let left = |value: &ValueId| self.live.reads[value.index()];
        let mut growth = self.makes[at].iter().filter(|value| left(value) > 0).count() as i32;
        for value in &self.reads[at] {
            match (self.leaf(*value).is_some(), left(value)) {
                (false, 1) => growth -= 1,
                (true, 2..) => growth += 1,
                _ => {}
            }
        }
        growth
    }

    pub(super) fn wish(&self, at: usize, ahead: LookAhead) -> Wish {
        let store = matches!(self.stmts[at], Some(Stmt::Store { .. }));
        let freed = self.readers(at).filter(|reader| self.waits[*reader] == 1);
        let next = freed.map(|reader| -self.growth(reader)).max().unwrap_or(i32::MIN);
        let ahead = match ahead {
            LookAhead::Relief => i32::from(next > 0),
            LookAhead::Best => next,
        };
        (store, -self.growth(at), ahead, Reverse(at))
    }

    /// The load or constant that makes a value, if it has not been placed.
    fn leaf(&self, value: ValueId) -> Option<usize> {
        let maker = *self.makers.get(&value)?;
        self.stmts[maker].as_ref().is_some_and(is_leaf).then_some(maker)
    }

    /// Places a statement, and before it the loads and constants that it is the first to read. Gives the ready statements
    /// that are new or more wanted than before.
    pub(super) fn place(&mut self, at: usize) -> Vec<usize> {
        let mut changed = Vec::new();
        for k in 0..self.reads[at].len() {
            let value = self.reads[at][k];
            if let Some(leaf) = self.leaf(value) {
                self.put(leaf);
                changed.extend(&self.readers[&value]);
            }
            self.live.read(value);
            if self.live.reads[value.index()] == 1 {
                changed.extend(&self.readers[&value]);
            }
        }
        self.put(at);
        for reader in self.readers(at).collect::<Vec<_>>() {
            self.waits[reader] -= 1;
            match self.waits[reader] {
                0 => changed.push(reader),
                1 => changed.extend(self.reads[reader].iter().filter_map(|v| self.makers.get(v))),
                _ => {}
            }
        }
        changed.retain(|stmt| self.is_ready(*stmt));
        changed
    }

    fn put(&mut self, at: usize) {
        self.out.extend(self.stmts[at].take());
        self.makes[at].iter().for_each(|value| self.live.define(*value));
    }

    /// The statements in the order in which they were placed, and at the end loads and constants that only later code reads.
    pub(super) fn finish(mut self) -> Vec<Stmt> {
        for at in 0..self.stmts.len() {
            if self.stmts[at].is_some() {
                self.put(at);
            }
        }
        self.out
    }
}
