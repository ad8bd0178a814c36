use super::{nakiri, Folder, ADD};
use std::process::Command;

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Compiles C files with a `main` and runs them.
fn compile_and_run(folder: &Folder, sources: &[&str]) {
    let program = folder.path("program");
    let compiled = Command::new(nakiri_verify::cc::Compiler::find().expect("a compiler").program)
        .args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O0", "-o", &program])
        .args(sources)
        .status();
    assert!(compiled.is_ok_and(|status| status.success()));
    let ran = Command::new(&program).status().expect("it runs");
    assert!(ran.success(), "{ran}");
}

#[test]
fn a_file_becomes_a_library_with_its_entry() {
    let folder = Folder::new("file");
    let file = folder.write("adder.ua", ADD);
    let out = folder.0.display().to_string();
    let done = nakiri(&["build", &file, "--target", "gp64", "-o", &out]);
    assert_eq!(done.code, 0, "{}", done.err);
    let main = folder.write(
        "main.c",
        "#include \"adder.h\"\nint main(void)\n{\n    const uint8_t key[4] = { 255, 255, 255, 255 };\n    \
         uint8_t x[8] = { 1, 0, 0, 0, 3, 0, 0, 0 };\n    adder_ctx ctx;\n    adder_expand_key(&ctx, key);\n    \
         adder_add_blocks(&ctx, x, x, 2);\n    return !(x[0] == 0 && x[4] == 16);\n}\n",
    );
    compile_and_run(&folder, &[&folder.path("adder.c"), &main]);
    assert!(read(&folder.path("adder.c")).contains("nakiri build "));
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let folder = Folder::new("same");
    let [a, b] = ["a", "b"].map(|name| {
        let out = folder.path(name);
        let target = ["--target", "gp64:B,avx2:H"];
        let done = nakiri(&[&["build", "ciphers/aes128", "-o", &out], &target[..]].concat());
        assert_eq!(done.code, 0, "{}", done.err);
        read(&format!("{out}/aes128.c")) + &read(&format!("{out}/aes128.h"))
    });
    assert!(a == b, "two builds differ");
    for target in ["--target avx2:H+unroll=", ",gp64:B+unroll="] {
        assert!(a.contains(target), "the head has the command");
    }
}

/// The command in the head of a file.
fn head_command(text: &str) -> &str {
    let lines = text.lines().map(|line| line.trim_start_matches([' ', '*', '/', '!']));
    lines.into_iter().find(|line| line.starts_with("nakiri build")).expect("a command")
}

#[test]
fn where_the_source_lies_makes_no_difference() {
    let folder = Folder::new("paths");
    let root = std::fs::canonicalize("../..").expect("the repository");
    let absolute = root.join("ciphers/rectangle").display().to_string();
    for (emit, file) in [("c", "rectangle.c"), ("rust", "src/lib.rs")] {
        let texts =
            ["ciphers/rectangle", "./ciphers/../ciphers/rectangle/", &absolute].map(|path| {
                let out = folder.path(&format!("out-{emit}"));
                let args = ["build", path, "--emit", emit, "--target", "gp64:V", "-o", &out];
                let done = nakiri(&args);
                assert_eq!(done.code, 0, "{}", done.err);
                read(&format!("{out}/{file}"))
            });
        assert!(texts[0] == texts[1] && texts[1] == texts[2]);
        assert!(head_command(&texts[0]).starts_with("nakiri build rectangle --target gp64"));
    }
}

/// What a shell makes of the command in a head is the command.
#[test]
fn the_command_of_the_head_makes_the_same_file() {
    let folder = Folder::new("head command");
    for name in ["my cipher", "it's", "odd*", "a\"b$c", "-dash", "two\nlines"] {
        let inner = folder.0.join(name);
        std::fs::create_dir(&inner).expect("a folder");
        let file = inner.join("add.ua");
        std::fs::write(&file, ADD).expect("a file");
        let include = folder.0.join("include */ here");
        std::fs::create_dir_all(&include).expect("a folder");
        let out = folder.path("first");
        let include = include.display().to_string();
        let path = file.display().to_string();
        let done = nakiri(&["build", &path, "-I", &include, "-o", &out, "--target", "gp64"]);
        assert_eq!(done.code, 0, "{}", done.err);
        let text = read(&folder.path("first/add.c"));
        let command = head_command(&text).replacen("nakiri", env!("CARGO_BIN_EXE_nakiri"), 1);
        let again = Command::new("sh")
            .args(["-c", &format!("{command} -o \"$0\""), &folder.path("again")])
            .current_dir(&inner)
            .output()
            .expect("a shell");
        assert!(again.status.success(), "{command}: {}", String::from_utf8_lossy(&again.stderr));
        let again = read(&folder.path("again/add.c"));
        let differ = text.lines().zip(again.lines()).find(|(a, b)| a != b);
        assert_eq!(differ, None, "{command}");
    }
}

