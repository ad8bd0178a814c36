//! Every form that a mode may have, as a library: folders under `forms`, whose vectors programs of their own have computed.

use super::modes::{compiled, printed, SANITIZED};
use super::{nakiri, Folder};
use nakiri_verify::cc;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const FORMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/commands/forms");

/// A program that ends with 0 if all instances of a manifest give their vectors.
fn main_of(name: &str, manifest: &str) -> String {
    let prefixes = manifest.lines().filter_map(|line| line.strip_prefix("prefix = "));
    let mut tests = String::new();
    for prefix in prefixes {
        let _ = write!(tests, " || {}_self_test() != 0", prefix.trim_matches('"'));
    }
    format!("#include \"{name}.h\"\n\nint main(void)\n{{\n    return 0{tests};\n}}\n")
}

/// Builds a folder in C and Rust, clean under sanitizers and lints, and runs its vectors.
fn is_a_library(form: &str) {
    let folder = Path::new(FORMS).join(form);
    let manifest = std::fs::read_to_string(folder.join("cipher.toml")).expect("a manifest");
    let work = Folder::new(&format!("forms-{form}"));
    let (source, out) = (folder.display().to_string(), work.path(&format!("{form}.c")));
    let done = nakiri(&["build", &source, "--target", "gp64,ssse3", "-o", &out]);
    assert_eq!(done.code, 0, "{}", done.err);
    let main = work.write("main.c", main_of(form, &manifest));
    let sources = [PathBuf::from(out), PathBuf::from(main)];
    for (k, cc) in cc::all().iter().enumerate() {
        let program = PathBuf::from(work.path(&format!("program{k}")));
        compiled(cc, &sources, &SANITIZED, &program);
        assert!(printed(cc, &program, &[], "").is_empty());
    }
    super::rust::passes_its_vectors(&source, "gp64,ssse3");
}

#[test]
fn counters_codes_and_chains() {
    is_a_library("toys");
}

#[test]
fn names_of_the_source_never_clash() {
    is_a_library("names");
}

#[test]
fn blocks_that_are_last_or_short() {
    is_a_library("ends");
}
