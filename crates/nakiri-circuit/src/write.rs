//! Circuits as text for other programs.

use nakiri::circuit::{Circuit, Gate, Output};
use std::fmt::Write;

/// The name of a signal: `x0` for an input, `g0` for a gate.
fn name(circuit: &Circuit, signal: u32) -> String {
    match signal.checked_sub(u32::from(circuit.inputs)) {
        Some(gate) => format!("g{gate}"),
        None => format!("x{signal}"),
    }
}

/// The circuit as a graph in the language of Graphviz.
pub fn graph(circuit: &Circuit, title: &str) -> String {
    let mut text = String::from("digraph circuit {\n  rankdir=LR\n");
    let quoted = title.replace('\\', "\\\\").replace('"', "\\\"");
    let _ = writeln!(text, "  label=\"{quoted}\"\n  node [shape=box]");
    for input in 0..u32::from(circuit.inputs) {
        let _ = writeln!(text, "  x{input} [shape=plaintext]");
    }
    for (place, gate) in circuit.gates.iter().enumerate() {
        let label = match gate {
            Gate::And(..) => "a & b".to_string(),
            Gate::Or(..) => "a | b".to_string(),
            Gate::Xor(..) => "a ^ b".to_string(),
            Gate::AndNot(..) => "~a & b".to_string(),
            Gate::OrNot(..) => "~a | b".to_string(),
            Gate::Not(_) => "~a".to_string(),
            Gate::Ternary(table, _) => format!("{table:#04x}"),
        };
        let _ = writeln!(text, "  g{place} [label=\"{label}\"]");
        for (operand, letter) in operands(gate).into_iter().zip(["a", "b", "c"]) {
            let from = name(circuit, operand);
            let _ = writeln!(text, "  {from} -> g{place} [headlabel=\"{letter}\", fontsize=9]");
        }
    }
    for (place, output) in circuit.outputs.iter().enumerate() {
        let from = match output {
            Output::Signal(signal) => name(circuit, signal.0),
            Output::Constant(value) => {
                let _ =
                    writeln!(text, "  c{place} [shape=plaintext, label=\"{}\"]", u8::from(*value));
                format!("c{place}")
            }
        };
        let _ = writeln!(text, "  y{place} [shape=plaintext]\n  {from} -> y{place}");
    }
    text.push_str("}\n");
    text
}

/// The circuit as a node of Usuba, of which input and output 0 are the first bits. Three-input tables are written out as
/// sums of products, which the compiler finds again.
pub fn usuba(circuit: &Circuit, node: &str) -> String {
    let (inputs, outputs) = (circuit.inputs, circuit.outputs.len());
    let mut text = format!("node {node} (x:b{inputs}) returns (y:b{outputs})\n");
    if !circuit.gates.is_empty() {
        let names: Vec<String> =
            (0..circuit.gates.len()).map(|gate| format!("g{gate}:b1")).collect();
        let _ = writeln!(text, "vars {}", names.join(", "));
    }
    let at = |signal: u32| match signal.checked_sub(u32::from(inputs)) {
        Some(gate) => format!("g{gate}"),
        None => format!("x[{signal}]"),
    };
    text.push_str("let\n");
    for (place, gate) in circuit.gates.iter().enumerate() {
        let [a, b, c] = gate.operands().map(|signal| at(signal.0));
        let value = match gate {
            Gate::And(..) => format!("{a} & {b}"),
            Gate::Or(..) => format!("{a} | {b}"),
            Gate::Xor(..) => format!("{a} ^ {b}"),
            Gate::AndNot(..) => format!("~{a} & {b}"),
            Gate::OrNot(..) => format!("~{a} | {b}"),
            Gate::Not(_) => format!("~{a}"),
            Gate::Ternary(table, _) => products(*table, [&a, &b, &c]),
        };
        let _ = writeln!(text, "  g{place} = {value};");
    }
    for (place, output) in circuit.outputs.iter().enumerate() {
        let value = match output {
            Output::Signal(signal) => at(signal.0),
            Output::Constant(value) => u8::from(*value).to_string(),
        };
        let end = if place + 1 == outputs { "" } else { ";" };
        let _ = writeln!(text, "  y[{place}] = {value}{end}");
    }
    text.push_str("tel\n");
    text
}

/// The signals that a gate reads, each place once.
fn operands(gate: &Gate) -> Vec<u32> {
    let all = gate.operands().map(|signal| signal.0);
    let count = match gate {
        Gate::Not(_) => 1,
        Gate::Ternary(..) if all[1] == all[2] => 2,
        Gate::Ternary(..) => 3,
        _ => 2,
    };
    all[..count].to_vec()
}

/// The table as a sum of the products of its algebraic normal form.
fn products(table: u8, operands: [&str; 3]) -> String {
    let mut form = table;
    for (shift, keep) in [(1, 0x55u8), (2, 0x33), (4, 0x0f)] {
        form ^= (form & keep) << shift;
    }
    let product = |place: u8| {
        let factors = operands.iter().enumerate().filter(|(k, _)| place >> (2 - k) & 1 == 1);
        let factors: Vec<&str> = factors.map(|(_, name)| *name).collect();
        format!("({})", factors.join(" & "))
    };
    let terms: Vec<String> = (1..8u8).filter(|place| form >> place & 1 == 1).map(product).collect();
    match (terms.is_empty(), form & 1 == 1) {
        (true, constant) => u8::from(constant).to_string(),
        (false, false) => terms.join(" ^ "),
        (false, true) => format!("~({})", terms.join(" ^ ")),
    }
}
