//! No index is used twice, whatever becomes of the files of a key.

mod common;

use common::Folder;
use nakiri_sign::slh::Message;
use nakiri_sign::stateful::{Scheme, Signer};
use nakiri_sign::{Engine, Error, PublicKey};
use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::{Path, PathBuf};

fn engine() -> Engine {
    Engine::default().with_threads(2)
}

fn create(folder: &Folder, scheme: &str) -> (PathBuf, Signer) {
    let path = folder.path("key");
    let scheme = Scheme::named(scheme).expect("a scheme");
    let signer = Signer::create(&path, &scheme, &engine()).expect("a key");
    (path, signer)
}

/// The index in a signature of LMS, which HSS has behind a number of levels.
fn index(signature: &[u8]) -> u32 {
    u32::from_be_bytes(signature[4..8].try_into().expect("four bytes"))
}

fn verifies(key: &PublicKey, message: &[u8], signature: &[u8]) -> bool {
    key.verify(&Message::new(message), signature, &engine())
}

fn problem(path: &Path) -> String {
    match Signer::open(path, &engine()) {
        Ok(signer) => format!("none: {} are left", signer.remaining()),
        Err(problem) => problem.to_string(),
    }
}

#[test]
fn every_scheme_signs_and_goes_on_where_it_stopped() {
    let schemes = [
        "LMS-SHA256_H5_W4",
        "LMS-SHA256-192_H5_W8",
        "LMS-SHAKE256_H5_W2",
        "HSS-SHA256_H5_W8/H5_W4",
        "HSS-SHAKE256-192_H5_W4/H5_W4/H5_W1",
        "XMSSMT-SHA2_20/4_256",
        "XMSSMT-SHAKE_20/4_256",
    ];
    for scheme in schemes {
        let folder = Folder::new();
        let (path, mut signer) = create(&folder, scheme);
        let key = signer.public_key().clone();
        let pem = key.to_pem().expect("PEM");
        assert_eq!(PublicKey::from_pem(pem.as_bytes()).as_ref(), Ok(&key));
        let all = signer.remaining();
        let first = signer.sign(b"first").expect("a signature");
        assert!(verifies(&key, b"first", &first) && !verifies(&key, b"second", &first), "{scheme}");
        drop(signer);
        let mut signer = Signer::open(&path, &engine()).expect("the key");
        assert_eq!(signer.remaining(), all - 1);
        let second = signer.sign(b"second").expect("a signature");
        assert!(verifies(&key, b"second", &second), "{scheme}");
        for length in [0, 3, 4, 8, first.len() / 2, first.len() - 1] {
            assert!(!verifies(&key, b"first", &first[..length]));
        }
        for place in (0..first.len()).step_by(first.len() / 19) {
            let mut flipped = first.clone();
            flipped[place] ^= 0x40;
            assert!(!verifies(&key, b"first", &flipped), "{scheme}: byte {place}");
        }
        assert!(!verifies(&key, b"first", &[&first[..], &[0]].concat()));
    }
}

#[test]
fn all_indices_are_used_once_and_then_none() {
    let folder = Folder::new();
    let (path, mut signer) = create(&folder, "HSS-SHA256_H5_W8/H5_W8");
    signer.take_ahead(NonZero::new(7).expect("not 0"));
    let key = signer.public_key().clone();
    let mut seen = BTreeSet::new();
    for k in 0..40_u8 {
        let signature = signer.sign(&[k]).expect("a signature");
        assert!(verifies(&key, &[k], &signature));
        seen.insert(signature[4..8].to_vec());
    }
    // Of 40 indices in trees of 32 leaves, the top tree has used two leaves.
    assert_eq!(seen.len(), 2);
    drop(signer);
    let signer = Signer::open(&path, &engine()).expect("the key");
    // Of 42 that were taken, two are lost.
    assert_eq!(signer.remaining(), 1024 - 42);
    drop(signer);
    let folder = Folder::new();
    let (_, mut signer) = create(&folder, "LMS-SHA256_H5_W8");
    let indices: Vec<u32> =
        (0..32).map(|_| index(&signer.sign(b"m").expect("a signature"))).collect();
    assert_eq!(indices, (0..32).collect::<Vec<u32>>());
    assert_eq!(signer.sign(b"m"), Err(Error::Exhausted));
    assert_eq!(signer.remaining(), 0);
}

#[test]
fn what_was_changed_truncated_or_copied_back_is_refused() {
    let folder = Folder::new();
    let (path, mut signer) = create(&folder, "LMS-SHA256_H5_W8");
    assert!(problem(&path).contains("another process signs"), "{}", problem(&path));
    let ending = |ending: &str| folder.path(&format!("key{ending}"));
    let old = std::fs::read(ending(".state")).expect("a record");
    signer.sign(b"m").expect("a signature");
    drop(signer);
    for name in ["", ".state", ".seen"] {
        let file = ending(name);
        let bytes = std::fs::read(&file).expect("a file");
        for place in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[place] ^= 1 << (place % 8);
            std::fs::write(&file, &flipped).expect("written");
            assert!(problem(&path).contains("not as it was written"), "byte {place} of key{name}");
        }
        for length in [0, 1, bytes.len() / 2, bytes.len() - 1] {
            std::fs::write(&file, &bytes[..length]).expect("written");
            assert!(
                problem(&path).contains("not as it was written"),
                "{length} bytes of key{name}"
            );
        }
        std::fs::remove_file(&file).expect("removed");
        assert!(problem(&path).contains("No such file"), "key{name}");
        std::fs::write(&file, bytes).expect("written");
    }
    let new = std::fs::read(ending(".state")).expect("a record");
    std::fs::write(ending(".state"), &old).expect("written");
    assert!(problem(&path).contains("it is older than the last signature"), "{}", problem(&path));
    std::fs::write(ending(".state"), new).expect("written");
    assert_eq!(problem(&path), "none: 31 are left");
    let other = Folder::new();
    drop(create(&other, "LMS-SHA256_H5_W8"));
    std::fs::copy(other.path("key.state"), ending(".state")).expect("copied");
    assert!(problem(&path).contains("it is another key's"), "{}", problem(&path));
}

/// Nodes that are kept may be anything: what they make is no signature, or is made without them.
#[test]
fn kept_nodes_that_were_changed_do_no_harm() {
    let folder = Folder::new();
    let (path, signer) = create(&folder, "LMS-SHA256_H5_W8");
    let key = signer.public_key().clone();
    drop(signer);
    let file = folder.path("key.trees");
    let bytes = std::fs::read(&file).expect("a file");
    let mut indices = BTreeSet::new();
    for place in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[place] ^= 1 << (place % 8);
        std::fs::write(&file, &flipped).expect("written");
        let mut signer = Signer::open(&path, &engine()).expect("the key");
        if place % (bytes.len() / 20) == 0 {
            let signature = signer.sign(b"m").expect("a signature");
            assert!(verifies(&key, b"m", &signature), "byte {place}");
            assert!(indices.insert(index(&signature)));
        }
    }
}

/// A record that can't be written leaves no signature.
#[test]
fn no_signature_leaves_before_its_index_is_on_the_disk() {
    let folder = Folder::new();
    let (_, mut signer) = create(&folder, "LMS-SHA256_H5_W8");
    let record = folder.path("key.state");
    std::fs::remove_file(&record).expect("removed");
    std::fs::create_dir_all(record.join("in the way")).expect("made");
    assert!(matches!(signer.sign(b"m"), Err(Error::File { .. })));
    assert_eq!(signer.remaining(), 32);
}
