//! Processes that sign with one key at once. They are alone in this program, because a child holds the locks of the process that
//! starts it for a moment.

mod common;

use common::Folder;
use nakiri_sign::slh::Message;
use nakiri_sign::stateful::{Scheme, Signer};
use nakiri_sign::Engine;
use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::time::Instant;

/// The index in a signature of LMS, which HSS has behind a number of levels.
fn index(signature: &[u8]) -> u32 {
    u32::from_be_bytes(signature[4..8].try_into().expect("four bytes"))
}

/// How often two processes are killed: 500 processes with `NAKIRI_FULL=1`.
fn rounds() -> usize {
    if std::env::var_os("NAKIRI_FULL").is_some() {
        250
    } else {
        60
    }
}

/// Killed at any moment, they never use an index twice.
#[test]
fn processes_that_are_killed_use_no_index_twice() {
    let folder = Folder::new();
    let path = folder.path("key");
    let scheme = Scheme::named("LMS-SHA256_H10_W8").expect("a scheme");
    let engine = Engine::default().with_threads(2);
    let signer = Signer::create(&path, &scheme, &engine).expect("a key");
    let key = signer.public_key().clone();
    drop(signer);
    let message = folder.path("message");
    std::fs::write(&message, b"m").expect("written");
    let start = |k: usize| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nakiri-sign"));
        command.arg("sign").arg(&message).arg("--key").arg(&path);
        command.args(["--threads", "1", "-o"]).arg(folder.path(&format!("{k}.sig")));
        command.stderr(Stdio::null()).spawn().expect("the command")
    };
    // One that is left alone says how long one takes here, on this disk.
    let begin = Instant::now();
    assert!(start(2 * rounds()).wait().expect("it has ended").success());
    let whole = begin.elapsed();
    for k in 0..rounds() {
        let mut processes = [start(2 * k), start(2 * k + 1)];
        std::thread::sleep(whole * (k as u32 * 29 % 61) / 40);
        for process in &mut processes {
            let _ = process.kill();
            process.wait().expect("it has ended");
        }
    }
    let signatures: Vec<Vec<u8>> = (0..=2 * rounds())
        .filter_map(|k| std::fs::read(folder.path(&format!("{k}.sig"))).ok())
        .collect();
    let indices: BTreeSet<u32> = signatures.iter().map(|signature| index(signature)).collect();
    assert_eq!(indices.len(), signatures.len());
    assert!(signatures.iter().all(|signature| key.verify(&Message::new(b"m"), signature, &engine)));
    assert!(!signatures.is_empty());
    let left = Signer::open(&path, &engine).expect("the key").remaining();
    assert!(left <= 1024 - signatures.len() as u64);
}
