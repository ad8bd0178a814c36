//! Kernels alone.

use super::ciphers::{self, Cipher};
use nakiri::check::{check, NoFiles};
use nakiri::compile::{compile, Kernel, Options};
use nakiri::core::Direction;
use nakiri::emit::c;
use nakiri::isa::{self, Target};
use nakiri::registers::Spill;
use nakiri::source::SourceMap;
use nakiri_verify::cc::{self, Compiler, Work};
use nakiri_verify::constant_time::{check_object, Argument::*, Entry};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

/// The size of a file, in bytes, beyond which optimizing it fully takes the compilers too long.
const LARGE: usize = 100_000;

/// The size beyond which kernels are checked only if `NAKIRI_FULL` is set: most of Serpent's under `-B`.
const GIANT: usize = 900_000;

/// A kernel with its name in C.
type Named = (String, Kernel);

/// Of so many kernels, one is checked unless `NAKIRI_FULL` is set; of a cipher without any among these, one of half as many, and so on.
const ONE_OF: usize = 8;

/// The kernels of a cipher that are legal and `wanted`, by the numbers of its node, slicing and target.
fn kernels(cipher: &Cipher, wanted: impl Fn(usize, &Target) -> bool) -> Vec<Named> {
    let name = &cipher.name;
    let mut kernels = Vec::new();
    for (n, entry) in cipher.entries().into_iter().enumerate() {
        let program = cipher.checked.program_for(&entry);
        let program = program.unwrap_or_else(|| panic!("{name}: no {entry}"));
        let directions = [Direction::B, Direction::V, Direction::H, Direction::P];
        for (d, direction) in directions.into_iter().enumerate() {
            // What is known of instructions is of this architecture's.
            let here = isa::all().iter().filter(|target| cc::is_host(target.architecture));
            let here = here.filter(|t| t.serves_in(direction, &program));
            for (_, target) in here.enumerate().filter(|(t, target)| wanted(n + d + t, target)) {
                let options = Options::new(direction, target);
                if let Ok(kernel) = compile(&program, &options, &mut |_, _| {}) {
                    let on = target.name.replace('+', "_");
                    let place = format!("{name}_{entry}_{direction:?}_{on}");
                    if target.is_assembled() {
                        let spill = Spill::Assembly;
                        let assembled = Kernel { spill, ..kernel.clone() };
                        kernels.push((format!("{place}_assembled"), assembled));
                    }
                    kernels.push((place, kernel));
                }
            }
        }
    }
    kernels
}

/// Kernels whose target has optional features, by all compilers.
#[test]
fn kernels_with_rounds_are_constant_time() {
    let cipher = ciphers::all().into_iter().find(|cipher| cipher.name == "aes128_bytes");
    let kernels = kernels(&cipher.expect("it is there"), |_, target| target.optional);
    let kernels: Vec<&Named> = kernels.iter().collect();
    assert!(kernels.len() >= 6, "{} kernels", kernels.len());
    let compilers = cc::all();
    let work: Vec<_> = compilers.iter().map(|compiler| (compiler, kernels.clone())).collect();
    let check = |(compiler, file): &(&Compiler, Vec<&Named>)| check_file(compiler, file);
    let violations: Vec<String> = in_parallel(&work, check).into_iter().flatten().collect();
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

/// One compiler a kernel in turn, and of each cipher, node and slicing other targets in turn; all of them if `NAKIRI_FULL` is set.
#[test]
fn kernels_of_the_ciphers_are_constant_time() {
    let compilers = cc::all();
    let full = std::env::var_os("NAKIRI_FULL").is_some();
    let ciphers: Vec<(usize, Cipher)> = ciphers::all().into_iter().enumerate().collect();
    let sample = |(c, cipher): &(usize, Cipher)| {
        let one_of = |count| kernels(cipher, |turn, _| full || (c + turn).is_multiple_of(count));
        let counts = std::iter::successors(Some(ONE_OF), |count| (*count > 1).then_some(count / 2));
        let own = counts.map(one_of).find(|own| !own.is_empty());
        own.unwrap_or_else(|| panic!("{} has no kernel", cipher.name))
    };
    let kernels: Vec<Named> = in_parallel(&ciphers, sample).into_iter().flatten().collect();
    println!("{} kernels", kernels.len());
    let mut work: Vec<(&Compiler, Vec<&Named>)> = Vec::new();
    for (which, compiler) in compilers.iter().enumerate() {
        let turns = kernels.iter().enumerate();
        let turns = turns.filter(|(k, _)| full || k % compilers.len() == which);
        let files = files(turns.map(|(_, kernel)| kernel), full);
        work.extend(files.into_iter().map(|file| (compiler, file)));
    }
    let check = |(compiler, file): &(&Compiler, Vec<&Named>)| check_file(compiler, file);
    let violations: Vec<String> = in_parallel(&work, check).into_iter().flatten().collect();
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

/// Does work on all cores; the results are in the order of the work.
fn in_parallel<W: Sync, R: Send>(work: &[W], run: impl Fn(&W) -> R + Sync) -> Vec<R> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(item) = work.get(number) else { break };
                let result = run(item);
                done.lock().unwrap().push((number, result));
            });
        }
    });
    let mut done = done.into_inner().unwrap();
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Calls between the functions of a kernel, with arguments in registers and in arrays, and several batches at once.
#[test]
fn choices_keep_kernels_constant_time() {
    for (name, configuration) in [
        ("des", "B avx512 unroll=always inline=small schedule=pressure"),
        ("des", "B gp64 unroll=never inline=small interleave=2"),
        ("chacha20", "V avx2 interleave=2:3 schedule=latency"),
    ] {
        let program = Cipher::new(name).checked.program;
        let options: Options = configuration.parse().expect("a configuration");
        let kernel = compile(&program, &options, &mut |_, _| {}).expect("it is legal");
        let calls = kernel.program.funcs.len() > 1;
        assert_eq!(calls, configuration.contains("inline=small"), "{configuration}");
        let named = ("kernel".to_string(), kernel);
        for compiler in cc::all() {
            let found = check_file(&compiler, &[&named]);
            assert!(found.is_empty(), "{configuration}: {}", found.join("\n"));
        }
    }
}

