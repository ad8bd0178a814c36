//! Rust: crates without `std` that implement the traits of RustCrypto's `cipher`, `digest` and `aead`.

mod instance;
mod keys;
mod message;
mod module;
mod names;
mod operators;
mod shell;
mod stream;
mod syntax;
mod tests;

use super::library::{Library, LibraryError};
use super::{facts, identifier};
use crate::compile::Kernel;
use crate::isa::{rust, Target};
use instance::Api;
use message::traits::{self, Traits};
use module::Module;
use std::fmt::Write;
pub use syntax::Rust;

/// A file of a crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its path in the crate's folder.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// How the first line of a crate's `Cargo.toml` begins.
pub const MARK: &str = "# Made by Nakiri";

/// How a crate's `Cargo.toml` ends. In a workspace only the root may say so.
pub const PROFILE: &str = "
# Unoptimized, kernels need megabytes of stack.
[profile.dev]
opt-level = 1
";

/// Prints a library as a crate.
///
/// # Errors
/// If the parts of an instance don't fit together, or can't be written in Rust: a target without Rust, targets that some CPU
/// doesn't have, or a step function.
pub fn files(library: &Library) -> Result<Vec<File>, LibraryError> {
    let failed = |name: &str, message| LibraryError { instance: name.to_string(), message };
    let targets = targets(library).map_err(|message| failed(&library.name, message))?;
    let mut modules = Modules(vec![]);
    let mut apis = vec![];
    for instance in &library.instances {
        let failed = |message| failed(&instance.prefix, message);
        apis.push(Api::new(library, instance, &mut modules).map_err(failed)?);
    }
    names::check(&apis, &variants(&targets))?;
    let file = |path: &str, text: String| File { path: path.to_string(), text };
    let mut files = vec![
        file("Cargo.toml", manifest(library, &targets, &crates(&apis))),
        file("src/lib.rs", root(library, &targets, &modules, &apis)),
        file("src/memory.rs", format!("{SPDX}{MEMORY}")),
    ];
    for api in &apis {
        let text = api.text().map_err(|message| failed(&api.instance.prefix, message))?;
        names::check_text(api, &text)?;
        files.push(file(&format!("src/{}.rs", api.module), format!("{SPDX}{text}")));
    }
    for module in &modules.0 {
        files.push(file(&format!("src/{}.rs", module.name()), format!("{SPDX}{}", module.text())));
    }
    Ok(files)
}

/// Prints kernels of one target as the items of a module, each a function under its name from registers to registers. What they
/// call beside intrinsics, such as `part`, is that of [`MEMORY`] and must be in scope.
pub fn kernels(kernels: &[(&str, &Kernel)]) -> String {
    let definitions = |&(name, kernel): &(&str, &Kernel)| {
        let signature = module::signature(kernel, name);
        signature.definitions()
    };
    kernels.iter().map(definitions).collect()
}

/// The files of all targets.
struct Modules(Vec<Module>);

impl Modules {
    /// The file of a target.
    fn of(&mut self, target: &'static Target) -> &mut Module {
        let known = self.0.iter().position(|module| module.target.name == target.name);
        let place = known.unwrap_or_else(|| {
            self.0.push(Module::new(target));
            self.0.len() - 1
        });
        &mut self.0[place]
    }
}

/// The targets of a library's variants, best first. The last one, and no other, runs everywhere.
fn targets(library: &Library) -> Result<Vec<&'static Target>, String> {
    let first = library.instances.first().and_then(|instance| instance.functions.first());
    let targets: Vec<&Target> =
        first.into_iter().flat_map(|f| &f.variants).map(|kernel| kernel.target).collect();
    for instance in &library.instances {
        let own = instance.functions.iter().flat_map(|f| f.variants.iter().map(|k| k.target.name));
        let expected = instance.functions.iter().flat_map(|_| targets.iter().map(|t| t.name));
        if !own.eq(expected) {
            return Err(format!("`{}` has other targets than the rest", instance.prefix));
        }
    }
    if let Some(target) = targets.iter().find(|target| rust::of(target).is_none()) {
        let names = rust::names().join(", ");
        return Err(format!("{} is not written in Rust; there are {names}", target.name));
    }
    let Some(last) = targets.last().filter(|target| !target.simd) else {
        return Err("a crate needs a variant that every CPU runs: add gp64 to --target".to_string());
    };
    for (k, target) in targets[..targets.len() - 1].iter().enumerate() {
        if !target.simd || targets[..k].iter().any(|t| t.name == target.name) {
            return Err(format!(
                "of {} and {} one is never chosen: leave it out of --target",
                target.name, last.name
            ));
        }
    }
    Ok(targets)
}

