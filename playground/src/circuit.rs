//! The circuit that stands for a table, as a drawing needs it.

use crate::document::Read;
use nakiri::circuit::{for_table, Gate, Output, Table};
use serde_json::{json, Value};

/// The most inputs of a table whose circuit is made while somebody waits.
const INPUTS: u8 = 8;

/// The circuit of a table.
///
/// # Errors
/// That there is no such table, or that it is too large to be waited for.
pub fn of_table(read: &Read, name: &str) -> Result<Value, String> {
    read.program()?;
    let tables = read.analysis.checked.as_ref().map_or(&[][..], |checked| checked.tables());
    let Some(table) = tables.iter().find(|table| table.name == name) else {
        return Err(format!("There is no table `{name}`."));
    };
    if table.inputs > INPUTS || table.outputs > 32 {
        return Err(format!("`{name}` is too large for a circuit to be made here."));
    }
    let entries = table.entries.iter().map(|entry| *entry as u32).collect();
    let truth = Table { inputs: table.inputs, outputs: table.outputs, entries };
    let (circuit, origin) = for_table(&truth);
    let gates = circuit.gates.iter().map(|gate| {
        let (kind, operands) = drawn(gate);
        json!([kind, operands])
    });
    let outputs = circuit.outputs.iter().map(|output| match output {
        Output::Signal(signal) => json!(signal.0),
        Output::Constant(value) => json!(value),
    });
    Ok(json!({
        "name": name,
        "inputs": circuit.inputs,
        "gates": gates.collect::<Vec<_>>(),
        "outputs": outputs.collect::<Vec<_>>(),
        "depth": circuit.depth(),
        "origin": origin.to_string(),
    }))
}

/// What a gate is called, and what it takes; inputs come first, then gates, each by its number.
fn drawn(gate: &Gate) -> (&'static str, Vec<u32>) {
    let [a, b, c] = gate.operands().map(|signal| signal.0);
    match gate {
        Gate::And(..) => ("and", vec![a, b]),
        Gate::Or(..) => ("or", vec![a, b]),
        Gate::Xor(..) => ("xor", vec![a, b]),
        Gate::AndNot(..) => ("andnot", vec![a, b]),
        Gate::OrNot(..) => ("ornot", vec![a, b]),
        Gate::Not(..) => ("not", vec![a]),
        Gate::Ternary(..) => ("ternary", vec![a, b, c]),
    }
}
