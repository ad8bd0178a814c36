//! The functions of a queue for one kernel.

use super::super::batch::{plus, Batches, NAME};
use super::super::step::{array, moves, places};
use super::super::syntax::attribute;
use super::super::C11;
use super::{bits, inputs, outputs, Data};
use crate::compile::Kernel;
use crate::emit::function::Signature;
use crate::emit::handshake::{Handshake, Role};
use crate::emit::identifier;
use crate::emit::ports::{ports, PortPair};
use std::fmt::Write;

/// The names of the functions.
pub(super) struct Variant {
    /// `void f(uint8_t *next, const uint8_t *now, uint8_t *outs, const uint8_t *ins)`: one tick, with inputs and outputs in
    /// registers.
    pub(super) step: String,
    /// `void f(size_t port, uint8_t *registers, const uint8_t *memory)`: brings an input of all lanes into registers.
    pub(super) bring: String,
    /// `void f(size_t port, uint8_t *memory, const uint8_t *registers)`: the reverse for an output.
    pub(super) fetch: String,
    /// `void f(uint8_t *bank, const uint8_t *lanes)`: resets a set of lanes.
    pub(super) reset: String,
    /// How many lanes share a register.
    pub(super) lanes: usize,
    /// How many registers of a lane stand before each port of the handshake.
    places: Vec<(Role, usize)>,
}

impl Variant {
    /// Prints the functions.
    ///
    /// # Errors
    /// If a port can't be transposed.
    pub(super) fn new(
        prefix: &str,
        kernel: &Kernel,
        handshake: &Handshake,
        batches: &mut Batches,
    ) -> Result<Variant, String> {
        let name = format!("{prefix}_queue_{}", identifier(kernel.target.name));
        let guard = kernel.target.guard();
        let inner = batches.kernel(&name, kernel, true);
        let signature =
            Signature { kernel, syntax: &C11, name: &inner, load64: "", at_any_address: true };
        let step = batches.intern(&step(&signature), &format!("{name}_step"), guard);
        let (ins, outs) = (inputs(kernel, handshake), outputs(kernel, handshake));
        let mut brought = vec![];
        for data in &ins.data {
            let load = batches.load(kernel, data.pair)?;
            let wish = format!("{name}_bring_{}", identifier(&data.pair.declared.name));
            let text = bring(&signature, data, &load, &batches.clear());
            brought.push(batches.intern(&text, &wish, guard));
        }
        let mut fetched = vec![];
        for data in &outs.data {
            let store = batches.store(kernel, data.pair)?;
            let wish = format!("{name}_fetch_{}", identifier(&data.pair.declared.name));
            let text = fetch(&signature, data, &store, &batches.clear());
            fetched.push(batches.intern(&text, &wish, guard));
        }
        let bring = switch(&brought, "registers", "memory");
        let bring = batches.intern(&bring, &format!("{name}_bring"), guard);
        let fetch = switch(&fetched, "memory", "registers");
        let fetch = batches.intern(&fetch, &format!("{name}_fetch"), guard);
        let reset = reset(kernel, &name, batches);
        let places = handshake.0.iter();
        let places = places.map(|(role, port)| (*role, place(kernel, *role, port))).collect();
        Ok(Variant { step, bring, fetch, reset, lanes: kernel.lanes(), places })
    }

    /// How many registers of a lane stand before the port of a role.
    pub(super) fn place(&self, role: Role) -> Option<usize> {
        self.places.iter().find(|(other, _)| *other == role).map(|(_, place)| *place)
    }
}

fn place(kernel: &Kernel, role: Role, name: &str) -> usize {
    let side = if role.is_input() { ports(kernel).inputs } else { ports(kernel).outputs };
    let before = side.iter().take_while(|pair| pair.declared.name != name);
    before.map(|pair| bits(pair.declared)).sum()
}

/// The kernel from bank to bank, with its ports one after another in memory.
fn step(signature: &Signature) -> String {
    let kernel = signature.kernel;
    let ports = ports(kernel);
    let pointers = |pairs: &[PortPair], array: &str, qualifier: &str| -> Vec<String> {
        let mut at = 0;
        let mut pointer = |pair: &PortPair| {
            let ty = signature.memory(pair.sliced.ty);
            let text = format!("({qualifier}{ty} *)({})", plus(array, at));
            at += kernel.target.port_bytes(pair.sliced);
            text
        };
        pairs.iter().map(&mut pointer).collect()
    };
    let mut results = pointers(&ports.outputs, "outs", "");
    let mut params = pointers(&ports.inputs, "ins", "const ");
    for (port, place) in places(kernel) {
        let ty = signature.memory(port.ty);
        results.push(format!("({ty} *)({})", plus("next", place)));
        params.push(format!("(const {ty} *)({})", plus("now", place)));
    }
    params.push("NULL".to_string());
    let unused = if ports.inputs.is_empty() { "    (void)ins;\n" } else { "" };
    format!(
        "{}__attribute__((noinline))\nstatic void {NAME}(uint8_t *next, const uint8_t *now, uint8_t *outs, const uint8_t *ins)\n\
         {{\n{unused}    {}({});\n}}\n",
        attribute(kernel.target),
        signature.name,
        [results, params].concat().join(", ")
    )
}

