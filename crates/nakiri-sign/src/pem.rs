//! Keys as DER and PEM.

use crate::Error;
use pkcs8::der::asn1::BitStringRef;
use pkcs8::der::pem::LineEnding;
use pkcs8::der::SecretDocument;
use pkcs8::spki::SubjectPublicKeyInfoRef;
use pkcs8::{AlgorithmIdentifierRef, ObjectIdentifier};

/// The label of PKCS#8.
pub const PRIVATE: &str = "PRIVATE KEY";
/// The label of SubjectPublicKeyInfo.
const PUBLIC: &str = "PUBLIC KEY";

/// What is wrong with an encoding.
pub fn wrong(problem: impl std::fmt::Display) -> Error {
    Error::Encoding(problem.to_string())
}

/// The DER of a file, which is PEM with a label or DER itself.
pub fn der(file: &[u8], label: &str) -> Result<SecretDocument, Error> {
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

/// A public key as SubjectPublicKeyInfo in PEM.
pub fn public_pem(algorithm: AlgorithmIdentifierRef, bytes: &[u8]) -> Result<String, Error> {
    let subject_public_key = BitStringRef::from_bytes(bytes).map_err(wrong)?;
    let info = SubjectPublicKeyInfoRef { algorithm, subject_public_key };
    let document = SecretDocument::encode_msg(&info).map_err(wrong)?;
    Ok(document.to_pem(PUBLIC, LineEnding::LF).map_err(wrong)?.to_string())
}

/// The algorithm and the bytes of a SubjectPublicKeyInfo, as PEM or DER.
pub fn public_parts(file: &[u8]) -> Result<(ObjectIdentifier, Vec<u8>), Error> {
    let document = der(file, PUBLIC)?;
    let info: SubjectPublicKeyInfoRef = document.decode_msg().map_err(wrong)?;
    let bytes = info.subject_public_key.as_bytes();
    let bytes = bytes.ok_or_else(|| wrong("the key is no whole bytes"))?;
    match info.algorithm.parameters {
        None => Ok((info.algorithm.oid, bytes.to_vec())),
        Some(_) => Err(wrong("the algorithm has parameters")),
    }
}
