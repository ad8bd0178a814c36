//! The gates and flip-flops that a netlist may consist of: Yosys' internal cells of one bit.

/// A gate, with its pins in this order: `A`, `B`, `C`, `D`, or for multiplexers `A`, `B`, `S`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// `A`
    Buffer,
    /// `~A`
    Not,
    /// `A & B`
    And,
    /// `~(A & B)`
    Nand,
    /// `A | B`
    Or,
    /// `~(A | B)`
    Nor,
    /// `A ^ B`
    Xor,
    /// `~(A ^ B)`
    Xnor,
    /// `A & ~B`
    AndNot,
    /// `A | ~B`
    OrNot,
    /// `S ? B : A`
    Mux,
    /// `~(S ? B : A)`
    MuxNot,
    /// `~(A & B | C)`
    AndOrNot3,
    /// `~((A | B) & C)`
    OrAndNot3,
    /// `~(A & B | C & D)`
    AndOrNot4,
    /// `~((A | B) & (C | D))`
    OrAndNot4,
}

/// What computes with bits: the writer of a program, or the simulation of a reset.
pub trait Logic {
    /// A bit.
    type Value: Copy;

    /// A constant.
    fn constant(&mut self, value: bool) -> Self::Value;
    /// `~a`
    fn not(&mut self, a: Self::Value) -> Self::Value;
    /// `a & b`
    fn and(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// `a | b`
    fn or(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// `a ^ b`
    fn xor(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// `select ? a : b`
    fn mux(&mut self, select: Self::Value, a: Self::Value, b: Self::Value) -> Self::Value;
}

const A: &[&str] = &["A"];
const AB: &[&str] = &["A", "B"];
const ABS: &[&str] = &["A", "B", "S"];
const ABC: &[&str] = &["A", "B", "C"];
const ABCD: &[&str] = &["A", "B", "C", "D"];

const GATES: &[(&str, Gate, &[&str])] = &[
    ("$_BUF_", Gate::Buffer, A),
    ("$_NOT_", Gate::Not, A),
    ("$_AND_", Gate::And, AB),
    ("$_NAND_", Gate::Nand, AB),
    ("$_OR_", Gate::Or, AB),
    ("$_NOR_", Gate::Nor, AB),
    ("$_XOR_", Gate::Xor, AB),
    ("$_XNOR_", Gate::Xnor, AB),
    ("$_ANDNOT_", Gate::AndNot, AB),
    ("$_ORNOT_", Gate::OrNot, AB),
    ("$_MUX_", Gate::Mux, ABS),
    ("$_NMUX_", Gate::MuxNot, ABS),
    ("$_AOI3_", Gate::AndOrNot3, ABC),
    ("$_OAI3_", Gate::OrAndNot3, ABC),
    ("$_AOI4_", Gate::AndOrNot4, ABCD),
    ("$_OAI4_", Gate::OrAndNot4, ABCD),
];

/// The gate of a cell type, and the names of its inputs; its output is `Y`.
pub fn gate(kind: &str) -> Option<(Gate, &'static [&'static str])> {
    let row = GATES.iter().find(|(name, ..)| *name == kind);
    row.map(|(_, gate, pins)| (*gate, *pins))
}

impl Gate {
    /// The output for these inputs.
    pub fn evaluate<L: Logic>(self, logic: &mut L, pins: &[L::Value]) -> L::Value {
        let pin = |k: usize| pins[k];
        match self {
            Gate::Buffer => pin(0),
            Gate::Not => logic.not(pin(0)),
            Gate::And => logic.and(pin(0), pin(1)),
            Gate::Or => logic.or(pin(0), pin(1)),
            Gate::Xor => logic.xor(pin(0), pin(1)),
            Gate::Mux => logic.mux(pin(2), pin(1), pin(0)),
            Gate::Nand => inverted(logic, Gate::And, pins),
            Gate::Nor => inverted(logic, Gate::Or, pins),
            Gate::Xnor => inverted(logic, Gate::Xor, pins),
            Gate::MuxNot => inverted(logic, Gate::Mux, pins),
            Gate::AndNot | Gate::OrNot => {
                let b = logic.not(pin(1));
                let plain = if self == Gate::AndNot { Gate::And } else { Gate::Or };
                plain.evaluate(logic, &[pin(0), b])
            }
            Gate::AndOrNot3 => {
                let ab = logic.and(pin(0), pin(1));
                inverted(logic, Gate::Or, &[ab, pin(2)])
            }
            Gate::OrAndNot3 => {
                let ab = logic.or(pin(0), pin(1));
                inverted(logic, Gate::And, &[ab, pin(2)])
            }
            Gate::AndOrNot4 => {
                let (ab, cd) = (logic.and(pin(0), pin(1)), logic.and(pin(2), pin(3)));
                inverted(logic, Gate::Or, &[ab, cd])
            }
            Gate::OrAndNot4 => {
                let (ab, cd) = (logic.or(pin(0), pin(1)), logic.or(pin(2), pin(3)));
                inverted(logic, Gate::And, &[ab, cd])
            }
        }
    }
}

fn inverted<L: Logic>(logic: &mut L, gate: Gate, pins: &[L::Value]) -> L::Value {
    let plain = gate.evaluate(logic, pins);
    logic.not(plain)
}

/// What a letter at the end of a flip-flop's type tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Letter {
    /// The edge: `P` rising, `N` falling.
    Edge,
    /// The level at which the pin `E` lets the value in.
    Enable,
    /// The level at which the pin `R` resets.
    Reset,
    /// The value after a reset.
    Value,
    /// The level at which the pin `S` sets.
    Set,
    /// The level at which the pin `L` loads `AD`.
    Load,
}

/// When a reset acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// At once.
    Asynchronous,
    /// At the edge.
    Synchronous,
    /// At the edge, if the flip-flop is enabled.
    Enabled,
}

