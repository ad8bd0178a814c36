//! The meaning of a program on one block.

use super::{
    semantics, Direction, Func, FuncId, Instr, Loop, Op, Port, Program, Stmt, Type, ValueId, Width,
};
use smallvec::SmallVec;

/// Runs the entry on one block and gives its outputs: for each result its atoms in order, like the inputs for
/// each parameter. Registers are among both; [`Machine`] keeps them from tick to tick.
///
/// The program is well formed ([`super::verify::verify`]) and the entry has no word-size parameters; functions that it
/// calls may have some. There is an atom, less than 2^M, for each atom of each parameter. Directions mean nothing
/// here: a program sliced to bits is run on one-bit atoms, a packed one on rows ([`slice`]).
pub fn run(program: &Program, inputs: &[Vec<u128>]) -> Vec<Vec<u128>> {
    call(program, program.entry, inputs, &[])
}

/// A program with its registers: one instance of the hardware that it describes. A program without registers is one
/// too, that forgets everything.
#[derive(Clone, Debug)]
pub struct Machine<'a> {
    program: &'a Program,
    registers: Vec<Vec<u128>>,
}

impl<'a> Machine<'a> {
    /// The machine after a reset; the program is as [`run`] takes it.
    pub fn new(program: &'a Program) -> Machine<'a> {
        Machine { program, registers: program.entry().resets.clone() }
    }

    /// One tick: the atoms of each output for those of each input. The registers take their next values.
    pub fn step(&mut self, inputs: &[Vec<u128>]) -> Vec<Vec<u128>> {
        let mut results = run(self.program, &[inputs, &self.registers].concat());
        self.registers = results.split_off(self.program.entry().outputs().len());
        results
    }

    /// The atoms of each register, as they are before the next tick.
    pub fn registers(&self) -> &[Vec<u128>] {
        &self.registers
    }
}

/// The one-bit atoms that stand for atoms of `width` bits in a program sliced to bits: for each atom its bits, most
/// significant first.
pub fn to_bits(atoms: &[u128], width: u16) -> Vec<u128> {
    atoms.iter().flat_map(|atom| (0..width).rev().map(move |bit| atom >> bit & 1)).collect()
}

/// The atoms of `width` bits for which one-bit atoms stand: the inverse of [`to_bits`].
pub fn from_bits(bits: &[u128], width: u16) -> Vec<u128> {
    bits.chunks(width.into()).map(|atom| atom.iter().fold(0, |sum, bit| sum << 1 | bit)).collect()
}

/// The values of a sliced port that stand for the atoms of the declared one: bits under B, rows under P.
pub fn slice(atoms: &[u128], declared: Type, sliced: Type) -> Vec<u128> {
    match sliced.direction() {
        _ if sliced == declared => atoms.to_vec(),
        Direction::B => to_bits(atoms, declared.bits()),
        _ => {
            let rows = atoms.chunks(sliced.row_length().into());
            rows.map(|row| semantics::pack(row, sliced.word())).collect()
        }
    }
}

/// The atoms that values of a sliced port stand for: the inverse of [`slice`].
pub fn join(values: &[u128], declared: Type, sliced: Type) -> Vec<u128> {
    match sliced.direction() {
        _ if sliced == declared => values.to_vec(),
        Direction::B => from_bits(values, declared.bits()),
        _ => {
            let atoms = |&row| semantics::unpack(row, sliced.word(), sliced.row_length());
            values.iter().flat_map(atoms).collect()
        }
    }
}

/// One call of a function.
struct Frame<'a> {
    program: &'a Program,
    func: &'a Func,
    /// The word sizes for which the function's parameters stand.
    widths: &'a [u16],
    inputs: &'a [Vec<u128>],
    values: Vec<u128>,
    outputs: Vec<Vec<u128>>,
}

fn call(program: &Program, func: FuncId, inputs: &[Vec<u128>], widths: &[u16]) -> Vec<Vec<u128>> {
    let func = &program.funcs[func.index()];
    let zeros = |port: &Port| vec![0; port.count() as usize];
    let mut frame = Frame {
        program,
        func,
        widths,
        inputs,
        values: vec![0; func.values.len()],
        outputs: func.results.iter().map(zeros).collect(),
    };
    frame.stmts(&func.body, 0);
    frame.outputs
}

impl Frame<'_> {
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
        let mut carried: Vec<u128> =
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
        let args: SmallVec<[u128; 8]> =
            instr.args.iter().map(|arg| self.values[arg.index()]).collect();
        match &instr.op {
            Op::Constants(list, index) => {
                let list = &self.program.constants[list.index()];
                self.define(instr, [list[index.at(iteration) as usize]]);
            }
            Op::Load(param, index) => {
                let input = &self.inputs[*param as usize];
                self.define(instr, [input[index.at(iteration) as usize]]);
            }
            Op::Table(table) => {
                let table = &self.program.tables[table.index()];
                let width = self.width(instr.results[0]);
                self.define(instr, semantics::table(table, width, &args));
            }
            Op::Lookup(table) => {
                let entries = &self.program.tables[table.index()].entries;
                self.define(instr, [entries[args[0] as usize]]);
            }
            Op::Call(callee, _, widths) => {
                let widths: Vec<_> = widths.iter().map(|&width| self.bits(width)).collect();
                let inputs = self.inputs_of(*callee, &args);
                self.define(instr, call(self.program, *callee, &inputs, &widths).concat());
            }
            op => {
                let operand = *instr.args.last().unwrap_or(&instr.results[0]);
                let (width, count) = match self.func.ty(operand).width {
                    Width::Row(bits, count) => (bits, count),
                    width => (self.bits(width), 1),
                };
                self.define(instr, semantics::eval_row(op, width, count, &args));
            }
        }
    }

    /// The arguments of a call, one list a parameter.
    fn inputs_of(&self, callee: FuncId, mut args: &[u128]) -> Vec<Vec<u128>> {
        let params = self.program.funcs[callee.index()].params.iter();
        params
            .map(|port| {
                let (input, rest) = args.split_at(port.count() as usize);
                args = rest;
                input.to_vec()
            })
            .collect()
    }

    fn define(&mut self, instr: &Instr, values: impl IntoIterator<Item = u128>) {
        for (result, value) in instr.results.iter().zip(values) {
            self.values[result.index()] = value;
        }
    }

    fn width(&self, value: ValueId) -> u16 {
        self.bits(self.func.ty(value).width)
    }

    fn bits(&self, width: Width) -> u16 {
        match width {
            Width::Bits(bits) => bits,
            Width::Row(bits, count) => bits * count,
            Width::Param(i) => self.widths[usize::from(i)],
        }
    }
}
