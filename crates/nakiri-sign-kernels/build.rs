//! Compiles the hash functions (`kernels/*.ua`) by Nakiri: for each target a module of functions on rows of words, one word of
//! every lane in a row.

use nakiri::check::{self, check, Loader};
use nakiri::compile::{compile, Kernel, Options};
use nakiri::core::{Port, Program};
use nakiri::emit::rust;
use nakiri::source::SourceMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The nodes of a source, and the beginning of the names of their functions.
struct Source {
    file: &'static str,
    prefix: &'static str,
    nodes: &'static [&'static str],
}

/// What many lanes are for.
const MANY: &[Source] = &[
    Source {
        file: "kernels/sha256.ua",
        prefix: "sha256",
        nodes: &["Compress256", "F16", "F24", "F32", "H16"],
    },
    Source { file: "kernels/sha512.ua", prefix: "sha512", nodes: &["Compress512"] },
    Source {
        file: "kernels/shake256.ua",
        prefix: "shake256",
        nodes: &["Permute", "F16", "F24", "F32", "H16", "H24", "H32"],
    },
];

/// What one stream is for.
const ONE: &[Source] =
    &[Source { file: "kernels/sha256_rows.ua", prefix: "sha256", nodes: &["CompressRows"] }];

/// The slicing, target and choices of each module.
const MODULES: [(&str, &[Source]); 4] = [
    ("V avx512 unroll=always inline=all schedule=latency", MANY),
    ("V avx2 unroll=always inline=all schedule=latency", MANY),
    ("V gp64 one-word unroll=always inline=all schedule=latency", MANY),
    ("P ssse3+sha unroll=always inline=all", ONE),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name| PathBuf::from(std::env::var_os(name).expect("cargo sets it"));
    let root = variable("CARGO_MANIFEST_DIR");
    let mut text = String::new();
    for (module, sources) in MODULES {
        let options: Options = module.parse().expect("a slicing, a target, choices");
        let nodes = sources.iter().flat_map(|s| s.nodes.iter().map(move |node| (s, *node)));
        let kernels: Vec<(String, Kernel)> = nodes
            .map(|(source, node)| {
                let name = format!("{}_{}", source.prefix, node.to_lowercase());
                (name, kernel(&root, source.file, node, &options))
            })
            .collect();
        module_text(&mut text, &kernels, &options);
    }
    std::fs::write(variable("OUT_DIR").join("kernels.rs"), text).expect("cargo's own folder");
}

/// Files below the crate's folder.
struct Files<'a>(&'a Path);

impl Files<'_> {
    fn read(&self, path: &str) -> Result<String, String> {
        let file = self.0.join(path);
        println!("cargo::rerun-if-changed={}", file.display());
        std::fs::read_to_string(&file).map_err(|problem| format!("{}: {problem}", file.display()))
    }
}

impl Loader for Files<'_> {
    fn load(&mut self, path: &str, _: &str) -> Result<(String, String), String> {
        Ok((path.to_string(), self.read(path)?))
    }
}

fn kernel(root: &Path, file: &str, node: &str, options: &Options) -> Kernel {
    let program = program(root, file, node);
    compile(&program, options, &mut |_, _| {})
        .unwrap_or_else(|problems| panic!("{file}, {node} for {options}: {problems:?}"))
}

fn program(root: &Path, file: &str, node: &str) -> Program {
    let mut files = Files(root);
    let text = files.read(file).expect("a source of the crate");
    let mut sources = SourceMap::default();
    let id = sources.add(file, &text);
    let options = check::Options { entry: Some(node.to_string()), ..check::Options::default() };
    let (checked, problems) = check(&mut sources, id, &mut files, &options);
    checked.unwrap_or_else(|| panic!("{file}, {node}: {problems:?}")).program
}

/// A module of kernels, and of functions from rows to rows around them.
fn module_text(text: &mut String, kernels: &[(String, Kernel)], options: &Options) {
    let target = options.target;
    let inner = kernels.iter().map(|(name, kernel)| (format!("{name}_registers"), kernel));
    let inner: Vec<(String, &Kernel)> = inner.collect();
    let named: Vec<(&str, &Kernel)> = inner.iter().map(|(name, k)| (name.as_str(), *k)).collect();
    let name: String =
        target.name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    if target.simd {
        let _ = writeln!(text, "#[cfg(target_arch = \"{}\")]", target.architecture.name);
    }
    let _ = writeln!(text, "/// {}.\n#[rustfmt::skip]\npub mod {name} {{", target.title);
    text.push_str("use crate::memory::{part, registers, registers_mut};\n");
    if target.simd {
        let _ = writeln!(text, "use core::arch::{}::*;", target.architecture.name);
    }
    text.push_str(&rust::kernels(&named));
    for (name, kernel) in kernels {
        text.push_str(&function(name, kernel));
    }
    text.push_str("}\n\n");
}

/// The function of a kernel on rows.
fn function(name: &str, kernel: &Kernel) -> String {
    let entry = kernel.program.entry();
    let word = |port: &Port| format!("u{}", port.ty.word());
    let (mut parameters, mut arguments) = (vec![], vec![]);
    for (k, port) in entry.results.iter().enumerate() {
        parameters.push(format!("out{k}: &mut [{}]", word(port)));
        arguments.push(format!("registers_mut(out{k})"));
    }
    for (k, port) in entry.params.iter().filter(|port| !port.constant).enumerate() {
        parameters.push(format!("in{k}: &[{}]", word(port)));
        arguments.push(format!("registers(in{k})"));
    }
    if entry.params.iter().any(|port| port.constant) {
        parameters.push("constants: &[u8]".to_string());
        arguments.push("part(constants, 0)".to_string());
    } else {
        arguments.push("&[]".to_string());
    }
    let call = format!("{name}_registers({})", arguments.join(", "));
    let call = match kernel.target.simd {
        true => format!("// SAFETY: whoever has this function asked for the CPU's features.\n    unsafe {{ {call} }}"),
        false => call,
    };
    format!("pub fn {name}({}) {{\n    {call}\n}}\n\n", parameters.join(", "))
}
