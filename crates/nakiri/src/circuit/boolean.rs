//! Boolean functions as bit vectors of all their values.

use super::{input_word, Table};

/// A function of some inputs: bit `i` is the value at index `i`. Functions of fewer than six
/// inputs are repeated to fill a word, so no masks are needed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Function(Box<[u64]>);

impl Function {
    /// The function that is zero everywhere.
    pub(super) fn zero(inputs: usize) -> Function {
        Function(vec![0; (1usize << inputs).div_ceil(64)].into())
    }

    /// The function that is input `input` of `inputs`.
    pub(super) fn input(inputs: usize, input: usize) -> Function {
        let words = (1usize << inputs).div_ceil(64);
        Function((0..words).map(|word| input_word(inputs as u8, input as u8, word * 64)).collect())
    }

    /// Output `output` of `table`.
    pub(super) fn output(table: &Table, output: usize) -> Function {
        let size = 1usize << table.inputs;
        let word = |word: usize| {
            (0..64).fold(0, |bits, bit| {
                bits | u64::from(table.bit((word * 64 + bit) % size, output)) << bit
            })
        };
        Function((0..size.div_ceil(64)).map(word).collect())
    }

    /// The words of the bit vector.
    pub(super) fn words(&self) -> &[u64] {
        &self.0
    }

    fn map(&self, other: &Function, operation: impl Fn(u64, u64) -> u64) -> Function {
        Function(self.0.iter().zip(&other.0).map(|(&a, &b)| operation(a, b)).collect())
    }

    /// The conjunction with `other`.
    pub(super) fn and(&self, other: &Function) -> Function {
        self.map(other, |a, b| a & b)
    }

    /// The sum with `other`.
    pub(super) fn xor(&self, other: &Function) -> Function {
        self.map(other, |a, b| a ^ b)
    }

    /// The complement if `inverted`, or else the function itself.
    pub(super) fn invert_if(&self, inverted: bool) -> Function {
        let mask = if inverted { u64::MAX } else { 0 };
        Function(self.0.iter().map(|word| word ^ mask).collect())
    }

    /// Whether the function is one at index 0.
    pub(super) fn first(&self) -> bool {
        self.0[0] & 1 == 1
    }

    /// The function itself or its complement, whichever is zero at index 0.
    pub(super) fn normalized(&self) -> Function {
        self.invert_if(self.first())
    }

    /// The value if the function is constant.
    pub(super) fn constant(&self) -> Option<bool> {
        let first = if self.first() { u64::MAX } else { 0 };
        self.0.iter().all(|&word| word == first).then_some(self.first())
    }

    /// Whether `other` is one wherever this function is, both complemented on demand.
    pub(super) fn implies(&self, inverted: bool, other: &Function, other_inverted: bool) -> bool {
        let mask = if inverted { u64::MAX } else { 0 };
        let other_mask = if other_inverted { u64::MAX } else { 0 };
        self.0.iter().zip(&other.0).all(|(a, b)| (a ^ mask) & !(b ^ other_mask) == 0)
    }

    /// The function with input `input` of `inputs` fixed to `value`.
    pub(super) fn cofactor(&self, inputs: usize, input: usize, value: bool) -> Function {
        let bit = inputs - 1 - input;
        let keep = |word: u64| input_word(inputs as u8, input as u8, word as usize * 64);
        if bit >= 6 {
            let stride = 1 << (bit - 6);
            let source = |word: usize| if value { word | stride } else { word & !stride };
            return Function((0..self.0.len()).map(|word| self.0[source(word)]).collect());
        }
        let shift = 1u32 << bit;
        let ones = keep(0);
        let fix = |&word: &u64| match value {
            true => word & ones | (word & ones) >> shift,
            false => word & !ones | (word & !ones) << shift,
        };
        Function(self.0.iter().map(fix).collect())
    }

    /// Whether the function depends on input `input` of `inputs`.
    pub(super) fn depends_on(&self, inputs: usize, input: usize) -> bool {
        self.cofactor(inputs, input, false) != self.cofactor(inputs, input, true)
    }
}
