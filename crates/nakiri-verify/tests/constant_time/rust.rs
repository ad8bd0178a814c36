//! What rustc makes of emitted Rust has no branch and no address that depends on data, as what C compilers make of emitted C.

use super::ciphers::Cipher;
use super::modes::library;
use nakiri::compile::{compile, Kernel, Options};
use nakiri::core::{Direction, Program};
use nakiri::emit::{c, rust};
use nakiri::isa;
use nakiri_verify::cc::Work;
use nakiri_verify::constant_time::{check_object, Argument::Public, Entry, Violation};
use nakiri_verify::differential::elaborate;
use nakiri_verify::image::Image;
use nakiri_verify::random::masks;
use std::path::{Path, PathBuf};
use std::process::Command;

const LEVELS: &[&str] = &["1", "2", "3", "s", "z"];

/// The object code of an emitted crate in which each function of a target's is compiled alone.
fn object(folder: &Path, level: &str) -> Vec<u8> {
    let path = folder.join("checked.o");
    let done = Command::new(env!("CARGO"))
        .args(["rustc", "--release", "--lib", "--offline", "--quiet", "--"])
        .args([
            "-C",
            &format!("opt-level={level}"),
            "-C",
            "codegen-units=1",
            "-C",
            "relocation-model=static",
        ])
        .arg(format!("--emit=obj={}", path.display()))
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("rust"))
        .output()
        .expect("cargo starts");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    std::fs::read(path).expect("an object")
}

/// Has each function of a target's file compiled alone, so that it has a name and takes pointers.
fn apart(file: &Path) {
    let text = std::fs::read_to_string(file).expect("a target's file");
    let text =
        text.replace("#[inline]\nfn ", "\nfn ").replace("\n\nfn ", "\n\n#[inline(never)]\nfn ");
    std::fs::write(file, text).expect("it can be written");
}

/// The functions of an emitted crate that compute: how many, or what leaks.
fn checked(object: &[u8]) -> Result<usize, Vec<Violation>> {
    let image = Image::read(object).expect("an object");
    let computes =
        |name: &&str| ["_kernel", "load_", "store_"].iter().any(|part| name.contains(part));
    let names: Vec<&str> = image.functions().filter(computes).collect();
    let entry = |name| Entry { name, arguments: &[Public; 6] };
    let entries: Vec<Entry> = names.iter().copied().map(entry).collect();
    check_object(object, &entries).map(|_| names.len())
}

/// The kernel of a program for one word a register.
fn kernel(program: &Program, direction: Direction) -> Kernel {
    let options = Options::new(direction, isa::find("gp64").expect("a target"));
    compile(program, &options, &mut |_, _| {}).expect("it is legal")
}

/// An emitted crate whose functions are apart, in a folder of this name.
fn emitted(work: &Work, kernel: Kernel, mode: Option<(usize, c::Counter)>) -> PathBuf {
    let functions = vec![c::Function { name: "block".to_string(), variants: vec![kernel] }];
    let folder = work.path("crate");
    for file in rust::files(&library(functions, mode)).expect("a crate") {
        let path = folder.join(&file.path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        std::fs::write(path, file.text).expect("it can be written");
    }
    apart(&folder.join("src/gp64.rs"));
    folder
}

fn levels(number: usize) -> Vec<&'static str> {
    match std::env::var_os("NAKIRI_FULL") {
        Some(_) => LEVELS.to_vec(),
        None => vec![LEVELS[number % LEVELS.len()]],
    }
}

#[test]
fn programs_of_masks_are_constant_time_in_rust() {
    let count = if std::env::var_os("NAKIRI_FULL").is_some() { 30 } else { LEVELS.len() };
    let mut functions = 0;
    for number in 0..count {
        let text = masks(number as u64, [64, 32, 64, 16, 8][number % 5]);
        let core = elaborate(&text).expect("a program of masks is legal");
        let work = Work::new().unwrap();
        let folder = emitted(&work, kernel(&core, Direction::V), None);
        for level in levels(number) {
            let found = checked(&object(&folder, level));
            functions += found.unwrap_or_else(|found| panic!("{text}\n{level}: {found:?}"));
        }
    }
    println!("{functions} functions of {count} programs, levels {LEVELS:?}");
    assert!(functions >= count, "{functions}");
}

#[test]
fn ciphers_are_constant_time_in_rust() {
    let full = std::env::var_os("NAKIRI_FULL").is_some();
    let ciphers: &[&str] = match full {
        true => &["rectangle", "chacha20", "speck128", "simon128"],
        false => &["rectangle"],
    };
    for (number, name) in ciphers.iter().enumerate() {
        let cipher = Cipher::new(name);
        let Some((entry, counter)) = cipher.counter_mode() else { continue };
        let program = cipher.checked.program_for(&entry).expect("the manifest's node");
        let kernel = kernel(&program, Direction::V);
        let bytes =
            |port: &nakiri::core::Port| nakiri::layout::memory_bytes(port.ty.bits(), port.count());
        let key = kernel.params.iter().filter(|port| port.constant).map(bytes).sum();
        let work = Work::new().unwrap();
        let folder = emitted(&work, kernel, Some((key, counter)));
        for level in levels(number + 3) {
            let found = checked(&object(&folder, level));
            let functions = found.unwrap_or_else(|found| panic!("{name} {level}: {found:?}"));
            println!("{name}, level {level}: {functions} functions");
            assert!(functions > 2, "{functions}");
        }
    }
}

/// A choice by a bit: without barriers rustc makes a branch or a chosen address of it.
#[test]
fn without_barriers_leaks_are_found_in_rust() {
    let text = "node Sel (x:u64x4) returns (y:u64x4)\nvars m:u64\nlet\n  m = Bitmask(x[2], 0);\n  \
                y[0] = (x[0] & m) | (x[1] & ~m);\n  y[1..3] = x[1..3]\ntel\n";
    let core = elaborate(text).expect("a program");
    let work = Work::new().unwrap();
    let folder = emitted(&work, kernel(&core, Direction::V), None);
    assert!(checked(&object(&folder, "2")).is_ok());
    let memory = folder.join("src/memory.rs");
    let barriers = std::fs::read_to_string(&memory).expect("barriers");
    let from = "fn barrier64(word: u64) -> u64 {";
    let to = format!("{from}\n    if true {{\n        return word;\n    }}");
    assert!(barriers.contains(from), "{barriers}");
    std::fs::write(&memory, barriers.replace(from, &to)).expect("it can be written");
    assert!(checked(&object(&folder, "2")).is_err(), "a branch on a bit");
}
