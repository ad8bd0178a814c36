//! The traits of the crate `signature`, for code that takes any kind of key: messages as they are, without a context, by the widest
//! kernels on one thread.
//!
//! Stateful keys have none of them, not even `SignerMut`: whoever takes any kind of key may keep copies of it, sign in vain or sign
//! again where something went wrong, and knows nothing of the signatures that are left.

use super::{Message, Randomness, Set, SigningKey, VerifyingKey};
use crate::Engine;
use signature::{Error, KeypairRef, SignatureEncoding, Signer, Verifier};

/// A signature of some parameter set, as bytes (FIPS 205, section 9.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature(Vec<u8>);

impl TryFrom<&[u8]> for Signature {
    type Error = Error;

    /// The signature that these bytes are, if those of any set are as many.
    fn try_from(bytes: &[u8]) -> Result<Signature, Error> {
        match Set::ALL.into_iter().any(|set| set.signature_bytes() == bytes.len()) {
            true => Ok(Signature(bytes.to_vec())),
            false => Err(Error::new()),
        }
    }
}

impl From<Signature> for Vec<u8> {
    fn from(signature: Signature) -> Vec<u8> {
        signature.0
    }
}

impl AsRef<[u8]> for Signature {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl SignatureEncoding for Signature {
    type Repr = Vec<u8>;
}

impl Signer<Signature> for SigningKey {
    /// Signs with a randomizer from the operating system.
    fn try_sign(&self, message: &[u8]) -> Result<Signature, Error> {
        let signature = self.sign(&Message::new(message), Randomness::Hedged, &Engine::default());
        signature.map(Signature).map_err(Error::from_source)
    }
}

impl AsRef<VerifyingKey> for SigningKey {
    fn as_ref(&self) -> &VerifyingKey {
        self.verifying_key()
    }
}

impl KeypairRef for SigningKey {
    type VerifyingKey = VerifyingKey;
}

impl Verifier<Signature> for VerifyingKey {
    fn verify(&self, message: &[u8], signature: &Signature) -> Result<(), Error> {
        match self.verify(&Message::new(message), &signature.0, &Engine::default()) {
            true => Ok(()),
            false => Err(Error::new()),
        }
    }
}