/// The crates whose traits types of modes have.
fn crates(apis: &[Api]) -> Vec<Traits> {
    let is_used = |traits: &Traits| {
        let mut own = apis.iter().filter_map(|api| api.messages()?.traits());
        own.any(|own| own == *traits)
    };
    traits::ALL.into_iter().filter(is_used).collect()
}

fn manifest(library: &Library, targets: &[&Target], crates: &[Traits]) -> String {
    let mut cpu = String::new();
    let mut architectures: Vec<&str> =
        targets.iter().filter(|t| !t.features.is_empty()).map(|t| t.architecture.name).collect();
    architectures.dedup();
    for architecture in architectures {
        let _ = write!(
            cpu,
            "\n[target.'cfg(target_arch = \"{architecture}\")'.dependencies]\ncpufeatures = \"0.3\"\n"
        );
    }
    let [mut features, mut dependencies] = [const { String::new() }; 2];
    if !crates.is_empty() {
        let names: Vec<String> = crates.iter().map(|own| format!("\"{}\"", own.name)).collect();
        let _ = writeln!(features, "default = [{}]", names.join(", "));
    }
    for Traits { name, about, dependency, .. } in crates {
        let _ = writeln!(features, "# The traits of `{name}`, for {about}.");
        let _ = writeln!(features, "{name} = [\"dep:{name}\"]");
        let _ = writeln!(dependencies, "{name} = {{ {dependency}, optional = true }}");
    }
    let more = crates.iter().filter(|own| own.erases);
    let more: String = more.map(|own| format!(", \"{}?/zeroize\"", own.name)).collect();
    format!(
        "{MARK} {} from sources {}.\n# SPDX-License-Identifier: 0BSD\n\n[package]\n\
         name = \"{}\"\nversion = \"0.1.0\"\nedition = \"2024\"\nrust-version = \"1.89\"\n\
         description = {}\nlicense = \"0BSD\"\n\n[features]\n{features}\
         # Erases keys, and messages in parts, when they are dropped.\n\
         zeroize = [\"dep:zeroize\", \"cipher/zeroize\"{more}]\n\n\
         [dependencies]\ncipher = \"0.5\"\n{dependencies}\
         zeroize = {{ version = \"1.8\", default-features = false, optional = true }}\n{cpu}{PROFILE}",
        library.version,
        library.source_hash,
        identifier(&library.name),
        quoted(&facts::heading(library)),
    )
}

/// A text as a string of TOML.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn root(library: &Library, targets: &[&'static Target], modules: &Modules, apis: &[Api]) -> String {
    let mut text = SPDX.to_string();
    let _ = writeln!(text, "//! {}", facts::heading(library));
    text.push_str("//!\n//! ```text\n");
    for line in facts::text(library).lines().skip(2) {
        let _ = writeln!(text, "{}", format!("//! {line}").trim_end());
    }
    text.push_str("//! ```\n");
    text.push_str(DOCUMENTATION);
    let crates = crates(apis);
    for Traits { name, about, .. } in &crates {
        let _ = writeln!(
            text,
            "//! The feature `{name}`, on by default, has RustCrypto's traits for {about}."
        );
    }
    text.push_str(ATTRIBUTES);
    let unused = unused(targets);
    for module in &modules.0 {
        let condition = syntax::condition(module.target).map_or(unused.clone(), |c| c + "\n");
        let _ = writeln!(text, "{condition}#[rustfmt::skip]\nmod {};", module.name());
    }
    text.push_str("mod memory;\n");
    for api in apis {
        let _ = writeln!(text, "{unused}#[rustfmt::skip]\nmod {};", api.module);
    }
    text.push_str("\npub use cipher;\n");
    for Traits { name, .. } in crates {
        let _ = writeln!(text, "#[cfg(feature = \"{name}\")]\npub use {name};");
    }
    for api in apis {
        let _ = writeln!(text, "pub use crate::{}::{{{}}};", api.module, api.exports().join(", "));
        if let Some((feature, own)) = api.messages().and_then(|own| own.trait_export(api)) {
            let _ = writeln!(
                text,
                "#[cfg(feature = \"{feature}\")]\npub use crate::{}::traits::{own};",
                api.module
            );
        }
    }
    text + &variants(targets)
}

