//! The walk of a program on one block, whatever its values are: numbers for the interpreter, gates of a network for
//! proofs.

use super::{Func, FuncId, Instr, Loop, Op, Program, Stmt, Width};
use crate::source::Span;
use smallvec::SmallVec;

/// What a program computes with, and what its operations do to it.
pub trait Domain {
    /// An atom, or a row of them.
    type Value: Copy;

    /// The value that stands for a number: an element of a list of constants.
    fn constant(&mut self, number: u128) -> Self::Value;

    /// The results of an operation; loads, lists of constants and calls are the walk's.
    fn apply(&mut self, operation: &Operation<Self::Value>) -> SmallVec<[Self::Value; 1]>;
}

/// An operation with its arguments.
pub struct Operation<'a, V> {
    /// The program whose tables the operation may name.
    pub program: &'a Program,
    /// What is done.
    pub op: &'a Op,
    /// The word size of the last argument, or of the result of an operation without any, in bits.
    pub width: u16,
    /// How many words of that size the value has: more than one in a row.
    pub count: u16,
    /// The arguments.
    pub args: &'a [V],
    /// How many results there are.
    pub results: usize,
    /// Its place in the source.
    pub span: Span,
}

/// Runs a function on one block: for each result its atoms in order, from those of each parameter. `widths` are the word
/// sizes for which its own stand.
///
/// The program is well formed ([`super::verify::verify`]).
pub fn call<D: Domain>(
    domain: &mut D,
    program: &Program,
    func: FuncId,
    inputs: &[Vec<D::Value>],
    widths: &[u16],
) -> Vec<Vec<D::Value>> {
    let func = &program.funcs[func.index()];
    let zero = domain.constant(0);
    let values = vec![zero; func.values.len()];
    let outputs = func.results.iter().map(|port| vec![zero; port.count() as usize]).collect();
    let mut frame = Frame { domain, program, func, widths, inputs, values, outputs };
    frame.stmts(&func.body, 0);
    frame.outputs
}

/// One call of a function.
struct Frame<'a, D: Domain> {
    domain: &'a mut D,
    program: &'a Program,
    func: &'a Func,
    widths: &'a [u16],
    inputs: &'a [Vec<D::Value>],
    values: Vec<D::Value>,
    outputs: Vec<Vec<D::Value>>,
}

impl<D: Domain> Frame<'_, D> {
    fn stmts(&mut self, stmts: &[Stmt], iteration: u32) {
        for stmt in stmts {
            match stmt {
                Stmt::Let(instr) => self.instr(instr, iteration),
                Stmt::Store { result, index, value, .. } => {
                    let value = self.values[value.index()];
                    self.outputs[*result as usize][index.at(iteration) as usize] = value;
                }
                Stmt::Forall(forall) => {
                    forall.iterations.iter().for_each(|body| self.stmts(body, iteration));
                }
                Stmt::Loop(l) => self.counted(l),
            }
        }
    }

    fn counted(&mut self, l: &Loop) {
        let mut carried: Vec<D::Value> =
            l.carried.iter().map(|c| self.values[c.init.index()]).collect();
        for iteration in 0..l.count {
            for (c, value) in l.carried.iter().zip(&carried) {
                self.values[c.inside.index()] = *value;
            }
            self.stmts(&l.body, iteration);
            for (c, value) in l.carried.iter().zip(&mut carried) {
                *value = self.values[c.next.index()];
            }
        }
        for (c, value) in l.carried.iter().zip(carried) {
            self.values[c.result.index()] = value;
        }
    }

    fn instr(&mut self, instr: &Instr, iteration: u32) {
        let args: SmallVec<[D::Value; 8]> =
            instr.args.iter().map(|arg| self.values[arg.index()]).collect();
        match &instr.op {
            Op::Constants(list, index) => {
                let list = &self.program.constants[list.index()];
                let value = self.domain.constant(list[index.at(iteration) as usize]);
                self.define(instr, [value]);
            }
            Op::Load(param, index) => {
                let input = &self.inputs[*param as usize];
                self.define(instr, [input[index.at(iteration) as usize]]);
            }
            Op::Call(callee, _, widths) => {
                let widths: Vec<_> = widths.iter().map(|&width| self.word(width).0).collect();
                let inputs = self.inputs_of(*callee, &args);
                let results = call(self.domain, self.program, *callee, &inputs, &widths);
                self.define(instr, results.concat());
            }
            op => {
                let operand = *instr.args.last().unwrap_or(&instr.results[0]);
                let (width, count) = self.word(self.func.ty(operand).width);
                let (program, results) = (self.program, instr.results.len());
                let results = self.domain.apply(&Operation {
                    program,
                    op,
                    width,
                    count,
                    args: &args,
                    results,
                    span: instr.span,
                });
                self.define(instr, results);
            }
        }
    }

    /// The arguments of a call, one list a parameter.
    fn inputs_of(&self, callee: FuncId, mut args: &[D::Value]) -> Vec<Vec<D::Value>> {
        let params = self.program.funcs[callee.index()].params.iter();
        params
            .map(|port| {
                let (input, rest) = args.split_at(port.count() as usize);
                args = rest;
                input.to_vec()
            })
            .collect()
    }

    fn define(&mut self, instr: &Instr, values: impl IntoIterator<Item = D::Value>) {
        for (result, value) in instr.results.iter().zip(values) {
            self.values[result.index()] = value;
        }
    }

    /// The word size in bits, and how many words there are.
    fn word(&self, width: Width) -> (u16, u16) {
        match width {
            Width::Bits(bits) => (bits, 1),
            Width::Row(bits, count) => (bits, count),
            Width::Param(i) => (self.widths[usize::from(i)], 1),
        }
    }
}
