//! One tick, with what is known of it: control is computed, and what is left is what depends on data.

use crate::core::interp::Numbers;
use crate::core::walk::{self, Domain, Operation};
use crate::core::{semantics, Func, Index, Instr, Op, Program, Stmt, Type, ValueId, Width};
use crate::source::Span;
use rustc_hash::FxHashMap;
use smallvec::{smallvec, SmallVec};

/// A value in a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// The same in every lane.
    Known(Known),
    /// A value of the tick's function, which depends on data.
    Data(ValueId),
}

/// A number that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    pub number: u128,
    /// Its size.
    bits: u16,
    /// Whether it is the same whenever the tick has this form: literals, and what they and decisions make of data. The others
    /// may be others in the next tick, as round constants are, though the operations are the same.
    settled: bool,
}

/// What is left of a tick.
pub struct Folded {
    /// A function of the entry's parameters whose results are not stored yet.
    pub func: Func,
    /// For each result of the entry its atoms.
    pub results: Vec<Vec<Value>>,
}

/// Folds a tick of the entry. `known` has for each atom of each parameter its number, unless it is data.
pub fn tick(program: &Program, known: &[Vec<Option<u128>>]) -> Folded {
    let entry = program.entry();
    let (params, results) = (entry.params.clone(), entry.results.clone());
    let func = Func { values: Vec::new(), body: Vec::new(), params, results, ..entry.clone() };
    let mut folder = Folder { func, sums: FxHashMap::default() };
    let inputs: Vec<Vec<Value>> =
        known.iter().enumerate().map(|(param, atoms)| folder.input(param, atoms)).collect();
    let results = walk::call(&mut folder, program, program.entry, &inputs, &[]);
    Folded { func: folder.func, results }
}

struct Folder {
    func: Func,
    /// The two sides of each exclusive-or.
    sums: FxHashMap<ValueId, [Value; 2]>,
}

impl Folder {
    fn input(&mut self, param: usize, atoms: &[Option<u128>]) -> Vec<Value> {
        let (ty, span) = (self.func.params[param].ty, self.func.params[param].span);
        let mut value = |(atom, known): (usize, &Option<u128>)| match *known {
            Some(number) => Value::Known(Known { number, bits: ty.bits(), settled: false }),
            None => {
                let load = Op::Load(param as u32, Index::fixed(atom as u32));
                Value::Data(self.instr(load, smallvec![], &[ty], span)[0])
            }
        };
        atoms.iter().enumerate().map(&mut value).collect()
    }

    fn instr(
        &mut self,
        op: Op,
        args: SmallVec<[ValueId; 3]>,
        types: &[Type],
        span: Span,
    ) -> SmallVec<[ValueId; 1]> {
        let results: SmallVec<[ValueId; 1]> = types.iter().map(|ty| self.func.value(*ty)).collect();
        self.func.body.push(Stmt::Let(Instr { results: results.clone(), op, args, span }));
        results
    }

    /// What a gate is without computing it, for what is known of its arguments.
    fn decided(&self, operation: &Operation<Value>) -> Option<Value> {
        let &[a, b] = operation.args else { return None };
        let all = semantics::mask(operation.width);
        let known = |number| Value::Known(Known { number, bits: operation.width, settled: true });
        let of_known =
            |value: Value, number: u128| matches!(value, Value::Known(k) if k.number == number);
        match operation.op {
            Op::And | Op::Or if a == b => Some(a),
            Op::Xor if a == b => Some(known(0)),
            Op::And | Op::Or => {
                let (absorbing, neutral) =
                    if *operation.op == Op::And { (0, all) } else { (all, 0) };
                [(a, b), (b, a)].into_iter().find_map(|(x, y)| match x {
                    x if of_known(x, absorbing) => Some(known(absorbing)),
                    x if of_known(x, neutral) => Some(y),
                    _ => None,
                })
            }
            Op::Xor => [(a, b), (b, a)].into_iter().find_map(|(x, y)| match (x, y) {
                (Value::Known(Known { number: 0, settled: true, .. }), y) => Some(y),
                // A multiplexer is y ^ (select & (x ^ y)).
                (x, Value::Data(sum)) => match self.sums.get(&sum) {
                    Some(&[one, other]) if one == x => Some(other),
                    Some(&[one, other]) if other == x => Some(one),
                    _ => None,
                },
                _ => None,
            }),
            _ => None,
        }
    }

    /// Writes an operation of which an argument is data; those that are known become constants.
    fn write(&mut self, operation: &Operation<Value>) -> SmallVec<[Value; 1]> {
        let data = operation.args.iter().find_map(|arg| match arg {
            Value::Data(value) => Some(self.func.ty(*value)),
            Value::Known(_) => None,
        });
        let Some(ty) = data else { unreachable!("what is known is computed") };
        let mut args = SmallVec::new();
        for arg in operation.args {
            args.push(match arg {
                Value::Data(value) => *value,
                Value::Known(known) => {
                    let ty = Type { width: Width::Bits(known.bits), ..ty };
                    self.instr(Op::Const(known.number), smallvec![], &[ty], operation.span)[0]
                }
            });
        }
        let types: Vec<Type> = match self.bits(operation) {
            Some(bits) => vec![Type { width: Width::Bits(bits), ..ty }],
            None => vec![ty; operation.results],
        };
        let results = self.instr(operation.op.clone(), args, &types, operation.span);
        if let (Op::Xor, &[a, b]) = (operation.op, operation.args) {
            self.sums.insert(results[0], [a, b]);
        }
        results.into_iter().map(Value::Data).collect()
    }

    /// The size of a result that is not as large as the last argument.
    fn bits(&self, operation: &Operation<Value>) -> Option<u16> {
        match operation.op {
            Op::Pack => Some(self.size(operation.args[0]) + operation.width),
            Op::Lookup(table) => Some(operation.program.tables[table.index()].outputs.into()),
            _ => None,
        }
    }

    fn size(&self, value: Value) -> u16 {
        match value {
            Value::Known(known) => known.bits,
            Value::Data(value) => self.func.ty(value).bits(),
        }
    }
}

impl Domain for Folder {
    type Value = Value;

    fn constant(&mut self, number: u128) -> Value {
        Value::Known(Known { number, bits: 1, settled: true })
    }

    fn apply(&mut self, operation: &Operation<Value>, made: &mut Vec<Value>) {
        let known = |arg: &Value| match arg {
            Value::Known(known) => Some(*known),
            Value::Data(_) => None,
        };
        let known: Option<SmallVec<[Known; 8]>> = operation.args.iter().map(known).collect();
        let Some(known) = known else {
            match self.decided(operation) {
                Some(value) => made.push(value),
                None => made.extend(self.write(operation)),
            }
            return;
        };
        let settled = known.iter().all(|known| known.settled);
        let bits = self.bits(operation).unwrap_or(operation.width);
        let args: SmallVec<[u128; 8]> = known.iter().map(|known| known.number).collect();
        let &Operation { program, op, width, count, field, results, span, .. } = operation;
        let computed = Operation { program, op, width, count, field, args: &args, results, span };
        let value = |number| Value::Known(Known { number, bits, settled });
        let mut numbers = Vec::new();
        Numbers::default().apply(&computed, &mut numbers);
        made.extend(numbers.into_iter().map(value));
    }
}
