//! Rounds of AES into which the key goes first, where a target has no others.
//!
//! A round of a sum takes its terms for state and key; its own key is a sum behind it, and so the key of the round after it.
//! Guarantees: no round is left that the target lacks.

use super::rewrite;
use crate::core::{Instruction, Op, Program, ValueId};
use crate::isa::Target;
use rustc_hash::{FxHashMap, FxHashSet};

/// Puts keys in front of rounds.
pub fn run(program: &mut Program, target: &Target) {
    let lacks = |instruction| !target.has_instruction(instruction);
    for func in &mut program.funcs {
        let mut sums: FxHashMap<ValueId, [ValueId; 2]> = FxHashMap::default();
        let mut zeros = FxHashSet::default();
        rewrite::run(func, &mut |writer, instr| {
            let result = instr.results[0];
            match (&instr.op, &instr.args[..]) {
                (Op::Const(0), _) => {
                    zeros.insert(result);
                }
                (Op::Xor, &[a, b]) => {
                    sums.insert(result, [a, b]);
                }
                (&Op::Instruction(own @ Instruction::Aes(aes)), &[state, key]) if lacks(own) => {
                    let keyed = Instruction::Aes(aes.keyed().expect("the target has one of them"));
                    let terms = match sums.get(&state) {
                        Some(terms) => *terms,
                        None => [state, writer.constant(0)],
                    };
                    let round = writer.write(Op::Instruction(keyed), &terms);
                    if !zeros.contains(&key) {
                        writer.sum(round, key);
                        sums.insert(result, [round, key]);
                    }
                    return true;
                }
                _ => {}
            }
            false
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::{interp, text};
    use crate::isa;

    #[test]
    fn keys_go_into_the_next_round() {
        let program = "entry func f(x: u<P>8 x 16[4]) -> (y: u<P>8 x 16) {
  %0 = load x[0] : u<P>8 x 16
  %1 = load x[1] : u<P>8 x 16
  %2 = load x[2] : u<P>8 x 16
  %3 = load x[3] : u<P>8 x 16
  %4 = const 0 : u<P>8 x 16
  %5 = xor %0, %1 : u<P>8 x 16
  %6 = aes_round %5, %2 : u<P>8 x 16
  %7 = aes_inverse_round %6, %4 : u<P>8 x 16
  %8 = aes_last %7, %3 : u<P>8 x 16
  store y[0] %8
}
";
        let before = text::parse(program).expect("it is well-formed");
        let mut after = before.clone();
        run(&mut after, isa::find("neon+aes").expect("a target"));
        let text = after.to_string();
        assert!(text.contains("aes_keyed_round %0, %1"), "{text}");
        assert!(!text.contains(" aes_round") && !text.contains(" aes_last"), "{text}");
        let sums = text.matches(" xor ").count();
        // That of the first round, which nothing reads now; the key of the second one; and the last key.
        assert_eq!(sums, 3, "{text}");
        let rows = [0x0123_4567_89ab_cdef_u128 << 50, 1 << 127, 0x1111, 7];
        let of = |program: &Program| interp::run(program, &[rows.to_vec()]);
        assert_eq!(of(&after), of(&before));
    }
}
