//! Maps logic to the gates that the target has.
//!
//! With three-input tables (AVX-512) every gate absorbs operands that only it uses, as long as three inputs suffice.
//! Elsewhere a complemented operand is folded into and-not or or-not; where the target lacks those, they are
//! written out. Horizontal shifts and rotations become shuffles. Guarantees: every operation is an instance.

use super::dead;
use crate::core::{semantics, Direction, Func, Instr, Op, OpKind, Program, Stmt, Type, ValueId};
use crate::target::Target;
use rustc_hash::FxHashMap;

/// Maps the whole program.
pub fn run(program: &mut Program, target: &Target) {
    for func in &mut program.funcs {
        let mut uses = vec![0u32; func.values.len()];
        func.body.iter().for_each(|stmt| stmt.uses(&mut |v| uses[v.index()] += 1));
        let body = std::mem::take(&mut func.body);
        let mut selector = Selector { func, target, uses, defined: FxHashMap::default() };
        let body = selector.stmts(body);
        func.body = body;
        dead::run(func);
    }
}

/// An operand of a gate seen as a function of at most three leaves: bit i of the table is its value where the
/// leaves are the bits of i.
#[derive(Clone)]
struct Cone {
    leaves: Vec<ValueId>,
    table: u8,
}

struct Selector<'a> {
    func: &'a mut Func,
    target: &'a Target,
    uses: Vec<u32>,
    /// Gates of the statements so far, as they were before mapping.
    defined: FxHashMap<ValueId, Instr>,
}

impl Selector<'_> {
    fn has(&self, kind: OpKind, ty: Type) -> bool {
        self.target.instance(kind, ty.direction(), ty.bits()).is_some()
    }

    fn stmts(&mut self, stmts: Vec<Stmt>) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(stmts.len());
        for stmt in stmts {
            match stmt {
                Stmt::Let(instr) => self.instr(instr, &mut out),
                Stmt::Loop(mut l) => {
                    // Gates from outside are not repeated inside.
                    let outer = std::mem::take(&mut self.defined);
                    l.body = self.stmts(l.body);
                    self.defined = outer;
                    out.push(Stmt::Loop(l));
                }
                stmt => out.push(stmt),
            }
        }
        out
    }

    fn instr(&mut self, instr: Instr, out: &mut Vec<Stmt>) {
        let ty = match instr.results[..] {
            [result] => self.func.ty(result),
            _ => return out.push(Stmt::Let(instr)),
        };
        let original = instr.clone();
        if self.has(OpKind::Ternary, ty) && is_gate(&instr.op) {
            out.push(Stmt::Let(self.ternary(instr)));
        } else if is_gate(&instr.op) {
            self.two_input(instr, ty, out);
        } else if ty.direction() == Direction::H {
            out.push(Stmt::Let(horizontal(instr, ty.bits())));
        } else {
            out.push(Stmt::Let(instr));
        }
        self.defined.insert(original.results[0], original);
    }

    /// The gate with as much of its operands absorbed as three inputs allow.
    fn ternary(&self, instr: Instr) -> Instr {
        let mut cone = self.gate_cone(&instr);
        loop {
            let grown = (0..cone.leaves.len())
                .filter_map(|i| self.absorb(&cone, i))
                .min_by_key(|grown| grown.leaves.len());
            match grown {
                Some(grown) => cone = grown,
                None => break,
            }
        }
        if cone.leaves == instr.args[..]
            && matches!(instr.op, Op::And | Op::Or | Op::Xor | Op::AndNot)
        {
            return instr;
        }
        while cone.leaves.len() < 3 {
            // Unused inputs repeat one that is there: the table doesn't depend on them.
            cone.leaves.push(cone.leaves[0]);
        }
        let table = cone.table.reverse_bits_of_index();
        Instr { op: Op::Ternary(table), args: cone.leaves.into_iter().collect(), ..instr }
    }

    /// A gate as a function of its own arguments.
    fn gate_cone(&self, instr: &Instr) -> Cone {
        let mut leaves: Vec<ValueId> = Vec::new();
        for &arg in &instr.args {
            if !leaves.contains(&arg) {
                leaves.push(arg);
            }
        }
        let tables: Vec<u8> = instr
            .args
            .iter()
            .map(|arg| INPUT[leaves.iter().position(|l| l == arg).expect("collected above")])
            .collect();
        Cone { leaves, table: apply(&instr.op, &tables) }
    }

    /// The cone with leaf `i` replaced by its gate, if only this cone uses it and three leaves suffice.
    fn absorb(&self, cone: &Cone, i: usize) -> Option<Cone> {
        let leaf = cone.leaves[i];
        let gate = self.defined.get(&leaf).filter(|gate| is_gate(&gate.op))?;
        if self.uses[leaf.index()] > 1 && !matches!(gate.op, Op::Not) {
            return None;
        }
        let mut leaves: Vec<ValueId> = cone.leaves.clone();
        leaves.remove(i);
        for &arg in &gate.args {
            if !leaves.contains(&arg) {
                leaves.push(arg);
            }
        }
        if leaves.len() > 3 {
            return None;
        }
        let input =
            |value: &ValueId| INPUT[leaves.iter().position(|l| l == value).expect("a leaf")];
        let gate_args: Vec<u8> = gate.args.iter().map(input).collect();
        let inner = apply(&gate.op, &gate_args);
        let tables: Vec<u8> = cone
            .leaves
            .iter()
            .enumerate()
            .map(|(k, leaf)| if k == i { inner } else { input(leaf) })
            .collect();
        Some(Cone { table: compose(cone.table, &tables), leaves })
    }

    fn two_input(&mut self, mut instr: Instr, ty: Type, out: &mut Vec<Stmt>) {
        let (with_not, kind) = match instr.op {
            Op::And => (Op::AndNot, OpKind::AndNot),
            Op::Or => (Op::OrNot, OpKind::OrNot),
            Op::AndNot | Op::OrNot if !self.has(instr.op.kind(), ty) => {
                return self.write_out(instr, ty, out);
            }
            _ => return out.push(Stmt::Let(instr)),
        };
        if self.has(kind, ty) {
            let complement = |v: ValueId| match self.defined.get(&v) {
                Some(Instr { op: Op::Not, args, .. }) => Some(args[0]),
                _ => None,
            };
            let (a, b) = (instr.args[0], instr.args[1]);
            if let Some(x) = complement(a) {
                (instr.op, instr.args) = (with_not, [x, b].into_iter().collect());
            } else if let Some(y) = complement(b) {
                (instr.op, instr.args) = (with_not, [y, a].into_iter().collect());
            }
        }
        out.push(Stmt::Let(instr));
    }

    /// `!a & b` and `!a | b` in two operations.
    fn write_out(&mut self, instr: Instr, ty: Type, out: &mut Vec<Stmt>) {
        let not = self.func.value(ty);
        self.uses.push(1);
        let (a, b) = (instr.args[0], instr.args[1]);
        let op = if instr.op == Op::AndNot { Op::And } else { Op::Or };
        out.push(Stmt::Let(Instr {
            results: [not].into_iter().collect(),
            op: Op::Not,
            args: [a].into_iter().collect(),
            span: instr.span,
        }));
        out.push(Stmt::Let(Instr { op, args: [not, b].into_iter().collect(), ..instr }));
    }
}

