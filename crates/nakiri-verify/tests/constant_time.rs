//! The object-code check: it refuses what leaks, and accepts what doesn't, as gcc and clang compile it.

use nakiri::check;
use nakiri::compile::{compile, Kernel, Options};
use nakiri::core::Direction;
use nakiri::emit::c;
use nakiri::source::SourceMap;
use nakiri::target;
use nakiri_verify::cc::{self, Compiler, Work};
use nakiri_verify::constant_time::{check_object, Argument::*, Entry, Reason};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

const LEAKY: &str = r#"
#include <stdint.h>
extern void other(void);
int branch(const uint32_t *x, uint32_t *y) { if (x[0] & 1) { other(); y[0] = 1; } return 0; }
uint8_t lookup(const uint8_t *x, const uint8_t *table) { return table[x[0]]; }
void scatter(const uint8_t *x, uint8_t *y) { y[x[0]] = 1; }
uint32_t divide(const uint32_t *x, uint32_t *y) { return y[0] / x[0]; }
uint32_t until(const uint32_t *x, uint32_t *y) { uint32_t n = 0; for (uint32_t i = 0; i < x[0]; i++) n += y[i] ^ n << 1; return n; }
uint32_t argument(const uint32_t *x, uint32_t *y, uint32_t secret) { return secret > 5 ? x[secret] : y[0]; }
uint32_t jump(uint32_t (*const *x)(void), uint32_t *y) { (void)y; return x[0]() + 1; }
void spilled(const uint8_t *x, uint8_t *y) { volatile uint8_t kept = x[0]; uint8_t z = kept; y[z] = 3; }
static __attribute__((noinline)) void inner(uint8_t *y, uint32_t i) { y[i] = 7; }
void callee(const uint8_t *x, uint8_t *y) { inner(y, 1); inner(y, x[0]); }
void overwritten(const uint8_t *x, uint8_t *y, uint64_t n) {
    volatile uint64_t t[300];
    t[7] = n;
    for (volatile uint64_t *p = t; p != t + 300; p++) *p = x[0];
    y[t[7]] = 1;
}
"#;

const FINE: &str = r#"
#include <stdint.h>
#include <stddef.h>
#include <string.h>
void mask(const uint32_t *x, uint32_t *y) { uint32_t m = 0u - (x[0] & 1); y[0] = ((y[0] + x[2]) & m) ^ (x[1] + x[3]); }
void loop(const uint64_t *x, uint64_t *y, size_t n) { for (size_t i = 0; i < n; i++) y[i] ^= x[i] * 3 + (x[i] >> 7); }
void rounds(const uint32_t *x, uint32_t *y) {
    uint32_t s[4];
    memcpy(s, x, sizeof s);
    for (int r = 0; r < 25; r++) { uint32_t t = s[0]; s[0] = s[1] ^ (t << 3 | t >> 29); s[1] = s[2] + t; s[2] = s[3]; s[3] = t; }
    memcpy(y, s, sizeof s);
}
static const uint8_t constants[16] = { 1, 2, 4, 8, 16, 32, 64, 128, 27, 54, 108, 216, 171, 77, 154, 47 };
void schedule(const uint8_t *x, uint8_t *y) { for (int i = 0; i < 16; i++) y[i] = x[i] ^ constants[(5 * i) % 16]; }
static __attribute__((noinline)) void inner(const uint64_t *x, uint64_t *y) { for (int i = 0; i < 8; i++) y[i] = x[i] ^ x[7 - i]; }
void callee(const uint64_t *x, uint64_t *y) { uint64_t t[8]; inner(x, t); inner(t, y); }
void publicly(const uint32_t *x, uint32_t *y, size_t n) { y[0] = x[n / 3]; if (n & 1) y[1] = x[1]; }
void copied(const uint64_t *x, uint64_t *y, size_t n) {
    uint64_t t[300], u[300] = { 0 };
    for (size_t r = 0; r < n; r++) { memcpy(t, x, sizeof t); for (int i = 0; i < 300; i++) u[i] ^= t[299 - i]; }
    memcpy(y, u, sizeof u);
}
void walk(const uint64_t *x, uint64_t *y, size_t n) {
    struct { volatile size_t kept; volatile uint64_t t[300]; } s;
    s.kept = n;
    for (volatile uint64_t *p = s.t; p != s.t + 300; p++) {
        __asm__("" : "+r"(p)); /* a pointer, not an index */
        *p = x[0];
    }
    for (size_t i = 0; i < s.kept; i++) y[i] = s.t[7] + i;
}
void select(const uint32_t *x, uint32_t *y) { y[0] = x[0] < x[1] ? 0xffffffffu : 0; }
__attribute__((target("avx2"))) void wide(const uint64_t *x, uint64_t *y, size_t n) {
    uint64_t t[32];
    for (size_t i = 0; i < 32; i++) t[i] = x[i] << 1;
    for (size_t r = 0; r < n; r++) for (size_t i = 0; i < 32; i++) y[i] += t[31 - i] ^ t[i];
}
"#;

