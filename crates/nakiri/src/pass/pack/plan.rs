//! The rows of a program, and how they are made.
//!
//! An atom that is computed twice is computed once. That may leave no row whole: two calls of a node share what does not differ. So
//! there is a second plan then, in which what one place in the source does to as many atoms as a row has is a row, and the one
//! with fewer operations is taken.

use super::super::dead;
use super::group::Grouper;
use super::{order, SEGMENT};
use crate::core::{Direction, Func, Op, OpKind, Program, Type, ValueId};
use crate::diagnostic::Diagnostic;
use crate::isa::Target;
use crate::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// The rows of a program.
pub struct Plan {
    /// The number of atoms of each.
    pub length: usize,
    /// Whether the target has windows of two rows.
    pub windows: bool,
    /// Each after those that it is made of.
    pub rows: Vec<Row>,
    /// What the results are.
    pub stores: Vec<Store>,
}

/// A row: a list of atoms, whose order in registers is still open.
pub struct Row {
    /// The atoms; `None` for those that nobody names.
    pub members: Vec<Option<ValueId>>,
    /// How it is made.
    pub source: Source,
    /// The last of the statements, in order, that it stands for.
    pub place: usize,
    /// Their place in the source.
    pub span: Span,
}

/// How a row is made.
#[derive(PartialEq, Eq, Hash)]
pub enum Source {
    /// A row of a parameter.
    Load(u32, u32),
    /// An operation on rows.
    Apply(Op, Vec<Operand>),
    /// Atoms of other rows, and constants where there is none.
    Gather(Vec<Operand>),
}

/// An operand of an operation on rows: what each member of the result takes.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Operand {
    /// Members of a row; `None`, in a gathered row, for those that aren't from there.
    Row(usize, Vec<Option<usize>>),
    /// Constants.
    Constants(Vec<u128>),
}

/// A row of a result.
pub struct Store {
    /// Which result.
    pub result: u32,
    /// Which row of it.
    pub index: u32,
    /// Where its atoms are.
    pub operand: Operand,
    /// The last of its statements, in order.
    pub place: usize,
    /// Their place in the source.
    pub span: Span,
}

impl Row {
    /// The rows that it is made of.
    pub fn operands(&self) -> &[Operand] {
        match &self.source {
            Source::Load(..) => &[],
            Source::Apply(_, operands) | Source::Gather(operands) => operands,
        }
    }
}

/// The rows of a function.
fn row(func: &Func) -> Type {
    func.results.first().map_or(Type::row(1, 1), |port| port.row())
}

impl Plan {
    /// Whether a target has windows of two of a program's rows. They go over a whole segment: shorter rows of other blocks lie beside.
    pub fn has_windows(program: &Program, target: &Target) -> bool {
        let row = row(program.entry());
        row.bits() == SEGMENT && target.instance(OpKind::Window, Direction::P, row.word()).is_some()
    }

    /// The rows of the entry of a program without calls but of instructions; `gather` allows rows of atoms of several.
    ///
    /// # Errors
    /// The first row that isn't one shuffle of another or a window of two, if these aren't allowed.
    pub fn of(program: &Program, gather: bool, windows: bool) -> Result<Plan, Vec<Diagnostic>> {
        let func = program.entry();
        let live = dead::live(func);
        let plan = |as_written: bool| {
            let mut grouper = Grouper::new(func, row(func).row_length().into());
            grouper.gather = gather;
            grouper.as_written = as_written;
            grouper.plan.windows = windows;
            grouper.grouped(program, &live)
        };
        let merged = match plan(false) {
            Ok((plan, false)) => return Ok(plan),
            Ok((plan, true)) => Ok(plan),
            Err(refused) => Err(refused),
        };
        let written = plan(true).map(|(plan, _)| plan);
        let weight = |plan: &Result<Plan, _>| plan.as_ref().map_or(usize::MAX, Plan::weight);
        let best = if weight(&written) < weight(&merged) { written } else { merged };
        best.map_err(|refused| vec![refused])
    }

    /// How many operations its rows are, those that are the same counted once.
    fn weight(&self) -> usize {
        let mut numbers: FxHashMap<Source, usize> = FxHashMap::default();
        let (mut first, mut counted) = (Vec::new(), FxHashSet::default());
        let mut weight = 0;
        for (row, needed) in self.rows.iter().zip(order::needed(self)) {
            let source = row.source.renamed(&first);
            let number = numbers.len();
            let known = numbers.entry(source).or_insert(number);
            first.push(*known);
            // Of equal rows the first that is needed counts.
            if needed && counted.insert(*known) {
                weight += row.source.weight();
            }
        }
        weight
    }
}

impl Source {
    /// The same of rows with other numbers.
    fn renamed(&self, rows: &[usize]) -> Source {
        let renamed = |operand: &Operand| match operand {
            Operand::Row(row, members) => Operand::Row(rows[*row], members.clone()),
            constants => constants.clone(),
        };
        match self {
            Source::Load(param, index) => Source::Load(*param, *index),
            Source::Apply(op, operands) => {
                Source::Apply(op.clone(), operands.iter().map(renamed).collect())
            }
            Source::Gather(operands) => Source::Gather(operands.iter().map(renamed).collect()),
        }
    }

    /// How many operations it is: one, or a shuffle of each row and what puts them together.
    fn weight(&self) -> usize {
        match self {
            Source::Load(..) => 0,
            Source::Apply(..) => 1,
            Source::Gather(operands) => 2 * operands.len() - 1,
        }
    }
}
