//! Networks of tables of up to three inputs with the values of every signal.

use nakiri::circuit::{Circuit, Gate, Output, Signal};

/// The values of a signal at `64 W` indices.
pub(super) type Bits<const W: usize> = [u64; W];

pub(super) fn zip<const W: usize>(
    a: &Bits<W>,
    b: &Bits<W>,
    operation: impl Fn(u64, u64) -> u64,
) -> Bits<W> {
    std::array::from_fn(|word| operation(a[word], b[word]))
}

/// A table of three signals, bit `4 a + 2 b + c` of it; one of fewer repeats its last operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Node {
    pub(super) table: u8,
    pub(super) operands: [usize; 3],
}

impl Node {
    /// The value of the table at all indices.
    pub(super) fn value<const W: usize>(&self, values: &[Bits<W>]) -> Bits<W> {
        let [a, b, c] = self.operands.map(|signal| &values[signal]);
        std::array::from_fn(|word| {
            nakiri::circuit::ternary(self.table, [a[word], b[word], c[word]])
        })
    }

    /// Whether the node reads `signal`.
    pub(super) fn reads(&self, signal: usize) -> bool {
        self.operands.contains(&signal)
    }
}

/// What an output is: a signal or a constant.
pub(super) type Wanted = Result<usize, bool>;

/// Signals: the inputs first, then one a node; a node reads earlier signals only.
#[derive(Clone, Debug)]
pub(super) struct Network<const W: usize> {
    pub(super) inputs: usize,
    pub(super) nodes: Vec<Node>,
    pub(super) values: Vec<Bits<W>>,
    pub(super) outputs: Vec<Wanted>,
}

impl<const W: usize> Network<W> {
    /// The network of a circuit of at most six inputs and as many as `W` holds values of.
    pub(super) fn of_circuit(circuit: &Circuit) -> Network<W> {
        let inputs = usize::from(circuit.inputs);
        let nodes = circuit.gates.iter().map(|gate| {
            let operands = gate.operands().map(|signal| signal.0 as usize);
            // Bits 4 a + 2 b + b, or 7 a, of two and one operands; the others can't be read.
            let table = match gate {
                Gate::And(..) => 0x80,
                Gate::Or(..) => 0xf8,
                Gate::Xor(..) => 0x18,
                Gate::AndNot(..) => 0x08,
                Gate::OrNot(..) => 0x8f,
                Gate::Not(..) => 0x01,
                Gate::Ternary(table, _) => *table,
            };
            Node { table, operands }
        });
        let outputs = circuit.outputs.iter().map(|output| match *output {
            Output::Signal(signal) => Ok(signal.0 as usize),
            Output::Constant(value) => Err(value),
        });
        let mut network = Network {
            inputs,
            nodes: nodes.collect(),
            values: (0..inputs).map(|input| input_values(inputs - 1 - input)).collect(),
            outputs: outputs.collect(),
        };
        network.evaluate();
        network
    }

    /// The circuit, its gates written as three-input tables.
    pub(super) fn to_circuit(&self) -> Circuit {
        let gates = self.nodes.iter().map(|node| {
            Gate::Ternary(node.table, node.operands.map(|signal| Signal(signal as u32)))
        });
        let output = |output: &Wanted| match *output {
            Ok(signal) => Output::Signal(Signal(signal as u32)),
            Err(value) => Output::Constant(value),
        };
        Circuit {
            inputs: self.inputs as u8,
            gates: gates.collect(),
            outputs: self.outputs.iter().map(output).collect(),
        }
    }

    /// Computes the values of all nodes anew.
    fn evaluate(&mut self) {
        self.values.truncate(self.inputs);
        for node in &self.nodes {
            let value = node.value(&self.values);
            self.values.push(value);
        }
    }

    /// For each signal, whether it depends on `signal`, which does itself.
    pub(super) fn above(&self, signal: usize) -> Vec<bool> {
        let mut above = vec![false; self.values.len()];
        above[signal] = true;
        for (index, node) in self.nodes.iter().enumerate() {
            above[self.inputs + index] |= node.operands.iter().any(|&operand| above[operand]);
        }
        above
    }

    /// The indices at which an output changes if `signal` does.
    pub(super) fn care(&self, signal: usize, above: &[bool]) -> Bits<W> {
        let mut changed = self.values.clone();
        changed[signal] = changed[signal].map(|word| !word);
        for place in (signal + 1..changed.len()).filter(|&place| above[place]) {
            changed[place] = self.nodes[place - self.inputs].value(&changed);
        }
        let mut care = [0; W];
        for &output in self.outputs.iter().flatten() {
            let difference = zip(&changed[output], &self.values[output], |a, b| a ^ b);
            care = zip(&care, &difference, |a, b| a | b);
        }
        care
    }

