//! What is chosen where flags leave it open, and what flags can't ask for together.

use super::nakiri;

const CHACHA20: &[&str] = &["build", "ciphers/chacha20", "-V", "--emit", "json"];

fn chacha20(flags: &[&str]) -> super::Done {
    nakiri(&[CHACHA20, flags].concat())
}

#[test]
fn explain_shows_what_was_weighed_and_why() {
    let flags = ["--target", "avx512", "--explain", "--schedule", "source", "--inline", "all"];
    let done = chacha20(&[&flags[..], &["--unroll", "auto"]].concat());
    assert_eq!(done.code, 0, "{}", done.err);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/explain/chacha20.txt");
    if std::env::var_os("NAKIRI_BLESS").is_some() {
        std::fs::write(path, &done.err).expect("it can be written");
    }
    assert_eq!(done.err, std::fs::read_to_string(path).expect("there is the text"));
    assert!(!done.out.contains("weighed"), "the kernel alone is on standard output");
}

/// The lines of each example of the chapter stand in what its command prints, in this order; `…` is for those between.
#[test]
fn the_chapter_prints_what_is_weighed() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/choices.md");
    let chapter = std::fs::read_to_string(path).expect("the chapter");
    let examples =
        chapter.split("```text\n$ nakiri ").skip(1).filter_map(|rest| rest.split_once("\n```"));
    let mut compared = 0;
    for (example, _) in examples {
        let (command, lines) = example.split_once('\n').expect("a command and what it prints");
        let arguments: Vec<&str> = command.split_whitespace().chain(["-o", "-"]).collect();
        let done = nakiri(&arguments);
        assert_eq!(done.code, 0, "{command}: {}", done.err);
        let mut printed = done.err.lines();
        for line in lines.lines().filter(|line| *line != "…") {
            assert!(
                printed.any(|other| other == line),
                "{command} prints no `{line}`:\n{}",
                done.err
            );
        }
        compared += 1;
    }
    assert!(compared >= 4, "{compared} examples");
}

