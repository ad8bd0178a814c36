//! The approved hash functions by name, for messages that are hashed before they are signed.

use super::sha2::{sha256, sha256_from, sha512, sha512_from, sha512_shortened, SHA224, SHA384};
use super::sha3::sponge;

/// A hash function that FIPS 205, section 10.2.2, allows before signing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Function {
    Sha256,
    Sha384,
    Sha512,
    Sha224,
    Sha512_224,
    Sha512_256,
    Sha3_224,
    Sha3_256,
    Sha3_384,
    Sha3_512,
    Shake128,
    Shake256,
}

impl Function {
    /// All, in the order of their object identifiers.
    pub const ALL: [Function; 12] = [
        Function::Sha256,
        Function::Sha384,
        Function::Sha512,
        Function::Sha224,
        Function::Sha512_224,
        Function::Sha512_256,
        Function::Sha3_224,
        Function::Sha3_256,
        Function::Sha3_384,
        Function::Sha3_512,
        Function::Shake128,
        Function::Shake256,
    ];

    /// Its name in FIPS 180-4 or FIPS 202.
    pub fn name(self) -> &'static str {
        match self {
            Function::Sha256 => "SHA-256",
            Function::Sha384 => "SHA-384",
            Function::Sha512 => "SHA-512",
            Function::Sha224 => "SHA-224",
            Function::Sha512_224 => "SHA-512/224",
            Function::Sha512_256 => "SHA-512/256",
            Function::Sha3_224 => "SHA3-224",
            Function::Sha3_256 => "SHA3-256",
            Function::Sha3_384 => "SHA3-384",
            Function::Sha3_512 => "SHA3-512",
            Function::Shake128 => "SHAKE128",
            Function::Shake256 => "SHAKE256",
        }
    }

    /// The one with a name, whatever its case.
    pub fn named(name: &str) -> Option<Function> {
        Function::ALL.into_iter().find(|function| function.name().eq_ignore_ascii_case(name))
    }

    /// Its object identifier, 2.16.840.1.101.3.4.2 and a number, in DER.
    pub fn identifier(self) -> [u8; 11] {
        let number = (1..).zip(Function::ALL).find(|(_, function)| *function == self);
        let last = number.map_or(0, |(number, _)| number);
        [0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, last]
    }

    /// The digest of a message: 32 bytes of SHAKE128, 64 of SHAKE256.
    pub fn digest(self, message: &[u8]) -> Vec<u8> {
        let parts = &[message];
        let keccak = |rate, domain, bytes| {
            let mut digest = vec![0; bytes];
            sponge(rate, domain, parts, &mut digest);
            digest
        };
        match self {
            Function::Sha256 => sha256(parts).to_vec(),
            Function::Sha224 => sha256_from(SHA224, parts)[..28].to_vec(),
            Function::Sha512 => sha512(parts).to_vec(),
            Function::Sha384 => sha512_from(SHA384, parts)[..48].to_vec(),
            Function::Sha512_224 => sha512_shortened(self.name(), parts)[..28].to_vec(),
            Function::Sha512_256 => sha512_shortened(self.name(), parts)[..32].to_vec(),
            Function::Sha3_224 => keccak(144, 0x06, 28),
            Function::Sha3_256 => keccak(136, 0x06, 32),
            Function::Sha3_384 => keccak(104, 0x06, 48),
            Function::Sha3_512 => keccak(72, 0x06, 64),
            Function::Shake128 => keccak(168, 0x1f, 32),
            Function::Shake256 => keccak(136, 0x1f, 64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The digests of "abc": FIPS 180-2, appendices, and NIST's examples of FIPS 180-4 and FIPS 202.
    #[test]
    fn digests_of_abc_are_those_of_the_standards() {
        let begins: [&[u8]; 12] = [
            &[0xba, 0x78, 0x16, 0xbf],
            &[0xcb, 0x00, 0x75, 0x3f],
            &[0xdd, 0xaf, 0x35, 0xa1],
            &[0x23, 0x09, 0x7d, 0x22],
            &[0x46, 0x34, 0x27, 0x0f],
            &[0x53, 0x04, 0x8e, 0x26],
            &[0xe6, 0x42, 0x82, 0x4c],
            &[0x3a, 0x98, 0x5d, 0xa7],
            &[0xec, 0x01, 0x49, 0x82],
            &[0xb7, 0x51, 0x85, 0x0b],
            &[0x58, 0x81, 0x09, 0x2d],
            &[0x48, 0x33, 0x66, 0x60],
        ];
        for (function, begin) in Function::ALL.into_iter().zip(begins) {
            let digest = function.digest(b"abc");
            assert_eq!(&digest[..4], begin, "{}", function.name());
            assert_eq!(Function::named(function.name()), Some(function));
        }
    }
}
