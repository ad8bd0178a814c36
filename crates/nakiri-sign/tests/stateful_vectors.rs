//! Published vectors of LMS, HSS, XMSS and XMSS^MT.

mod common;

use common::{bytes, records, shared};
use nakiri_sign::{lms, xmss, Engine};
use std::collections::BTreeMap;

type Record = BTreeMap<String, String>;

fn lms_verifies(record: &Record, key: &str, signature: &str, engine: &Engine) -> bool {
    let key = lms::VerifyingKey::from_bytes(&bytes(&record[key])).expect("a key");
    let message = record.get("Msg").or(record.get("msg")).expect("a message");
    key.verify(&bytes(message), &bytes(&record[signature]), engine)
}

/// Signatures of each scheme and hash function, by all kernels, and with one bit changed.
#[test]
fn signatures_of_the_crate_s_own_vectors_are_accepted() {
    let all = records(include_str!("vectors/stateful.txt"));
    for record in &all {
        for name in Engine::names() {
            let engine = Engine::named(name).expect("one of the names");
            let (key, message) = (bytes(&record["PublicKey"]), bytes(&record["Msg"]));
            let mut signature = bytes(&record["Signature"]);
            let verify = |signature: &[u8]| match &record["Params"][..] {
                "HSS" => lms::VerifyingKey::from_bytes(&key)
                    .expect("a key")
                    .verify(&message, signature, &engine),
                scheme => xmss::VerifyingKey::from_bytes(scheme == "XMSSMT", &key)
                    .expect("a key")
                    .verify(&message, signature, &engine),
            };
            assert!(verify(&signature), "{} {name}", record["PublicKey"]);
            let middle = signature.len() / 2;
            signature[middle] ^= 4;
            assert!(!verify(&signature), "{} {name}", record["PublicKey"]);
        }
    }
    assert_eq!(all.len(), 12);
}

/// Each with a signature of which one bit differs.
#[test]
fn lms_signatures_of_liboqs_are_accepted() {
    let mut count = 0;
    for file in FILES_LMS {
        let Some(text) = shared(&format!("liboqs-stateful/lms/{file}.rsp")) else { return };
        // Each field is a record of its own there.
        let mut record: Record = records(&text).into_iter().flatten().collect();
        for (name, value) in &mut record {
            *value = value.trim_matches('"').to_string();
            // Two of ACVP are of LMS alone, which HSS has under a number of levels.
            if text.starts_with("#From") {
                match name.as_str() {
                    "pk" => value.insert_str(0, "00000001"),
                    "sm" => value.insert_str(0, "00000000"),
                    _ => {}
                }
            }
        }
        assert!(lms_verifies(&record, "pk", "sm", &Engine::default()), "{file}");
        let signature = &record["sm"];
        let other = if signature.ends_with('0') { "1" } else { "0" };
        let forged = format!("{}{other}", &signature[..signature.len() - 1]);
        let forged = Record::from([
            ("pk".to_string(), record["pk"].clone()),
            ("msg".to_string(), record["msg"].clone()),
            ("sm".to_string(), forged),
        ]);
        assert!(!lms_verifies(&forged, "pk", "sm", &Engine::default()), "{file}");
        count += 1;
    }
    assert_eq!(count, 18);
}

const FILES_LMS: [&str; 18] = [
    "LMS_SHA256_H5_W1",
    "LMS_SHA256_H5_W2",
    "LMS_SHA256_H5_W4",
    "LMS_SHA256_H5_W8",
    "LMS_SHA256_H5_W8_H5_W8",
    "LMS_SHA256_H10_W1",
    "LMS_SHA256_H10_W2",
    "LMS_SHA256_H10_W4",
    "LMS_SHA256_H10_W4_H5_W8",
    "LMS_SHA256_H10_W8",
    "LMS_SHA256_H15_W1",
    "LMS_SHA256_H15_W2",
    "LMS_SHA256_H15_W4",
    "LMS_SHA256_H15_W8",
    "LMS_SHA256_H20_W1",
    "LMS_SHA256_H20_W2",
    "LMS_SHA256_H20_W4",
    "LMS_SHA256_H20_W8",
];

/// RFC 8554's own, those of SHA-256/192, SHAKE256/192 and SHAKE256, and what is none.
#[test]
fn hss_signatures_are_accepted_as_by_botan() {
    let Some(text) = shared("botan-xmss/hss_lms_verify.vec") else { return };
    let all = records(&text);
    for name in Engine::names() {
        let engine = Engine::named(name).expect("one of the names");
        for record in &all {
            assert!(lms_verifies(record, "PublicKey", "Signature", &engine), "{name}");
        }
    }
    assert_eq!(all.len(), 5);
    let text = shared("botan-slh-dsa/hss_lms_invalid.vec").expect("beside the other");
    let all = records(&text);
    for record in &all {
        let key = lms::VerifyingKey::from_bytes(&bytes(&record["PublicKey"]));
        let (message, signature) = (bytes(&record["Msg"]), bytes(&record["InvalidSignature"]));
        assert!(!key.is_ok_and(|key| key.verify(&message, &signature, &Engine::default())));
    }
    assert_eq!(all.len(), 4);
}

fn xmss_verifies(multi: bool, key: &str, message: &str, signature: &str, engine: &Engine) -> bool {
    let key = xmss::VerifyingKey::from_bytes(multi, &bytes(key)).expect("a key");
    assert_eq!(key.to_bytes().len(), key.set().public_bytes());
    key.verify(&bytes(message), &bytes(signature), engine)
}

#[test]
fn xmss_signatures_of_liboqs_are_accepted() {
    let (mut files, mut count) = (0, 0);
    for set in xmss::Set::all() {
        let file = set.name().replace('/', "-");
        let Some(text) = shared(&format!("liboqs-stateful/xmss/{file}.rsp")) else { continue };
        let fields = records(&text);
        let key = &fields.iter().find(|record| record.contains_key("pk")).expect("a key")["pk"];
        for record in fields.iter().filter(|record| record.contains_key("sm")) {
            let engine = Engine::default();
            let verdict =
                |message: &str| xmss_verifies(set.multi, key, message, &record["sm"], &engine);
            assert!(verdict(&record["msg"]), "{file}");
            assert!(!verdict(&format!("{}00", record["msg"])), "{file}");
            count += 1;
        }
        files += 1;
    }
    assert!(files == 0 || (files, count) == (37, 37), "{files} files, {count} signatures");
}

#[test]
fn xmss_signatures_of_botan_are_accepted() {
    let Some(text) = shared("botan-xmss/xmss_verify.vec") else { return };
    let all = records(&text);
    for record in &all {
        let (key, message) = (&record["PublicKey"], &record["Msg"]);
        for name in Engine::names() {
            let engine = Engine::named(name).expect("one of the names");
            let verdict = xmss_verifies(false, key, message, &record["Signature"], &engine);
            assert!(verdict, "{} {name}", record["Params"]);
        }
    }
    assert_eq!(all.len(), 63);
}
