//! SLH-DSA beside another implementation.

use fips205::traits::{KeyGen, SerDes, Signer, Verifier};
use nakiri_sign::slh::{Message, Randomness, Set, SigningKey};
use nakiri_sign::Engine;

/// Bytes that differ from one place to the next.
fn seeds(bytes: usize, salt: u8) -> Vec<u8> {
    (0..bytes).map(|k| (k as u8).wrapping_mul(37).wrapping_add(salt)).collect()
}

macro_rules! beside {
    ($($module:ident $name:literal $n:literal;)*) => {
        $(
            #[test]
            fn $module() {
                let set = Set::named($name).expect("a set");
                let seeds = seeds(3 * set.n, $name.len() as u8);
                let parts: Vec<&[u8]> = seeds.chunks_exact(set.n).collect();
                let part = |k: usize| parts[k].try_into().expect("n bytes");
                let (public, private) =
                    fips205::$module::KG::keygen_from_seed::<{ $n }>(part(0), part(1), part(2));
                let message = Message { bytes: b"a message", context: b"context", prehash: None };
                let engine = Engine::default().with_threads(2);
                let key = SigningKey::from_seeds(set, &seeds, &engine).expect("seeds");
                assert_eq!(key.verifying_key().to_bytes(), public.clone().into_bytes());
                assert_eq!(*key.to_bytes(), private.clone().into_bytes());
                let signature = key.sign(&message, Randomness::Deterministic, &engine).expect("a signature");
                let theirs = private
                    .try_sign(message.bytes, message.context, false).expect("theirs");
                assert!(signature == theirs, "{}", set.name);
                assert!(public.verify(message.bytes, &theirs, message.context));
                assert!(key.verifying_key().verify(&message, &signature, &engine));
            }
        )*
    };
}

beside! {
    slh_dsa_sha2_128s "SLH-DSA-SHA2-128s" 16;
    slh_dsa_sha2_128f "SLH-DSA-SHA2-128f" 16;
    slh_dsa_sha2_192s "SLH-DSA-SHA2-192s" 24;
    slh_dsa_sha2_192f "SLH-DSA-SHA2-192f" 24;
    slh_dsa_sha2_256s "SLH-DSA-SHA2-256s" 32;
    slh_dsa_sha2_256f "SLH-DSA-SHA2-256f" 32;
    slh_dsa_shake_128s "SLH-DSA-SHAKE-128s" 16;
    slh_dsa_shake_128f "SLH-DSA-SHAKE-128f" 16;
    slh_dsa_shake_192s "SLH-DSA-SHAKE-192s" 24;
    slh_dsa_shake_192f "SLH-DSA-SHAKE-192f" 24;
    slh_dsa_shake_256s "SLH-DSA-SHAKE-256s" 32;
    slh_dsa_shake_256f "SLH-DSA-SHAKE-256f" 32;
}
