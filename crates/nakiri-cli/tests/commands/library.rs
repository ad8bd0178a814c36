//! `nakiri library` and `nakiri ciphers`: what is written is built, tested, installed and called as its users would.

use super::{nakiri, rust, tools, Folder};
use nakiri_verify::cc::{self, Compiler};
use std::path::Path;
use std::process::{Command, Output};

const DUPLEX: &str = "\
node Stir (a:u64[4]) returns (b:u64[4])
let
  forall i in [0,3] { b[i] = (a[i] + a[(i+1)%4]) ^ (a[(i+2)%4] <<< 29); }
tel

mode Duplex (key:const u64[2], nonce:u64[2], ad, plain:bytes) returns (sealed:bytes, tag:u64[2])
vars s:u64[4]
let
  s = Stir(key, nonce);
  forall block:u64[2] in pad(ad, 0x01) unless empty {
    s[0..1] ^= block;
    s := Stir(s);
  }
  s[3] ^= 1;
  forall p:u64[2] in pad(plain, 0x01), c:u64[2] in sealed {
    c = s[0..1] ^ p;
    s[0..1] ^= p;
    s := Stir(s);
  } last {
    c = s[0..1] ^ p;
    s[0..1] ^= p;
  }
  s[2..3] ^= key;
  s := Stir(s);
  tag = s[2..3] ^ key;
tel
";

const DUPLEX_MANIFEST: &str = "\
name = \"duplex\"
title = \"A small AEAD\"
specification = \"none\"
status = \"example\"
security = \"None.\"
source = \"duplex.ua\"
slicing = \"V\"

[[instance]]
prefix = \"duplex\"
mode = \"Duplex\"
";

/// A program that calls a cipher, a hash and an AEAD by the header of all.
const MAIN: &str = r#"
#include <nakiri.h>
#include <stdio.h>

int main(void)
{
    static toy_ctx ctx;
    uint8_t key[16] = { 0 }, block[4] = { 1 }, digest[32], tag[16], text[5] = "text";
    toy_expand_key(&ctx, key);
    toy_encrypt_blocks(&ctx, block, block, 1);
    sm3(digest, (const uint8_t *)"abc", 3);
    duplex_seal(text, tag, key, key, digest, sizeof digest, text, sizeof text);
    const int right = duplex_open(text, tag, key, key, digest, sizeof digest, text, sizeof text);
    printf("%02x%02x %s %d\n", digest[0], digest[31], (const char *)text, right);
    return 0;
}
"#;

/// What it prints: the ends of SM3's published digest, and the text again.
const SAID: &str = "66e0 text 0\n";

/// Folders of a user: a cipher by `nakiri new`, and a small AEAD.
fn own_folders(folder: &Folder) -> [String; 2] {
    let made = nakiri(&["new", "toy", "--dir", &folder.path("")]);
    assert_eq!(made.code, 0, "{}", made.err);
    std::fs::create_dir_all(folder.path("duplex")).expect("a folder");
    folder.write("duplex/duplex.ua", DUPLEX);
    folder.write("duplex/cipher.toml", DUPLEX_MANIFEST);
    [folder.path("toy"), folder.path("duplex")]
}

/// Runs a program, which must succeed.
fn run(program: &str, args: &[&str], at: &Path) -> String {
    let done = Command::new(program)
        .args(args)
        .current_dir(at)
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    let Output { status, stdout, stderr } = &done;
    let said = String::from_utf8_lossy(stdout).into_owned();
    let complained = String::from_utf8_lossy(stderr);
    assert!(status.success(), "{program} {args:?}\n{said:.3000}\n{complained:.3000}");
    said
}

