//! General-purpose registers of 64 bits: every x86-64 CPU.

use super::{Instance, Target, Types, C};
use crate::core::{Direction::*, OpKind::*};

/// The target.
pub static TARGET: Target = Target {
    name: "gp64",
    title: "general-purpose registers, any x86-64 CPU",
    bits: 64,
    registers: 15,
    issue: 5,
    latency: 1,
    features: &[],
    simd: false,
    c: C {
        attribute: None,
        mm: "",
        si: "",
        register: "uint{r}_t",
        zeros: "(uint{r}_t)0",
        ones: "(uint{r}_t)~(uint{r}_t)0",
        splat: ["(uint{r}_t){c}"; 4],
        segment: None,
        elements32: None,
        broadcast: [Some("(uint{r}_t){load64}({p})"), None, None],
    },
    instances: &[ROWS],
};

const LOGIC: Types = &[(B, &[1]), WORDS[0]];
const WORDS: Types = &[(V, &[8, 16, 32, 64])];

// Narrow operands are promoted to `int`, so that every result is cast back, and products are made in 64 bits,
// where they can't overflow.
const ROWS: &[Instance] = &[
    Instance::new(And, LOGIC, 1, "(uint{r}_t)({0} & {1})"),
    Instance::new(Or, LOGIC, 1, "(uint{r}_t)({0} | {1})"),
    Instance::new(Xor, LOGIC, 1, "(uint{r}_t)({0} ^ {1})"),
    Instance::new(Not, LOGIC, 1, "(uint{r}_t)~{0}"),
    Instance::new(Add, WORDS, 1, "(uint{r}_t)({0} + {1})"),
    Instance::new(Sub, WORDS, 1, "(uint{r}_t)({0} - {1})"),
    Instance::new(Mul, WORDS, 1, "(uint{r}_t)((uint64_t){0} * {1})"),
    Instance::new(Shl, WORDS, 1, "(uint{r}_t)({0} << {n})"),
    Instance::new(Shr, WORDS, 1, "(uint{r}_t)({0} >> {n})"),
    Instance::new(Sar, WORDS, 1, "(uint{r}_t)((int{r}_t){0} >> {n})"),
    Instance::new(Rotl, WORDS, 1, "(uint{r}_t)(({0} << {n}) | ({0} >> {w-n}))"),
    Instance::new(Bitmask, WORDS, 3, "(uint{r}_t)(0 - (({0} >> {n}) & 1))"),
];
