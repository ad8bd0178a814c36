//! What a kernel costs on each machine that runs it, by the models, and what it costs at least.

use nakiri::compile::Kernel;
use nakiri::cost::{estimate_kernel, Estimate};
use nakiri_machine::bound::{kernel as needed, of_operations, Bound};
use nakiri_machine::machine::{self, Machine};
use serde_json::{json, Value};

/// A row for each machine that runs the kernel's target: one of its architecture, or any if it is for all.
pub fn all(kernel: &Kernel) -> Vec<Value> {
    let own = machine::all().iter().find(|machine| machine.name == kernel.target.machine);
    let architecture = own.map(|own| &own.architecture).filter(|_| kernel.target.guard().is_some());
    let runs = |machine: &&Machine| architecture.is_none_or(|own| *own == machine.architecture);
    machine::all().iter().filter(runs).filter_map(|machine| price(kernel, machine)).collect()
}

fn price(kernel: &Kernel, machine: &Machine) -> Option<Value> {
    let model = machine.model();
    model.runs(kernel.target).ok()?;
    let estimate = estimate_kernel(kernel, &model).ok()?;
    let operations = needed::operations(kernel, machine);
    let instructions = needed::instructions(&operations);
    let bound = of_operations(machine, &operations, instructions).ok()?;
    Some(row(machine, &estimate, &bound, kernel.bytes()))
}

fn row(machine: &Machine, estimate: &Estimate, bound: &Bound, bytes: f64) -> Value {
    let (limit, least) = bound.binds();
    json!({
        "machine": machine.name,
        "title": machine.title,
        "cycles": estimate.cycles,
        "perByte": estimate.cycles / bytes,
        "binds": estimate.binds().to_string(),
        "bound": least,
        "boundPerByte": least / bytes,
        "boundBy": limit.name(),
        "bottleneck": bound.bottleneck,
        "instructions": estimate.instructions,
        "code": estimate.code,
        "spills": estimate.spills,
        "reloads": estimate.reloads,
    })
}
