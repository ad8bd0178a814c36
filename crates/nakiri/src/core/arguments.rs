//! Arguments in place: arrays that stand through a loop, for values that it carries to a call and to nothing else.

use super::{Instr, Loop, Op, Program, Stmt, ValueId};
use rustc_hash::FxHashMap;

/// The most atoms that a called function takes as arguments themselves: as many as calling conventions have vector registers
/// for. Where there are more it takes pointers to arrays of them.
pub const MOST_BY_VALUE: u32 = 8;

/// All atoms of a parameter of a call in a loop, where each can be put into the array that the callee reads as soon as it is
/// made, and some stay there from iteration to iteration, so that none is moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InPlace {
    /// The first result of the call.
    pub call: ValueId,
    /// The number of the parameter.
    pub param: usize,
    /// The atoms in their order.
    pub atoms: Vec<Atom>,
}

/// An atom of an argument in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atom {
    /// A carried value, by its number in [`Loop::carried`], that nothing else reads and whose next value is made behind the call.
    Carried(usize),
    /// A value that the loop's body makes before the call.
    Made(ValueId),
}

impl InPlace {
    /// The parameters of a loop's calls that stay in place. No carried value is in two of them.
    pub fn of(program: &Program, l: &Loop) -> Vec<InPlace> {
        let calls = l.body.iter().enumerate().filter_map(|(at, stmt)| match stmt {
            Stmt::Let(instr) => Some((at, instr, parameters(program, instr))),
            _ => None,
        });
        let mut calls = calls.filter(|(.., parameters)| !parameters.is_empty()).peekable();
        if calls.peek().is_none() {
            return Vec::new();
        }
        let (alone, made) = (read_once(l), made(l));
        let mut all = Vec::new();
        for (at, instr, parameters) in calls {
            let atom = |value: &ValueId| match alone.get(value) {
                Some(&number) => {
                    let behind = made.get(&l.carried[number].next).is_some_and(|made| *made > at);
                    behind.then_some(Atom::Carried(number))
                }
                None => made.contains_key(value).then_some(Atom::Made(*value)),
            };
            for (param, values) in parameters {
                let atoms: Option<Vec<Atom>> = values.iter().map(atom).collect();
                let stays =
                    |atoms: &Vec<Atom>| atoms.iter().any(|atom| matches!(atom, Atom::Carried(_)));
                if let (Some(atoms), Some(&call)) = (atoms.filter(stays), instr.results.first()) {
                    all.push(InPlace { call, param, atoms });
                }
            }
        }
        all
    }

    /// The numbers of its carried atoms.
    pub fn carried(&self) -> impl Iterator<Item = usize> + '_ {
        self.atoms.iter().filter_map(|atom| match atom {
            Atom::Carried(number) => Some(*number),
            Atom::Made(_) => None,
        })
    }
}

/// The carried values that are read once in a turn, with their numbers.
fn read_once(l: &Loop) -> FxHashMap<ValueId, usize> {
    let mut uses: FxHashMap<ValueId, u32> = FxHashMap::default();
    let mut used = |value| *uses.entry(value).or_default() += 1;
    l.body.iter().for_each(|stmt| stmt.uses(&mut used));
    l.carried.iter().for_each(|c| used(c.next));
    let numbers = l.carried.iter().enumerate().map(|(number, c)| (c.inside, number));
    numbers.filter(|(inside, _)| uses.get(inside) == Some(&1)).collect()
}

/// Which statement of a loop's body makes each value.
fn made(l: &Loop) -> FxHashMap<ValueId, usize> {
    let results = |(at, stmt): (usize, &Stmt)| match stmt {
        Stmt::Let(instr) => instr.results.iter().map(|value| (*value, at)).collect(),
        _ => Vec::new(),
    };
    l.body.iter().enumerate().flat_map(results).collect()
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