#[test]
fn flags_decide_before_prices_do() {
    let done = chacha20(&["--target", "avx512", "--explain", "--interleave", "1"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let rows = done.err.lines().filter(|line| line.contains("source") || line.contains("latency"));
    assert!(
        rows.clone().count() > 1 && rows.clone().all(|row| !row.contains(" 2:1 ")),
        "{}",
        done.err
    );
    assert!(done.err.contains("interleave=1:1: nothing else was weighed"), "{}", done.err);
}

#[test]
fn the_text_spills_in_functions_that_spill_much() {
    let rooms = |cipher: &str, spill: &str| {
        let target = format!("gp64:B+unroll=auto+inline=all+schedule=pressure+spill={spill}");
        let done = nakiri(&["build", cipher, "--target", &target, "-o", "-"]);
        assert_eq!(done.code, 0, "{}", done.err);
        done.out.matches("from_b1 = room_b1").count()
    };
    // Two permutations of 320 bits; encryption and decryption of 64.
    let count = |cipher| ["compiler", "explicit", "always"].map(|spill| rooms(cipher, spill));
    assert_eq!(count("ciphers/ascon"), [0, 2, 2]);
    assert_eq!(count("ciphers/des"), [0, 0, 2]);
}

#[test]
fn prices_are_those_of_the_machine() {
    // The 512-bit units of one are twice as many as those of the other.
    let price = |machine: &str| -> f64 {
        let flags = ["--target", "avx512", "--explain", "--machine", machine, "--interleave", "2"];
        let done = chacha20(&flags);
        assert!(done.err.contains(&format!("-V avx512 on {machine}\n")), "{}", done.err);
        let taken = done.err.lines().find(|line| line.contains("taken")).expect("one is taken");
        taken.split_whitespace().nth(4).and_then(|cost| cost.parse().ok()).expect("c/B")
    };
    let (wide, narrow) = (price("zen5"), price("zen4"));
    assert!(1.8 * wide < narrow && narrow < 2.2 * wide, "{wide} {narrow}");
}

#[test]
fn the_slicing_is_chosen_by_price() {
    let build = ["build", "ciphers/rectangle", "--target", "avx512+schedule=source", "-o", "-"];
    let weighed = |machine: &str| {
        let done = nakiri(&[&build[..], &["--explain", "--machine", machine]].concat());
        assert_eq!(done.code, 0, "{}", done.err);
        done
    };
    for machine in ["zen4", "zen5"] {
        let done = weighed(machine);
        // Lines such as `  -B: at least 0.9125 c/B of a message: … ← taken`.
        let lines: Vec<&str> = done.err.lines().filter(|line| line.starts_with("  -")).collect();
        let cost = |line: &str| -> f64 {
            let number = line.split(" c/B").next().and_then(|start| start.split(' ').next_back());
            number.and_then(|number| number.parse().ok()).expect("a price")
        };
        let taken = lines.iter().find(|line| line.contains("taken")).expect("one is taken");
        assert!(lines.len() >= 3 && !taken.contains("at least"), "{}", done.err);
        let least = lines.iter().map(|line| cost(line)).fold(f64::INFINITY, f64::min);
        assert!(cost(taken) <= 1.1 * least + 1e-4, "{}", done.err);
        let direction = taken.trim_start().chars().nth(1).expect("a slicing");
        let head = done.out.lines().find(|line| line.contains("--target")).expect("the command");
        assert!(head.contains(&format!("avx512:{direction}+")), "{head}");
    }
    // What was asked for is not weighed.
    let done = nakiri(&[&build[..], &["--explain", "-H"]].concat());
    assert!(done.err.starts_with("-H avx512 on "), "{}", done.err);
    assert!(!done.err.contains("of a message"), "{}", done.err);
}

#[test]
fn general_purpose_registers_hold_one_word_or_several_by_price() {
    let build = |flags: &[&str]| {
        let build = ["build", "ciphers/rectangle", "-V", "-o", "-"];
        nakiri(&[&build[..], flags].concat())
    };
    let open = build(&["--target", "gp64", "--explain"]);
    assert_eq!(open.code, 0, "{}", open.err);
    let weighed =
        |name: &str| open.err.lines().find(|line| line.starts_with(&format!("  -V {name}: ")));
    let (one, several) = (weighed("gp64").expect("one"), weighed("gp64+swar").expect("several"));
    assert!(!one.contains("taken") && several.ends_with("← taken"), "{}", open.err);
    assert!(open.out.contains("rectangle80 encrypt, gp64+swar V16: "), "{}", open.out);
    let one = build(&["--target", "gp64", "--one-word", "--explain"]);
    assert!(!one.err.contains("swar") && one.out.contains("gp64 V16: "), "{}", one.err);
    assert!(one.out.contains("--one-word"), "the head has the command");
    let own = build(&["--target", "gp64+one-word"]);
    assert!(own.out.contains("--target gp64:V+one-word+"), "{}", own.out);
    let both = build(&["--target", "gp64+swar", "--one-word"]);
    assert_eq!((both.code, both.err.as_str()), (2, "error: gp64+swar has several words in each register, and one-word asks for one: build for gp64\n"));
    // Registers of 64 bits hold one of 64: nothing is open.
    let ascon =
        nakiri(&["build", "ciphers/ascon", "-V", "--target", "gp64", "-o", "-", "--explain"]);
    assert!(ascon.code == 0 && !ascon.err.contains("swar"), "{}", ascon.err);
}

/// Nothing was asked for but the target, and one word in each register is legal for all.
#[test]
fn registers_hold_one_word_where_something_else_of_the_library_needs_that() {
    let folder = super::Folder::new("one-word");
    folder.write(
        "x.ua",
        "node Sum (x:u16x2) returns (y:u16x2) let y = (x[0] + x[1], x[1] ^ x[0]) tel
         node Product (x:u16x2) returns (y:u16x2) let y = (x[0] * x[1], x[1] ^ x[0]) tel
         node Bits (x:b32) returns (y:b32) let y = x ^ (x <<< 1) tel
         mode Hash (message:bytes) returns (h:u16[2])
         vars x:u16[2]
         let
           x = (1, 2);
           forall block:u16[2] in pad(message, 0x80) { x := (x[0] + block[1], x[1] ^ block[0]); }
           h = Product(x);
         tel",
    );
    let head = "name = \"x\"\ntitle = \"X\"\nspecification = \"none\"\nsource = \"x.ua\"\nslicing = \"V\"\n";
    let instance =
        |prefix: &str, what: &str| format!("[[instance]]\nprefix = \"{prefix}\"\n{what}\n");
    let sum = instance("a", "permute = \"Sum\"");
    let path = folder.0.display().to_string();
    for (more, slicings) in [
        ("", ["a permute, gp64+swar V16: "; 2]),
        ("permute = \"Product\"", ["a permute, gp64 V16: ", "b permute, gp64 V16: "]),
        ("permute = \"Bits\"", ["a permute, gp64 V16: ", "b permute, gp64 B1: "]),
        ("mode = \"Hash\"", ["a permute, gp64 V16: ", "b absorb, gp64 V16: "]),
    ] {
        let more = if more.is_empty() { String::new() } else { instance("b", more) };
        folder.write("cipher.toml", [head, &sum, &more].concat());
        let done = nakiri(&["build", &path, "--target", "gp64", "-o", "-"]);
        assert_eq!(done.code, 0, "{more}: {}", done.err);
        for slicing in slicings {
            assert!(done.out.contains(slicing), "{more}: {slicing}\n{}", done.out);
        }
    }
    let source = folder.path("x.ua");
    let done = nakiri(&["build", &source, "--entry", "Hash", "--target", "gp64", "-o", "-"]);
    assert_eq!(done.code, 0, "{}", done.err);
}

#[test]
fn the_head_says_what_was_chosen() {
    let done = nakiri(&["build", "ciphers/chacha20", "-V", "--target", "avx512", "-o", "-"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let command = done.out.lines().find(|line| line.contains("--target")).expect("the command");
    for choice in ["unroll=", "inline=", "interleave=", "schedule=", "short="] {
        assert!(command.contains(choice), "{command}");
    }
}

/// The names of the kernels on rows of ChaCha20's library, one for each number of registers.
fn on_rows(flags: &[&str]) -> usize {
    let command = ["build", "ciphers/chacha20", "--target", "avx2:V", "-o", "-"];
    let done = nakiri(&[&command[..], flags].concat());
    assert_eq!(done.code, 0, "{}", done.err);
    let is_kernel = |line: &&str| line.contains("p32x4") && line.contains("_kernel(__m256i");
    done.out.lines().filter(is_kernel).count()
}

#[test]
fn kernels_on_rows_take_as_few_blocks_as_was_asked_for() {
    assert_eq!(on_rows(&["--short", "never"]), 0);
    assert_eq!(on_rows(&["--short", "3"]), 1);
    assert_eq!(on_rows(&["--short", "7:3"]), 3);
    assert!(on_rows(&[]) > 0, "the fewest blocks are cheaper on rows");
    let done = chacha20(&["--target", "avx2", "--short", "1"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("neither `never` nor a number of blocks"), "{}", done.err);
}

#[test]
fn too_many_batches_are_a_warning_with_the_spills() {
    let done = chacha20(&["--target", "avx2", "--interleave", "4"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(
        done.err
            .starts_with("warning: 4 batches side by side need more than the 16 registers of avx2"),
        "{}",
        done.err
    );
    let fits = chacha20(&["--target", "avx512", "--interleave", "1"]);
    assert_eq!(fits.err, "");
}

#[test]
fn contradictions_are_refused() {
    let done = chacha20(&["--target", "avx2+schedule=latency+schedule=source"]);
    assert_eq!(done.code, 2);
    assert!(
        done.err.contains("`schedule=source` is a choice that was made already"),
        "{}",
        done.err
    );
    let done = chacha20(&["--schedule", "latency", "--schedule", "source"]);
    assert_eq!(done.code, 2);
    let done = chacha20(&["--schedule", "fast"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("source") && done.err.contains("pressure"), "{}", done.err);
    let done = chacha20(&["--target", "avx512", "--machine", "skylake"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("`skylake` has no operation `vector-"), "{}", done.err);
    let done = chacha20(&["--target", "avx2", "--machine", "itanium"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("no machine model and no file `itanium`"), "{}", done.err);
}
