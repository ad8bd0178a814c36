//! Elements of fields of characteristic two in emitted C, bitsliced and as words, with carry-less products and without, on other architectures under
//! emulators: what the interpreter computes.

use nakiri::compile::{Kernel, Options};
use nakiri::core::binary::{irreducible, polynomial, written};
use nakiri_verify::cc::{self, Compiler};
use nakiri_verify::random::Rng;
use nakiri_verify::{differential, exec};

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

fn compilers(kernel: &Kernel) -> Vec<Compiler> {
    match cc::is_host(kernel.target.architecture) {
        true => cc::all(),
        false => Compiler::cross(kernel.target.architecture).into_iter().collect(),
    }
}

/// Compares what each pass makes, and what is emitted, with the meaning of a program; the choices that were run.
fn run(text: &str, choices: &[&'static str]) -> Vec<&'static str> {
    let program = differential::elaborate(text).expect("it is right");
    let mut ran = Vec::new();
    for choice in choices {
        let options = format!("{choice} unroll=never inline=small schedule=source");
        let options: Options = options.parse().expect("choices");
        let job = differential::passes(&program, &options, &mut Rng::new(11), false);
        let job = job.unwrap_or_else(|error| panic!("{choice}: {error}")).expect("it is legal");
        for compiler in compilers(&job.kernel) {
            match exec::run_kernels(&[(&job.kernel, &job.blocks)], &compiler) {
                Ok(outputs) => {
                    assert_eq!(outputs[0], job.expected, "{choice} by {}", compiler.program);
                    ran.push(*choice);
                }
                Err(error) if error.is_lack() => eprintln!("not run: {choice}: {error}"),
                Err(error) => panic!("{choice} by {}: {error}", compiler.program),
            }
        }
    }
    ran
}

#[test]
fn every_slicing_computes_what_the_interpreter_does() {
    for degree in [3, 8, 64, 97] {
        let exponents = irreducible(degree).expect("there is one");
        let words = degree.div_ceil(64) as usize;
        let text = PROGRAM
            .replace("$DEGREE", &degree.to_string())
            .replace("$POLYNOMIAL", &written(&polynomial(&exponents)))
            .replace("$WORDS", &words.to_string())
            .replace("$LONG", &(words + 1).to_string());
        let ran = run(&text, CHOICES);
        assert!(ran.contains(&"B gp64") && ran.contains(&"V gp64"), "{ran:?}");
    }
}

#[test]
fn ghash_and_a_curve_do_too() {
    assert!(run(GHASH, CHOICES).contains(&"V gp64"));
    let ran = run(K163, &["V gp64", "V avx2+vaes"]);
    assert!(ran.contains(&"V gp64"), "{ran:?}");
}
