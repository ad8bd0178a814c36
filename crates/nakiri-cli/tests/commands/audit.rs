//! `nakiri audit`: object code of any compiler, and files that are none.

use super::{nakiri, tools, Done, Folder};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const SOURCE: &str = r#"
#include <stdint.h>
#include <stddef.h>
#include <string.h>
uint32_t leaky_select(const uint32_t *x, uint32_t *y) { if (x[0] & 1) { y[0] = x[1]; y[1] += 3; } return y[0]; }
uint8_t indexed(const uint8_t *x, const uint8_t *table) { return table[x[0]]; }
uint32_t divided(const uint32_t *x) { return x[0] / x[1]; }
void clean(const uint32_t *x, uint32_t *y, size_t n) { for (size_t i = 0; i < n; i++) y[i] ^= x[i] * 3; }
uint32_t by_value(const uint32_t *x, uint32_t secret) { return x[secret & 7]; }
extern void other(uint32_t);
void calls(const uint32_t *x) { other(x[0]); }
void through(void (*f)(void)) { f(); }
void copies(const uint8_t *x, uint8_t *y) { uint8_t t[64]; memcpy(t, x, 64); for (int i = 0; i < 64; i++) y[i] = t[63 - i]; }
void copies_some(const uint8_t *x, uint8_t *y, size_t n) { memcpy(y, x, n); }
static __attribute__((noinline)) uint32_t inner(uint32_t v, const uint32_t *t) { return t[v & 3]; }
uint32_t outer(const uint32_t *x, const uint32_t *t) { return inner(x[0], t); }
static __attribute__((used, noinline)) int apart(int a) { return a + 1; }
"#;

/// Compiles the source in a folder.
fn compiled(folder: &Folder, compiler: &str, flags: &[&str], name: &str) -> String {
    let source = folder.write("audited.c", SOURCE);
    let out = folder.path(name);
    let done = Command::new(compiler).arg("-O2").args(flags).args(["-o", &out, &source]).output();
    let done = done.expect("the compiler starts");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    out
}

fn json(args: &[&str]) -> (i32, Value) {
    let done = nakiri(&[&["audit", "--format", "json"], args].concat());
    (done.code, serde_json::from_str(&done.out).unwrap_or_else(|_| panic!("{}", done.err)))
}

/// The kinds of what was found in each function, in the order of their names.
fn found(audited: &Value) -> Vec<(String, Vec<String>)> {
    let functions = audited["files"][0]["functions"].as_array().expect("functions");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let kinds = |function: &Value| {
        function["findings"]
            .as_array()
            .expect("findings")
            .iter()
            .map(|f| text(&f["kind"]))
            .collect()
    };
    functions.iter().map(|function| (text(&function["name"]), kinds(function))).collect()
}

const EXPECTED: [(&str, &[&str]); 10] = [
    ("by_value", &[]),
    ("calls", &["call"]),
    ("clean", &[]),
    ("copies", &[]),
    ("copies_some", &[]),
    ("divided", &["duration"]),
    ("indexed", &["address"]),
    ("leaky_select", &["branch"]),
    ("outer", &["address"]),
    ("through", &["indirect"]),
];

fn expected() -> Vec<(String, Vec<String>)> {
    let texts = |kinds: &[&str]| kinds.iter().map(|kind| (*kind).to_string()).collect();
    EXPECTED.iter().map(|(name, kinds)| ((*name).to_string(), texts(kinds))).collect()
}

