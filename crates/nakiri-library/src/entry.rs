//! A node as a library of its own.

use nakiri::compile::{self, Kernel, Options};
use nakiri::core::Program;
use nakiri::diagnostic::Diagnostic;
use nakiri::emit::library::{Function, Instance, Key};
use nakiri::layout::port_bytes;

/// The parts of a library of one node, as a plain function, a variant for each of some options; its constant parameters are the key.
///
/// # Errors
/// Why the node can't be compiled so.
pub fn instance(
    program: &Program,
    name: &str,
    variants: &[Options],
) -> Result<Instance, Vec<Diagnostic>> {
    let function = function(&snake_case(&program.entry().name), program, variants)?;
    let constants = function.variants[0].params.iter().filter(|port| port.constant);
    let sizes: Vec<usize> = constants.map(port_bytes).collect();
    let key = (!sizes.is_empty()).then(|| Key { bytes: sizes.iter().sum(), schedules: vec![] });
    Ok(Instance { prefix: name.to_string(), key, functions: vec![function], ..Instance::default() })
}

/// Compiles a node.
///
/// # Errors
/// Why it can't be compiled so.
pub fn kernel(program: &Program, options: &Options) -> Result<Kernel, Vec<Diagnostic>> {
    compile::compile(program, options, &mut |_, _| {})
}

/// A function of a node, a variant for each of some options.
///
/// # Errors
/// Why the node can't be compiled so.
pub fn function(
    name: &str,
    program: &Program,
    variants: &[Options],
) -> Result<Function, Vec<Diagnostic>> {
    let kernels = variants.iter().map(|options| kernel(program, options));
    Ok(Function { name: name.to_string(), variants: kernels.collect::<Result<_, _>>()? })
}

/// Refuses a program that no function of a library can be made of, whatever it is built for.
///
/// # Errors
/// Why, at its place.
pub fn interface(program: &Program) -> Result<(), Diagnostic> {
    let entry = program.entry();
    let name = &entry.name;
    let error = |span, message: String| Diagnostic::error("E0411", span, message);
    let stepped = !entry.resets.is_empty();
    if entry.outputs().is_empty() {
        return Err(error(entry.span, format!("`{name}` has no result"))
            .label("nothing could be seen of it")
            .help("give it a result: `node f (x:u16) returns (y:u16) …`"));
    }
    if !stepped && entry.inputs().iter().all(|port| port.constant) {
        return Err(error(
            entry.span,
            format!("`{name}` has no parameter that differs from block to block"),
        )
        .label("it computes one constant")
        .help("give it a parameter without `const`, or call it from a node that has one"));
    }
    Ok(())
}

/// A text made into an identifier of C.
pub fn identifier(text: &str) -> String {
    let name: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    match name.chars().next() {
        Some(c) if !c.is_ascii_digit() => name,
        _ => format!("_{name}"),
    }
}

/// A node's name as a function of C: `SubColumn` becomes `sub_column`.
pub fn snake_case(name: &str) -> String {
    let mut out = String::new();
    let mut after_lower = false;
    for c in identifier(name).chars() {
        if c.is_ascii_uppercase() && after_lower {
            out.push('_');
        }
        after_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        out.push(c.to_ascii_lowercase());
    }
    out
}
