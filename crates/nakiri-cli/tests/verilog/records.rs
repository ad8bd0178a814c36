//! Cores of AEADs on all records of the published files: the library that `nakiri build` writes, driven by a program in C
//! which keeps each lane at its own record.

use crate::{design, full, targets, tools};
use nakiri_verify::cc::{Compiler, Work};
use nakiri_verify::exec::{command, linking};
use std::process::Command;

/// The cores, and the macros by which the program knows them.
const CORES: [(&str, &str); 2] =
    [("ascon_aead128", "-DASCON_AEAD128"), ("gift_cofb", "-DGIFT_COFB")];

#[test]
fn every_record_in_a_lane_of_its_own() {
    if !tools() {
        return;
    }
    let names: &[&str] = if full() { &["gp32", "gp64", "avx2", "avx512"] } else { &["gp64"] };
    for (core, known) in CORES {
        for target in targets(names) {
            let work = Work::new().expect("a folder");
            let folder = design::folder();
            let source = folder.join(core).join(format!("{core}.v"));
            let built = Command::new(env!("CARGO_BIN_EXE_nakiri"))
                .args(["build", "--reset", "rst", "--target", target.name, "-o"])
                .arg(work.path(""))
                .arg(source)
                .status();
            assert!(built.is_ok_and(|status| status.success()), "{core} for {}", target.name);
            let compiler = Compiler::for_target(target).expect("a C compiler");
            let include = format!("-I{}", work.path("").display());
            let files = [folder.join("aead.c"), work.path(&format!("{core}.c"))];
            let files: Vec<_> = files.iter().map(|path| path.as_path()).collect();
            let flags =
                [&[if full() { "-O2" } else { "-O0" }, known, &include], linking(&compiler)];
            compiler.compile(&files, &flags.concat(), &work.path("run")).expect("it compiles");
            let mut run = command(&compiler, &work.path("run")).expect("it can be run");
            let done = run.arg(folder.join(core).join("records.txt")).output().expect("it runs");
            let said = String::from_utf8_lossy(&done.stdout).into_owned();
            assert!(done.status.success(), "{core} for {}: {said}", target.name);
            // Each record is encrypted and decrypted.
            assert!(said.starts_with("2178 records"), "{core} for {}: {said}", target.name);
        }
    }
}