#[cfg(target_arch = "x86_64")]
#[test]
fn objects_libraries_and_archives_are_read() {
    if !tools(&["cc", "ar", "strip"]) {
        return;
    }
    let folder = Folder::new("audit-files");
    let object = compiled(&folder, "cc", &["-c"], "audited.o");
    let guarded = compiled(&folder, "cc", &["-c", "-fstack-protector-all"], "guarded.o");
    let library = compiled(&folder, "cc", &["-shared", "-fPIC"], "libaudited.so");
    let stripped = folder.path("libstripped.so");
    let done = Command::new("strip").args(["-o", &stripped, &library]).status();
    assert!(done.expect("strip starts").success());
    let archive = folder.path("libaudited.a");
    let done = Command::new("ar").args(["rcs", &archive, &object]).status();
    assert!(done.expect("ar starts").success());
    for file in [&object, &guarded, &library, &stripped, &archive] {
        let (code, audited) = json(&[file]);
        assert_eq!(code, 1, "{file}");
        assert_eq!(audited["verdict"], "leaks", "{file}");
        assert_eq!(audited["files"][0]["architecture"], "x86-64", "{file}");
        assert_eq!(found(&audited), expected(), "{file}");
    }
    let (_, audited) = json(&[&archive]);
    assert_eq!(audited["files"][0]["file"], format!("{archive}(audited.o)"));
    assert_eq!(audited["files"][0]["unreached"], serde_json::json!(["apart"]));
    let inner = &audited["files"][0]["functions"][8]["findings"][0];
    assert_eq!((&inner["function"], &inner["leaks"]), (&"inner".into(), &true.into()));
    assert!(inner["instruction"].as_str().is_some_and(|text| text.starts_with("mov")), "{inner}");
}

#[cfg(target_arch = "x86_64")]
#[test]
fn the_verdict_is_the_exit_code() {
    if !tools(&["cc"]) {
        return;
    }
    let folder = Folder::new("audit-verdicts");
    let object = compiled(&folder, "cc", &["-c"], "audited.o");
    for (args, code, said) in [
        (
            &["--function", "clean"][..],
            0,
            "nothing found in 1 function: no branch, address or duration",
        ),
        (&["--function", "clean", "--function", "copies_some"], 0, "nothing found in 2 functions"),
        (&["--function", "apart"], 0, "apart (all parameters public): nothing found"),
        (&["--function", "calls"], 3, "calls `other`, which is not checked"),
        (
            &["--function", "through", "--function", "clean"],
            3,
            "that was not all in 1 of 2 functions",
        ),
        (&["--function", "leaky_select"], 1, "branches on secret data"),
        (&["--function", "outer"], 1, "inner+0x"),
        (&["--function", "by_value"], 0, "nothing found"),
        (
            &["--function", "by_value", "--secret", "by_value:2"],
            1,
            "public parameters: 1, 3, 4, 5, 6",
        ),
        (
            &["--function", "by_value", "--public", "by_value:1"],
            1,
            "an address made from secret data",
        ),
        (&["--function", "clean", "--public", "clean:1,2"], 1, "branches on secret data"),
        (
            &["--function", "clean", "--public", "clean:1,2,3=8"],
            0,
            "public parameters: 1, 2, 3 = 8",
        ),
        (&["--function", "clean", "--public", "clean:"], 1, "all parameters secret"),
        (&["--function", "clean", "--public", "clean:7"], 2, "counted from 1 to 6"),
        (&["--public", "clean:1", "--secret", "clean:1"], 2, "`clean` is named twice"),
        (&["--function", "claen"], 2, "there is no function `claen`; did you mean `clean`?"),
        (&["--secret", "by_vlaue:2"], 2, "did you mean `by_value`?"),
    ] {
        let Done { code: ended, out, err } = nakiri(&[&["audit", &object], args].concat());
        assert_eq!(ended, code, "{args:?}: {out}{err}");
        assert!(out.contains(said) || err.contains(said), "{args:?}: {out}{err}");
    }
}

/// What a call of a function that is chosen when the code is loaded leads to is not its resolver.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[test]
fn functions_that_are_chosen_later_are_not_followed() {
    if !tools(&["cc"]) {
        return;
    }
    let folder = Folder::new("audit-chosen");
    let source = "static int slow(const int *x) { return x[x[0] & 3]; }\nstatic int (*pick(void))(const int *) { return slow; }\n\
                  int chosen(const int *x) __attribute__((ifunc(\"pick\")));\nint user(const int *x) { return chosen(x) + 1; }\n";
    let file = folder.write("chosen.c", source);
    for (flags, name) in [(&["-c"][..], "chosen.o"), (&["-shared", "-fPIC"], "libchosen.so")] {
        let object = folder.path(name);
        let done = Command::new("cc").arg("-O2").args(flags).args(["-o", &object, &file]).status();
        assert!(done.expect("the compiler starts").success());
        let done = nakiri(&["audit", &object]);
        assert_eq!(done.code, 3, "{name}: {}{}", done.out, done.err);
        assert!(!done.out.contains("chosen (all"), "{name}: {}", done.out);
    }
}

