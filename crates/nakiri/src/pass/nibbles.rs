//! Tables of bytes where a target has tables of sixteen entries, and nothing wider.
//!
//! An affine map is the sum of a table of the low and one of the high half of a byte. Inversion is done over the field of 16 elements
//! (M. Hamburg, "Accelerating AES with Vector Permute Instructions", CHES 2009), with maps before and after it in the tables that lead
//! there and back. Of any other table there is a part for each high half, of which one is chosen.
//!
//! Needs: no forall. Guarantees: nothing changes that the target has; what else is written was compared with the table on every byte.

use super::rewrite::{self, Writer};
use crate::circuit::field::Field;
use crate::core::field::{inverse, ByteMap};
use crate::core::{semantics, Func, Instr, Op, Program, Stmt, ValueId};
use crate::isa::Target;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::sync::LazyLock;

/// Makes smaller tables of those that the target lacks.
pub fn run(program: &mut Program, target: &Target) {
    let mut checked = FxHashSet::default();
    for func in &mut program.funcs {
        let mut maps = FxHashMap::default();
        rewrite::run(func, &mut |writer, instr| {
            if !lacks(target, writer.func, instr) {
                return false;
            }
            let x = instr.args[0];
            let (before, of) = match instr.op {
                Op::Invert(_) => maps.get(&x).copied().unwrap_or((IDENTITY, x)),
                _ => (IDENTITY, x),
            };
            let first = writer.written().len();
            Tables { writer }.write(&instr.op, before, of);
            if let Op::Affine(map) = instr.op {
                maps.insert(instr.results[0], (map, of));
            }
            if checked.insert((instr.op.clone(), before)) {
                check(&writer.written()[first..], &instr.op, before, of);
            }
            true
        });
    }
}

/// Compares what was written of a value for a map and a table after it with these on every byte.
fn check(written: &[Stmt], op: &Op, before: ByteMap, of: ValueId) {
    let eval = |op: &Op, args: &[u128]| semantics::eval(op, 8, args).expect("of a byte");
    for byte in 0..=u8::MAX {
        let mut values = FxHashMap::from_iter([(of, u128::from(byte))]);
        let mut last = 0;
        for stmt in written {
            let Stmt::Let(instr) = stmt else { continue };
            let args: SmallVec<[u128; 2]> = instr.args.iter().map(|arg| values[arg]).collect();
            last = match instr.op {
                Op::Const(row) => row & 0xff,
                ref op => eval(op, &args),
            };
            values.insert(instr.results[0], last);
        }
        let right = eval(op, &[before.apply(byte).into()]);
        assert_eq!(last, right, "the tables for {op:?} are wrong");
    }
}

/// Whether a target lacks what an instruction is, and that is a table of bytes.
fn lacks(target: &Target, func: &Func, instr: &Instr) -> bool {
    let is_table = matches!(instr.op, Op::Substitute(_) | Op::Affine(_) | Op::Invert(_));
    let ty = func.ty(instr.results[0]);
    is_table && target.select(&instr.op, ty.direction(), ty.word()).is_none()
}

const IDENTITY: ByteMap = ByteMap { columns: [1, 2, 4, 8, 16, 32, 64, 128], constant: 0 };

/// The index that has no entry in a table: the inverse of zero.
const NONE: u8 = 0x80;

/// The field of 256 elements over that of 16. An element is iα + jᾱ, where α and ᾱ are conjugates with sum 1, and k = i + j.
///
/// Its inverse is a sum of multiples of 1/p and 1/q, where p = j + 1/(1/i + a/k), q = i + 1/(1/j + a/k), and 1/a is αᾱ.
struct Tower {
    /// From an element to i and k, the first in the high half.
    halves: ByteMap,
    inverses: [u8; 16],
    /// a/k.
    ratios: [u8; 16],
    /// The multiples of 1/p and of 1/q.
    multiples: [[u8; 16]; 2],
}

impl Tower {
    fn known() -> &'static Tower {
        static KNOWN: LazyLock<Tower> = LazyLock::new(Tower::new);
        &KNOWN
    }

    fn new() -> Tower {
        let field = Field::new(8).expect("it exists");
        let times = |a: u8, b: u8| field.multiply(a.into(), b.into()) as u8;
        let conjugate = |x: u8| (0..4).fold(x, |x, _| times(x, x));
        let alpha = (0..=u8::MAX).find(|x| x ^ conjugate(*x) == 1).expect("there are 16");
        let norm = times(alpha, conjugate(alpha));
        // Four elements of the smaller field whose sums are all of it.
        let mut elements = vec![0];
        for x in (1..=u8::MAX).filter(|x| conjugate(*x) == *x) {
            if !elements.contains(&x) {
                elements.extend(elements.clone().iter().map(|sum| sum ^ x));
            }
        }
        let number = |x: u8| elements.iter().position(|e| *e == x).expect("of the field") as u8;
        let halves = |x: u8| {
            let k = x ^ conjugate(x);
            let i = x ^ times(k, alpha) ^ k;
            Some(number(i) << 4 | number(k))
        };
        let each = |of: &dyn Fn(u8) -> u8, zero: u8| {
            std::array::from_fn(|k| if k == 0 { zero } else { of(inverse(elements[k])) })
        };
        let multiple = |a: u8, b: u8| times(a, alpha) ^ times(b, conjugate(alpha));
        let [of_p, of_q] = [multiple(norm, norm ^ 1), multiple(norm ^ 1, norm)];
        Tower {
            halves: ByteMap::of(halves).expect("linear"),
            inverses: each(&number, NONE),
            ratios: each(&|x| number(times(inverse(norm), x)), NONE),
            multiples: [each(&|x| times(of_p, x), 0), each(&|x| times(of_q, x), 0)],
        }
    }
}

