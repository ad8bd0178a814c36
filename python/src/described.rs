//! A library as data: its C, and what its functions take, from which the package makes functions of Python.

use nakiri::compile::Kernel;
use nakiri::core::Port;
use nakiri::emit::c::CFiles;
use nakiri::emit::count::Counts;
use nakiri::emit::library::{Function, Instance, Library};
use nakiri::emit::shell::interface::Interface;
use nakiri::layout::port_bytes;
use nakiri::mode::Limit;
use serde_json::{json, Value};

/// A library with its C.
///
/// # Errors
/// What can't be written.
pub fn library(library: &Library, files: &CFiles) -> Result<Value, String> {
    let interfaces = library.instances.iter().map(interface).collect::<Result<Vec<_>, _>>()?;
    let kernels = library.instances.iter().flat_map(|instance| {
        instance.functions.iter().flat_map(|function| kernels(instance, function))
    });
    Ok(json!({
        "name": library.name,
        "title": library.title,
        "specification": library.specification,
        "command": library.command_line,
        "evidence": library.evidence,
        "c": files.c,
        "h": files.h,
        "interfaces": interfaces,
        "kernels": kernels.collect::<Vec<_>>(),
    }))
}

/// An instance: functions on blocks, on messages, or of ticks, of which no more is said.
fn interface(instance: &Instance) -> Result<Value, String> {
    if let Some(interface) = Interface::of(instance)? {
        return Ok(messages(instance, &interface));
    }
    let is_step = |kernel: &Kernel| !kernel.program.entry().resets.is_empty();
    let kernels = || instance.functions.iter().flat_map(|function| &function.variants);
    if instance.control.is_some() || kernels().any(is_step) {
        return Ok(json!({ "kind": "steps", "prefix": instance.prefix }));
    }
    let functions: Vec<Value> = instance.functions.iter().map(blocks).collect();
    Ok(json!({
        "kind": "blocks",
        "prefix": instance.prefix,
        "key": instance.key.as_ref().map(|key| key.bytes),
        "functions": functions,
        "ecb": instance.ecb,
        "counter": instance.counter.map(|counter| json!({
            "offset": counter.offset,
            "bytes": counter.bytes,
            "order": if counter.big_endian { "big" } else { "little" },
        })),
    }))
}

/// A function on blocks.
fn blocks(function: &Function) -> Value {
    let kernel = function.variants.first();
    let ports = |ports: &[Port]| -> Vec<Value> {
        let own = ports.iter().filter(|port| !port.constant);
        own.map(|port| json!({ "name": port.name, "bytes": port_bytes(port) })).collect()
    };
    json!({
        "name": function.name,
        "inputs": kernel.map(|kernel| ports(kernel.inputs())),
        "outputs": kernel.map(|kernel| ports(kernel.outputs())),
    })
}

/// The functions of a mode.
fn messages(instance: &Instance, of: &Interface) -> Value {
    let inputs = of.shell.inputs.iter().map(
        |input| json!({ "name": plain(&input.name), "bytes": input.size, "shared": input.shared }),
    );
    let limit = |limit: Limit| json!({ "most": limit.most, "unit": limit.unit, "refuses": limit.refuses() });
    let ways = of.ways().map(|back| {
        let streams: Vec<Value> = of
            .streams(back)
            .into_iter()
            .enumerate()
            .map(|(k, name)| json!({ "name": plain(name), "limit": limit(of.mode.limit(k)) }))
            .collect();
        json!({
            "name": of.name(back, false),
            "many": of.name(back, true),
            "streams": streams,
            "giving": of.mode.giving().map(|each| each.stream),
            "judges": of.judges(back),
        })
    });
    json!({
        "kind": "messages",
        "prefix": instance.prefix,
        "inputs": inputs.collect::<Vec<_>>(),
        "ways": ways.collect::<Vec<_>>(),
        "result": of.mode.result_bytes(),
        "squeezes": of.mode.squeeze().is_some(),
        "block": of.mode.block_bytes(),
        "parts": of.has_parts(),
        "codes": of.mode.has_hmac(),
    })
}

/// The name of a parameter as it is in the source.
fn plain(name: &str) -> &str {
    name.strip_prefix("in_").unwrap_or(name)
}

/// What is counted of a function's variants.
fn kernels<'a>(instance: &'a Instance, function: &'a Function) -> impl Iterator<Item = Value> + 'a {
    function.variants.iter().map(|kernel| {
        let Counts { operations, instructions } = Counts::of(kernel);
        let operations: serde_json::Map<String, Value> = operations
            .iter()
            .map(|(kind, count)| (format!("{kind:?}").to_lowercase(), json!(count)))
            .collect();
        json!({
            "interface": instance.prefix,
            "function": function.name,
            "target": kernel.target.name,
            "slicing": format!("{:?}", kernel.direction),
            "blocks": kernel.blocks(),
            "instructions": instructions,
            "operations": operations,
        })
    })
}
