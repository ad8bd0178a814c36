//! The interface of a step function: the registers of many instances in one `struct`, a reset, and a tick.
//!
//! The registers are there twice. A tick reads one bank and writes the other, so that the kernel needs no copy of what it
//! replaces, and its stores may stand anywhere among its loads.

use super::api::Api;
use super::batch::{plus, Batches, NAME};
use super::control::Control;
use super::head::BIG_ENDIAN;
use super::queue::Queue;
use super::syntax::attribute;
use super::C11;
use crate::compile::Kernel;
use crate::core::{Direction, Layout, Port, Type};
use crate::emit::function::Signature;
use crate::emit::library::Instance;
use crate::emit::ports::{pointers, ports, PortPair};
use crate::emit::{identifier, type_name};
use std::fmt::Write;

/// The functions of each variant of a step function.
pub struct Steps {
    /// `void f(uint8_t *bank)`: the registers at their reset values.
    resets: Vec<String>,
    /// `void f(uint8_t *next, const uint8_t *now, outs…, ins…)`: one tick. The images of constants come last, if there are any.
    ticks: Vec<String>,
    /// The size of a bank that is large enough for every variant, in bytes.
    bank: usize,
    /// The queue of jobs, if there is a handshake.
    queue: Option<Queue>,
    /// What all lanes share, if there is such control; its registers lie behind the others in a bank.
    control: Option<Control>,
}

impl Steps {
    /// Prints the functions of each variant.
    ///
    /// # Errors
    /// If a port can't be transposed.
    pub fn new(prefix: &str, instance: &Instance, batches: &mut Batches) -> Result<Steps, String> {
        let (mut resets, mut ticks, mut bank) = (vec![], vec![], 0);
        for kernel in &instance.functions[0].variants {
            let ty = type_name(kernel.program.entry().results[0].ty).to_lowercase();
            let name = format!("{prefix}_{}_{ty}", identifier(kernel.target.name));
            let guard = kernel.target.guard();
            resets.push(batches.intern(&reset(kernel), &format!("{name}_reset"), guard));
            ticks.push(tick(kernel, &name, instance.handshake.is_some(), batches)?);
            bank = bank.max(bank_bytes(kernel));
        }
        let queue = instance.handshake.as_ref();
        let queue = queue.map(|h| Queue::new(prefix, instance, h, batches)).transpose()?;
        let mut control = |kernel: &Kernel| {
            let control = Control::new(prefix, kernel, bank, batches)?;
            bank += control.bank;
            Ok::<_, String>(control)
        };
        let control = instance.control.as_ref().map(&mut control).transpose()?;
        Ok(Steps { resets, ticks, bank, queue, control })
    }

    /// The declarations, with their documentation.
    pub fn declarations(&self, api: &Api, kernel: &Kernel) -> String {
        let shared = self.control.as_ref().map_or(String::new(), Control::documentation);
        let more = [
            ("$key_of_reset", if api.instance.key.is_some() { KEY_OF_RESET } else { "" }),
            ("$parameters", &*self.parameters(kernel)),
            ("$bank", &*self.bank.to_string()),
            ("$widths", &*widths(kernel)),
            ("$shared", &*shared),
        ];
        let queue = self.queue.as_ref();
        api.fill(STEP, &more) + &queue.map_or(String::new(), |q| q.declarations(api, kernel))
    }

    /// What all lanes share.
    pub fn control(&self) -> Option<&Control> {
        self.control.as_ref()
    }

    /// The parameters of a tick after the state: results, what differs from lane to lane, what does not.
    fn parameters(&self, kernel: &Kernel) -> String {
        parameters(kernel) + &self.control.as_ref().map_or(String::new(), Control::parameters)
    }

    /// The definitions.
    pub fn definitions(&self, api: &Api, kernel: &Kernel) -> String {
        let ports = ports(kernel);
        let pointers = [pointers("out", &ports.outputs), pointers("in", &ports.inputs)].concat();
        let arguments = ["state->bank[!now]", "state->bank[now]"].map(str::to_string);
        let mut arguments = [&arguments[..], &pointers[..]].concat();
        let (mut reset, mut signals, mut cleared) = (String::new(), String::new(), "");
        if let Some(control) = &self.control {
            arguments.push("(const uint8_t *)signals".to_string());
            (reset, signals, cleared) = (control.reset(), control.call(), "    $CLEAR(signals);\n");
        } else if api.instance.key.is_some() {
            arguments.push("ctx->keys".to_string());
        }
        let arguments = arguments.join(", ");
        let more = [
            ("$parameters", &*self.parameters(kernel)),
            ("$control_reset", &*reset),
            ("$signals", &*signals),
            ("$cleared", cleared),
            ("$resets", &*api.cases(&self.resets, "state->bank[0]")),
            ("$ticks", &*api.cases(&self.ticks, &arguments)),
        ];
        let queue = self.queue.as_ref();
        api.fill(STEP_FUNCTIONS, &more)
            + &queue.map_or(String::new(), |q| q.definitions(api, kernel))
    }
}

