//! Makes one kernel take several blocks of one text, one after another: what goes from block to block stays in registers, and
//! what doesn't wait for it runs ahead.
//!
//! Needs: no foralls, and neither loops nor calls. Guarantees: each port that is a block's own is a list of those of all blocks;
//! the others are those of one.

use super::interleave::repeat;
use crate::core::{Func, Index, Instr, Op, Port, Program, Stmt, ValueId};
use crate::mode::{Piece, Slot};

/// What ports are from block to block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// Parameters, each with the result that is it for the next block.
    pub carried: Vec<(usize, usize)>,
    /// Parameters that are the same for all blocks.
    pub kept: Vec<usize>,
}

impl Links {
    /// What is carried in a function of such ports, atom by atom: places in the lists of all atoms of the parameters and of the
    /// results.
    pub fn atoms(&self, func: &Func) -> Vec<(usize, usize)> {
        let before = |ports: &[Port]| ports.iter().map(Port::count).sum::<u32>() as usize;
        let of = |&(param, result): &(usize, usize)| {
            let first = (before(&func.params[..param]), before(&func.results[..result]));
            let count = func.params[param].count().min(func.results[result].count()) as usize;
            (0..count).map(move |k| (first.0 + k, first.1 + k))
        };
        self.carried.iter().flat_map(of).collect()
    }

    /// Those of what a mode does with a block; none if that depends on how many bytes of its stream the block has.
    pub fn of(piece: &Piece) -> Option<Links> {
        let slots = piece.params.iter().enumerate();
        let mut links = Links::default();
        for (param, slot) in slots {
            let after = piece.results.iter().position(|result| result == slot);
            match (slot, after) {
                (Slot::State(_), Some(result)) => links.carried.push((param, result)),
                (Slot::State(_) | Slot::Input(_) | Slot::Length(_) | Slot::Result(_), None) => {
                    links.kept.push(param);
                }
                (Slot::Present | Slot::Marker | Slot::Held, _) => return None,
                _ => {}
            }
        }
        Some(links)
    }

    /// Whether a parameter is a block's own.
    pub fn own_param(&self, param: usize) -> bool {
        !self.kept.contains(&param) && self.before(param).is_none()
    }

    /// Whether a result is.
    pub fn own_result(&self, result: usize) -> bool {
        self.carried.iter().all(|(_, carried)| *carried != result)
    }

    /// The result of the block before that a parameter is.
    pub fn before(&self, param: usize) -> Option<usize> {
        self.carried.iter().find(|(own, _)| *own == param).map(|(_, result)| *result)
    }
}

/// Whether the entry is straight-line code without calls.
pub fn is_legal(program: &Program) -> bool {
    program.entry().body.iter().all(|stmt| match stmt {
        Stmt::Let(instr) => match instr.op {
            Op::Call(callee, ..) => program.funcs[callee.index()].instruction.is_some(),
            _ => true,
        },
        Stmt::Store { .. } => true,
        Stmt::Forall(_) | Stmt::Loop(_) => false,
    })
}

/// Chains so many blocks of the entry.
///
/// # Panics
/// If it is not legal.
pub fn run(program: &mut Program, blocks: u32, links: &Links) {
    let func = &mut program.funcs[program.entry.index()];
    let body = std::mem::take(&mut func.body);
    let differs = differing(func, &body, links);
    let names = (0..func.values.len() as u32).map(ValueId).collect();
    let mut chain = Chain { func, links, differs, names, before: Vec::new(), block: 0 };
    for block in 0..blocks {
        chain.block = block;
        chain.append(&body, block + 1 == blocks);
    }
    repeat_ports(&mut func.params, &mut func.results, blocks, links);
}

/// Ports for so many blocks.
pub fn repeat_ports(params: &mut [Port], results: &mut [Port], blocks: u32, links: &Links) {
    let params = params.iter_mut().enumerate().filter(|(k, port)| {
        let own = links.own_param(*k);
        own && !port.constant
    });
    let results = results.iter_mut().enumerate().filter(|(k, _)| links.own_result(*k));
    params.chain(results).for_each(|(_, port)| repeat(port, blocks));
}

/// For each value whether blocks have their own: what comes of a parameter that is not the same for all of them.
pub(super) fn differing(func: &Func, body: &[Stmt], links: &Links) -> Vec<bool> {
    let mut differs = vec![false; func.values.len()];
    for stmt in body {
        let Stmt::Let(instr) = stmt else { continue };
        let own = match instr.op {
            Op::Load(param, _) => {
                !func.params[param as usize].constant && !links.kept.contains(&(param as usize))
            }
            _ => instr.args.iter().any(|arg| differs[arg.index()]),
        };
        instr.results.iter().for_each(|result| differs[result.index()] = own);
    }
    differs
}

struct Chain<'a> {
    func: &'a mut Func,
    links: &'a Links,
    differs: Vec<bool>,
    /// The name of each value in the block at hand.
    names: Vec<ValueId>,
    /// What the block before stored of what is carried: result, atom, value.
    before: Vec<(usize, u32, ValueId)>,
    block: u32,
}

impl Chain<'_> {
    /// Appends the statements of a block.
    fn append(&mut self, body: &[Stmt], is_last: bool) {
        let before = std::mem::take(&mut self.before);
        for stmt in body {
            match stmt {
                Stmt::Let(instr) => self.define(instr, &before),
                Stmt::Store { result, index, value, span } => {
                    let (value, own) = (self.name(*value), *result as usize);
                    if !self.links.own_result(own) {
                        self.before.push((own, index.base, value));
                    }
                    if self.links.own_result(own) || is_last {
                        let index = match self.links.own_result(own) {
                            true => self.moved(*index, self.func.results[own].count()),
                            false => *index,
                        };
                        self.func.body.push(Stmt::Store {
                            result: *result,
                            index,
                            value,
                            span: *span,
                        });
                    }
                }
                Stmt::Forall(_) | Stmt::Loop(_) => unreachable!("it is straight-line code"),
            }
        }
    }

    /// Appends an instruction, but for what the block before has made, and what is the same for all blocks.
    fn define(&mut self, instr: &Instr, before: &[(usize, u32, ValueId)]) {
        let differs = instr.results.iter().any(|result| self.differs[result.index()]);
        if self.block > 0 && !differs {
            return;
        }
        let mut op = instr.op.clone();
        if let (Op::Load(param, index), true) = (&instr.op, differs) {
            let own = *param as usize;
            match self.links.before(own) {
                Some(result) if self.block > 0 => {
                    let made = |(of, atom, _): &&(usize, u32, ValueId)| {
                        (*of, *atom) == (result, index.base)
                    };
                    let value = before.iter().find(made).expect("every atom is stored").2;
                    self.names[instr.results[0].index()] = value;
                    return;
                }
                Some(_) => {}
                None => {
                    op = Op::Load(*param, self.moved(*index, self.func.params[own].count()));
                }
            }
        }
        let args = instr.args.iter().map(|arg| self.name(*arg)).collect();
        if self.block > 0 {
            for result in &instr.results {
                let ty = self.func.ty(*result);
                self.names[result.index()] = self.func.value(ty);
            }
        }
        let results = instr.results.iter().map(|result| self.name(*result)).collect();
        self.func.body.push(Stmt::Let(Instr { results, op, args, span: instr.span }));
    }

    fn name(&self, value: ValueId) -> ValueId {
        self.names[value.index()]
    }

    /// The same atom of the block at hand.
    fn moved(&self, index: Index, count: u32) -> Index {
        Index { base: index.base + self.block * count, ..index }
    }
}