#[test]
fn a_title_may_have_line_breaks() {
    let folder = Folder::new("title");
    let copied = Command::new("cp")
        .args(["-r", "../../ciphers/rectangle", &folder.path("rectangle")])
        .status();
    assert!(copied.is_ok_and(|status| status.success()));
    let manifest = folder.path("rectangle/cipher.toml");
    let untitled = read(&manifest);
    let titled = untitled.lines().map(|line| match line.starts_with("title") {
        true => "title = \"two\\nlines \\\\ \\\"quoted\\\" */ /* \\r\\u202e```\"\n".to_string(),
        false => format!("{line}\n"),
    });
    let titled: String = titled.collect();
    std::fs::write(&manifest, titled).expect("it can be written");
    for emit in ["c", "rust"] {
        let out = folder.path(emit);
        let args =
            ["build", &folder.path("rectangle"), "--emit", emit, "--target", "gp64:V", "-o", &out];
        let done = nakiri(&args);
        assert_eq!(done.code, 0, "{}", done.err);
    }
    let main = folder.write(
        "main.c",
        "#include \"c/rectangle.h\"\nint main(void)\n{\n    return rectangle80_self_test();\n}\n",
    );
    compile_and_run(&folder, &[&folder.path("c/rectangle.c"), &main]);
    let manifest: toml::Table = read(&folder.path("rust/Cargo.toml")).parse().expect("TOML");
    let description = manifest["package"]["description"].as_str().expect("a text");
    assert!(description.starts_with("two lines \\ \"quoted\" */ /* "), "{description}");
    for file in ["src/lib.rs", "src/rectangle80.rs"] {
        let text = read(&folder.path(&format!("rust/{file}")));
        assert!(!text.lines().any(|line| line.starts_with("lines")), "{text:.400}");
        assert!(!text.contains(['\r', '\u{202e}']));
    }
}

/// Each variant can be asked for by name or by target, from any thread, and gives what the best gives.
#[test]
fn a_variant_can_be_asked_for() {
    let folder = Folder::new("variants");
    let out = folder.0.display().to_string();
    let targets = "gp64:V,ssse3:V,avx2:H,neon:V";
    let done = nakiri(&["build", "ciphers/rectangle", "--target", targets, "-o", &out]);
    assert_eq!(done.code, 0, "{}", done.err);
    let main = folder.write("main.c", ASKING);
    compile_and_run(&folder, &[&folder.path("rectangle.c"), &main]);
}

const ASKING: &str = r#"
#include "rectangle.h"
#include <string.h>

static void encrypt(uint8_t *block)
{
    const uint8_t key[10] = { 1, 2, 3 };
    rectangle80_ctx ctx;
    memset(block, 7, 8);
    rectangle80_expand_key(&ctx, key);
    rectangle80_encrypt_blocks(&ctx, block, block, 1);
}

int main(void)
{
    uint8_t wanted[8], got[8];
    const char *best = rectangle80_variant();
    unsigned ran = 0;
    encrypt(wanted);
    for (const char *const *name = rectangle80_variants(); *name != NULL; name++) {
        if (rectangle80_use_variant(*name) != 0)
            continue;
        ran++;
        encrypt(got);
        if (strcmp(rectangle80_variant(), *name) != 0 || memcmp(got, wanted, 8) != 0)
            return 1;
    }
    if (ran < 2 || rectangle80_use_variant("neon V16") == 0 || rectangle80_use_variant("") == 0
        || rectangle80_use_variant("gp6") == 0 || rectangle80_use_variant("neon") == 0)
        return 2;
    if (rectangle80_use_variant("ssse3") != 0 || strcmp(rectangle80_variant(), "ssse3 V16") != 0)
        return 3;
    if (rectangle80_use_variant(NULL) != 0 || strcmp(rectangle80_variant(), best) != 0)
        return 4;
    return rectangle80_self_test();
}
"#;