/// A kind of flip-flop; levels are those at which pins act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlipFlop {
    /// Whether the clock acts when it rises.
    pub rising: bool,
    /// The level of `E`, if it has one.
    pub enable: Option<bool>,
    /// The level of `R`, the value that it gives, and when, if it has one.
    pub reset: Option<(bool, bool, Timing)>,
    /// The level of `S`, if it has one: it sets at once, and gives way to `R`.
    pub set: Option<bool>,
    /// The level of `L`, if it has one: the value of `AD` is loaded at once.
    pub load: Option<bool>,
}

use Letter::{Edge, Enable, Load, Reset, Set, Value};

const FLIP_FLOPS: &[(&str, &[Letter], Timing)] = &[
    ("$_DFF_", &[Edge], Timing::Asynchronous),
    ("$_DFF_", &[Edge, Reset, Value], Timing::Asynchronous),
    ("$_DFFE_", &[Edge, Enable], Timing::Asynchronous),
    ("$_DFFE_", &[Edge, Reset, Value, Enable], Timing::Asynchronous),
    ("$_SDFF_", &[Edge, Reset, Value], Timing::Synchronous),
    ("$_SDFFE_", &[Edge, Reset, Value, Enable], Timing::Synchronous),
    ("$_SDFFCE_", &[Edge, Reset, Value, Enable], Timing::Enabled),
    ("$_DFFSR_", &[Edge, Set, Reset], Timing::Asynchronous),
    ("$_DFFSRE_", &[Edge, Set, Reset, Enable], Timing::Asynchronous),
    ("$_ALDFF_", &[Edge, Load], Timing::Asynchronous),
    ("$_ALDFFE_", &[Edge, Load, Enable], Timing::Asynchronous),
];

/// The flip-flop of a cell type.
pub fn flip_flop(kind: &str) -> Option<FlipFlop> {
    let (prefix, ends) = kind.strip_suffix('_')?.rsplit_once('_')?;
    let fits = |(name, letters, _): &&(&str, &[Letter], Timing)| {
        name.strip_suffix('_') == Some(prefix) && letters.len() == ends.len()
    };
    let (_, letters, timing) = FLIP_FLOPS.iter().find(fits)?;
    let end = |letter: Letter| {
        let place = letters.iter().position(|other| *other == letter)?;
        Some(matches!(ends.as_bytes()[place], b'P' | b'1'))
    };
    Some(FlipFlop {
        rising: end(Edge)?,
        enable: end(Enable),
        reset: end(Reset).map(|level| (level, end(Value).unwrap_or(false), *timing)),
        set: end(Set),
        load: end(Load),
    })
}

/// Whether a cell keeps its value by a level, not at an edge.
pub fn is_latch(kind: &str) -> bool {
    ["$_DLATCH", "$_SR_", "$dlatch", "$adlatch", "$sr"].iter().any(|name| kind.starts_with(name))
}

/// Whether a cell drives a net at times only.
pub fn is_tristate(kind: &str) -> bool {
    kind == "$_TBUF_" || kind == "$tribuf"
}

/// Whether a cell is a memory that could not be made of flip-flops.
pub fn is_memory(kind: &str) -> bool {
    kind.starts_with("$mem")
}

/// Whether a cell says something about the design and computes nothing.
pub fn is_remark(kind: &str) -> bool {
    matches!(
        kind,
        "$assert" | "$assume" | "$cover" | "$live" | "$fair" | "$check" | "$print" | "$scopeinfo"
    )
}
