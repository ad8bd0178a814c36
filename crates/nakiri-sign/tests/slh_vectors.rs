//! Published vectors of SLH-DSA.

mod common;

use common::{bytes, records, shared};
use nakiri_sign::slh::{Message, Randomness, Set, SigningKey, VerifyingKey};
use nakiri_sign::{Engine, Function};
use serde_json::Value;

/// Keys of seeds, and the digests of signatures, of all sets.
#[test]
fn keys_and_signatures_are_those_of_the_crate_s_own_vectors() {
    let engine = Engine::default().with_threads(2);
    let records = records(include_str!("vectors/slh_dsa.txt"));
    for record in &records {
        let set = Set::named(&record["SphincsParameterSet"]).expect("a set");
        let private = bytes(&record["sk"]);
        let key = SigningKey::from_seeds(set, &private[..3 * set.n], &engine).expect("seeds");
        assert_eq!(*key.to_bytes(), private, "{}", set.name);
        assert_eq!(key.verifying_key().to_bytes(), bytes(&record["pk"]));
        let message = bytes(&record["msg"]);
        let message = Message::new(&message);
        let signature =
            key.sign(&message, Randomness::Deterministic, &engine).expect("a signature");
        let function = if set.shake { Function::Sha3_256 } else { Function::Sha256 };
        assert_eq!(function.digest(&signature), bytes(&record["HashSigDet"]), "{}", set.name);
        assert!(key.verifying_key().verify(&message, &signature, &engine));
    }
    assert_eq!(records.len(), 12);
}

/// Every kind of kernels makes the same signature.
#[test]
fn signatures_are_the_same_by_all_kernels_and_on_many_threads() {
    for set in ["SHA2-128f", "SHA2-192f", "SHAKE-128f", "SHAKE-192f"] {
        let set = Set::named(set).expect("a set");
        let seeds: Vec<u8> = (0..3 * set.n as u8).collect();
        let message = Message { bytes: b"m", context: b"c", prehash: Some(Function::Sha512_256) };
        let all = Engine::names().into_iter().flat_map(|name| {
            let engine = Engine::named(name).expect("one of the names");
            [engine, engine.with_threads(3)]
        });
        let signatures: Vec<Vec<u8>> = all
            .map(|engine| {
                let key = SigningKey::from_seeds(set, &seeds, &engine).expect("seeds");
                let signature = key.sign(&message, Randomness::Deterministic, &engine);
                signature.expect("a signature")
            })
            .collect();
        assert!(signatures.iter().all(|signature| *signature == signatures[0]), "{}", set.name);
    }
}

/// Signatures of Botan's generic test, one with a randomizer.
#[test]
fn signatures_are_those_of_botan() {
    let Some(text) = shared("botan-slh-dsa/slh_dsa_generic.vec") else { return };
    let engine = Engine::default();
    let records = records(&text);
    for record in &records {
        let set = Set::named(&record["Instance"]).expect("a set");
        let key = SigningKey::from_bytes(set, &bytes(&record["PrivateKey"])).expect("a key");
        assert_eq!(key.verifying_key().to_bytes(), bytes(&record["PublicKey"]));
        let nonce = record.get("Nonce").map(|nonce| bytes(nonce));
        let randomness = nonce.as_deref().map_or(Randomness::Deterministic, Randomness::Given);
        let message = bytes(&record["Msg"]);
        let signature = key.sign(&Message::new(&message), randomness, &engine);
        assert_eq!(signature.expect("a signature"), bytes(&record["Signature"]));
    }
    assert_eq!(records.len(), 2);
}

/// The groups of a file of ACVP, with their sets.
fn groups(text: &str) -> Vec<(Set, Vec<Value>)> {
    let all: Value = serde_json::from_str(text).expect("JSON");
    let group = |group: &Value| {
        let name = group["parameterSet"].as_str().expect("a name");
        let tests = group["tests"].as_array().expect("tests");
        (Set::named(name).expect("a set"), tests.clone())
    };
    all["testGroups"].as_array().expect("groups").iter().map(group).collect()
}

fn field(test: &Value, name: &str) -> Vec<u8> {
    bytes(test[name].as_str().expect("a text"))
}

#[test]
fn keys_are_those_of_acvp() {
    let Some(text) = shared("slh-dsa-acvp/keyGen.internalProjection.json") else { return };
    let engine = Engine::default().with_threads(2);
    let mut count = 0;
    for (set, tests) in groups(&text) {
        for test in tests {
            let seeds = ["skSeed", "skPrf", "pkSeed"].map(|name| field(&test, name)).concat();
            let key = SigningKey::from_seeds(set, &seeds, &engine).expect("seeds");
            assert_eq!(*key.to_bytes(), field(&test, "sk"), "{} {}", set.name, test["tcId"]);
            assert_eq!(key.verifying_key().to_bytes(), field(&test, "pk"));
            count += 1;
        }
    }
    assert_eq!(count, 40);
}

#[test]
fn signatures_are_accepted_as_by_acvp() {
    let Some(text) = shared("slh-dsa-acvp/sigVer.internalProjection.json") else { return };
    let (mut accepted, mut refused) = (0, 0);
    for name in Engine::names() {
        let engine = Engine::named(name).expect("one of the names");
        for (set, tests) in groups(&text) {
            for test in tests {
                let key = VerifyingKey::from_bytes(set, &field(&test, "pk")).expect("a key");
                let (message, signature) = (field(&test, "message"), field(&test, "signature"));
                let verdict = key.verify_internal(&message, &signature, &engine);
                assert_eq!(
                    Value::Bool(verdict),
                    test["testPassed"],
                    "{} {}",
                    set.name,
                    test["tcId"]
                );
                *if verdict { &mut accepted } else { &mut refused } += 1;
            }
        }
    }
    assert_eq!(accepted + refused, 45 * Engine::names().len());
    assert!(accepted > 0 && refused > 0);
}
