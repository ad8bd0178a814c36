//! Entry points for measuring: the parts of one function of a library, each callable by itself.
//!
//! A file made by [`probed`](super::probed) exports, beside the library's own functions:
//!
//! - `const size_t probe_sizes[6]`: see [`Sizes`];
//! - `void probe_key(const uint8_t *key)`: sets the key for what follows;
//! - `void probe_kernel(void *out, const void *in, size_t times)`: runs the kernel several times on the registers at
//!   `in`, all parameters one after another, and leaves the results at `out`; both aligned to 64 bytes;
//! - `void probe_once(void *out, const void *in)`: the same once, never inlined, for counting its instructions;
//! - `void probe_transposition(void *registers, uint8_t *out, const uint8_t *in, size_t times)`: from memory to the
//!   first registers, and from those after them back to memory;
//! - `void probe_blocks(uint8_t *out, const uint8_t *in, size_t blocks)`: whole blocks, as the library does it; several
//!   parameters or results stand one after another, each for all blocks;
//! - `void probe_ctr(const uint8_t *counter, uint8_t *out, const uint8_t *in, size_t bytes)`, if there is a counter;
//! - `int probe_self_test(void)`.

use super::api::Api;
use super::batch::{Batches, Parts};
use super::syntax::attribute;
use super::C11;
use crate::compile::Kernel;
use crate::emit::function::Signature;
use crate::emit::identifier;
use crate::emit::ports::{ports, PortPair};
use std::fmt::Write;

/// What `probe_sizes` holds, in this order, in bytes but for the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The registers of all parameters of one run of the kernel.
    pub registers_in: usize,
    /// The registers of all results.
    pub registers_out: usize,
    /// A key; 0 if there is none.
    pub key: usize,
    /// A block's parameters in memory.
    pub block_in: usize,
    /// A block's results in memory.
    pub block_out: usize,
    /// How many blocks one run of the kernel processes.
    pub blocks: usize,
}

impl Sizes {
    /// How many there are.
    pub const COUNT: usize = 6;

    /// From the array.
    pub fn of(array: [usize; Sizes::COUNT]) -> Sizes {
        let [registers_in, registers_out, key, block_in, block_out, blocks] = array;
        Sizes { registers_in, registers_out, key, block_in, block_out, blocks }
    }
}

/// The entry points for an instance.
pub fn definitions(api: &Api, batches: &Batches) -> String {
    let Some(kernel) = api.variants().next() else { return String::new() };
    let Some(parts) = batches.parts(api.batch(0, 0)) else { return String::new() };
    let signature =
        Signature { kernel, syntax: &C11, name: &parts.kernel, load64: "", at_any_address: false };
    let (places_in, registers_in) = places(&signature, &ports(kernel).inputs);
    let (places_out, registers_out) = places(&signature, &ports(kernel).outputs);
    let (block_in, block_out) = (bytes(&ports(kernel).inputs), bytes(&ports(kernel).outputs));
    let keyed = api.instance.key.as_ref();
    let sizes = [
        registers_in,
        registers_out,
        keyed.map_or(0, |key| key.bytes),
        block_in,
        block_out,
        kernel.blocks(),
    ];
    let arguments = registers("out", "", &places_out)
        .chain(registers("in", "const ", &places_in))
        .chain([keyed.map_or("NULL", |_| "probe_context.keys").to_string()]);
    let call = format!("{}({})", parts.kernel, arguments.collect::<Vec<_>>().join(", "));
    let sizes = sizes.map(|size| size.to_string()).join(", ");
    let mut text = api.fill(
        if keyed.is_some() { KEYED } else { UNKEYED },
        &[("$sizes", &sizes), ("$attribute", &attribute(kernel.target))],
    );
    let transposition = transposition(kernel, parts, [places_in, places_out], registers_in);
    let function = identifier(&api.instance.functions[0].name);
    text.push_str(&api.fill(
        ENTRIES,
        &[
            ("$attribute", &attribute(kernel.target)),
            ("$call", &call),
            ("$transposition", &transposition),
            ("$F", &function),
            ("$pointers", &pointers(kernel)),
            ("$given", keyed.map_or("", |_| "&probe_context, ")),
        ],
    ));
    if api.instance.counter.is_some() {
        text.push_str(&api.fill(COUNTER, &[("$given", keyed.map_or("", |_| "&probe_context, "))]));
    }
    text
}

/// A port's registers among those of all: their C type and the offset of the first.
type Place = (String, usize);

/// Where the registers of some ports are when they stand one after another, and the size of all.
fn places(signature: &Signature, ports: &[PortPair]) -> (Vec<Place>, usize) {
    let mut offset = 0;
    let mut places = vec![];
    for port in ports {
        places.push((signature.register(port.sliced.ty), offset));
        offset += signature.kernel.target.port_bytes(port.sliced);
    }
    (places, offset)
}

