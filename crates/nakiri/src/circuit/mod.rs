//! Truth tables to Boolean circuits.
//!
//! [`circuits_for`] is the only entry that the compiler needs: circuits that compute a table, from the library where it holds
//! one, over a tower of fields where the table is inversion but for affine maps, and by synthesis otherwise.

mod boolean;
mod builder;
pub mod field;
pub mod inversion;
mod library;
pub mod linear;
mod network;
mod origin;
mod phase;
pub mod random;
pub mod search;
mod synthesis;
pub mod tower;

use std::ops::{BitAnd, BitOr, BitXor, Not};

pub use library::{entries, entries_for, layers, read_entry, Entry};
pub use origin::{circuits_for, for_table, Origin};

/// A function from bits to bits, given by all its values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Table {
    /// The number of input bits, at most 16; the time and memory of synthesis grow with the square
    /// of the number of entries.
    pub inputs: u8,
    /// The number of output bits, at most 32.
    pub outputs: u8,
    /// The value for each index: input 0 is the most significant bit of the index and output 0
    /// the most significant bit of the value. Entries that are missing count as zero.
    pub entries: Vec<u32>,
}

impl Table {
    /// Whether output `output` is one at `index`.
    pub fn bit(&self, index: usize, output: usize) -> bool {
        let shift = usize::from(self.outputs) - 1 - output;
        let entry = self.entries.get(index).copied().unwrap_or(0);
        entry.checked_shr(shift as u32).unwrap_or(0) & 1 == 1
    }

    /// The same table read with the first input and the first output least significant.
    pub fn reversed(&self) -> Table {
        let size = 1usize << self.inputs;
        let entries = (0..size)
            .map(|index| {
                let value = self.entries.get(reverse(index, self.inputs)).copied().unwrap_or(0);
                reverse(value as usize, self.outputs) as u32
            })
            .collect();
        Table { inputs: self.inputs, outputs: self.outputs, entries }
    }
}

/// Reverses the order of the low `width` bits of `value`.
fn reverse(value: usize, width: u8) -> usize {
    (0..width).fold(0, |reversed, bit| reversed << 1 | value >> bit & 1)
}

/// A wire: the inputs come first, then one signal a gate, in order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Signal(pub u32);

/// An operation on earlier signals.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Gate {
    /// `a & b`.
    And(Signal, Signal),
    /// `a | b`.
    Or(Signal, Signal),
    /// `a ^ b`.
    Xor(Signal, Signal),
    /// `!a & b`.
    AndNot(Signal, Signal),
    /// `!a | b`.
    OrNot(Signal, Signal),
    /// `!a`.
    Not(Signal),
    /// A table of three inputs: bit `4 a + 2 b + c` of it.
    Ternary(u8, [Signal; 3]),
}

impl Gate {
    /// The signals that the gate reads; one that reads fewer than three repeats the last.
    pub fn operands(self) -> [Signal; 3] {
        match self {
            Gate::And(a, b)
            | Gate::Or(a, b)
            | Gate::Xor(a, b)
            | Gate::AndNot(a, b)
            | Gate::OrNot(a, b) => [a, b, b],
            Gate::Not(a) => [a, a, a],
            Gate::Ternary(_, operands) => operands,
        }
    }

    /// The same gate on other signals.
    pub fn map(self, at: impl Fn(Signal) -> Signal) -> Gate {
        match self {
            Gate::And(a, b) => Gate::And(at(a), at(b)),
            Gate::Or(a, b) => Gate::Or(at(a), at(b)),
            Gate::Xor(a, b) => Gate::Xor(at(a), at(b)),
            Gate::AndNot(a, b) => Gate::AndNot(at(a), at(b)),
            Gate::OrNot(a, b) => Gate::OrNot(at(a), at(b)),
            Gate::Not(a) => Gate::Not(at(a)),
            Gate::Ternary(table, operands) => Gate::Ternary(table, operands.map(at)),
        }
    }
}

/// The value of a table of three inputs, bit `4 a + 2 b + c` of it, at every bit position.
pub fn ternary<W>(table: u8, [a, b, c]: [W; 3]) -> W
where
    W: Copy + Default + BitAnd<Output = W> + BitOr<Output = W> + Not<Output = W>,
{
    let literal = |x: W, is_one: bool| if is_one { x } else { !x };
    (0..8u8).filter(|index| table >> index & 1 == 1).fold(W::default(), |sum, index| {
        let [p, q, r] = [(a, 4), (b, 2), (c, 1)].map(|(x, bit)| literal(x, index & bit != 0));
        sum | (p & q & r)
    })
}

