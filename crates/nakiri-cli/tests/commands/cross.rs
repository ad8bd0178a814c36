//! Targets of other architectures: by a cross compiler and an emulator, and what is said where there is none.

use super::{nakiri, nakiri_with, Done, Folder, ADD};
use nakiri::isa;
use nakiri_verify::cc::{self, Compiler};
use nakiri_verify::exec;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// The cross compiler for a target, if its programs can be run here.
fn compiler(name: &str) -> Option<Compiler> {
    let target = isa::find(name).expect("a target");
    match exec::emulated(target).and_then(|_| Compiler::for_target(target)) {
        Ok(compiler) => Some(compiler),
        Err(error) => {
            eprintln!("{name}: {error}");
            None
        }
    }
}

#[test]
fn an_emulator_runs_them() {
    let folder = Folder::new("cross");
    let file = folder.write("add.ua", ADD);
    let list = r#"[{"x": 1, "k": "0xffffffff"}, {"k": 2, "x": 3}]"#;
    for name in ["neon", "gp32", "neon+sha3", "sve2-512", "rvv", "altivec", "wasm-simd128"] {
        let Some(compiler) = compiler(name) else { continue };
        for more in [&[][..], &["--cc", &compiler.program]] {
            let args = ["run", &file, "--target", name, "--engine", "c", "--in", "-"];
            let done = nakiri_with(&[&args, more].concat(), list);
            assert_eq!(done.out, "[\n  {\"y\": 0},\n  {\"y\": 40}\n]\n", "{}", done.err);
        }
        let emulator = isa::find(name).expect("a target").architecture.emulator.program;
        let targets = nakiri(&["targets"]).out;
        let line = targets.lines().find(|line| line.starts_with(name)).expect("a line");
        assert!(line.contains(emulator), "{line}");
    }
    for compiler in big_endian() {
        let args = ["run", &file, "--target", "gp64", "--engine", "c", "--in", "-", "--cc"];
        let done = nakiri_with(&[&args[..], &[&compiler.program]].concat(), list);
        assert_eq!(done.out, "[\n  {\"y\": 0},\n  {\"y\": 40}\n]\n", "{}", done.err);
    }
}

/// The compilers for machines whose words begin with their most significant bytes, as far as their programs can be run here.
fn big_endian() -> Vec<Compiler> {
    let gp64 = isa::find("gp64").expect("a target");
    let found = isa::BIG_ENDIAN.iter().map(|architecture| {
        let compiler = Compiler::cross(architecture)?;
        exec::runs(gp64, &compiler).map(|()| compiler)
    });
    found.filter_map(|found| found.map_err(|error| eprintln!("{error}")).ok()).collect()
}

/// Compiles a library and a `main` that calls each of its self tests, and runs it.
fn self_tests(folder: &Folder, name: &str, compiler: &Compiler, flags: &[&str]) {
    let header = std::fs::read_to_string(folder.path(&format!("{name}.h"))).expect("a header");
    let declared = header
        .lines()
        .filter_map(|line| line.strip_prefix("int ")?.strip_suffix("_self_test(void);"));
    let calls: Vec<String> = declared.map(|prefix| format!("{prefix}_self_test()")).collect();
    assert!(!calls.is_empty(), "{header}");
    let main = format!(
        "#include \"{name}.h\"\nint main(void)\n{{\n    return {};\n}}\n",
        calls.join(" || ")
    );
    let sources = [folder.write("main.c", main), folder.path(&format!("{name}.c"))];
    let program = folder.0.join("program");
    let flags = [flags, exec::linking(compiler)].concat();
    let compiled = compiler.compile(&sources.each_ref().map(Path::new), &flags, &program);
    compiled.unwrap_or_else(|error| panic!("{error}"));
    let done = exec::command(compiler, &program).expect("it can run").output().expect("it runs");
    assert!(done.status.success(), "{name} {compiler:?}: {}", done.status);
}