/// The names of the functions that a text defines and exports.
fn functions(text: &str) -> Vec<&str> {
    let exported = |line: &&str| !line.starts_with("static") && !line.starts_with("extern");
    let lines = text.lines().filter(exported).filter(|line| line.contains(") {"));
    let lines = lines.filter(|line| !line.starts_with(' '));
    let lines = lines.map(|line| line.split_once("))) ").map_or(line, |(_, after)| after));
    lines.filter_map(|line| line.split_once('(')?.0.split(' ').next_back()).collect()
}

fn compiled(text: &str, each: impl Fn(&[u8], &str)) {
    let compilers = cc::all();
    assert!(!compilers.is_empty(), "no C compiler");
    for compiler in compilers {
        for level in ["-O1", "-O2", "-O3"] {
            let work = Work::new().unwrap();
            let source = work.write("x.c", text.as_bytes()).unwrap();
            compiler.compile(&[&source], &[level, "-c"], &work.path("x.o")).unwrap();
            each(&work.read("x.o").unwrap(), &format!("{} {level}", compiler.program));
        }
    }
}

const ARGUMENTS: &[nakiri_verify::constant_time::Argument] = &[Public, Public, Public];

#[test]
fn leaks_are_refused() {
    let names = functions(LEAKY);
    assert_eq!(names.len(), 10, "{names:?}");
    compiled(LEAKY, |object, how| {
        for name in &names {
            let arguments = if *name == "argument" { &ARGUMENTS[..2] } else { ARGUMENTS };
            let checked = check_object(object, &[Entry { name, arguments }]);
            let violations = checked.expect_err(&format!("{name} was accepted, {how}"));
            let expected = |reason: &Reason| match *name {
                "branch" | "until" => matches!(reason, Reason::Branch),
                "divide" => matches!(reason, Reason::Duration),
                "jump" => matches!(reason, Reason::Indirect),
                "argument" => matches!(reason, Reason::Branch | Reason::Address),
                _ => matches!(reason, Reason::Address),
            };
            assert!(
                violations.iter().any(|v| expected(&v.reason)),
                "{name}, {how}: {violations:?}"
            );
        }
    });
}

#[test]
fn constant_time_code_is_accepted() {
    let names = functions(FINE);
    assert_eq!(names.len(), 10, "{names:?}");
    compiled(FINE, |object, how| {
        for name in &names {
            let checked = check_object(object, &[Entry { name, arguments: ARGUMENTS }]);
            let text = checked
                .as_ref()
                .map_err(|all| all.iter().map(|v| v.to_string()).collect::<Vec<_>>().join("\n"));
            assert!(text.is_ok(), "{how}:\n{}", text.unwrap_err());
        }
    });
}

#[test]
fn what_cannot_be_read_is_refused() {
    assert!(check_object(b"no object", &[]).is_err());
    compiled("int f(void); int f(void) { return 1; }\n", |object, _| {
        assert!(check_object(object, &[Entry { name: "g", arguments: &[] }]).is_err());
        assert!(check_object(object, &[Entry { name: "f", arguments: &[] }]).is_ok());
    });
}

