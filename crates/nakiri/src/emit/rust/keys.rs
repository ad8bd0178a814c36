//! Expanded keys: the functions that make the images of each variant of a key.

use super::module::{joined, signature, Module, NAME};
use super::syntax::{attribute, condition};
use super::Modules;
use crate::emit::identifier;
use crate::emit::keys::{self, Making, Part, Schedule};
use crate::emit::library::{Instance, Key};
use crate::isa::{self, Target};
use std::fmt::Write;

/// How a key becomes the images of the constant parameters.
pub struct Plan {
    /// The size of the longest variant's images.
    pub bytes: usize,
    /// For each variant the statements that make its images in `keys` of `key`.
    pub variants: Vec<String>,
    /// The targets that they are for.
    pub targets: Vec<&'static Target>,
}

/// Plans the key of an instance, whose functions' constant parameters it is.
///
/// # Errors
/// If the key's parts don't fit.
pub fn plan(instance: &Instance, key: &Key, modules: &mut Modules) -> Result<Plan, String> {
    let prefix = identifier(&instance.prefix).to_lowercase();
    let mut plan = Plan { bytes: 0, variants: vec![], targets: vec![] };
    for expansion in keys::expansions(instance, key)? {
        plan.bytes = plan.bytes.max(expansion.bytes);
        let mut text = String::new();
        for part in &expansion.parts {
            let target = part.schedule.as_ref().map_or(part.kernel.target, |s| s.kernel.target);
            let wish =
                format!("{}_{}", joined(&prefix, "expand"), identifier(part.kernel.target.name));
            let module = modules.of(target);
            let definition = function(part, target, part.source_bytes(), module);
            let name = module.intern(&definition, &wish);
            let of = match part.of {
                Some(of) => {
                    let _ = writeln!(
                        text,
                        "let made: [u8; {}] = *part(&keys, {of});",
                        part.source_bytes()
                    );
                    "&made"
                }
                None => "key",
            };
            let call =
                format!("{}::{name}(part_mut(&mut keys, {}), {of});", module.name(), part.at);
            let _ = match condition(target) {
                Some(_) if !attribute(target).is_empty() => writeln!(
                    text,
                    "// SAFETY: the CPU has the features of its variant.\nunsafe {{ {call} }}"
                ),
                _ => writeln!(text, "{call}"),
            };
            plan.targets.push(target);
        }
        plan.variants.push(text);
    }
    Ok(plan)
}

/// The statement that makes images of `constants` in `out`, with a function for the module that every CPU has.
pub fn images(part: &Part, name: &str, modules: &mut Modules) -> String {
    let everywhere = isa::everywhere();
    let constants = part.of_key.iter().map(|making| making.from.1).sum();
    let module = modules.of(everywhere);
    let definition = function(part, everywhere, constants, module);
    let name = module.intern(&definition, name);
    format!("{}::{name}(part_mut(out, 0), part(constants, 0));", module.name())
}

/// The function from a key to the images of a kernel.
fn function(part: &Part, target: &'static Target, key: usize, module: &mut Module) -> String {
    let mut body = String::new();
    match &part.schedule {
        None => makings(&mut body, &part.of_key, "out", "key", module),
        Some(schedule) => {
            let Schedule { kernel, key, results: (places, size), of_results } = schedule;
            let wish = format!("schedule_{}", part.of_key[0].name);
            let inner = module.intern(&signature(kernel, NAME).definitions(), &wish);
            let direct = of_results.is_empty();
            let _ = writeln!(body, "    let mut key_images = [0; {key}];");
            makings(&mut body, &part.of_key, "&mut key_images", "key", module);
            if !direct {
                let _ = writeln!(body, "    let mut round_keys = [0; {size}];");
            }
            let results = if direct { "out" } else { "&mut round_keys" };
            let places = places.iter().chain([size]).collect::<Vec<_>>();
            let mut split = String::new();
            let _ = writeln!(split, "    let rest: &mut [u8] = {results};");
            let mut arguments = String::new();
            for (k, pair) in places.windows(2).enumerate() {
                let bytes = pair[1] - pair[0];
                let _ = writeln!(split, "    let (out{k}, rest) = rest.split_at_mut({bytes});");
                let _ = write!(arguments, "part_mut(out{k}, 0), ");
            }
            let _ =
                write!(body, "{split}    let _ = rest;\n    {inner}({arguments}&key_images);\n");
            makings(&mut body, of_results, "out", "&round_keys", module);
        }
    }
    format!(
        "{}pub fn {NAME}(out: &mut [u8; {}], key: &[u8; {key}]) {{\n{body}}}\n",
        attribute(target),
        part.bytes
    )
}

fn makings(body: &mut String, all: &[Making], to: &str, from: &str, module: &mut Module) {
    for making in all {
        let function = Module::word_function(isa::everywhere());
        let name = module.intern(&making.function(function), &format!("images_{}", making.name));
        let _ = writeln!(
            body,
            "    {name}(part_mut({to}, {}), part({from}, {}));",
            making.to.0, making.from.0
        );
    }
}

/// Whether key schedules are compiled for targets that are written in Rust.
///
/// # Errors
/// If one is not.
pub fn check(key: &Key) -> Result<(), String> {
    let mut targets = key.schedules.iter().flatten().map(|kernel| kernel.target);
    match targets.find(|target| isa::rust::of(target).is_none()) {
        Some(target) => {
            Err(format!("the key schedule's target {} is not written in Rust", target.name))
        }
        None => Ok(()),
    }
}
