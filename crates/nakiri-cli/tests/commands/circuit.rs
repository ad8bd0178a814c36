//! `nakiri circuit`: what it reads, finds, proves and refuses.

use super::*;
use serde_json::Value;

/// The sum of three bits: a full adder.
const ADDER: &str = "0 1 1 2 1 2 2 3";

fn json(args: &[&str]) -> Value {
    let done = nakiri(&[&["circuit", "--json", "--budget", "20s"], args].concat());
    assert_eq!(done.code, 0, "{}", done.err);
    serde_json::from_str(&done.out).expect("JSON")
}

#[test]
fn minima_are_proved() {
    let chi = "0 5 3 2 6 1 4 7";
    let present = "0xc 5 6 0xb 9 0 0xa 0xd 3 0xe 0xf 8 4 7 1 2";
    for (table, basis, gates) in [
        (ADDER, "standard", 5),
        (ADDER, "ternary", 2),
        (chi, "ternary", 3),
        (present, "ternary", 7),
        ("0 1 2 3", "standard", 0),
        ("1,0", "standard", 1),
    ] {
        let found = json(&[table, "--basis", basis]);
        assert_eq!(found["minimal"], true, "{table} {basis}");
        assert_eq!(found["gates"], gates, "{table} {basis}");
    }
}

#[test]
fn tables_come_from_sources_and_files() {
    let named = json(&["rectangle:SubColumn", "--basis", "ternary"]);
    assert_eq!((&named["gates"], &named["minimal"]), (&Value::from(6), &Value::from(true)));
    let folder = Folder::new("circuit");
    let file = folder.write("adder.txt", "0 1 1 2\n1 2 2 3\n");
    assert_eq!(json(&[&file])["gates"], 5);
    let wide = nakiri(&["circuit", "des:S.e0", "--budget", "1s"]);
    assert_eq!(wide.code, 0, "{}", wide.err);
    assert!(wide.err.contains("not proved minimal"), "{}", wide.err);
}

/// Where no gate complements an operand, complements are instructions: 13 are known for χ of Keccak (Stoffelen, FSE 2016).
#[test]
fn complements_count_where_they_are_instructions() {
    let folder = Folder::new("chi");
    let entries = "0, 5, 10, 11, 20, 17, 22, 23, 9, 12, 3, 2, 13, 8, 15, 14, 18, 21, 24, 27, 6, 1, 4, 7, 26, 29, 16, 19, 30, \
                   25, 28, 31";
    let source = folder.write(
        "chi.ua",
        format!("table C (x:v5) returns (y:v5) {{ {entries} }}\nnode M (x:u64x5) returns (y:u64x5) let y = C(x) tel\n"),
    );
    for (target, instructions) in [("gp64", 13), ("avx2", 10), ("avx512", 5)] {
        let args = ["--target", target, "-V", "--interleave", "1", "--emit", "json", "-o", "-"];
        let done = nakiri(&[&["build", &source], &args[..]].concat());
        let figures: Value = serde_json::from_str(&done.out).expect("JSON");
        assert_eq!(figures["instructions"], instructions, "{target}");
    }
}

#[test]
fn forms() {
    for (form, start) in
        [("text", "sbox 3 |"), ("dot", "digraph"), ("svg", "<svg"), ("usuba", "node")]
    {
        let done = nakiri(&["circuit", ADDER, "--emit", form]);
        assert_eq!(done.code, 0, "{}", done.err);
        assert!(done.out.starts_with(start), "{form}: {}", done.out);
    }
    let node = nakiri(&["circuit", ADDER, "--basis", "ternary", "--emit", "usuba"]).out;
    let folder = Folder::new("circuit-usuba");
    let checked = nakiri(&["check", &folder.write("adder.ua", node)]);
    assert_eq!(checked.code, 0, "{}", checked.err);
}

#[test]
fn matrices() {
    let found = nakiri(&["circuit", "--matrix", "110 011 111", "--budget", "200ms"]);
    assert_eq!(found.code, 0, "{}", found.err);
    assert!(found.out.starts_with("matrix 3 | 3 gates"), "{}", found.out);
}

/// A permutation of eight bits that is searched for far longer than a test lasts.
fn long_search() -> String {
    let entries: Vec<String> = (0..256u32).map(|x| ((x * x + x) / 2 % 256).to_string()).collect();
    entries.join(" ")
}

