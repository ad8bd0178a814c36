use super::{nakiri, Folder, ADD};
use std::process::Command;

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Compiles C files with a `main` and runs them.
fn compile_and_run(folder: &Folder, sources: &[&str]) {
    let program = folder.path("program");
    let compiled = Command::new(nakiri_verify::cc::Compiler::find().expect("a compiler").program)
        .args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-o", &program])
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

#[test]
fn the_core_of_every_pass_parses_back() {
    let passes = nakiri::pass::pipeline::PASSES.iter().map(|pass| pass.name);
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
        ("title", "tittle", "unknown field `tittle`"),
        ("slicing = \"V\"", "slicing = \"X\"", "cipher.toml:5:11"),
        ("\"E\"", "\"F\"", "has no node `F`"),
        ("bytes = 4", "bytes = 5", "has a key of 5 bytes, not a key of 4 bytes"),
        ("[\"ecb\"]", "[\"ctr\"]", "needs a `counter`"),
        ("encrypt = \"E\"\n", "", "needs `encrypt`, `permute` or `step`"),
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