#[test]
fn a_library_is_built_tested_installed_and_called() {
    let folder = Folder::new("library");
    let [toy, duplex] = own_folders(&folder);
    let out = folder.path("out");
    let done = nakiri(&["library", &toy, "sm3", &duplex, "-o", &out, "--target", "gp64:V"]);
    assert_eq!((done.code, done.err.as_str()), (0, ""));

    is_what_build_writes(&folder, &toy);
    lists_its_functions(&out, &[&toy, "sm3", &duplex]);
    is_made_by_compilers(&folder);
    is_measured(&folder);
    is_installed_by_cmake(&folder);
    rust::cargo(&folder.0.join("out/rust"), &["test", "--quiet", "--all-features"]);
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The files of a primitive are those of `build`, and their digests are in the provenance.
fn is_what_build_writes(folder: &Folder, toy: &str) {
    let alone = folder.path("alone");
    assert_eq!(nakiri(&["build", toy, "--target", "gp64:V", "-o", &alone]).code, 0);
    for file in ["toy.c", "toy.h"] {
        let (own, of_library) = (format!("{alone}/{file}"), folder.path(&format!("out/c/{file}")));
        assert_eq!(read(&own), read(&of_library));
    }
    let digest = run("sha256sum", &["alone/toy.c", "toy/toy.ua"], &folder.0);
    let provenance = read(&folder.path("out/provenance.json"));
    for digest in digest.lines().filter_map(|line| line.split(' ').next()) {
        assert!(provenance.contains(&format!("\"{digest}\"")), "{digest}\n{provenance}");
    }
    assert!(serde_json::from_str::<serde_json::Value>(&provenance).is_ok());
    assert!(provenance.contains("of vectors.toml computed by the interpreter"), "{provenance}");
}

/// Every function that `nakiri ciphers` names is declared.
fn lists_its_functions(out: &str, primitives: &[&str]) {
    let done = nakiri(&[&["ciphers"], primitives].concat());
    assert_eq!(done.code, 0, "{}", done.err);
    let headers: String =
        ["toy", "sm3", "duplex"].iter().map(|name| read(&format!("{out}/c/{name}.h"))).collect();
    let lines = done.out.lines();
    let functions =
        lines.filter(|line| line.starts_with("    ") && !line.contains([',', ':', '.']));
    let functions: Vec<&str> = functions.flat_map(str::split_whitespace).collect();
    for name in ["toy_ctr_xor", "sm3_many", "sm3_hmac", "duplex_open_many"] {
        assert!(functions.contains(&name), "{name}: {}", done.out);
    }
    for name in functions.iter().filter(|name| name.contains('_')) {
        assert!(headers.contains(&format!(" {name}(")), "{name}");
    }
    for said in [
        "toy: block cipher, key 128, block 32, -V",
        "sm3: hash, block 512, result 256, -V",
        "duplex: AEAD, key 128, nonce 128, block 128, result 128, -V",
        "example: None.",
    ] {
        assert!(done.out.contains(said), "{said}: {}", done.out);
    }
}

/// The Makefile, with every compiler and no warning; all sources in one; and the random test finds what is wrong.
fn is_made_by_compilers(folder: &Folder) {
    let c = folder.0.join("out/c");
    let all = "#include \"toy.c\"\n#include \"sm3.c\"\n#include \"duplex.c\"\n";
    folder.write("out/c/all.c", all);
    for compiler in cc::all() {
        let program = format!("CC={}", compiler.program);
        let flags = "CFLAGS=-O1 -std=gnu11 -Wall -Wextra -Wpedantic -Werror";
        run("make", &["-s", &program, flags, "check"], &c);
        run("make", &["-s", &program, "clean"], &c);
        run(&compiler.program, &["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "all.c"], &c);
    }
    let forgiving = read(&folder.path("out/c/duplex.c"));
    let strict = "return verdict[0] == 0 ? -1 : 0;";
    assert!(forgiving.contains(strict));
    folder.write("out/c/duplex.c", forgiving.replace(strict, "(void)verdict; return 0;"));
    let compiler = Compiler::find().expect("a C compiler");
    let sources = ["toy.c", "sm3.c", "duplex.c", "tests/random.c", "tests/fuzz.c"];
    let args = [&["-I.", "-o", "wrong"], &sources[..]].concat();
    run(&compiler.program, &args, &c);
    let done = Command::new(c.join("wrong")).output().expect("it starts");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(!done.status.success() && said.starts_with("fuzz_duplex: not so: "), "{said}");
    folder.write("out/c/duplex.c", forgiving);
}

/// The program that measures calls all that it can, in every variant, with lengths that each takes.
fn is_measured(folder: &Folder) {
    let c = folder.0.join("out/c");
    let compiler = Compiler::find().expect("a C compiler");
    let sources = ["toy.c", "sm3.c", "duplex.c", "tests/bench.c"];
    let strict = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsanitize=address,undefined"];
    let args = [&strict[..], &["-I.", "-o", "bench"], &sources].concat();
    run(&compiler.program, &args, &c);
    let program = c.join("bench").display().to_string();
    let said = run(&program, &["64", "13", "sm3", "duplex", "toy"], &c);
    let row = |line: &str| -> Vec<String> { line.split_whitespace().map(str::to_string).collect() };
    let rows: Vec<Vec<String>> = said.lines().skip(2).map(row).collect();
    // Of 13 bytes, 12 are whole blocks of the cipher; what goes back does so for one message at a time.
    for (name, bytes, figures) in [
        ("toy_encrypt_blocks", "12", 2),
        ("toy_decrypt_blocks", "64", 2),
        ("toy_ctr_xor", "13", 2),
        ("sm3", "13", 4),
        ("duplex_seal", "64", 4),
        ("duplex_open", "13", 2),
    ] {
        let own: Vec<_> = rows.iter().filter(|row| row[0] == name && row[3] == bytes).collect();
        assert!(!own.is_empty(), "{name}: {said}");
        for row in own {
            assert_eq!(row.len(), 4 + figures, "{name}: {said}");
            let figures = row[4..].iter().map(|figure| figure.parse::<f64>());
            assert!(figures.into_iter().all(|figure| figure.is_ok_and(|f| f > 0.0)), "{said}");
        }
    }
    assert_eq!(run(&program, &["nothing"], &c).lines().count(), 2);
    let refused = Command::new(&program).arg("0").output().expect("it starts");
    assert_eq!(refused.status.code(), Some(2));
}

/// CMake builds, tests and installs it; programs find it by CMake and by pkg-config.
fn is_installed_by_cmake(folder: &Folder) {
    if !tools(&["cmake", "pkg-config"]) {
        return;
    }
    let at = &folder.0;
    let prefix = format!("-DCMAKE_INSTALL_PREFIX={}", folder.path("installed"));
    let configure = [
        "-S",
        "out/c",
        "-B",
        "made",
        &prefix,
        "-DCMAKE_C_FLAGS_RELEASE=-O1",
        "-DCMAKE_INSTALL_LIBDIR=lib",
    ];
    run("cmake", &configure, at);
    run("cmake", &["--build", "made", "--target", "all", "install"], at);
    let tested = run("ctest", &["--test-dir", "made"], at);
    assert!(tested.contains("100% tests passed, 0 tests failed out of 4"), "{tested}");

    std::fs::create_dir_all(at.join("user")).expect("a folder");
    folder.write("user/main.c", MAIN);
    folder.write(
        "user/CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.16)\nproject(user LANGUAGES C)\nfind_package(nakiri 0.1 REQUIRED)\n\
         add_executable(user main.c)\ntarget_link_libraries(user PRIVATE nakiri::nakiri)\n",
    );
    let found = format!("-DCMAKE_PREFIX_PATH={}", folder.path("installed"));
    run("cmake", &["-S", "user", "-B", "user/made", &found], at);
    run("cmake", &["--build", "user/made"], at);
    assert_eq!(run("user/made/user", &[], at), SAID);

    let compiler = Compiler::find().expect("a C compiler");
    let command = format!(
        "PKG_CONFIG_PATH=installed/lib/pkgconfig; export PKG_CONFIG_PATH; \
         {} user/main.c -o user/main $(pkg-config --cflags --libs nakiri) && user/main",
        compiler.program
    );
    assert_eq!(run("sh", &["-c", &command], at), SAID);
}

/// What somebody keeps beside what was written: a history, notes, builds, tests.
const KEPT: [&str; 5] = [
    "out/.git/HEAD",
    "out/NOTES",
    "out/c/build/CMakeCache.txt",
    "out/rust/duplex/target/debug/lib.d",
    "out/rust/toy/tests/mine.rs",
];

#[test]
fn what_nakiri_did_not_make_is_kept() {
    let folder = Folder::new("library-kept");
    let [toy, duplex] = own_folders(&folder);
    let out = folder.path("out");
    let write = |primitives: &[&str]| {
        let own = ["-o", &out, "--target", "gp64:V"];
        let done = nakiri(&[&["library"], primitives, &own].concat());
        assert_eq!(done.code, 0, "{}", done.err);
        done.err
    };
    assert_eq!(write(&[&toy, &duplex]), "");
    for file in KEPT {
        let path = folder.0.join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("it is made");
        folder.write(file, "mine");
    }
    // A copy of what was written is somebody's own, wherever it lies.
    std::fs::copy(folder.path("out/c/toy.c"), folder.path("out/c/toy_patched.c")).expect("copied");
    folder.write("out/c/toy.h", "changed");
    let said = write(&[&toy]);
    for file in KEPT {
        assert_eq!(read(&folder.path(file)), "mine", "{file}");
    }
    assert!(said.contains("NOTES` is kept: nothing is written there now"), "{said}");
    assert!(read(&folder.path("out/c/toy_patched.c")).contains("toy_encrypt_blocks"));
    assert!(read(&folder.path("out/c/toy.h")).contains("toy_encrypt_blocks"));
    for stale in ["out/c/duplex.c", "out/rust/duplex/Cargo.toml", "out/rust/duplex/src"] {
        assert!(!folder.0.join(stale).exists(), "{stale}");
    }
}

/// The command that a package names makes it again, wherever that is.
#[test]
fn packages_name_commands_that_work() {
    let folder = Folder::new("library-again");
    let out = folder.path("out");
    let done = nakiri(&["library", "sm3", "rectangle", "-o", &out, "--target", "gp64:V"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let first = read(&folder.path("out/provenance.json"));
    let command = "nakiri library sm3 rectangle --target gp64:V --name nakiri -o nakiri";
    assert!(first.contains(&format!("\"command\": \"{command}\"")), "{first:.300}");
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    run(env!("CARGO_BIN_EXE_nakiri"), &words, &folder.0);
    assert_eq!(read(&folder.path("nakiri/provenance.json")), first);
}

#[test]
fn what_makes_no_library_is_refused() {
    let folder = Folder::new("library-refused");
    let [toy, duplex] = own_folders(&folder);
    let copy = folder.path("copy");
    std::fs::create_dir_all(&copy).expect("a folder");
    let manifest = DUPLEX_MANIFEST.replace("name = \"duplex\"", "name = \"second\"");
    folder.write("copy/duplex.ua", DUPLEX);
    folder.write("copy/cipher.toml", &manifest);
    let foreign = folder.path("foreign");
    std::fs::create_dir_all(&foreign).expect("a folder");
    folder.write("foreign/thesis.tex", "");
    let step = "ciphers/counter4";
    let out = folder.path("out");
    let target = ["--target", "gp64:V", "-o", &out];
    for (args, code, messages) in [
        (vec!["nowhere"], 2, ["there is no cipher `nowhere`", "`ciphers` and `modes`"]),
        (vec![&*duplex, &copy], 1, [&*duplex, &copy]),
        (vec![&*duplex, &copy], 1, ["both have `duplex", "another `prefix`"]),
        (vec![&*toy, "--name", "toy"], 1, ["has the name of the library, `toy`", "--name"]),
        (vec![&*toy, "--name", "../toy"], 2, ["invalid value", "small letters"]),
        (vec![&*toy, "-o", &foreign], 2, ["Nakiri did not make", "another folder with -o"]),
        (vec![&*toy, "-o", "-"], 2, ["standard output", "name it with -o"]),
        (vec![], 2, ["required", "PRIMITIVE"]),
    ] {
        let own: &[&str] = if args.contains(&"-o") { &target[..2] } else { &target };
        let done = nakiri(&[&["library"], &args[..], own].concat());
        assert_eq!(done.code, code, "{args:?}: {}", done.err);
        for message in messages {
            assert!(done.err.contains(message), "{args:?}: {message}\n{}", done.err);
        }
        assert!(!Path::new(&out).exists(), "{args:?} left something");
    }
    for lang in ["both", "c"] {
        let done = nakiri(&[&["library", &duplex, "--lang", lang], &target[..]].concat());
        assert_eq!(done.code, 0, "what is ours is replaced: {}", done.err);
        assert_eq!(Path::new(&out).join("rust").exists(), lang == "both");
    }
    let done = nakiri(&["library", step, "-o", &out, "--lang", "rust", "--target", "gp64:B"]);
    assert_eq!(done.code, 1, "{}", done.err);
    assert!(done.err.contains("nothing of that is in Rust: ask for --lang c"), "{}", done.err);

    folder.write("copy/cipher.toml", manifest.replace("\"example\"", "\"safe\""));
    let done = nakiri(&["ciphers", &copy]);
    assert_eq!(done.code, 1, "{}", done.err);
    let said = [
        "`safe` is no value of this key",
        "cipher.toml:4",
        "are standard,",
        "nakiri explain E0402",
    ];
    for message in said {
        assert!(done.err.contains(message), "{message}: {}", done.err);
    }
}