    /// For each signal, whether it serves no output but through `signal`; `signal` does itself.
    pub(super) fn serving(&self, signal: usize) -> Vec<bool> {
        let mut needed = vec![false; self.values.len()];
        for &output in self.outputs.iter().flatten().filter(|&&output| output != signal) {
            needed[output] = true;
        }
        for place in (self.inputs..self.values.len()).rev() {
            if needed[place] && place != signal {
                self.nodes[place - self.inputs].operands.iter().for_each(|&o| needed[o] = true);
            }
        }
        needed[signal] = false;
        let gates = needed.iter().enumerate();
        gates.map(|(place, needed)| place >= self.inputs && !needed).collect()
    }

    /// The number of gates on the longest path to each signal.
    pub(super) fn levels(&self) -> Vec<usize> {
        let mut levels = vec![0; self.inputs];
        for node in &self.nodes {
            levels
                .push(1 + node.operands.iter().map(|&operand| levels[operand]).max().unwrap_or(0));
        }
        levels
    }

    /// The depth, and the number of nodes on paths that are so long.
    pub(super) fn critical(&self) -> [usize; 2] {
        let levels = self.levels();
        let depth = self.outputs.iter().flatten().map(|&output| levels[output]).max().unwrap_or(0);
        let mut is_critical = vec![false; levels.len()];
        for &output in self.outputs.iter().flatten() {
            is_critical[output] |= levels[output] == depth;
        }
        for place in (self.inputs..levels.len()).rev() {
            for operand in self.nodes[place - self.inputs].operands {
                is_critical[operand] |= is_critical[place] && levels[operand] + 1 == levels[place];
            }
        }
        [depth, is_critical[self.inputs..].iter().filter(|&&critical| critical).count()]
    }

    /// The network with node `signal` put in place of a new one and `added` nodes appended, which may be read by it; in
    /// a valid order and without dead nodes.
    pub(super) fn replaced(&self, signal: usize, node: Node, added: &[Node]) -> Network<W> {
        let mut nodes = self.nodes.clone();
        nodes[signal - self.inputs] = node;
        nodes.extend(added);
        self.rebuilt(&nodes, &self.outputs)
    }

    /// The network with `other`, complemented on demand, in the place of `signal`; no output may then be complemented.
    pub(super) fn substituted(&self, signal: usize, other: usize, complement: bool) -> Network<W> {
        let replace = |node: &Node| {
            let mut node = *node;
            if complement && node.reads(signal) {
                let flips = node.operands.map(|operand| u8::from(operand == signal));
                let flip = flips[0] << 2 | flips[1] << 1 | flips[2];
                node.table = (0..8).map(|place| (node.table >> (place ^ flip) & 1) << place).sum();
            }
            node.operands = node.operands.map(|o| if o == signal { other } else { o });
            node
        };
        let nodes: Vec<Node> = self.nodes.iter().map(replace).collect();
        let outputs =
            self.outputs.iter().map(|output| output.map(|o| if o == signal { other } else { o }));
        let outputs: Vec<Wanted> = outputs.collect();
        self.rebuilt(&nodes, &outputs)
    }

    /// The network of these nodes, numbered as before but not in order, without dead ones.
    fn rebuilt(&self, nodes: &[Node], outputs: &[Wanted]) -> Network<W> {
        let mut places: Vec<Option<usize>> = (0..self.inputs).map(Some).collect();
        places.resize(self.inputs + nodes.len(), None);
        let mut network = Network {
            inputs: self.inputs,
            nodes: Vec::with_capacity(nodes.len()),
            values: self.values[..self.inputs].to_vec(),
            outputs: Vec::new(),
        };
        for &output in outputs.iter().flatten() {
            network.visit(output, nodes, &mut places);
        }
        let place = |signal: usize| places[signal].unwrap_or(signal);
        network.outputs = outputs.iter().map(|output| output.map(place)).collect();
        network
    }

    fn visit(&mut self, signal: usize, nodes: &[Node], places: &mut [Option<usize>]) {
        if places[signal].is_some() {
            return;
        }
        let node = nodes[signal - self.inputs];
        for operand in node.operands {
            self.visit(operand, nodes, places);
        }
        let operands = node.operands.map(|operand| places[operand].unwrap_or(operand));
        let node = Node { operands, ..node };
        let value = node.value(&self.values);
        places[signal] = Some(self.values.len());
        self.nodes.push(node);
        self.values.push(value);
    }
}

/// The values of bit `bit` of the index; functions of few inputs are repeated to fill a word.
fn input_values<const W: usize>(bit: usize) -> Bits<W> {
    std::array::from_fn(|word| {
        (0..64).map(|place| ((word * 64 + place) as u64 >> bit & 1) << place).sum()
    })
}
