//! Tables of bytes, where a target has instructions that apply them.
//!
//! A lookup is an affine map, inversion in a field between two of them, or any table. And what is computed of one byte and constants
//! alone becomes one of these, if that is less work: a multiplication in a field of bytes is one affine map.
//! Guarantees: no `lookup` of bytes is left after [`lookups`], whose operations were compared with the table on every byte; [`run`]
//! changes nothing on targets without affine maps.

use super::joiner::{self, Joiner};
use crate::circuit::{self, inversion::Inversion};
use crate::core::field::{inverse, ByteMap};
use crate::core::{
    semantics, Func, Instr, Op, OpKind, Program, Stmt, Table, TableId, Type, ValueId,
};
use crate::isa::Target;
use smallvec::smallvec;

/// Makes lookups of bytes by bytes operations that need no table of the program.
pub fn lookups(program: &mut Program) {
    let tables = &program.tables;
    let mut known = vec![None; tables.len()];
    let mut steps = |id: TableId| -> Vec<Op> {
        known[id.index()].get_or_insert_with(|| steps(&tables[id.index()])).clone()
    };
    for func in &mut program.funcs {
        let body = std::mem::take(&mut func.body);
        func.body = expand(body, func, &mut steps);
    }
}

/// The operations, one after the other, that are a table of bytes; none for other tables.
fn steps(table: &Table) -> Vec<Op> {
    if (table.inputs, table.outputs) != (8, 8) {
        return Vec::new();
    }
    let entries = table.entries.iter().map(|entry| *entry as u32).collect();
    let Some(bytes) = bytes(|x| Some(table.entries[x] as u8)) else { return Vec::new() };
    let one = operation(bytes);
    let inversion = match one {
        Op::Substitute(_) => {
            Inversion::of_table(&circuit::Table { inputs: 8, outputs: 8, entries })
        }
        _ => None,
    };
    let steps = inversion.map_or(vec![one], |Inversion { before, after }| {
        let map =
            |map: circuit::inversion::Affine| ByteMap::of(|x| Some(map.apply(x.into()) as u8));
        let (before, after) = (map(before).expect("affine"), map(after).expect("affine"));
        vec![Op::Affine(before), Op::Invert(after)]
    });
    let step = |x: u128, op: &Op| semantics::eval(op, 8, &[x]).expect("of bytes");
    let computes = |(x, entry): (usize, &u128)| steps.iter().fold(x as u128, step) == *entry;
    let right = table.entries.iter().enumerate().all(computes);
    assert!(right, "the operations for `{}` are wrong", table.name);
    steps
}

/// The operation that a table of bytes is.
fn operation(table: Bytes) -> Op {
    let at = |x: u8| Some(table[usize::from(x)]);
    let affine = ByteMap::of(at).map(Op::Affine);
    let invert = || ByteMap::of(|x| at(inverse(x))).map(Op::Invert);
    affine.or_else(invert).unwrap_or(Op::Substitute(table))
}

fn expand(
    stmts: Vec<Stmt>,
    func: &mut Func,
    steps: &mut dyn FnMut(TableId) -> Vec<Op>,
) -> Vec<Stmt> {
    let mut out = Vec::with_capacity(stmts.len());
    for mut stmt in stmts {
        match &mut stmt {
            Stmt::Let(instr) => {
                let Op::Lookup(id) = instr.op else {
                    out.push(stmt);
                    continue;
                };
                let mut steps = steps(id);
                let last = steps.pop();
                for op in steps {
                    let value = func.value(func.ty(instr.results[0]));
                    let args = std::mem::replace(&mut instr.args, smallvec![value]);
                    let step = Instr { results: smallvec![value], op, args, span: instr.span };
                    out.push(Stmt::Let(step));
                }
                instr.op = last.unwrap_or(Op::Lookup(id));
            }
            Stmt::Loop(l) => l.body = expand(std::mem::take(&mut l.body), func, steps),
            Stmt::Forall(forall) => {
                for body in &mut forall.iterations {
                    *body = expand(std::mem::take(body), func, steps);
                }
            }
            Stmt::Store { .. } => {}
        }
        out.push(stmt);
    }
    out
}

/// Joins what can be joined in the whole program.
pub fn run(program: &mut Program, target: &Target) {
    joiner::run(program, target, OpKind::Affine, |joiner, body| joiner.join_bytes(body));
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

impl Joiner<'_> {
    /// Joins within straight-line code: what a loop reads from outside isn't computed in each iteration.
    fn join_bytes(&mut self, body: &mut [Stmt]) {
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
                Stmt::Loop(l) => self.join_bytes(&mut l.body),
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
            let ty = self.func.ty(result);
            let joined = functions.into_iter().filter_map(|Function { of, table }| {
                let (old, read) = self.cone(body, &places, place, of);
                read.iter().for_each(|value| self.uses[value.index()] += 1);
                let op = operation(table);
                let gain = old.checked_sub(self.work(&op, ty)).filter(|gain| *gain > 0)?;
                Some((gain, of, op))
            });
            let Some((_, of, op)) = joined.max_by_key(|(gain, ..)| *gain) else { continue };
            self.cone(body, &places, place, of);
            self.uses[of.index()] += 1;
            if let Stmt::Let(instr) = &mut body[place] {
                (instr.op, instr.args) = (op, smallvec![of]);
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
        let constant = |value: &ValueId| self.constant(*value);
        let Some(first) = instr.args.iter().find(|arg| constant(arg).is_none()) else {
            return Vec::new();
        };
        let joins = self.target.instance(OpKind::Affine, ty.direction(), ty.word()).is_some();
        if !joins || instr.args.iter().any(|arg| self.func.ty(*arg) != ty) {
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
}

/// The byte that a constant is, in every atom.
fn byte(value: u128, ty: Type) -> Option<u128> {
    let atoms = semantics::unpack(value, ty.word(), ty.row_length());
    (ty.word() == 8 && atoms.iter().all(|atom| *atom == atoms[0])).then_some(atoms[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The operations of a table; [`steps`] compares them with it.
    fn kinds(f: impl Fn(u8) -> u8) -> Vec<OpKind> {
        let entries: Vec<u128> = (0..=255).map(|x| f(x).into()).collect();
        let table = Table {
            name: String::new(),
            inputs: 8,
            outputs: 8,
            entries,
            known: Vec::new(),
            taken: Vec::new(),
        };
        steps(&table).iter().map(Op::kind).collect()
    }

    #[test]
    fn lookups_are_inversions_between_maps() {
        // FIPS 197, section 5.1.1.
        let map = |x: u8| (1..5).fold(x, |y, by| y ^ x.rotate_left(by)) ^ 0x63;
        let back = |y: u8| (0..=255).find(|x| map(*x) == y).unwrap_or(0);
        assert_eq!(kinds(|x| map(inverse(x))), [OpKind::Invert]);
        assert_eq!(kinds(|x| inverse(back(x))), [OpKind::Affine, OpKind::Invert]);
        assert_eq!(
            kinds(|x| map(inverse(map(x).rotate_left(1)))),
            [OpKind::Affine, OpKind::Invert]
        );
        assert_eq!(kinds(map), [OpKind::Affine]);
        assert_eq!(kinds(|x| x.wrapping_mul(x | 1)), [OpKind::Substitute]);
    }
}