/// The truth tables of the three leaves: leaf k is bit k of the index.
const INPUT: [u8; 3] = [0b1010_1010, 0b1100_1100, 0b1111_0000];

fn is_gate(op: &Op) -> bool {
    matches!(op, Op::And | Op::Or | Op::Xor | Op::Not | Op::AndNot | Op::OrNot)
}

/// A gate on truth tables.
fn apply(op: &Op, tables: &[u8]) -> u8 {
    let args: Vec<u128> = tables.iter().map(|&t| u128::from(t)).collect();
    semantics::eval(op, 8, &args).expect("gates are pure") as u8
}

/// The function `outer` of the functions `tables`.
fn compose(outer: u8, tables: &[u8]) -> u8 {
    (0..8).fold(0, |sum, i| {
        let index = tables.iter().enumerate().fold(0, |n, (k, t)| n | (t >> i & 1) << k);
        sum | (outer >> index & 1) << i
    })
}

trait TernaryOrder {
    /// From leaf k at index bit k to the order of [`Op::Ternary`], whose first argument is index bit 2.
    fn reverse_bits_of_index(self) -> u8;
}

impl TernaryOrder for u8 {
    fn reverse_bits_of_index(self) -> u8 {
        (0..8u8).fold(0, |sum, i| {
            let reversed = (i & 1) << 2 | i & 2 | i >> 2;
            sum | (self >> i & 1) << reversed
        })
    }
}

/// Shifts and rotations of a horizontal atom of M bits rearrange its bits.
fn horizontal(mut instr: Instr, width: u16) -> Instr {
    let m = width;
    let pick = |f: &dyn Fn(u16) -> Option<u16>| Op::Shuffle((0..m).map(f).collect());
    instr.op = match instr.op {
        Op::Shl(n) => pick(&|i| (i + n < m).then_some(i + n)),
        Op::Shr(n) => pick(&|i| i.checked_sub(n)),
        Op::Sar(n) => pick(&|i| Some(i.saturating_sub(n))),
        Op::Rotl(n) => pick(&|i| Some((i + n) % m)),
        Op::Bitmask(n) => pick(&|_| Some(m - 1 - n)),
        op => op,
    };
    instr
}
