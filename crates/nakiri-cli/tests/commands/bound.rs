//! `nakiri bound`.

use super::{nakiri, tools, Folder};
use nakiri_verify::cc::Compiler;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn machine_file(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../nakiri-machine/machines");
    std::fs::read_to_string(folder.join(format!("{name}.toml"))).unwrap()
}

fn json(args: &[&str]) -> Value {
    let done = nakiri(args);
    assert_eq!(done.code, 0, "{args:?}: {}", done.err);
    serde_json::from_str(&done.out).unwrap()
}

#[test]
fn kernels_are_bounded() {
    let args = [
        "bound",
        "rectangle",
        "-V",
        "--target",
        "avx2",
        "--machine",
        "zen4",
        "--interleave",
        "1",
        "--json",
    ];
    let shown = &json(&args)[0];
    assert_eq!(shown["bytes"], 128.0);
    let cycles = |bound: &Value| bound["bound"].as_f64().unwrap();
    let (needed, compiled) = (&shown["needed"], &shown["compiled"][0]);
    assert!(cycles(needed) > 100.0 && cycles(compiled) > 0.9 * cycles(needed), "{shown:#}");
    let limits = compiled["limits"].as_object().unwrap();
    let largest = limits.values().filter_map(Value::as_f64).fold(0.0, f64::max);
    assert!((largest - cycles(compiled)).abs() < 1e-3 * largest);
    let done = nakiri(&args[..args.len() - 1]);
    for word in ["vector-logic of 256 bits", "← binds", "per byte", "predicted", "one alone"] {
        assert!(done.out.contains(word), "{word}: {}", done.out);
    }
}

#[test]
fn machines_without_x86_code_bound_the_operations() {
    let args = ["bound", "ascon", "--target", "gp64", "--machine", "cortex-m4", "--json"];
    let shown = &json(&args)[0];
    assert!(shown["compiled"].is_null() && shown["needed"]["machine"] == "cortex-m4", "{shown:#}");
    let done = nakiri(&[&args[..6], &["--measure"]].concat());
    assert_eq!(done.code, 2);
    assert!(done.err.contains("--measure needs a model of this CPU"), "{}", done.err);
}

#[test]
fn chains_are_bounded_by_their_latency() {
    let args = ["bound", "rectangle", "-V", "--target", "gp64", "--machine", "zen4", "--json"];
    let with = |chains: &str| json(&[&args[..], &["--chained", chains]].concat())[0].clone();
    let recurrence = |shown: &Value| shown["compiled"][0]["limits"]["recurrence"].as_f64().unwrap();
    let (one, four) = (with("1"), with("4"));
    assert_eq!(one["compiled"][0]["latency"].as_f64().unwrap(), recurrence(&one));
    assert_eq!(recurrence(&one), 4.0 * recurrence(&four));
}

#[test]
fn object_files_are_bounded() {
    let folder = Folder::new("bound-object");
    let text = "unsigned f(unsigned x, unsigned n);\nunsigned f(unsigned x, unsigned n)\n{\n\
                for (unsigned i = 0; i < n; i++)\n        x = x * 5 ^ 0x9e3779b9;\n    return x;\n}\n";
    let source = folder.write("f.c", text);
    let object = folder.path("f.o");
    let (source, output) = (PathBuf::from(source), PathBuf::from(&object));
    Compiler::find().unwrap().compile(&[&source], &["-O1", "-c"], &output).unwrap();
    let args = ["bound", "--object", &object, "--symbol", "f", "--machine", "zen4", "--json"];
    let shown = &json(&args)[0];
    // x + 4x in one instruction or two, and an exclusive or.
    let recurrence = shown["limits"]["recurrence"].as_f64().unwrap();
    assert!((2.0..=4.0).contains(&recurrence), "{shown:#}");
    assert_eq!(shown["binds"], "recurrence");
    for (last, message) in [
        (["--symbol", "g"], "no function `g`; there are f"),
        (["--loop", "7"], "has 1 innermost loops, not 7"),
        (
            ["--loop", "0"],
            "executes more than 16000000 instructions; if an argument is a number, say so",
        ),
    ] {
        let mut args = vec!["bound", "--object", &object];
        if last[0] != "--symbol" {
            args.extend(["--symbol", "f"]);
        }
        args.extend(["--machine", "zen4"]);
        args.extend(last);
        let done = nakiri(&args);
        assert!(
            done.code != 0 && done.err.contains(message),
            "{args:?}: {} {}",
            done.code,
            done.err
        );
    }
    let call = [&args[..], &["--loop", "0", "--arguments", "1,100"]].concat();
    let whole = json(&call)[0]["instructions"].as_f64().unwrap();
    assert!(whole >= 100.0 * shown["instructions"].as_f64().unwrap(), "{whole}");
    let done = nakiri(&["bound", "--object", "Makefile", "--symbol", "f", "--machine", "zen4"]);
    assert_eq!(done.code, 1, "{}", done.err);
}

