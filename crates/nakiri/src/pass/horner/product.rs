//! A product of two rows: bilinear by its form, associative by trial.

use crate::circuit::random::Random;
use crate::core::clmul::Clmul;
use crate::core::{semantics, Func, Instr, Instruction, Op, Stmt, Type, ValueId};
use rustc_hash::FxHashMap;
use smallvec::smallvec;

/// How often a value has either factor of a product: not at all, or once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Degree {
    left: u8,
    right: u8,
}

/// A constant.
const NONE: Degree = Degree { left: 0, right: 0 };
/// A linear map of the left factor.
const LEFT: Degree = Degree { left: 1, right: 0 };
/// A linear map of the right factor.
const RIGHT: Degree = Degree { left: 0, right: 1 };
/// A linear map of each.
const BOTH: Degree = Degree { left: 1, right: 1 };

/// What stands for its values in a program.
pub type Names = FxHashMap<ValueId, ValueId>;

/// A product: straight-line code on rows of one type.
#[derive(Clone, Debug)]
pub struct Product {
    /// The left factor.
    pub left: ValueId,
    /// The right one.
    pub right: ValueId,
    /// The product.
    pub result: ValueId,
    /// What it is made by, constants too, in order.
    pub instrs: Vec<Instr>,
    degrees: FxHashMap<ValueId, Degree>,
    row: Type,
}

impl Product {
    /// That of these instructions, if each keeps it linear in either factor.
    pub fn new(
        func: &Func,
        [left, right, result]: [ValueId; 3],
        instrs: Vec<Instr>,
    ) -> Option<Product> {
        let row = func.ty(result);
        let mut degrees = FxHashMap::from_iter([(left, LEFT), (right, RIGHT)]);
        for instr in &instrs {
            let own: Option<Vec<Degree>> =
                instr.args.iter().map(|arg| degrees.get(arg).copied()).collect();
            let [made] = instr.results[..] else { return None };
            if func.ty(made) != row {
                return None;
            }
            degrees.insert(made, degree(&instr.op, &own?)?);
        }
        let whole = [left, right].iter().all(|factor| func.ty(*factor) == row);
        let product = Product { left, right, result, instrs, degrees, row };
        (whole && product.degree(result) == BOTH).then_some(product)
    }

    /// How often a value of it has either factor.
    pub fn degree(&self, value: ValueId) -> Degree {
        self.degrees.get(&value).copied().unwrap_or(NONE)
    }

    /// Its constants.
    pub fn constants(&self) -> impl Iterator<Item = &Instr> {
        self.instrs.iter().filter(|instr| self.degree(instr.results[0]) == NONE)
    }

    /// What is made of the right factor alone.
    pub fn of_right(&self) -> impl Iterator<Item = &Instr> {
        self.instrs.iter().filter(|instr| self.degree(instr.results[0]) == RIGHT)
    }

    /// What is made of the left factor alone.
    pub fn of_left(&self) -> impl Iterator<Item = &Instr> {
        self.instrs.iter().filter(|instr| self.degree(instr.results[0]) == LEFT)
    }

    /// Where the two meet.
    pub fn meetings(&self) -> impl Iterator<Item = &Instr> {
        self.of_both().filter(|instr| self.meets(instr))
    }

    /// What is made of these meetings: a linear map.
    pub fn behind(&self) -> impl Iterator<Item = &Instr> {
        self.of_both().filter(|instr| !self.meets(instr))
    }

    fn of_both(&self) -> impl Iterator<Item = &Instr> {
        self.instrs.iter().filter(|instr| self.degree(instr.results[0]) == BOTH)
    }

    fn meets(&self, instr: &Instr) -> bool {
        instr.args.iter().any(|arg| self.degree(*arg) == RIGHT)
    }

    /// The maps of the right factor that the left one meets, each once.
    pub fn multipliers(&self) -> Vec<ValueId> {
        let mut all: Vec<ValueId> = self.meetings().flat_map(|instr| instr.args.clone()).collect();
        all.retain(|arg| self.degree(*arg) == RIGHT);
        all.sort();
        all.dedup();
        all
    }

    /// Whether it is associative. Both sides of (a·b)·c = a·(b·c) are linear in each of the three; where two such maps over GF(2)
    /// differ, they differ on an eighth of all arguments at least.
    pub fn is_associative(&self) -> bool {
        const TRIALS: usize = 1_000;
        let mut random = Random::new(0);
        let mut row = || {
            let bits = u128::from(random.bits()) << 64 | u128::from(random.bits());
            bits & semantics::mask(self.row.bits())
        };
        (0..TRIALS).all(|_| {
            let (a, b, c) = (row(), row(), row());
            let left = self.apply(a, b).and_then(|product| self.apply(product, c));
            let right = self.apply(b, c).and_then(|product| self.apply(a, product));
            left.is_some() && left == right
        })
    }

    /// The product of two rows.
    fn apply(&self, left: u128, right: u128) -> Option<u128> {
        let mut values = FxHashMap::from_iter([(self.left, left), (self.right, right)]);
        for instr in &self.instrs {
            let args: Vec<u128> = instr.args.iter().map(|arg| values[arg]).collect();
            let (width, count) = (self.row.word(), self.row.row_length());
            values.insert(instr.results[0], semantics::eval_row(&instr.op, width, count, &args)?);
        }
        Some(values[&self.result])
    }

