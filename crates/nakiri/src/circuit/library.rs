//! Circuits for known S-boxes, found by the searches of this crate.
//!
//! A file holds entries of this form, one blank line between them:
//!
//! ```text
//! NAME INPUTS | GATES gates, how they were found
//! gates: 0&1 0|1 0^1 0>1 0]1 ~0
//! outputs: 4 5 6 7
//! ```
//!
//! `0>1` is `!0 & 1`, `0]1` is `!0 | 1` and `ca:0:1:2` is a table of three inputs, in hexadecimal
//! as [`Gate::Ternary`] has it; there may be several lines of gates. Signals are numbered as in
//! [`Circuit`]. A name may have several entries. An entry needs no table beside it: looking up a
//! table means evaluating the entries of its size.

use super::{Circuit, Gate, Output, Signal, Table};
use std::sync::LazyLock;

/// The files of the library.
const FILES: &[&str] = &[
    include_str!("library/aes.txt"),
    include_str!("library/ascon.txt"),
    include_str!("library/clyde.txt"),
    include_str!("library/des.txt"),
    include_str!("library/gift.txt"),
    include_str!("library/keccak.txt"),
    include_str!("library/present.txt"),
    include_str!("library/rectangle.txt"),
    include_str!("library/serpent.txt"),
    include_str!("library/skinny.txt"),
];

/// Circuits of exclusive-ors, of two terms or three, for the linear layers of ciphers. Input 0 is the most significant bit of
/// the first byte.
const LAYERS: &str = include_str!("library/layers.txt");

/// A circuit of the library.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name of the S-box or layer.
    pub name: &'static str,
    /// How the circuit was found.
    pub found: &'static str,
    /// The circuit.
    pub circuit: Circuit,
}

/// All entries of the library, in the order of the files.
pub fn entries() -> &'static [Entry] {
    static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
        FILES.iter().flat_map(|file| file.split("\n\n")).filter_map(parse).collect()
    });
    &ENTRIES
}

/// The circuits of linear layers, named by cipher and layer.
pub fn layers() -> &'static [Entry] {
    static ENTRIES: LazyLock<Vec<Entry>> =
        LazyLock::new(|| LAYERS.split("\n\n").filter_map(parse).collect());
    &ENTRIES
}

/// The entries that compute `table`, its inputs and outputs in either order, made to compute it in
/// the table's own: of two-input gates and of three-input tables, with few gates and with little
/// depth, in the order of the files.
pub fn entries_for(table: &Table) -> Vec<Entry> {
    let reversed = table.reversed();
    let fits = |entry: &&Entry| entry.circuit.inputs == table.inputs;
    let oriented = |entry: &Entry| match entry.circuit.computes(table) {
        true => Some(entry.clone()),
        false if entry.circuit.computes(&reversed) => {
            Some(Entry { circuit: reverse(&entry.circuit), ..*entry })
        }
        false => None,
    };
    entries().iter().filter(fits).filter_map(oriented).collect()
}

/// The smallest entry of two-input gates that computes `table`.
pub(super) fn find(table: &Table) -> Option<(&'static str, Circuit)> {
    let entries = entries_for(table).into_iter().filter(|entry| !entry.circuit.is_ternary());
    let smallest = entries.min_by_key(|entry| entry.circuit.size())?;
    Some((smallest.name, smallest.circuit))
}

/// The circuit with its inputs and outputs numbered from the other end.
fn reverse(circuit: &Circuit) -> Circuit {
    let inputs = u32::from(circuit.inputs);
    let at = |signal: Signal| match signal.0 < inputs {
        true => Signal(inputs - 1 - signal.0),
        false => signal,
    };
    let output = |output: &Output| match *output {
        Output::Signal(signal) => Output::Signal(at(signal)),
        Output::Constant(value) => Output::Constant(value),
    };
    Circuit {
        inputs: circuit.inputs,
        gates: circuit.gates.iter().map(|gate| gate.map(at)).collect(),
        outputs: circuit.outputs.iter().rev().map(output).collect(),
    }
}

/// Reads one entry.
fn parse(text: &'static str) -> Option<Entry> {
    let (head, found) = text.trim().lines().next()?.split_once(" | ")?;
    let (name, _) = head.split_once(' ')?;
    Some(Entry { name, found, circuit: read_entry(text)? })
}

