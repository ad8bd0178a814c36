//! Full disks and streams: what can't be written whole isn't there, and no index is used twice.
#![cfg(unix)]

mod common;

use common::Folder;
use std::process::{Command, Output};

/// The command where files have at most so many blocks of 512 bytes (of 1024, says another shell).
fn run(folder: &Folder, blocks: &str, words: &[&str]) -> Output {
    let mut command = Command::new("sh");
    // A write beyond the limit is an error, and no signal.
    command.args(["-c", "trap '' XFSZ; ulimit -f $0; exec \"$@\"", blocks]);
    command.arg(env!("CARGO_BIN_EXE_nakiri-sign")).args(words);
    command.current_dir(folder.path("")).output().expect("a shell")
}

/// What the command says where a file grows too long.
fn assert_full(output: &Output) {
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("File too large"), "{told}");
}

/// What is printed needs room, too; what is only told does not.
#[test]
#[cfg(target_os = "linux")]
fn full_streams_stop_nothing_that_is_done() {
    let folder = Folder::new();
    let at = |stream: &str, words: &[&str]| {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("exec \"$@\" {stream}/dev/full"), "sh"]);
        command.arg(env!("CARGO_BIN_EXE_nakiri-sign")).args(words);
        command.current_dir(folder.path("")).output().expect("a shell")
    };
    std::fs::write(folder.path("m"), b"what is signed").expect("written");
    let keygen = ["keygen", "LMS-SHA256_H5_W8", "-o", "key", "--progress"];
    assert!(at("2>", &keygen).status.success());
    assert!(at("2>", &["sign", "m", "--key", "key"]).status.success());
    let verify = ["verify", "m", "--key", "key.pub"];
    assert!(at("2>", &verify).status.success());
    for words in [&verify[..], &["inspect", "key"], &["inspect", "key.pub"]] {
        let output = at(">", words);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(told.starts_with("error: standard output: No space left"), "{told}");
    }
    assert_eq!(at("2>", &["inspect", "none"]).status.code(), Some(1));
}

fn files(folder: &Folder) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path("")).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_full_disk_loses_nothing() {
    for set in ["LMS-SHA256_H5_W8", "SLH-DSA-SHA2-128f"] {
        let folder = Folder::new();
        std::fs::write(folder.path("m"), b"what is signed").expect("written");
        let (keygen, sign) = (["keygen", set, "-o", "key"], ["sign", "m", "--key", "key"]);
        assert_full(&run(&folder, "0", &keygen));
        assert_eq!(files(&folder), ["m"], "{set}");
        // Room for the key and its records, but neither for nodes nor for signatures.
        assert!(run(&folder, "1", &keygen).status.success(), "{set}");
        let made = files(&folder);
        let before = std::fs::read(folder.path("key")).expect("a key");
        for blocks in ["0", "1", "0", "1"] {
            assert_full(&run(&folder, blocks, &sign));
            assert_eq!(files(&folder), made, "{set}");
            assert_eq!(std::fs::read(folder.path("key")).expect("a key"), before);
        }
        assert!(run(&folder, "unlimited", &sign).status.success());
        let verify = run(&folder, "unlimited", &["verify", "m", "--key", "key.pub"]);
        assert!(verify.status.success(), "{set}");
        if set.starts_with("LMS") {
            // Of two signatures there was no room for, but room for their indices.
            let signature = std::fs::read(folder.path("m.sig")).expect("a signature");
            assert_eq!(signature[4..8], 2_u32.to_be_bytes());
        }
    }
}