/// The size of a file, in bytes, beyond which optimizing it fully takes the compilers too long.
const LARGE: usize = 100_000;

/// The size beyond which kernels are checked only if `NAKIRI_FULL` is set: most of Serpent's under `-B`.
const GIANT: usize = 900_000;

struct NoFiles;

impl check::Loader for NoFiles {
    fn load(&mut self, path: &str, _: &str) -> Result<(String, String), String> {
        Err(format!("no {path}"))
    }
}

/// The entries that a manifest names.
fn entries(manifest: &str) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    for key in ["encrypt", "decrypt", "schedule", "keystream", "permute", "step", "node"] {
        for (_, after) in manifest
            .match_indices(&format!("{key} = \""))
            .map(|(i, key)| manifest.split_at(i + key.len()))
        {
            entries.extend(after.split('"').next().map(str::to_string));
        }
    }
    entries.sort();
    entries.dedup();
    entries
}

/// A cipher's checked source, and the entries that its manifest names.
fn cipher(folder: &Path) -> (check::Checked, Vec<String>) {
    let name = folder.file_name().unwrap().to_string_lossy().into_owned();
    let source = std::fs::read_to_string(folder.join(format!("{name}.ua"))).unwrap();
    let manifest = std::fs::read_to_string(folder.join("cipher.toml")).unwrap();
    let mut sources = SourceMap::default();
    let root = sources.add(name.as_str(), source);
    let (checked, _) = check::check(&mut sources, root, &mut NoFiles, &check::Options::default());
    (checked.expect("the cipher is legal"), entries(&manifest))
}

