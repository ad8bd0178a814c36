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
fn the_machine_decides() {
    // Four instructions of latency 2 want more than the four chains of a quarter round; two of latency 1 don't.
    let factor = |machine: &str| {
        let flags = ["--target", "avx512", "--schedule", "source", "--machine", machine];
        let done = chacha20(&flags);
        let json: serde_json::Value = serde_json::from_str(&done.out).expect("a document");
        json["blocks_at_once"].as_u64().expect("a number") / 16
    };
    assert_eq!((factor("zen5"), factor("zen4")), (2, 1));
}

#[test]
fn the_head_says_what_was_chosen() {
    let done = nakiri(&["build", "ciphers/chacha20", "-V", "--target", "avx512", "-o", "-"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let command = done.out.lines().find(|line| line.contains("--target")).expect("the command");
    for choice in ["unroll=", "inline=", "interleave=", "schedule="] {
        assert!(command.contains(choice), "{command}");
    }
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
    let done = chacha20(&["--target", "avx2+schedule=latency", "--schedule", "source"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("`--schedule=source` is for all targets, but avx2"), "{}", done.err);
    let same = chacha20(&["--target", "avx2+schedule=source", "--schedule", "source"]);
    assert_eq!(same.code, 0, "{}", same.err);
    let done = chacha20(&["--target", "avx512", "--machine", "skylake"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("`skylake` has no operation `vector-"), "{}", done.err);
    let done = chacha20(&["--target", "avx2", "--machine", "itanium"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("no machine model and no file `itanium`"), "{}", done.err);
}
