//! What one run of a kernel executes, counted.

use super::lower::{Code, Function, Node, Step, Work};
use super::{Machine, OpCache};
use crate::core::FuncId;
use crate::isa::Target;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Add, AddAssign};

/// Instructions around a loop's body: count, compare and jump, the last two of which are one.
pub const LOOP: u64 = 2;

/// The part of the loads of spilled values that are taken for others, if these lie all over a large frame: seen on Zen 5 with
/// bitsliced kernels of seven ciphers, 0.05 to 0.15.
const MISTAKEN: f64 = 0.1;

/// A compiler's frame by the least that an order needs: 0.6 to 1.6, seen with gcc and clang on bitsliced kernels of eight ciphers;
/// of these the upper middle, because what a frame that is too large costs is more than what explicit spilling does.
const FRAME: f64 = 1.25;

/// How much code there is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extent {
    /// Instructions.
    pub instructions: u64,
    /// Bytes, estimated.
    pub bytes: f64,
}

impl Add for Extent {
    type Output = Extent;

    fn add(self, other: Extent) -> Extent {
        Extent {
            instructions: self.instructions + other.instructions,
            bytes: self.bytes + other.bytes,
        }
    }
}

impl AddAssign for Extent {
    fn add_assign(&mut self, other: Extent) {
        *self = *self + other;
    }
}

impl Extent {
    fn of(steps: &[Step], target: &Target) -> Extent {
        let instructions = steps.iter().filter(|step| !step.folded).count() as u64;
        let memory = |step: &&Step| matches!(step.work, Work::Load | Work::Store);
        let accesses = steps.iter().filter(memory).count();
        let bytes =
            instructions as f64 * target.code_bytes + accesses as f64 * target.operand_bytes;
        Extent { instructions, bytes }
    }

    /// Whether an op cache holds it.
    pub fn is_held(self, op_cache: OpCache) -> bool {
        op_cache.holds(self.instructions, self.bytes)
    }
}

/// What is executed in one call of a function, those that it calls included.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// How often each kind of work is done.
    pub work: BTreeMap<Work, u64>,
    /// All instructions.
    pub instructions: u64,
    /// Of these, those of later turns of loops which the op cache holds.
    pub again: u64,
    /// Values stored for want of registers.
    pub spills: u64,
    /// Values loaded again.
    pub reloads: u64,
    /// Cycles that are lost for loads which are taken for others.
    pub mistaken: f64,
    /// Its code and that of each function that it calls.
    extent: Extent,
}

impl Totals {
    /// Adds what is executed so many times; the code is not added.
    fn add(&mut self, part: &Totals, times: u64) {
        for (work, count) in &part.work {
            *self.work.entry(*work).or_default() += count * times;
        }
        self.instructions += part.instructions * times;
        self.again += part.again * times;
        self.spills += part.spills * times;
        self.reloads += part.reloads * times;
        self.mistaken += part.mistaken * times as f64;
    }
}

/// Counts what functions execute.
pub struct Counting<'a> {
    code: &'a Code,
    target: &'a Target,
    machine: &'a Machine,
    known: Vec<Option<Totals>>,
}

impl<'a> Counting<'a> {
    /// Counts nothing yet.
    pub fn new(code: &'a Code, target: &'a Target, machine: &'a Machine) -> Counting<'a> {
        Counting { code, target, machine, known: vec![None; code.functions.len()] }
    }

    /// The code of all functions that were counted, each once.
    pub fn extent(&self) -> Extent {
        let counted =
            self.known.iter().zip(&self.code.functions).filter(|(known, _)| known.is_some());
        let extents =
            counted.flat_map(|(_, function)| function.nodes.iter().map(|node| self.node(node)));
        extents.fold(Extent::default(), Add::add)
    }

    /// The code of a node, without that of functions that it calls.
    fn node(&self, node: &Node) -> Extent {
        match node {
            Node::Straight(steps) => Extent::of(steps, self.target),
            Node::Loop { body, .. } => {
                let bytes = LOOP as f64 * self.target.code_bytes;
                Extent::of(body, self.target) + Extent { instructions: LOOP, bytes }
            }
        }
    }

    /// How many cycles a load of a spilled value loses in the mean, as it is taken for another.
    fn mistaken(&self, function: &Function) -> f64 {
        let frame = FRAME * f64::from(self.target.bits / 8) * function.spilled as f64;
        let renaming = self.machine.renaming.filter(|renaming| frame > f64::from(renaming.bytes));
        renaming.filter(|_| !self.target.simd).map_or(0.0, |renaming| {
            MISTAKEN * renaming.cycles * (1.0 - f64::from(renaming.bytes) / frame)
        })
    }

    /// Counts a function.
    pub fn function(&mut self, id: FuncId) -> Totals {
        if let Some(known) = &self.known[id.index()] {
            return known.clone();
        }
        let function = &self.code.functions[id.index()];
        let Function { spills, reloads, .. } = *function;
        let mistaken = self.mistaken(function) * reloads as f64;
        let mut totals = Totals { spills, reloads, mistaken, ..Totals::default() };
        for node in &function.nodes {
            let (steps, count, around) = match node {
                Node::Straight(steps) => (steps, 1, 0),
                Node::Loop { body, count, .. } => (body, u64::from(*count), LOOP),
            };
            let mut turn = self.steps(steps);
            turn.instructions += around;
            turn.extent += self.node(node);
            totals.add(&turn, count);
            totals.extent += turn.extent;
            if self.machine.op_cache.is_some_and(|op_cache| turn.extent.is_held(op_cache)) {
                totals.again += count.saturating_sub(1) * (turn.instructions - turn.again);
            }
        }
        self.known[id.index()] = Some(totals.clone());
        totals
    }

    /// Counts steps in a row; their extent is that of the functions that they call.
    fn steps(&mut self, steps: &[Step]) -> Totals {
        let mut totals = Totals::default();
        let mut callees = BTreeSet::new();
        for step in steps {
            *totals.work.entry(step.work).or_default() += 1;
            totals.instructions += u64::from(!step.folded);
            if let Work::Call(callee) = step.work {
                let called = self.function(callee);
                totals.add(&called, 1);
                if callees.insert(callee) {
                    totals.extent += called.extent;
                }
            }
        }
        totals
    }
}