/// What is written in place of tables.
struct Tables<'a, 'w> {
    writer: &'a mut Writer<'w>,
}

impl Tables<'_, '_> {
    /// A table of what a map makes of a value; inversion alone has one before it.
    fn write(&mut self, op: &Op, before: ByteMap, of: ValueId) {
        match op {
            Op::Affine(map) => {
                self.affine(*map, of);
            }
            Op::Invert(after) => self.invert(before, *after, of),
            Op::Substitute(table) => self.substitute(table, of),
            _ => unreachable!("a table of bytes"),
        }
    }

    fn nibble(&mut self, table: [u8; 16], of: ValueId) -> ValueId {
        self.writer.write(Op::Nibble(Box::new(table)), &[of])
    }

    /// The high half of a byte, and the low one.
    fn halves(&mut self, x: ValueId) -> [ValueId; 2] {
        let low = self.writer.constant(15);
        [self.writer.write(Op::Shr(4), &[x]), self.writer.write(Op::And, &[x, low])]
    }

    fn affine(&mut self, map: ByteMap, x: ValueId) -> ValueId {
        let [high, low] = self.halves(x);
        let of_high = std::array::from_fn(|k| map.apply((k as u8) << 4) ^ map.constant);
        let of_low = std::array::from_fn(|k| map.apply(k as u8));
        let [high, low] = [self.nibble(of_high, high), self.nibble(of_low, low)];
        self.writer.sum(high, low)
    }

    fn invert(&mut self, before: ByteMap, after: ByteMap, x: ValueId) {
        let tower = Tower::known();
        let there = ByteMap::of(|x| Some(tower.halves.apply(before.apply(x)))).expect("affine");
        let there = self.affine(there, x);
        let [i, k] = self.halves(there);
        let j = self.writer.sum(i, k);
        let ratio = self.nibble(tower.ratios, k);
        let [p, q] = [(i, j), (j, i)].map(|(own, other)| {
            let own = self.nibble(tower.inverses, own);
            let own = self.writer.sum(own, ratio);
            let own = self.nibble(tower.inverses, own);
            self.writer.sum(own, other)
        });
        let linear = |x: u8| after.apply(x) ^ after.constant;
        let [of_p, of_q] = tower.multiples.map(|table| table.map(linear));
        let [p, q] = [self.nibble(of_p, p), self.nibble(of_q, q)];
        let sum = self.writer.sum(p, q);
        if after.constant != 0 {
            let constant = self.writer.constant(after.constant);
            self.writer.sum(sum, constant);
        }
    }

    fn substitute(&mut self, table: &[u8; 256], x: ValueId) {
        let [_, low] = self.halves(x);
        let parts = table.chunks(16).map(|part| part.try_into().expect("sixteen"));
        let parts: Vec<[u8; 16]> = parts.collect();
        let mut parts: Vec<ValueId> =
            parts.into_iter().map(|part| self.nibble(part, low)).collect();
        for bit in 4..8 {
            let mask = self.writer.write(Op::Bitmask(bit), &[x]);
            parts = parts.chunks(2).map(|pair| self.chosen(mask, pair)).collect();
        }
    }

    /// The second of two values where the mask is set.
    fn chosen(&mut self, mask: ValueId, pair: &[ValueId]) -> ValueId {
        let differ = self.writer.sum(pair[0], pair[1]);
        let kept = self.writer.write(Op::And, &[differ, mask]);
        self.writer.sum(kept, pair[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::{interp, text};
    use crate::isa;

    /// That what operations, one after another, make of a byte is what it was, without those that the target lacks.
    fn stays(ops: &[&str]) {
        let op = |(k, op): (usize, &&str)| format!("  %{} = {op} %{k} : u<P>8 x 1\n", k + 1);
        let body: String = ops.iter().enumerate().map(op).collect();
        let program = format!(
            "entry func f(x: u<P>8 x 1) -> (y: u<P>8 x 1) {{\n  %0 = load x[0] : u<P>8 x 1\n{body}  store y[0] %{}\n}}\n",
            ops.len()
        );
        let before = text::parse(&program).expect("it is well-formed");
        let mut after = before.clone();
        run(&mut after, isa::find("ssse3").expect("a target"));
        assert_ne!(after, before);
        for x in 0..256 {
            assert_eq!(
                interp::run(&after, &[vec![x]]),
                interp::run(&before, &[vec![x]]),
                "{ops:?}"
            );
        }
    }

    const MAP: &str = "affine [1, 3, 4, 8, 0x10, 0x20, 0x40, 0xff] 0x63";
    const INVERSE: &str = "invert [1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80] 0";
    const SUB_BYTES: &str = "invert [0x1f, 0x3e, 0x7c, 0xf8, 0xf1, 0xe3, 0xc7, 0x8f] 0x63";

    #[test]
    fn tables_are_what_they_were() {
        let table: Vec<String> = (0..256).map(|x| ((x * x * 7 % 256) ^ x).to_string()).collect();
        let any = format!("substitute [{}]", table.join(", "));
        for op in [MAP, INVERSE, SUB_BYTES, &any] {
            stays(&[op]);
            stays(&[MAP, op]);
        }
    }
}
