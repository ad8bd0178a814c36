//! Circuits that `nakiri circuit` keeps, and what `nakiri build` makes of them.

use super::*;

/// A table that the compiler makes 14 gates of.
const TABLE: &str = "0 1 2 13 4 7 15 6 8 11 12 9 3 14 10 5";

/// The file of circuits for it.
const FILE: &str = "040aa929a36426344f1640f2266211d9.txt";

/// Thirteen gates for it, no deeper.
const SMALLER: &str = "sbox 4 | 13 gates, standard, depth 5, local search, seed 1
gates: 0^2 1^4 0^3 5&6 4^7 1|7 3>0 9^10 1&4 3^12 1&13 0|7 14^15
outputs: 16 11 8 13
";

/// The sum of three bits, for which two tables of three inputs are found in no time.
const ADDER: [&str; 4] = ["circuit", "0 1 1 2 1 2 2 3", "--basis", "ternary"];

/// Runs `nakiri` with a folder of circuits.
fn with_circuits(circuits: &str, args: &[&str]) -> Done {
    let done = Command::new(env!("CARGO_BIN_EXE_nakiri"))
        .args(args)
        .env("NAKIRI_CIRCUITS", circuits)
        .output()
        .expect("nakiri runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Done { code: done.status.code().unwrap_or(-1), out: text(done.stdout), err: text(done.stderr) }
}

/// The text without its lines.
fn words(text: &str) -> String {
    let words = text.split([' ', '\n', '*']).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn what_was_found_is_kept_once() {
    let folder = Folder::new("keeps");
    let kept = folder.path("circuits");
    for _ in 0..2 {
        let found = with_circuits(&kept, &ADDER);
        assert_eq!(found.code, 0, "{}", found.err);
        let files: Vec<_> = std::fs::read_dir(&kept).expect("a folder").flatten().collect();
        let [file] = &files[..] else { panic!("{files:?}") };
        let text = std::fs::read_to_string(file.path()).expect("text");
        assert_eq!(text, found.out, "in the form of the library");
    }
}

#[test]
fn what_is_kept_is_built_and_what_is_wrong_is_not() {
    let folder = Folder::new("kept");
    let entries = TABLE.replace(' ', ", ");
    let source = format!(
        "table S (x:v4) returns (y:v4) {{ {entries} }}\n\
         node M (x:b4) returns (y:b4) let y = S(x) tel\n"
    );
    let source = folder.write("kept.ua", source);
    let kept = folder.path("circuits");
    let build = |circuits: &str, more: &[&str]| {
        let args = ["build", &source, "-B", "--target", "gp64", "-o", "-", "--explain"];
        let done = with_circuits(circuits, &[&args, more].concat());
        assert_eq!(done.code, 0, "{}", done.err);
        done
    };
    let plain = build("off", &[]);
    assert!(plain.err.contains("a circuit of 14 gates: synthesis"), "{}", plain.err);

    std::fs::create_dir(&kept).expect("a folder");
    let file = Path::new(&kept).join(FILE);
    std::fs::write(&file, SMALLER).expect("written");
    let smaller = build(&kept, &[]);
    let origin = "the table S is a circuit of 13 gates: kept by `nakiri circuit`";
    assert!(smaller.err.contains(origin), "{}", smaller.err);
    let head = "a circuit of 13 gates that `nakiri circuit` kept in the user's cache";
    assert!(words(&smaller.out).contains(head), "{}", smaller.out);
    assert_eq!(build(&kept, &["--no-cache"]).out.replace(" --no-cache", ""), plain.out);

    for wrong in [SMALLER.replace("14^15", "14&15"), "no circuit".to_string()] {
        std::fs::write(&file, wrong).expect("written");
        let built = build(&kept, &[]);
        assert_eq!(built.out, plain.out);
        assert!(built.err.contains("it is not taken"), "{}", built.err);
    }
}

/// A folder that can't be written is no reason to print nothing.
#[test]
fn a_circuit_that_cannot_be_kept_is_printed() {
    let folder = Folder::new("not-kept");
    let circuits = format!("{}/circuits", folder.write("file", ""));
    let found = with_circuits(&circuits, &ADDER);
    assert_eq!(found.code, 0, "{}", found.err);
    assert!(found.out.contains("gates:") && found.err.contains("note: can't"), "{}", found.err);
    let silent = with_circuits(&circuits, &[&ADDER[..], &["--no-cache"]].concat());
    assert!(!silent.err.contains("note:"), "{}", silent.err);
}
