//! Whatever is given as a signature or a key is refused or an error, and never a panic: for every scheme truncated, too long, each
//! byte changed, other numbers, random bytes. A sample; all of them with `NAKIRI_FULL=1`.

mod common;

use common::{bytes, records};
use fastrand::Rng;
use nakiri_sign::slh::{Message, Randomness, Set, SigningKey};
use nakiri_sign::{lms, xmss, Engine, PublicKey};

/// A signature that is right.
struct Subject {
    name: String,
    key: PublicKey,
    message: Vec<u8>,
    signature: Vec<u8>,
}

impl Subject {
    fn assert_refused(&self, forgeries: impl Iterator<Item = Vec<u8>>, what: &str) {
        let engine = Engine::default().with_threads(2);
        let forgeries: Vec<Vec<u8>> =
            forgeries.filter(|forgery| *forgery != self.signature).collect();
        let signed: Vec<(Message, &[u8])> =
            forgeries.iter().map(|forgery| (Message::new(&self.message), &forgery[..])).collect();
        let verdicts = self.key.verify_many(&signed, &engine);
        let accepted = verdicts.iter().position(|right| *right);
        assert!(!signed.is_empty() && accepted.is_none(), "{}: {what} {accepted:?}", self.name);
    }

    fn is_accepted_by(&self, key: &PublicKey) -> bool {
        key.verify(&Message::new(&self.message), &self.signature, &Engine::default())
    }

    /// The key of bytes that are meant to be of the same kind.
    fn key_of(&self, bytes: &[u8]) -> Option<PublicKey> {
        match &self.key {
            PublicKey::Slh(key) => {
                nakiri_sign::slh::VerifyingKey::from_bytes(key.set(), bytes).map(PublicKey::Slh)
            }
            PublicKey::Hss(_) => lms::VerifyingKey::from_bytes(bytes).map(PublicKey::Hss),
            PublicKey::Xmss(key) => {
                xmss::VerifyingKey::from_bytes(key.set().multi, bytes).map(PublicKey::Xmss)
            }
        }
        .ok()
    }
}

fn is_full() -> bool {
    std::env::var_os("NAKIRI_FULL").is_some()
}

fn random(numbers: &mut Rng, bytes: usize) -> Vec<u8> {
    std::iter::repeat_with(|| numbers.u8(..)).take(bytes).collect()
}

/// Of all schemes: the crate's own vectors, and signatures of SLH-DSA that are made here.
fn subjects() -> Vec<Subject> {
    let of_record = |record: std::collections::BTreeMap<String, String>| {
        let public = bytes(&record["PublicKey"]);
        let key = match &record["Params"][..] {
            "HSS" => lms::VerifyingKey::from_bytes(&public).map(PublicKey::Hss),
            scheme => {
                xmss::VerifyingKey::from_bytes(scheme == "XMSSMT", &public).map(PublicKey::Xmss)
            }
        };
        let (message, signature) = (bytes(&record["Msg"]), bytes(&record["Signature"]));
        let name = format!("{} {}", record["Params"], &record["PublicKey"][..8]);
        Subject { name, key: key.expect("a key"), message, signature }
    };
    let engine = Engine::default().with_threads(2);
    let of_set = |set: Set| {
        let seeds = random(&mut Rng::with_seed(9), 3 * set.n);
        let key = SigningKey::from_seeds(set, &seeds, &engine).expect("seeds");
        let message = b"a message".to_vec();
        let signature = key.sign(&Message::new(&message), Randomness::Deterministic, &engine);
        let key = PublicKey::Slh(key.verifying_key().clone());
        Subject { name: set.name.to_string(), key, message, signature: signature.expect("one") }
    };
    let sets = Set::ALL.into_iter().filter(|set| is_full() || set.name.ends_with('f')).map(of_set);
    records(include_str!("vectors/stateful.txt")).into_iter().map(of_record).chain(sets).collect()
}

