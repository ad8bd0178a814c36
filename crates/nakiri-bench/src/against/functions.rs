//! Functions on messages that other libraries have too, and their names for them.

/// A function of ours, and what others call it.
#[derive(Debug)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub does: Does,
    /// Bytes of its key.
    pub key: usize,
    /// Bytes of its nonce, or of what else there is beside a key.
    pub nonce: usize,
    /// Bytes of its digest or tag.
    pub tag: usize,
    /// Libraries, by their names on the command line, and the algorithm's name there.
    pub elsewhere: &'static [(&'static str, &'static str)],
}

/// What a function does with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// A digest is made of it.
    Digest,
    /// A tag is made of it.
    Mac,
    /// It is encrypted, and a tag is made.
    Seal,
    /// It is encrypted.
    Encrypt,
    /// It is decrypted.
    Decrypt,
}

impl Does {
    /// Its name for adapters.
    pub fn name(self) -> &'static str {
        match self {
            Does::Digest => "digest",
            Does::Mac => "mac",
            Does::Seal => "seal",
            Does::Encrypt => "encrypt",
            Does::Decrypt => "decrypt",
        }
    }

    /// Whether there are as many bytes of output as of the message.
    pub fn makes_text(self) -> bool {
        matches!(self, Does::Seal | Does::Encrypt | Does::Decrypt)
    }

    /// Whether there is a digest or a tag.
    pub fn makes_tag(self) -> bool {
        matches!(self, Does::Digest | Does::Mac | Does::Seal)
    }
}

type Names = &'static [(&'static str, &'static str)];

const fn digest(name: &'static str, tag: usize, elsewhere: Names) -> Function {
    Function { name, does: Does::Digest, key: 0, nonce: 0, tag, elsewhere }
}

const fn mac(name: &'static str, key: usize, elsewhere: Names) -> Function {
    Function { name, does: Does::Mac, key, nonce: 0, tag: 16, elsewhere }
}

const fn seal(name: &'static str, [key, nonce]: [usize; 2], elsewhere: Names) -> Function {
    Function { name, does: Does::Seal, key, nonce, tag: 16, elsewhere }
}

const fn encrypt(name: &'static str, key: usize, elsewhere: Names) -> Function {
    Function { name, does: Does::Encrypt, key, nonce: 16, tag: 0, elsewhere }
}

const fn decrypt(name: &'static str, key: usize, elsewhere: Names) -> Function {
    Function { name, does: Does::Decrypt, key, nonce: 16, tag: 0, elsewhere }
}

