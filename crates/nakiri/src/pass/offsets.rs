//! What many blocks side by side make of their numbers, where that is affine over GF(2): the offsets of OCB.
//!
//! Runs of W blocks begin at multiples of W. As long as no carry leaves the low bits, the numbers of a block in two runs differ by what
//! all blocks' do. So the offsets do, too: one batch makes its own, and those of the others are theirs in the first run plus that
//! difference. The last batches, whose numbers carry, make their own again.
//!
//! Needs: straight-line code for one batch.

use super::dead;
use super::horner::{is_map, is_product};
use super::interleave::{self, Interleave};
use crate::core::{Direction, Func, Index, Instr, Op, Port, Program, Stmt, ValueId};
use rustc_hash::FxHashMap;

/// The name of the port of offsets.
const NAME: &str = "offsets";

/// A parameter that is a block's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// Which it is.
    pub param: usize,
    /// The number of the first block.
    pub first: u64,
}

/// What the entry of a program makes of a block's number, affine over GF(2), and takes for what is not.
#[derive(Clone, Debug)]
pub struct Offsets {
    number: Number,
    /// Atoms, or rows, of the type that the number has.
    values: Vec<ValueId>,
}

/// How a value depends on the number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The same for all blocks.
    Kept,
    /// A linear map of the number, plus what is the same for all blocks.
    Affine,
    /// Of a block, or of the number in another way.
    Other,
}

impl Kind {
    fn of(op: &Op, args: &[Kind]) -> Kind {
        let one_affine = || args.iter().filter(|arg| **arg == Kind::Affine).count() == 1;
        match op {
            _ if args.contains(&Kind::Other) => Kind::Other,
            _ if args.iter().all(|arg| *arg == Kind::Kept) => Kind::Kept,
            Op::Xor | Op::Not | Op::Window(_) => Kind::Affine,
            _ if is_map(op) || is_product(op) && one_affine() => Kind::Affine,
            _ => Kind::Other,
        }
    }
}

impl Offsets {
    /// Those of the entry, if it makes any.
    pub fn find(program: &Program, number: Number) -> Option<Offsets> {
        let func = program.entry();
        let mut kinds = vec![Kind::Other; func.values.len()];
        let mut values: Vec<ValueId> = Vec::new();
        for stmt in &func.body {
            let (used, made) = match stmt {
                Stmt::Let(instr) => {
                    let own: Vec<Kind> = instr.args.iter().map(|arg| kinds[arg.index()]).collect();
                    let made = match instr.op {
                        Op::Load(param, _) if param as usize == number.param => Kind::Affine,
                        Op::Load(param, _) if !func.params[param as usize].constant => Kind::Other,
                        _ => Kind::of(&instr.op, &own),
                    };
                    instr.results.iter().for_each(|result| kinds[result.index()] = made);
                    (&instr.args[..], made)
                }
                Stmt::Store { value, .. } => (std::slice::from_ref(value), Kind::Other),
                Stmt::Forall(_) | Stmt::Loop(_) => return None,
            };
            let affine = |value: &&ValueId| kinds[value.index()] == Kind::Affine;
            values.extend(used.iter().filter(affine).filter(|_| made == Kind::Other));
        }
        values.sort();
        values.dedup();
        let ty = func.params[number.param].ty;
        let alike = values.iter().all(|value| func.ty(*value) == ty);
        (alike && !values.is_empty()).then_some(Offsets { number, values })
    }

    /// How many of so many batches make theirs of the first one's: as long as no number of a run reaches its blocks.
    fn alike(&self, batches: u32, lanes: u32) -> u32 {
        let blocks = u64::from(batches * lanes);
        match blocks.is_power_of_two() {
            true => (blocks.saturating_sub(self.number.first) / u64::from(lanes)) as u32,
            false => 0,
        }
    }

    /// The port of those of a block, as it is declared, where that of its number is declared so.
    pub fn port(&self, number: &Port) -> Port {
        let row = (number.ty.direction() == Direction::P).then(|| number.shape.last());
        let shape = [self.values.len() as u32].into_iter().chain(row.flatten().copied()).collect();
        Port { name: NAME.to_string(), shape, ..number.clone() }
    }

