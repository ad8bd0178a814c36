//! Carry-less products of rows where a target has no instruction for them.
//!
//! A product is a sum of the second factor, moved up by as many bits as the place of each bit of the first one says, under masks that
//! these bits are. Sums of those that are moved by the same number of bits within a byte are moved once. Of a factor that is a constant
//! only the bits that are set are looked at.
//!
//! Needs: no forall. Guarantees: no product is left that the target has not; calls of these nodes are kept only if it has them or [can] be without.

use super::rewrite::{self, Writer};
use crate::core::clmul::Clmul;
use crate::core::{Direction, Instruction, Op, OpKind, Program, ValueId};
use crate::isa::Target;
use rustc_hash::FxHashMap;

/// The bytes of a row.
const BYTES: u16 = 16;

/// What a product is made of.
const PARTS: [OpKind; 6] =
    [OpKind::Permute, OpKind::Bitmask, OpKind::And, OpKind::Xor, OpKind::Shl, OpKind::Shr];

/// Whether an instruction is a product, and a target has all that one is made of here.
pub fn can(target: &Target, instruction: Instruction) -> bool {
    let has = |kind| target.instance(kind, Direction::P, 8).is_some();
    matches!(instruction, Instruction::Clmul(_)) && PARTS.into_iter().all(has)
}

/// Writes products out.
pub fn run(program: &mut Program, target: &Target) {
    for func in &mut program.funcs {
        let mut constants: FxHashMap<ValueId, u128> = FxHashMap::default();
        rewrite::run(func, &mut |writer, instr| match instr.op {
            Op::Const(row) => {
                constants.insert(instr.results[0], row);
                false
            }
            Op::Instruction(own @ Instruction::Clmul(halves)) if !target.has_instruction(own) => {
                let [a, b] = factors(halves, [instr.args[0], instr.args[1]], &constants);
                product(writer, a, b);
                true
            }
            _ => false,
        });
    }
}

/// A half of a row.
#[derive(Clone, Copy)]
struct Factor {
    row: ValueId,
    /// The number of its first byte.
    first: u16,
    /// Its bits, if they are known.
    bits: Option<u64>,
}

impl Factor {
    /// Whether a bit may be set.
    fn has(&self, bit: u16) -> bool {
        self.bits.is_none_or(|bits| bits >> bit & 1 == 1)
    }
}

/// The factors, first that by whose bits the other one is moved.
fn factors(halves: Clmul, rows: [ValueId; 2], constants: &FxHashMap<ValueId, u128>) -> [Factor; 2] {
    let high = match halves {
        Clmul::LowLow => [false, false],
        Clmul::HighLow => [true, false],
        Clmul::LowHigh => [false, true],
        Clmul::HighHigh => [true, true],
    };
    let factor = |k: usize| {
        let first = if high[k] { BYTES / 2 } else { 0 };
        let bits = constants.get(&rows[k]).map(|row| (row >> (8 * first)) as u64);
        Factor { row: rows[k], first, bits }
    };
    let [a, b] = [factor(0), factor(1)];
    match a.bits.is_some() {
        true => [a, b],
        // The second one is often the same for many blocks, and so are its masks.
        false => [b, a],
    }
}

/// The product, which is the last that is written.
fn product(writer: &mut Writer, by: Factor, of: Factor) {
    let used = |byte: u16| (0..8).any(|bit| by.has(8 * byte + bit));
    let moved: Vec<Option<ValueId>> = (0..BYTES / 2)
        .map(|bytes| used(bytes).then(|| permuted(writer, of.row, |k| moved_from(of, k, bytes))))
        .collect();
    let spread: Vec<Option<ValueId>> = (0..BYTES / 2)
        .map(|byte| {
            let is_open = by.bits.is_none();
            is_open.then(|| permuted(writer, by.row, |_| Some(by.first + byte)))
        })
        .collect();
    let (mut low, mut high) = (Vec::new(), Vec::new());
    for bit in 0..8 {
        let mut terms = Vec::new();
        for byte in (0..BYTES / 2).filter(|byte| by.has(8 * byte + bit)) {
            let moved = moved[usize::from(byte)].expect("it is used");
            terms.push(match spread[usize::from(byte)] {
                Some(spread) => {
                    let mask = writer.write(Op::Bitmask(bit), &[spread]);
                    writer.write(Op::And, &[mask, moved])
                }
                None => moved,
            });
        }
        let Some(sum) = writer.sums(terms) else { continue };
        if bit > 0 {
            high.push(writer.write(Op::Shr(8 - bit), &[sum]));
            low.push(writer.write(Op::Shl(bit), &[sum]));
        } else {
            low.push(sum);
        }
    }
    let zero = writer.constant(0);
    let (low, high) = (writer.sums(low).unwrap_or(zero), writer.sums(high).unwrap_or(zero));
    let carried = permuted(writer, high, |k| k.checked_sub(1));
    writer.sum(low, carried);
}

/// From which byte of a row its half comes that is moved up.
fn moved_from(of: Factor, k: u16, bytes: u16) -> Option<u16> {
    k.checked_sub(bytes).filter(|from| *from < BYTES / 2).map(|from| of.first + from)
}

fn permuted(writer: &mut Writer, row: ValueId, from: impl Fn(u16) -> Option<u16>) -> ValueId {
    writer.write(Op::Permute((0..BYTES).map(from).collect()), &[row])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::{interp, text};
    use crate::isa;

    const A: u128 = 0x0123_4567_89ab_cdef_1020_4081_fe03_9c5d;
    const B: u128 = 0x8000_0000_0000_0001_d3b1_0000_c200_0087;

    /// That a program of a product has none, and computes it.
    fn stays(body: &str, rows: &[u128]) {
        let program = format!(
            "entry func f(x: u<P>8 x 16[2]) -> (y: u<P>8 x 16) {{\n  %0 = load x[0] : u<P>8 x 16\n{body}  store y[0] %2\n}}\n"
        );
        let before = text::parse(&program).expect("it is well-formed");
        let mut after = before.clone();
        run(&mut after, isa::find("ssse3").expect("a target"));
        let has_product = |program: &Program| program.to_string().contains("clmul");
        assert!(has_product(&before) && !has_product(&after));
        let of = |program: &Program| interp::run(program, &[rows.to_vec()]);
        assert_eq!(of(&after), of(&before));
    }

    #[test]
    fn products_are_what_they_were() {
        for halves in Clmul::ALL {
            let name = halves.name();
            let ty = ": u<P>8 x 16\n";
            let two = format!("  %1 = load x[1] {ty}  %2 = {name} %0, %1 {ty}");
            let constant = format!("  %1 = const 0x{B:x} {ty}  %2 = {name} %0, %1 {ty}");
            let first = format!("  %1 = const 0x{B:x} {ty}  %2 = {name} %1, %0 {ty}");
            for bit in 0..128 {
                stays(&two, &[1 << bit, B]);
                stays(&two, &[A, 1 << bit]);
            }
            for body in [two, constant, first] {
                for rows in [[A, B], [B, A], [0, A], [u128::MAX, B]] {
                    stays(&body, &rows);
                }
            }
        }
    }
}