/// Every vector, in every slicing of general-purpose registers that is legal, on one machine in turn; on all with
/// `NAKIRI_FULL=1`.
#[test]
fn big_endian_machines_give_the_vectors() {
    let full = std::env::var_os("NAKIRI_FULL").is_some();
    let names: Vec<String> = match full {
        true => {
            let ciphers = std::fs::read_dir("../../ciphers").expect("the ciphers").flatten();
            ciphers.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
        }
        false => ["rectangle", "chacha20", "counter4"].map(str::to_string).to_vec(),
    };
    let compilers = big_endian();
    let mut turn = 0;
    for name in names {
        let folder = Folder::new(&format!("big-endian-{name}"));
        let (source, out) = (format!("ciphers/{name}"), folder.0.display().to_string());
        let mut built = 0;
        for targets in ["gp64:V,gp32:V", "gp64:H,gp32:H", "gp64:B,gp32:B"] {
            for more in [&["--multikey"][..], &[]] {
                let args = ["build", &source, "--target", targets, "-o", &out];
                if nakiri(&[&args, more].concat()).code != 0 {
                    continue;
                }
                built += 1;
                turn += 1;
                let count = if full { compilers.len() } else { 1 };
                for compiler in compilers.iter().cycle().skip(turn).take(count) {
                    self_tests(&folder, &name, compiler, &["-O0"]);
                }
                break;
            }
        }
        assert!(built > 0, "{name}");
    }
}

/// What is made for the other order of bytes has no place there.
#[test]
fn vectors_refuse_big_endian_machines() {
    let folder = Folder::new("big-endian-vectors");
    let out = folder.0.display().to_string();
    let targets = "altivec,neon,rvv,sve2-256";
    let done = nakiri(&["build", "ciphers/rectangle", "--target", targets, "-V", "-o", &out]);
    assert_eq!(done.code, 0, "{}", done.err);
    for compiler in big_endian() {
        let object = folder.0.join("rectangle.o");
        let refused = compiler.compile(&[&folder.0.join("rectangle.c")], &["-c"], &object);
        let message = refused.expect_err("there is no variant").to_string();
        assert!(message.contains("begin with their least significant bytes"), "{message}");
    }
}

/// Small stacks are enough for the key schedules and self tests of what is chosen, by one compiler in turn; by all with
/// `NAKIRI_FULL=1`.
#[test]
fn a_thread_of_64_kib_is_enough() {
    let sample = [("rectangle", "gp64,avx2"), ("chacha20", "gp64,avx512"), ("ascon", "gp64,avx2")];
    let (full, compilers) = (std::env::var_os("NAKIRI_FULL").is_some(), cc::all());
    let named: Vec<(String, String)> = match full {
        true => {
            let ciphers = std::fs::read_dir("../../ciphers").expect("the ciphers").flatten();
            let names = ciphers.map(|entry| entry.file_name().to_string_lossy().into_owned());
            names.map(|name| (name, "gp64,avx2,avx512".to_string())).collect()
        }
        false => sample.map(|(name, targets)| (name.to_string(), targets.to_string())).to_vec(),
    };
    for (turn, (name, targets)) in named.into_iter().enumerate() {
        let folder = Folder::new(&format!("stack-{name}"));
        let (source, out) = (format!("ciphers/{name}"), folder.0.display().to_string());
        let done = nakiri(&["build", &source, "--target", &targets, "-o", &out]);
        assert_eq!(done.code, 0, "{}", done.err);
        let begin = folder.write("begin.h", THREAD);
        let count = if full { compilers.len() } else { 1 };
        for compiler in compilers.iter().cycle().skip(turn).take(count) {
            self_tests(
                &folder,
                &name,
                compiler,
                &["-O2", "-D_GNU_SOURCE", "-pthread", "-include", &begin],
            );
        }
    }
}

/// Runs what was `main` in a thread whose stack has 64 KiB, behind a page that nothing may touch.
const THREAD: &str = "\
#ifndef BEGIN
#define BEGIN
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
int inner_main(void);
static void *start(void *unused)
{
    return (void)unused, (void *)(intptr_t)inner_main();
}
__attribute__((weak)) int main(void)
{
    const size_t page = 4096, size = 64 * 1024;
    char *at = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_attr_t how;
    pthread_t thread;
    void *result;
    if (at == MAP_FAILED || mprotect(at, page, PROT_NONE) || pthread_attr_init(&how)
        || pthread_attr_setstack(&how, at + page, size) || pthread_create(&thread, &how, start, NULL)
        || pthread_join(thread, &result))
        return 2;
    return (int)(intptr_t)result;
}
#define main inner_main
#endif
";

