//! Blocks hashed by Horner's rule side by side are what they are one after another.

use nakiri::core::text::parse;
use nakiri::core::verify::verify;
use nakiri::core::{interp, Program};
use nakiri::pass::chain::{self, Links};
use nakiri::pass::horner::Horner;

/// A step of POLYVAL (RFC 8452), which takes the sum of a block and a key, and gives that beside it.
const STEP: &str = "
entry func F(x: u<P>8 x 16[1], k: u<P>8 x 16[1], h: u<P>8 x 16[1], block: u<P>8 x 16[1]) -> (c: u<P>8 x 16[1], x2: u<P>8 x 16[1]) {
  %0 = load block[0] : u<P>8 x 16
  %1 = load k[0] : u<P>8 x 16
  %2 = load x[0] : u<P>8 x 16
  %3 = xor %2, %0 : u<P>8 x 16
  %4 = xor %3, %1 : u<P>8 x 16
  %5 = xor %0, %1 : u<P>8 x 16
  store c[0] %5
  %6 = load h[0] : u<P>8 x 16
  %7 = clmul_low_low %4, %6 : u<P>8 x 16
  %8 = clmul_high_low %4, %6 : u<P>8 x 16
  %9 = clmul_low_high %4, %6 : u<P>8 x 16
  %10 = xor %8, %9 : u<P>8 x 16
  %11 = permute [8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7] %7 : u<P>8 x 16
  %12 = xor %10, %11 : u<P>8 x 16
  %13 = const 0xc200000000000000 : u<P>8 x 16
  %14 = clmul_low_low %7, %13 : u<P>8 x 16
  %15 = xor %12, %14 : u<P>8 x 16
  %16 = clmul_high_high %4, %6 : u<P>8 x 16
  %17 = permute [8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7] %15 : u<P>8 x 16
  %18 = xor %16, %17 : u<P>8 x 16
  %19 = clmul_low_low %15, %13 : u<P>8 x 16
  %20 = xor %18, %19 : u<P>8 x 16
  store x2[0] %20
}
";

fn step(text: &str) -> (Program, Links) {
    let program = parse(text).expect("it is well-formed");
    verify(&program).unwrap_or_else(|message| panic!("{message}"));
    (program, Links { carried: vec![(0, 1)], kept: vec![1, 2] })
}

/// Rows that have nothing to do with one another.
fn row(seed: u128) -> u128 {
    (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835).rotate_left(seed as u32 * 7)
}

fn products(program: &Program) -> usize {
    program.to_string().matches("= clmul").count()
}

/// Compares the blocks by powers with one block after another.
fn compare(horner: &Horner, program: &Program, original: &Program, links: &Links, blocks: u32) {
    let powers = horner.powers(program, blocks);
    let mut chained = program.clone();
    horner.chain(&mut chained, blocks, links);
    for made in [&powers, &chained] {
        verify(made).unwrap_or_else(|message| panic!("{message}"));
    }
    let (mut x, k, h) = (row(100), row(101), row(102));
    let own: Vec<u128> = (0..blocks).map(|block| row(block.into())).collect();
    let powers = interp::run(&powers, &[vec![h]]).remove(0);
    let given = [vec![x], vec![k], vec![h], own.clone(), powers];
    let mut made = Vec::new();
    for block in own {
        let results = interp::run(original, &[vec![x], vec![k], vec![h], vec![block]]);
        made.extend(results[0].iter().copied());
        x = results[1][0];
    }
    assert_eq!(interp::run(&chained, &given), [made, vec![x]], "{blocks} blocks");
}

#[test]
fn blocks_by_powers_are_blocks_one_after_another() {
    let (original, links) = step(STEP);
    let mut program = original.clone();
    let plain = Horner::find(&program, &links).expect("it is Horner's rule");
    let fewer = plain.karatsuba(&mut program).expect("halves are multiplied crosswise");
    for blocks in 1..10 {
        compare(&plain, &program, &original, &links, blocks);
        compare(&fewer, &program, &original, &links, blocks);
    }
}

#[test]
fn a_reduction_is_done_once() {
    let (mut program, links) = step(STEP);
    let plain = Horner::find(&program, &links).expect("it is Horner's rule");
    let fewer = plain.karatsuba(&mut program).expect("halves are multiplied crosswise");
    for (horner, of_block) in [(plain, 4), (fewer, 3)] {
        let mut chained = program.clone();
        horner.chain(&mut chained, 8, &links);
        assert_eq!(products(&chained), 8 * of_block + 2);
        assert_eq!(products(&horner.powers(&program, 8)), 7 * (of_block + 2));
    }
    chain::run(&mut program, 8, &links);
    assert_eq!(products(&program), 8 * 6);
}