/// The function that transposes an input of all lanes.
fn bring(signature: &Signature, data: &Data, load: &str, clear: &str) -> String {
    let target = attribute(signature.kernel.target);
    let mut text = format!(
        "{target}__attribute__((noinline))\nstatic void {NAME}(uint8_t *registers, const uint8_t *memory)\n{{\n{}",
        array(signature, "r", 0, &data.pair)
    );
    for (memory, registers) in moves(signature.kernel, &data.pair, "memory", "r0") {
        let _ = writeln!(text, "    {load}({registers}, {memory});");
    }
    text + &format!("    __builtin_memcpy(registers, r0, sizeof r0);\n    {clear}(r0);\n}}\n")
}

/// The function that transposes an output of all lanes.
fn fetch(signature: &Signature, data: &Data, store: &str, clear: &str) -> String {
    let target = attribute(signature.kernel.target);
    let mut text = format!(
        "{target}__attribute__((noinline))\nstatic void {NAME}(uint8_t *memory, const uint8_t *registers)\n{{\n{}    \
         __builtin_memcpy(r0, registers, sizeof r0);\n",
        array(signature, "r", 0, &data.pair)
    );
    for (memory, registers) in moves(signature.kernel, &data.pair, "memory", "r0") {
        let _ = writeln!(text, "    {store}({memory}, {registers});");
    }
    text + &format!("    {clear}(r0);\n}}\n")
}

/// The function that calls one of several by its number.
fn switch(functions: &[String], to: &str, from: &str) -> String {
    let mut text = format!(
        "__attribute__((unused))\nstatic void {NAME}(size_t port, uint8_t *{to}, const uint8_t *{from})\n{{\n"
    );
    if functions.is_empty() {
        return text + &format!("    (void)port, (void){to}, (void){from};\n}}\n");
    }
    text.push_str("    switch (port) {\n");
    for (k, function) in functions.iter().enumerate() {
        let label =
            if k + 1 == functions.len() { "default".to_string() } else { format!("case {k}") };
        let _ = writeln!(text, "    {label}:\n        {function}({to}, {from});\n        break;");
    }
    text + "    }\n}\n"
}

/// The function that resets a set of lanes: in each register those bits.
fn reset(kernel: &Kernel, name: &str, batches: &mut Batches) -> String {
    let (guard, step) = (kernel.target.guard(), kernel.lanes() / 8);
    let part = format!(
        "{}__attribute__((noinline))\n\
         static void {NAME}(uint8_t *restrict registers, const uint8_t *restrict lanes, const uint8_t *restrict values, size_t count)\n\
         {{\n    for (size_t i = 0; i < count; i++) {{\n        \
         const uint8_t value = (uint8_t)(0 - values[i]);\n        \
         for (size_t k = 0; k < {step}; k++)\n            \
         registers[{step} * i + k] = (uint8_t)((registers[{step} * i + k] & ~lanes[k]) | (value & lanes[k]));\n    }}\n}}\n",
        attribute(kernel.target)
    );
    let part = batches.intern(&part, &format!("{name}_reset_registers"), guard);
    let entry = kernel.program.entry();
    let (mut values, mut calls) = (vec![], String::new());
    for ((port, place), resets) in places(kernel).zip(&entry.resets) {
        let count = kernel.atoms(port);
        for batch in 0..kernel.interleave as usize {
            let registers = plus("bank", place + batch * count * step);
            let (lanes, from) = (plus("lanes", batch * step), plus("values", values.len()));
            let _ = writeln!(calls, "    {part}({registers}, {lanes}, {from}, {count});");
        }
        values.extend(resets.iter().take(count).map(|&value| value & 1));
    }
    let lines: Vec<String> = values
        .chunks(32)
        .map(|line| line.iter().map(|v| format!("{v}, ")).collect::<String>())
        .map(|line| format!("        {}\n", line.trim_end()))
        .collect();
    let text = format!(
        "static void {NAME}(uint8_t *bank, const uint8_t *lanes)\n{{\n    static const uint8_t values[] = {{\n{}    }};\n{calls}}}\n",
        lines.concat()
    );
    batches.intern(&text, &format!("{name}_reset"), guard)
}
