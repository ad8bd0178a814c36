//! The walk of a program on one block, whatever its values are: numbers for the interpreter, gates of a network for
//! proofs.

use super::{Field, Func, FuncId, Instr, Loop, Op, Port, Program, Stmt, ValueId, Width};
use crate::source::Span;
use smallvec::SmallVec;

/// What a program computes with, and what its operations do to it.
pub trait Domain {
    /// An atom, or a row of them.
    type Value: Copy;

    /// The value that stands for a number: an element of a list of constants.
    fn constant(&mut self, number: u128) -> Self::Value;

    /// Appends the results of an operation; loads, lists of constants and calls are the walk's.
    fn apply(&mut self, operation: &Operation<Self::Value>, results: &mut Vec<Self::Value>);
}

/// An operation with its arguments.
pub struct Operation<'a, V> {
    /// The program whose tables the operation may name.
    pub program: &'a Program,
    /// What is done.
    pub op: &'a Op,
    /// The word size of the last argument, or of the result of an operation without any, in bits.
    pub width: u16,
    /// How many words of that size the value has: more than one in a row, none in an element of a field.
    pub count: u16,
    /// The field of an element that is among the arguments or results.
    pub field: Option<&'a Field>,
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
    let zero = domain.constant(0);
    let places: Vec<Places> = program.funcs.iter().map(Places::of).collect();
    let (stack, args, results) = (inputs.concat(), Vec::new(), Vec::new());
    let mut walk = Walk { domain, program, places: &places, zero, stack, args, results };
    walk.call(func, 0, widths);
    let (places, ports) = (&places[func.index()], &program.funcs[func.index()].results);
    let atoms =
        |(port, &start): (&Port, &usize)| walk.stack[start..start + port.count() as usize].to_vec();
    ports.iter().zip(&places.results).map(atoms).collect()
}

/// Where the values of a call of a function lie, from its first parameter on.
struct Places {
    params: SmallVec<[usize; 8]>,
    results: SmallVec<[usize; 4]>,
    values: usize,
    end: usize,
}

impl Places {
    fn of(func: &Func) -> Places {
        let mut end = 0;
        let mut place = |port: &Port| {
            let start = end;
            end += port.count() as usize;
            start
        };
        let params = func.params.iter().map(&mut place).collect();
        let results = func.results.iter().map(&mut place).collect();
        Places { params, results, values: end, end: end + func.values.len() }
    }
}

/// A walk: the values of all calls that are under way, one call behind the other.
struct Walk<'a, D: Domain> {
    domain: &'a mut D,
    program: &'a Program,
    /// For each function.
    places: &'a [Places],
    zero: D::Value,
    stack: Vec<D::Value>,
    /// Those of the operation at hand.
    args: Vec<D::Value>,
    results: Vec<D::Value>,
}

/// One call of a function.
#[derive(Clone, Copy)]
struct Frame<'a> {
    func: &'a Func,
    places: &'a Places,
    widths: &'a [u16],
    /// Where its values begin.
    base: usize,
}

impl Frame<'_> {
    fn place(&self, value: ValueId) -> usize {
        self.base + self.places.values + value.index()
    }

    /// The word size in bits, and how many words there are.
    fn word(&self, width: Width) -> (u16, u16) {
        match width {
            Width::Bits(bits) => (bits, 1),
            Width::Row(bits, count) => (bits, count),
            Width::Field(_) => (0, 0),
            Width::Param(i) => (self.widths[usize::from(i)], 1),
        }
    }
}

impl<'a, D: Domain> Walk<'a, D> {
    /// Runs a function whose parameters lie from `base` on, where the stack ends behind them.
    fn call(&mut self, func: FuncId, base: usize, widths: &[u16]) {
        let (program, places): (&'a Program, &'a [Places]) = (self.program, self.places);
        let (func, places) = (&program.funcs[func.index()], &places[func.index()]);
        self.stack.resize(base + places.end, self.zero);
        self.stmts(&func.body, 0, Frame { func, places, widths, base });
    }

    fn stmts(&mut self, stmts: &[Stmt], iteration: u32, frame: Frame) {
        for stmt in stmts {
            match stmt {
                Stmt::Let(instr) => self.instr(instr, iteration, frame),
                Stmt::Store { result, index, value, .. } => {
                    let start = frame.base + frame.places.results[*result as usize];
                    self.stack[start + index.at(iteration) as usize] =
                        self.stack[frame.place(*value)];
                }
                Stmt::Forall(forall) => {
                    for body in &forall.iterations {
                        self.stmts(body, iteration, frame);
                    }
                }
                Stmt::Loop(l) => self.counted(l, frame),
            }
        }
    }

    fn counted(&mut self, l: &Loop, frame: Frame) {
        let value = |walk: &Self, value| walk.stack[frame.place(value)];
        let mut carried: Vec<D::Value> = l.carried.iter().map(|c| value(self, c.init)).collect();
        for iteration in 0..l.count {
            for (c, value) in l.carried.iter().zip(&carried) {
                self.stack[frame.place(c.inside)] = *value;
            }
            self.stmts(&l.body, iteration, frame);
            for (c, next) in l.carried.iter().zip(&mut carried) {
                *next = value(self, c.next);
            }
        }
        for (c, value) in l.carried.iter().zip(carried) {
            self.stack[frame.place(c.result)] = value;
        }
    }

    fn instr(&mut self, instr: &Instr, iteration: u32, frame: Frame) {
        match &instr.op {
            Op::Constants(list, index) => {
                let list = &self.program.constants[list.index()];
                let value = self.domain.constant(list[index.at(iteration) as usize]);
                self.stack[frame.place(instr.results[0])] = value;
            }
            Op::Load(param, index) => {
                let start = frame.base + frame.places.params[*param as usize];
                self.stack[frame.place(instr.results[0])] =
                    self.stack[start + index.at(iteration) as usize];
            }
            Op::Call(callee, _, widths) => {
                let widths: SmallVec<[u16; 4]> =
                    widths.iter().map(|&width| frame.word(width).0).collect();
                let base = self.stack.len();
                for arg in &instr.args {
                    self.stack.push(self.stack[frame.place(*arg)]);
                }
                self.call(*callee, base, &widths);
                for (k, result) in instr.results.iter().enumerate() {
                    self.stack[frame.place(*result)] = self.stack[base + instr.args.len() + k];
                }
                self.stack.truncate(base);
            }
            op => self.operation(op, instr, frame),
        }
    }

    fn operation(&mut self, op: &Op, instr: &Instr, frame: Frame) {
        let Walk { domain, program, stack, args, results, .. } = self;
        args.clear();
        args.extend(instr.args.iter().map(|arg| stack[frame.place(*arg)]));
        let operand = *instr.args.last().unwrap_or(&instr.results[0]);
        let (width, count) = frame.word(frame.func.ty(operand).width);
        let (span, results_len) = (instr.span, instr.results.len());
        let mut values = instr.results.first().into_iter().chain(instr.args.last());
        let field = values.find_map(|value| match frame.func.ty(*value).width {
            Width::Field(field) => Some(&program.fields[field.index()]),
            _ => None,
        });
        let operation =
            Operation { program, op, width, count, field, args, results: results_len, span };
        results.clear();
        domain.apply(&operation, results);
        for (result, value) in instr.results.iter().zip(results) {
            stack[frame.place(*result)] = *value;
        }
    }
}