/// The compilers, and how they are told of machines, for which a file is only looked at: no library is needed.
const MACHINES: [&[&str]; 9] = [
    &["--target=x86_64-linux-gnu"],
    &["-m32"],
    &["--target=x86_64-pc-windows-msvc"],
    &["--target=aarch64-none-elf"],
    &["--target=riscv64-none-elf"],
    &["--target=riscv64-none-elf", "-march=rv64gcv"],
    &["--target=thumbv7em-none-eabi"],
    &["--target=thumbv6m-none-eabi"],
    &["--target=loongarch64-linux-gnu"],
];

/// A clang, which can compile for all machines.
fn clang() -> Option<nakiri_verify::cc::Compiler> {
    nakiri_verify::cc::all().into_iter().find(|compiler| compiler.program.contains("clang"))
}

/// No warning, no header but the compiler's own, nothing atomic where one variant can run: whatever stands in the file.
#[test]
fn every_machine_takes_a_file_alone() {
    let Some(clang) = clang() else { return };
    let folder = Folder::new("machines");
    let full = std::env::var_os("NAKIRI_FULL").is_some();
    let ciphers = if full {
        &["chacha20", "serpent", "aes128", "trivium", "ascon"][..]
    } else {
        &["chacha20", "counter4"]
    };
    for cipher in ciphers {
        for targets in ["gp32", "gp64,avx2", "gp64,gp32,neon,rvv"] {
            let out = folder.0.display().to_string();
            let done =
                nakiri(&["build", &format!("ciphers/{cipher}"), "--target", targets, "-o", &out]);
            assert_eq!(done.code, 0, "{}", done.err);
            let source = folder.path(&format!("{cipher}.c"));
            for machine in MACHINES {
                if targets.contains("neon") && machine[0].contains("aarch64") {
                    // The intrinsics' header wants one of the C library.
                    continue;
                }
                let object = folder.0.join("object");
                let flags = [machine, &["-ffreestanding", "-O0", "-c"]].concat();
                let compiled = clang.compile(&[source.as_ref()], &flags, &object);
                compiled.unwrap_or_else(|error| panic!("{targets} {machine:?}: {error}"));
                let alone = !targets.contains(",gp32")
                    && !machine[0].contains("86_64")
                    && machine[0] != "-m32";
                if alone {
                    let bytes = std::fs::read(&object).expect("an object");
                    assert!(!bytes.windows(8).any(|name| name == b"__atomic"), "{machine:?}");
                }
            }
        }
    }
}

/// Several files, also of the same cipher with another prefix, are one translation unit.
#[test]
fn files_can_be_compiled_as_one() {
    let folder = Folder::new("unity");
    let copied = Command::new("cp")
        .args(["-r", "../../ciphers/rectangle", &folder.path("rectangle")])
        .status();
    assert!(copied.is_ok_and(|status| status.success()));
    let manifest = folder.path("rectangle/cipher.toml");
    let other = read(&manifest).replace("prefix = \"rectangle", "prefix = \"other");
    std::fs::write(&manifest, other).expect("it can be written");
    let vectors = folder.path("rectangle/vectors.toml");
    let other = read(&vectors).replace("instance = \"rectangle", "instance = \"other");
    std::fs::write(&vectors, other).expect("it can be written");
    let sources =
        ["ciphers/rectangle", &folder.path("rectangle"), "ciphers/chacha20", "ciphers/counter4"];
    let (mut text, mut calls) = (String::new(), vec![]);
    for (number, source) in sources.into_iter().enumerate() {
        let out = folder.path(&format!("out{number}"));
        let targets = match source.contains("rectangle") {
            true => "gp64:B+spill=always,sse2:V,avx2:H",
            false => "gp64,sse2,avx2",
        };
        let done = nakiri(&["build", source, "--target", targets, "-o", &out]);
        assert_eq!(done.code, 0, "{}", done.err);
        let name = source.rsplit('/').next().expect("a name");
        text += &format!("#include \"out{number}/{name}.c\"\n");
        let header = read(&format!("{out}/{name}.h"));
        let declared = header.lines().filter_map(|line| line.strip_suffix("_self_test(void);"));
        calls.extend(declared.map(|line| format!("{}_self_test()", &line[4..])));
    }
    assert!(calls.len() > 5);
    let main = format!("{text}\nint main(void)\n{{\n    return {};\n}}\n", calls.join(" || "));
    compile_and_run(&folder, &[&folder.write("all.c", main)]);
}

