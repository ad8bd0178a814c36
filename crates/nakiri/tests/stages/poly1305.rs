//! The limbs of Poly1305 hold what is added up in them: numbers modulo 2^130 - 5, at the bounds of limbs too. Before carries all is sums
//! of products, which are largest where all limbs are.

use nakiri::check::{check, NoFiles, Options};
use nakiri::core::{interp, Program};
use nakiri::source::SourceMap;
use num_bigint::BigUint;

const LIMB: u128 = 1 << 26;
/// What carries may leave in each limb.
const MOST: [u128; 5] = [LIMB - 1, LIMB + (1 << 14), LIMB - 1, LIMB - 1, LIMB + (1 << 12)];

fn node(name: &str) -> Program {
    let mut sources = SourceMap::default();
    let text = include_str!("../../../../modes/poly1305/blocks.ua");
    let file = sources.add("blocks.ua", text);
    let (checked, diagnostics) = check(&mut sources, file, &mut NoFiles, &Options::default());
    assert!(diagnostics.is_empty(), "{diagnostics:#?}");
    checked.and_then(|checked| checked.program_for(name)).expect("a node")
}

fn modulus() -> BigUint {
    (BigUint::from(1u8) << 130) - 5u8
}

fn number(limbs: &[u128]) -> BigUint {
    limbs.iter().rev().fold(BigUint::default(), |sum, limb| (sum << 26) + *limb)
}

/// Limbs up to their bounds: all at these, or random ones.
fn limbs(random: &mut fastrand::Rng) -> Vec<u128> {
    let extreme = random.bool();
    MOST.iter().map(|most| if extreme { *most } else { random.u128(..=*most) }).collect()
}

#[test]
fn steps_are_products_and_leave_room_for_the_next() {
    let (steps, mut random) = (node("Steps"), fastrand::Rng::with_seed(1));
    for trial in 0..2_000 {
        let mut four = || -> Vec<Vec<u128>> {
            (0..4).map(|_| if trial == 0 { MOST.to_vec() } else { limbs(&mut random) }).collect()
        };
        let (blocks, factors) = (four(), four());
        let x = if trial == 0 { MOST.to_vec() } else { limbs(&mut random) };
        let got = &interp::run(&steps, &[x.clone(), blocks.concat(), factors.concat()])[0];
        let products = blocks.iter().zip(&factors).map(|(a, b)| number(a) * number(b));
        let sum = products.sum::<BigUint>() + number(&x) * number(&factors[0]);
        assert_eq!(number(got) % modulus(), sum % modulus(), "{x:?} {blocks:?} {factors:?}");
        assert!(got.iter().zip(MOST).all(|(limb, most)| *limb <= most), "{got:?}");
    }
}

#[test]
fn tags_are_of_the_smallest_number() {
    let (tag, mut random) = (node("Tag"), fastrand::Rng::with_seed(2));
    let near = |limbs: [u128; 5]| limbs.to_vec();
    let ones = LIMB - 1;
    let mut all = vec![
        near([0; 5]),
        near([ones - 5, ones, ones, ones, ones]),
        near([ones - 4, ones, ones, ones, ones]),
        near([ones - 3, ones, ones, ones, ones]),
        near([ones, ones, ones, ones, ones]),
        near([0, 0, 0, 0, LIMB]),
        near([ones, LIMB, ones, ones, ones]),
        MOST.to_vec(),
    ];
    all.extend((0..2_000).map(|_| limbs(&mut random)));
    for x in all {
        let s: Vec<u128> = (0..2).map(|_| u128::from(random.u64(..))).collect();
        let got = &interp::run(&tag, &[x.clone(), s.clone()])[0];
        let sum = number(&x) % modulus() + BigUint::from(s[0] | s[1] << 64);
        let expected = sum % (BigUint::from(1u8) << 128);
        assert_eq!(BigUint::from(got[0] | got[1] << 64), expected, "{x:?} {s:?}");
    }
}
