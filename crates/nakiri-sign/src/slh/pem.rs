//! Keys as DER and PEM: PKCS#8 and SubjectPublicKeyInfo, by RFC 9909.

use super::{Set, SigningKey, VerifyingKey};
use crate::pem::{der, public_parts, public_pem, wrong, PRIVATE};
use crate::Error;
use pkcs8::der::asn1::OctetStringRef;
use pkcs8::der::pem::LineEnding;
use pkcs8::der::SecretDocument;
use pkcs8::{AlgorithmIdentifierRef, ObjectIdentifier, PrivateKeyInfoRef};
use zeroize::Zeroizing;

fn other(algorithm: &ObjectIdentifier) -> Error {
    Error::Encoding(format!("{algorithm} is no SLH-DSA"))
}

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
        Set::ALL.into_iter().find(is_it).ok_or_else(|| other(&algorithm.oid))
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
        public_pem(self.set().algorithm(), &self.to_bytes())
    }

    /// The key in SubjectPublicKeyInfo, as PEM or DER.
    ///
    /// # Errors
    /// If it is none, or another algorithm's.
    pub fn from_pem(file: &[u8]) -> Result<VerifyingKey, Error> {
        let (algorithm, bytes) = public_parts(file)?;
        let is_it = |set: &Set| set.algorithm().oid == algorithm;
        let set = Set::ALL.into_iter().find(is_it);
        VerifyingKey::from_bytes(set.ok_or_else(|| other(&algorithm))?, &bytes)
    }
}