#[test]
fn what_is_no_object_is_never_clean() {
    let folder = Folder::new("audit-garbage");
    let text = folder.write("text.o", "no object");
    let header = folder.write("header.o", b"\x7fELF");
    let archive = folder.write(
        "text.a",
        "!<arch>\ntext.o/         0           0     0     644     9         `\nno object\n",
    );
    let thin = folder.write("thin.a", "!<thin>\n");
    let path = folder.0.display().to_string();
    for (file, code, said) in [
        (&text, 1, "this is no object file"),
        (&header, 1, "this is no object file"),
        (&archive, 3, "(text.o): can't be checked: this is no object file"),
        (&thin, 1, "a thin archive holds no code"),
        (&path, 2, "is a folder"),
        (&folder.path("nowhere.o"), 2, "there is no file"),
    ] {
        let done = nakiri(&["audit", file]);
        assert_eq!(done.code, code, "{file}: {}{}", done.out, done.err);
        assert!(
            done.out.contains(said) || done.err.contains(said),
            "{file}: {}{}",
            done.out,
            done.err
        );
        assert!(!done.out.contains("nothing found"), "{file}: {}", done.out);
    }
}

#[test]
fn other_machines_are_listed_by_a_disassembler() {
    const COMPILER: &str = "aarch64-linux-gnu-gcc";
    if !tools(&[COMPILER, "llvm-objdump-19"]) {
        return;
    }
    let folder = Folder::new("audit-cross");
    let object = compiled(&folder, COMPILER, &["-c"], "audited.o");
    let guarded = compiled(&folder, COMPILER, &["-c", "-fstack-protector-all"], "guarded.o");
    for file in [&object, &guarded] {
        let (code, audited) = json(&[file]);
        assert_eq!((code, &audited["files"][0]["architecture"]), (1, &"AArch64".into()));
        assert_eq!(found(&audited), expected(), "{file}");
    }
    let alone = Command::new(env!("CARGO_BIN_EXE_nakiri"))
        .args(["audit", &object])
        .env("PATH", &folder.0)
        .output();
    let alone = alone.expect("nakiri starts");
    let said = String::from_utf8_lossy(&alone.stderr);
    assert_eq!(alone.status.code(), Some(2), "{said}");
    assert!(said.contains("no llvm-objdump: on Debian, apt-get install"), "{said}");
    assert!(alone.stdout.is_empty(), "no verdict");
}

#[cfg(target_arch = "x86_64")]
#[test]
fn emitted_code_is_clean() {
    if !tools(&["cc"]) {
        return;
    }
    let folder = Folder::new("audit-emitted");
    let out = folder.0.display().to_string();
    let done = nakiri(&["build", "rectangle", "--target", "sse2", "-o", &out]);
    assert_eq!(done.code, 0, "{}", done.err);
    let source = Path::new(&out).join("rectangle.c").display().to_string();
    let object = folder.path("rectangle.o");
    let done = Command::new("cc").args(["-O2", "-c", "-o", &object, &source]).status();
    assert!(done.expect("the compiler starts").success());
    let names =
        ["expand_key", "encrypt_blocks", "decrypt_blocks", "ecb_encrypt", "ctr_xor", "wipe"];
    let names: Vec<String> = names.iter().map(|name| format!("rectangle80_{name}")).collect();
    let wanted = names.iter().flat_map(|name| ["--function", name]);
    let done = nakiri(&["audit", &object].into_iter().chain(wanted).collect::<Vec<_>>());
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert!(done.out.contains("nothing found in 6 functions"), "{}", done.out);
}

#[test]
fn ciphers_are_listed_by_another_name_too() {
    assert_eq!(nakiri(&["list", "counter4"]).out, nakiri(&["ciphers", "counter4"]).out);
}