#[test]
fn signatures_that_were_changed_are_refused() {
    let numbers = &mut Rng::with_seed(1);
    for subject in subjects() {
        assert!(subject.is_accepted_by(&subject.key), "{}", subject.name);
        let (right, length) = (&subject.signature, subject.signature.len());
        let count = if is_full() { length } else { length.min(120) };
        let place = |k: usize, numbers: &mut Rng| match is_full() || k < 40 {
            true => k,
            false => numbers.usize(..length),
        };
        let step = if is_full() { 1 } else { 1 + length / 200 };
        let shorter = (0..length).step_by(step).map(|length| right[..length].to_vec());
        subject.assert_refused(shorter, "truncated");
        let longer = [1, 4, 32, length, 100_000].map(|more| [right, &vec![0; more][..]].concat());
        subject.assert_refused(longer.into_iter(), "too long");
        let flipped: Vec<Vec<u8>> = (0..count)
            .map(|k| {
                let mut flipped = right.clone();
                flipped[place(k, numbers)] ^= 1 << numbers.u32(..8);
                flipped
            })
            .collect();
        subject.assert_refused(flipped.into_iter(), "a bit");
        // Where numbers of trees, types and lengths are, and elsewhere.
        let others: Vec<Vec<u8>> = (0..count / 2)
            .map(|k| {
                let (mut other, at) = (right.clone(), place(k, numbers).min(length - 4));
                let number = [0, 1, u32::MAX, numbers.u32(..), numbers.u32(..32)][k % 5];
                other[at..at + 4].copy_from_slice(&number.to_be_bytes());
                other
            })
            .collect();
        subject.assert_refused(others.into_iter(), "another number");
        let lengths = (0..40).map(|k| if k < 20 { length } else { numbers.usize(..2 * length) });
        let lengths: Vec<usize> = lengths.collect();
        let noise: Vec<Vec<u8>> = lengths.into_iter().map(|l| random(numbers, l)).collect();
        subject.assert_refused(noise.into_iter(), "random bytes");
    }
}

#[test]
fn keys_that_were_changed_accept_nothing() {
    let numbers = &mut Rng::with_seed(2);
    for subject in subjects() {
        let right = subject.key.to_bytes();
        for length in 0..right.len() {
            assert!(subject.key_of(&right[..length]).is_none(), "{}: {length}", subject.name);
        }
        assert!(subject.key_of(&[&right[..], &[0]].concat()).is_none());
        for (place, bit) in (0..right.len()).map(|place| (place, numbers.u32(..8))) {
            let mut flipped = right.clone();
            flipped[place] ^= 1 << bit;
            let accepts = |key: PublicKey| subject.is_accepted_by(&key);
            assert!(!subject.key_of(&flipped).is_some_and(accepts), "{}: {place}", subject.name);
        }
        for _ in 0..50 {
            let bytes = numbers.usize(..200);
            let key = subject.key_of(&random(numbers, bytes));
            assert!(!key.is_some_and(|key| subject.is_accepted_by(&key)), "{}", subject.name);
        }
    }
}

/// What is left of a key in PEM or DER is that key, one that accepts nothing, or none.
#[test]
fn files_of_keys_that_were_changed_are_keys_or_none() {
    let numbers = &mut Rng::with_seed(3);
    let count = if is_full() { 3000 } else { 100 };
    let engine = Engine::default();
    let set = Set::named("SHAKE-128f").expect("a set");
    let private = SigningKey::generate(set, &engine).expect("a key").to_pem().expect("PEM");
    let changed = |right: &[u8], numbers: &mut Rng| {
        let mut file = right.to_vec();
        for _ in 0..numbers.usize(1..4) {
            let place = numbers.usize(..file.len());
            match numbers.u32(..3) {
                0 => file[place] ^= 1 << numbers.u32(..8),
                1 => drop(file.remove(place)),
                _ => file.insert(place, numbers.u8(..)),
            }
        }
        file.truncate(file.len() - numbers.usize(..2) * numbers.usize(..file.len()));
        file
    };
    for subject in subjects() {
        let pem = subject.key.to_pem().expect("PEM");
        for _ in 0..count {
            if let Ok(key) = PublicKey::from_pem(&changed(pem.as_bytes(), numbers)) {
                assert!(key == subject.key || !subject.is_accepted_by(&key), "{}", subject.name);
            }
            let file = changed(private.as_bytes(), numbers);
            if let Ok(key) = SigningKey::from_pem(&file) {
                assert_eq!(key.verifying_key().set(), set);
            }
            let bytes = numbers.usize(..200);
            assert!(PublicKey::from_pem(&random(numbers, bytes)).is_err());
        }
    }
}
