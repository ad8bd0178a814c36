//! Verification of many signatures at once, of which some are wrong.

mod common;

use common::{bytes, records, Folder};
use nakiri_sign::slh::{Message, Randomness, Set, SigningKey};
use nakiri_sign::stateful::{Scheme, Signer};
use nakiri_sign::{Engine, Function, PublicKey};

/// By every engine, in batches of each size, the verdicts are those that are expected, and those of each signature alone.
fn assert_verdicts(key: &PublicKey, signed: &[(Message, &[u8])], expected: &[bool]) {
    assert!(expected.contains(&true) && expected.contains(&false));
    for name in Engine::names() {
        for threads in [1, 3] {
            let engine = Engine::named(name).expect("one of the names").with_threads(threads);
            assert_eq!(key.verify_many(signed, &engine), expected, "{name}, {threads} threads");
            for count in [0, 1, 2, 5, 17] {
                let few = count.min(signed.len());
                assert_eq!(key.verify_many(&signed[..few], &engine), expected[..few], "{name}");
            }
        }
        let engine = Engine::named(name).expect("one of the names");
        let alone =
            signed.iter().map(|(message, signature)| key.verify(message, signature, &engine));
        assert!(alone.eq(expected.iter().copied()), "{name}");
    }
}

/// Signatures with faults in every third: of the message, of a byte, of the length.
fn with_faults(signatures: &[Vec<u8>]) -> (Vec<Vec<u8>>, Vec<bool>) {
    let faulty = |(k, signature): (usize, &Vec<u8>)| {
        let mut signature = signature.clone();
        let place = (k * 977) % signature.len();
        match k % 9 {
            1 => signature[place] ^= 1 << (k % 8),
            4 => signature.truncate(place),
            7 => signature.push(0),
            _ => return (signature, true),
        }
        (signature, false)
    };
    signatures.iter().enumerate().map(faulty).unzip()
}

#[test]
fn signatures_of_slh_dsa_are_told_from_others() {
    for name in ["SHA2-128f", "SHAKE-128f", "SHA2-192f"] {
        let set = Set::named(name).expect("a set");
        let engine = Engine::default().with_threads(2);
        let seeds: Vec<u8> = (0..3 * set.n as u8).collect();
        let key = SigningKey::from_seeds(set, &seeds, &engine).expect("seeds");
        let texts: Vec<Vec<u8>> = (0..19).map(|k| vec![k as u8; 5 * k]).collect();
        let message = |k: usize| Message {
            bytes: &texts[k],
            context: &texts[k % 3],
            prehash: (k % 4 == 2).then_some(Function::Sha256),
        };
        let sign =
            |k| key.sign(&message(k), Randomness::Deterministic, &engine).expect("a signature");
        let signatures: Vec<Vec<u8>> = (0..texts.len()).map(sign).collect();
        let (signatures, mut expected) = with_faults(&signatures);
        let mut signed: Vec<(Message, &[u8])> = signatures
            .iter()
            .enumerate()
            .map(|(k, signature)| (message(k), &signature[..]))
            .collect();
        // Another context, one that is too long, and another's signature.
        signed[0].0.context = b"another";
        signed[3].0.context = &[0; 256];
        signed[5].1 = &signatures[6];
        expected[0] = false;
        expected[3] = false;
        expected[5] = false;
        assert_verdicts(&PublicKey::Slh(key.verifying_key().clone()), &signed, &expected);
    }
}

/// Of several trees of a layer, too.
#[test]
fn signatures_of_stateful_keys_are_told_from_others() {
    for name in ["LMS-SHA256_H5_W8", "HSS-SHAKE256-192_H5_W4/H5_W8", "XMSSMT-SHA2_20/4_256"] {
        let (folder, scheme) = (Folder::new(), Scheme::named(name).expect("a scheme"));
        let engine = Engine::default().with_threads(2);
        let mut signer = Signer::create(&folder.path("key"), &scheme, &engine).expect("a key");
        let sign = |k: u8| signer.sign(&[k]).expect("a signature");
        let count = if name.starts_with("HSS") { 35 } else { 19 };
        let signatures: Vec<Vec<u8>> = (0..count).map(sign).collect();
        let (signatures, mut expected) = with_faults(&signatures);
        let texts: Vec<[u8; 1]> = (0..count).map(|k| [k]).collect();
        let mut signed: Vec<(Message, &[u8])> =
            texts.iter().zip(&signatures).map(|(text, s)| (Message::new(text), &s[..])).collect();
        signed[2].0.bytes = b"another";
        signed[5].0.context = b"these have none";
        expected[2] = false;
        expected[5] = false;
        assert_verdicts(signer.public_key(), &signed, &expected);
    }
}

/// The same signature several times, of every scheme of the crate's own vectors.
#[test]
fn published_signatures_are_accepted_beside_others() {
    for record in records(include_str!("vectors/stateful.txt")) {
        let (public, message) = (bytes(&record["PublicKey"]), bytes(&record["Msg"]));
        let key = match &record["Params"][..] {
            "HSS" => nakiri_sign::lms::VerifyingKey::from_bytes(&public).map(PublicKey::Hss),
            scheme => nakiri_sign::xmss::VerifyingKey::from_bytes(scheme == "XMSSMT", &public)
                .map(PublicKey::Xmss),
        };
        let signature = bytes(&record["Signature"]);
        let (signatures, expected) =
            with_faults(&[signature.clone(), signature.clone(), signature]);
        let signed: Vec<(Message, &[u8])> =
            signatures.iter().map(|signature| (Message::new(&message), &signature[..])).collect();
        let verdicts = key.expect("a key").verify_many(&signed, &Engine::default());
        assert_eq!(verdicts, expected, "{}", record["PublicKey"]);
    }
}