/// How many bits each parameter of a tick has, and where they lie if that is the same for all.
fn widths(kernel: &Kernel) -> String {
    let ports = ports(kernel);
    let names = [pointers("out", &ports.outputs), pointers("in", &ports.inputs)].concat();
    let all = || ports.outputs.iter().chain(&ports.inputs);
    let widths = names.iter().zip(all()).map(|(name, port)| format!("{name} {}", port.bits()));
    let widths = widths.collect::<Vec<_>>().join(", ");
    match all().all(|port| port.declared.layout == Layout::Le) {
        true => format!("{widths}; bit k is bit k % 8 of byte k / 8."),
        false => format!("{widths}."),
    }
}

/// The parameters of a tick after the state, results first.
pub fn parameters(kernel: &Kernel) -> String {
    let ports = ports(kernel);
    let outs = pointers("out", &ports.outputs).into_iter().map(|name| format!("uint8_t *{name}"));
    let ins = pointers("in", &ports.inputs).into_iter();
    outs.chain(ins.map(|name| format!("const uint8_t *{name}"))).collect::<Vec<_>>().join(", ")
}

/// The registers of a kernel as in its program, each with its place in a bank, in bytes.
pub(super) fn places(kernel: &Kernel) -> impl Iterator<Item = (&Port, usize)> {
    kernel.program.entry().registers().iter().scan(0, |end, port| {
        let start = *end;
        *end += kernel.target.port_bytes(port);
        Some((port, start))
    })
}

pub(super) fn bank_bytes(kernel: &Kernel) -> usize {
    kernel.program.entry().registers().iter().map(|port| kernel.target.port_bytes(port)).sum()
}

/// The function that puts the registers to their reset values, the same in every lane.
pub(super) fn reset(kernel: &Kernel) -> String {
    let mut text = format!("static void {NAME}(uint8_t *bank)\n{{\n");
    let resets = &kernel.program.entry().resets;
    if resets.is_empty() {
        text.push_str("    (void)bank;\n");
    }
    for (k, ((port, place), reset)) in places(kernel).zip(resets).enumerate() {
        let (bytes, size) = (kernel.target.port_bytes(port), kernel.target.register_bytes(port.ty));
        let at = plus("bank", place);
        if reset.iter().all(|&value| value == 0) {
            let _ = writeln!(text, "    __builtin_memset({at}, 0, {bytes});");
            continue;
        }
        let (image_size, count) = (kernel.target.image_bytes(port.ty), reset.len());
        let _ = writeln!(text, "    static const uint8_t reset{k}[{count}][{image_size}] = {{");
        for &value in reset {
            let bytes: Vec<String> =
                kernel.target.image(port.ty, value).iter().map(u8::to_string).collect();
            let _ = writeln!(text, "        {{ {} }},", bytes.join(", "));
        }
        let _ = write!(
            text,
            "    }};\n    for (size_t i = 0; i < {bytes}; i++)\n{}",
            image_byte(kernel, port.ty, |byte| format!(
                "        ({at})[i] = reset{k}[i / {size}][{byte} % {image_size}];\n"
            ))
        );
    }
    text + "}\n"
}

/// The statement, given its text for a byte of an image, that moves byte `i` of registers.
fn image_byte(kernel: &Kernel, ty: Type, statement: impl Fn(&str) -> String) -> String {
    let size = kernel.target.register_bytes(ty);
    let plain = statement(&format!("(i % {size})"));
    // Images are little-endian; those of bits are the same in all bytes.
    if kernel.target.simd || ty.direction() == Direction::B {
        return plain;
    }
    let reversed = statement(&format!("({} - i % {size})", size - 1));
    format!("#if {BIG_ENDIAN}\n{reversed}#else\n{plain}#endif\n")
}

