//! A key for each lane: contexts, expansion, blocks and counter mode of many clients at once.
//!
//! The kernels are those of the functions with their constant parameters made ordinary ones, and stay in registers' form
//! in the context. A key schedule of the same slicing writes that form; others go through memory.

mod expand;
mod text;

use super::api::Api;
use super::batch::{Batches, NAME};
use super::syntax::attribute;
use super::C11;
use crate::compile::Kernel;
use crate::emit::check::one_to_one;
use crate::emit::function::Signature;
use crate::emit::library::{Function, Instance, Multikey};
use crate::emit::ports::{ports, PortPair};
use crate::emit::{identifier, indented};
use expand::Expansion;
use std::fmt::Write;

/// The functions of each variant.
pub struct Lanes {
    /// For each variant `void f(unsigned char *registers, const uint8_t *keys)`, which expands the keys of its lanes.
    expand: Vec<String>,
    /// For each function and variant `void f(const unsigned char *registers, uint8_t *out, const uint8_t *in)`, on one batch of
    /// blocks that lie lane by lane.
    functions: Vec<Vec<String>>,
    /// How many lanes each variant has.
    lanes: Vec<usize>,
    /// The size of the expanded keys of these lanes, in bytes.
    sizes: Vec<usize>,
}

/// The parameters of a multikey kernel.
struct Split<'a> {
    input: PortPair<'a>,
    output: PortPair<'a>,
    /// Those that were constant, each with its place among the parameters and in the expanded keys, in bytes.
    keys: Vec<(PortPair<'a>, usize, usize)>,
    /// The size of the expanded keys.
    size: usize,
}

/// Bytes that are gathered from all lanes at once, if a batch is not longer.
const ROOM: usize = 4096;

impl Lanes {
    /// Prints the functions of each variant.
    ///
    /// # Errors
    /// What doesn't fit together.
    pub fn new(
        prefix: &str,
        instance: &Instance,
        multikey: &Multikey,
        batches: &mut Batches,
    ) -> Result<Lanes, String> {
        let Some(key) = &instance.key else {
            return Err("it has no key, of which each lane could have its own".to_string());
        };
        for function in &instance.functions {
            one_to_one(function).ok_or_else(|| {
                format!("a key for each lane needs `{}` to go from one block to one", function.name)
            })?;
        }
        let kernels = || multikey.functions[0].variants.iter().enumerate();
        let (mut expand, mut functions, mut sizes) = (vec![], vec![], vec![]);
        for (variant, kernel) in kernels() {
            let split = split(kernel, &instance.functions[0].variants[variant]);
            let schedule = multikey.schedules.get(variant);
            let maker = Expansion { prefix, kernel, split: &split, key: key.bytes };
            let name = match schedule {
                Some(schedule) if maker.is_direct(schedule) => maker.direct(schedule, batches)?,
                Some(schedule) => maker.by_memory(schedule, batches)?,
                None => maker.as_it_is(batches)?,
            };
            expand.push(name);
            sizes.push(split.size);
        }
        for (function, plain) in multikey.functions.iter().zip(&instance.functions) {
            let name = format!("{prefix}_multikey_{}", identifier(&function.name));
            let variants = function.variants.iter().zip(&plain.variants);
            let texts = variants.map(|(kernel, plain)| blocks(&name, kernel, plain, batches));
            functions.push(texts.collect::<Result<_, _>>()?);
        }
        let lanes = kernels().map(|(_, kernel)| kernel.lanes()).collect();
        Ok(Lanes { expand, functions, lanes, sizes })
    }

    /// How many lanes a context has: as many as the variant with the most.
    fn all(&self) -> usize {
        self.lanes.iter().copied().max().unwrap_or(1)
    }

    fn fill(&self, api: &Api, text: &str, more: &[(&str, &str)]) -> String {
        let (all, key) = (self.all(), api.instance.key.as_ref().map_or(0, |key| key.bytes));
        let bytes = self.lanes.iter().zip(&self.sizes).map(|(lanes, size)| all / lanes * size);
        let upper = api.prefix.to_uppercase();
        let common = [
            ("$keys", &*(all * key).to_string()),
            ("$bytes", &*bytes.max().unwrap_or(0).to_string()),
            ("$all", &*all.to_string()),
            ("$UPPER", &*upper),
        ];
        api.fill(text, &[more, &common[..]].concat())
    }

    /// The declarations, with their documentation.
    pub fn declarations(&self, api: &Api) -> String {
        let mut text = self.fill(api, text::CONTEXT, &[]);
        for function in &api.instance.functions {
            let (from, to) = one_to_one(function).unwrap_or_default();
            let (name, from, to) = (identifier(&function.name), from.to_string(), to.to_string());
            let more = [("$F", &*name), ("$from", &*from), ("$to", &*to)];
            text.push_str(&self.fill(api, text::BLOCKS, &more));
        }
        if let Some(counter) = &api.instance.counter {
            let order = if counter.big_endian { "big-endian" } else { "little-endian" };
            let last = counter.offset + counter.bytes - 1;
            let field = format!("bytes {} to {last}, {order}", counter.offset);
            let from = one_to_one(&api.instance.functions[0]).map_or(0, |(from, _)| from);
            let more = [("$field", &*field), ("$from", &*from.to_string())];
            text.push_str(&self.fill(api, text::CTR, &more));
        }
        text + &self.fill(api, text::SELF_TEST, &[])
    }

