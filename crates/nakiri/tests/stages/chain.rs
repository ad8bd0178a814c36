//! Several blocks of one text in one kernel are what they are one after another.

use nakiri::core::text::parse;
use nakiri::core::verify::verify;
use nakiri::core::{interp, Program};
use nakiri::pass::chain::{self, Links};

/// A step of two carried words, which change places, a counter and a kept pair; the block's own are two words and one.
const STEP: &str = "
entry func F(a: u<V>32[1], k: u<V>32[2], x: u<V>32[2], b: u<V>32[1], n: u<V>32[1]) -> (y: u<V>32[1], b2: u<V>32[1], a2: u<V>32[1], n2: u<V>32[1]) {
  %0 = load k[0] : u<V>32
  %1 = load k[1] : u<V>32
  %2 = xor %0, %1 : u<V>32
  %3 = load a[0] : u<V>32
  %4 = load x[0] : u<V>32
  %5 = load x[1] : u<V>32
  %6 = add %3, %4 : u<V>32
  %7 = xor %6, %2 : u<V>32
  %8 = load b[0] : u<V>32
  store a2[0] %8
  %9 = xor %7, %5 : u<V>32
  store b2[0] %9
  %10 = load n[0] : u<V>32
  %11 = add %10, %2 : u<V>32
  store n2[0] %11
  %12 = and %9, %10 : u<V>32
  store y[0] %12
}
";

fn step() -> (Program, Links) {
    let program = parse(STEP).expect("it is well-formed");
    (program, Links { carried: vec![(0, 2), (3, 1), (4, 3)], kept: vec![1] })
}

#[test]
fn blocks_in_a_row_are_blocks_one_after_another() {
    let (program, links) = step();
    assert!(chain::is_legal(&program));
    for blocks in 1..6 {
        let mut chained = program.clone();
        chain::run(&mut chained, blocks, &links);
        verify(&chained).unwrap_or_else(|message| panic!("{message}"));
        let (mut a, mut b, mut n) = (0x0123_4567, 0x89ab_cdef, 0xffff_fff0);
        let kept = vec![0x1111_2222, 0x3333_0000];
        let own: Vec<u128> =
            (0..2 * u128::from(blocks)).map(|k| ((k + 1) * 0x9e37_79b9) & 0xffff_ffff).collect();
        let given = [vec![a], kept.clone(), own.clone(), vec![b], vec![n]];
        let mut made = Vec::new();
        for x in own.chunks(2) {
            let input = [vec![a], kept.clone(), x.to_vec(), vec![b], vec![n]];
            let results = interp::run(&program, &input);
            made.extend(results[0].iter().copied());
            (b, a, n) = (results[1][0], results[2][0], results[3][0]);
        }
        let want = vec![made, vec![b], vec![a], vec![n]];
        assert_eq!(interp::run(&chained, &given), want, "{blocks} blocks");
    }
}

#[test]
fn what_is_kept_is_computed_once() {
    let (mut program, links) = step();
    let before = program.entry().body.len();
    chain::run(&mut program, 4, &links);
    // Of each further block three sums, an exclusive or, a conjunction, two loads and the store of its result.
    assert_eq!(program.entry().body.len(), before + 3 * 8);
}