/// All that are known.
pub const FUNCTIONS: &[Function] = &[
    digest("sha1", 20, &[("openssl", "SHA1"), ("libgcrypt", "SHA1")]),
    digest("sha224", 28, &[("openssl", "SHA224"), ("libgcrypt", "SHA224")]),
    digest("sha256", 32, &[("openssl", "SHA256"), ("libgcrypt", "SHA256")]),
    digest("sha384", 48, &[("openssl", "SHA384"), ("libgcrypt", "SHA384")]),
    digest("sha512", 64, &[("openssl", "SHA512"), ("libgcrypt", "SHA512")]),
    digest("sha3_224", 28, &[("openssl", "SHA3-224"), ("libgcrypt", "SHA3-224")]),
    digest("sha3_256", 32, &[("openssl", "SHA3-256"), ("libgcrypt", "SHA3-256")]),
    digest("sha3_384", 48, &[("openssl", "SHA3-384"), ("libgcrypt", "SHA3-384")]),
    digest("sha3_512", 64, &[("openssl", "SHA3-512"), ("libgcrypt", "SHA3-512")]),
    digest("shake128", 32, &[("openssl", "SHAKE128"), ("libgcrypt", "SHAKE128")]),
    digest("shake256", 32, &[("openssl", "SHAKE256"), ("libgcrypt", "SHAKE256")]),
    digest("sm3", 32, &[("openssl", "SM3"), ("libgcrypt", "SM3")]),
    digest("blake2s_256", 32, &[("openssl", "BLAKE2S-256"), ("libgcrypt", "BLAKE2S_256")]),
    digest("blake2s_128", 16, &[("libgcrypt", "BLAKE2S_128")]),
    digest("blake2b_512", 64, &[("openssl", "BLAKE2B-512"), ("libgcrypt", "BLAKE2B_512")]),
    digest("blake2b_384", 48, &[("libgcrypt", "BLAKE2B_384")]),
    digest("blake2b_256", 32, &[("libgcrypt", "BLAKE2B_256")]),
    mac("aes128_cmac", 16, &[("openssl", "AES-128-CBC"), ("libgcrypt", "CMAC_AES")]),
    seal("aes128_gcm_seal", [16, 12], &[("openssl", "AES-128-GCM"), ("libgcrypt", "AES128/GCM")]),
    seal("aes256_gcm_seal", [32, 12], &[("openssl", "AES-256-GCM"), ("libgcrypt", "AES256/GCM")]),
    seal("aes128_gcm_siv_seal", [16, 12], &[("libgcrypt", "AES128/GCM-SIV")]),
    seal("aes256_gcm_siv_seal", [32, 12], &[("libgcrypt", "AES256/GCM-SIV")]),
    seal("aes128_ccm_seal", [16, 12], &[("openssl", "AES-128-CCM"), ("libgcrypt", "AES128/CCM")]),
    seal("aes256_ccm_seal", [32, 12], &[("openssl", "AES-256-CCM"), ("libgcrypt", "AES256/CCM")]),
    seal("aes128_ocb_seal", [16, 12], &[("openssl", "AES-128-OCB"), ("libgcrypt", "AES128/OCB")]),
    seal("aes192_ocb_seal", [24, 12], &[("openssl", "AES-192-OCB"), ("libgcrypt", "AES192/OCB")]),
    seal("aes256_ocb_seal", [32, 12], &[("openssl", "AES-256-OCB"), ("libgcrypt", "AES256/OCB")]),
    seal("aes128_eax_seal", [16, 16], &[("libgcrypt", "AES128/EAX")]),
    seal("aes192_eax_seal", [24, 16], &[("libgcrypt", "AES192/EAX")]),
    seal("aes256_eax_seal", [32, 16], &[("libgcrypt", "AES256/EAX")]),
    seal(
        "chacha20_poly1305_seal",
        [32, 12],
        &[("openssl", "ChaCha20-Poly1305"), ("libgcrypt", "CHACHA20/POLY1305")],
    ),
    encrypt("aes128_cbc_encrypt", 16, &[("openssl", "AES-128-CBC"), ("libgcrypt", "AES128/CBC")]),
    encrypt("aes256_cbc_encrypt", 32, &[("openssl", "AES-256-CBC"), ("libgcrypt", "AES256/CBC")]),
    decrypt("aes128_cbc_decrypt", 16, &[("openssl", "AES-128-CBC"), ("libgcrypt", "AES128/CBC")]),
    decrypt("aes256_cbc_decrypt", 32, &[("openssl", "AES-256-CBC"), ("libgcrypt", "AES256/CBC")]),
    encrypt("tdes_cbc_encrypt", 24, &[("openssl", "DES-EDE3-CBC")]),
    decrypt("tdes_cbc_decrypt", 24, &[("openssl", "DES-EDE3-CBC")]),
    encrypt("aes128_xts_encrypt", 32, &[("openssl", "AES-128-XTS"), ("libgcrypt", "AES128/XTS")]),
    encrypt("aes256_xts_encrypt", 64, &[("openssl", "AES-256-XTS"), ("libgcrypt", "AES256/XTS")]),
    decrypt("aes128_xts_decrypt", 32, &[("openssl", "AES-128-XTS"), ("libgcrypt", "AES128/XTS")]),
    decrypt("aes256_xts_decrypt", 64, &[("openssl", "AES-256-XTS"), ("libgcrypt", "AES256/XTS")]),
];

/// A function of ours with a library's name for it, if that has it.
pub fn find(name: &str, library: &str) -> Option<(&'static Function, &'static str)> {
    let function = FUNCTIONS.iter().find(|function| function.name == name)?;
    let elsewhere = function.elsewhere.iter().find(|(other, _)| *other == library)?;
    Some((function, elsewhere.1))
}
