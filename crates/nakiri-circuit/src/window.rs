//! Local resubstitution by SAT: a few gates that belong together are replaced by fewer that compute the same.

use crate::basis::Basis;
use crate::effort::Effort;
use crate::exact::{least_gates, with_gates, Answer, Problem, Solution};
use crate::gates::in_basis;
use fastrand::Rng;
use nakiri::circuit::{Circuit, Gate, Output, Signal};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// The most gates of a window; the time for a question grows steeply with it.
const GATES: usize = 5;

/// The most signals that a window reads.
const LEAVES: usize = 8;

/// The most rows of a question: those beyond make it slow.
const ROWS: usize = 64;

/// How long one question may take.
const PATIENCE: Duration = Duration::from_millis(500);

/// The circuit with windows replaced by smaller ones, `tries` times at random places. A circuit of more than eight inputs
/// comes back as it is.
pub fn shrink(
    circuit: &Circuit,
    basis: Basis,
    tries: usize,
    seed: u64,
    effort: &Effort,
) -> Circuit {
    let mut rng = Rng::with_seed(seed);
    let mut current = circuit.clone();
    if circuit.inputs > 8 {
        return current;
    }
    for _ in 0..tries {
        if effort.is_over() || current.gates.len() < 2 {
            break;
        }
        let window = Window::random(&current, &mut rng);
        if let Some(smaller) = window.replaced(&current, basis, effort) {
            if basis.cost(&smaller) < basis.cost(&current) {
                current = smaller;
            }
        }
    }
    current
}

/// Gates that belong together.
struct Window {
    /// The places of the gates among all signals.
    gates: BTreeSet<usize>,
    /// The signals that they read.
    leaves: Vec<usize>,
    /// Those of the gates that something else reads.
    roots: Vec<usize>,
}

impl Window {
    /// A window that grows from a random gate along operands and readers.
    fn random(circuit: &Circuit, rng: &mut Rng) -> Window {
        let inputs = usize::from(circuit.inputs);
        let total = inputs + circuit.gates.len();
        let mut gates = BTreeSet::from([rng.usize(inputs..total)]);
        for _ in 0..2 * GATES {
            let near: Vec<usize> = (inputs..total)
                .filter(|&place| !gates.contains(&place))
                .filter(|&place| {
                    let is_read = gates.iter().any(|&gate| reads(circuit, gate, place));
                    is_read || gates.iter().any(|&gate| reads(circuit, place, gate))
                })
                .collect();
            if near.is_empty() || gates.len() == GATES {
                break;
            }
            let added = near[rng.usize(..near.len())];
            gates.insert(added);
            if Window::of(circuit, gates.clone()).leaves.len() > LEAVES {
                gates.remove(&added);
            }
        }
        Window::of(circuit, gates)
    }

    fn of(circuit: &Circuit, gates: BTreeSet<usize>) -> Window {
        let inputs = usize::from(circuit.inputs);
        let total = inputs + circuit.gates.len();
        let operands = gates.iter().flat_map(|&gate| circuit.gates[gate - inputs].operands());
        let leaves: BTreeSet<usize> = operands
            .map(|signal| signal.0 as usize)
            .filter(|place| !gates.contains(place))
            .collect();
        let is_root = |&gate: &usize| {
            let is_output = circuit.outputs.contains(&Output::Signal(Signal(gate as u32)));
            let mut readers = (inputs..total).filter(|place| !gates.contains(place));
            is_output || readers.any(|reader| reads(circuit, reader, gate))
        };
        let roots = gates.iter().copied().filter(is_root).collect();
        Window { leaves: leaves.into_iter().collect(), roots, gates }
    }

    /// The circuit with the window computed by one gate fewer; none if there is no such way, or it isn't found in time.
    fn replaced(&self, circuit: &Circuit, basis: Basis, effort: &Effort) -> Option<Circuit> {
        let gates = self.gates.len() - 1;
        let problem = self.problem(circuit);
        if problem.rows.len() > ROWS || least_gates(&problem, basis) > gates {
            return None;
        }
        let effort = effort.until(Instant::now() + PATIENCE);
        match with_gates(&problem, basis, gates, &effort) {
            Answer::Enough(solution) => self.spliced(circuit, basis, &solution),
            Answer::TooFew | Answer::Unknown => None,
        }
    }

