//! Cores of AEADs on the records of the published files: the library that `nakiri build` writes, driven by a program in C
//! which keeps each lane at its own record.

use crate::{design, full, tools};
use nakiri::target::{self, Target};
use nakiri_verify::cc::{Compiler, Work};
use nakiri_verify::exec::{command, linking, runs};
use std::process::Command;

/// The targets. Each core is tried on one of them, with every so many-th record if that is emulated; with `NAKIRI_FULL=1` on
/// all, with all records.
const TARGETS: [&str; 4] = ["gp64", "avx2", "avx512", "gp32"];
const SAMPLE: usize = 19;

/// How many records a file has.
const RECORDS: usize = 1089;

/// A core on its targets; `known` is the macro by which the program knows it.
fn check(core: &str, known: &str, turn: usize) {
    if !tools() {
        return;
    }
    for name in TARGETS.into_iter().filter(|name| full() || *name == TARGETS[turn]) {
        let target = target::all().iter().find(|target| target.name == name).expect("a target");
        let compiler = Compiler::for_target(target).expect("a C compiler");
        let sampled = compiler.foreign().is_some() && !full();
        match runs(target, &compiler) {
            Ok(()) => answers(core, known, target, &compiler, if sampled { SAMPLE } else { 1 }),
            Err(error) => eprintln!("{core} not run: {error}"),
        }
    }
}

/// Every so many-th record is encrypted and decrypted as published.
fn answers(core: &str, known: &str, target: &Target, compiler: &Compiler, every: usize) {
    let what = format!("{core} for {}", target.name);
    let work = Work::new().expect("a folder");
    let folder = design::folder();
    let built = Command::new(env!("CARGO_BIN_EXE_nakiri"))
        .args(["build", "--reset", "rst", "--target", target.name, "-o"])
        .arg(work.path(""))
        .arg(folder.join(core).join(format!("{core}.v")))
        .status();
    assert!(built.is_ok_and(|status| status.success()), "{what}");
    let include = format!("-I{}", work.path("").display());
    let files = [folder.join("aead.c"), work.path(&format!("{core}.c"))];
    let files: Vec<_> = files.iter().map(|path| path.as_path()).collect();
    let level = if full() { "-O2" } else { "-O0" };
    let flags = [&[level, known, &include], linking(compiler)].concat();
    compiler.compile(&files, &flags, &work.path("run")).expect("it compiles");
    let mut run = command(compiler, &work.path("run")).expect("it can be run");
    let run = run.arg(folder.join(core).join("records.txt")).arg(every.to_string());
    let done = run.output().expect("it runs");
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{what}: {said}");
    let wanted = 2 * RECORDS.div_ceil(every);
    assert!(said.starts_with(&format!("{wanted} records")), "{what}: {said}");
    println!("{what}: {said}");
}

#[test]
fn ascon_aead128_answers_every_record() {
    check("ascon_aead128", "-DASCON_AEAD128", 0);
}

#[test]
fn gift_cofb_answers_every_record() {
    check("gift_cofb", "-DGIFT_COFB", 1);
}

#[test]
fn ace_ae128_answers_every_record() {
    check("ace_ae128", "-DACE_AE128", 2);
}

#[test]
fn wage_ae128_answers_every_record() {
    check("wage_ae128", "-DWAGE_AE128", 3);
}
