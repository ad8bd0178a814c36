//! Tables of bytes, where a target has instructions that apply them.
//!
//! Such an instruction does as much as many others, if the table fits it: what is computed of one byte and constants alone
//! becomes a table of that byte, if that is less work. So a multiplication in a field of bytes becomes one linear map.
//! Guarantees: nothing changes on targets without that operation.

use super::dead;
use crate::core::{semantics, Func, Instr, Op, OpKind, Program, Stmt, Table, Type, ValueId};
use crate::target::Target;
use smallvec::smallvec;

/// Makes lookups by bytes operations that need no table of the program.
pub fn lookups(program: &mut Program) {
    for func in &mut program.funcs {
        func.body.iter_mut().for_each(|stmt| substitute(stmt, &program.tables));
    }
}

fn substitute(stmt: &mut Stmt, tables: &[Table]) {
    match stmt {
        Stmt::Let(instr) => {
            let Op::Lookup(id) = instr.op else { return };
            let table = &tables[id.index()];
            if (table.inputs, table.outputs) == (8, 8) {
                instr.op = Op::Substitute(bytes(|x| Some(table.entries[x] as u8)).expect("all"));
            }
        }
        Stmt::Loop(l) => l.body.iter_mut().for_each(|stmt| substitute(stmt, tables)),
        Stmt::Forall(forall) => {
            let stmts = forall.iterations.iter_mut().flatten();
            stmts.for_each(|stmt| substitute(stmt, tables));
        }
        Stmt::Store { .. } => {}
    }
}

/// Joins what can be joined in the whole program.
pub fn run(program: &mut Program, target: &Target) {
    if target.rows().all(|row| row.op != OpKind::Substitute) {
        return;
    }
    for func in &mut program.funcs {
        let mut uses = vec![0; func.values.len()];
        func.body.iter().for_each(|stmt| stmt.uses(&mut |value| uses[value.index()] += 1));
        let mut body = std::mem::take(&mut func.body);
        let constants = vec![None; func.values.len()];
        Joiner { func, target, uses, constants }.stmts(&mut body);
        func.body = body;
        dead::run(func);
    }
}

type Bytes = Box<[u8; 256]>;

/// The table of a function, if it has a value everywhere.
fn bytes(f: impl Fn(usize) -> Option<u8>) -> Option<Bytes> {
    let all: Option<Vec<u8>> = (0..256).map(f).collect();
    all?.try_into().ok()
}

/// What a value is of another one.
#[derive(Clone)]
struct Function {
    of: ValueId,
    table: Bytes,
}

/// How many of the values are kept that a value is a function of.
const FUNCTIONS: usize = 4;

struct Joiner<'a> {
    func: &'a Func,
    target: &'a Target,
    /// How often each value is read.
    uses: Vec<u32>,
    /// The values that are constants.
    constants: Vec<Option<u128>>,
}

