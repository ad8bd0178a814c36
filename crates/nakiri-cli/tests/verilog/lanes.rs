//! Lanes kept busy: queues of jobs around step functions, as `nakiri build` writes them.

mod alone;
mod program;

use crate::records::Core;
use crate::{compiler, design, full, tools};
use nakiri::isa;
use nakiri_bench::report::occupancy::{self, Trace};
use nakiri_verify::cc::{self, Compiler, Work, SANITIZE};
use nakiri_verify::exec;
use std::path::Path;
use std::process::Command;

/// How many jobs the occupancy is of, and of how many ticks it is drawn.
const JOBS: usize = 100_000;
const DRAWN: usize = 600;

/// Writes a design's library with a queue into a folder.
fn build(work: &Work, design: &str, flags: &[&str]) {
    let folder = design::folder().join(design);
    let source = ["v", "sv"].map(|ending| folder.join(format!("{design}.{ending}")));
    let source = source.into_iter().find(|path| path.is_file()).expect("a source");
    let built = Command::new(env!("CARGO_BIN_EXE_nakiri"))
        .env("NAKIRI_CIRCUITS", "off")
        .arg("build")
        .args(flags)
        .arg("-o")
        .arg(work.path(""))
        .arg(source)
        .status();
    assert!(built.is_ok_and(|status| status.success()), "{design} {flags:?}");
}

/// What was needed for some jobs.
struct Needed {
    lanes: u32,
    ticks: u64,
    of_use: u64,
    busy: Vec<u32>,
}

impl Needed {
    /// Of jobs that `jobs.c` works off on a core.
    fn of(core: &Core, how: &str) -> Needed {
        let said = core.run("jobs.c", &[&JOBS.to_string(), how, &DRAWN.to_string()]);
        assert!(said.starts_with(&format!("{JOBS} jobs, 0 wrong")), "{said}");
        let numbers = said.split(|c: char| !c.is_ascii_digit());
        let numbers: Vec<u64> = numbers.filter_map(|text| text.parse().ok()).collect();
        let [_, _, lanes, ticks, of_use, ref busy @ ..] = numbers[..] else { panic!("{said}") };
        let busy = busy.iter().map(|&lanes| lanes as u32).collect();
        Needed { lanes: lanes as u32, ticks, of_use, busy }
    }

    /// The share of lanes and ticks that was of use.
    fn occupancy(&self) -> f64 {
        self.of_use as f64 / (self.ticks * u64::from(self.lanes)) as f64
    }
}

/// The figure of the book is what the emitted counters say of many jobs: `NAKIRI_BLESS=1` draws it.
#[test]
fn lanes_are_kept_busy() {
    if !tools() {
        return;
    }
    let compiler = compiler();
    let gp64 = isa::find("gp64").expect("a target");
    let core = Core::new("ascon_aead128", "-DASCON_AEAD128", gp64, &compiler);
    let hows = [("refill", "each lane takes the next job"), ("batches", "all wait for the last")];
    let needed = hows.map(|(how, _)| Needed::of(&core, how));
    assert!(needed[0].occupancy() > 0.95, "{}", needed[0].occupancy());
    assert!(needed[1].occupancy() < 0.8, "{}", needed[1].occupancy());
    let traces: Vec<Trace> = hows
        .iter()
        .zip(&needed)
        .map(|((_, how), needed)| Trace {
            title: format!(
                "{how}: {} ticks for {JOBS} jobs, {:.2} % of lanes × ticks of use",
                needed.ticks,
                100.0 * needed.occupancy()
            ),
            busy: needed.busy.clone(),
        })
        .collect();
    let title = "Lanes of Ascon-AEAD128 with a job, with and without a queue";
    let figure = occupancy::draw(&traces, needed[0].lanes, title).file();
    let path = design::folder().join("../../docs/src/occupancy.svg");
    if std::env::var_os("NAKIRI_BLESS").is_some() {
        return std::fs::write(&path, figure).expect("it can be written");
    }
    let drawn = std::fs::read_to_string(&path).expect("the figure");
    assert!(drawn == figure, "NAKIRI_BLESS=1 draws docs/src/occupancy.svg anew");
}

/// Designs, their handshake, and what else `build` is told.
const DESIGNS: [(&str, &[&str], &[&str]); 6] = [
    ("present80", &["--start", "load", "--done", "done"], &["--reset", "rst", "--target", "gp64"]),
    ("gift128", &["--start", "load", "--done", "done"], &["--reset", "rst", "--target", "sse2"]),
    (
        "prince",
        &["--start", "valid", "--done", "out_valid"],
        &["--reset", "rst", "--target", "gp32"],
    ),
    ("crc32", &["--valid", "valid"], &["--reset", "rst", "--target", "gp64", "--interleave", "2"]),
    (
        "handshake",
        &["--valid", "valid", "--out-valid", "strobe"],
        &["--reset", "rst", "--target", "gp32"],
    ),
    ("uart", &["--valid", "valid", "--ready", "ready"], &["--target", "gp64"]),
];

