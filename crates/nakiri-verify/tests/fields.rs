//! Elements of fields in emitted C: Diffie and Hellman's exchange on Curve25519 from one source, by words of general-purpose registers, by
//! products of half words and of 52 bits in vectors, on other architectures under emulators.

use nakiri::check::{check, NoFiles};
use nakiri::compile::{compile, Kernel, Options};
use nakiri::core::interp;
use nakiri::source::SourceMap;
use nakiri_verify::cc::{self, Compiler};
use nakiri_verify::exec::{self, Block};

const SOURCE: &str = include_str!("../../../tests/fields/x25519.ua");

/// RFC 7748, section 5.2: a scalar, a point, and what they make.
const VECTORS: &[[&str; 3]] = &[
    [
        "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
        "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
        "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
    ],
    [
        "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
        "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
        "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957",
    ],
    // A number that is not below the prime is taken modulo it: this point is 0.
    [
        "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
    ],
];

/// Four words, the least significant first, of bytes in hexadecimal.
fn words(text: &str) -> Vec<u128> {
    let byte = |at: usize| u128::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal");
    let word = |start: usize| (0..8).rev().fold(0, |word, k| word << 8 | byte(start + 2 * k));
    (0..4).map(|k| word(16 * k)).collect()
}

fn checked() -> nakiri::core::Program {
    let mut sources = SourceMap::default();
    let file = sources.add("x25519.ua", SOURCE);
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

#[test]
fn x25519_is_what_is_published_on_every_kind_of_products() {
    let program = checked();
    let blocks: Vec<Block> = VECTORS.iter().map(|v| vec![words(v[0]), words(v[1])]).collect();
    let wanted: Vec<Block> = blocks.iter().map(|block| interp::run(&program, block)).collect();
    for ([.., published], wanted) in VECTORS.iter().zip(&wanted) {
        assert_eq!(words(published), wanted[0]);
    }
    let mut ran = Vec::new();
    for choices in ["gp64", "avx2", "avx512+ifma limbs=5", "avx512+ifma limbs=6", "neon"] {
        let options = format!("V {choices} unroll=never inline=small schedule=source");
        let options: Options = options.parse().expect("choices");
        let kernel = compile(&program, &options, &mut |_, _| {}).expect("it is legal");
        let padded: Vec<Block> =
            blocks.iter().cycle().take(kernel.blocks().max(blocks.len())).cloned().collect();
        for compiler in compilers(&kernel) {
            match exec::run_kernels(&[(&kernel, &padded)], &compiler) {
                Ok(outputs) => {
                    for (got, wanted) in outputs[0].iter().zip(wanted.iter().cycle()) {
                        assert_eq!(got, wanted, "{choices} by {}", compiler.program);
                    }
                    ran.push(choices);
                }
                Err(error) if error.is_lack() => eprintln!("not run: {choices}: {error}"),
                Err(error) => panic!("{choices} by {}: {error}", compiler.program),
            }
        }
    }
    assert!(ran.contains(&"gp64"), "{ran:?}");
}
