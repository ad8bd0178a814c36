//! SLH-DSA beside another implementation.

#[path = "common/fips205.rs"]
mod common;

use fips205::traits::{KeyGen, SerDes, Signer, Verifier};
use nakiri_sign::slh::{Message, Randomness, Set, SigningKey, VerifyingKey};
use nakiri_sign::{Engine, Error, Function};

/// Bytes that differ from one place to the next.
fn seeds(bytes: usize, salt: u8) -> Vec<u8> {
    (0..bytes).map(|k| (k as u8).wrapping_mul(37).wrapping_add(salt)).collect()
}

/// How many keys of each set sign: with `NAKIRI_FULL=1` 100, which takes half an hour.
fn keys() -> u64 {
    if std::env::var_os("NAKIRI_FULL").is_some() {
        100
    } else {
        1
    }
}

/// Random bytes.
fn random(numbers: &mut fastrand::Rng, bytes: usize) -> Vec<u8> {
    std::iter::repeat_with(|| numbers.u8(..)).take(bytes).collect()
}

macro_rules! beside {
    ($($module:ident $name:literal $n:literal;)*) => {
        $(
            #[test]
            fn $module() {
                for number in 0..keys() {
                    let numbers = &mut fastrand::Rng::with_seed(number);
                    let set = Set::named($name).expect("a set");
                    let seeds = random(numbers, 3 * set.n);
                    let parts: Vec<&[u8]> = seeds.chunks_exact(set.n).collect();
                    let part = |k: usize| parts[k].try_into().expect("n bytes");
                    let (public, private) =
                        fips205::$module::KG::keygen_from_seed::<{ $n }>(part(0), part(1), part(2));
                    let (length, most) = (numbers.usize(..500), numbers.usize(..256));
                    let (bytes, context) = (random(numbers, length), random(numbers, most));
                    let message = Message { bytes: &bytes, context: &context, prehash: None };
                    let engine = Engine::default().with_threads(2);
                    let key = SigningKey::from_seeds(set, &seeds, &engine).expect("seeds");
                    assert_eq!(key.verifying_key().to_bytes(), public.clone().into_bytes());
                    assert_eq!(*key.to_bytes(), private.clone().into_bytes());
                    let signature = key.sign(&message, Randomness::Deterministic, &engine);
                    let signature = signature.expect("a signature");
                    let theirs = private.try_sign(&bytes, &context, false).expect("theirs");
                    assert!(signature == theirs, "{}, key {number}", set.name);
                    assert!(public.verify(&bytes, &theirs, &context));
                    assert!(key.verifying_key().verify(&message, &signature, &engine));
                }
            }
        )*
    };
}

common::every_set!(beside);

/// What is no signature of a message is refused, whatever is wrong with it.
#[test]
fn anything_but_a_signature_is_refused() {
    let engine = Engine::default();
    for set in ["SHA2-128f", "SHAKE-256f"].map(|name| Set::named(name).expect("a set")) {
        let key = SigningKey::from_seeds(set, &seeds(3 * set.n, 1), &engine).expect("seeds");
        let public = key.verifying_key();
        let message = Message { bytes: b"a message", context: b"context", prehash: None };
        let signature = key.sign(&message, Randomness::Hedged, &engine).expect("a signature");
        assert!(public.verify(&message, &signature, &engine));
        for length in [0, 1, set.n, signature.len() / 2, signature.len() - 1] {
            assert!(!public.verify(&message, &signature[..length], &engine), "{length} bytes");
        }
        let longer = [&signature[..], &[0]].concat();
        assert!(!public.verify(&message, &longer, &engine));
        for place in (0..signature.len()).step_by(signature.len() / 61).chain([signature.len() - 1])
        {
            let mut flipped = signature.clone();
            flipped[place] ^= 1 << (place % 8);
            assert!(!public.verify(&message, &flipped, &engine), "byte {place}");
        }
        for place in 0..set.public_bytes() {
            let mut bytes = public.to_bytes();
            bytes[place] ^= 1;
            let other = VerifyingKey::from_bytes(set, &bytes).expect("a key");
            assert!(!other.verify(&message, &signature, &engine), "byte {place} of the key");
        }
        let others = [
            Message { bytes: b"a messagf", ..message },
            Message { context: b"", ..message },
            Message { context: &[0; 256], ..message },
            Message { prehash: Some(Function::Sha256), ..message },
        ];
        for other in others {
            assert!(!public.verify(&other, &signature, &engine), "{other:?}");
        }
    }
}

/// Keys of a wrong length, contexts that are too long and roots that are wrong are errors.
#[test]
fn what_makes_no_signature_is_an_error() {
    let engine = Engine::default();
    let set = Set::named("SHAKE-128f").expect("a set");
    for bytes in [0, 63, 65] {
        let expected = Error::KeyLength { expected: 64, found: bytes };
        assert_eq!(SigningKey::from_bytes(set, &vec![0; bytes]).err(), Some(expected));
    }
    assert!(VerifyingKey::from_bytes(set, &[0; 31]).is_err());
    assert!(SigningKey::from_seeds(set, &[0; 47], &engine).is_err());
    let key = SigningKey::from_bytes(set, &[5; 64]).expect("a key");
    let sign = |message: &Message| key.sign(message, Randomness::Deterministic, &engine).err();
    assert_eq!(sign(&Message::new(b"")), Some(Error::WrongRoot));
    let long = Message { context: &[0; 256], ..Message::new(b"") };
    assert_eq!(sign(&long), Some(Error::LongContext));
    let given = key.sign(&Message::new(b""), Randomness::Given(&[0; 15]), &engine);
    assert_eq!(given.err(), Some(Error::NoRandomness));
}
