//! Arguments in place: values that a loop carries to a call and to nothing else.

use super::{Loop, Program, Stmt, ValueId};
use crate::core::{Instr, Op};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most atoms that a called function takes as arguments themselves: as many as calling conventions have vector registers
/// for. Where there are more it takes pointers to arrays of them.
pub const MOST_BY_VALUE: u32 = 8;

/// All atoms of a parameter of a call in a loop, where each is a carried value that nothing else reads and whose next value
/// is made behind the call. The array that the callee reads can hold them from iteration to iteration, so that none is moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InPlace {
    /// The first result of the call.
    pub call: ValueId,
    /// The number of the parameter.
    pub param: usize,
    /// The numbers of the atoms in [`Loop::carried`], in their order.
    pub carried: Vec<usize>,
}

impl InPlace {
    /// The parameters of a loop's calls that stay in place. No carried value is in two of them.
    pub fn of(program: &Program, l: &Loop) -> Vec<InPlace> {
        let mut uses: FxHashMap<ValueId, u32> = FxHashMap::default();
        let mut used = |value| *uses.entry(value).or_default() += 1;
        l.body.iter().for_each(|stmt| stmt.uses(&mut used));
        l.carried.iter().for_each(|c| used(c.next));
        let numbers = l.carried.iter().enumerate().map(|(number, c)| (c.inside, number));
        let alone: FxHashMap<ValueId, usize> =
            numbers.filter(|(inside, _)| uses.get(inside) == Some(&1)).collect();
        let mut all = Vec::new();
        for (at, stmt) in l.body.iter().enumerate() {
            let Stmt::Let(instr) = stmt else { continue };
            let made: FxHashSet<ValueId> = defined(&l.body[at + 1..]);
            let carried = |atom: &ValueId| {
                alone.get(atom).copied().filter(|number| made.contains(&l.carried[*number].next))
            };
            for (param, atoms) in parameters(program, instr) {
                if let (Some(carried), Some(&call)) =
                    (atoms.iter().map(carried).collect(), instr.results.first())
                {
                    all.push(InPlace { call, param, carried });
                }
            }
        }
        all
    }
}

/// The atoms of each parameter of a call that the callee takes as an array, with the parameter's number.
fn parameters<'a>(program: &Program, call: &'a Instr) -> Vec<(usize, &'a [ValueId])> {
    let Op::Call(callee, ..) = call.op else { return Vec::new() };
    let mut atoms = &call.args[..];
    let mut all = Vec::new();
    for (param, port) in program.funcs[callee.index()].params.iter().enumerate() {
        let (these, others) = atoms.split_at(port.count() as usize);
        atoms = others;
        if port.count() > MOST_BY_VALUE {
            all.push((param, these));
        }
    }
    all
}

/// The values that statements define.
fn defined(stmts: &[Stmt]) -> FxHashSet<ValueId> {
    let results = |stmt: &Stmt| match stmt {
        Stmt::Let(instr) => instr.results.to_vec(),
        _ => Vec::new(),
    };
    stmts.iter().flat_map(results).collect()
}
