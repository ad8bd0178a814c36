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

#[test]
fn what_is_wrong_is_said() {
    for (args, code, says) in [
        (vec!["1 2 3"], 1, "3 entries"),
        (vec!["1 2 3 4", "--outputs", "2"], 1, "entry 3: 4 doesn't fit"),
        (vec!["1 2 3 x"], 1, "`x` is no number"),
        (vec!["0 256"], 1, "has 9 bits"),
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
