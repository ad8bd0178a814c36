//! What a circuit has to compute, and circuits as the exact search sees them.

use nakiri::circuit::Table;

/// Signals that are given and signals that are wanted, by their values in each of some rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The number of given signals, at most 64.
    pub given: usize,
    /// The number of wanted signals, at most 64.
    pub wanted: usize,
    /// Bit `i` of the first number is given signal `i`, bit `h` of the second wanted signal `h`.
    pub rows: Vec<(u64, u64)>,
}

/// A gate: a function of signals, the given ones first, then one a gate. Bit `p` of the function is its value where
/// operand `q` is bit `k - 1 - q` of `p`, of `k` operands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The function.
    pub function: u8,
    /// The operands, in ascending order.
    pub operands: Vec<usize>,
}

/// A solution: gates, and the signal that each wanted one is, complemented if the flag is set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution {
    /// The gates.
    pub steps: Vec<Step>,
    /// The wanted signals.
    pub outputs: Vec<(usize, bool)>,
}

impl Problem {
    /// The problem of computing `table`, of which input 0 is given signal 0.
    pub fn of_table(table: &Table) -> Problem {
        let (given, wanted) = (usize::from(table.inputs), usize::from(table.outputs));
        let row = |index: usize| {
            let inputs = (0..given).map(|input| (index >> (given - 1 - input) & 1) << input);
            let outputs = (0..wanted).map(|output| u64::from(table.bit(index, output)) << output);
            (inputs.sum::<usize>() as u64, outputs.sum())
        };
        Problem { given, wanted, rows: (0..1 << given).map(row).collect() }
    }

    /// The problem with every signal complemented that is one in the first row, and which wanted ones were.
    pub(super) fn normalized(&self) -> (Problem, u64) {
        let (inputs, outputs) = self.rows.first().copied().unwrap_or_default();
        let rows = self.rows.iter().map(|(i, o)| (i ^ inputs, o ^ outputs)).collect();
        (Problem { rows, ..self.clone() }, outputs)
    }

    /// The given signal that wanted signal `output` equals in all rows.
    pub(super) fn equal_given(&self, output: usize) -> Option<usize> {
        let equal =
            |input: &usize| self.rows.iter().all(|(i, o)| i >> input & 1 == o >> output & 1);
        (0..self.given).find(equal)
    }

    /// Whether wanted signal `output` is zero in all rows.
    pub(super) fn is_zero(&self, output: usize) -> bool {
        self.rows.iter().all(|(_, outputs)| outputs >> output & 1 == 0)
    }

    /// The first wanted signal that equals wanted signal `output`.
    pub(super) fn representative(&self, output: usize) -> usize {
        let equal =
            |other: &usize| self.rows.iter().all(|(_, o)| o >> other & 1 == o >> output & 1);
        (0..output).find(equal).unwrap_or(output)
    }
}
