//! Cores of AEADs on the records of the published files: the library that `nakiri build` writes, driven by a program in C
//! which keeps each lane at its own record, and by one that gives each lane the next record when it is done with one.

use crate::{design, full, tools};
use nakiri::isa::{self, Target};
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
fn check(core: &'static str, known: &str, turn: usize) {
    if !tools() {
        return;
    }
    for name in TARGETS.into_iter().filter(|name| full() || *name == TARGETS[turn]) {
        let target = isa::all().iter().find(|target| target.name == name).expect("a target");
        let compiler = Compiler::for_target(target).expect("a C compiler");
        let sampled = compiler.foreign().is_some() && !full();
        match runs(target, &compiler) {
            Ok(()) => answers(core, known, target, &compiler, if sampled { SAMPLE } else { 1 }),
            Err(error) => eprintln!("{core} not run: {error}"),
        }
    }
}

/// Every so many-th record is encrypted and decrypted as published, and as many are jobs of lanes that take the next.
fn answers(core: &'static str, known: &str, target: &Target, compiler: &Compiler, every: usize) {
    let core = Core::new(core, known, target, compiler);
    let wanted = 2 * RECORDS.div_ceil(every);
    let said = core.run("aead.c", &[&every.to_string()]);
    assert!(said.starts_with(&format!("{wanted} records")), "{}: {said}", core.what);
    println!("{}: {said}", core.what);
    let said = core.run("jobs.c", &[&wanted.to_string(), "refill", "0"]);
    assert!(said.starts_with(&format!("{wanted} jobs, 0 wrong")), "{}: {said}", core.what);
}

/// A core for a target, compiled.
pub struct Core<'a> {
    work: Work,
    name: &'static str,
    /// The macro by which programs know it.
    known: &'a str,
    compiler: &'a Compiler,
    /// Its name and its target's.
    pub what: String,
}

/// How jobs of these cores begin, take blocks and end.
const HANDSHAKE: [&str; 8] =
    ["--start", "start", "--done", "done", "--valid", "valid", "--ready", "ready"];

impl<'a> Core<'a> {
    pub fn new(
        name: &'static str,
        known: &'a str,
        target: &Target,
        compiler: &'a Compiler,
    ) -> Core<'a> {
        let what = format!("{name} for {}", target.name);
        let work = Work::new().expect("a folder");
        let built = Command::new(env!("CARGO_BIN_EXE_nakiri"))
            .env("NAKIRI_CIRCUITS", "off")
            .args(["build", "--reset", "rst", "--target", target.name])
            .args(HANDSHAKE)
            .arg("-o")
            .arg(work.path(""))
            .arg(design::folder().join(name).join(format!("{name}.v")))
            .status();
        assert!(built.is_ok_and(|status| status.success()), "{what}");
        let level = if full() { "-O2" } else { "-O0" };
        let source = work.path(&format!("{name}.c"));
        compiler.compile(&[&source], &[level, "-c"], &work.path("core.o")).expect("it compiles");
        Core { work, name, known, compiler, what }
    }

    /// What a program of the folder of the designs says about the records.
    pub fn run(&self, program: &str, arguments: &[&str]) -> String {
        let include = format!("-I{}", self.work.path("").display());
        let files = [design::folder().join(program), self.work.path("core.o")];
        let files: Vec<_> = files.iter().map(|path| path.as_path()).collect();
        let flags = [&["-O1", self.known, &include], linking(self.compiler)].concat();
        let output = self.work.path(program.trim_end_matches(".c"));
        self.compiler.compile(&files, &flags, &output).expect("it compiles");
        let mut run = command(self.compiler, &output).expect("it can be run");
        let records = design::folder().join(self.name).join("records.txt");
        let done = run.arg(records).args(arguments).output().expect("it runs");
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(done.status.success(), "{}: {said}", self.what);
        said
    }
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
