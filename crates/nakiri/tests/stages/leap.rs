//! Many steps of a linear map at once are so many steps.

use nakiri::core::text::parse;
use nakiri::core::verify::verify;
use nakiri::core::{interp, Program};
use nakiri::pass::chain::Links;
use nakiri::pass::leap::Leap;

/// Times X, modulo X^128 + X^7 + X^2 + X + 1 (IEEE 1619, section 5.2): XTS's mask from block to block.
const DOUBLED: &str = "
entry func F(t: u<P>8 x 16[1]) -> (t2: u<P>8 x 16[1]) {
  %0 = load t[0] : u<P>8 x 16
  %1 = shl 1 %0 : u<P>8 x 16
  %2 = permute [15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14] %0 : u<P>8 x 16
  %3 = bitmask 7 %2 : u<P>8 x 16
  %4 = const 0x01010101010101010101010101010187 : u<P>8 x 16
  %5 = and %3, %4 : u<P>8 x 16
  %6 = xor %1, %5 : u<P>8 x 16
  store t2[0] %6
}
";

fn program(text: &str) -> Program {
    let program = parse(text).expect("it is well-formed");
    verify(&program).unwrap_or_else(|message| panic!("{message}"));
    program
}

fn leap(text: &str, steps: u32) -> Option<Leap> {
    Leap::of(&program(text), &Links { carried: vec![(0, 0)], kept: vec![] }, steps)
}

/// Rows that have nothing to do with one another.
fn row(seed: u128) -> u128 {
    (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835).rotate_left(seed as u32 * 7)
}

#[test]
fn a_leap_is_so_many_steps() {
    let step = program(DOUBLED);
    for steps in [8, 16, 32, 56] {
        let leap = leap(DOUBLED, steps).expect("it moves whole bytes");
        let mut appended = step.clone();
        let entry = appended.entry.index();
        leap.append(&mut appended.funcs[entry], 0);
        verify(&appended).unwrap_or_else(|message| panic!("{message}"));
        for seed in 0..20 {
            let before = row(seed);
            let many = (0..steps).fold(before, |t, _| interp::run(&step, &[vec![t]])[0][0]);
            assert_eq!(leap.apply(before), many, "{steps} steps");
            assert_eq!(interp::run(&appended, &[vec![before]])[1][0], many, "{steps} steps");
        }
    }
}

#[test]
fn what_moves_parts_of_bytes_is_none() {
    for steps in [1, 4, 12, 64] {
        assert_eq!(leap(DOUBLED, steps), None, "{steps} steps");
    }
}

#[test]
fn what_is_not_linear_by_its_form_is_none() {
    // The sum of a value and itself is linear, but nothing says so; with a constant it is affine.
    for other in ["add %0, %0", "xor %0, %4"] {
        let text = DOUBLED.replace("= shl 1 %0 :", &format!("= {other} :"));
        let moved =
            text.replace("  %4 = const 0x01010101010101010101010101010187 : u<P>8 x 16\n", "");
        let constant = "  %4 = const 0x01010101010101010101010101010187 : u<P>8 x 16\n  %1 =";
        let text = moved.replace("  %1 =", constant);
        assert_eq!(leap(&text, 16), None, "{other}");
    }
}

#[test]
fn another_multiple_is_none() {
    // The bit that leaves comes back elsewhere: what eight of them add is no multiple by X of what one does.
    let text = DOUBLED.replace("010101010187", "010101020187");
    assert_eq!(leap(&text, 16), None);
}
