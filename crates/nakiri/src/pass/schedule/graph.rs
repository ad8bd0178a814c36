//! Straight-line code as a graph, with dense numbers for its statements and values.

use crate::core::{Instr, Op, Stmt, ValueId};
use smallvec::SmallVec;

/// A statement of a graph, in the order of the source.
pub(super) type At = usize;

/// Statements without loops.
pub(super) struct Graph {
    pub(super) stmts: Vec<Stmt>,
    /// For each statement the values that it reads, each once.
    pub(super) reads: Vec<SmallVec<[usize; 3]>>,
    /// For each statement the values that it defines.
    pub(super) makes: Vec<SmallVec<[usize; 1]>>,
    /// For each value the statement that makes it; `None` if it comes from before.
    pub(super) makers: Vec<Option<At>>,
    /// For each value the statements that read it.
    pub(super) readers: Vec<SmallVec<[At; 2]>>,
    /// For each value by how many statements after these it is read.
    pub(super) later: Vec<u32>,
    /// Whether a statement is a load or a constant: it is placed where it is read first.
    pub(super) leaf: Vec<bool>,
    /// How many values are alive before it.
    pub(super) alive: usize,
}

impl Graph {
    /// `unread` says of each value of the function how many statements that read it have not been placed, these included;
    /// `alive` how many values are alive before. `numbers` has room for a number for each value.
    pub(super) fn new(
        stmts: Vec<Stmt>,
        unread: &[u32],
        alive: usize,
        numbers: &mut [Option<usize>],
    ) -> Graph {
        let mut graph = Graph {
            reads: Vec::with_capacity(stmts.len()),
            makes: Vec::with_capacity(stmts.len()),
            makers: Vec::new(),
            readers: Vec::new(),
            later: Vec::new(),
            leaf: stmts.iter().map(is_leaf).collect(),
            alive,
            stmts: Vec::new(),
        };
        let mut numbered = Vec::new();
        for (at, stmt) in stmts.iter().enumerate() {
            let mut number = |value: ValueId| {
                *numbers[value.index()].get_or_insert_with(|| {
                    numbered.push(value);
                    numbered.len() - 1
                })
            };
            let reads = reads(stmt).into_iter().map(&mut number).collect();
            let mut makes = SmallVec::new();
            stmt.definitions(&mut |value| makes.push(number(value)));
            graph.readers.resize(numbered.len(), SmallVec::new());
            graph.makers.resize(numbered.len(), None);
            graph.add(at, reads, makes);
        }
        graph.later = numbered.iter().map(|value| unread[value.index()]).collect();
        for (later, readers) in graph.later.iter_mut().zip(&graph.readers) {
            *later -= readers.len() as u32;
        }
        numbered.into_iter().for_each(|value| numbers[value.index()] = None);
        Graph { stmts, ..graph }
    }

    fn add(&mut self, at: At, reads: SmallVec<[usize; 3]>, makes: SmallVec<[usize; 1]>) {
        reads.iter().for_each(|value| self.readers[*value].push(at));
        makes.iter().for_each(|value| self.makers[*value] = Some(at));
        self.reads.push(reads);
        self.makes.push(makes);
    }

    /// How many statements there are.
    pub(super) fn len(&self) -> usize {
        self.stmts.len()
    }

    /// The load or constant that makes a value.
    pub(super) fn leaf(&self, value: usize) -> Option<At> {
        self.makers[value].filter(|maker| self.leaf[*maker])
    }

    /// The statements that read what a statement makes.
    pub(super) fn after(&self, at: At) -> impl Iterator<Item = At> + '_ {
        self.makes[at].iter().flat_map(|value| self.readers[*value].iter().copied())
    }

    /// The statements in this order.
    pub(super) fn ordered(self, order: &[At]) -> Vec<Stmt> {
        let mut stmts: Vec<Option<Stmt>> = self.stmts.into_iter().map(Some).collect();
        order.iter().filter_map(|at| stmts[*at].take()).collect()
    }
}

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

fn is_leaf(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Let(Instr { op: Op::Load(..) | Op::Const(_) | Op::Constants(..), .. }))
}
