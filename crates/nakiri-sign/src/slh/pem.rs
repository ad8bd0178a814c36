//! Keys as DER and PEM: PKCS#8 and SubjectPublicKeyInfo, by RFC 9909.

use super::{Set, SigningKey, VerifyingKey};
use crate::Error;
use pkcs8::der::asn1::{BitStringRef, OctetStringRef};
use pkcs8::der::pem::LineEnding;
use pkcs8::der::SecretDocument;
use pkcs8::spki::SubjectPublicKeyInfoRef;
use pkcs8::{AlgorithmIdentifierRef, ObjectIdentifier, PrivateKeyInfoRef};
use zeroize::Zeroizing;

const PRIVATE: &str = "PRIVATE KEY";
const PUBLIC: &str = "PUBLIC KEY";

impl Set {
    /// Its object identifier, without parameters (RFC 9909, section 3).
    fn algorithm(self) -> AlgorithmIdentifierRef<'static> {
        let family = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3");
        let oid = family.push_arc(u32::from(self.identifier())).expect("two bytes more");
        AlgorithmIdentifierRef { oid, parameters: None }
    }

    /// The set that an algorithm is.
    fn of(algorithm: AlgorithmIdentifierRef) -> Result<Set, Error> {
        let is_it = |set: &Set| set.algorithm() == algorithm;
        let other = || Error::Encoding(format!("{} is no SLH-DSA", algorithm.oid));
        Set::ALL.into_iter().find(is_it).ok_or_else(other)
    }
}

/// What is wrong with an encoding.
fn wrong(problem: impl std::fmt::Display) -> Error {
    Error::Encoding(problem.to_string())
}

/// The DER of a file, which is PEM with a label or DER itself.
fn der(file: &[u8], label: &str) -> Result<SecretDocument, Error> {
    if !file.starts_with(b"-----BEGIN ") {
        return SecretDocument::try_from(file).map_err(wrong);
    }
    let text = std::str::from_utf8(file).map_err(wrong)?;
    let (found, document) = SecretDocument::from_pem(text).map_err(wrong)?;
    match found == label {
        true => Ok(document),
        false => Err(Error::Encoding(format!("it is a {found}, not a {label}"))),
    }
}

impl SigningKey {
    /// The key as PKCS#8 in PEM, as RFC 9909 has it.
    ///
    /// # Errors
    /// None is known.
    pub fn to_pem(&self) -> Result<Zeroizing<String>, Error> {
        let bytes = self.to_bytes();
        let key = OctetStringRef::new(&bytes).map_err(wrong)?;
        let info = PrivateKeyInfoRef::new(self.verifying_key().set().algorithm(), key);
        let document = SecretDocument::encode_msg(&info).map_err(wrong)?;
        document.to_pem(PRIVATE, LineEnding::LF).map_err(wrong)
    }

    /// The key in PKCS#8, as PEM or DER.
    ///
    /// # Errors
    /// If it is none, or another algorithm's.
    pub fn from_pem(file: &[u8]) -> Result<SigningKey, Error> {
        let document = der(file, PRIVATE)?;
        let info: PrivateKeyInfoRef = document.decode_msg().map_err(wrong)?;
        SigningKey::from_bytes(Set::of(info.algorithm)?, info.private_key.as_bytes())
    }
}

impl VerifyingKey {
    /// The key as SubjectPublicKeyInfo in PEM.
    ///
    /// # Errors
    /// None is known.
    pub fn to_pem(&self) -> Result<String, Error> {
        let bytes = self.to_bytes();
        let subject_public_key = BitStringRef::from_bytes(&bytes).map_err(wrong)?;
        let info =
            SubjectPublicKeyInfoRef { algorithm: self.set().algorithm(), subject_public_key };
        let document = SecretDocument::encode_msg(&info).map_err(wrong)?;
        Ok(document.to_pem(PUBLIC, LineEnding::LF).map_err(wrong)?.to_string())
    }

    /// The key in SubjectPublicKeyInfo, as PEM or DER.
    ///
    /// # Errors
    /// If it is none, or another algorithm's.
    pub fn from_pem(file: &[u8]) -> Result<VerifyingKey, Error> {
        let document = der(file, PUBLIC)?;
        let info: SubjectPublicKeyInfoRef = document.decode_msg().map_err(wrong)?;
        let bytes = info.subject_public_key.as_bytes();
        let bytes = bytes.ok_or_else(|| wrong("the key is no whole bytes"))?;
        VerifyingKey::from_bytes(Set::of(info.algorithm)?, bytes)
    }
}