    /// The definitions.
    pub fn definitions(&self, api: &Api) -> String {
        let cases = api.cases(&self.expand, "registers, keys");
        let more = [
            ("$cases", &*cases),
            ("$count", &*self.lanes.len().to_string()),
            ("$lanes", &*list(self.lanes.iter().copied())),
            ("$sizes", &*list(self.sizes.iter().copied())),
        ];
        let mut text = self.fill(api, text::EXPANSION, &more);
        for (function, variants) in api.instance.functions.iter().zip(&self.functions) {
            let cases = indented(&api.cases(variants, "registers, out, in"));
            text.push_str(&self.on_blocks(api, function, text::RUN, &[("$cases", &cases)]));
            text.push_str(&self.on_blocks(api, function, text::FUNCTION, &[]));
        }
        if let Some(counter) = &api.instance.counter {
            let places = (0..counter.bytes).map(|k| counter.place(k).to_string());
            let places = places.collect::<Vec<_>>().join(", ");
            let more = [("$places", &*places), ("$size", &*counter.bytes.to_string())];
            text.push_str(&self.on_blocks(api, &api.instance.functions[0], text::STREAM, &more));
        }
        text + &self.self_test(api)
    }

    fn on_blocks(
        &self,
        api: &Api,
        function: &Function,
        text: &str,
        more: &[(&str, &str)],
    ) -> String {
        let (from, to) = one_to_one(function).unwrap_or_default();
        let room = self.all().max(ROOM / from.max(to).max(1));
        let most = list(self.lanes.iter().map(|lanes| room / lanes));
        let name = identifier(&function.name);
        let (from, to, room) = (from.to_string(), to.to_string(), room.to_string());
        let count = self.lanes.len().to_string();
        let own = [
            ("$F", &*name),
            ("$from", &*from),
            ("$to", &*to),
            ("$room", &*room),
            ("$most", &*most),
            ("$count", &*count),
        ];
        self.fill(api, text, &[more, &own[..]].concat())
    }

    /// The self test: every vector's key in every other lane, and other keys between them, whose blocks the functions of
    /// one key make.
    fn self_test(&self, api: &Api) -> String {
        let (mut text, mut calls, mut number) = (String::new(), String::new(), 0);
        for function in &api.instance.functions {
            let own = api.instance.vectors.iter().filter(|v| v.function == function.name).count();
            if own > 0 {
                text.push_str(&self.on_blocks(api, function, text::TESTER, &[]));
            }
            for vector in number..number + own {
                let (prefix, name) = (&api.prefix, identifier(&function.name));
                let _ = writeln!(
                    calls,
                    "        if ({prefix}_multikey_test_{name}(variant, {prefix}_vector{vector}))\n            \
                     return (int)variant + 1;"
                );
            }
            number += own;
        }
        let count = self.lanes.len().to_string();
        text + &self.fill(api, text::SELF_TESTS, &[("$calls", &calls), ("$count", &count)])
    }
}

fn list(numbers: impl Iterator<Item = usize>) -> String {
    numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(", ")
}

/// The parameters of a kernel by what they were in that of one key.
fn split<'a>(kernel: &'a Kernel, plain: &Kernel) -> Split<'a> {
    let moved = ports(kernel);
    let (mut keys, mut input, mut size) = (vec![], moved.inputs[0], 0);
    for (k, (port, was)) in moved.inputs.iter().zip(&plain.params).enumerate() {
        if was.constant {
            keys.push((*port, k, size));
            size += kernel.target.port_bytes(port.sliced);
        } else {
            input = *port;
        }
    }
    Split { input, output: moved.outputs[0], keys, size }
}

/// The function of a kernel on batches of blocks.
fn blocks(
    name: &str,
    kernel: &Kernel,
    plain: &Kernel,
    batches: &mut Batches,
) -> Result<String, String> {
    let split = split(kernel, plain);
    let name = format!("{name}_{}", identifier(kernel.target.name));
    let kernel_name = batches.kernel(&name, kernel, true);
    let signature =
        Signature { kernel, syntax: &C11, name: &kernel_name, load64: "", at_any_address: true };
    let load = batches.load(kernel, split.input)?;
    let store = batches.store(kernel, split.output)?;
    let of_input = format!("(const {} *)x", signature.memory(split.input.sliced.ty));
    let mut arguments: Vec<String> = vec![of_input; split.keys.len() + 1];
    let of_result = format!("({} *)y", signature.memory(split.output.sliced.ty));
    for (port, place, offset) in &split.keys {
        let ty = signature.memory(port.sliced.ty);
        arguments[*place] = format!("(const {ty} *)(const void *)(registers + {offset})");
    }
    let array = |name: &str, port: PortPair| {
        let ty = signature.register(port.sliced.ty);
        format!("{ty} {name}[{}]", port.sliced.count())
    };
    let values = [
        ("$attribute", attribute(kernel.target)),
        ("$input", array("x", split.input)),
        ("$result", array("y", split.output)),
        ("$arguments", format!("{of_result}, {}", arguments.join(", "))),
        ("$kernel", kernel_name.clone()),
        ("$load", load),
        ("$store", store),
        ("$CLEAR", batches.clear()),
        ("$name", NAME.to_string()),
    ];
    let text = values
        .iter()
        .fold(text::BATCH.to_string(), |text, (name, value)| text.replace(name, value));
    Ok(batches.intern(&text, &name, kernel.target.guard()))
}
