//! Functions of three inputs as bytes: bit i is the value where input k is bit k of i. A function of fewer inputs
//! doesn't depend on the others.

use crate::core::{semantics, Op};
use smallvec::SmallVec;

const INPUTS: [u8; 3] = [0b1010_1010, 0b1100_1100, 0b1111_0000];

/// The functions that are the inputs themselves.
pub fn inputs() -> [u8; 3] {
    INPUTS
}

/// The function `outer` of three functions.
pub fn compose(outer: u8, [a, b, c]: [u8; 3]) -> u8 {
    (0..8).filter(|i| outer >> i & 1 == 1).fold(0, |sum, i| {
        let term = |bit: u8, x: u8| if i >> bit & 1 == 1 { x } else { !x };
        sum | (term(0, a) & term(1, b) & term(2, c))
    })
}

/// A gate of functions.
pub fn apply(op: &Op, tables: &[u8]) -> u8 {
    let args: SmallVec<[u128; 3]> = tables.iter().map(|&table| u128::from(table)).collect();
    semantics::eval(op, 8, &args).expect("gates are pure") as u8
}

/// Whether the function depends on input `input`.
pub(super) fn depends(table: u8, input: usize) -> bool {
    let high = INPUTS[input];
    (table & high) >> (1 << input) != table & !high
}

/// The function of fewer inputs where some of `leaves` don't matter: how many remain, in front and in their order.
pub(super) fn reduce(leaves: &mut [u32; 3], len: usize, table: u8) -> (usize, u8) {
    let mut places = INPUTS;
    let mut kept = 0;
    for input in 0..len {
        if depends(table, input) {
            leaves[kept] = leaves[input];
            places[input] = INPUTS[kept];
            kept += 1;
        }
    }
    (kept, compose(table, places))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_compose_and_lose_what_they_do_not_need() {
        let [a, b, c] = INPUTS;
        assert_eq!(compose(a & b | c, [b, c, a]), b & c | a);
        assert!(depends(a ^ c, 0) && !depends(a ^ c, 1) && depends(a ^ c, 2));
        let mut leaves = [7, 8, 9];
        assert_eq!(reduce(&mut leaves, 3, a ^ c), (2, a ^ b));
        assert_eq!(leaves[..2], [7, 9]);
        assert_eq!(reduce(&mut leaves, 2, !0), (0, !0));
    }
}
