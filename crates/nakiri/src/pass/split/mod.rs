//! Cuts what a mode does with a block of a text in two: what many blocks can do side by side, in the lanes of wide registers, and
//! what each waits for of the block before.
//!
//! The two meet in memory. Where what is carried is made of blocks that were taken (a tweak, a chain), the serial part comes first
//! and gives the state before each block; where it is made of what the mode gives (a code of the sealed text), it comes after.

pub mod hash;

use super::chain::Links;
use super::dead;
use super::offsets::Number;
use crate::core::{Func, Index, Instr, Op, Port, Program, Stmt, ValueId};
use crate::mode::{Piece, Slot};

/// The two parts of a piece.
#[derive(Clone, Debug)]
pub struct Split {
    /// From blocks, and the state before each, to what is given for them; what is the same for all blocks is constant.
    pub parallel: Piece,
    /// From state to state; it gives the state before each block, or takes what the parallel part gives. None if nothing is
    /// carried.
    pub serial: Option<Piece>,
    /// Whether the serial part comes first.
    pub serial_first: bool,
}

impl Split {
    /// The parameter of the parallel part that is the block's number, if it is one.
    pub fn number(&self) -> Option<Number> {
        let mut numbers = self.parallel.numbered();
        let ((param, first), None) = (numbers.next()?, numbers.next()) else { return None };
        Some(Number { param, first })
    }

    /// The bytes that the parallel part hands over of each block besides what it gives.
    pub fn makes(&self) -> usize {
        let ports = self.parallel.results.iter().zip(&self.parallel.program.entry().results);
        let made = ports.filter(|(slot, _)| **slot == Slot::Made);
        made.map(|(_, port)| crate::layout::port_bytes(port)).sum()
    }
}

/// The parts of a piece, if it gives something for each block that doesn't wait for all of what is carried.
pub fn run(piece: &Piece, links: &Links) -> Option<Split> {
    let mut piece = piece.clone();
    let entry = piece.program.entry.index();
    flatten(&mut piece.program.funcs[entry].body);
    let func = piece.program.entry();
    let carried: Vec<usize> = links.carried.iter().map(|(param, _)| *param).collect();
    let own = |result: usize| links.own_result(result);
    let given: Vec<usize> = (0..func.results.len()).filter(|result| own(*result)).collect();
    let needed = Slice::of(func, &own);
    let state = Slice::of(func, &|result| !own(result));
    let before: Vec<usize> = carried.iter().copied().filter(|p| needed.loads(func, *p)).collect();
    let of_given = stored(func, &given).any(|(_, _, value)| state.has(value));
    let serial_first = !(of_given && before.is_empty());
    if given.is_empty() {
        return None;
    }
    let mut parallel = piece.clone();
    keep(&mut parallel, &own);
    for (param, slot) in parallel.params.iter_mut().enumerate() {
        if let (Slot::State(k), true) = (*slot, before.contains(&param)) {
            *slot = Slot::Before(k);
        }
    }
    drop_unused(&mut parallel);
    let func = &mut parallel.program.funcs[entry];
    for (slot, port) in parallel.params.iter().zip(&mut func.params) {
        port.constant |=
            matches!(slot, Slot::State(_) | Slot::Input(_) | Slot::Length(_) | Slot::Result(_));
    }
    let mut serial = piece;
    if serial_first {
        before.iter().for_each(|param| give_before(&mut serial, *param));
    } else {
        given.iter().for_each(|result| take_given(&mut serial, *result));
    }
    let slots = serial.results.clone();
    keep(&mut serial, &|result| matches!(slots[result], Slot::State(_) | Slot::Before(_)));
    drop_unused(&mut serial);
    // What the parallel part overwrites is gone where the serial part comes after it.
    let blocks = serial.params.iter().filter(|slot| matches!(slot, Slot::Block | Slot::Given));
    if !serial_first && blocks.count() > given.len() {
        return None;
    }
    let serial = (!carried.is_empty()).then_some(serial);
    Some(Split { parallel, serial, serial_first })
}

/// The program that adds up so many values of what a piece carries.
pub fn sum(piece: &Piece, links: &Links, values: u32) -> Option<Program> {
    let mut program = piece.program.clone();
    let func = &mut program.funcs[program.entry.index()];
    let [(param, result)] = links.carried[..] else { return None };
    let own = func.params[param].clone();
    let (ty, span, count) = (own.ty, own.span, own.count());
    func.results = vec![func.results[result].clone()];
    func.params = vec![Port { shape: [&[values], &own.shape[..]].concat(), ..own }];
    func.body.clear();
    for atom in 0..count {
        let mut sum = None;
        for value in 0..values {
            let op = Op::Load(0, Index::fixed(value * count + atom));
            let next = func.append(op, &[], ty, span);
            sum = Some(match sum {
                Some(sum) => func.append(Op::Xor, &[sum, next], ty, span),
                None => next,
            });
        }
        let index = Index::fixed(atom);
        func.body.push(Stmt::Store { result: 0, index, value: sum?, span });
    }
    dead::run(func);
    Some(program)
}