/// Says that what only other architectures' variants call is not missed.
fn unused(targets: &[&'static Target]) -> String {
    let own = targets.iter().filter(|target| syntax::condition(target).is_some());
    let mut own: Vec<_> = own.map(|target| target.architecture.name).collect();
    own.dedup();
    let own: Vec<String> = own.iter().map(|name| format!("target_arch = \"{name}\"")).collect();
    match &own[..] {
        [] => String::new(),
        [own] => format!("#[cfg_attr(not({own}), allow(dead_code))]\n"),
        several => format!("#[cfg_attr(not(all({})), allow(dead_code))]\n", several.join(", ")),
    }
}

/// The variants, and which of them the CPU runs.
fn variants(targets: &[&'static Target]) -> String {
    let [mut names, mut checks, mut all, mut arms] = [const { String::new() }; 4];
    for target in targets {
        let name = camel_case(target.name);
        let condition = syntax::condition(target);
        if let Some(condition) = &condition {
            let _ = writeln!(names, "    {condition}");
            let _ = writeln!(all, "    {condition}");
            let _ = writeln!(arms, "            {condition}");
        }
        let _ = writeln!(arms, "            Variant::{name} => \"{}\",", target.name);
        let _ = writeln!(names, "    {name},");
        let runs = match target.features {
            [] => "|| true".to_string(),
            features => {
                let features: Vec<String> = features.iter().map(|f| format!("\"{f}\"")).collect();
                let condition = condition.unwrap_or_default();
                let module = format!("has_{}", identifier(target.name));
                let _ = writeln!(
                    checks,
                    "{condition}\ncpufeatures::new!({module}, {});",
                    features.join(", ")
                );
                format!("{module}::get")
            }
        };
        let _ = writeln!(all, "    (Variant::{name}, {runs}),");
    }
    let last = targets.last().map_or(String::new(), |target| camel_case(target.name));
    VARIANTS
        .replace("$names", &names)
        .replace("$checks", &checks)
        .replace("$all", &all)
        .replace("$arms", &arms)
        .replace("$last", &last)
}

/// A name as that of a type.
fn camel_case(name: &str) -> String {
    let capital = |part: &str| {
        let (first, rest) = part.split_at(part.len().min(1));
        first.to_ascii_uppercase() + rest
    };
    identifier(name).split('_').map(capital).collect()
}

const SPDX: &str = "// SPDX-License-Identifier: 0BSD\n\n";

/// The file `memory.rs` of every crate.
pub const MEMORY: &str = include_str!("memory.txt");

const DOCUMENTATION: &str = "\
//!
//! No branch and no address is meant to depend on data. Constant parameters are the key. The feature `zeroize` erases keys, and
//! messages in parts, when they are dropped.
";

const ATTRIBUTES: &str = "
#![no_std]
#![warn(missing_docs)]
// How many parameters there are and what they are called is the source's business.
#![allow(clippy::too_many_arguments, non_snake_case)]
// So are loops over several lists, and conditions on lengths.
#![allow(clippy::needless_range_loop, clippy::len_zero, clippy::manual_div_ceil)]
// Blocks may have one byte.
#![allow(clippy::int_plus_one, clippy::modulo_one)]

#[cfg(test)]
extern crate std;

";

const VARIANTS: &str = "
use core::sync::atomic::{AtomicU8, Ordering};

/// What kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
$names}

$checks
/// The variants, best first, and whether the CPU runs them.
type Runs = fn() -> bool;
const VARIANTS: &[(Variant, Runs)] = &[
$all];

/// The place of the variant that was asked for, from 1; 0 if none was.
static ASKED: AtomicU8 = AtomicU8::new(0);

impl Variant {
    /// The one that was asked for, or the first that the CPU runs.
    fn chosen() -> Variant {
        match ASKED.load(Ordering::Relaxed) {
            0 => VARIANTS.iter().find(|(_, runs)| runs()).map_or(Variant::$last, |(variant, _)| *variant),
            place => VARIANTS[usize::from(place) - 1].0,
        }
    }

    fn name(self) -> &'static str {
        match self {
$arms        }
    }
}

/// The names of the variants that the CPU runs, best first.
pub fn variants() -> impl Iterator<Item = &'static str> {
    VARIANTS.iter().filter(|(_, runs)| runs()).map(|(variant, _)| variant.name())
}

/// The name of the variant that keys are expanded for.
pub fn variant() -> &'static str {
    Variant::chosen().name()
}

/// Takes another variant than the best, in all threads: that of this name. `None` takes the best again. Keys that were expanded
/// before keep the variant that they were made for.
///
/// Says whether it was done; nothing is if the CPU runs no such variant.
pub fn use_variant(name: Option<&str>) -> bool {
    let place = match name {
        None => Some(0),
        Some(name) => VARIANTS.iter().position(|(variant, runs)| variant.name() == name && runs()).map(|place| place + 1),
    };
    place.inspect(|place| ASKED.store(*place as u8, Ordering::Relaxed)).is_some()
}";
