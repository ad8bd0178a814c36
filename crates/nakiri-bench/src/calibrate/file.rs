//! The text of a machine file.

use crate::machine::{Cache, Machine, Operation, Renaming};
use std::fmt::Write;

/// A machine file in the form of those that come with Nakiri: remarks first, then one line for each operation. Reading it
/// gives the same machine.
pub fn text(machine: &Machine, remarks: &[String]) -> String {
    let mut text = String::new();
    for remark in remarks {
        let _ = writeln!(text, "# {remark}");
    }
    for (name, value) in
        [("name", &machine.name), ("title", &machine.title), ("origin", &machine.origin)]
    {
        let _ = writeln!(text, "{name} = {}", string(value));
    }
    if let Some(reorder) = machine.reorder {
        let _ = writeln!(text, "reorder = {reorder}");
    }
    if let Some(scheduler) = machine.scheduler {
        let _ = writeln!(text, "scheduler = {scheduler}");
    }
    if let Some(idle) = machine.idle {
        let _ = writeln!(text, "idle = {idle}");
    }
    let _ = writeln!(text, "ports = {}\n\noperation = [", strings(&machine.ports));
    for operation in &machine.operations {
        let _ = writeln!(text, "    {},", row(operation));
    }
    let front_end = &machine.front_end;
    let _ = writeln!(text, "]\n\n[front_end]\nwidth = {}", front_end.width);
    if let Some(op_cache) = front_end.op_cache {
        let _ = writeln!(text, "op_cache = {op_cache}");
    }
    if let Some(entry) = front_end.op_cache_entry {
        let _ = writeln!(text, "op_cache_entry = {entry}");
    }
    let _ = writeln!(text, "decode = {}", front_end.decode);
    let _ = writeln!(text, "decode_bytes = {}", front_end.decode_bytes);
    if front_end.branch_ends_cycle {
        text += "branch_ends_cycle = true\n";
    }
    if front_end.joins_copies {
        text += "joins_copies = true\n";
    }
    if let Some(Cache { bytes, refill, origin }) = &machine.cache {
        let _ = writeln!(text, "\n[cache]\nbytes = {bytes}\nrefill = {refill}");
        if let Some(origin) = origin {
            let _ = writeln!(text, "origin = {}", string(origin));
        }
    }
    if let Some(Renaming { bytes, cycles }) = machine.renaming {
        let _ = writeln!(text, "\n[renaming]\nbytes = {bytes}\ncycles = {cycles}");
    }
    let registers = machine.registers;
    let _ = writeln!(text, "\n[registers]\ngeneral = {}", registers.general);
    let _ = writeln!(text, "vector = {}", registers.vector);
    for cpu in &machine.cpu {
        let _ = writeln!(text, "\n[[cpu]]\nvendor = {}", string(&cpu.vendor));
        let _ = writeln!(text, "family = {}\nmodels = {:?}", cpu.family, cpu.models);
    }
    text
}

fn row(operation: &Operation) -> String {
    let uses: Vec<String> = operation.uses.iter().map(|ports| strings(ports)).collect();
    let mut row = format!(
        "{{ class = {}, widths = {:?}, latency = {}, uses = [{}]",
        string(operation.class.name()),
        operation.widths,
        operation.latency,
        uses.join(", ")
    );
    if let Some(throughput) = operation.throughput {
        let _ = write!(row, ", throughput = {throughput}");
    }
    if let Some(origin) = &operation.origin {
        let _ = write!(row, ", origin = {}", string(origin));
    }
    row + " }"
}

fn strings(values: &[String]) -> String {
    let quoted: Vec<String> = values.iter().map(|value| string(value)).collect();
    format!("[{}]", quoted.join(", "))
}

fn string(value: &str) -> String {
    toml::Value::String(value.to_string()).to_string()
}
