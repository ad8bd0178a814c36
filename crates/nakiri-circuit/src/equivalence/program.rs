//! A program of one-bit atoms as a network: the interpreter with literals in place of bits.

use nakiri::core::{semantics, FuncId, Instr, Loop, Op, Port, Program, Stmt};
use nakiri::map::{self, Literal, Network};

/// The literals of each port, atom by atom.
pub type Symbols = Vec<Vec<Literal>>;

/// A new leaf for each atom of each port.
pub fn leaves(ports: &[Port], network: &mut Network) -> Symbols {
    ports.iter().map(|port| (0..port.count()).map(|_| network.leaf()).collect()).collect()
}

/// What the entry computes: for each result the literals of its atoms, from those of the parameters. Gates are added to the
/// network. Registers are parameters and results.
///
/// The program is sliced to bits and verified; all values have one bit.
pub fn symbols(program: &Program, inputs: &[Vec<Literal>], network: &mut Network) -> Symbols {
    call(program, program.entry, inputs, network)
}

struct Frame<'a> {
    program: &'a Program,
    inputs: &'a [Vec<Literal>],
    values: Vec<Literal>,
    outputs: Symbols,
    network: &'a mut Network,
}

fn call(
    program: &Program,
    func: FuncId,
    inputs: &[Vec<Literal>],
    network: &mut Network,
) -> Symbols {
    let func = &program.funcs[func.index()];
    let values = vec![Literal::FALSE; func.values.len()];
    let outputs =
        func.results.iter().map(|port| vec![Literal::FALSE; port.count() as usize]).collect();
    let mut frame = Frame { program, inputs, values, outputs, network };
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
        let mut carried: Vec<Literal> =
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
        let args: Vec<Literal> = instr.args.iter().map(|arg| self.values[arg.index()]).collect();
        let constant = |bit: u128| Literal::FALSE.invert_if(bit == 1);
        match &instr.op {
            Op::Const(bit) => self.define(instr, [constant(*bit)]),
            Op::Constants(list, index) => {
                let list = &self.program.constants[list.index()];
                self.define(instr, [constant(list[index.at(iteration) as usize])]);
            }
            Op::Load(param, index) => {
                let literal = self.inputs[*param as usize][index.at(iteration) as usize];
                self.define(instr, [literal]);
            }
            Op::Call(callee, ..) => {
                let params = &self.program.funcs[callee.index()].params;
                let mut rest = &args[..];
                let inputs: Symbols = params
                    .iter()
                    .map(|port| {
                        let (input, behind) = rest.split_at(port.count() as usize);
                        rest = behind;
                        input.to_vec()
                    })
                    .collect();
                let results = call(self.program, *callee, &inputs, self.network);
                self.define(instr, results.concat());
            }
            op => {
                for (place, result) in instr.results.iter().enumerate() {
                    let bit = |row: u32| bit_of(self.program, op, row, args.len(), place);
                    self.values[result.index()] = function(self.network, &args, &bit, 0);
                }
            }
        }
    }

    fn define(&mut self, instr: &Instr, values: impl IntoIterator<Item = Literal>) {
        for (result, value) in instr.results.iter().zip(values) {
            self.values[result.index()] = value;
        }
    }
}

/// The meaning of an operation on bits: the result numbered `place` where argument k is bit k of `row`.
fn bit_of(program: &Program, op: &Op, row: u32, arity: usize, place: usize) -> bool {
    let args: Vec<u128> = (0..arity).map(|k| u128::from(row >> k & 1)).collect();
    let value = match op {
        Op::Table(table) => semantics::table(&program.tables[table.index()], 1, &args)[place],
        op => semantics::eval(op, 1, &args).expect("an operation on bits"),
    };
    value & 1 == 1
}

/// A function of any number of literals, whose value where literal k is bit k of `i` is `bit(row | i << k)`: a tree of
/// multiplexers over functions of three.
pub(super) fn function(
    network: &mut Network,
    literals: &[Literal],
    bit: &dyn Fn(u32) -> bool,
    row: u32,
) -> Literal {
    if let [below @ .., select] = literals {
        if below.len() >= map::inputs().len() {
            let zero = function(network, below, bit, row);
            let one = function(network, below, bit, row | 1 << below.len());
            let [when, other, chosen] = map::inputs();
            return network.gate(&[*select, zero, one], !when & other | when & chosen);
        }
    }
    let rows = 1u32 << map::inputs().len();
    let known = (1u32 << literals.len()) - 1;
    let table = (0..rows).map(|i| u8::from(bit(row | i & known)) << i).sum();
    network.gate(literals, table)
}
