//! General-purpose registers of 64 bits: every x86-64 CPU.

use super::{Instance, Target, Types, C};
use crate::core::{Direction::*, OpKind::*};
use crate::cost::Class::{self, Logic, Multiply, Rotate, Shift};

/// The target.
pub static TARGET: Target = Target {
    name: "gp64",
    title: "general-purpose registers, any x86-64 CPU",
    bits: 64,
    registers: 15,
    destructive: true,
    code_bytes: 4,
    machine: "zen5",
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
    Instance::new(And, LOGIC, &[&[Logic]], "(uint{r}_t)({0} & {1})"),
    Instance::new(Or, LOGIC, &[&[Logic]], "(uint{r}_t)({0} | {1})"),
    Instance::new(Xor, LOGIC, &[&[Logic]], "(uint{r}_t)({0} ^ {1})"),
    Instance::new(Not, LOGIC, &[&[Logic]], "(uint{r}_t)~{0}"),
    Instance::new(Add, WORDS, &[&[Class::Add]], "(uint{r}_t)({0} + {1})"),
    Instance::new(Sub, WORDS, &[&[Class::Add]], "(uint{r}_t)({0} - {1})"),
    Instance::new(Mul, WORDS, &[&[Multiply]], "(uint{r}_t)((uint64_t){0} * {1})"),
    Instance::new(Shl, WORDS, &[&[Shift]], "(uint{r}_t)({0} << {n})"),
    Instance::new(Shr, WORDS, &[&[Shift]], "(uint{r}_t)({0} >> {n})"),
    Instance::new(Sar, WORDS, &[&[Shift]], "(uint{r}_t)((int{r}_t){0} >> {n})"),
    Instance::new(Rotl, WORDS, &[&[Rotate]], "(uint{r}_t)(({0} << {n}) | ({0} >> {w-n}))"),
    Instance::new(
        Bitmask,
        WORDS,
        &[&[Shift], &[Logic], &[Class::Add]],
        "(uint{r}_t)(0 - (({0} >> {n}) & 1))",
    ),
];
