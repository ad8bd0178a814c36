//! Object code for every machine: programs of masks, random programs and the kernels of the library, as every compiler
//! that is installed makes it, at every level of optimization.
//!
//! `NAKIRI_FULL=1` makes of a sample 1,000 programs and the whole library, each kernel by all compilers at all
//! levels, which takes days, or with `NAKIRI_ROUNDS=n` in so many of these ways. `NAKIRI_COUNT=n` takes so many programs.

use super::builds::{self, Build};
use super::ciphers;
use super::modes::shown;
use nakiri::compile::{compile, Kernel, Options};
use nakiri::core::{Direction, Program};
use nakiri::emit::c;
use nakiri::isa::{self, Target};
use nakiri::pass::roll::Unroll;
use nakiri_verify::constant_time::{
    check_object, Argument, Argument::*, Entry, Reason, Report, Violation,
};
use nakiri_verify::differential::elaborate;
use nakiri_verify::random;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

const LEVELS: &[&str] = &["-O1", "-O2", "-O3", "-Os", "-Oz"];

/// The targets that are for every machine.
const ANYWHERE: &[&str] = &["gp64", "gp32", "gp64+swar"];

/// How many programs there are, unless `NAKIRI_COUNT` says so.
const SAMPLE: u64 = 60;

/// How many kernels are compiled as one file.
const FILE: usize = 6;

/// The size of the C of a kernel beyond which it is checked only if `NAKIRI_FULL` is set.
const LARGE: usize = 60_000;

/// A kernel with its name in C.
pub type Named = (String, Kernel);

fn full() -> bool {
    std::env::var_os("NAKIRI_FULL").is_some()
}

/// The kernel of a program, if it is legal so and of bearable length.
fn kernel(program: &Program, options: &Options) -> Option<Kernel> {
    let kernel = compile(program, options, &mut |_, _| {}).ok()?;
    (full() || c::kernel_file(&kernel).len() < LARGE).then_some(kernel)
}

/// Kernels of programs of masks and of random ones, slicings and targets in turn; most are one word a register.
pub fn programs(count: u64, targets: &[&'static Target]) -> Vec<Named> {
    let mut kernels = Vec::new();
    let mut add = |name: String, program: &Program, options: Options| {
        kernels.extend(kernel(program, &options).map(|kernel| (name, kernel)));
    };
    for seed in 0..count {
        let turn = seed as usize / 3;
        let target = targets[turn % targets.len()];
        if seed % 3 == 2 {
            let program = random::program(seed);
            let core = elaborate(&program.text).expect("a random program is legal");
            for direction in [Direction::B, Direction::V, Direction::H, Direction::P] {
                let options = Options { width: program.width, ..Options::new(direction, target) };
                add(format!("random{seed}_{direction:?}"), &core, options);
            }
            continue;
        }
        let widths = [64, 32, 64, 16, 32, 8];
        let text = random::masks(seed, widths[turn % widths.len()]);
        let core = elaborate(&text).expect("a program of masks is legal");
        let unroll = [None, Some(Unroll::Never)][turn % 2];
        let options = Options { unroll, ..Options::new(Direction::V, target) };
        add(format!("masks{seed}"), &core, options);
    }
    kernels
}

/// The kernels of the library for some targets, or one of so many of them.
fn library(targets: &[&'static Target], one_of: usize) -> Vec<Named> {
    let (mut kernels, mut turn) = (Vec::new(), 0..);
    for cipher in ciphers::all() {
        for entry in cipher.entries() {
            let program = cipher.checked.program_for(&entry).expect("the manifest's node");
            for direction in [Direction::B, Direction::V, Direction::H] {
                let in_turn =
                    |_: &&&Target| turn.next().is_some_and(|k: usize| k.is_multiple_of(one_of));
                for target in targets.iter().filter(in_turn) {
                    let options = Options::new(direction, target);
                    let on = target.name.replace('+', "_");
                    let name = format!("{}_{entry}_{direction:?}_{on}", cipher.name);
                    kernels.extend(kernel(&program, &options).map(|kernel| (name, kernel)));
                }
            }
        }
    }
    kernels
}

/// The targets whose C a build compiles without being told more, beside those for every machine.
fn own(build: &Build) -> Vec<&'static Target> {
    let guarded = isa::all().iter().copied();
    guarded
        .filter(|t| Some(t.architecture.name) == build.architecture())
        .filter(|t| t.simd && t.guard.is_none())
        .collect()
}

fn text(kernels: &[Named]) -> String {
    let named: Vec<(&str, &Kernel)> = kernels.iter().map(|(name, k)| (name.as_str(), k)).collect();
    c::kernels_file(&named)
}

/// Checks functions that take three pointers, for all of them, or, where compilers keep an address beside data in a way that
/// can't be followed so, for pointers that are far from each other: what is at them stays secret.
pub fn check(object: &[u8], names: &[&str]) -> Result<Report, Vec<Violation>> {
    let entries = |arguments: &'static [Argument]| -> Vec<Entry> {
        names.iter().map(|name| Entry { name, arguments }).collect()
    };
    let anywhere: &[Argument] = &[Public, Public, Public];
    let apart: &[Argument] = &[Number(1 << 28), Number(2 << 28), Number(3 << 28)];
    let first = check_object(object, &entries(anywhere));
    let Err(violations) = first else { return first };
    match check_object(object, &entries(apart)) {
        Ok(report) if 20 * (report.reachable - report.instructions) < report.reachable => {
            Ok(report)
        }
        _ => Err(violations),
    }
}

