//! `nakiri ciphers`: what there is to build, from its manifests.

use crate::manifest::{Folder, Instance, Mode as BlockMode};
use crate::output::{self, counted};
use crate::program::Input;
use crate::session::{Failure, Session};
use crate::subjects;
use crate::vectors::{self, Nodes};
use nakiri::check;
use nakiri::compile::legality::{self, PREFERENCE};
use nakiri::core::{Port, Program};
use nakiri::isa;
use nakiri::layout::port_bytes;
use nakiri::mode::Mode;
use nakiri_bench::parallel;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Lists ciphers, hashes and so on: what they are, sizes, slicings, functions, vectors, status
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folders with a cipher.toml, their names in `ciphers` and `modes`, or `all`
    #[arg(value_name = "PRIMITIVE", default_value = "all")]
    primitives: Vec<String>,
}

/// Runs the command.
///
/// # Errors
/// [`Failure`] if a folder is wrong.
pub fn run(args: &Args) -> Result<(), Failure> {
    let folders: Vec<PathBuf> = subjects::primitives(&args.primitives)?;
    let texts = parallel::map(&folders, |folder| text(folder));
    let texts = texts.into_iter().collect::<Result<Vec<String>, _>>()?;
    output::print(&texts.join("\n"))
}

/// What is said of a folder.
fn text(path: &Path) -> Result<String, Failure> {
    let mut session = Session::default();
    let input = Input::find(&mut session, path)?;
    let checked = session.check(&input.source, &check::Options::default())?;
    let Some(folder) = &input.folder else { return Ok(String::new()) };
    let manifest = &folder.manifest;
    let mut text = format!("{}: {}\n", path.display(), manifest.title);
    let _ = writeln!(text, "    {}", manifest.specification);
    let _ = match &*manifest.security {
        "" => writeln!(text, "    {}", manifest.status.name()),
        known => writeln!(text, "    {}: {known}", manifest.status.name()),
    };
    for instance in &manifest.instances {
        let nodes = vectors::nodes(&session, folder, &checked, instance)?;
        let facts = [
            vec![kind(instance, nodes.mode.as_ref()).to_string()],
            sizes(instance, &nodes),
            vec![slicings(&nodes), counted(vectors(folder, instance), "vector")],
        ];
        let _ = writeln!(text, "  {}: {}", instance.prefix.get_ref(), facts.concat().join(", "));
        let functions = functions(instance, nodes.mode.as_ref()).join(" ");
        let _ = writeln!(text, "    {functions}");
    }
    Ok(text)
}

/// What an instance is, as what it takes and gives says.
fn kind(instance: &Instance, mode: Option<&Mode>) -> &'static str {
    if let Some(mode) = mode {
        return match (mode.giving().is_some(), mode.result_bytes() > 0) {
            (true, true) => "AEAD",
            (true, false) => "encryption",
            (false, _) if mode.squeeze().is_some() => "XOF",
            (false, _) if mode.shared.contains(&true) => "MAC",
            (false, _) => "hash",
        };
    }
    match (&instance.encrypt, &instance.permute, &instance.run) {
        (Some(_), ..) if instance.modes == [BlockMode::Ctr] => "stream cipher",
        (Some(_), ..) => "block cipher",
        (_, Some(_), _) => "permutation",
        (.., Some(_)) => "run of a step function",
        _ => "step function",
    }
}

/// Its sizes in bits.
fn sizes(instance: &Instance, nodes: &Nodes) -> Vec<String> {
    let bits = |bytes: usize| 8 * bytes;
    if let Some(mode) = &nodes.mode {
        let shared = mode.inputs.iter().zip(&mode.shared);
        let own = shared.map(|(port, shared)| {
            let what = if *shared { "key".to_string() } else { port.name.clone() };
            format!("{what} {}", bits(port_bytes(port)))
        });
        let block = std::iter::once(format!("block {}", bits(mode.block_bytes())));
        let result = Some(mode.result_bytes()).filter(|bytes| *bytes > 0);
        let result = result.map(|bytes| format!("result {}", bits(bytes)));
        return own.chain(block).chain(result).collect();
    }
    let entry = nodes.forward.entry();
    let data = |ports: &[Port]| -> usize {
        ports.iter().filter(|port| !port.constant).map(port_bytes).sum()
    };
    let key = instance.key.as_ref().map(|key| format!("key {}", bits(*key.bytes.get_ref())));
    let (from, to) = (bits(data(entry.inputs())), bits(data(entry.outputs())));
    let block = if from == to { format!("block {from}") } else { format!("block {from} to {to}") };
    key.into_iter().chain([block]).collect()
}

/// The slicings in which it can be compiled for one target at least.
fn slicings(nodes: &Nodes) -> String {
    let programs: Vec<&Program> = nodes.of_blocks();
    // The last targets have the most instructions.
    let legal = |direction: &nakiri::core::Direction| {
        isa::all().iter().rev().any(|target| legality::is_legal_in(&programs, *direction, target))
    };
    let all: Vec<String> =
        PREFERENCE.into_iter().filter(legal).map(|direction| format!("-{direction}")).collect();
    all.join(" ")
}

/// How many vectors it has.
fn vectors(folder: &Folder, instance: &Instance) -> usize {
    let all = &folder.vectors;
    let prefixes = all.block.iter().map(|vector| &vector.instance);
    let prefixes = prefixes
        .chain(all.ctr.iter().map(|vector| &vector.instance))
        .chain(all.ticks.iter().map(|vector| &vector.instance))
        .chain(all.message.iter().map(|vector| &vector.instance));
    prefixes.filter(|prefix| prefix.get_ref() == instance.prefix.get_ref()).count()
}

/// The functions that are called, in C.
fn functions(instance: &Instance, mode: Option<&Mode>) -> Vec<String> {
    let prefix = instance.prefix.get_ref();
    let mut ends: Vec<&str> = Vec::new();
    match mode {
        Some(mode) => {
            let back = mode.giving().is_some_and(|each| each.opened.is_some());
            ends.extend(match (back, mode.result_bytes() > 0) {
                (false, _) => &["", "_many"][..],
                (true, true) => &["_seal", "_seal_many", "_open", "_open_many"],
                (true, false) => &["_encrypt", "_encrypt_many", "_decrypt", "_decrypt_many"],
            });
            ends.extend(mode.is_code().then_some("_verify"));
            if mode.has_parts() {
                ends.extend(["_init", "_update", "_final", "_wipe"]);
            }
            if mode.has_hmac() {
                ends.extend(["_hmac", "_hmac_verify", "_hkdf", "_hkdf_expand"]);
            }
        }
        None if instance.is_stepped() => ends.extend(["_reset", "_step"]),
        None => {
            ends.extend(instance.key.as_ref().map(|_| "_expand_key"));
            ends.extend(match instance.forward_name() {
                "encrypt" => Some("_encrypt_blocks"),
                "permute" => Some("_permute_blocks"),
                _ => Some("_run_blocks"),
            });
            ends.extend(instance.decrypt.as_ref().map(|_| "_decrypt_blocks"));
            if instance.modes.contains(&BlockMode::Ecb) {
                ends.extend(["_ecb_encrypt", "_ecb_decrypt"]);
            }
            ends.extend(instance.modes.contains(&BlockMode::Ctr).then_some("_ctr_xor"));
        }
    }
    ends.into_iter().map(|end| format!("{prefix}{end}")).collect()
}
