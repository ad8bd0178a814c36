//! Sums and products from gates (`--soft-arith`). Bits come most significant first.

use super::Builder;
use crate::core::{Op, ValueId};

/// `a + b`: a ripple-carry adder.
pub fn add(build: &mut Builder, a: &[ValueId], b: &[ValueId]) -> Vec<ValueId> {
    let carry = build.emit(Op::Const(0), &[]);
    ripple(build, a, b, carry)
}

/// `a - b`, as `a + ~b + 1`.
pub fn sub(build: &mut Builder, a: &[ValueId], b: &[ValueId]) -> Vec<ValueId> {
    let complement: Vec<ValueId> = b.iter().map(|&bit| build.emit(Op::Not, &[bit])).collect();
    let carry = build.emit(Op::Const(1), &[]);
    ripple(build, a, &complement, carry)
}

/// `a * b`: the sum of the shifted multiples of `a`, one for each bit of `b`.
pub fn mul(build: &mut Builder, a: &[ValueId], b: &[ValueId]) -> Vec<ValueId> {
    let width = a.len();
    let zero = build.emit(Op::Const(0), &[]);
    let mut sum = vec![zero; width];
    for (shift, &bit) in b.iter().rev().enumerate() {
        // Only the upper part changes: the bits below `shift` are final.
        let multiple: Vec<ValueId> =
            a[shift..].iter().map(|&x| build.emit(Op::And, &[x, bit])).collect();
        let upper = add(build, &sum[..width - shift], &multiple);
        sum[..width - shift].copy_from_slice(&upper);
    }
    sum
}

fn ripple(build: &mut Builder, a: &[ValueId], b: &[ValueId], mut carry: ValueId) -> Vec<ValueId> {
    let mut sum = Vec::with_capacity(a.len());
    for (&x, &y) in a.iter().zip(b).rev() {
        let half = build.emit(Op::Xor, &[x, y]);
        sum.push(build.emit(Op::Xor, &[half, carry]));
        // The carry is the majority of three: it is `x` unless `x` and `y` differ.
        let differs = build.emit(Op::Xor, &[x, carry]);
        let propagated = build.emit(Op::And, &[half, differs]);
        carry = build.emit(Op::Xor, &[x, propagated]);
    }
    sum.reverse();
    sum
}