    /// The same of a function on sliced values.
    fn sliced(&self, func: &Func) -> Port {
        let shape = vec![self.values.len() as u32];
        Port { name: NAME.to_string(), shape, ..func.params[self.number.param].clone() }
    }

    /// The program that makes them, of what is the same for all blocks and of the number.
    pub fn first(&self, program: &Program) -> Program {
        let mut program = program.clone();
        let func = &mut program.funcs[program.entry.index()];
        func.body.retain(|stmt| !matches!(stmt, Stmt::Store { .. }));
        func.results = vec![self.sliced(func)];
        self.store(func, 0);
        dead::run(func);
        let ports = std::mem::take(&mut func.params).into_iter().enumerate();
        let (kept, ports): (Vec<usize>, Vec<Port>) =
            ports.filter(|(param, port)| self.is_read(*param, port)).unzip();
        func.params = ports;
        for stmt in &mut func.body {
            if let Stmt::Let(Instr { op: Op::Load(param, _), .. }) = stmt {
                let own = kept.iter().position(|own| *own == *param as usize);
                *param = own.expect("offsets are made of the number alone") as u32;
            }
        }
        program
    }

    /// Whether [`Offsets::first`] has a parameter.
    pub fn is_read(&self, param: usize, port: &Port) -> bool {
        port.constant || param == self.number.param
    }

    /// Makes of the entry one that takes so many registers of so many blocks, and offsets of the first run as a last parameter; none if
    /// too few batches are alike.
    pub fn interleave(&self, program: &mut Program, [batches, lanes]: [u32; 2]) -> Option<()> {
        let alike = self.alike(batches, lanes);
        if alike < 2 {
            return None;
        }
        let func = &mut program.funcs[program.entry.index()];
        let port = self.sliced(func);
        func.results.push(port.clone());
        let last = func.results.len() as u32 - 1;
        self.store(func, last);
        interleave::run(program, Interleave::of(batches));
        let func = &mut program.funcs[program.entry.index()];
        func.results.pop();
        let param = func.params.len() as u32;
        func.params.push(Port { shape: vec![batches * port.count()], ..port });
        let mut made = FxHashMap::default();
        func.body.retain(|stmt| match stmt {
            Stmt::Store { result, index, value, .. } if *result == last => {
                made.insert(*value, index.base);
                false
            }
            _ => true,
        });
        self.share(func, param, alike, &made);
        dead::run(func);
        Some(())
    }

    /// Makes of the offsets of the first batch those of others that are alike; `made` tells which of all offsets values are.
    fn share(&self, func: &mut Func, param: u32, alike: u32, made: &FxHashMap<ValueId, u32>) {
        let (count, span) = (self.values.len(), func.span);
        let mut differences = vec![None; count];
        for stmt in std::mem::take(&mut func.body) {
            let offset = match &stmt {
                Stmt::Let(instr) => made.get(&instr.results[0]).map(|at| (instr.results[0], *at)),
                _ => None,
            };
            let (batch, own) =
                offset.map_or((alike, 0), |(_, at)| (at / count as u32, at as usize % count));
            let Some((value, at)) = offset.filter(|_| batch < alike) else {
                func.body.push(stmt);
                continue;
            };
            let (ty, load) = (func.ty(value), Op::Load(param, Index::fixed(at)));
            match differences[own] {
                None => {
                    func.body.push(stmt);
                    let first = func.append(load, &[], ty, span);
                    differences[own] = Some(func.append(Op::Xor, &[value, first], ty, span));
                }
                Some(difference) => {
                    let first = func.append(load, &[], ty, span);
                    let (results, args) = ([value].into(), [difference, first][..].into());
                    func.body.push(Stmt::Let(Instr { results, op: Op::Xor, args, span }));
                }
            }
        }
    }

    /// Stores them as a result.
    fn store(&self, func: &mut Func, result: u32) {
        let span = func.span;
        let stores = (0..).zip(&self.values).map(|(atom, value)| Stmt::Store {
            result,
            index: Index::fixed(atom),
            value: *value,
            span,
        });
        func.body.extend(stores);
    }
}
