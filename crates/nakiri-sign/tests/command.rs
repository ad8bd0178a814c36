//! The command, as it is called.

mod common;

use common::Folder;
use std::path::Path;
use std::process::{Command, Output};

fn run(folder: &Folder, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nakiri-sign"));
    command.current_dir(folder.path("")).args(words).output().expect("the command")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What it prints where all goes well.
fn told(folder: &Folder, words: &[&str]) -> String {
    let output = run(folder, words);
    assert!(output.status.success(), "{words:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// What it says where something is wrong.
fn failed(folder: &Folder, words: &[&str]) -> String {
    let output = run(folder, words);
    assert_eq!(output.status.code(), Some(1), "{words:?}");
    assert!(output.stdout.is_empty());
    text(&output.stderr)
}

fn files(folder: &Folder) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path("")).expect("a folder");
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.expect("an entry").file_name().to_string_lossy().into_owned()
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

#[test]
fn keys_of_every_kind_sign_what_is_verified() {
    let stateful = &["key", "key.pub", "key.seen", "key.state", "key.trees", "m", "m.sig"][..];
    let stateless = &["key", "key.pub", "m", "m.sig"][..];
    let kinds = [
        ("SLH-DSA-SHA2-128f", stateless),
        ("slh-dsa-shake-128f", stateless),
        ("LMS-SHA256_H5_W8", stateful),
        ("XMSSMT-SHA2_20/4_256", stateful),
    ];
    for (set, expected) in kinds {
        let folder = Folder::new();
        std::fs::write(folder.path("m"), b"what is signed").expect("written");
        told(&folder, &["keygen", set, "-o", "key"]);
        told(&folder, &["sign", "m", "--key", "key"]);
        assert_eq!(files(&folder), expected, "{set}");
        let verify = ["verify", "m", "--key", "key.pub", "--signature", "m.sig"];
        assert_eq!(told(&folder, &verify), "the signature is right\n");
        for file in ["key", "key.pub"] {
            assert!(told(&folder, &["inspect", file]).contains("public key "), "{set}");
        }
        assert_secret(&folder.path("key"));
        std::fs::write(folder.path("m"), b"something else").expect("written");
        let problem = failed(&folder, &verify);
        assert_eq!(problem, "error: m.sig: it is no signature of m by this key\n");
        let again = failed(&folder, &["keygen", set, "-o", "key"]);
        assert!(again.contains("File exists"), "{again}");
        assert_eq!(files(&folder), expected, "{set}");
    }
}

#[cfg(unix)]
fn assert_secret(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[cfg(not(unix))]
fn assert_secret(_: &Path) {}

#[test]
fn contexts_hashes_and_determinism_are_asked_for() {
    let folder = Folder::new();
    std::fs::write(folder.path("m"), b"what is signed").expect("written");
    told(&folder, &["keygen", "SLH-DSA-SHAKE-128f", "-o", "key", "--threads", "1"]);
    let with = ["--context", "for a test", "--prehash", "sha-512/256"];
    let sign = ["sign", "m", "--key", "key", "--deterministic"];
    told(&folder, &[&sign[..], &with, &["-o", "a"]].concat());
    told(&folder, &[&sign[..], &with, &["-o", "b", "--kernels", "gp64"]].concat());
    assert_eq!(std::fs::read(folder.path("a")).ok(), std::fs::read(folder.path("b")).ok());
    let verify = ["verify", "m", "--key", "key.pub", "--signature", "a"];
    told(&folder, &[&verify[..], &with].concat());
    failed(&folder, &verify);
    assert_eq!(
        told(&folder, &["inspect", "a"]),
        "as long as a signature of SLH-DSA-SHA2-128f or SLH-DSA-SHAKE-128f\n"
    );
}

/// Each that is wrong is named.
#[test]
fn several_files_are_verified_at_once() {
    let folder = Folder::new();
    let messages = ["a", "b", "c"];
    told(&folder, &["keygen", "SLH-DSA-SHA2-128f", "-o", "key"]);
    for message in messages {
        std::fs::write(folder.path(message), message).expect("written");
        told(&folder, &["sign", message, "--key", "key"]);
    }
    let verify = [&["verify"][..], &messages, &["--key", "key.pub"]].concat();
    assert_eq!(told(&folder, &verify), "all 3 signatures are right\n");
    let signatures = ["--signature", "a.sig", "--signature", "c.sig", "--signature", "b.sig"];
    assert_eq!(
        failed(&folder, &[&verify[..], &signatures].concat()),
        "error: c.sig: it is no signature of b by this key\nb.sig: it is no signature of c by this key\n"
    );
    let fewer = failed(&folder, &[&verify[..], &signatures[..4]].concat());
    assert_eq!(fewer, "error: there are 2 signatures of 3 files\n");
    std::fs::remove_file(folder.path("b.sig")).expect("removed");
    assert!(failed(&folder, &verify).starts_with("error: b.sig: No such file"));
}

/// Percentages that grow, to the last; and none where nobody asks.
#[test]
fn key_generation_says_how_far_it_is() {
    for (set, leaves) in [("LMS-SHA256_H10_W4", 1024), ("SLH-DSA-SHA2-128f", 8)] {
        let folder = Folder::new();
        let keygen = ["keygen", set, "-o", "key", "--kernels", "gp64", "--threads", "1"];
        let output = run(&folder, &[&keygen[..], &["--progress"]].concat());
        assert!(output.status.success() && output.stdout.is_empty());
        let told = text(&output.stderr);
        let of = format!(" % of {leaves} leaves");
        let percents: Vec<u32> = (told.lines())
            .map(|line| line.trim().strip_suffix(&of).expect("its form").parse().expect("a number"))
            .collect();
        assert!(percents.is_sorted_by(|a, b| a < b) && percents.ends_with(&[100]), "{told}");
        let folder = Folder::new();
        assert!(run(&folder, &keygen).stderr.is_empty());
    }
}

#[test]
fn what_is_wrong_is_said_with_its_file() {
    let folder = Folder::new();
    std::fs::write(folder.path("m"), b"what is signed").expect("written");
    told(&folder, &["keygen", "SLH-DSA-SHA2-128f", "-o", "key"]);
    let cases: [(&[&str], &str); 5] = [
        (
            &["sign", "m", "--key", "key.pub"],
            "key.pub: no key that is known: it is a PUBLIC KEY, not a PRIVATE KEY",
        ),
        (&["sign", "m", "--key", "none"], "none: No such file"),
        (&["sign", "none", "--key", "key"], "none: No such file"),
        (&["sign", "m", "--key", "key", "-o", "none/m.sig"], "none/m.sig: No such file"),
        (&["inspect", "m"], "m: no key that is known"),
    ];
    for (words, expected) in cases {
        let problem = failed(&folder, words);
        assert!(problem.starts_with(&format!("error: {expected}")), "{problem}");
    }
    assert_eq!(files(&folder), ["key", "key.pub", "m"]);
    let set = run(&folder, &["keygen", "SLH-DSA-MD5-128f", "-o", "other"]);
    assert_eq!(set.status.code(), Some(2));
}