#[test]
fn the_best_is_kept_when_time_runs_out() {
    for args in [
        vec!["0 1 3 6 10 15 5 12 4 13 7 2 14 11 9 8", "--budget", "0s"],
        vec!["0 1 3 6 10 15 5 12 4 13 7 2 14 11 9 8", "--budget", "300ms", "--minimize", "depth"],
        vec!["--matrix", "1101 0110 0011 1111", "--budget", "0s"],
    ] {
        let done = nakiri(&[&["circuit"], &args[..]].concat());
        assert_eq!(done.code, 0, "{}", done.err);
        assert!(done.err.contains("the budget is used up: the best so far"), "{}", done.err);
        assert!(done.out.contains("outputs: "), "{}", done.out);
    }
}

#[cfg(unix)]
#[test]
fn the_best_is_kept_when_interrupted() {
    use std::process::{Command, Stdio};
    let folder = Folder::new("circuit-interrupt");
    let rows: Vec<String> = (1..65u64).map(|k| format!("{:#x}", k.wrapping_pow(11) | 3)).collect();
    for (name, what) in
        [("table", vec![long_search()]), ("matrix", vec!["--matrix".into(), rows.join(" ")])]
    {
        let path = folder.path(name);
        let mut child = Command::new(env!("CARGO_BIN_EXE_nakiri"))
            .env("NAKIRI_CIRCUITS", "off")
            .args(["circuit", "--budget", "10m", "--jobs", "2", "--output", &path])
            .args(what)
            .stderr(Stdio::piped())
            .spawn()
            .expect("nakiri starts");
        // The first circuit of a table of eight bits takes some seconds where nothing is optimized.
        std::thread::sleep(std::time::Duration::from_secs(2));
        assert!(child.try_wait().expect("a state").is_none(), "{name}: it runs until interrupted");
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
        let done = child.wait_with_output().expect("it ends");
        let err = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success(), "{name}: {err}");
        assert!(err.contains("interrupted: the best so far"), "{name}: {err}");
        let text = std::fs::read_to_string(&path).expect("a circuit");
        assert!(text.contains("gates: ") && text.contains("outputs: "), "{name}: {text}");
    }
}

#[test]
fn several_jobs_find_what_one_does() {
    let chi = "0 5 3 2 6 1 4 7";
    for jobs in ["1", "3"] {
        let found = json(&[chi, "--basis", "ternary", "--jobs", jobs]);
        assert_eq!((&found["gates"], &found["minimal"]), (&3.into(), &true.into()), "{jobs}");
    }
    let sums = ["--matrix", "11100 01110 00111 10011", "--budget", "1s", "--jobs", "2"];
    let done = nakiri(&[&["circuit"], &sums[..]].concat());
    assert!(done.out.starts_with("matrix 5 | "), "{}", done.err);
    let none = nakiri(&["circuit", chi, "--jobs", "0"]);
    assert_eq!(none.code, 2, "{}", none.err);
}

#[test]
fn what_is_wrong_is_said() {
    for (args, code, says) in [
        (vec!["1 2 3"], 1, "3 entries"),
        (vec!["1 2 3 4", "--outputs", "2"], 1, "entry 3: 4 doesn't fit"),
        (vec!["1 2 3 x"], 1, "`x` is no number"),
        (vec!["0 256"], 1, "has 9 bits"),
        (vec!["5"], 1, "1 entries"),
        (vec!["0 1 2 3 4 5"], 1, "2 are missing or 2 too many"),
        (vec!["0 1 2 0x100000000000000000000000000000000"], 1, "is no number"),
        (vec!["rectangle:Nothing"], 1, "there are SubColumn"),
        (vec!["nothing:S"], 2, "no cipher `nothing`"),
        (vec!["nothing"], 2, "neither a table nor a file"),
        (vec!["0 1", "--minimize", "ternary", "--basis", "plain"], 2, "leave one of the two out"),
        (vec!["0 1", "--matrix", "1"], 2, "cannot be used"),
        (vec!["--matrix", "110 01"], 1, "row 1"),
        (vec!["--matrix", "1", "--minimize", "depth"], 2, "fewest gates"),
    ] {
        let done = nakiri(&[&["circuit"], &args[..]].concat());
        assert_eq!(done.code, code, "{args:?}: {}", done.err);
        assert!(done.err.contains(says), "{args:?}: {}", done.err);
        assert!(done.out.is_empty(), "{args:?}");
    }
}