    /// The same with three products of halves for four, where halves are multiplied crosswise and added: (a + b)·(c + d) is what
    /// they add up to, and the other two products.
    pub fn karatsuba(&self, func: &mut Func) -> Option<Product> {
        let at = self.instrs.iter().position(|instr| self.crosses(instr).is_some())?;
        let [left, right] = self.crosses(&self.instrs[at])?;
        let (mut before, span) = (Vec::new(), self.instrs[at].span);
        let mut make = |op: Op, args: &[ValueId]| {
            let result = func.value(self.row);
            before.push(Instr { results: smallvec![result], op, args: args.into(), span });
            result
        };
        let [left_sum, right_sum] = [left, right].map(|factor| {
            let turned = make(Op::Permute(halves_turned()), &[factor]);
            make(Op::Xor, &[factor, turned])
        });
        let clmul = |halves| Op::Instruction(Instruction::Clmul(halves));
        let all = make(clmul(Clmul::LowLow), &[left_sum, right_sum]);
        let low = make(clmul(Clmul::LowLow), &[left, right]);
        let high = make(clmul(Clmul::HighHigh), &[left, right]);
        let some = make(Op::Xor, &[all, low]);
        before.push(Instr { args: smallvec![some, high], ..self.instrs[at].clone() });
        let mut own = self.clone();
        own.instrs.splice(at..=at, before);
        own.without_copies();
        Product::new(func, [own.left, own.right, own.result], own.instrs)
    }

    /// The factors whose halves an instruction adds the crosswise products of.
    fn crosses(&self, instr: &Instr) -> Option<[ValueId; 2]> {
        let made = |value: ValueId| self.instrs.iter().find(|own| own.results[0] == value);
        let [a, b] = (instr.op == Op::Xor).then(|| [made(instr.args[0]), made(instr.args[1])])?;
        let (a, b) = (a?, b?);
        let is = |instr: &Instr, clmul| instr.op == Op::Instruction(Instruction::Clmul(clmul));
        let crosswise = |a, b| is(a, Clmul::HighLow) && is(b, Clmul::LowHigh);
        let alone = |value| self.instrs.iter().filter(|own| own.args.contains(&value)).count() == 1;
        let own = (crosswise(a, b) || crosswise(b, a)) && a.args == b.args;
        let own = own && alone(a.results[0]) && alone(b.results[0]);
        own.then(|| [a.args[0], a.args[1]])
    }

    /// Leaves out what nobody uses, and takes what is made a second time from where it was made first.
    fn without_copies(&mut self) {
        let mut first: FxHashMap<(Op, Vec<ValueId>), ValueId> = FxHashMap::default();
        let mut names = Names::default();
        let mut kept = Vec::new();
        for mut instr in std::mem::take(&mut self.instrs) {
            instr.args.iter_mut().for_each(|arg| *arg = *names.get(arg).unwrap_or(arg));
            let key = (instr.op.clone(), instr.args.to_vec());
            match first.get(&key) {
                Some(made) => {
                    names.insert(instr.results[0], *made);
                }
                None => {
                    first.insert(key, instr.results[0]);
                    kept.push(instr);
                }
            }
        }
        let mut used = vec![self.result];
        kept.reverse();
        kept.retain(|instr| {
            let is_used = used.contains(&instr.results[0]);
            used.extend(instr.args.iter().filter(|_| is_used));
            is_used
        });
        kept.reverse();
        self.instrs = kept;
    }
}

/// The order that puts the halves of a row of sixteen bytes into each other's place.
fn halves_turned() -> Box<[Option<u16>]> {
    (0..16).map(|k| Some((k + 8) % 16)).collect()
}

/// What an operation on rows makes of maps of these degrees, if that is linear in either factor.
fn degree(op: &Op, args: &[Degree]) -> Option<Degree> {
    match (op, args) {
        (Op::Const(_), []) => Some(NONE),
        (Op::Xor | Op::Window(_), [a, b]) => (a == b).then_some(*a),
        (op, [a]) if is_map(op) => Some(*a),
        (op, [a, b]) if is_product(op) => {
            let sum = Degree { left: a.left + b.left, right: a.right + b.right };
            (sum.left <= 1 && sum.right <= 1).then_some(sum)
        }
        _ => None,
    }
}

/// Whether an operation is a linear map of its argument over GF(2).
pub fn is_map(op: &Op) -> bool {
    match op {
        Op::Permute(_)
        | Op::Shl(_)
        | Op::Shr(_)
        | Op::Rotl(_)
        | Op::RotlAnd { .. }
        | Op::Shuffle(_)
        | Op::Bitmask(_) => true,
        Op::Affine(map) => map.apply(0) == 0,
        _ => false,
    }
}

/// Whether it is linear over GF(2) in each of its two arguments.
pub fn is_product(op: &Op) -> bool {
    matches!(op, Op::And | Op::Instruction(Instruction::Clmul(_)))
}

/// Whether all results of straight-line code are linear over GF(2) in its parameters, by its form.
pub fn is_linear(func: &Func) -> bool {
    let mut degrees: FxHashMap<ValueId, Degree> = FxHashMap::default();
    func.body.iter().all(|stmt| match stmt {
        Stmt::Let(Instr { op, args, results, .. }) => {
            let own: Option<Vec<Degree>> =
                args.iter().map(|arg| degrees.get(arg).copied()).collect();
            let made = match op {
                Op::Load(..) => Some(LEFT),
                _ => own.and_then(|own| degree(op, &own)),
            };
            degrees.extend(results.iter().filter_map(|result| Some((*result, made?))));
            made.is_some()
        }
        Stmt::Store { value, .. } => degrees.get(value) == Some(&LEFT),
        Stmt::Forall(_) | Stmt::Loop(_) => false,
    })
}