/// Every kernel of a cipher that is legal, with its name in C.
fn kernels(folder: &Path) -> Vec<(String, Kernel)> {
    let name = folder.file_name().unwrap().to_string_lossy().into_owned();
    let (checked, entries) = cipher(folder);
    let mut kernels = Vec::new();
    for entry in entries {
        let program = checked.program_for(&entry).unwrap_or_else(|| panic!("{name}: no {entry}"));
        for direction in [Direction::B, Direction::V, Direction::H] {
            for target in target::all() {
                let options = Options::new(direction, target);
                if let Ok(kernel) = compile(&program, &options, &mut |_, _| {}) {
                    let place = format!("{name}_{entry}_{direction:?}_{}", target.name);
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
    let ciphers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ciphers");
    let mut folders: Vec<_> =
        std::fs::read_dir(ciphers).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    let compilers = cc::all();
    let kernels: Vec<_> = folders
        .iter()
        .filter(|folder| folder.join("cipher.toml").exists())
        .flat_map(|folder| kernels(folder))
        .collect();
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
    let ciphers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ciphers");
    for (name, configuration) in [
        ("des", "B avx512 unroll=always inline=small schedule=pressure"),
        ("des", "B gp64 unroll=never inline=small interleave=2"),
        ("chacha20", "V avx2 interleave=2:3 schedule=latency"),
    ] {
        let (checked, _) = cipher(&ciphers.join(name));
        let options: Options = configuration.parse().expect("a configuration");
        let kernel = compile(&checked.program, &options, &mut |_, _| {}).expect("it is legal");
        let calls = kernel.program.funcs.len() > 1;
        assert_eq!(calls, configuration.contains("inline=small"), "{configuration}");
        for compiler in cc::all() {
            let found = check_kernel(&compiler, "kernel", &kernel, true);
            assert!(found.is_empty(), "{configuration}: {}", found.join("\n"));
        }
    }
}

/// Counter mode: counters, kernel, transposition and the last bytes, with secret texts, keys and counters.
#[test]
fn modes_of_the_ciphers_are_constant_time() {
    let ciphers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ciphers");
    let whole = |bytes| c::Counter { offset: 0, bytes, big_endian: true };
    let word = c::Counter { offset: 0, bytes: 4, big_endian: false };
    for (name, configuration, key, counter) in [
        ("chacha20", "V gp64", 32, word),
        ("chacha20", "V avx512 interleave=2:3", 32, word),
        ("aes128", "H avx512", 176, whole(16)),
        ("aes128", "H ssse3", 176, whole(16)),
    ] {
        let (checked, _) = cipher(&ciphers.join(name));
        let options: Options = configuration.parse().expect("a configuration");
        let kernel = compile(&checked.program, &options, &mut |_, _| {}).expect("it is legal");
        let functions = vec![c::Function { name: "block".to_string(), variants: vec![kernel] }];
        let library = keystream(functions, Some((key, counter)));
        let files = c::library(&library).expect("a library");
        for compiler in cc::all() {
            let work = Work::new().unwrap();
            work.write("x.h", files.h.as_bytes()).unwrap();
            let source = work.write("x.c", files.c.as_bytes()).unwrap();
            compiler.compile(&[&source], &["-O2", "-c"], &work.path("x.o")).unwrap();
            let entry = Entry { name: "x_ctr_xor", arguments: &[Public; 5] };
            let found =
                check_object(&work.read("x.o").unwrap(), &[entry]).err().unwrap_or_default();
            let found: Vec<String> = found.iter().take(5).map(|v| v.to_string()).collect();
            assert!(found.is_empty(), "{name} {configuration} {}: {found:#?}", compiler.program);
        }
    }
}

/// A tick of a step function with the transpositions around it, of Trivium in every lane. Which bank is read, and which
/// variant runs, is for the function around it, which reads both from the state as the last tick left them.
#[test]
fn ticks_take_constant_time() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ciphers/trivium/trivium.ua");
    let mut sources = SourceMap::default();
    let root = sources.add("trivium.ua", std::fs::read_to_string(path).expect("it is there"));
    let (checked, _) = check::check(&mut sources, root, &mut NoFiles, &check::Options::default());
    let program = checked.expect("it is well formed").program_for("Trivium8").expect("a node");
    for name in ["gp64", "avx2"] {
        let options = Options::new(Direction::B, target::find(name).expect("a target"));
        let kernel = compile(&program, &options, &mut |_, _| {}).expect("it is legal");
        let functions = vec![c::Function { name: "step".to_string(), variants: vec![kernel] }];
        let files = c::library(&keystream(functions, None)).expect("a library");
        for compiler in cc::all() {
            let work = Work::new().unwrap();
            work.write("x.h", files.h.as_bytes()).unwrap();
            let source = work.write("x.c", files.c.as_bytes()).unwrap();
            compiler.compile(&[&source], &["-O2", "-c"], &work.path("x.o")).unwrap();
            let tick = format!("x_{name}_b1_step");
            let entry = Entry { name: &tick, arguments: &[Public; 6] };
            let report = check_object(&work.read("x.o").unwrap(), &[entry]);
            let report = report.unwrap_or_else(|found| panic!("{name}: {:#?}", found.first()));
            assert!(report.instructions > 500, "{report:?}");
        }
    }
}

/// A library of one function with a key that is used as it is.
fn keystream(functions: Vec<c::Function>, key: Option<(usize, c::Counter)>) -> c::Library {
    let instance = c::Instance {
        prefix: "x".to_string(),
        key: key.map(|(bytes, _)| c::Key { bytes, schedule: None }),
        functions,
        ecb: false,
        counter: key.map(|(_, counter)| counter),
        vectors: vec![],
        counter_vectors: vec![],
        tick_vectors: vec![],
    };
    c::Library {
        name: "x".to_string(),
        title: "x".to_string(),
        specification: "x".to_string(),
        command_line: String::new(),
        version: String::new(),
        source_hash: String::new(),
        evidence: vec![],
        instances: vec![instance],
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
    let entry = Entry { name, arguments: ARGUMENTS };
    let violations = check_object(&object, &[entry]).err().unwrap_or_default();
    violations.iter().take(5).map(|v| format!("{}: {v}", compiler.program)).collect()
}
