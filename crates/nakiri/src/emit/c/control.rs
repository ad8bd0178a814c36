//! Shared control of a step function: a kernel whose lanes all do the same, run once a tick beside the lanes' kernel.
//!
//! A bit of it fills a register with zeros or with ones, which is also what the image of a constant bit is. So inputs become
//! registers as constant parameters do, and the signals that it gives are read by kernels of every target as they are.

use super::batch::{plus, Batches, NAME};
use super::step::{self, array, bank_bytes, places};
use super::C11;
use crate::compile::Kernel;
use crate::emit::function::Signature;
use crate::emit::keys;
use crate::emit::ports::{pointers, ports, PortPair};
use std::fmt::Write;

/// The functions of shared control.
pub struct Control {
    /// `void f(uint8_t *bank)`: its registers at their reset values.
    reset: String,
    /// `void f(uint8_t *next, const uint8_t *now, uint64_t *signals, shared…)`: one tick.
    tick: String,
    /// Where its registers begin in a bank, in bytes.
    place: usize,
    /// The size of its registers, in bytes.
    pub bank: usize,
    /// How many bits the lanes read.
    signals: usize,
    /// Its inputs.
    pub inputs: Vec<Input>,
}

/// An input that is the same in all lanes.
pub struct Input {
    /// Its name in C.
    pub name: String,
    /// The size of its one block, in bits.
    pub bits: u32,
    /// The same in memory, in bytes.
    pub bytes: usize,
}

impl Control {
    /// Prints the functions; registers begin at `place` in a bank.
    ///
    /// # Errors
    /// If an input can't be brought into registers.
    pub fn new(
        prefix: &str,
        kernel: &Kernel,
        place: usize,
        batches: &mut Batches,
    ) -> Result<Control, String> {
        let name = format!("{prefix}_control");
        let reset = batches.intern(&step::reset(kernel), &format!("{name}_reset"), None);
        let ports = ports(kernel);
        let names = pointers("shared", &ports.inputs).into_iter();
        let inputs = names.zip(&ports.inputs);
        let inputs: Vec<Input> = inputs
            .map(|(name, port)| Input { name, bits: port.bits(), bytes: port.bytes() })
            .collect();
        let text = tick(kernel, &name, &inputs, batches)?;
        let tick = batches.intern(&text, &format!("{name}_step"), None);
        let signals = ports.outputs.iter().map(count).sum();
        Ok(Control { reset, tick, place, bank: bank_bytes(kernel), signals, inputs })
    }

    /// The parameters of a tick for its inputs, after all others.
    pub fn parameters(&self) -> String {
        parameters(&self.inputs)
    }

    /// The statement that resets it.
    pub fn reset(&self) -> String {
        format!("    {}({});\n", self.reset, plus("state->bank[0]", self.place))
    }

    /// The statements that compute the signals of a tick.
    pub fn call(&self) -> String {
        let banks = ["state->bank[!now]", "state->bank[now]"].map(|bank| plus(bank, self.place));
        let inputs: String = self.inputs.iter().map(|input| format!(", {}", input.name)).collect();
        let Control { tick, signals, .. } = self;
        format!(
            "    uint64_t signals[{signals}];\n    {tick}({}, signals{inputs});\n",
            banks.join(", ")
        )
    }

    /// What the documentation of a tick says of it.
    pub fn documentation(&self) -> String {
        let sizes = self.inputs.iter().map(|Input { name, bits, .. }| format!("{name} {bits}"));
        match &sizes.collect::<Vec<_>>()[..] {
            [] => String::new(),
            sizes => format!(
                "\n * What is shared has one block, the same for every instance; its bits: {}.",
                sizes.join(", ")
            ),
        }
    }
}

fn parameters(inputs: &[Input]) -> String {
    inputs.iter().map(|input| format!(", const uint8_t *{}", input.name)).collect()
}

fn count(port: &PortPair) -> usize {
    port.sliced.count() as usize
}

/// The function of a tick.
fn tick(
    kernel: &Kernel,
    name: &str,
    inputs: &[Input],
    batches: &mut Batches,
) -> Result<String, String> {
    let inner = batches.kernel(name, kernel, false);
    let signature =
        Signature { kernel, syntax: &C11, name: &inner, load64: "", at_any_address: false };
    let ports = ports(kernel);
    let (mut arrays, mut images, mut cleared) = (String::new(), String::new(), String::new());
    let (mut results, mut params) = (vec![], vec![]);
    let mut signals = 0;
    for port in &ports.outputs {
        results.push(plus("signals", signals));
        signals += count(port);
    }
    for (k, (port, input)) in ports.inputs.iter().zip(inputs).enumerate() {
        let make = batches.images(&keys::of_port(kernel, *port)?, kernel.target);
        arrays.push_str(&array(&signature, "x", k, port));
        let _ = writeln!(images, "    {make}((uint8_t *)x{k}, {});", input.name);
        let _ = writeln!(cleared, "    {}(x{k});", batches.clear());
        params.push(format!("x{k}"));
    }
    for (port, place) in places(kernel) {
        let ty = signature.memory(port.ty);
        results.push(format!("({ty} *)({})", plus("next", place)));
        params.push(format!("(const {ty} *)({})", plus("now", place)));
    }
    if places(kernel).next().is_none() {
        images.insert_str(0, "    (void)next;\n    (void)now;\n");
    }
    params.push("NULL".to_string());
    Ok(format!(
        "static void {NAME}(uint8_t *next, const uint8_t *now, uint64_t *signals{})\n{{\n\
         {arrays}{images}    {inner}({});\n{cleared}}}\n",
        parameters(inputs),
        [results, params].concat().join(", ")
    ))
}