#[test]
fn what_only_looks_like_the_rule_is_none() {
    let instead = |from: &str, to: &str| {
        assert!(STEP.contains(from), "{from}");
        let (program, links) = step(&STEP.replacen(from, to, 1));
        Horner::find(&program, &links)
    };
    // Polynomials with another modulus are multiplied as well.
    assert!(instead("0xc200000000000000", "0x8700000000000000").is_some());
    // Not associative: half of a reduction, half of a product.
    assert!(instead("xor %16, %17", "xor %16, %12").is_none());
    assert!(instead("clmul_high_low %4, %6", "clmul_low_low %4, %6").is_none());
    // Not bilinear: a sum or a bit of the factor that is left over, a constant, both factors from the text.
    assert!(instead("xor %8, %9", "add %8, %9").is_none());
    assert!(instead("xor %18, %19", "xor %18, %4").is_none());
    assert!(instead("xor %18, %19", "xor %18, %13").is_none());
    assert!(instead("clmul_low_high %4, %6", "clmul_low_high %4, %4").is_none());
    // What goes from block to block is given, too.
    assert!(instead("store c[0] %5", "store c[0] %4").is_none());
    assert!(instead("xor %0, %1", "xor %0, %2").is_none());
}

#[test]
fn a_factor_that_changes_is_no_power() {
    let (program, mut links) = step(STEP);
    links.kept.retain(|param| *param != 2);
    assert!(Horner::find(&program, &links).is_none());
}

/// Compares turns of so many registers of lanes with one block after another.
fn compare_lanes(
    horner: &Horner,
    program: &Program,
    (original, links): (&Program, &Links),
    [lanes, batches, turns]: [usize; 3],
) {
    let blocks = lanes * batches;
    let powers = horner.powers_in_lanes(program, lanes as u32, batches as u32);
    let mut steps = program.clone();
    horner.in_lanes(&mut steps, batches as u32, links);
    for made in [&powers, &steps] {
        verify(made).unwrap_or_else(|message| panic!("{message}"));
    }
    let (mut x, k, h) = (row(100), row(101), row(102));
    let powers = interp::run(&powers, &[vec![h]]).remove(0);
    let own: Vec<u128> = (0..blocks * turns).map(|block| row(block as u128)).collect();
    let mut carried = vec![0; lanes];
    carried[0] = x;
    for (turn, blocks_of_turn) in own.chunks(blocks).enumerate() {
        let set = usize::from(turn + 1 == turns) * horner.maps() as usize;
        for (lane, x) in carried.iter_mut().enumerate() {
            let of_lane = |all: &[u128]| -> Vec<u128> {
                all.iter().skip(lane).step_by(lanes).copied().collect()
            };
            let mut before = vec![0; batches];
            before[0] = *x;
            let mut given = vec![before, vec![k], vec![h], of_lane(blocks_of_turn)];
            let maps = powers[set * blocks..].chunks(blocks).take(horner.maps() as usize);
            given.extend(maps.map(of_lane));
            let results = interp::run(&steps, &given);
            assert!(results[1][1..].iter().all(|rest| *rest == 0));
            *x = results[1][0];
        }
    }
    for block in own {
        x = interp::run(original, &[vec![x], vec![k], vec![h], vec![block]])[1][0];
    }
    let sum = carried.into_iter().fold(0, |sum, x| sum ^ x);
    assert_eq!(sum, x, "{lanes} lanes, {batches} registers, {turns} turns");
}

#[test]
fn blocks_in_lanes_are_blocks_one_after_another() {
    let (original, links) = step(STEP);
    let mut program = original.clone();
    let plain = Horner::find(&program, &links).expect("it is Horner's rule");
    let fewer = plain.karatsuba(&mut program).expect("halves are multiplied crosswise");
    for sizes in [[2, 1, 1], [2, 3, 2], [4, 1, 3], [4, 2, 2], [4, 4, 1]] {
        compare_lanes(&plain, &program, (&original, &links), sizes);
        compare_lanes(&fewer, &program, (&original, &links), sizes);
    }
}
