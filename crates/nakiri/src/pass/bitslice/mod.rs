//! Flattens every atom of M bits to M atoms of one bit, most significant first.
//!
//! Needs: a monomorphic program in direction `B`. Guarantees: every value has one bit; shifts, shuffles and packing
//! have become names; word lookups are tables; sums are gates.

mod arith;
mod positions;

pub use positions::is_alike;

use crate::core::{
    interp, Carried, ConstantsId, Direction, Func, Index, Instr, Loop, Op, Port, Program, Stmt,
    Type, ValueId,
};
use crate::pass::roll::Unroll;
use crate::pass::weight::weight;
use crate::source::Span;

/// The one type of a bitsliced program.
pub const BIT: Type =
    Type { dir: crate::core::Dir::Fixed(Direction::B), width: crate::core::Width::Bits(1) };

/// Flattens the whole program.
pub fn run(program: &mut Program, unroll: Unroll) {
    let constants = std::mem::take(&mut program.constants);
    let mut bit_constants = BitConstants { lists: Vec::new(), source: constants };
    let entry = program.entry.index();
    for (number, func) in program.funcs.iter_mut().enumerate() {
        let weight: usize = func.body.iter().map(|stmt| weight(stmt, func)).sum();
        let alike = number != entry && is_alike(func);
        let times = unroll.turn(None, weight).filter(|_| alike);
        let looped = times.and_then(|times| positions::looped(func, times));
        *func = looped.unwrap_or_else(|| Flattener::new(func, &mut bit_constants).run());
    }
    program.constants = bit_constants.lists;
}

/// One list of bits for each bit of a list of words.
struct BitConstants {
    source: Vec<Vec<u128>>,
    lists: Vec<Vec<u128>>,
}

impl BitConstants {
    /// The bit `n` (0 = least significant) of each entry of a list.
    fn bit(&mut self, id: ConstantsId, n: u16) -> ConstantsId {
        let bits: Vec<u128> = self.source[id.index()].iter().map(|c| (c >> n) & 1).collect();
        let at = self.lists.iter().position(|list| *list == bits).unwrap_or_else(|| {
            self.lists.push(bits);
            self.lists.len() - 1
        });
        ConstantsId(at as u32)
    }
}

struct Flattener<'a> {
    source: &'a Func,
    /// The bits of each value of the source, most significant first, once it is defined.
    bits: Vec<Vec<ValueId>>,
    constants: &'a mut BitConstants,
    build: Builder,
}

/// Appends one-bit instructions.
struct Builder {
    values: Vec<Type>,
    out: Vec<Stmt>,
    span: Span,
}

impl Builder {
    fn value(&mut self) -> ValueId {
        self.values.push(BIT);
        ValueId(self.values.len() as u32 - 1)
    }

    fn emit(&mut self, op: Op, args: &[ValueId]) -> ValueId {
        let result = self.value();
        self.emit_to(op, args, &[result]);
        result
    }

    fn emit_to(&mut self, op: Op, args: &[ValueId], results: &[ValueId]) {
        self.out.push(Stmt::Let(Instr {
            results: results.iter().copied().collect(),
            op,
            args: args.iter().copied().collect(),
            span: self.span,
        }));
    }
}

impl<'a> Flattener<'a> {
    fn new(source: &'a Func, constants: &'a mut BitConstants) -> Self {
        Flattener {
            source,
            bits: vec![Vec::new(); source.values.len()],
            constants,
            build: Builder { values: Vec::new(), out: Vec::new(), span: source.span },
        }
    }