/// Pointers to the registers of each port, from a pointer to the first of all.
fn registers<'a>(
    base: &'a str,
    qualifier: &'a str,
    places: &'a [Place],
) -> impl Iterator<Item = String> + 'a {
    let pointer = move |(ty, offset): &Place| {
        format!(
            "({qualifier}{ty} *)({qualifier}void *)(({qualifier}unsigned char *){base} + {offset})"
        )
    };
    places.iter().map(pointer)
}

fn bytes(ports: &[PortPair]) -> usize {
    ports.iter().map(PortPair::bytes).sum()
}

/// All transpositions of one run of the kernel: those of its results read the registers after its parameters'.
fn transposition(
    kernel: &Kernel,
    parts: &Parts,
    places: [Vec<Place>; 2],
    results: usize,
) -> String {
    let [places_in, mut places_out] = places;
    places_out.iter_mut().for_each(|(_, offset)| *offset += results);
    let (lanes, blocks) = (kernel.lanes(), kernel.blocks());
    let ports = ports(kernel);
    let mut text = String::new();
    let mut each = |ports: &[PortPair],
                    registers: Vec<String>,
                    call: &dyn Fn(usize, &str, usize) -> String| {
        let mut memory = 0;
        for (k, (port, registers)) in ports.iter().zip(registers).enumerate() {
            for batch in 0..kernel.interleave as usize {
                let registers = format!("{registers} + {}", batch * kernel.atoms(port.sliced));
                let _ = writeln!(
                    text,
                    "        {};",
                    call(k, &registers, memory + batch * lanes * port.bytes())
                );
            }
            memory += blocks * port.bytes();
        }
    };
    let inputs = registers("registers", "", &places_in).collect();
    each(&ports.inputs, inputs, &|k, to, from| format!("{}({to}, in + {from})", parts.loads[k]));
    let outputs = registers("registers", "const ", &places_out).collect();
    each(&ports.outputs, outputs, &|k, from, to| {
        format!("{}(out + {to}, {from})", parts.stores[k])
    });
    text
}

/// The pointers of a function on blocks, when several parameters or results stand one after another.
fn pointers(kernel: &Kernel) -> String {
    let ports = ports(kernel);
    let mut pointers = vec![];
    for (base, ports) in [("out", &ports.outputs), ("in", &ports.inputs)] {
        let mut before = 0;
        for port in ports {
            pointers.push(if before == 0 {
                base.to_string()
            } else {
                format!("{base} + {before} * blocks")
            });
            before += port.bytes();
        }
    }
    pointers.join(", ")
}

const KEYED: &str = "
static $P_ctx probe_context;
extern const size_t probe_sizes[6];
const size_t probe_sizes[6] = { $sizes };

void probe_key(const uint8_t *key);
void probe_key(const uint8_t *key)
{
    $P_expand_key(&probe_context, key);
}
";

const UNKEYED: &str = "
extern const size_t probe_sizes[6];
const size_t probe_sizes[6] = { $sizes };

void probe_key(const uint8_t *key);
void probe_key(const uint8_t *key)
{
    (void)key;
}
";

const ENTRIES: &str = r#"
void probe_kernel(void *out, const void *in, size_t times);
$attributevoid probe_kernel(void *out, const void *in, size_t times)
{
    for (; times > 0; times--) {
        $call;
        __asm__ volatile("" ::: "memory");
    }
}

void probe_once(void *out, const void *in);
$attribute__attribute__((noinline)) void probe_once(void *out, const void *in)
{
    $call;
}

void probe_transposition(void *registers, uint8_t *out, const uint8_t *in, size_t times);
$attributevoid probe_transposition(void *registers, uint8_t *out, const uint8_t *in, size_t times)
{
    for (; times > 0; times--) {
$transposition        __asm__ volatile("" ::: "memory");
    }
}

void probe_blocks(uint8_t *out, const uint8_t *in, size_t blocks);
void probe_blocks(uint8_t *out, const uint8_t *in, size_t blocks)
{
    $P_$F_blocks($given$pointers, blocks);
}

int probe_self_test(void);
int probe_self_test(void)
{
    return $P_self_test();
}
"#;

const COUNTER: &str = "
void probe_ctr(const uint8_t *counter, uint8_t *out, const uint8_t *in, size_t bytes);
void probe_ctr(const uint8_t *counter, uint8_t *out, const uint8_t *in, size_t bytes)
{
    $P_ctr_xor($givencounter, out, in, bytes);
}
";