impl Joiner<'_> {
    /// Joins within straight-line code: what a loop reads from outside isn't computed in each iteration.
    fn stmts(&mut self, body: &mut [Stmt]) {
        // For each value its statement, and the values that it is a function of.
        let mut places = vec![None; self.func.values.len()];
        let mut functions: Vec<Vec<Function>> = vec![Vec::new(); self.func.values.len()];
        for (place, stmt) in body.iter_mut().enumerate() {
            match stmt {
                Stmt::Let(instr) => {
                    if let [result] = instr.results[..] {
                        functions[result.index()] = self.functions(instr, &functions);
                        places[result.index()] = Some(place);
                    }
                }
                Stmt::Loop(l) => self.stmts(&mut l.body),
                Stmt::Store { .. } | Stmt::Forall(_) => {}
            }
        }
        for place in (0..body.len()).rev() {
            let Stmt::Let(Instr { results, .. }) = &body[place] else { continue };
            let [result] = results[..] else { continue };
            if self.uses[result.index()] == 0 {
                continue;
            }
            let functions = std::mem::take(&mut functions[result.index()]);
            let gain = |joiner: &mut Self, function: &Function| {
                let (old, read) = joiner.cone(body, &places, place, function.of);
                read.iter().for_each(|value| joiner.uses[value.index()] += 1);
                let new =
                    joiner.work(&Op::Substitute(function.table.clone()), joiner.func.ty(result));
                old.checked_sub(new).filter(|gain| *gain > 0)
            };
            let gains = functions.iter().map(|function| gain(self, function));
            let best = gains.enumerate().filter_map(|(k, gain)| Some((gain?, k))).max();
            let Some((_, best)) = best else { continue };
            let Function { of, table } = functions[best].clone();
            self.cone(body, &places, place, of);
            self.uses[of.index()] += 1;
            if let Stmt::Let(instr) = &mut body[place] {
                (instr.op, instr.args) = (Op::Substitute(table), smallvec![of]);
            }
        }
    }

    /// The values that a statement's result is a function of, the nearest first.
    fn functions(&mut self, instr: &Instr, functions: &[Vec<Function>]) -> Vec<Function> {
        let ty = self.func.ty(instr.results[0]);
        if let Op::Const(value) = instr.op {
            self.constants[instr.results[0].index()] = byte(value, ty);
            return Vec::new();
        }
        let constant = |value: &ValueId| self.constants[value.index()];
        let Some(first) = instr.args.iter().find(|arg| constant(arg).is_none()) else {
            return Vec::new();
        };
        if ty.word() != 8 || instr.args.iter().any(|arg| self.func.ty(*arg) != ty) {
            return Vec::new();
        }
        // What an argument is of a value, at one byte of that value.
        let at = |arg: &ValueId, of: ValueId, x: usize| -> Option<u128> {
            let own = || functions[arg.index()].iter().find(|function| function.of == of);
            let value = constant(arg).or_else(|| (*arg == of).then_some(x as u128));
            value.or_else(|| Some(own()?.table[x].into()))
        };
        let table = |of: ValueId| {
            bytes(|x| {
                let args: Option<Vec<u128>> = instr.args.iter().map(|arg| at(arg, of, x)).collect();
                semantics::eval(&instr.op, 8, &args?).map(|byte| byte as u8)
            })
        };
        let roots = std::iter::once(*first).chain(functions[first.index()].iter().map(|f| f.of));
        let all = roots.filter_map(|of| Some(Function { of, table: table(of)? }));
        all.take(FUNCTIONS).collect()
    }

    /// The work of a statement and of all that only it needs, as far as one value, and the values that are read in it, which are
    /// counted as read no longer.
    fn cone(
        &mut self,
        body: &[Stmt],
        places: &[Option<usize>],
        place: usize,
        of: ValueId,
    ) -> (usize, Vec<ValueId>) {
        let (mut work, mut read, mut left) = (0, Vec::new(), vec![place]);
        while let Some(place) = left.pop() {
            let Stmt::Let(instr) = &body[place] else { continue };
            work += self.work(&instr.op, self.func.ty(instr.results[0]));
            for &arg in &instr.args {
                self.uses[arg.index()] -= 1;
                read.push(arg);
                if arg != of && self.uses[arg.index()] == 0 {
                    left.extend(places[arg.index()]);
                }
            }
        }
        (work, read)
    }

    /// How many instructions an operation is.
    fn work(&self, op: &Op, ty: Type) -> usize {
        let row = self.target.select(op, ty.direction(), ty.word());
        row.map_or(0, |row| row.instructions())
    }
}

/// The byte that a constant is, in every atom.
fn byte(value: u128, ty: Type) -> Option<u128> {
    let atoms = semantics::unpack(value, ty.word(), ty.row_length());
    (ty.word() == 8 && atoms.iter().all(|atom| *atom == atoms[0])).then_some(atoms[0])
}
