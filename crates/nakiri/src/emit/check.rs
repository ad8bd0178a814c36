//! Whether the parts of a library fit together.

use super::library::{CounterVector, Function, Instance, TickVector, Vector};
use super::ports::{imaged, ports, PortPair};
use crate::compile::Kernel;
use crate::core::{Direction, Port};
use crate::layout::Counter;

/// The block sizes of a function from one block to one.
pub fn one_to_one(function: &Function) -> Option<(usize, usize)> {
    let ports = ports(function.variants.first()?);
    match (&ports.inputs[..], &ports.outputs[..]) {
        ([input], [output]) => Some((input.bytes(), output.bytes())),
        _ => None,
    }
}

/// Whether a kernel has registers.
pub fn is_step(kernel: &Kernel) -> bool {
    !kernel.program.entry().resets.is_empty()
}

/// Whether a function is one of ticks: its kernels have registers, or its instance has them in shared control.
pub fn is_stepped(instance: &Instance, function: &Function) -> bool {
    instance.control.is_some() || function.variants.iter().any(is_step)
}

/// Refuses what a step function can't be.
///
/// # Errors
/// What does not fit.
pub fn step(instance: &Instance) -> Result<(), String> {
    let [function] = &instance.functions[..] else {
        return Err("a step function stands alone: it has registers".to_string());
    };
    if instance.ecb || instance.counter.is_some() || !instance.vectors.is_empty() {
        return Err(
            "a step function has no modes of operation and no vectors of blocks".to_string()
        );
    }
    let kernel = &function.variants[0];
    if let Some(control) = &instance.control {
        shared(instance, control, kernel)?;
    }
    if instance.multikey.is_some() {
        return Err("a key of each lane is an ordinary parameter of a step function, which it takes in each tick or keeps in \
                    a register"
            .to_string());
    }
    match kernel.outputs().is_empty() {
        true => Err("a step function needs a result".to_string()),
        false => Ok(()),
    }
}

/// Refuses shared control that does not fit a step function.
fn shared(instance: &Instance, control: &Kernel, kernel: &Kernel) -> Result<(), String> {
    let variants = || instance.functions[0].variants.iter();
    if variants().any(|kernel| kernel.direction != Direction::B) {
        return Err("shared control is for -B, where a lane is a bit of each register".to_string());
    }
    if instance.handshake.is_some() {
        return Err("lanes that share their control have no jobs of their own".to_string());
    }
    let shape = |port: &Port| (port.ty.width, port.count());
    let constants = kernel.inputs().iter().filter(|port| port.constant).map(shape);
    let fits = constants.eq(control.outputs().iter().map(shape))
        && !control.inputs().iter().any(|port| port.constant)
        && control.direction == Direction::B
        && control.target.guard().is_none();
    match fits {
        true => Ok(()),
        false => {
            Err("the constant parameters of lanes are what their shared control gives".to_string())
        }
    }
}

/// Refuses an instance whose functions don't fit together.
///
/// # Errors
/// What does not fit.
pub fn instance(instance: &Instance) -> Result<(), String> {
    let Some(first) = instance.functions.first() else {
        return Err("it has no function".to_string());
    };
    let shape = |kernel: &Kernel| {
        let port = |p: &Port| (p.name.clone(), p.ty.width, p.count(), p.constant);
        let ports: Vec<_> = kernel.params.iter().chain(&kernel.results).map(port).collect();
        (kernel.params.len(), ports)
    };
    for function in &instance.functions {
        let name = &function.name;
        if function.variants.is_empty() {
            return Err(format!("`{name}` has no variant"));
        }
        if function.variants.iter().any(|kernel| shape(kernel) != shape(&function.variants[0])) {
            return Err(format!("the variants of `{name}` have different ports"));
        }
        let form = |f: &Function| -> Vec<_> {
            let port = |k: &Kernel| -> Vec<_> {
                let constants = imaged(k).into_iter().flat_map(|kernel| ports(kernel).constants);
                constants.map(|p| (p.sliced.ty, p.sliced.count())).collect()
            };
            // Pieces of a mode share nothing but what lies in memory.
            let lanes = |k: &Kernel| instance.mode.is_none().then(|| k.lanes());
            f.variants.iter().map(|k| (k.target.name, lanes(k), port(k))).collect()
        };
        if form(function) != form(first) {
            let other = &first.name;
            return Err(format!("`{name}` and `{other}` have different variants or keys"));
        }
        let ports = ports(&function.variants[0]);
        let given = instance.key.is_some() || instance.control.is_some();
        if ports.constants.is_empty() == given {
            return Err(format!(
                "`{name}` must have constant parameters if there is a key, only then"
            ));
        }
        let stepped = is_stepped(instance, function);
        if ports.outputs.is_empty() || (ports.inputs.is_empty() && !stepped) {
            return Err(format!("`{name}` needs a parameter and a result"));
        }
    }
    let variants = first.variants.len();
    let wrong = |alone: &Vec<usize>| alone.is_empty() || alone.iter().any(|&v| v >= variants);
    let alone = &instance.alone;
    if instance.mode.is_some() && (alone.len() != variants || alone.iter().any(wrong)) {
        return Err("for each variant there must be one that takes messages alone".to_string());
    }
    for own in &instance.parallels {
        own.images()?;
        let others = own.functions().iter().any(|(_, own)| own.len() != variants);
        if others || own.beside.len() != variants || own.beside.iter().any(wrong) {
            return Err(format!("`{}` has other variants than its piece", own.name()));
        }
    }
    for stretch in &instance.stretches {
        let is_piece = instance.functions.iter().any(|function| function.name == stretch.piece);
        if !is_piece || stretch.functions().any(|(_, own)| own.len() != variants) {
            return Err(format!("`{}` has other variants than its piece", stretch.name()));
        }
    }
    counter(instance, first)
}

