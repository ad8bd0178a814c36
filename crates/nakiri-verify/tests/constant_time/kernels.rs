//! Kernels alone.

use super::ciphers::{self, Cipher};
use nakiri::compile::{compile, Kernel, Options};
use nakiri::core::Direction;
use nakiri::emit::c;
use nakiri::target;
use nakiri_verify::cc::{self, Compiler, Work};
use nakiri_verify::constant_time::{check_object, Argument::*, Entry};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

/// The size of a file, in bytes, beyond which optimizing it fully takes the compilers too long.
const LARGE: usize = 100_000;

/// The size beyond which kernels are checked only if `NAKIRI_FULL` is set: most of Serpent's under `-B`.
const GIANT: usize = 900_000;

/// Every kernel of a cipher that is legal, with its name in C.
fn kernels(cipher: &Cipher) -> Vec<(String, Kernel)> {
    let name = &cipher.name;
    let mut kernels = Vec::new();
    for entry in cipher.entries() {
        let program = cipher.checked.program_for(&entry);
        let program = program.unwrap_or_else(|| panic!("{name}: no {entry}"));
        for direction in [Direction::B, Direction::V, Direction::H] {
            // What is known of instructions is of this architecture's.
            for target in target::all().iter().filter(|target| cc::is_host(target.architecture)) {
                let options = Options::new(direction, target);
                if let Ok(kernel) = compile(&program, &options, &mut |_, _| {}) {
                    let on = target.name.replace('+', "_");
                    let place = format!("{name}_{entry}_{direction:?}_{on}");
                    kernels.push((place, kernel));
                }
            }
        }
    }
    assert!(!kernels.is_empty(), "{name} has no kernel");
    kernels
}

/// One compiler a kernel in turn; all of them if `NAKIRI_FULL` is set.
#[test]
fn kernels_of_the_ciphers_are_constant_time() {
    let compilers = cc::all();
    let kernels: Vec<_> = ciphers::all().iter().flat_map(kernels).collect();
    println!("{} kernels", kernels.len());
    let full = std::env::var_os("NAKIRI_FULL").is_some();
    let next = AtomicUsize::new(0);
    let violations = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some((name, kernel)) = kernels.get(number) else { break };
                let both = 0..compilers.len();
                let one = number % compilers.len();
                for which in both.filter(|which| full || *which == one) {
                    let found = check_kernel(&compilers[which], name, kernel, full);
                    violations.lock().unwrap().extend(found);
                }
            });
        }
    });
    let violations = violations.into_inner().unwrap();
    assert!(violations.is_empty(), "{}", violations.join("\n"));
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
        for compiler in cc::all() {
            let found = check_kernel(&compiler, "kernel", &kernel, true);
            assert!(found.is_empty(), "{configuration}: {}", found.join("\n"));
        }
    }
}

fn check_kernel(compiler: &Compiler, name: &str, kernel: &Kernel, full: bool) -> Vec<String> {
    let work = Work::new().unwrap();
    let text = c::kernels_file(&[(name, kernel)]);
    if text.len() > GIANT && !full {
        println!("only with NAKIRI_FULL: {name}, {} bytes of C", text.len());
        return Vec::new();
    }
    let level = if text.len() > LARGE { "-O1" } else { "-O2" };
    let source = work.write("kernel.c", text.as_bytes()).unwrap();
    compiler.compile(&[&source], &[level, "-c"], &work.path("kernel.o")).unwrap();
    let object = work.read("kernel.o").unwrap();
    let entry = Entry { name, arguments: &[Public; 3] };
    let violations = check_object(&object, &[entry]).err().unwrap_or_default();
    violations.iter().take(5).map(|v| format!("{}: {v}", compiler.program)).collect()
}