/// Runs `nakiri run` for a target where there are no programs but those of a folder.
fn run_with_path(path: &Folder, file: &str, target: &str) -> Done {
    let input = path.write("in.json", r#"{"x": 1, "k": 1}"#);
    let done = Command::new(env!("CARGO_BIN_EXE_nakiri"))
        .env("NAKIRI_CIRCUITS", "off")
        .args(["run", file, "--target", target, "--engine", "c", "--in", &input])
        .env("PATH", &path.0)
        .env_remove("CC")
        .output()
        .expect("nakiri starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Done { code: done.status.code().unwrap_or(-1), out: text(done.stdout), err: text(done.stderr) }
}

/// A compiler for AArch64 that makes empty programs.
const COMPILER: &str = "#!/bin/sh
case \"$1\" in
-dumpmachine) echo aarch64-linux-gnu ;;
--version) echo gcc 12.2.0 ;;
*) while [ $# -gt 1 ]; do [ \"$1\" = -o ] && : > \"$2\"; shift; done ;;
esac
";

#[test]
fn a_missing_tool_is_named_with_its_package() {
    let folder = Folder::new("missing");
    let file = folder.write("add.ua", ADD);
    let done = run_with_path(&folder, &file, "neon");
    assert_eq!(done.code, 2, "{}", done.err);
    assert!(done.err.contains("apt-get install gcc-aarch64-linux-gnu"), "{}", done.err);
    let compiler = folder.write("aarch64-linux-gnu-gcc", COMPILER);
    std::fs::set_permissions(compiler, PermissionsExt::from_mode(0o755)).expect("made executable");
    let done = run_with_path(&folder, &file, "neon");
    assert_eq!(done.code, 2, "{}", done.err);
    assert!(done.err.contains("apt-get install qemu-user"), "{}", done.err);
}

#[test]
fn a_compiler_of_another_architecture_is_refused() {
    let folder = Folder::new("wrong-compiler");
    let file = folder.write("add.ua", ADD);
    let input = folder.write("in.json", r#"{"x": 1, "k": 1}"#);
    let here = Compiler::find().expect("a compiler").program;
    let flags = ["--target", "neon", "--engine", "c", "--cc", &here, "--in", &input];
    let done = nakiri(&[&["run", &file], &flags[..]].concat());
    assert_eq!(done.code, 2, "{}", done.err);
    assert!(done.err.contains("use --cc aarch64-linux-gnu-gcc"), "{}", done.err);
}

#[test]
fn emulated_time_is_no_time() {
    let done = nakiri(&["bench", "rectangle", "--target", "neon", "-V"]);
    assert_eq!(done.code, 1, "{}", done.err);
    assert!(done.err.contains("target neon needs aarch64"), "{}", done.err);
}

#[test]
fn one_file_serves_several_architectures() {
    let folder = Folder::new("side-by-side");
    let out = folder.0.display().to_string();
    let targets = "gp64:V,ssse3:V,avx2:H,neon:H,neon+sha3:H+schedule=latency,altivec:V,rvv:V";
    let done = nakiri(&["build", "ciphers/rectangle", "--target", targets, "-o", &out]);
    assert_eq!(done.code, 0, "{}", done.err);
    let main = folder.write(
        "main.c",
        "#include \"rectangle.h\"\n#include <stdio.h>\nint main(void)\n{\n    \
         puts(rectangle80_variant());\n    return rectangle80_self_test();\n}\n",
    );
    let host = Compiler::find().expect("a compiler");
    let compilers = ["neon", "neon+sha3", "gp32", "altivec", "rvv"].map(compiler);
    for compiler in compilers.into_iter().chain([Some(host)]).flatten() {
        let program = folder.0.join("program");
        let sources = [folder.0.join("rectangle.c"), main.clone().into()];
        let sources: Vec<_> = sources.iter().map(|path| path.as_path()).collect();
        let flags = [&["-O1"], exec::linking(&compiler)].concat();
        compiler.compile(&sources, &flags, &program).unwrap_or_else(|error| panic!("{error}"));
        let done = exec::command(&compiler, &program).expect("it can run").output();
        let done = done.expect("it runs");
        assert!(done.status.success(), "{compiler:?}: {}", done.status);
        let taken = String::from_utf8_lossy(&done.stdout).into_owned();
        let wanted = match compiler.foreign().map(|architecture| architecture.name) {
            Some("aarch64") if compiler.extension().is_some() => "neon+sha3 H16",
            Some("aarch64") => "neon H16",
            Some("powerpc64") => "altivec V16",
            Some("riscv64") => "rvv V16",
            Some(_) => "gp64+swar V16",
            None if exec::has_feature("avx2") => "avx2 H16",
            None => continue,
        };
        assert_eq!(taken.trim(), wanted);
    }
    let alone = nakiri(&["build", "ciphers/rectangle", "--target", "neon", "-o", &out]);
    assert_eq!(alone.code, 0, "{}", alone.err);
    let host = Compiler::find().expect("a compiler");
    let source = folder.0.join("rectangle.c");
    let refused = host.compile(&[&source], &["-c"], &folder.0.join("rectangle.o"));
    let message = refused.expect_err("there is no variant").to_string();
    assert!(message.contains("this file is for aarch64 only"), "{message}");
    let told = nakiri(&["build", "ciphers/rectangle", "--target", "neon+sha3", "-o", &out]);
    assert_eq!(told.code, 0, "{}", told.err);
    let Some(compiler) = compiler("neon") else { return };
    let refused = compiler.compile(&[&source], &["-c"], &folder.0.join("rectangle.o"));
    let message = refused.expect_err("it was not told").to_string();
    let wanted = "this file is for aarch64 with -march=armv8.2-a+sha3 only";
    assert!(message.contains(wanted), "{message}");
}

/// Which variant runs is asked of the system, or said by what compilers are told.
#[test]
fn the_instructions_of_arm_are_taken_where_the_cpu_has_them() {
    let Some(gcc) = compiler("neon") else { return };
    let cases = [
        ("ciphers/aes128_bytes", "aes128_bytes", "gp64:B,neon:P,neon+aes:P", "neon+aes P8x16"),
        ("modes/sha2", "sha256", "gp64,neon,neon+sha2", "neon+sha2 P32x4"),
    ];
    for (source, function, targets, wanted) in cases {
        let (name, folder) = (source.rsplit('/').next().unwrap_or(source), Folder::new(function));
        let out = folder.0.display().to_string();
        let done = nakiri(&["build", source, "--target", targets, "-o", &out]);
        assert_eq!(done.code, 0, "{}", done.err);
        let main = folder.write("main.c", MAIN.replace("$name", name).replace("$F", function));
        let sources = [folder.0.join(format!("{name}.c")), main.into()];
        let sources: Vec<_> = sources.iter().map(|path| path.as_path()).collect();
        for told in [None, Some("-march=armv8-a+crypto")] {
            let program = folder.0.join("program");
            let flags = [&["-O1"], exec::linking(&gcc), told.as_slice()].concat();
            gcc.compile(&sources, &flags, &program).unwrap_or_else(|error| panic!("{error}"));
            let done = exec::command(&gcc, &program).expect("it can run").output();
            let done = done.expect("it runs");
            assert!(done.status.success(), "{source}, {told:?}: {}", done.status);
            assert_eq!(String::from_utf8_lossy(&done.stdout).trim(), wanted, "{told:?}");
        }
    }
}

/// Tests the best variant, and that without the instructions.
const MAIN: &str = "\
#include \"$name.h\"
#include <stdio.h>
int main(void)
{
    puts($F_variant());
    return $F_self_test() != 0 || $F_use_variant(\"neon\") != 0 || $F_self_test() != 0;
}
";