/// Ladders over a secret scalar, with elements of fields: swaps by masks, carries, a last subtraction, sparse and carry-less products.
#[test]
fn elements_of_fields_are_constant_time() {
    let prime = include_str!("../../../../tests/fields/x25519.ua");
    let binary = include_str!("../../../../tests/fields/k163.ua");
    for (text, choices) in
        [(prime, "V gp64"), (prime, "V avx2"), (binary, "V gp64"), (binary, "V avx2+vaes")]
    {
        let mut sources = SourceMap::default();
        let file = sources.add("ladder.ua", text);
        let (checked, _) = check(&mut sources, file, &mut NoFiles, &Default::default());
        let program = checked.expect("a program").program;
        let options = format!("{choices} unroll=never inline=small schedule=source");
        let options: Options = options.parse().expect("choices");
        let kernel = compile(&program, &options, &mut |_, _| {}).expect("it is legal");
        let named = ("ladder".to_string(), kernel);
        for compiler in cc::all() {
            let found = check_file(&compiler, &[&named]);
            assert!(found.is_empty(), "{choices}: {}", found.join("\n"));
        }
    }
}

/// Kernels by the files in which they are compiled: several together as long as compilers optimize them fully.
fn files<'k>(kernels: impl Iterator<Item = &'k Named>, full: bool) -> Vec<Vec<&'k Named>> {
    let (mut files, mut room) = (Vec::<Vec<&Named>>::new(), 0);
    for named in kernels {
        let (name, kernel) = named;
        let size = c::kernels_file(&[(name, kernel)]).len();
        if size > GIANT && !full {
            println!("only with NAKIRI_FULL: {name}, {size} bytes of C");
            continue;
        }
        match files.last_mut() {
            Some(file) if size <= room => file.push(named),
            _ => {
                files.push(vec![named]);
                room = LARGE;
            }
        }
        room = room.saturating_sub(size);
    }
    files
}

fn check_file(compiler: &Compiler, kernels: &[&Named]) -> Vec<String> {
    let work = Work::new().unwrap();
    let named: Vec<(&str, &Kernel)> = kernels.iter().map(|(name, k)| (name.as_str(), k)).collect();
    let text = c::kernels_file(&named);
    let level = if text.len() > LARGE { "-O1" } else { "-O2" };
    let question = super::question().and(&text).and_compiled(compiler, &[level]);
    if question.is_known() {
        return Vec::new();
    }
    let source = work.write("kernels.c", text.as_bytes()).unwrap();
    compiler.compile(&[&source], &[level, "-c"], &work.path("kernels.o")).unwrap();
    let object = work.read("kernels.o").unwrap();
    let entry = |&(name, _)| Entry { name, arguments: &[Public; 3] };
    let entries: Vec<Entry> = named.iter().map(entry).collect();
    let violations = check_object(&object, &entries).err().unwrap_or_default();
    if violations.is_empty() {
        question.remember();
    }
    violations.iter().take(5).map(|v| format!("{}: {v}", compiler.program)).collect()
}