/// What an output of a circuit is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Output {
    /// The value of a signal.
    Signal(Signal),
    /// The same value for every input.
    Constant(bool),
}

/// A straight-line program of gates.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Circuit {
    /// The number of inputs.
    pub inputs: u8,
    /// The gates; each reads inputs and earlier gates only.
    pub gates: Vec<Gate>,
    /// The outputs, output 0 first.
    pub outputs: Vec<Output>,
}

impl Circuit {
    /// Evaluates the circuit on every bit position of `inputs` at once. Inputs that are missing
    /// count as zero.
    pub fn eval<W>(&self, inputs: &[W]) -> Vec<W>
    where
        W: Copy
            + Default
            + BitAnd<Output = W>
            + BitOr<Output = W>
            + BitXor<Output = W>
            + Not<Output = W>,
    {
        let mut values: Vec<W> = Vec::with_capacity(usize::from(self.inputs) + self.gates.len());
        values.extend(inputs.iter().take(usize::from(self.inputs)));
        values.resize(usize::from(self.inputs), W::default());
        for gate in &self.gates {
            let [a, b, c] = gate.operands().map(|signal| values[signal.0 as usize]);
            values.push(match *gate {
                Gate::And(..) => a & b,
                Gate::Or(..) => a | b,
                Gate::Xor(..) => a ^ b,
                Gate::AndNot(..) => !a & b,
                Gate::OrNot(..) => !a | b,
                Gate::Not(..) => !a,
                Gate::Ternary(table, _) => ternary(table, [a, b, c]),
            });
        }
        self.outputs
            .iter()
            .map(|output| match *output {
                Output::Signal(signal) => values[signal.0 as usize],
                Output::Constant(false) => W::default(),
                Output::Constant(true) => !W::default(),
            })
            .collect()
    }

    /// Whether the circuit computes `table`, checked on every index.
    pub fn computes(&self, table: &Table) -> bool {
        if self.inputs != table.inputs || self.outputs.len() != usize::from(table.outputs) {
            return false;
        }
        let size = 1usize << table.inputs;
        (0..size).step_by(64).all(|start| {
            let words: Vec<u64> =
                (0..table.inputs).map(|input| input_word(table.inputs, input, start)).collect();
            let values = self.eval(&words);
            (start..size.min(start + 64)).all(|index| {
                values.iter().enumerate().all(|(output, value)| {
                    (value >> (index - start) & 1 == 1) == table.bit(index, output)
                })
            })
        })
    }

    /// The number of gates on the longest path, [`Gate::Not`] included.
    pub fn depth(&self) -> usize {
        let mut depths = vec![0; usize::from(self.inputs)];
        for gate in &self.gates {
            let operands = gate.operands().map(|signal| depths[signal.0 as usize]);
            depths.push(1 + operands.into_iter().max().unwrap_or(0));
        }
        let outputs = self.outputs.iter();
        outputs
            .map(|output| match output {
                Output::Signal(signal) => depths[signal.0 as usize],
                Output::Constant(_) => 0,
            })
            .max()
            .unwrap_or(0)
    }

    /// The number of gates, [`Gate::Not`] included: each is one instruction.
    pub fn size(&self) -> usize {
        self.gates.len()
    }

    /// Whether there is a gate of three inputs.
    pub fn is_ternary(&self) -> bool {
        self.gates.iter().any(|gate| matches!(gate, Gate::Ternary(..)))
    }
}

/// The values of input `input` of `inputs` at the 64 indices from `start`.
pub(crate) fn input_word(inputs: u8, input: u8, start: usize) -> u64 {
    const ALTERNATING: [u64; 6] = [
        0xaaaa_aaaa_aaaa_aaaa,
        0xcccc_cccc_cccc_cccc,
        0xf0f0_f0f0_f0f0_f0f0,
        0xff00_ff00_ff00_ff00,
        0xffff_0000_ffff_0000,
        0xffff_ffff_0000_0000,
    ];
    let bit = usize::from(inputs - 1 - input);
    match ALTERNATING.get(bit) {
        Some(&word) => word,
        None if start >> bit & 1 == 1 => u64::MAX,
        None => 0,
    }
}

/// A circuit that computes the same outputs with at most as many gates: constants folded, equal
/// and complementary signals merged, inverters absorbed, dead gates dropped.
pub fn minimize(circuit: &Circuit) -> Circuit {
    synthesis::minimize(circuit)
}
