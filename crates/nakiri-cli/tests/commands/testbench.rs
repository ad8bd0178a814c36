//! Test benches of one lane, compiled and driven.

use super::{nakiri, Folder};
use nakiri_verify::cc::{self, SANITIZE, STRICT};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Gives what it got a tick before: a bit, a number, and bytes in order.
const LINE: &str = "\
node Line (go:b1, x:u8, w:u16 @be) returns (y:u8, v:u16 @be, on:b1)
state s:u8 = 7, t:u16, g:b1
let
  (y, v, on) = (s, t, g);
  next s = x;
  next t = w;
  next g = go
tel
";

const COUNT: &str =
    "node Count () returns (y:u8)\nstate n:u8\nlet\n  y = n;\n  next n = n + 1\ntel\n";

/// Builds a step function with its test bench by every compiler, under the sanitizers.
fn benches(folder: &Folder, name: &str, source: &str, more: &[&str]) -> Vec<String> {
    let file = folder.write(&format!("{name}.ua"), source);
    let out = folder.path("");
    let args = ["build", &file, "--testbench", "--target", "gp64,sse2", "-o", &out];
    let done = nakiri(&[&args[..], more].concat());
    assert_eq!(done.code, 0, "{}", done.err);
    let [library, bench] = ["", "_tb"].map(|end| folder.path(&format!("{name}{end}.c")));
    let compiled = cc::all().into_iter().map(|compiler| {
        let program = folder.path(&format!("{name}-{}", compiler.program));
        let flags = [STRICT, SANITIZE].concat();
        let files = [Path::new(&library), Path::new(&bench)];
        compiler.compile(&files, &flags, Path::new(&program)).expect("it compiles");
        program
    });
    let compiled: Vec<String> = compiled.collect();
    assert!(!compiled.is_empty(), "no C compiler");
    std::fs::remove_file(bench).expect("removed");
    compiled
}

fn driven(program: &str, ticks: &str) -> Output {
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    child.stdin.take().expect("a pipe").write_all(ticks.as_bytes()).expect("written");
    child.wait_with_output().expect("it ends")
}

#[test]
fn a_lane_is_driven_tick_by_tick() {
    let folder = Folder::new("testbench");
    for more in [&[][..], &["-B"], &["--shared", "go"]] {
        let inputs = if more.contains(&"--shared") {
            ["a1 1234 1", "2 ABCD 0", "0 0000 0"]
        } else {
            ["1 a1 1234", "0 2 ABCD", "0 0 0000"]
        };
        for program in benches(&folder, "line", LINE, more) {
            let done = driven(&program, &inputs.join("\n"));
            let printed = String::from_utf8(done.stdout).expect("text");
            assert_eq!(printed, "# out_y out_v out_on\n07 0000 0\na1 1234 1\n02 abcd 0\n");
            assert!(done.status.success());
        }
    }
    let keyed = LINE.replace("(go:b1, x", "(k:const u8, go:b1, x").replace("s = x", "s = x ^ k");
    for program in benches(&folder, "keyed", &keyed, &[]) {
        let done = driven(&program, "1 a1 1234\n0 2 ABCD");
        assert_eq!(done.stdout, b"# out_y out_v out_on\n07 0000 0\na1 1234 1\n");
    }
    for program in benches(&folder, "line", LINE, &[]) {
        for (inputs, said) in [
            ("2 0 0000", "tick 0: in_go is no value of 1 bits"),
            ("1 0 0000\n1 100 0000", "tick 1: in_x is no value of 8 bits"),
            ("1 0 000", "tick 0: in_w is no value of 16 bits"),
            ("1 0 000g", "tick 0: in_w"),
            ("1 0", "tick 0: in_w"),
        ] {
            let done = driven(&program, inputs);
            let errors = String::from_utf8(done.stderr).expect("text");
            assert!(errors.contains(said) && done.status.code() == Some(1), "{inputs}: {errors}");
        }
    }
}

#[test]
fn what_has_no_inputs_runs() {
    let folder = Folder::new("testbench-free");
    for program in benches(&folder, "count", COUNT, &[]) {
        let done = driven(&program, "");
        let ticks: String = (0..16).map(|tick| format!("{tick:02x}\n")).collect();
        assert_eq!(String::from_utf8_lossy(&done.stdout), format!("# out\n{ticks}"));
    }
}

#[test]
fn a_test_bench_is_for_step_functions_and_made_once() {
    let folder = Folder::new("testbench-once");
    let file = folder.write("line.ua", LINE);
    let bench = folder.write("line_tb.c", "mine");
    let args = ["build", &file, "--testbench", "--target", "gp64", "-o"];
    let done = nakiri(&[&args[..], &[&folder.path("")]].concat());
    assert!(done.code == 0 && done.err.contains("is left as it is"), "{}", done.err);
    assert_eq!(std::fs::read_to_string(bench).expect("text"), "mine");
    for (args, code, said) in [
        (&["build", &file, "--testbench", "-o", "-"][..], 2, "neither --emit nor -o -"),
        (&["build", &file, "--testbench", "--emit", "rust", "-o", "x"], 2, "neither --emit"),
        (
            &["build", "ciphers/chacha20", "--testbench", "-o", &folder.path("no.c")],
            2,
            "there is none",
        ),
    ] {
        let done = nakiri(args);
        assert!(done.code == code && done.err.contains(said), "{args:?}: {}", done.err);
    }
    assert!(!Path::new(&folder.path("no.c")).exists(), "nothing is left");
}
