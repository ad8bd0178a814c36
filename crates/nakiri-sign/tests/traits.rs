//! Keys of SLH-DSA by the traits of the crate `signature`.

use nakiri_sign::slh::{Message, Set, Signature, SigningKey};
use nakiri_sign::Engine;
use signature::{Keypair, SignatureEncoding, Signer, Verifier};

/// Whether a key of any kind signs what its public key accepts, and nothing else. The signature is handed over as bytes.
fn signs<S: SignatureEncoding, K: Signer<S> + Keypair>(key: &K) -> Option<Vec<u8>>
where
    K::VerifyingKey: Verifier<S>,
{
    let bytes = key.try_sign(b"what is signed").ok()?.to_vec();
    let signature = S::try_from(&bytes).ok()?;
    let public = key.verifying_key();
    public.verify(b"what is signed", &signature).ok()?;
    public.verify(b"something else", &signature).is_err().then_some(bytes)
}

#[test]
fn keys_sign_and_verify_by_traits() {
    let engine = Engine::default();
    for name in ["SHA2-128f", "SHAKE-192f"] {
        let set = Set::named(name).expect("a set");
        let key = SigningKey::generate(set, &engine).expect("a key");
        let bytes = signs::<Signature, _>(&key).expect("a signature");
        assert_ne!(signs::<Signature, _>(&key).expect("a signature"), bytes, "a randomizer");
        assert!(key.verifying_key().verify(&Message::new(b"what is signed"), &bytes, &engine));
        assert!(Signature::try_from(&bytes[1..]).is_err());
    }
}

/// What is wrong with a key is told.
#[test]
fn a_key_with_a_wrong_root_signs_nothing() {
    let set = Set::named("SHA2-128f").expect("a set");
    let key = SigningKey::from_bytes(set, &[5; 64]).expect("a key");
    let problem = Signer::<Signature>::try_sign(&key, b"m").expect_err("no signature");
    let source = std::error::Error::source(&problem).expect("what is wrong").to_string();
    assert_eq!(source, "the private key's root is not that of its seeds");
}
