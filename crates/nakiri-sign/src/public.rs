//! Public keys of all schemes, as files have them.

use crate::pem::{public_parts, public_pem};
use crate::{lms, slh, xmss, Engine, Error};
use pkcs8::{AlgorithmIdentifierRef, ObjectIdentifier};

/// The algorithms of stateful keys (RFC 9802, section 3; RFC 9708).
const HSS: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.3.17");
const XMSS: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.6.34");
const XMSSMT: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.6.35");

/// A public key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PublicKey {
    /// SLH-DSA.
    Slh(slh::VerifyingKey),
    /// LMS or HSS.
    Hss(lms::VerifyingKey),
    /// XMSS or XMSS^MT.
    Xmss(xmss::VerifyingKey),
}

impl PublicKey {
    /// The key in SubjectPublicKeyInfo, as PEM or DER.
    ///
    /// # Errors
    /// If it is none, or another algorithm's.
    pub fn from_pem(file: &[u8]) -> Result<PublicKey, Error> {
        let (algorithm, bytes) = public_parts(file)?;
        match algorithm {
            HSS => lms::VerifyingKey::from_bytes(&bytes).map(PublicKey::Hss),
            XMSS => xmss::VerifyingKey::from_bytes(false, &bytes).map(PublicKey::Xmss),
            XMSSMT => xmss::VerifyingKey::from_bytes(true, &bytes).map(PublicKey::Xmss),
            _ => slh::VerifyingKey::from_pem(file).map(PublicKey::Slh),
        }
    }

    /// The key as SubjectPublicKeyInfo in PEM (RFC 9802, RFC 9909).
    ///
    /// # Errors
    /// None is known.
    pub fn to_pem(&self) -> Result<String, Error> {
        let oid = match self {
            PublicKey::Slh(key) => return key.to_pem(),
            PublicKey::Hss(_) => HSS,
            PublicKey::Xmss(key) if key.set().multi => XMSSMT,
            PublicKey::Xmss(_) => XMSS,
        };
        public_pem(AlgorithmIdentifierRef { oid, parameters: None }, &self.to_bytes())
    }

    /// Its bytes, as its standard has them.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            PublicKey::Slh(key) => key.to_bytes(),
            PublicKey::Hss(key) => key.to_bytes(),
            PublicKey::Xmss(key) => key.to_bytes(),
        }
    }

    /// Whether a signature is one of a message. Only SLH-DSA has contexts and hashes before it signs.
    pub fn verify(&self, message: &slh::Message, signature: &[u8], engine: &Engine) -> bool {
        self.verify_many(&[(*message, signature)], engine)[0]
    }

    /// For each message and signature whether it is one of it. Those of many take less time each than one alone.
    pub fn verify_many(&self, signed: &[(slh::Message, &[u8])], engine: &Engine) -> Vec<bool> {
        let bytes: Vec<(&[u8], &[u8])> =
            signed.iter().map(|(message, signature)| (message.bytes, *signature)).collect();
        let verdicts = match self {
            PublicKey::Slh(key) => return key.verify_many(signed, engine),
            PublicKey::Hss(key) => key.verify_many(&bytes, engine),
            PublicKey::Xmss(key) => key.verify_many(&bytes, engine),
        };
        (signed.iter().zip(verdicts))
            .map(|((message, _), right)| message.is_plain() && right)
            .collect()
    }
}