/// The circuit of an entry in the form of the library; none if it is no such entry.
pub fn read_entry(text: &str) -> Option<Circuit> {
    let mut lines = text.trim().lines();
    let (head, _) = lines.next()?.split_once(" | ")?;
    let (_, inputs) = head.split_once(' ')?;
    let mut circuit = Circuit { inputs: inputs.parse().ok()?, gates: vec![], outputs: vec![] };
    for line in lines {
        if let Some(gates) = line.strip_prefix("gates: ") {
            for gate in gates.split(' ') {
                circuit.gates.push(parse_gate(gate)?);
            }
        } else if let Some(outputs) = line.strip_prefix("outputs: ") {
            for output in outputs.split(' ') {
                circuit.outputs.push(parse_output(output)?);
            }
        }
    }
    is_well_formed(&circuit).then_some(circuit)
}

/// Reads one output: a signal, `=0` or `=1`.
fn parse_output(text: &str) -> Option<Output> {
    match text {
        "=0" => Some(Output::Constant(false)),
        "=1" => Some(Output::Constant(true)),
        signal => parse_signal(signal).map(Output::Signal),
    }
}

/// Reads one gate.
fn parse_gate(text: &str) -> Option<Gate> {
    if let Some(operand) = text.strip_prefix('~') {
        return Some(Gate::Not(parse_signal(operand)?));
    }
    if let Some((table, operands)) = text.split_once(':') {
        let operands: Vec<Signal> = operands.split(':').map(parse_signal).collect::<Option<_>>()?;
        return Some(Gate::Ternary(u8::from_str_radix(table, 16).ok()?, operands.try_into().ok()?));
    }
    let place = text.find(|letter: char| !letter.is_ascii_digit())?;
    let (a, b) = (parse_signal(&text[..place])?, parse_signal(text.get(place + 1..)?)?);
    Some(match text.as_bytes()[place] {
        b'&' => Gate::And(a, b),
        b'|' => Gate::Or(a, b),
        b'^' => Gate::Xor(a, b),
        b'>' => Gate::AndNot(a, b),
        b']' => Gate::OrNot(a, b),
        _ => return None,
    })
}

fn parse_signal(text: &str) -> Option<Signal> {
    text.parse().ok().map(Signal)
}

/// Whether every gate reads earlier signals only and every output exists.
fn is_well_formed(circuit: &Circuit) -> bool {
    let inputs = u32::from(circuit.inputs);
    let total = inputs + circuit.gates.len() as u32;
    let gates = circuit.gates.iter().zip(inputs..);
    gates.into_iter().all(|(gate, number)| gate.operands().iter().all(|signal| signal.0 < number))
        && circuit.outputs.iter().all(|output| match output {
            Output::Signal(signal) => signal.0 < total,
            Output::Constant(_) => true,
        })
}

/// Writes a circuit in the library's form.
impl std::fmt::Display for Circuit {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "gates:")?;
        for gate in &self.gates {
            let [a, b, c] = gate.operands().map(|signal| signal.0);
            match gate {
                Gate::And(..) => write!(formatter, " {a}&{b}")?,
                Gate::Or(..) => write!(formatter, " {a}|{b}")?,
                Gate::Xor(..) => write!(formatter, " {a}^{b}")?,
                Gate::AndNot(..) => write!(formatter, " {a}>{b}")?,
                Gate::OrNot(..) => write!(formatter, " {a}]{b}")?,
                Gate::Not(..) => write!(formatter, " ~{a}")?,
                Gate::Ternary(table, _) => write!(formatter, " {table:02x}:{a}:{b}:{c}")?,
            }
        }
        write!(formatter, "\noutputs:")?;
        for output in &self.outputs {
            match output {
                Output::Signal(signal) => write!(formatter, " {}", signal.0)?,
                Output::Constant(value) => write!(formatter, " ={}", u8::from(*value))?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let text = "four 2 | by hand\ngates: 0&1 0>1 ~2 1e:0:1:4\noutputs: 5 =0 3 =1";
        let entry = parse(text).expect("an entry");
        let constants = [Output::Constant(false), Output::Constant(true)];
        assert_eq!([entry.circuit.outputs[1], entry.circuit.outputs[3]], constants);
        assert_eq!(format!("four 2 | by hand\n{}", entry.circuit), text);
    }
}
