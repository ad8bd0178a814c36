//! Elements of fields: every representation of many primes against integers of any size.

use nakiri::check::{check, NoFiles, Options};
use nakiri::core::verify::verify;
use nakiri::core::{interp, prime, Direction, Field, PrimeField, Program};
use nakiri::isa;
use nakiri::pass::limbs::{candidates, run_with, Reduction};
use nakiri::pass::monomorphize;
use nakiri::source::SourceMap;
use num_bigint::BigUint;
use num_traits::{One, Zero};

/// Of each kind: a little below a power of two, just above one, with few ones, and any.
const PRIMES: &[&str] = &[
    "2^127 - 1",
    "2^130 - 5",
    "2^255 - 19",
    "2^221 - 3",
    "2^414 - 17",
    "2^256 - 2^224 + 2^192 + 2^96 - 1",
    "2^256 - 2^32 - 977",
    "2^128 + 51",
    "1305669369377358605444018447805642300338949311242641174778147",
    "1461501637330902918203684832716283019651637554291",
    "65537",
    "3",
];

/// Sums between products, differences of sums, powers in a loop and elements that cross calls and iterations.
const PROGRAM: &str = "
field F = $PRIME

node Step (x:F, y:F, bit:u64) returns (u:F, v:F)
vars s, d:F
let
  s = (x + y) * (x - y);
  d = (x - y) - (y + y);
  u = choose(bit, s * d, d + s);
  v = choose(bit, d, s) * 3 - 1;
tel

node Main (a:u64[$WORDS], b:u64[$LONG], bits:u64) returns (z:u64[$WORDS], w:u64[$WORDS], i:u64[$WORDS])
vars x, y:F[6]
let
  x[0] = F(a);
  y[0] = F(b);
  forall k in [0,4] { (x[k+1], y[k+1]) = Step(x[k], y[k], bits >> k); }
  z = number(x[5]);
  w = number(y[5] - x[5] + x[0] * x[0]);
  i = number(inverse(x[1]));
tel
";

/// How many inputs each representation has, of all in turn.
const INPUTS: usize = 2;

fn program(prime: &str) -> Program {
    let field = format!("field F = {prime}\nnode N (x:u64[1]) returns (y:u64[1]) let y = x tel");
    let words = prime_field(&checked(&field)).words();
    let text = PROGRAM.replace("$PRIME", prime).replace("$WORDS", &words.to_string());
    checked(&text.replace("$LONG", &(words + 1).to_string()))
}

fn prime_field(program: &Program) -> PrimeField {
    match &program.fields[0] {
        Field::Prime(field) => field.clone(),
        Field::Binary(_) => panic!("it has no prime"),
    }
}

fn checked(text: &str) -> Program {
    let mut sources = SourceMap::default();
    let file = sources.add("field.ua", text);
    let (checked, diagnostics) = check(&mut sources, file, &mut NoFiles, &Options::default());
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let program = checked.expect("a program").program;
    monomorphize::run(&program, Direction::V, None).expect("no word size is open")
}

/// What the program computes.
fn wanted(field: &PrimeField, input: &[Vec<u128>]) -> Vec<Vec<u128>> {
    let p = &field.modulus;
    let sub = |a: &BigUint, b: &BigUint| field.sub(a, b);
    let (mut x, mut y) = (prime::from_words(&input[0]) % p, prime::from_words(&input[1]) % p);
    let (first, mut second) = (x.clone(), x.clone());
    for k in 0..5 {
        let s = (&x + &y) * sub(&x, &y) % p;
        let d = sub(&sub(&x, &y), &((&y + &y) % p));
        let is_odd = input[2][0] >> k & 1 == 1;
        x = if is_odd { &s * &d % p } else { (&d + &s) % p };
        y = sub(&((if is_odd { d } else { s }) * 3u32 % p), &(BigUint::one() % p));
        if k == 0 {
            second = x.clone();
        }
    }
    let w = (sub(&y, &x) + &first * &first) % p;
    let inverse = second.modpow(&(p - 2u32), p);
    [x, w, inverse].map(|number| prime::to_words(&number, field.words())).to_vec()
}

/// Numbers at which carries and last subtractions happen, and others.
fn inputs(field: &PrimeField) -> Vec<Vec<Vec<u128>>> {
    let (p, words) = (&field.modulus, field.words());
    let all = (BigUint::one() << (64 * words)) - 1u32;
    let mut numbers = vec![BigUint::zero(), BigUint::one(), p - 1u32, p.clone(), p + 1u32, all];
    let mut state = 7u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        u128::from(state >> 11 ^ state << 23)
    };
    numbers.extend(
        (0..3).map(|_| prime::from_words(&[(); 20].map(|()| random() & u128::from(u64::MAX)))),
    );
    let mut inputs = Vec::new();
    for a in &numbers {
        for b in &numbers {
            let long = if inputs.len() % 2 == 0 { b.clone() } else { b << 63 };
            let bits = vec![random() & 31];
            inputs.push(vec![prime::to_words(a, words), prime::to_words(&long, words + 1), bits]);
        }
    }
    inputs
}

#[test]
fn every_representation_computes_what_integers_do() {
    for prime in PRIMES {
        let program = program(prime);
        let field = prime_field(&program);
        let inputs = inputs(&field);
        for input in &inputs {
            assert_eq!(interp::run(&program, input), wanted(&field, input), "{prime}: {input:x?}");
        }
        let mut some = inputs.iter().cycle();
        for target in ["gp64", "avx2", "avx512+ifma"] {
            let target = isa::find(target).expect("a target");
            let mut legal = 0;
            for candidate in candidates(&field, target) {
                let (form, Some(_)) = (candidate.form, candidate.instructions) else { continue };
                let mut words = program.clone();
                let outcome = run_with(&mut words, target, &|_| Some(form.clone()));
                let what = format!("{prime} in {form} on {}", target.name);
                assert!(outcome.is_ok(), "{what}: {outcome:?}");
                assert_eq!(verify(&words), Ok(()), "{what}");
                for input in some.by_ref().take(INPUTS) {
                    assert_eq!(
                        interp::run(&words, input),
                        wanted(&field, input),
                        "{what}: {input:x?}"
                    );
                }
                legal += 1;
            }
            assert!(legal > 0, "{prime} has no representation on {}", target.name);
        }
    }
}

#[test]
fn what_targets_multiply_decides() {
    let best = |prime: &str, target: &str| {
        let field = prime_field(&program(prime));
        let target = isa::find(target).expect("a target");
        candidates(&field, target).remove(0).form
    };
    assert_eq!(best("2^255 - 19", "gp64").to_string(), "5 limbs of 51 bits, whole products");
    let fused = best("2^255 - 19", "avx512+ifma");
    assert_eq!(fused.to_string(), "5 limbs of 51 bits, products of 52 bits, sums of them folded");
    let halves = best("2^255 - 19", "avx2");
    assert_eq!(
        halves.to_string(),
        "10 limbs of 25 or 26 bits, products of half words, sums of them folded"
    );
    let any = best("1305669369377358605444018447805642300338949311242641174778147", "gp64");
    assert!(matches!(any.reduction, Reduction::Montgomery(_)), "{any}");
}