#[test]
fn programs_of_the_toy_machine_are_bounded() {
    let shown =
        &json(&["bound", "--program", "tests/bound/sum1.q", "--machine", "toy", "--json"])[0];
    assert_eq!(shown["loops"][0]["total"], 8000.0);
    assert_eq!(shown["as_written"], 8001.0);
    assert_eq!(shown["limits"]["loads"], 1000.0);
    let folder = Folder::new("bound-program");
    let file = folder.write("a.q", "int32 x\nx = 1\ngoto nowhere\n");
    let done = nakiri(&["bound", "--program", &file, "--machine", "toy"]);
    assert_eq!(done.code, 1);
    assert!(done.err.contains("a.q:3: there is no label `nowhere`"), "{}", done.err);
}

/// The loop of the lecture: its figures are 3 cycles for a load, 2 for arithmetic, 1 for a jump.
const DRAWN: &str =
    "  cycle  mem                 alu0                alu1       b                   variables
      0  ·                   result = 0          ctr = 0*   ·                           2
      1  ·                   ·                   ·          ·                           2
      2  tmp = mem32[START+  ·                   ·          ·                           3
      3  ·                   ·                   ·          ·                           3
      4  ·                   ·                   ·          ·                           3
      5  ·                   result += tmp       ctr += 4*  ·                           2
      6  ·                   ·                   ·          ·                           2
      7  ·                   unsigned<? ctr - 4  ·          ·                           2
      8  ·                   ·                   ·          ·                           2
      9  ·                   ·                   ·          goto looptop if un          2
  ports taken: mem 12 %, alu0 25 %, alu1 13 %, b 12 %
  registers alive at most: variables 3
  what follows: --cycles=10..20
";

#[test]
fn programs_of_the_toy_machine_are_drawn() {
    let program = "tests/bound/sum1.q";
    let args = ["bound", "--program", program, "--machine", "toy", "--cycles=0..10"];
    let done = nakiri(&args);
    assert_eq!(done.code, 0, "{}", done.err);
    let (_, drawn) = done.out.split_once("longest chain of results\n\n").expect("a picture");
    assert_eq!(drawn, DRAWN);
}

#[test]
fn kernels_are_drawn() {
    let kernel = ["bound", "rectangle", "-V", "--target", "avx2", "--interleave", "1"];
    let on = |machine: &str, more: &[&str]| {
        nakiri(&[&kernel[..], &["--machine", machine], more].concat())
    };
    let done = on("zen4", &["--cycles", "--json"]);
    let shown: Value = serde_json::from_str(&done.out).unwrap();
    let compiled = &shown[0]["compiled"][0];
    let (schedule, number) = (&compiled["schedule"], |value: &Value| value.as_f64().unwrap());
    let (cycles, predicted) = (number(&schedule["cycles"]), number(&compiled["predicted"]));
    assert!((cycles - predicted).abs() <= 2.0 + 0.1 * predicted, "{cycles} of {predicted}");
    let all = schedule["instructions"].as_array().unwrap();
    let (mut taken, mut chain) = (BTreeSet::new(), 0.0);
    for own in all {
        let (issued, done) = (number(&own["issued"]), number(&own["done"]));
        assert!(issued <= done, "{own:#}");
        if own["critical"].as_bool().unwrap() {
            // Each waits for the one before.
            assert!(done >= chain, "{own:#}");
            chain = done;
        }
        for start in own["started"].as_array().unwrap() {
            let place = (start["cycle"].as_i64().unwrap(), start["port"].as_str().unwrap());
            assert!(place.0 as f64 >= issued.floor() && taken.insert(place), "{own:#}");
        }
        assert!(number(&own["alive"]["vector"]) <= 16.0, "{own:#}");
    }
    assert!(chain > 0.5 * number(&compiled["latency"]), "{chain}");
    let drawn = on("zen4", &["--cycles=4..9"]);
    assert!(drawn.out.contains("*  ") && drawn.out.contains("(vp"), "{}", drawn.out);
    assert!(drawn.out.contains("--cycles=9..14"), "{}", drawn.out);
    for (machine, flag, code, message) in [
        ("zen4", "--cycles=9..4", 2, "cycles are written like `0..48`"),
        ("zen4", "--cycles=all", 2, "cycles are written like `0..48`"),
        ("zen4", "--cycles=9000..9001", 2, "ask for --cycles=0.."),
        ("cortex-a72", "--cycles", 2, "--cycles draws machine code of x86-64"),
    ] {
        let done = on(machine, &[flag]);
        assert_eq!(done.code, code, "{flag}: {}", done.err);
        assert!(done.err.contains(message), "{flag}: {}", done.err);
    }
}

#[test]
fn machine_files_that_lack_something_are_refused() {
    let folder = Folder::new("bound-machine");
    let text = machine_file("zen4");
    let rotate =
        text.lines().find(|line| line.contains("\"vector-rotate\", widths = [512]")).unwrap();
    let file = folder.write("mine.toml", text.replace(rotate, ""));
    let done = nakiri(&["bound", "chacha20", "--target", "avx512", "--machine", &file]);
    assert_eq!(done.code, 1, "{}", done.err);
    assert!(
        done.err.contains("the machine `zen4` has no operation `vector-rotate` of 256 bits")
            || done.err.contains("the machine `zen4` has no operation `vector-rotate` of 512 bits"),
        "{}",
        done.err
    );
    let add = text.lines().find(|line| line.contains("\"add\", widths = [64]")).unwrap();
    let file = folder.write("less.toml", text.replace(add, ""));
    let done = nakiri(&["bound", "chacha20", "--machine", &file]);
    assert_eq!(done.code, 1);
    assert!(done.err.contains("no operation `add` of 64 bits"), "{}", done.err);
    let done = nakiri(&["bound", "chacha20", "--machine", "itanium"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("no machine model and no file `itanium`"), "{}", done.err);
}

/// A design, of several files too, and what a lane computes beside shared control.
#[test]
fn hardware_is_bounded() {
    if !tools(&["yosys"]) {
        return;
    }
    let folder = Folder::new("bound-hardware");
    let part = "module part(input clk, input go, input [7:0] d, output reg [7:0] y);\n  reg [3:0] n;\n  always @(posedge clk) \
                begin n <= go ? 0 : n + 1; if (n == 3) y <= y ^ d; end\nendmodule\n";
    let part = folder.write("part.v", part);
    let top = "module top(input clk, input go, input [7:0] d, output [7:0] y);\n  part p(clk, go, d, y);\nendmodule\n";
    let top = folder.write("top.v", top);
    let args = ["bound", &top, &part, "--target", "gp64", "--machine", "zen4", "--json"];
    let needed = |more: &[&str]| {
        let shown = json(&[&args[..], more].concat()).as_array().unwrap().clone();
        assert_eq!(shown.len(), 1);
        shown[0]["needed"]["bound"].as_f64().unwrap()
    };
    assert!(needed(&["--shared", "go"]) < needed(&[]));
    let done = nakiri(&["bound", "nowhere.v", "--machine", "zen4"]);
    assert!(done.code == 2 && done.err.contains("there is no file `nowhere.v`"), "{}", done.err);
}