/// Jobs in lanes give what each gives alone, by the interpreter.
#[test]
fn jobs_in_lanes_are_jobs_alone() {
    if !tools() {
        return;
    }
    let compilers = cc::all();
    let gp64 = isa::find("gp64").expect("a target");
    let big_endian = isa::BIG_ENDIAN.iter().flat_map(|architecture| Compiler::cross(architecture));
    let big_endian = big_endian.filter(|compiler| exec::runs(gp64, compiler).is_ok());
    let big_endian: Vec<Compiler> = big_endian.collect();
    for (turn, (name, handshake, flags)) in DESIGNS.into_iter().enumerate() {
        let work = Work::new().expect("a folder");
        build(&work, name, &[handshake, flags].concat());
        let design = design::Design::load(name);
        let program = design.program(design.reset.is_some());
        let jobs = alone::Jobs::random(program, handshake, if full() { 2000 } else { 150 });
        let wanted = jobs.results();
        work.write("main.c", program::text(name, &jobs).as_bytes()).expect("it can be written");
        work.write("jobs", &jobs.bytes()).expect("it can be written");
        let compiler = &compilers[turn % compilers.len()];
        let include = format!("-I{}", work.path("").display());
        let files = [work.path("main.c"), work.path(&format!("{name}.c"))];
        let files: Vec<&Path> = files.iter().map(|path| path.as_path()).collect();
        // Registers of 32 bits and several batches are the ways in which sets of lanes lie.
        let general = !flags.contains(&"sse2") && (full() || name == "crc32" || name == "prince");
        let flags = [SANITIZE, &[&include]].concat();
        compiler.compile(&files, &flags, &work.path("run")).expect("it compiles");
        let done = Command::new(work.path("run")).arg(work.path("jobs")).output().expect("it runs");
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        let errors = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success(), "{name}: {errors}");
        assert!(jobs.said(&said) == wanted, "{name} by {}", compiler.program);
        for compiler in big_endian.iter().filter(|_| general) {
            let flags = [&["-O1", &include], exec::linking(compiler)].concat();
            compiler.compile(&files, &flags, &work.path("run")).expect("it compiles");
            let done = exec::command(compiler, &work.path("run")).expect("it can be run");
            let done = { done }.arg(work.path("jobs")).output().expect("it runs");
            assert!(done.status.success(), "{name}: {}", done.status);
            let said = String::from_utf8_lossy(&done.stdout).into_owned();
            assert!(jobs.said(&said) == wanted, "{name} by {}", compiler.program);
        }
    }
}

/// The blocks of a page of the book of a language, in order.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let opening = format!("```{language}\n");
    page.split(&opening).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

/// The example of the book prints what the book says, also as C++.
#[test]
fn the_example_of_the_book_runs() {
    if !tools() {
        return;
    }
    let page = design::folder().join("../../docs/src/from-verilog.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let example = blocks(&page, "c").into_iter().find(|text| text.contains("present80_queue"));
    let shown = blocks(&page, "text").into_iter().find(|text| text.contains("jobs.c"));
    let (example, shown) = (example.expect("the example"), shown.expect("what it prints"));
    let (commands, printed): (Vec<&str>, Vec<&str>) =
        shown.lines().partition(|line| line.starts_with("$ "));
    let flags = commands[0].strip_prefix("$ nakiri build present80.v ").expect("how it is built");
    let flags = flags.strip_suffix(" -o out").expect("where to");
    let work = Work::new().expect("a folder");
    build(&work, "present80", &flags.split(' ').collect::<Vec<_>>());
    let main = work.write("jobs.c", example.as_bytes()).expect("it can be written");
    let include = format!("-I{}", work.path("").display());
    for compiler in cc::all() {
        let files = [&*main, &*work.path("present80.c")];
        compiler.compile(&files, &["-O1", &include], &work.path("run")).expect("it compiles");
        let done = Command::new(work.path("run")).output().expect("it runs");
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        assert_eq!(said.lines().collect::<Vec<_>>(), printed, "{}", compiler.program);
    }
    let plus = if cc::works("g++") { "g++" } else { "clang++-19" };
    if cc::works(plus) {
        let flags = ["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"];
        let mut compile = Command::new(plus);
        let done = compile.args(flags).arg(&include).args(["-x", "c++"]).arg(&main);
        assert!(done.status().is_ok_and(|status| status.success()), "{plus}");
    }
}