    /// What the window computes, for the values of its leaves that occur.
    fn problem(&self, circuit: &Circuit) -> Problem {
        let mut observed = circuit.clone();
        let watched = self.leaves.iter().chain(&self.roots);
        observed.outputs = watched.map(|&place| Output::Signal(Signal(place as u32))).collect();
        let split = self.leaves.len();
        let rows: BTreeSet<(u64, u64)> = (0..1u64 << circuit.inputs)
            .map(|index| {
                let bits: Vec<u64> = (0..circuit.inputs).map(|input| index >> input & 1).collect();
                let values = observed.eval(&bits);
                let pack = |values: &[u64]| {
                    values.iter().enumerate().map(|(place, v)| (v & 1) << place).sum::<u64>()
                };
                (pack(&values[..split]), pack(&values[split..]))
            })
            .collect();
        Problem { given: split, wanted: self.roots.len(), rows: rows.into_iter().collect() }
    }

    /// The circuit with the solution in the place of the window; none if the two would depend on one another.
    fn spliced(&self, circuit: &Circuit, basis: Basis, solution: &Solution) -> Option<Circuit> {
        let inputs = usize::from(circuit.inputs);
        let total = inputs + circuit.gates.len();
        let part = solution.to_circuit(self.leaves.len(), basis);
        // Gates of the circuit, then those of the part, in any order.
        let mut gates = circuit.gates.clone();
        let leaves = u32::try_from(self.leaves.len()).ok()?;
        let at = |signal: Signal| match signal.0.checked_sub(leaves) {
            None => Signal(self.leaves[signal.0 as usize] as u32),
            Some(gate) => Signal(total as u32 + gate),
        };
        gates.extend(part.gates.iter().map(|gate| gate.map(at)));
        let mut renamed: Vec<Option<Output>> = vec![None; gates.len() + inputs];
        for (&root, &output) in self.roots.iter().zip(&part.outputs) {
            renamed[root] = Some(match output {
                Output::Signal(signal) => Output::Signal(at(signal)),
                constant => constant,
            });
        }
        let mut sorted = Sorted {
            gates: &gates,
            renamed: &renamed,
            places: (0..inputs + gates.len())
                .map(|p| (p < inputs).then_some(Signal(p as u32)))
                .collect(),
            visiting: vec![false; inputs + gates.len()],
            circuit: Circuit { inputs: circuit.inputs, gates: Vec::new(), outputs: Vec::new() },
        };
        for &output in &circuit.outputs {
            let output = match output {
                Output::Signal(signal) => sorted.resolve(signal)?,
                constant => constant,
            };
            sorted.circuit.outputs.push(output);
        }
        Some(in_basis(&sorted.circuit, basis))
    }
}

/// A circuit that is put in order.
struct Sorted<'a> {
    gates: &'a [Gate],
    renamed: &'a [Option<Output>],
    places: Vec<Option<Signal>>,
    visiting: Vec<bool>,
    circuit: Circuit,
}

impl Sorted<'_> {
    /// The signal in the new circuit; none if it depends on itself or is a constant that a gate would read.
    fn resolve(&mut self, signal: Signal) -> Option<Output> {
        match self.renamed[signal.0 as usize] {
            Some(Output::Signal(other)) => self.visit(other).map(Output::Signal),
            Some(constant) => Some(constant),
            None => self.visit(signal).map(Output::Signal),
        }
    }

    fn visit(&mut self, signal: Signal) -> Option<Signal> {
        let place = signal.0 as usize;
        if let Some(known) = self.places[place] {
            return Some(known);
        }
        if std::mem::replace(&mut self.visiting[place], true) {
            return None;
        }
        let inputs = usize::from(self.circuit.inputs);
        let gate = self.gates[place - inputs];
        let mut operands = [Signal(0); 3];
        for (resolved, operand) in operands.iter_mut().zip(gate.operands()) {
            let Output::Signal(signal) = self.resolve(operand)? else { return None };
            *resolved = signal;
        }
        let old = gate.operands();
        let gate = gate.map(|signal| {
            let place = old.iter().position(|&operand| operand == signal).unwrap_or(0);
            operands[place]
        });
        self.circuit.gates.push(gate);
        let new = Signal((inputs + self.circuit.gates.len() - 1) as u32);
        self.places[place] = Some(new);
        Some(new)
    }
}

/// Whether the gate at `reader` reads the signal at `place`.
fn reads(circuit: &Circuit, reader: usize, place: usize) -> bool {
    let inputs = usize::from(circuit.inputs);
    let gate = circuit.gates[reader - inputs];
    gate.operands().iter().any(|signal| signal.0 as usize == place)
}
