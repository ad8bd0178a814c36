//! 128-bit vectors of WebAssembly: simd128, which every current browser has.

use super::constant::{Bits, Bytes, Constant::Segment, Element};
use super::expression::CType::{Register, Vector};
use super::expression::Expression::{self, As, Constant};
use super::expression::{call, Binary, Intrinsic, X};
use super::{portable, Architecture, Extension, Instance, Target, Tool, Types, Words};
use crate::core::{Direction::*, OpKind::*};
use crate::isa::Class::{VectorLogic, VectorMultiply, VectorShuffle, VectorShuffleBytes};

/// WebAssembly, with addresses of 32 bits. Programs get files and the standard streams by WASI.
pub static WASM32: Architecture = Architecture {
    name: "wasm32",
    guard: "defined(__wasm32__)",
    machines: &["wasm32-"],
    capabilities: &[],
    compiler: Tool {
        program: "clang-19",
        arguments: &["--target=wasm32-wasi"],
        package: "clang-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32",
    },
    emulator: Tool {
        program: "node",
        arguments: &["--no-warnings", "-e", include_str!("wasi.js")],
        package: "nodejs",
    },
    linking: &["-static", "-Wl,-z,stack-size=1048576"],
    // Engines take 50,000 local variables, and unoptimized code has one for each value.
    unoptimized: "-O1",
};

static SIMD128: Extension = Extension { flags: &["-msimd128"], emulator: &[] };

/// The target. An engine makes the machine's instructions of it, so that figures are those of the machine.
pub static TARGET: Target = Target {
    name: "wasm-simd128",
    title: "128-bit vectors of WebAssembly (simd128)",
    architecture: &WASM32,
    bits: 128,
    registers: 16,
    destructive: false,
    code_bytes: 5.0,
    operand_bytes: 0.0,
    machine: "zen5",
    issue: 4,
    latency: 2,
    features: &[],
    extension: Some(&SIMD128),
    guard: Some("defined(__wasm_simd128__)"),
    simd: true,
    optional: false,
    words: Words::Several,
    c: portable::C128,
    instances: &[
        portable::LOGIC,
        portable::AND_NOT,
        portable::WORDS,
        portable::ROTATIONS,
        ROWS,
        portable::SHUFFLES,
    ],
};

const V8: Types = &[(V, &[8]), (P, &[8])];
const V16_64: Types = &[(V, &[16, 32, 64]), (P, &[16, 32, 64])];

const SWIZZLE: Intrinsic = Intrinsic::new("__builtin_wasm_swizzle_i8x16", VectorShuffleBytes);

const fn signed(of: &'static Expression) -> Expression {
    As(Vector(Element::Signed(Bits::Fixed(8))), of)
}

const ROWS: &[Instance] = &[
    // Places behind a table have zeros.
    Instance::new(
        Nibble,
        V8,
        &[&[VectorLogic], &[VectorShuffleBytes]],
        As(
            Register,
            &call!(
                SWIZZLE,
                signed(&Constant(Segment(Bytes::Entries(0)))),
                signed(&Expression::Binary(Binary::And, &[X, Constant(Segment(Bytes::All(0x8f)))]))
            ),
        ),
    ),
    // Products of the low and of the high bytes, as words.
    Instance::new(
        Mul,
        V8,
        &[&[VectorMultiply, VectorMultiply], &[VectorShuffle]],
        portable::PRODUCT,
    ),
    Instance::new(Mul, V16_64, &[&[VectorMultiply]], portable::PRODUCT),
];