/// Makes one list of the statements of foralls.
fn flatten(body: &mut Vec<Stmt>) {
    let of = |stmt: Stmt| match stmt {
        Stmt::Forall(forall) => {
            let mut all: Vec<Stmt> = forall.iterations.into_iter().flatten().collect();
            flatten(&mut all);
            all
        }
        other => vec![other],
    };
    *body = std::mem::take(body).into_iter().flat_map(of).collect();
}

/// The values that some results are made of.
struct Slice(Vec<bool>);

impl Slice {
    fn of(func: &Func, wanted: &dyn Fn(usize) -> bool) -> Slice {
        let mut own = func.clone();
        own.body.retain(|stmt| match stmt {
            Stmt::Store { result, .. } => wanted(*result as usize),
            _ => true,
        });
        Slice(dead::live(&own))
    }

    fn has(&self, value: ValueId) -> bool {
        self.0[value.index()]
    }

    /// Whether a parameter is among them.
    fn loads(&self, func: &Func, param: usize) -> bool {
        func.body.iter().any(|stmt| match stmt {
            Stmt::Let(Instr { op: Op::Load(own, _), results, .. }) => {
                *own as usize == param && self.has(results[0])
            }
            _ => false,
        })
    }
}

/// The atoms of some results: which of which, and the value.
fn stored<'a>(
    func: &'a Func,
    results: &'a [usize],
) -> impl Iterator<Item = (usize, Index, ValueId)> + 'a {
    func.body.iter().filter_map(|stmt| match stmt {
        Stmt::Store { result, index, value, .. } if results.contains(&(*result as usize)) => {
            Some((*result as usize, *index, *value))
        }
        _ => None,
    })
}

fn entry(piece: &mut Piece) -> &mut Func {
    let entry = piece.program.entry.index();
    &mut piece.program.funcs[entry]
}

/// Leaves out all other results.
fn keep(piece: &mut Piece, wanted: &dyn Fn(usize) -> bool) {
    let new: Vec<Option<u32>> = numbers(piece.results.len(), wanted);
    retain(&mut piece.results, wanted);
    let func = entry(piece);
    retain(&mut func.results, wanted);
    func.body.retain_mut(|stmt| match stmt {
        Stmt::Store { result, .. } => {
            let own = new[*result as usize];
            *result = own.unwrap_or(*result);
            own.is_some()
        }
        _ => true,
    });
    dead::run(func);
}

/// Leaves out parameters that nobody reads, but for those that are carried.
pub fn drop_unused(piece: &mut Piece) {
    let mut used: Vec<bool> =
        piece.params.iter().map(|slot| piece.results.contains(slot)).collect();
    let func = entry(piece);
    let mut loads = |f: &mut dyn FnMut(&mut u32)| {
        for stmt in &mut func.body {
            stmt.instrs_mut(&mut |instr| {
                if let Op::Load(param, _) = &mut instr.op {
                    f(param);
                }
            });
        }
    };
    loads(&mut |param| used[*param as usize] = true);
    let new = numbers(used.len(), &|param| used[param]);
    loads(&mut |param| *param = new[*param as usize].expect("it is read"));
    retain(&mut func.params, &|param| used[param]);
    retain(&mut piece.params, &|param| used[param]);
}

/// The places of those that are wanted among themselves.
fn numbers(count: usize, wanted: &dyn Fn(usize) -> bool) -> Vec<Option<u32>> {
    let mut next = 0..;
    (0..count).map(|k| if wanted(k) { next.next() } else { None }).collect()
}

fn retain<T>(list: &mut Vec<T>, wanted: &dyn Fn(usize) -> bool) {
    let mut places = 0..;
    list.retain(|_| places.next().is_some_and(wanted));
}

/// Makes a result of a carried parameter, as it is before the block.
fn give_before(piece: &mut Piece, param: usize) {
    let Slot::State(state) = piece.params[param] else { return };
    piece.results.push(Slot::Before(state));
    let func = entry(piece);
    let port =
        Port { name: format!("{}_before", func.params[param].name), ..func.params[param].clone() };
    let (ty, span, count) = (port.ty, port.span, port.count());
    func.results.push(port);
    let result = func.results.len() as u32 - 1;
    for atom in 0..count {
        let index = Index::fixed(atom);
        let value = func.append(Op::Load(param as u32, index), &[], ty, span);
        func.body.push(Stmt::Store { result, index, value, span });
    }
}

/// Makes a parameter of a result, and reads it wherever its values were used.
fn take_given(piece: &mut Piece, result: usize) {
    piece.params.push(piece.results[result]);
    let func = entry(piece);
    func.params.push(func.results[result].clone());
    let param = func.params.len() as u32 - 1;
    let atoms: Vec<_> = stored(func, &[result]).collect();
    let mut loads = Vec::new();
    let mut taken = vec![None; func.values.len()];
    for (_, index, value) in atoms {
        let ty = func.ty(value);
        let (own, span) = (func.value(ty), func.span);
        let op = Op::Load(param, index);
        loads.push(Stmt::Let(Instr { results: [own].into(), op, args: Default::default(), span }));
        taken[value.index()] = Some(own);
    }
    let own = |value: ValueId| taken.get(value.index()).copied().flatten().unwrap_or(value);
    func.body.iter_mut().for_each(|stmt| stmt.map_uses(&mut |value| own(value)));
    func.body.splice(0..0, loads);
}