#[test]
fn a_build_says_what_it_wrote() {
    let folder = Folder::new("build-told");
    let (out, file) = (folder.path("x.c"), folder.write("add.ua", ADD));
    let said = |args: &[&str], more: &[&str]| {
        let done = nakiri(&[&["build"], args, &["--target", "gp64:V", "-o", &out], more].concat());
        (done.code, done.err)
    };
    let (code, told) = said(&["rectangle"], &["-v"]);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!((code, lines.len()), (0, 3), "{told}");
    let header = folder.path("x.h");
    assert!(lines[0].starts_with(&format!("wrote {out} and {header} (")), "{told}");
    assert_eq!(lines[1], "variants, best first: gp64+swar:V");
    assert!(lines[2].starts_with("checked: ") && lines[2].contains("self tests hold"), "{told}");
    let (code, told) = said(&[&file], &["--verbose"]);
    assert!(code == 0 && told.contains("warning: no vector says"), "{told}");
    for more in [&["-q"][..], &[]] {
        assert_eq!(said(&["rectangle"], more), (0, String::new()));
    }
    assert_eq!(said(&["rectangle"], &["-q", "-v"]).0, 2);
}

#[test]
fn the_core_of_every_pass_parses_back() {
    let passes = nakiri::compile::pipeline::PASSES.iter().map(|pass| pass.name);
    for pass in ["specialize"].into_iter().chain(passes) {
        let done = nakiri(&[
            "build",
            "ciphers/rectangle",
            "-B",
            "--target",
            "avx512+interleave=2:3+schedule=pressure",
            "--inline",
            "small",
            "--emit",
            &format!("after:{pass}"),
        ]);
        assert_eq!(done.code, 0, "{pass}: {}", done.err);
        let program = nakiri::core::text::parse(&done.out);
        assert!(program.is_ok(), "{pass}: {:?}", program.err());
    }
    let flags = ["--target", "avx2", "--interleave", "1", "--emit", "json"];
    let done = nakiri(&[&["build", "ciphers/rectangle", "-V"], &flags[..]].concat());
    let json: serde_json::Value = serde_json::from_str(&done.out).expect("JSON");
    assert_eq!((&json["blocks_at_once"], &json["entry"]), (&16.into(), &"Encrypt".into()));
}

