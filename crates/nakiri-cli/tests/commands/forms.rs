//! Every form that a mode may have, as a library: folders under `forms`, whose vectors programs of their own have computed.

use super::modes::{compiled, full, on_other_machines, printed, SANITIZED};
use super::{nakiri, Folder};
use nakiri_verify::cc;
use std::path::{Path, PathBuf};

/// From the repository's root, as all folders here.
const FORMS: &str = "crates/nakiri-cli/tests/commands/forms";

/// An expression of C that is not 0 if an instance of a folder does not give its vectors.
pub fn self_tests(folder: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let manifest = root.join(folder).join("cipher.toml");
    let manifest = std::fs::read_to_string(manifest).expect("a manifest");
    let prefixes = manifest.lines().filter_map(|line| line.strip_prefix("prefix = "));
    let test = |prefix: &str| format!("{}_self_test() != 0", prefix.trim_matches('"'));
    prefixes.map(test).collect::<Vec<_>>().join(" || ")
}

/// The C of a folder, and a program that runs its vectors.
pub fn self_testing(folder: &str, work: &Folder, targets: &str) -> [PathBuf; 2] {
    let name = folder.rsplit('/').next().unwrap_or(folder);
    let out = work.path(&format!("{name}.c"));
    let done = nakiri(&["build", folder, "--target", targets, "-o", &out]);
    assert_eq!(done.code, 0, "{}", done.err);
    let tests = self_tests(folder);
    let main = format!("#include \"{name}.h\"\n\nint main(void)\n{{\n    return {tests};\n}}\n");
    [PathBuf::from(out), PathBuf::from(work.write("main.c", main))]
}

/// The same of a form.
fn built(form: &str, work: &Folder, targets: &str) -> [PathBuf; 2] {
    self_testing(&format!("{FORMS}/{form}"), work, targets)
}

/// Builds a form in C and Rust, clean under sanitizers and lints, and runs its vectors.
fn is_a_library(form: &str, targets: &str) {
    let work = Folder::new(&format!("forms-{form}"));
    let sources = built(form, &work, targets);
    for (k, cc) in cc::all().iter().enumerate() {
        let program = PathBuf::from(work.path(&format!("program{k}")));
        compiled(cc, &sources, &SANITIZED, &program);
        assert!(printed(cc, &program, &[], "").is_empty());
    }
    super::rust::passes_its_vectors(&format!("{FORMS}/{form}"), targets);
}

#[test]
fn counters_codes_and_chains() {
    is_a_library("toys", "gp64,ssse3");
}

#[test]
fn names_of_the_source_never_clash() {
    is_a_library("names", "gp64,ssse3");
}

#[test]
fn blocks_that_are_last_or_short() {
    is_a_library("ends", "gp64,ssse3");
}

#[test]
fn numbers_of_blocks_and_ways_back() {
    is_a_library("ways", "gp64,ssse3");
}

#[test]
fn powers_instead_of_one_block_after_another() {
    is_a_library("powers", "gp64,ssse3+aes");
}

#[test]
fn blocks_side_by_side() {
    if super::modes::targets().contains(&"avx2") {
        is_a_library("sides", "avx2,gp64:V+one-word");
    }
}

#[test]
fn streams_twice() {
    is_a_library("twice", "gp64,ssse3");
}

#[test]
fn variables_that_are_others_and_codes_of_what_is_given() {
    is_a_library("views", "gp64,ssse3");
    if super::modes::targets().contains(&"avx2") {
        is_a_library("views", "avx2,gp64");
    }
}

#[test]
fn bytes_around_streams_and_families() {
    is_a_library("around", "gp64,ssse3");
}

#[test]
fn trees() {
    is_a_library("trees", "gp64,ssse3");
}

#[test]
fn other_machines_know_lengths_and_ends() {
    on_other_machines("views", |work, target| built("views", work, target));
    if full() {
        on_other_machines("around", |work, target| built("around", work, target));
    }
    on_other_machines("ends", |work, target| built("ends", work, target));
    on_other_machines("ways", |work, target| built("ways", work, target));
}
