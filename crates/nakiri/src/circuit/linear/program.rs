//! Programs of sums.

use crate::circuit::{Circuit, Gate, Output, Signal};

/// The operands of a sum of two or three; [`ZERO`] stands for the third of a sum of two.
pub type Terms = [usize; 3];

/// The signal that is zero.
pub const ZERO: usize = 0;

/// Sums of earlier signals. The signals are zero, the inputs, then one a sum; no two have the same value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The number of inputs.
    pub inputs: usize,
    /// The operands of each sum.
    pub sums: Vec<Terms>,
    /// What each signal is the sum of: bit `j` for input `j`.
    pub values: Vec<u64>,
    /// The signal of each output.
    pub outputs: Vec<usize>,
}

impl Program {
    /// The program of inputs alone, without outputs.
    pub fn new(inputs: usize) -> Program {
        let values = std::iter::once(0).chain((0..inputs).map(|input| 1 << input)).collect();
        Program { inputs, sums: Vec::new(), values, outputs: Vec::new() }
    }

    /// The program of a circuit of exclusive-ors; none if there are other gates.
    pub fn of_circuit(circuit: &Circuit) -> Option<Program> {
        let mut program = Program::new(circuit.inputs.into());
        let at = |signal: Signal| signal.0 as usize + 1;
        for gate in &circuit.gates {
            program.push(match *gate {
                Gate::Xor(a, b) => [at(a), at(b), ZERO],
                Gate::Ternary(0x96, terms) => terms.map(at),
                _ => return None,
            });
        }
        let outputs = circuit.outputs.iter().map(|output| match *output {
            Output::Signal(signal) => Some(at(signal)),
            Output::Constant(false) => Some(ZERO),
            Output::Constant(true) => None,
        });
        program.outputs = outputs.collect::<Option<_>>()?;
        Some(program)
    }

    /// The place of the first sum among the signals.
    pub fn first(&self) -> usize {
        self.inputs + 1
    }

    /// The number of sums.
    pub fn len(&self) -> usize {
        self.sums.len()
    }

    /// Whether no sum is needed.
    pub fn is_empty(&self) -> bool {
        self.sums.is_empty()
    }

    /// What these signals add up to.
    pub fn total(&self, terms: &[usize]) -> u64 {
        terms.iter().fold(0, |sum, &term| sum ^ self.values[term])
    }

    /// Appends a sum.
    pub fn push(&mut self, terms: Terms) -> usize {
        self.values.push(self.total(&terms));
        self.sums.push(terms);
        self.values.len() - 1
    }

    /// Makes the signals of these values the outputs; one that isn't there is zero.
    pub fn find_outputs(&mut self, rows: &[u64]) {
        let place = |row: &u64| self.values.iter().position(|value| value == row).unwrap_or(ZERO);
        self.outputs = rows.iter().map(place).collect();
    }

    /// The circuit of exclusive-ors.
    pub fn to_circuit(&self) -> Circuit {
        let at = |signal: usize| Signal(signal as u32 - 1);
        let gate = |terms: &Terms| match *terms {
            [a, b, ZERO] => Gate::Xor(at(a), at(b)),
            terms => Gate::Ternary(0x96, terms.map(at)),
        };
        let output = |&output: &usize| match output {
            ZERO => Output::Constant(false),
            signal => Output::Signal(at(signal)),
        };
        Circuit {
            inputs: self.inputs as u8,
            gates: self.sums.iter().map(gate).collect(),
            outputs: self.outputs.iter().map(output).collect(),
        }
    }
}
