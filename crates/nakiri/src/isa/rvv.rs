//! 128-bit vectors of RISC-V: the extension V, of whose registers the lowest 128 bits are used, so that the same code runs on
//! every length of vectors.

use super::{portable, Architecture, Extension, Target, Tool, Words};

/// 64-bit RISC-V.
pub static RISCV64: Architecture = Architecture {
    name: "riscv64",
    guard: "defined(__riscv) && __riscv_xlen == 64",
    machines: &["riscv64-"],
    capabilities: &[],
    compiler: Tool {
        program: "clang-19",
        arguments: &["--target=riscv64-linux-gnu", "-fuse-ld=lld"],
        package: "clang-19 lld-19 gcc-riscv64-linux-gnu",
    },
    emulator: Tool { program: "qemu-riscv64", arguments: &[], package: "qemu-user" },
    linking: &["-static"],
    unoptimized: "-O0",
};

static VECTORS: Extension = Extension {
    flags: &["-march=rv64gcv"],
    emulator: &["-cpu", "rv64,v=true,vlen=128,vext_spec=v1.0"],
};

/// The target.
pub static TARGET: Target = Target {
    name: "rvv",
    title: "128-bit vectors of RISC-V (V)",
    architecture: &RISCV64,
    bits: 128,
    registers: 32,
    destructive: false,
    code_bytes: 4.0,
    operand_bytes: 0.0,
    machine: "p670",
    issue: 2,
    latency: 1,
    features: &[],
    extension: Some(&VECTORS),
    guard: Some("defined(__riscv_vector) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__"),
    simd: true,
    optional: false,
    words: Words::Several,
    c: portable::C128,
    instances: &[
        portable::LOGIC,
        portable::WORDS,
        portable::PRODUCTS,
        portable::ROTATIONS,
        portable::SHUFFLES,
    ],
};