#[test]
fn every_target_has_its_own_choices() {
    let folder = Folder::new("choices");
    let file = folder.write("adder.ua", ADD);
    let out = folder.0.display().to_string();
    let target = "gp64+interleave=3:2+unroll=never,avx2:V+schedule=latency";
    let flags = ["--interleave", "2", "--schedule", "pressure", "--inline", "small", "-o", &out];
    let done = nakiri(&[&["build", &file, "--target", target], &flags[..]].concat());
    assert_eq!(done.code, 0, "{}", done.err);
    let text = read(&folder.path("adder.c"));
    for line in [
        "avx2 V32: 16 at once in 2 interleaved batches",
        "gp64 V32: 3 at once in 3 interleaved batches",
        "--target avx2:V+unroll=auto+schedule=latency,gp64:V+one-word+unroll=never+interleave=3:2 --inline=small \
         --interleave=2:1 --schedule=pressure",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let main = folder.write(
        "main.c",
        "#include \"adder.h\"\nint main(void)\n{\n    const uint8_t key[4] = { 255, 255, 255, 255 };\n    \
         uint8_t x[4 * 37] = { 0 };\n    adder_ctx ctx;\n    for (unsigned i = 0; i < 37; i++)\n        \
         x[4 * i] = (uint8_t)(i + 1);\n    adder_expand_key(&ctx, key);\n    \
         adder_add_blocks(&ctx, x, x, 37);\n    for (unsigned i = 0; i < 37; i++)\n        \
         if (x[4 * i] != (uint8_t)(i << 3))\n            return 1;\n    return 0;\n}\n",
    );
    compile_and_run(&folder, &[&folder.path("adder.c"), &main]);
}

#[test]
fn the_source_may_interleave() {
    let folder = Folder::new("interleave");
    let file = folder.write("adder.ua", format!("_interleave(3) {ADD}"));
    for (flags, blocks) in
        [(&[][..], 24), (&["--interleave", "1"], 8), (&["--interleave", "2"], 16)]
    {
        let args = ["build", &file, "--target", "avx2:V", "--emit", "json"];
        let done = nakiri(&[&args, flags].concat());
        let json: serde_json::Value = serde_json::from_str(&done.out).expect("JSON");
        assert_eq!(json["blocks_at_once"], blocks, "{flags:?} {}", done.err);
    }
}

#[test]
fn ill_formed_choices_are_refused() {
    let folder = Folder::new("ill_formed");
    let file = folder.write("adder.ua", ADD);
    for (flags, message) in [
        (["--interleave", "0"], "the factor is 1 to 16"),
        (["--interleave", "17"], "the factor is 1 to 16"),
        (["--interleave", "2:0"], "the grain is at least 1"),
        (["--schedule", "fast"], "[possible values: source, pressure, latency]"),
        (["--inline", "none"], "[possible values: all, small]"),
        (["--target", "avx2+schedule=fast"], "there is no schedule `fast`"),
        (["--target", "avx2+unroll=auto+unroll=never"], "was made already"),
        (["--target", "avx2+"], "`` is no choice"),
    ] {
        let done = nakiri(&[&["build", &file, "--emit", "json"], &flags[..]].concat());
        assert_eq!(done.code, 2, "{flags:?}");
        assert!(done.err.contains(message), "{flags:?}: {}", done.err);
    }
}

#[test]
fn what_is_illegal_is_refused() {
    let folder = Folder::new("illegal");
    let file = folder.write("add.ua", ADD);
    let done =
        nakiri(&["build", &file, "--target", "avx2:B", "-o", &folder.0.display().to_string()]);
    assert_eq!(done.code, 1);
    assert!(done.err.contains("E0310") && done.err.contains("--soft-arith"), "{}", done.err);
    assert!(!folder.0.join("add.c").exists());
}

#[test]
fn manifests_are_checked_with_places() {
    let source = "node E (p:u8x4, k:const u8x4) returns (c:u8x4) let c = p ^ k tel\n";
    let manifest = "name = \"x\"\ntitle = \"X\"\nspecification = \"none\"\nsource = \"x.ua\"\nslicing = \"V\"\n\n\
                    [[instance]]\nprefix = \"x\"\nkey = { bytes = 4 }\nencrypt = \"E\"\nmodes = [\"ecb\"]\n";
    let vectors = "[[block]]\ninstance = \"x\"\nkey = \"01020304\"\nplain = \"00000000\"\ncipher = \"01020304\"\norigin = \"sum\"\n";
    for (from, to, message) in [
        ("", "", ""),
        ("title", "tittle", "there is no key `tittle` here"),
        ("slicing = \"V\"", "slicing = \"X\"", "cipher.toml:5:11"),
        ("\"E\"", "\"F\"", "has no node `F`"),
        ("bytes = 4", "bytes = 5", "has a key of 5 bytes, not a key of 4 bytes"),
        ("[\"ecb\"]", "[\"ctr\"]", "needs a `counter`"),
        ("encrypt = \"E\"\n", "", "needs `encrypt`, `permute`, `step` or `mode`"),
        ("encrypt = \"E\"", "mode = \"E\"", "an instance with `mode` has no nodes"),
        ("prefix = \"x\"", "prefix = \"x-y\"", "C identifier"),
        ("\"01020304\"\norigin", "\"01020305\"\norigin", "vectors.toml:5:10"),
        ("instance = \"x\"", "instance = \"y\"", "there is no instance `y`"),
        ("key = \"01020304\"", "key = \"0102030\"", "make no whole bytes"),
        ("\"00000000\"", "\"0000000g\"", "is not a hexadecimal digit"),
        ("\"00000000\"", "\"000000\"", "E0403"),
    ] {
        let folder = Folder::new("manifest");
        folder.write("x.ua", source);
        folder.write("cipher.toml", manifest.replacen(from, to, 1));
        folder.write("vectors.toml", vectors.replacen(from, to, 1));
        let path = folder.0.display().to_string();
        let done = nakiri(&["build", &path, "-o", &path]);
        assert_eq!(done.code, i32::from(!message.is_empty()), "{to}: {}", done.err);
        assert!(done.err.contains(message), "{to}: {}", done.err);
        assert_eq!(folder.0.join("x.c").exists(), message.is_empty(), "{to}");
    }
}

#[test]
fn a_frame_holds_a_batch_of_128_bits_in_the_widest_registers() {
    let folder = Folder::new("frame");
    let done = nakiri(&[
        "build",
        "ciphers/pyjamask128",
        "-B",
        "--target",
        "avx512",
        "-o",
        &folder.path(""),
    ]);
    assert_eq!(done.code, 0, "{}", done.err);
    let compiler = nakiri_verify::cc::Compiler::find().expect("a compiler").program;
    let object = folder.path("pyjamask128.o");
    let flags = ["-std=c11", "-O1", "-Wframe-larger-than=32768", "-Werror", "-c", "-o", &object];
    let compiled = Command::new(compiler).args(flags).arg(folder.path("pyjamask128.c")).output();
    let compiled = compiled.expect("it runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
}