#[derive(Default)]
struct Tally {
    objects: BTreeMap<String, usize>,
    functions: usize,
    sum: Report,
    leaks: Vec<String>,
}

/// In how many ways each file is compiled, in turn, if not in all.
fn rounds() -> Option<usize> {
    std::env::var("NAKIRI_ROUNDS").ok().map(|n| n.parse().expect("a number"))
}

/// Checks files by builds at levels: all with all if `NAKIRI_FULL` is set, or each file in [`rounds`] of these ways; else for each
/// build one file at each of so many levels, in turn.
fn check_all(files: &[Vec<Named>], builds: &[Build], levels: usize) -> Tally {
    let some = |k: usize| (0..levels).map(move |n| LEVELS[(k + 2 * n) % LEVELS.len()]);
    let ways: Vec<(&Build, &str)> = builds
        .iter()
        .enumerate()
        .flat_map(|(k, build)| {
            let levels: Vec<&str> = if full() { LEVELS.to_vec() } else { some(k).collect() };
            levels.into_iter().map(move |level| (build, level))
        })
        .collect();
    let files: Vec<(String, Vec<&str>)> = files
        .iter()
        .map(|file| (text(file), file.iter().map(|(name, _)| name.as_str()).collect()))
        .collect();
    let count = match full() {
        true => files.len() * rounds().map_or(ways.len(), |rounds| rounds.min(ways.len())),
        false => ways.len(),
    };
    let tally = Mutex::new(Tally::default());
    let next = AtomicUsize::new(0);
    let work = || loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= count {
            break;
        }
        let (file, round) = (number % files.len(), number / files.len());
        let way = if full() { (file + round) % ways.len() } else { number };
        let ((text, names), (build, level)) = (&files[file], ways[way]);
        let object = build.object(text, level);
        let checked = object.map(|object| check(&object, names));
        let mut tally = tally.lock().unwrap();
        *tally.objects.entry(build.machine.to_string()).or_default() += 1;
        tally.functions += names.len();
        match checked {
            Ok(Ok(report)) => {
                tally.sum.instructions += report.instructions;
                tally.sum.branches += report.branches;
            }
            Ok(Err(found)) => {
                let kept = keep(text, &format!("{build}{level}"));
                tally.leaks.push(format!("{build} {level}: {kept}: {}", shown(&found)));
            }
            Err(error) => tally.leaks.push(format!("{build} {level}: {error}")),
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    tally.into_inner().unwrap()
}

/// Keeps a file of kernels that leak; gives its path.
fn keep(text: &str, name: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("leaks");
    let path = folder.join(format!("{}.c", name.replace([' ', '/'], "-")));
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    std::fs::write(&path, text).expect("the text can be kept");
    path.display().to_string()
}

fn report(tally: &Tally, what: &str) {
    let objects: Vec<String> = tally.objects.iter().map(|(m, n)| format!("{n} {m}")).collect();
    let Report { instructions, branches, .. } = tally.sum;
    println!("{what}: objects: {}", objects.join(", "));
    println!(
        "{what}: {} functions, {instructions} instructions, {branches} branches, none on data",
        tally.functions
    );
    assert!(tally.leaks.is_empty(), "{} leaks\n{}", tally.leaks.len(), tally.leaks.join("\n"));
}

fn files(kernels: Vec<Named>) -> Vec<Vec<Named>> {
    let mut files = Vec::new();
    let mut rest = kernels.into_iter().peekable();
    while rest.peek().is_some() {
        files.push(rest.by_ref().take(FILE).collect());
    }
    files
}

#[test]
fn programs_are_constant_time_on_every_machine() {
    let builds = builds::installed();
    let count = std::env::var("NAKIRI_COUNT").map(|n| n.parse().expect("a number"));
    let count = count.unwrap_or(if full() { 1000 } else { SAMPLE });
    let anywhere: Vec<_> = ANYWHERE.iter().filter_map(|name| isa::find(name)).collect();
    let tally = check_all(&files(programs(count, &anywhere)), &builds, 2);
    report(&tally, "programs");
    // Vectors, where the compiler is not told what else the machine has.
    for build in builds.iter().filter(|build| full() && !own(build).is_empty() && !build.is_x86()) {
        let tally =
            check_all(&files(programs(count / 6, &own(build))), std::slice::from_ref(build), 1);
        report(&tally, &format!("{build}, vectors"));
    }
}

#[test]
fn the_library_is_constant_time_on_every_machine() {
    let anywhere: Vec<_> = ANYWHERE.iter().filter_map(|name| isa::find(name)).collect();
    let kernels = library(&anywhere, if full() { 1 } else { 5 });
    report(&check_all(&files(kernels), &builds::installed(), 1), "library");
}

/// Rounds of AES, products and turns of SHA-256 by the instructions of Arm, where compilers have them untold.
#[test]
fn instructions_of_arm_leak_nothing() {
    let compiled = |name: &str, program: &Program, target: &str| {
        let options = Options::new(Direction::P, isa::find(target).expect("a target"));
        (name.to_string(), kernel(program, &options).expect("it is legal"))
    };
    let aes = ciphers::all().into_iter().find(|cipher| cipher.name == "aes128_bytes");
    let aes = aes.expect("the library has it");
    let mut kernels: Vec<Named> = aes
        .entries()
        .iter()
        .map(|entry| {
            let program = aes.checked.program_for(entry).expect("the manifest's node");
            compiled(&format!("aes_{entry}"), &program, "neon+aes")
        })
        .collect();
    let product = elaborate(
        "include \"clmul\"\nnode Product (a, b:u8[16]) returns (c:u8[16])\nlet\n  \
         c = clmul_low_low(a, b) ^ clmul_low_high(a, b) ^ clmul_high_high(a, b)\ntel\n",
    );
    kernels.push(compiled("product", &product.expect("a program"), "neon+aes"));
    let turns = elaborate(
        "include \"sha256\"\nnode Turns (s:u32[2][4], w:u32[3][4]) returns (t:u32[3][4])\nlet\n  \
         t[0] = sha256rnds2(s[1], s[0], w[0]);\n  \
         t[1] = sha256rnds2(s[0], t[0], (w[0][2..3], w[0][2..3]));\n  \
         t[2] = sha256msg2(sha256msg1(w[0], w[1]), w[2])\ntel\n",
    );
    kernels.push(compiled("turns", &turns.expect("a program"), "neon+sha2"));
    let builds: Vec<Build> = builds::installed()
        .into_iter()
        .filter(|build| build.architecture() == Some("aarch64") && build.program != "clang-14")
        .collect();
    let files: Vec<_> = kernels.into_iter().map(|kernel| vec![kernel]).collect();
    report(&check_all(&files, &builds, LEVELS.len()), "instructions of Arm");
}

/// The programs for which barriers were made, and what clang makes of them without.
#[test]
fn without_barriers_leaks_are_found() {
    let branch =
        "node Sel (x:u64x4) returns (y:u64x4)\nvars m:u64\nlet\n  m = Bitmask(x[2], 0);\n  \
                  y[0] = (x[0] & m) | (x[1] & ~m);\n  y[1..3] = x[1..3]\ntel\n";
    let sign = branch.replace("Bitmask(x[2], 0)", "x[2] >>! 63");
    let options = Options::new(Direction::V, isa::find("gp64").expect("a target"));
    let mut found = BTreeMap::new();
    for (name, text_of) in [("bit", branch.to_string()), ("sign", sign)] {
        let core = elaborate(&text_of).expect("a program");
        let named = vec![(name.to_string(), kernel(&core, &options).expect("it is legal"))];
        let text = text(&named);
        assert!(text.contains("NAKIRI_NO_BARRIER"), "{text}");
        for build in builds::installed() {
            for level in ["-O1", "-O2"] {
                let plain = format!("#define NAKIRI_NO_BARRIER\n{text}");
                let bare = check(&build.object(&plain, level).unwrap(), &[name]);
                let leaks = bare.err().unwrap_or_default();
                let data = |v: &&Violation| matches!(v.reason, Reason::Branch | Reason::Address);
                *found.entry(build.to_string()).or_insert(0) += leaks.iter().filter(data).count();
                let checked = check(&build.object(&text, level).unwrap(), &[name]);
                assert!(checked.is_ok(), "{build} {level}: {}", shown(&checked.unwrap_err()));
            }
        }
    }
    for (build, count) in &found {
        println!("without barriers: {build}: {count}");
    }
    for build in ["clang-19 x86-64", "clang-19 RISC-V"] {
        assert!(found.get(build).is_none_or(|count| *count > 0), "{build}: {found:?}");
    }
}
