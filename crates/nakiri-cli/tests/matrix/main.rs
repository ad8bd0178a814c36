//! The matrix: every cipher × node × slicing × target gives the published vectors, by the interpreter on the kernel's
//! core, and by its C; and every cipher's library does, through its functions on bytes.
//!
//! A sample: of each row other targets than of the next. The interpreter has a third of the cells of this CPU's architecture; the C
//! compilers take turns, and have fewer, those of other architectures, which a cross compiler compiles and an emulator runs, too. With
//! `NAKIRI_FULL=1` the interpreter has all cells, and each compiler compiles every one. Targets with optional features are for the ciphers that gain by them.
//!
//! Cells: `✓` every engine agreed; a number in brackets why the combination is not legal, or why it was not run; `·` legal, but
//! not in the sample, nor wrong by the interpreter; anything else is a failure. Folders may be named as arguments;
//! `--target=neon,rvv` computes all cells of these targets and no others; `--require` (and CI=true) make a missing compiler or
//! emulator a failure.

mod cases;
mod kernels;
mod libraries;
mod table;

use nakiri::isa::{self, Target};
use nakiri_verify::cc::{self, Compiler};
use nakiri_verify::{exec, Error};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, OnceLock};
use table::{Table, Totals};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::env::set_current_dir(&root).expect("the repository's root is there");
    let mut folders: Vec<PathBuf> =
        args.iter().filter(|a| !a.starts_with('-')).map(PathBuf::from).collect();
    if folders.is_empty() {
        let entries = std::fs::read_dir("ciphers").expect("the folder of the ciphers is there");
        folders = entries.map(|entry| entry.expect("an entry").path()).collect();
        folders.sort();
    }
    if let Some(names) = args.iter().find_map(|arg| arg.strip_prefix("--target=")) {
        let named = |name| isa::find(name).unwrap_or_else(|| panic!("no target {name}"));
        ONLY.set(names.split(',').map(named).collect()).expect("set once");
    }
    let require =
        args.iter().any(|a| a == "--require") || std::env::var("CI").is_ok_and(|v| v == "true");
    let compilers = cc::all();
    let names: Vec<&str> = compilers.iter().map(|c| c.program.as_str()).collect();
    println!("engines: interpreter, {}", names.join(", "));
    let mut totals = Totals::default();
    if compilers.len() < 2 {
        println!("not run: one of gcc and clang is missing here");
        totals.failed += u32::from(require);
    }
    for target in isa::all().iter().filter(|target| exec::runnable(target).is_err()) {
        match exec::emulated(target) {
            Ok(emulator) => println!("{}: {}", target.name, emulator.program),
            Err(lack) => {
                println!("{}: {lack}", target.name);
                totals.failed += u32::from(require && !matches!(lack, Error::NotRunnable { .. }));
            }
        }
    }
    let folders: Vec<_> = folders.iter().enumerate().collect();
    // One cipher's last cells leave cores to the next one's first.
    let tables = parallel(&folders, |(turn, folder)| {
        let start = std::time::Instant::now();
        let case = cases::Case::load(folder, *turn)?;
        let mut table = Table::default();
        kernels::rows(&case, &compilers, &mut table);
        libraries::rows(&case, &compilers, &mut table);
        let seconds = start.elapsed().as_secs_f64();
        println!("{} {seconds:.0} s", folder.display());
        Ok::<_, String>(table)
    });
    for ((_, folder), table) in folders.iter().zip(tables) {
        println!("\n{}", folder.display());
        match table {
            Ok(table) => {
                print!("{table}");
                totals.add(&table);
            }
            Err(message) => {
                println!("  FAILED {message}");
                totals.failed += 1;
            }
        }
    }
    println!("\n{totals}");
    ExitCode::from(u8::from(totals.failed > 0))
}

/// The compilers for a target: `here` if it is of this CPU's architecture.
fn compilers_for(target: &Target, here: &[Compiler]) -> Result<Vec<Compiler>, Error> {
    match cc::is_host(target.architecture) {
        true => Ok(here.iter().map(|compiler| compiler.clone().told(target)).collect()),
        false => cc::all_for(target),
    }
}

/// The targets whose cells are computed, if some are named.
static ONLY: OnceLock<Vec<&'static Target>> = OnceLock::new();

/// Of how many cells one is compiled: an odd number, so that a target has compilers in turn.
const ONE_OF: usize = 15;
/// The same of `gp32` and `neon`, which alone are of their architectures.
const ONE_OF_ARM: usize = 9;
/// Of how many cells the interpreter has one.
const ONE_OF_INTERPRETED: usize = 3;

/// Whether a cell of a row is compiled: for one target of [`ONE_OF`], others in each row; for those that emulators run only where the
/// row is `chosen`.
fn is_sampled(target: &Target, turn: usize, chosen: bool) -> bool {
    if let Some(only) = ONLY.get() {
        return only.iter().any(|one| one.name == target.name);
    }
    let one_of = if ["gp32", "neon"].contains(&target.name) { ONE_OF_ARM } else { ONE_OF };
    let in_turn = is_in_turn(target, turn, one_of);
    is_full() || in_turn && (chosen || cc::is_host(target.architecture))
}

/// Whether the interpreter has a cell of a row though compilers have not.
fn is_interpreted(target: &Target, turn: usize) -> bool {
    let in_turn = is_full() || is_in_turn(target, turn, ONE_OF_INTERPRETED);
    ONLY.get().is_none() && cc::is_host(target.architecture) && in_turn
}

/// Whether one row of so many has a target in this turn.
fn is_in_turn(target: &Target, turn: usize, one_of: usize) -> bool {
    let place = isa::all().iter().position(|t| t.name == target.name).expect("it is among all");
    (turn + place).is_multiple_of(one_of)
}

/// Whether every cell is computed by every compiler.
fn is_full() -> bool {
    std::env::var_os("NAKIRI_FULL").is_some()
}

/// Does work on all cores; the results are in the order of the work.
fn parallel<W: Sync, R: Send>(work: &[W], run: impl Fn(&W) -> R + Sync) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let next = Mutex::new(0..work.len());
    let done: Mutex<Vec<(usize, R)>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| loop {
                let Some(i) = next.lock().expect("no thread panics").next() else { break };
                let result = run(&work[i]);
                done.lock().expect("no thread panics").push((i, result));
            });
        }
    });
    let mut done = done.into_inner().expect("no thread panics");
    done.sort_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, result)| result).collect()
}