/// The function of one tick: transposes the inputs, runs the kernel from bank to bank, transposes the outputs.
fn tick(
    kernel: &Kernel,
    name: &str,
    at_any_address: bool,
    batches: &mut Batches,
) -> Result<String, String> {
    let inner = batches.kernel(name, kernel, at_any_address);
    let signature = Signature { kernel, syntax: &C11, name: &inner, load64: "", at_any_address };
    let ports = ports(kernel);
    let clear = batches.clear();
    let (mut arrays, mut before, mut after) = (String::new(), String::new(), String::new());
    let mut cleared = String::new();
    let (mut results, mut params) = (vec![], vec![]);
    let outs = pointers("out", &ports.outputs);
    for (k, port) in ports.outputs.iter().enumerate() {
        let store = batches.store(kernel, *port)?;
        arrays.push_str(&array(&signature, "y", k, port));
        for (memory, registers) in moves(kernel, port, &outs[k], &format!("y{k}")) {
            let _ = writeln!(after, "    {store}({memory}, {registers});");
        }
        let _ = writeln!(cleared, "    {clear}(y{k});");
        results.push(format!("y{k}"));
    }
    let ins = pointers("in", &ports.inputs);
    for (k, port) in ports.inputs.iter().enumerate() {
        let load = batches.load(kernel, *port)?;
        arrays.push_str(&array(&signature, "x", k, port));
        for (memory, registers) in moves(kernel, port, &ins[k], &format!("x{k}")) {
            let _ = writeln!(before, "    {load}({registers}, {memory});");
        }
        let _ = writeln!(cleared, "    {clear}(x{k});");
        params.push(format!("x{k}"));
    }
    for (port, place) in places(kernel) {
        let ty = signature.memory(port.ty);
        results.push(format!("({ty} *)({})", plus("next", place)));
        params.push(format!("(const {ty} *)({})", plus("now", place)));
    }
    let (parameter, constants) = match ports.constants.is_empty() {
        true => ("", "NULL"),
        false => (", const uint8_t *constants", "constants"),
    };
    params.push(constants.to_string());
    let call = format!("    {inner}({});\n", [results, params].concat().join(", "));
    if places(kernel).next().is_none() {
        arrays.push_str("    (void)next;\n    (void)now;\n");
    }
    let text = format!(
        "{}__attribute__((noinline))\nstatic void {NAME}(uint8_t *next, const uint8_t *now, {}{parameter})\n{{\n\
         {arrays}{before}{call}{after}{cleared}}}\n",
        attribute(kernel.target),
        parameters(kernel)
    );
    Ok(batches.intern(&text, &format!("{name}_step"), kernel.target.guard()))
}

/// The declaration of an array for a port in registers.
pub(super) fn array(signature: &Signature, letter: &str, k: usize, port: &PortPair) -> String {
    let (ty, count) = (signature.register(port.sliced.ty), port.sliced.count());
    format!("    {ty} {letter}{k}[{count}];\n")
}

/// For each batch where a port lies in memory and in registers.
pub(super) fn moves(
    kernel: &Kernel,
    port: &PortPair,
    memory: &str,
    registers: &str,
) -> Vec<(String, String)> {
    let batch = |batch: usize| {
        let memory = plus(memory, batch * kernel.lanes() * port.bytes());
        (memory, plus(registers, batch * kernel.atoms(port.sliced)))
    };
    (0..kernel.interleave as usize).map(batch).collect()
}

/// The size of all inputs, and of all outputs, of one instance in one tick, in bytes.
pub fn sizes(kernel: &Kernel, control: Option<&Control>) -> (usize, usize) {
    let ports = ports(kernel);
    let sum = |ports: &[PortPair]| -> usize { ports.iter().map(PortPair::bytes).sum() };
    let shared: usize = control.iter().flat_map(|c| &c.inputs).map(|input| input.bytes).sum();
    (sum(&ports.inputs) + shared, sum(&ports.outputs))
}

/// With which contexts a state goes together.
const KEY_OF_RESET: &str = " In the ticks that follow the key may be another, of a context\n \
     * that was expanded for the same variant: without $P_use_variant in between.";

const STEP: &str = "\
/* The registers of $P_parallel_blocks() instances side by side. A copy is a state of its own; nothing points to it.
 * Ticks are the fastest if its address is a multiple of 64. */
typedef struct {
    uint8_t bank[2][$bank]; /* in the form that the variant reads: before and after a tick, in turn */
    unsigned variant, now;
} $P_state;

/* Puts the registers of every instance to their reset values.$key_of_reset */
void $P_reset($context$P_state *state);

/* One tick of every instance. Each array holds a block of every instance, one after another, each of whole bytes. Its bits:
 * $widths
 * Input and output may be the same if their sizes are.$shared */
void $P_step($context$P_state *state, $parameters);

/* Erases a state. */
void $P_wipe($P_state *state);

";

const STEP_FUNCTIONS: &str = "\
static void $P_reset_as($P_state *state, unsigned variant)
{
    state->variant = variant;
    state->now = 0;
    switch (variant) {
$resets    }
$control_reset}

void $P_reset($context$P_state *state)
{
    $P_reset_as(state, $variant);
}

void $P_step($context$P_state *state, $parameters)
{
    const unsigned now = state->now & 1;
$signals    switch (state->variant) {
$ticks    }
    state->now = !now;
$cleared}

void $P_wipe($P_state *state)
{
    $library_erase(state, sizeof *state);
}

";
