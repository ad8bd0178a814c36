//! What batches make of the offsets of the first one is what they would make of their own numbers.

use nakiri::core::text::parse;
use nakiri::core::verify::verify;
use nakiri::core::{interp, Program};
use nakiri::pass::offsets::{Number, Offsets};

/// A product of the number and a key, and a bit of the number in all places, added to a block before and behind what is not affine.
const MASKED: &str = "
entry func F(k: const u<P>8 x 16[1], n: u<P>8 x 16[1], p: u<P>8 x 16[1]) -> (c: u<P>8 x 16[1]) {
  %0 = load k[0] : u<P>8 x 16
  %1 = load n[0] : u<P>8 x 16
  %2 = load p[0] : u<P>8 x 16
  %3 = clmul_low_low %1, %0 : u<P>8 x 16
  %4 = permute [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] %1 : u<P>8 x 16
  %5 = bitmask 0 %4 : u<P>8 x 16
  %6 = and %5, %0 : u<P>8 x 16
  %7 = xor %3, %6 : u<P>8 x 16
  %8 = xor %2, %7 : u<P>8 x 16
  %9 = add %8, %0 : u<P>8 x 16
  %10 = xor %9, %7 : u<P>8 x 16
  store c[0] %10
}
";

const KEY: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;

fn program(text: &str) -> Program {
    let program = parse(text).expect("it is well-formed");
    verify(&program).unwrap_or_else(|message| panic!("{message}"));
    program
}

/// A block of a text.
fn block(at: u128) -> u128 {
    (at + 1).wrapping_mul(KEY).rotate_left((at % 128) as u32)
}

/// Compares runs of so many batches of so many blocks with block after block.
fn compare(text: &str, first: u64, [batches, lanes]: [u32; 2]) -> Option<()> {
    let single = program(text);
    let offsets = Offsets::find(&single, Number { param: 1, first })?;
    let made = offsets.first(&single);
    let mut several = single.clone();
    offsets.interleave(&mut several, [batches, lanes])?;
    for own in [&made, &several] {
        verify(own).unwrap_or_else(|message| panic!("{message}"));
    }
    let blocks = u128::from(batches * lanes);
    let number = |at: u128| u128::from(first) + at;
    for begin in [0, 5 * blocks] {
        let offsets =
            |at: u128| interp::run(&made, &[vec![KEY], vec![number(begin + at)]]).swap_remove(0);
        for run in [0, 1, 2, 3, 7, 8, 63, 1 << 30] {
            for lane in 0..u128::from(lanes) {
                let ats = || (0..u128::from(batches)).map(|batch| batch * u128::from(lanes) + lane);
                let here = |at: u128| begin + run * blocks + at;
                let numbers = ats().map(|at| number(here(at))).collect();
                let texts = ats().map(|at| block(here(at))).collect();
                let given = [vec![KEY], numbers, texts, ats().flat_map(offsets).collect()];
                let one = |at: u128| {
                    interp::run(&single, &[vec![KEY], vec![number(at)], vec![block(at)]])[0][0]
                };
                let expected: Vec<u128> = ats().map(|at| one(here(at))).collect();
                assert_eq!(interp::run(&several, &given)[0], expected, "from {first}, run {run}");
            }
        }
    }
    Some(())
}

#[test]
fn batches_make_their_offsets_of_the_first_ones() {
    for first in [0, 1, 2, 3, 5] {
        for [batches, lanes] in [[8, 1], [8, 2], [4, 4], [2, 1]] {
            let most = u64::from((batches - 1) * lanes);
            let alike = first + u64::from(lanes) <= most;
            assert_eq!(compare(MASKED, first, [batches, lanes]).is_some(), alike);
        }
    }
}

#[test]
fn only_what_is_affine_is_taken_from_the_first() {
    // A square of the number, and a sum: what is left is the number itself.
    for other in ["clmul_low_low %1, %1", "add %1, %0"] {
        let text = MASKED.replace("clmul_low_low %1, %0", other);
        compare(&text, 1, [8, 2]).expect("most batches are alike");
    }
}

#[test]
fn runs_that_no_bits_count_are_left() {
    assert_eq!(compare(MASKED, 1, [3, 2]), None);
    assert_eq!(compare(&MASKED.replace("load n[0]", "load p[0]"), 1, [4, 2]), None);
}
