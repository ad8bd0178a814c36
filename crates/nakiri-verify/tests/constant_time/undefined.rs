//! Valgrind's memcheck, told that all data are undefined: it reports each branch and each address that depends on them, as
//! the code runs on this CPU.

use super::builds::{self, Build};
use super::machines::{self, Named};
use super::modes::Mode;
use nakiri::compile::Kernel;
use nakiri::emit::c;
use nakiri::isa;
use nakiri_verify::cc::{self, Compiler, Work};
use std::fmt::Write;
use std::process::Command;

/// Functions on bytes that are run: tails, counters, several variants of a batch's rest.
const MODES: &[(&str, &str)] = &[
    ("rectangle", "B gp64"),
    ("rectangle", "V gp64+swar short=3:2"),
    ("rectangle", "V avx2"),
    ("aes128", "H ssse3"),
    ("chacha20", "V gp64"),
];

/// The size of each array, in bytes.
const ROOM: usize = 1 << 16;

fn installed() -> Option<Vec<Build>> {
    let header = std::path::Path::new("/usr/include/valgrind/memcheck.h").exists();
    if !header || !cc::works("valgrind") || !cfg!(target_arch = "x86_64") {
        println!("not run: valgrind: on Debian, apt-get install valgrind");
        return None;
    }
    Some(builds::installed().into_iter().filter(Build::is_x86).collect())
}

/// What memcheck says of a program.
fn complaints(build: &Build, files: &[(&str, &str)], level: &str) -> Result<(), String> {
    let work = Work::new().unwrap();
    let paths: Vec<_> =
        files.iter().map(|(name, text)| work.write(name, text.as_bytes()).unwrap()).collect();
    let sources: Vec<_> = paths.iter().map(|path| path.as_path()).collect();
    let sources: Vec<_> =
        sources.into_iter().filter(|path| path.extension().is_some_and(|e| e == "c")).collect();
    let program = work.path("program");
    let flags = [build.flags, &[level]].concat();
    Compiler::new(build.program).compile(&sources, &flags, &program).unwrap();
    let mut command = Command::new("valgrind");
    let done = command.args(["--quiet", "--error-exitcode=9"]).arg(&program).output().unwrap();
    match done.status.code() {
        Some(0) => Ok(()),
        _ => Err(String::from_utf8_lossy(&done.stderr).into_owned()),
    }
}

/// A program that runs kernels on undefined data.
fn kernels(kernels: &[Named]) -> String {
    let named: Vec<(&str, &Kernel)> = kernels.iter().map(|(name, k)| (name.as_str(), k)).collect();
    let mut text = format!(
        "#include <valgrind/memcheck.h>\n{}static unsigned char out[{ROOM}], in[{ROOM}], \
         constants[{ROOM}];\n\nint main(void)\n{{\n",
        c::kernels_file(&named)
    );
    for (name, _) in &named {
        let _ = write!(
            text,
            "    VALGRIND_MAKE_MEM_UNDEFINED(in, sizeof in);\n    \
             VALGRIND_MAKE_MEM_UNDEFINED(constants, sizeof constants);\n    \
             {name}(out, in, constants);\n"
        );
    }
    text + "    return 0;\n}\n"
}

#[test]
fn kernels_on_undefined_data_do_nothing_that_depends_on_it() {
    let Some(builds) = installed() else { return };
    let targets: Vec<_> =
        ["gp64", "gp32", "gp64+swar", "ssse3"].iter().filter_map(|t| isa::find(t)).collect();
    let full = std::env::var_os("NAKIRI_FULL").is_some();
    let all = machines::programs(if full { 300 } else { 36 }, &targets);
    let fits = |(_, kernel): &Named| {
        let bytes = |port| kernel.target.port_bytes(port);
        kernel.params.iter().chain(&kernel.results).map(bytes).sum::<usize>() < ROOM
    };
    let all: Vec<Named> = all.into_iter().filter(fits).collect();
    let text = kernels(&all);
    let levels: &[&str] = if full { &["-O1", "-O2", "-O3", "-Os"] } else { &["-O2"] };
    for build in &builds {
        for level in levels {
            let said = complaints(build, &[("kernels.c", &text)], level);
            assert!(said.is_ok(), "{build} {level}: {:.3000}", said.unwrap_err());
        }
    }
    println!("{} kernels under memcheck, by {} compilers", all.len(), builds.len());
}

/// A program that enciphers undefined texts of many lengths with undefined keys and counters.
fn mode(key: usize, block: usize, batch: usize) -> String {
    format!(
        "#include \"x.h\"\n#include <valgrind/memcheck.h>\n\nint main(void)\n{{\n    \
         static unsigned char key[{key} + 1], counter[64], in[{ROOM}], out[{ROOM}];\n    static x_ctx ctx;\n    \
         const size_t lengths[] = {{ 0, 1, {block}, {batch} - 1, {batch}, {batch} + 1, 2 * {batch} + {block} + 3 }};\n    \
         VALGRIND_MAKE_MEM_UNDEFINED(key, sizeof key);\n    x_expand_key(&ctx, key);\n    \
         for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {{\n        \
         VALGRIND_MAKE_MEM_UNDEFINED(in, sizeof in);\n        VALGRIND_MAKE_MEM_UNDEFINED(counter, sizeof counter);\n        \
         x_ctr_xor(&ctx, counter, out, in, lengths[i]);\n        x_ctr_xor(&ctx, counter, in, in, lengths[i]);\n    }}\n    \
         return 0;\n}}\n"
    )
}

#[test]
fn modes_on_undefined_data_do_nothing_that_depends_on_it() {
    let Some(builds) = installed() else { return };
    let full = std::env::var_os("NAKIRI_FULL").is_some();
    for (k, configuration) in MODES.iter().enumerate() {
        let made = Mode::with(configuration);
        let main = mode(made.key, made.block, made.batch);
        let files = [("x.h", made.files.h.as_str()), ("x.c", &made.files.c), ("main.c", &main)];
        for build in
            builds.iter().enumerate().filter(|(b, _)| full || b % 2 == k % 2).map(|(_, b)| b)
        {
            let said = complaints(build, &files, "-O2");
            assert!(said.is_ok(), "{configuration:?} {build}: {:.3000}", said.unwrap_err());
        }
    }
}

/// A branch and a look-up that are put into a mode are found.
#[test]
fn leaks_on_undefined_data_are_found() {
    let Some(builds) = installed() else { return };
    let made = Mode::with(&MODES[0]);
    let main = mode(made.key, made.block, made.batch);
    let (from, leak) = ("        out += ", "        if (in[1] & 4) break;\n        out += ");
    assert!(made.files.c.contains(from), "no place for a leak");
    let leaky = made.files.c.replace(from, leak);
    let files = [("x.h", made.files.h.as_str()), ("x.c", &leaky), ("main.c", &main)];
    let said = complaints(&builds[0], &files, "-O1").expect_err("a branch on data");
    assert!(said.contains("depends on uninitialised"), "{said}");
}
