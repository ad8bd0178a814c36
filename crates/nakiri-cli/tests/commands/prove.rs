//! `nakiri prove`: who is right where a simulation differs from the kernel.

use super::{nakiri, tools, Done, Folder};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

const TOOLS: &[&str] = &["yosys", "iverilog"];

impl Folder {
    /// A script that can be called.
    fn program(&self, name: &str, text: &str) -> String {
        let path = self.write(name, text);
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&path, mode).expect("it is ours");
        path
    }

    /// Runs `nakiri` with the programs of this folder before all others.
    fn nakiri(&self, args: &[&str]) -> Done {
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{path}", self.0.display());
        let done = Command::new(env!("CARGO_BIN_EXE_nakiri"))
            .env("NAKIRI_CIRCUITS", "off")
            .args(args)
            .env("PATH", path)
            .output();
        let done = done.expect("nakiri ends");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        let code = done.status.code().unwrap_or(-1);
        Done { code, out: text(done.stdout), err: text(done.stderr) }
    }
}

/// Registers in an instance and in a memory, which nothing resets and an `if` looks at.
const NEVER_RESET: &str = "\
module part(input clk, input write, input [1:0] at, input [3:0] d, output reg y);
  reg [4:1] seen;
  reg [3:0] kept [0:3];
  always @(posedge clk) begin
    seen <= seen ^ kept[at];
    if (write) kept[at] <= d;
    if (!seen[2]) y <= 1; else y <= 0;
  end
endmodule
module whole(input clk, input write, input [1:0] at, input [3:0] d, output y);
  part inside(clk, write, at, d, y);
endmodule
";

/// A register that is known by the port behind it.
const BEHIND_A_PORT: &str = "\
module part(input clk, input [3:0] d, output [3:0] y);
  reg [3:0] kept;
  assign y = kept;
  always @(posedge clk) if (!kept[0]) kept <= d; else kept <= ~d;
endmodule
module whole(input clk, input [3:0] d, output [3:0] y);
  part inside(clk, d, y);
endmodule
";

/// Registers in generate blocks without a name, of which Icarus Verilog sees and counts others than Yosys: two with the same
/// name, one in a loop, one in an instance, and a memory.
const UNNAMED_BLOCKS: &str = "\
module part #(parameter KIND = 3)(input clk, input d, output y);
  generate
    if (KIND == 1) assign y = d;
    else if (KIND == 2) assign y = ~d;
    else begin
      reg seen;
      always @(posedge clk) if (!seen) seen <= d; else seen <= ~d;
      assign y = seen;
    end
  endgenerate
endmodule
module whole(input clk, input [2:0] d, output [7:0] y);
  genvar k;
  generate
    if (1) if (1) begin
      reg seen;
      always @(posedge clk) if (!seen) seen <= d[0]; else seen <= d[1];
      assign y[0] = seen;
    end
    if (1) begin
      if (1) begin
        reg seen;
        always @(posedge clk) if (!seen) seen <= d[1]; else seen <= d[2];
        assign y[1] = seen;
      end
    end
    for (k = 0; k < 2; k = k + 1) begin
      reg turn;
      always @(posedge clk) if (!turn) turn <= d[k]; else turn <= d[k + 1];
      assign y[2 + k] = turn;
    end
    if (1) begin part inside(clk, d[0], y[4]); end
    if (1) begin
      reg [2:0] kept [0:3];
      wire [2:0] word = kept[d[1:0]];
      always @(posedge clk) if (!word[0]) kept[d[1:0]] <= d; else kept[d[1:0]] <= ~d;
      assign y[7:5] = word;
    end
  endgenerate
endmodule
";

/// The exclusive-or of all that came since the reset.
const SUM: &str = "\
module m(input clk, input rst, input [3:0] d, output reg [3:0] y);
  always @(posedge clk) if (rst) y <= 5; else y <= y ^ d;
endmodule
";

/// A C compiler that takes exclusive-or for or.
const WRONG_COMPILER: &str = "#!/bin/sh\n\
    for file; do case $file in *.c) sed -i 's/ ^ / | /g' \"$file\";; esac; done\n\
    exec cc \"$@\"\n";

