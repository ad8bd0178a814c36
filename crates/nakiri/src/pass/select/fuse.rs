//! Several gates as one, on targets that have some operations of three inputs but not all: what reads a gate alone takes its
//! place, as long as three inputs are enough and the target has the operation.

use super::region::is_gate;
use crate::core::{semantics, Func, Instr, Op, Stmt, Type, ValueId};
use crate::isa::Target;
use smallvec::SmallVec;

/// The most gates in one.
const MOST: usize = 4;

/// A gate with those that it takes the place of.
#[derive(Clone)]
struct Cone {
    /// What it reads, each once.
    leaves: SmallVec<[ValueId; 4]>,
    /// The statements in it, last first.
    stmts: SmallVec<[usize; MOST]>,
}

/// Fuses gates from the last to the first, as many as can be. What is no longer read is left for [`dead`](crate::pass::dead).
pub(super) fn run(func: &mut Func, target: &Target) {
    let tables = target.some_tables();
    if tables.is_empty() {
        return;
    }
    let mut uses = vec![0u32; func.values.len()];
    func.body.iter().for_each(|stmt| stmt.uses(&mut |value| uses[value.index()] += 1));
    let mut body = std::mem::take(&mut func.body);
    Fuser { func, target, tables: &tables, uses: &uses }.stmts(&mut body);
    func.body = body;
}

struct Fuser<'a> {
    func: &'a Func,
    target: &'a Target,
    tables: &'a [u8],
    uses: &'a [u32],
}

impl Fuser<'_> {
    fn stmts(&self, body: &mut [Stmt]) {
        let mut definitions = vec![None; self.func.values.len()];
        for (place, stmt) in body.iter_mut().enumerate() {
            match stmt {
                Stmt::Let(Instr { op, results, .. }) if is_gate(op) => {
                    definitions[results[0].index()] = Some(place);
                }
                Stmt::Loop(l) => self.stmts(&mut l.body),
                _ => {}
            }
        }
        let mut taken = vec![false; body.len()];
        for place in (0..body.len()).rev() {
            if taken[place] || !self.is_root(&body[place]) {
                continue;
            }
            if let Some((cone, op, args)) = self.best(body, &definitions, place) {
                cone.stmts.iter().for_each(|&place| taken[place] = true);
                if let Stmt::Let(instr) = &mut body[place] {
                    (instr.op, instr.args) = (op, args.into_iter().collect());
                }
            }
        }
    }

    fn is_root(&self, stmt: &Stmt) -> bool {
        matches!(stmt, Stmt::Let(instr) if is_gate(&instr.op))
    }

    /// The cone of the most gates at a statement that the target has an operation for, and that operation.
    fn best(
        &self,
        body: &[Stmt],
        definitions: &[Option<usize>],
        root: usize,
    ) -> Option<(Cone, Op, [ValueId; 3])> {
        let gate = |place: usize| match &body[place] {
            Stmt::Let(instr) => instr,
            _ => unreachable!("definitions are of gates"),
        };
        let mut leaves: SmallVec<[ValueId; 4]> = SmallVec::new();
        add(&mut leaves, &gate(root).args);
        let mut cones = vec![Cone { leaves, stmts: [root].into_iter().collect() }];
        let (mut best, mut next) = (None, 0);
        while next < cones.len() {
            let cone = cones[next].clone();
            next += 1;
            if cone.stmts.len() > 1 && cone.leaves.len() <= 3 {
                let better =
                    |(best, ..): &(Cone, Op, [ValueId; 3])| cone.stmts.len() > best.stmts.len();
                if best.as_ref().is_none_or(better) {
                    let found = self.operation(&cone, gate(root), &|place| gate(place));
                    best = found.map(|(op, args)| (cone.clone(), op, args)).or(best);
                }
            }
            if cone.stmts.len() == MOST {
                continue;
            }
            for (k, leaf) in cone.leaves.iter().enumerate() {
                let inside = definitions[leaf.index()].filter(|_| {
                    let reads = cone.stmts.iter().flat_map(|&place| &gate(place).args);
                    reads.filter(|value| *value == leaf).count() as u32 == self.uses[leaf.index()]
                });
                let Some(place) = inside else { continue };
                let mut leaves = cone.leaves.clone();
                leaves.remove(k);
                add(&mut leaves, &gate(place).args);
                if leaves.len() <= 4 {
                    let mut stmts = cone.stmts.clone();
                    stmts.push(place);
                    cones.push(Cone { leaves, stmts });
                }
            }
        }
        best
    }

    /// The operation that a cone is, and its operands in order.
    fn operation<'s>(
        &self,
        cone: &Cone,
        root: &Instr,
        gate: &dyn Fn(usize) -> &'s Instr,
    ) -> Option<(Op, [ValueId; 3])> {
        let ty = self.func.ty(root.results[0]);
        // One input may stand for two.
        let leaf = |k: usize| cone.leaves[k.min(cone.leaves.len() - 1)];
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let args = order.map(leaf);
            let table = table(cone, root.results[0], &args, gate);
            let Some(&known) = self.tables.iter().find(|known| **known & cared(&args) == table)
            else {
                continue;
            };
            let has = |ty: Type| self.target.select(&Op::Ternary(known), ty.direction(), ty.word());
            if has(ty).is_some() {
                return Some((Op::Ternary(known), args));
            }
        }
        None
    }
}

fn add(leaves: &mut SmallVec<[ValueId; 4]>, values: &[ValueId]) {
    for value in values {
        if !leaves.contains(value) {
            leaves.push(*value);
        }
    }
}

/// Which entries of a table of these operands can be read: equal ones have equal bits.
fn cared(args: &[ValueId; 3]) -> u8 {
    let equal = |a: usize, b: usize, index: u8| {
        args[a] != args[b] || (index >> (2 - a) & 1) == (index >> (2 - b) & 1)
    };
    let read = |&index: &u8| equal(0, 1, index) && equal(0, 2, index) && equal(1, 2, index);
    (0..8).filter(read).fold(0, |cared, index| cared | 1 << index)
}

/// The table of a cone as a function of its operands, as [`Op::Ternary`] has it; entries that can't be read are 0.
fn table<'s>(
    cone: &Cone,
    root: ValueId,
    args: &[ValueId; 3],
    gate: &dyn Fn(usize) -> &'s Instr,
) -> u8 {
    let inputs = [0xf0, 0xcc, 0xaa];
    let cared = cared(args);
    let mut known: SmallVec<[(ValueId, u128); 8]> = SmallVec::new();
    known.extend(args.iter().copied().zip(inputs));
    // Definitions come before uses: operands stand earlier.
    let mut stmts = cone.stmts.clone();
    stmts.sort_unstable();
    for place in stmts {
        let instr = gate(place);
        let value = |arg: &ValueId| known.iter().find(|(v, _)| v == arg).map_or(0, |(_, x)| *x);
        let operands: SmallVec<[u128; 3]> = instr.args.iter().map(value).collect();
        let bits = semantics::eval(&instr.op, 8, &operands).unwrap_or(0);
        known.push((instr.results[0], bits));
    }
    let bits = known.iter().rev().find(|(value, _)| *value == root).map_or(0, |(_, x)| *x);
    bits as u8 & cared
}