    fn run(mut self) -> Func {
        self.stmts(&self.source.body);
        Func {
            params: self.source.params.iter().map(flat_port).collect(),
            results: self.source.results.iter().map(flat_port).collect(),
            resets: flat_resets(self.source),
            values: self.build.values,
            body: self.build.out,
            ..self.source.clone()
        }
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            match stmt {
                Stmt::Let(instr) => self.instr(instr),
                Stmt::Store { result, index, value, span } => {
                    let width = self.source.ty(*value).bits();
                    for (i, &bit) in self.bits[value.index()].iter().enumerate() {
                        let index = flat_index(*index, width, i);
                        let (result, value, span) = (*result, bit, *span);
                        self.build.out.push(Stmt::Store { result, index, value, span });
                    }
                }
                Stmt::Loop(l) => self.repeat(l),
                Stmt::Forall(_) => unreachable!("foralls are rolled or unrolled before slicing"),
            }
        }
    }

    fn repeat(&mut self, l: &Loop) {
        let mut carried = Vec::new();
        for c in &l.carried {
            let inside: Vec<_> =
                self.bits[c.init.index()].iter().map(|_| self.build.value()).collect();
            self.bits[c.inside.index()].clone_from(&inside);
            let result: Vec<_> = inside.iter().map(|_| self.build.value()).collect();
            self.bits[c.result.index()] = result;
        }
        let outer = std::mem::take(&mut self.build.out);
        self.stmts(&l.body);
        let body = std::mem::replace(&mut self.build.out, outer);
        for c in &l.carried {
            let bits = |v: ValueId| &self.bits[v.index()];
            for i in 0..bits(c.init).len() {
                carried.push(Carried {
                    init: bits(c.init)[i],
                    inside: bits(c.inside)[i],
                    next: bits(c.next)[i],
                    result: bits(c.result)[i],
                });
            }
        }
        self.build.out.push(Stmt::Loop(Loop { carried, body, ..*l }));
    }

    fn instr(&mut self, instr: &Instr) {
        self.build.span = instr.span;
        let args: Vec<Vec<ValueId>> =
            instr.args.iter().map(|a| self.bits[a.index()].clone()).collect();
        let results = match &instr.op {
            Op::Call(..) => {
                let count = |&r: &ValueId| usize::from(self.source.ty(r).bits());
                let counts: Vec<usize> = instr.results.iter().map(count).collect();
                let results = self.multiple(&instr.op, &args.concat(), &counts);
                for (&r, bits) in instr.results.iter().zip(results) {
                    self.bits[r.index()] = bits;
                }
                return;
            }
            Op::Table(_) => {
                self.table(instr, &args);
                return;
            }
            op => {
                let width = self.source.ty(instr.results[0]).bits();
                self.single(op, width, &args)
            }
        };
        self.bits[instr.results[0].index()] = results;
    }

    /// One instruction with several results, cut into lists of these lengths.
    fn multiple(&mut self, op: &Op, args: &[ValueId], counts: &[usize]) -> Vec<Vec<ValueId>> {
        let lists: Vec<Vec<ValueId>> =
            counts.iter().map(|&n| (0..n).map(|_| self.build.value()).collect()).collect();
        self.build.emit_to(op.clone(), args, &lists.concat());
        lists
    }

    /// A table at each bit position.
    fn table(&mut self, instr: &Instr, args: &[Vec<ValueId>]) {
        let width = args[0].len();
        for position in 0..width {
            let inputs: Vec<ValueId> = args.iter().map(|bits| bits[position]).collect();
            let outputs = self.multiple(&instr.op, &inputs, &[instr.results.len()]).concat();
            for (&result, output) in instr.results.iter().zip(outputs) {
                self.bits[result.index()].push(output);
            }
        }
    }

    /// An operation with one result, of `width` bits.
    fn single(&mut self, op: &Op, width: u16, args: &[Vec<ValueId>]) -> Vec<ValueId> {
        let m = usize::from(width);
        let significance = (0..width).rev();
        match op {
            Op::Const(c) => {
                significance.map(|n| self.build.emit(Op::Const((c >> n) & 1), &[])).collect()
            }
            Op::Constants(id, index) => significance
                .map(|n| {
                    let list = self.constants.bit(*id, n);
                    self.build.emit(Op::Constants(list, *index), &[])
                })
                .collect(),
            Op::Load(param, index) => (0..m)
                .map(|i| self.build.emit(Op::Load(*param, flat_index(*index, width, i)), &[]))
                .collect(),
            Op::Shl(n) => {
                let fill = (0..*n).map(|_| self.build.emit(Op::Const(0), &[]));
                args[0][usize::from(*n)..].iter().copied().chain(fill).collect()
            }
            Op::Shr(n) => {
                let n = usize::from(*n);
                let fill: Vec<_> = (0..n).map(|_| self.build.emit(Op::Const(0), &[])).collect();
                fill.into_iter().chain(args[0][..m - n].iter().copied()).collect()
            }
            Op::Sar(n) => {
                let n = usize::from(*n);
                let sign = std::iter::repeat_n(args[0][0], n);
                sign.chain(args[0][..m - n].iter().copied()).collect()
            }
            Op::Rotl(n) => (0..m).map(|i| args[0][(i + usize::from(*n)) % m]).collect(),
            Op::Shuffle(picks) => picks
                .iter()
                .map(|pick| match pick {
                    Some(p) => args[0][usize::from(*p)],
                    None => self.build.emit(Op::Const(0), &[]),
                })
                .collect(),
            Op::Bitmask(n) => vec![args[0][m - 1 - usize::from(*n)]; m],
            Op::Pack => args.concat(),
            Op::Low => args[0][m..].to_vec(),
            Op::Lookup(table) => self.multiple(&Op::Table(*table), &args[0], &[m]).concat(),
            Op::Add => arith::add(&mut self.build, &args[0], &args[1]),
            Op::Sub => arith::sub(&mut self.build, &args[0], &args[1]),
            Op::Mul => arith::mul(&mut self.build, &args[0], &args[1]),
            op => (0..m)
                .map(|i| {
                    let args: Vec<ValueId> = args.iter().map(|bits| bits[i]).collect();
                    self.build.emit(op.clone(), &args)
                })
                .collect(),
        }
    }
}

fn flat_index(index: Index, width: u16, bit: usize) -> Index {
    Index { base: index.base * u32::from(width) + bit as u32, step: index.step * i32::from(width) }
}

fn flat_resets(func: &Func) -> Vec<Vec<u128>> {
    let registers = func.registers().iter().zip(&func.resets);
    registers.map(|(port, reset)| interp::to_bits(reset, port.ty.bits())).collect()
}

fn flat_port(port: &Port) -> Port {
    let bits = port.ty.bits();
    let mut shape = port.shape.clone();
    if bits > 1 {
        shape.push(u32::from(bits));
    }
    Port { ty: BIT, shape, ..port.clone() }
}
