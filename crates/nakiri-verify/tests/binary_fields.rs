//! Elements of fields of characteristic two in emitted C, bitsliced and as words, with carry-less products and without, on other architectures under
//! emulators: what the interpreter computes, and multiples of a point of K-163.

use nakiri::check::{check, NoFiles};
use nakiri::compile::{compile, Kernel, Options};
use nakiri::core::binary::{irreducible, polynomial, written};
use nakiri::core::{interp, Program};
use nakiri::source::SourceMap;
use nakiri_verify::cc::{self, Compiler};
use nakiri_verify::exec::{self, Block};

const K163: &str = include_str!("../../../tests/fields/k163.ua");
const GHASH: &str = include_str!("../../../tests/fields/ghash.ua");

/// Products of all kinds, in a node that is called in each iteration.
const PROGRAM: &str = "
field F = 2^$DEGREE by $POLYNOMIAL

node Step (x:F, y:F, bit:u64) returns (u:F, v:F)
vars s, d:F
let
  s = (x + y * 3) * (x - y);
  d = x * x - y;
  u = choose(bit, s * d, d + s);
  v = choose(bit, d, s) - 1;
tel

node Main (a:u64[$WORDS], b:u64[$LONG], bits:u64) returns (z:u64[$WORDS], i:u64[$WORDS])
vars x, y:F[4]
let
  x[0] = F(a);
  y[0] = F(b);
  forall k in [0,2] { (x[k+1], y[k+1]) = Step(x[k], y[k], bits >> k); }
  z = number(x[3]);
  i = number(inverse(y[3]));
tel
";

const CHOICES: &[&str] = &[
    "B gp64",
    "B avx2",
    "B avx512",
    "B neon",
    "V gp64",
    "V avx2",
    "V ssse3+aes",
    "V avx2+vaes",
    "V avx512+gfni+vaes",
    "V neon",
    "V neon+aes",
];

fn checked(text: &str) -> Program {
    let mut sources = SourceMap::default();
    let file = sources.add("field.ua", text);
    let (checked, diagnostics) = check(&mut sources, file, &mut NoFiles, &Default::default());
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    checked.expect("a program").program
}

fn compilers(kernel: &Kernel) -> Vec<Compiler> {
    match cc::is_host(kernel.target.architecture) {
        true => cc::all(),
        false => Compiler::cross(kernel.target.architecture).into_iter().collect(),
    }
}

/// Compares what is emitted under some choices with the interpreter; those that were run.
fn run(program: &Program, blocks: &[Block], choices: &[&'static str]) -> Vec<&'static str> {
    let wanted: Vec<Block> = blocks.iter().map(|block| interp::run(program, block)).collect();
    let mut ran = Vec::new();
    for choice in choices {
        let options = format!("{choice} unroll=never inline=small schedule=source");
        let options: Options = options.parse().expect("choices");
        let kernel = compile(program, &options, &mut |_, _| {}).expect("it is legal");
        let count = kernel.blocks().max(blocks.len());
        let padded: Vec<Block> = blocks.iter().cycle().take(count).cloned().collect();
        for compiler in compilers(&kernel) {
            match exec::run_kernels(&[(&kernel, &padded)], &compiler) {
                Ok(outputs) => {
                    for (got, wanted) in outputs[0].iter().zip(wanted.iter().cycle()) {
                        assert_eq!(got, wanted, "{choice} by {}", compiler.program);
                    }
                    ran.push(*choice);
                }
                Err(error) if error.is_lack() => eprintln!("not run: {choice}: {error}"),
                Err(error) => panic!("{choice} by {}: {error}", compiler.program),
            }
        }
    }
    ran
}

fn random() -> impl FnMut() -> u128 {
    let mut state = 11u64;
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        u128::from(state >> 29 ^ state << 31)
    }
}

#[test]
fn every_slicing_computes_what_the_interpreter_does() {
    for degree in [3, 8, 64, 97, 128] {
        let exponents = irreducible(degree).expect("there is one");
        let words = degree.div_ceil(64) as usize;
        let text = PROGRAM
            .replace("$DEGREE", &degree.to_string())
            .replace("$POLYNOMIAL", &written(&polynomial(&exponents)))
            .replace("$WORDS", &words.to_string())
            .replace("$LONG", &(words + 1).to_string());
        let mut random = random();
        let mut list = |count: usize| -> Vec<u128> { (0..count).map(|_| random()).collect() };
        let blocks: Vec<Block> =
            (0..5).map(|_| vec![list(words), list(words + 1), list(1)]).collect();
        let ran = run(&checked(&text), &blocks, CHOICES);
        assert!(ran.contains(&"B gp64") && ran.contains(&"V gp64"), "{ran:?}");
    }
}

#[test]
fn ghash_and_a_curve_do_too() {
    let mut random = random();
    let mut list = |count: usize| -> Vec<u128> { (0..count).map(|_| random()).collect() };
    let blocks: Vec<Block> = (0..3).map(|_| vec![list(2), list(4)]).collect();
    assert!(run(&checked(GHASH), &blocks, CHOICES).contains(&"V gp64"));
    let point = vec![0xde4e6d5e5c94eee8, 0x7bbc11acaa07d793, 0x2fe13c053];
    let blocks: Vec<Block> = (0..2).map(|_| vec![list(3), point.clone()]).collect();
    let ran = run(&checked(K163), &blocks, &["B gp64", "B avx512", "V gp64", "V avx2+vaes"]);
    assert!(ran.contains(&"V gp64"), "{ran:?}");
}
