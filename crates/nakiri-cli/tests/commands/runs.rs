//! Runs: one function of all ticks, from a file and from a cipher's folder.

use super::{nakiri, nakiri_with, Folder};
use nakiri_verify::cc::Compiler;
use std::path::Path;
use std::process::Command;

/// A core of four rounds on a byte, with a key that is added in each.
const CORE: &str = "\
node Core (start:b1, x:b8, key:b8) returns (y:b8, done:b1)
vars go:b8, turned:b8
state s:b8, ring:b4
let
  go = (start, start, start, start, start, start, start, start);
  turned = (s <<< 1) ^ ((s <<< 2) & s) ^ key;
  y = s;
  done = ring[3];
  next s[0..6] = (go[0..6] & x[0..6]) | (~go[0..6] & turned[0..6]);
  next s[7] = (start & x[7]) | (~start & (turned[7] ^ ring[1]));
  next ring[0] = start;
  next ring[1..3] = ring[0..2];
tel
";

const MANIFEST: &str = "\
name = \"core\"
title = \"Core\"
specification = \"none\"
source = \"core.ua\"
slicing = \"B\"

[[instance]]
prefix = \"core\"
key = { bytes = 1 }
step = \"Core\"
run = \"const key; start=1; start=0 until done\"
modes = []
";

const VECTORS: &str = "\
[[block]]
instance = \"core\"
key = \"5a\"
plain = \"c3\"
cipher = \"OUT\"
origin = \"the interpreter, tick by tick\"
";

const SCHEDULE: &str = "start=1; start=0 until done";

/// What the core makes of `c3` under the key `5a`: stepped, and read after the tick in which it is done.
fn stepped(file: &str) -> String {
    let tick = |start: u8| format!(r#"{{"start": {start}, "x": "11000011", "key": "01011010"}}"#);
    let input = format!("[[{}, {}]]", tick(1), tick(0));
    let done = nakiri_with(&["run", file, "--ticks", "5", "--in", "-"], &input);
    let last = done.out.lines().rev().find(|line| line.contains("\"y\"")).expect("a tick");
    assert!(last.contains("\"done\": 1"), "{}{}", done.out, done.err);
    let (_, rest) = last.split_once("\"y\": \"").expect("an output");
    rest[..8].to_string()
}

#[test]
fn a_run_gives_what_the_last_tick_gives() {
    let folder = Folder::new("a_run");
    let file = folder.write("core.ua", CORE);
    let wanted = stepped(&file);
    let input = r#"{"x": "11000011", "key": "01011010"}"#;
    for engine in ["interp", "c"] {
        let args = ["run", &file, "--run", SCHEDULE, "--engine", engine, "-B", "--in", "-"];
        let done = nakiri_with(&[&args[..], &["--target", "gp64"]].concat(), input);
        assert_eq!(done.out, format!("{{\"y\": \"{wanted}\"}}\n"), "{engine}: {}", done.err);
    }
}

/// Compiles a library with a program that calls its self test.
fn self_test(folder: &Folder, name: &str) {
    let text = format!("#include \"{name}.h\"\nint main(void) {{ return {name}_self_test(); }}\n");
    let main = folder.write("main.c", text);
    let compiler = Compiler::find().expect("a compiler");
    let (library, program) = (folder.path(&format!("{name}.c")), folder.path("program"));
    let files = [Path::new(&main), Path::new(&library)];
    let include = format!("-I{}", folder.path(""));
    compiler
        .compile(&files, &["-O1", "-Wall", "-Werror", &include], Path::new(&program))
        .expect("C");
    let done = Command::new(&program).status().expect("it runs");
    assert!(done.success(), "{done}");
}

#[test]
fn a_library_of_a_run_tests_itself() {
    let folder = Folder::new("library_of_a_run");
    let file = folder.write("core.ua", CORE);
    let args = ["build", &file, "-B", "--target", "gp64", "-o", &folder.path("")];
    let done = nakiri(&[&args[..], &["--run", SCHEDULE]].concat());
    assert_eq!(done.code, 0, "{}", done.err);
    let text = std::fs::read_to_string(folder.path("core.c")).expect("a library");
    assert!(text.contains("8 random blocks of the self test"), "{text}");
    let header = std::fs::read_to_string(folder.path("core.h")).expect("a header");
    let function = "void core_run_blocks(uint8_t *out, const uint8_t *in_x, const uint8_t *in_key, size_t blocks);";
    assert!(header.contains(function), "{header}");
    self_test(&folder, "core");
}

#[test]
fn a_folder_has_runs() {
    let bits = {
        let folder = Folder::new("stepped");
        stepped(&folder.write("core.ua", CORE))
    };
    // In memory the first bit of a list is the lowest.
    let byte = u8::from_str_radix(&bits, 2).expect("bits").reverse_bits();
    let right = format!("{byte:02x}");
    let vectors = VECTORS.replace("OUT", &right);
    for (from, to, message) in [
        ("", "", ""),
        ("until done", "until finished", "cipher.toml:11:42"),
        ("start=1;", "start=2;", "0x2 does not fit the 1 bit of `start`"),
        ("until done\"", "untl done\"", "E0530"),
        ("step = \"Core\"\n", "encrypt = \"Core\"\n", "there is none"),
        ("const key; ", "", "this cipher text does not fit the nodes"),
        (&*right, "00", "the nodes do not compute this cipher text"),
    ] {
        let folder = Folder::new("folder_of_runs");
        folder.write("core.ua", CORE);
        folder.write("cipher.toml", MANIFEST.replacen(from, to, 1));
        let changed = if to == "00" { vectors.replace(from, to) } else { vectors.clone() };
        folder.write("vectors.toml", changed);
        let done = nakiri(&["build", &folder.path(""), "--target", "gp64", "-o", &folder.path("")]);
        assert_eq!(done.code, i32::from(!message.is_empty()), "{to}: {}", done.err);
        assert!(done.err.contains(message), "{to}: {}", done.err);
        if message.is_empty() {
            self_test(&folder, "core");
        }
    }
    let done = nakiri(&["build", "ciphers/counter4", "--run", "rst=1; rst=0 for 3"]);
    assert_eq!(done.code, 2, "{}", done.err);
    assert!(done.err.contains("--run is for files"), "{}", done.err);
}
