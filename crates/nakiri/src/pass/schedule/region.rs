//! Straight-line code while it is put in order.

use super::graph::{At, Graph};
use crate::core::Stmt;
use std::cmp::Reverse;

/// What counts between statements after which as many values are alive: no rule is the best one for every graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// How the statements that wait for it alone count.
    pub(super) ahead: LookAhead,
    /// Whether what reads a value that was made lately is preferred.
    pub(super) recent: bool,
}

/// How the statements that wait for a statement alone count.
#[derive(Clone, Copy, Debug)]
pub(super) enum LookAhead {
    /// Whether one of them ends more live ranges than it begins.
    Relief,
    /// By how many values fewer are alive after the best of them.
    Best,
}

/// How much a statement is wanted where few values shall be alive, the greater the more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Wish {
    /// Stores come before all others.
    store: bool,
    /// By how many values fewer are alive after it.
    relief: i32,
    ahead: i32,
    /// When the latest of its operands was made.
    recent: usize,
    /// Then the order of the source.
    at: Reverse<At>,
}

impl Wish {
    pub(super) fn at(&self) -> At {
        self.at.0
    }
}

/// Statements of which some have been placed.
pub(super) struct Region<'a> {
    pub(super) graph: &'a Graph,
    rule: Rule,
    placed: Vec<bool>,
    /// For each statement how many of its operands have not been made, loads and constants not counted.
    waits: Vec<usize>,
    /// For each value by how many statements that have not been placed it is read.
    unread: Vec<u32>,
    /// For each value when it was made.
    made: Vec<usize>,
    /// How many values are alive.
    pub(super) alive: usize,
    pub(super) order: Vec<At>,
}

impl<'a> Region<'a> {
    pub(super) fn new(graph: &'a Graph, rule: Rule) -> Region<'a> {
        let made = |value: &&usize| graph.makers[**value].is_some_and(|maker| !graph.leaf[maker]);
        let unread =
            |(later, readers): (&u32, &smallvec::SmallVec<[At; 2]>)| *later + readers.len() as u32;
        Region {
            graph,
            rule,
            placed: vec![false; graph.len()],
            waits: graph.reads.iter().map(|reads| reads.iter().filter(made).count()).collect(),
            unread: graph.later.iter().zip(&graph.readers).map(unread).collect(),
            made: vec![0; graph.makers.len()],
            alive: graph.alive,
            order: Vec::with_capacity(graph.len()),
        }
    }

    /// Whether a statement can be the next one.
    pub(super) fn is_ready(&self, at: At) -> bool {
        self.waits[at] == 0 && !self.placed[at] && !self.graph.leaf[at]
    }

    /// By how many values more are alive after a statement than before.
    pub(super) fn growth(&self, at: At) -> i32 {
        let makes = self.graph.makes[at].iter();
        let mut growth = makes.filter(|value| self.unread[**value] > 0).count() as i32;
        for &value in &self.graph.reads[at] {
            match (self.leaf(value).is_some(), self.unread[value]) {
                (false, 1) => growth -= 1,
                (true, 2..) => growth += 1,
                _ => {}
            }
        }
        growth
    }

    pub(super) fn wish(&self, at: At) -> Wish {
        let freed = self.graph.after(at).filter(|reader| self.waits[*reader] == 1);
        let best = freed.map(|reader| -self.growth(reader)).max().unwrap_or(i32::MIN);
        let recent = match self.rule.recent {
            true => self.graph.reads[at].iter().map(|value| self.made[*value]).max().unwrap_or(0),
            false => 0,
        };
        Wish {
            store: matches!(self.graph.stmts[at], Stmt::Store { .. }),
            relief: -self.growth(at),
            ahead: match self.rule.ahead {
                LookAhead::Relief => i32::from(best > 0),
                LookAhead::Best => best,
            },
            recent,
            at: Reverse(at),
        }
    }

    /// The load or constant that makes a value, if it has not been placed.
    fn leaf(&self, value: usize) -> Option<At> {
        self.graph.leaf(value).filter(|leaf| !self.placed[*leaf])
    }

    /// Places a statement, and before it the loads and constants that it is the first to read. Gives the ready statements
    /// that are new or more wanted than before.
    pub(super) fn place(&mut self, at: At) -> Vec<At> {
        let graph = self.graph;
        let mut changed = Vec::new();
        for &value in &graph.reads[at] {
            if let Some(leaf) = self.leaf(value) {
                self.put(leaf);
                changed.extend(&graph.readers[value]);
            }
            self.unread[value] -= 1;
            match self.unread[value] {
                0 => self.alive -= 1,
                1 => changed.extend(&graph.readers[value]),
                _ => {}
            }
        }
        self.put(at);
        for reader in graph.after(at) {
            self.waits[reader] -= 1;
            match self.waits[reader] {
                0 => changed.push(reader),
                1 => changed.extend(graph.reads[reader].iter().filter_map(|v| graph.makers[*v])),
                _ => {}
            }
        }
        changed.retain(|stmt| self.is_ready(*stmt));
        changed
    }

    fn put(&mut self, at: At) {
        self.placed[at] = true;
        self.order.push(at);
        for &value in &self.graph.makes[at] {
            self.made[value] = if self.graph.leaf[at] { 0 } else { self.order.len() };
            self.alive += usize::from(self.unread[value] > 0);
        }
    }

    /// The statements in the order in which they were placed, and at the end loads and constants that only later code reads.
    pub(super) fn finish(mut self) -> Vec<At> {
        for at in 0..self.graph.len() {
            if !self.placed[at] {
                self.put(at);
            }
        }
        self.order
    }
}
