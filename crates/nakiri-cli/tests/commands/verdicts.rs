//! The verdicts of `nakiri prove`: proved, agrees as far as compared, differs; what comes of signals, and why a source may be
//! other hardware to a simulator.

use super::{nakiri, nakiri_with, tools, Folder};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};

const TOOLS: &[&str] = &["yosys", "iverilog"];

/// A step of a hash in small: a sum of sums, of which each is added in another order by each way to synthesize it.
const SUMS: &str = "\
module m(input clk, input [31:0] a, b, c, d, e, f, output reg [31:0] t, output reg [31:0] u);
  wire [31:0] r = {c[10:0], c[31:11]} ^ {c[24:0], c[31:25]};
  wire [31:0] s = a + r + ((c & d) ^ (~c & e)) + b - f;
  always @(posedge clk) begin t <= s + ((a & b) | (a & d)); u <= e + s; end
endmodule
";

/// A sum of many words is proved within a proof of none but the cheapest: it is added in one order.
#[test]
fn sums_of_many_words_are_proved() {
    if !tools(TOOLS) {
        return;
    }
    let folder = Folder::new("verdict-sums");
    let file = folder.write("m.v", SUMS);
    let done = nakiri(&["prove", &file, "--target", "gp64", "--ticks", "5", "--require-proof"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert!(done.out.contains("proof: 64 of 64 bits of registers"), "{}", done.out);
    assert!(done.out.ends_with("proved: the kernel is the hardware\n"), "{}", done.out);
}

/// A memory, and a counter that has nothing to do with it.
const MEMORY: &str = "\
module m(input clk, input write, input [3:0] at, from, input [7:0] d, output reg [7:0] q, output reg [3:0] n);
  reg [7:0] kept [0:15];
  always @(posedge clk) begin if (write) kept[at] <= d; q <= kept[from] + d; n <= n + 1; end
endmodule
";

#[test]
fn a_memory_is_proved() {
    if !tools(TOOLS) {
        return;
    }
    let folder = Folder::new("verdict-memory");
    let file = folder.write("m.v", MEMORY);
    let done = nakiri(&["prove", &file, "--target", "gp64", "--ticks", "5", "--require-proof"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert!(done.out.contains("proof: 140 of 140 bits of registers"), "{}", done.out);
}

/// Without time nothing is proved but what is the same at sight, and no less is said than that.
#[test]
fn what_there_was_no_time_for_is_not_proved() {
    if !tools(TOOLS) {
        return;
    }
    let folder = Folder::new("verdict-budget");
    let file = folder.write("m.v", MEMORY);
    let args = ["prove", &file, "--target", "gp64", "--ticks", "5", "--budget", "0s"];
    let done = nakiri(&args);
    assert_eq!(done.code, 3, "{}{}", done.out, done.err);
    for expected in
        ["  not proved: ", ", which is the budget\n", "agrees as far as compared, not proved: "]
    {
        assert!(done.out.contains(expected), "{expected}: {}", done.out);
    }
    assert_eq!(done.out.matches("not proved: ").count(), 2, "{}", done.out);
    let done = nakiri(&[&args[..], &["--require-proof"]].concat());
    assert_eq!(done.code, 1, "{}{}", done.out, done.err);
    let done = nakiri(&[&args[..], &["--json"]].concat());
    assert_eq!(done.code, 3, "{}{}", done.out, done.err);
    let found: serde_json::Value = serde_json::from_str(&done.out).expect("JSON");
    assert_eq!(found["proofs"][0]["ended"], "budget");
    let open = found["proofs"][0]["not_proved"].as_array().expect("a list");
    let bits: u64 = open.iter().filter_map(|open| open["bits"].as_u64()).sum();
    let proved = |of: &str| found["proofs"][0][of]["proved"].as_u64().expect("a number");
    assert_eq!(proved("outputs") + proved("registers") + bits, 12 + 140);
    assert!(found["verdict"].as_str().is_some_and(|verdict| verdict.starts_with("agrees as far")));
}

/// Programs that wait until they are ended, and say in a file that they do.
fn waiting(folder: &Folder, name: &str) -> String {
    let (program, mark) = (folder.path(name), folder.path("waits"));
    let text = format!("#!/bin/sh\n[ \"$1\" = -V ] && exit 0\necho $$ > {mark}.new\nmv {mark}.new {mark}\nexec sleep 1000\n");
    std::fs::write(&program, text).expect("it is ours");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&program, mode).expect("it is ours");
    mark
}

/// `nakiri prove` with the programs of a folder before all others, and with signals as a shell leaves them: a test may run where one is
/// ignored.
fn started(folder: &Folder, args: &[&str]) -> Child {
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", folder.0.display());
    let mut command = Command::new("env");
    command.args(["--default-signal", env!("CARGO_BIN_EXE_nakiri")]).env("NAKIRI_CIRCUITS", "off");
    command.args(args).env("PATH", path).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("nakiri starts")
}

/// A signal while Yosys or a simulator is running: it is said, the exit code is the signal's, and nothing goes on.
#[test]
fn a_signal_is_no_verdict() {
    if !tools(TOOLS) {
        return;
    }
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        for (program, json) in [("yosys", false), ("iverilog", false), ("iverilog", true)] {
            let folder = Folder::new(&format!("verdict-{signal}-{program}-{json}"));
            let file = folder.write("m.v", MEMORY);
            let mark = waiting(&folder, program);
            let args = ["prove", &file, "--target", "gp64", "--budget", "1h"];
            let json = if json { &["--json"][..] } else { &[] };
            let mut child = started(&folder, &[&args[..], json].concat());
            while !std::path::Path::new(&mark).exists() {
                assert!(child.try_wait().is_ok_and(|ended| ended.is_none()), "{signal} {program}");
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            let told =
                Command::new("kill").arg(format!("-{signal}")).arg(child.id().to_string()).status();
            assert!(told.is_ok_and(|status| status.success()));
            let done = child.wait_with_output().expect("it ends");
            let [out, err] =
                [done.stdout, done.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
            assert_eq!(done.status.code(), Some(code), "{signal} {program}: {out}{err}");
            assert!(err.contains("interrupted"), "{err}");
            assert!(!out.contains("the kernel is") && !out.contains("agrees"), "{out}");
            if program == "iverilog" {
                let said = "interrupted, no verdict: 152 of 152 bits were proved, the simulation did not end";
                assert!(out.contains(said), "{out}");
            }
            let waits = std::fs::read_to_string(&mark).expect("a number");
            let line = std::path::Path::new("/proc").join(waits.trim()).join("cmdline");
            let goes_on =
                || std::fs::read_to_string(&line).is_ok_and(|line| line.contains("sleep"));
            // It was killed; on a busy machine it is gone a little later, and by itself far later than this.
            for _ in 0..1000 {
                if goes_on() {
                    std::thread::sleep(std::time::Duration::from_millis(100));
                }
            }
            assert!(!goes_on(), "{program} goes on after {signal}");
        }
    }
}

/// Designs that Yosys and a simulator take for different hardware, flags, and what is said of why.
const OTHERWISE: [(&str, &[&str], &str); 5] = [
    (
        "module m(input clk, input load_n, input [2:0] v, d, output reg [2:0] q);
           initial q = 0;
           always @(posedge clk or negedge load_n) if (!load_n) q <= v; else q <= d;
         endmodule",
        &[],
        "`q[0]`, `q[1]`, `q[2]` are asynchronously loaded with what is no constant",
    ),
    (
        "module m(input clk, input [1:0] s, input [3:0] a, output reg [3:0] y);
           reg [3:0] k;
           always @* case (s) // synopsys full_case
             0: k = a; 1: k = ~a; 2: k = a ^ 5; endcase
           always @(posedge clk) y <= k;
         endmodule",
        &[],
        "by `full_case` (",
    ),
    (
        "module m(input clk, input rst, input we, input [1:0] w, r, input [1:0] d, output reg [1:0] q);
           reg [1:0] m [0:2]; reg [1:0] s; integer i;
           wire [1:0] t = m[r];
           always @(t) case (t) 0: s = 3; 1: s = 1; 2: s = 0; 3: s = 2; endcase
           always @(posedge clk) if (rst) begin q <= 0; for (i = 0; i < 3; i = i + 1) m[i] <= 0; end
             else begin if (we) m[w] <= d; q <= s; end
         endmodule",
        &["--reset", "rst"],
        "a word outside of an array",
    ),
    (
        "module m(input clk, input [3:0] x, output reg [3:0] y);
           always @(posedge clk) begin y <= x; y = ~x; end
         endmodule",
        &[],
        "`y` is assigned by `=` (",
    ),
    (
        "module m(input [3:0] a, input [3:0] b, output reg [3:0] y); always @(a) y = a & b; endmodule",
        &[],
        "lists behind `always @` may be incomplete",
    ),
];

/// The kernel is not accused of what Yosys and a simulator don't agree about, and it is said what that is.
#[test]
fn other_readings_of_a_source_are_explained() {
    if !tools(TOOLS) {
        return;
    }
    let folder = Folder::new("verdict-otherwise");
    for (source, flags, cause) in OTHERWISE {
        let file = folder.write("m.v", format!("{source}\n"));
        let args = ["prove", &file, "--target", "gp64", "--ticks", "40"];
        let done = nakiri(&[&args[..], flags].concat());
        assert_eq!(done.code, 1, "{source}\n{}{}", done.out, done.err);
        assert!(done.err.contains("error: no verdict: "), "{source}\n{}", done.err);
        assert!(done.out.contains(cause), "{cause}\n{}", done.out);
        assert!(!done.out.contains("m[3]"), "{}", done.out);
    }
}

/// `build` says what is assigned in two ways, and where.
#[test]
fn mixed_assignments_are_a_warning() {
    if !tools(TOOLS) {
        return;
    }
    let folder = Folder::new("verdict-mixed");
    let (mixed, _, _) = OTHERWISE[3];
    let (file, out) = (folder.write("m.v", mixed), folder.path("out"));
    let done = nakiri(&["build", &file, "--target", "gp64", "-o", &out]);
    assert_eq!(done.code, 0, "{}", done.err);
    let warning = "warning[E0420]: `y` is assigned by `<=` and by `=` in one block";
    assert_eq!(done.err.matches(warning).count(), 1, "{}", done.err);
}

/// With what never comes left out, the promise of a `case` is kept.
#[test]
fn an_assumption_makes_a_promise_true() {
    if !tools(TOOLS) {
        return;
    }
    let folder = Folder::new("verdict-assume");
    let (promise, _, _) = OTHERWISE[1];
    let file = folder.write("m.v", promise);
    let args = ["prove", &file, "--target", "gp64", "--ticks", "40"];
    for assumed in [&["--assume", "s < 3"][..], &["--assume", "s != 3", "--assume", "a == 4'd9"]] {
        let done = nakiri(&[&args[..], assumed].concat());
        assert_eq!(done.code, 0, "{}{}", done.out, done.err);
        assert!(done.out.contains("assumed: "), "{}", done.out);
        assert!(done.out.contains("proved: the kernel is the hardware"), "{}", done.out);
    }
    for (assumed, code, message) in
        [("s > 3", 2, "holds for no inputs"), ("s <", 1, "syntax error"), ("none", 1, "none")]
    {
        let done = nakiri(&[&args[..], &["--assume", assumed]].concat());
        assert_eq!(done.code, code, "{}{}", done.out, done.err);
        assert!(done.err.contains(message), "{message}: {}", done.err);
    }
}

/// Vectors whose first index is the lower one, with bits that move.
#[test]
fn ascending_vectors_are_not_turned_round() {
    if !tools(TOOLS) {
        return;
    }
    let folder = Folder::new("verdict-upto");
    // The source is simulated as other hardware, so that Yosys' netlist is as well.
    let design = "module m(input clk, input [1:0] s, input [1:4] a, output reg [1:4] r);\n  reg [1:4] k;\n  \
                  always @(s or a) case (s) // synopsys full_case\n    0: k = a; 1: k = ~a; 2: k = {a[4], a[1:3]}; endcase\n  \
                  always @(posedge clk) r <= {k[2], k[1], k[4], k[3]} ^ {r[4], r[1:3]};\nendmodule\n";
    let file = folder.write("m.v", design);
    let done = nakiri(&["prove", &file, "--target", "gp64", "--ticks", "40"]);
    assert_eq!(done.code, 1, "{}{}", done.out, done.err);
    assert!(done.err.contains("error: no verdict: "), "{}", done.err);
    let netlist = "simulation of Yosys' netlist: 10240 bits of 64 lanes × 40 ticks are as in";
    assert!(done.out.contains(netlist), "{}", done.out);
}

/// What runs on while the reset is held has its initial value behind it, as in the kernel.
#[test]
fn what_a_reset_does_not_hold_begins_behind_it() {
    if !tools(TOOLS) {
        return;
    }
    let folder = Folder::new("verdict-running");
    let design = "module part(input clk, output reg [4:0] time_left = 5'd29);\n  \
                  always @(posedge clk) if (time_left != 0) time_left <= time_left - 1;\nendmodule\n\
                  module m(input clk, input rst, input go, output reg [4:0] taken, output busy);\n  wire [4:0] left;\n  \
                  part inside(clk, left);\n  reg [2:0] kept [0:1]; integer i;\n  \
                  initial for (i = 0; i < 2; i = i + 1) kept[i] = 5 - i;\n  assign busy = left != 0;\n  \
                  always @(posedge clk) begin\n    kept[go] <= kept[~go] + 1;\n    if (rst) taken <= 0; \
                  else if (go & ~busy) taken <= taken + kept[0];\n  end\nendmodule\n";
    let file = folder.write("m.v", design);
    let args = ["prove", &file, "--reset", "rst", "--target", "gp64", "--ticks", "60"];
    let done = nakiri(&[&args[..], &["--top", "m"]].concat());
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let said = "it begins behind a reset, in which no tick passes for the kernel; what the reset doesn't hold has its initial value then: ";
    assert!(done.out.contains(said), "{}", done.out);
    assert!(done.out.contains("inside.time_left"), "{}", done.out);
    assert!(!done.out.contains("begin unknown"), "{}", done.out);
}

/// Registers without an initial value begin with 0, those too of which Yosys would make the constant that they get.
#[test]
fn registers_without_an_initial_value_begin_with_0() {
    if !tools(TOOLS) {
        return;
    }
    let folder = Folder::new("verdict-begins");
    let design = "module m(input clk, input rst, input [1:0] a, output reg q, output reg [3:0] r, output reg [1:0] s, t, u);\n  \
                  always @(posedge clk) begin\n    q <= 1;\n    r <= {1'b1, a, 1'b0};\n    s <= (s == 0) ? 1 : s;\n    \
                  if (rst) t <= 2; else t <= 2;\n    if (a[0]) u <= 3;\n  end\nendmodule\n";
    let file = folder.write("m.v", design);
    let out = folder.path("out");
    let input = "{\"a\": \"0x2\", \"rst\": 0}";
    for engine in ["interp", "c"] {
        let args = [
            "run", &file, "--ticks", "2", "--hex", "--target", "gp64", "--engine", engine, "--in",
            "-",
        ];
        let done = nakiri_with(&args, input);
        assert_eq!(done.code, 0, "{}", done.err);
        let found: Vec<serde_json::Value> = serde_json::from_str(&done.out).expect("JSON");
        for (name, first, second) in [
            ("q", "0", "1"),
            ("r", "0x0", "0xc"),
            ("s", "0x0", "0x1"),
            ("t", "0x0", "0x2"),
            ("u", "0x0", "0x0"),
        ] {
            let values =
                [&found[0][name], &found[1][name]].map(|value| value.to_string().replace('"', ""));
            assert_eq!(values, [first, second], "{name}: {}", done.out);
        }
    }
    let done = nakiri(&["build", &file, "--target", "gp64", "-o", &out]);
    assert_eq!(done.code, 0, "{}", done.err);
    let done = nakiri(&["prove", &file, "--target", "gp64", "--ticks", "20"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
}

/// What differs is shown as a waveform: inputs, and outputs of both.
#[test]
fn a_difference_is_written_as_a_waveform() {
    if !tools(TOOLS) {
        return;
    }
    let folder = Folder::new("verdict-vcd");
    let (mixed, _, _) = OTHERWISE[3];
    let (file, waveform) = (folder.write("m.v", mixed), folder.path("m.vcd"));
    let args = ["prove", &file, "--target", "gp64", "--ticks", "20", "--vcd", &waveform];
    let done = nakiri(&args);
    assert_eq!(done.code, 1, "{}{}", done.out, done.err);
    assert!(done.out.contains(&format!("its waveform is in {waveform}")), "{}", done.out);
    let text = std::fs::read_to_string(&waveform).expect("a waveform");
    for expected in ["$scope module lane", "$scope module kernel", "$scope module simulation"] {
        assert_eq!(text.matches(expected).count(), 1, "{expected}: {text}");
    }
    assert_eq!(text.matches(" y [3:0] $end").count(), 2, "{text}");
}

/// Verilator agrees too, about a source and about a memory with first values.
#[test]
fn verilator_simulates() {
    if !tools(&["yosys", "verilator"]) {
        return;
    }
    let folder = Folder::new("verdict-verilator");
    let file = folder.write("m.v", MEMORY);
    let args = ["prove", &file, "--target", "gp64", "--ticks", "20", "--budget", "1h"];
    let args = [&args[..], &["--simulator", "verilator"]].concat();
    let done = nakiri(&args);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    let all = "simulation: 15360 bits of 64 lanes × 20 ticks are as in Verilator";
    assert!(done.out.contains(all), "{}", done.out);
}