/// An `if` on an unknown register takes its `else` in Icarus; with the register at 0 all is compared.
#[test]
fn registers_that_begin_unknown_are_simulated_from_what_the_kernel_has() {
    if !tools(TOOLS) {
        return;
    }
    let folder = Folder::new("prove-unknown");
    let file = folder.write("whole.v", NEVER_RESET);
    let done = nakiri(&["prove", &file, "--top", "whole", "--target", "gp64", "--ticks", "20"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert!(
        done.out.contains("simulation: ") && done.out.contains("ticks compared"),
        "{}",
        done.out
    );
    for name in ["6 bits of registers begin unknown", "inside.seen", "inside.kept[3]"] {
        assert!(done.out.contains(name), "{name}: {}", done.out);
    }
    assert!(
        done.out.contains("simulation: 1280 bits of 64 lanes × 20 ticks are as in"),
        "{}",
        done.out
    );
    assert!(done.err.contains("only one first value was simulated"), "{}", done.err);
}

/// The simulation drives the clocks as the schedule says.
#[test]
fn clocks_at_several_speeds_and_both_edges_are_proved() {
    if !tools(TOOLS) {
        return;
    }
    for (name, clock, reset, bits) in [
        ("two_speeds", "fast,slow;fast", "rst_n", (32, 34)),
        ("double_rate", "clk;!clk", "rst", (3, 5)),
        ("async_fifo", "write_clk;write_clk,read_clk", "rst_n", (10, 62)),
    ] {
        let file = format!("tests/verilog/{name}/{name}.v");
        let args = ["prove", &file, "--target", "gp64", "--ticks", "20"];
        let done = nakiri(&[&args[..], &["--clock", clock, "--reset", reset]].concat());
        assert_eq!(done.code, 0, "{}{}", done.out, done.err);
        let (outputs, registers) = bits;
        for expected in [
            format!("proof: {outputs} of {outputs} bits of outputs equal the netlist's"),
            format!("proof: {registers} of {registers} bits of registers equal the netlist's"),
            format!("simulation: {} bits of 64 lanes × 20 ticks are as in", outputs * 64 * 20),
        ] {
            assert!(done.out.contains(&expected), "{expected}: {}", done.out);
        }
    }
}

/// A name with a point in it is no path: the others are given a value nevertheless.
#[test]
fn a_register_with_an_escaped_name_is_left_out() {
    if !tools(TOOLS) {
        return;
    }
    let folder = Folder::new("prove-escaped");
    let design = "module m(input clk, input [3:0] d, output reg [3:0] y, output reg \\a.b );\n  always @(posedge clk) begin\n    \
                  if (!y[0]) y <= d; else y <= ~d;\n    \\a.b <= d[1];\n  end\nendmodule\n";
    let file = folder.write("m.v", design);
    let done = nakiri(&["prove", &file, "--target", "gp64", "--ticks", "20"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert!(done.out.contains("4 bits of registers begin unknown: y\n"), "{}", done.out);
    assert!(done.err.contains("only one first value was simulated"), "{}", done.err);
}

/// Whatever Yosys and Icarus call them, wherever they stand.
#[test]
fn registers_that_begin_unknown_are_found_by_other_names() {
    if !tools(TOOLS) {
        return;
    }
    let folder = Folder::new("prove-names");
    let designs = [
        ("port.v", BEHIND_A_PORT, "4 bits of registers begin unknown: inside.kept\n"),
        ("blocks.v", UNNAMED_BLOCKS, "17 bits of registers begin unknown: "),
    ];
    for (name, design, begin) in designs {
        let file = folder.write(name, design);
        let done = nakiri(&["prove", &file, "--top", "whole", "--target", "gp64", "--ticks", "20"]);
        assert_eq!(done.code, 0, "{}{}", done.out, done.err);
        assert!(done.out.contains("20 ticks compared"), "{}", done.out);
        assert!(done.out.contains(begin), "{}", done.out);
        assert!(done.out.contains("20 ticks are as in"), "{}", done.out);
        assert!(done.err.contains("only one first value was simulated"), "{}", done.err);
    }
}

/// What there is no time for repeats what was simulated, so that all lanes are compared nevertheless.
#[test]
fn a_simulation_ends_with_its_time() {
    if !tools(TOOLS) {
        return;
    }
    let folder = Folder::new("prove-time");
    let file = folder.write("m.v", SUM);
    let args = ["prove", &file, "--reset", "rst", "--target", "gp64", "--ticks", "20"];
    let done = nakiri(&[&args[..], &["--budget", "1ms"]].concat());
    // What was proved in that time doesn't matter.
    assert!([0, 3].contains(&done.code), "{}{}", done.out, done.err);
    let all = "simulation: 5120 bits of 64 lanes × 20 ticks are as in";
    assert!(done.out.contains(all), "{}", done.out);
    assert!(done.out.contains("there was time for the inputs of 1 of 64 lanes"), "{}", done.out);
    let done = nakiri(&args);
    assert!(!done.out.contains("there was time"), "{}", done.out);
}

/// Yosys takes `always @(a)` for logic of all that is read, Icarus for what the standard says.
#[test]
fn a_source_that_yosys_reads_otherwise_has_no_verdict() {
    if !tools(TOOLS) {
        return;
    }
    let folder = Folder::new("prove-otherwise");
    let design = "module m(input [3:0] a, input [3:0] b, output reg [3:0] y); always @(a) y = a & b; endmodule\n";
    let file = folder.write("m.v", design);
    let done = nakiri(&["prove", &file, "--target", "gp64", "--ticks", "20"]);
    assert_eq!(done.code, 1, "{}{}", done.out, done.err);
    assert!(done.err.contains("no verdict"), "{}", done.err);
    assert!(
        done.out
            .contains("simulation of Yosys' netlist: 5120 bits of 64 lanes × 20 ticks are as in"),
        "{}",
        done.out
    );
}

/// A C compiler that takes exclusive-or for or makes another kernel of it, than the source and Yosys' netlist.
#[test]
fn a_kernel_that_is_neither_the_source_nor_the_netlist_is_wrong() {
    if !tools(TOOLS) {
        return;
    }
    let folder = Folder::new("prove-wrong-cc");
    let file = folder.write("m.v", SUM);
    let compiler = folder.program("wrong-cc", WRONG_COMPILER);
    for reset in [&["--reset", "rst"][..], &[]] {
        let args = ["prove", &file, "--target", "gp64", "--ticks", "20", "--cc", &compiler];
        let done = nakiri(&[&args[..], reset].concat());
        assert_eq!(done.code, 1, "{}{}", done.out, done.err);
        assert!(done.err.contains("the kernel is not the hardware"), "{}", done.err);
        let ends = "ticks compared\n";
        let netlist = done.out.lines().any(|line| {
            line.starts_with("simulation of Yosys' netlist: ") && line.ends_with(ends.trim_end())
        });
        assert!(netlist, "{}", done.out);
    }
}

/// Ports that connect themselves: Yosys takes them, Icarus Verilog 11 doesn't.
const CONNECTED: &str = "\
module part(input logic clk, input logic [3:0] d, output logic [3:0] y);
  always_ff @(posedge clk) y <= y + d;
endmodule
module whole(input logic clk, input logic [3:0] d, output logic [3:0] y);
  part inside(.*);
endmodule
";

/// What Icarus refuses is Yosys' netlist then, and that is said.
#[test]
fn a_source_that_icarus_refuses_is_simulated_as_yosys_netlist() {
    if !tools(TOOLS) {
        return;
    }
    let folder = Folder::new("prove-refused");
    let file = folder.write("whole.sv", CONNECTED);
    let args = ["prove", &file, "--target", "gp64", "--ticks", "20"];
    let done = nakiri(&args);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    for expected in [
        "simulation: Icarus Verilog does not take the source: ",
        "whole.sv:5: syntax error",
        "simulation of Yosys' netlist: 5120 bits of 64 lanes × 20 ticks are as in",
    ] {
        assert!(done.out.contains(expected), "{expected}: {}", done.out);
    }
    let done = nakiri(&[&args[..], &["--json"]].concat());
    let found: Value = serde_json::from_str(&done.out).expect("JSON");
    assert_eq!(found["verdict"], "proved: the kernel is the netlist");
    assert_eq!(found["simulations"][0]["simulated"], "source");
    let refused = found["simulations"][0]["refused"].as_str().expect("a reason");
    assert!(refused.contains("whole.sv:5: syntax error"), "{refused}");
    assert_eq!(found["simulations"][1]["simulated"], "netlist");
    assert_eq!(found["simulations"][1]["compared"], 5120);
    assert_eq!(found["proofs"][0]["outputs"]["proved"], 4);
    // Its runs too.
    let done = nakiri(&[&args[..], &["--run", "for 3"]].concat());
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert!(done.out.contains("simulation of the run of Yosys' netlist: "), "{}", done.out);
}

/// Where nothing can be simulated, it is said what is proved, and that is no success.
#[test]
fn what_can_t_be_simulated_is_proved_at_most() {
    if !tools(TOOLS) {
        return;
    }
    let folder = Folder::new("prove-alone");
    let file = folder.write("m.v", SUM);
    folder.program("iverilog", "#!/bin/sh\necho it crashed\nkill -ABRT $$\n");
    let args = ["prove", &file, "--reset", "rst", "--target", "gp64", "--ticks", "20"];
    let done = folder.nakiri(&args);
    assert_eq!(done.code, 3, "{}{}", done.out, done.err);
    assert!(done.out.contains("does not take the source: it crashed"), "{}", done.out);
    assert!(done.out.contains("does not take that either: it crashed"), "{}", done.out);
    let proved = "agrees as far as compared, not proved: 8 of 8 bits are proved equal to the netlist's; nothing could be simulated";
    assert!(done.out.contains(proved), "{}", done.out);
    let done = folder.nakiri(&[&args[..], &["--require-proof"]].concat());
    assert_eq!(done.code, 1, "{}{}", done.out, done.err);
    assert!(done.err.contains("not proved, which `--require-proof` asks for"), "{}", done.err);
}

/// A simulation in which nothing is known shows nothing; one that begins as the kernel does, does.
#[test]
fn outputs_that_are_never_known_are_simulated_from_what_the_kernel_has() {
    if !tools(TOOLS) {
        return;
    }
    let folder = Folder::new("prove-never");
    let design =
        "module m(input clk, input d, output reg y); always @(posedge clk) y <= y ^ d; endmodule\n";
    let file = folder.write("m.v", design);
    let done = nakiri(&["prove", &file, "--target", "gp64", "--ticks", "20"]);
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    for expected in [
        "simulation: 0 bits of 64 lanes × 20 ticks are as in",
        "  1280 bits (100 %) are unknown there, and not compared",
        "  1 bits of outputs are never known",
        "simulation: 1280 bits of 64 lanes × 20 ticks are as in",
    ] {
        assert!(done.out.contains(expected), "{expected}: {}", done.out);
    }
    assert!(done.err.contains("only one first value was simulated"), "{}", done.err);
}

/// A netlist is simulated too; what is neither proved nor simulated is named.
#[test]
fn a_netlist_is_proved_and_simulated() {
    if !tools(TOOLS) {
        return;
    }
    let folder = Folder::new("prove-netlist");
    let source = folder.write(
        "m.v",
        "module m(input clk, input [5:0] a, b, output reg [11:0] y); always @(posedge clk) y <= a * b; endmodule\n",
    );
    for (ending, writer) in [("json", "write_json"), ("blif", "write_blif -icells")] {
        let netlist = folder.path(&format!("m.{ending}"));
        let script =
            format!("read_verilog {source}; synth -top m; abc -g AND,XOR,MUX; {writer} {netlist}");
        let made = Command::new("yosys").args(["-q", "-p", &script]).status();
        assert!(made.is_ok_and(|status| status.success()));
        let args = ["prove", &netlist, "--target", "gp64", "--ticks", "20"];
        let done = nakiri(&args);
        assert_eq!(done.code, 0, "{}{}", done.out, done.err);
        for expected in [
            "simulation of the netlist: ",
            "20 ticks are as in Icarus Verilog",
            "proved: the kernel is the netlist",
        ] {
            assert!(done.out.contains(expected), "{expected}: {}", done.out);
        }
        let wrong = folder.program("wrong-cc", WRONG_COMPILER);
        let done = nakiri(&[&args[..], &["--cc", &wrong]].concat());
        assert_eq!(done.code, 1, "{}{}", done.out, done.err);
        assert!(done.err.contains("the kernel is not the hardware"), "{}", done.err);
    }
}

/// All simulations of a design share the time, and the lane that differs comes first.
#[test]
fn a_second_simulation_ends_with_the_time_of_the_first() {
    if !tools(TOOLS) {
        return;
    }
    let folder = Folder::new("prove-second");
    let file = folder.write("whole.v", NEVER_RESET);
    let args = ["prove", &file, "--top", "whole", "--target", "gp64", "--ticks", "20"];
    let done = nakiri(&[&args[..], &["--budget", "1ms"]].concat());
    assert!([0, 3].contains(&done.code), "{}{}", done.out, done.err);
    let short = "there was time for the inputs of 1 of 64 lanes";
    assert_eq!(done.out.matches(short).count(), 2, "{}", done.out);
}

/// What all lanes share is computed by a kernel of its own, and both together are the hardware.
#[test]
fn shared_control_is_proved() {
    if !tools(TOOLS) {
        return;
    }
    let folder = Folder::new("prove-shared");
    let design = "module m(input clk, input rst, input go, input [3:0] d, output reg [3:0] y, output reg [4:0] n);\n  \
                  reg [1:0] state;\n  always @(posedge clk) begin\n    if (rst) begin state <= 0; n <= 0; y <= 0; end\n    \
                  else begin\n      state <= go ? 1 : {state[0], ~state[1]};\n      n <= {n[3:0], d[0] ^ state[1]};\n      \
                  if (state[0] ^ go) y <= y ^ d;\n    end\n  end\nendmodule\n";
    let file = folder.write("m.v", design);
    let args = ["prove", &file, "--reset", "rst", "--target", "sse2", "--ticks", "20"];
    for (list, interleave) in [("go", "1"), ("go", "2"), ("go,d", "2")] {
        let more = ["--shared", list, "--interleave", interleave];
        let done = nakiri(&[&args[..], &more].concat());
        assert_eq!(done.code, 0, "{}{}", done.out, done.err);
        assert!(done.out.contains("20 ticks are as in Icarus"), "{}", done.out);
    }
    let wrong = folder.program("wrong-cc", WRONG_COMPILER);
    let done = nakiri(&[&args[..], &["--shared", "go", "--cc", &wrong]].concat());
    assert_eq!(done.code, 1, "{}{}", done.out, done.err);
    assert!(done.err.contains("the kernel is not the hardware"), "{}", done.err);
}