fn counter(instance: &Instance, first: &Function) -> Result<(), String> {
    let Some(Counter { offset, bytes, .. }) = instance.counter else { return Ok(()) };
    let Some((block, _)) = one_to_one(first) else {
        return Err(format!("CTR needs `{}` to go from one block to one", first.name));
    };
    let end = offset.checked_add(bytes);
    if bytes == 0 || bytes > 16 || end.is_none_or(|end| end > block) {
        return Err(format!("the counter must have 1 to 16 bytes within the block of {block}"));
    }
    Ok(())
}

/// Refuses a vector of another size than its function's blocks.
///
/// # Errors
/// What does not fit.
pub fn vector(instance: &Instance, function: &Function, vector: &Vector) -> Result<(), String> {
    let ports = ports(&function.variants[0]);
    let input: usize = ports.inputs.iter().map(PortPair::bytes).sum();
    let output: usize = ports.outputs.iter().map(PortPair::bytes).sum();
    let key = instance.key.as_ref().map_or(0, |key| key.bytes);
    let got = (vector.key.len(), vector.input.len(), vector.output.len());
    if got == (key, input, output) {
        return Ok(());
    }
    let name = &function.name;
    Err(format!(
        "a vector of `{name}` has (key, input, output) of {got:?} bytes, not {:?}",
        (key, input, output)
    ))
}

/// Refuses a vector of ticks of other sizes, in bytes, than those of a tick.
///
/// # Errors
/// What does not fit.
pub fn tick_vector(
    instance: &Instance,
    (input, output): (usize, usize),
    vector: &TickVector,
) -> Result<(), String> {
    let key = instance.key.as_ref().map_or(0, |key| key.bytes);
    if vector.key.len() != key {
        let got = vector.key.len();
        return Err(format!("a vector of ticks has a key of {got} bytes, not {key}"));
    }
    let fits = vector.runs.iter().all(|run| {
        let outputs = output * run.ticks as usize;
        run.input.len() == input && (run.output.is_empty() || run.output.len() == outputs)
    });
    match fits && !vector.runs.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "a tick takes {input} bytes and gives {output}, which a vector of ticks does not fit"
        )),
    }
}

/// Refuses a vector of CTR that doesn't fit its instance.
///
/// # Errors
/// What does not fit.
pub fn counter_vector(instance: &Instance, vector: &CounterVector) -> Result<(), String> {
    let block = one_to_one(&instance.functions[0]).map_or(0, |(block, _)| block);
    let key = instance.key.as_ref().map_or(0, |key| key.bytes);
    let text = vector.input.len() == vector.output.len() && !vector.input.is_empty();
    if instance.counter.is_none() || !text {
        return Err("a vector of CTR needs CTR, and a text as long as its result".to_string());
    }
    if (vector.key.len(), vector.counter.len()) != (key, block) {
        return Err(format!(
            "a vector of CTR must have a key of {key} and a counter of {block} bytes"
        ));
    }
    Ok(())
}

/// Refuses vectors of functions that there are not.
///
/// # Errors
/// Which.
pub fn vectors_have_functions(instance: &Instance) -> Result<(), String> {
    let known = |vector: &&Vector| instance.functions.iter().all(|f| f.name != vector.function);
    match instance.vectors.iter().find(known) {
        Some(vector) => Err(format!("a vector is for `{}`, which there is not", vector.function)),
        None => Ok(()),
    }
}
